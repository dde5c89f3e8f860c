"""Copies: exact, normalised, near; inside and across files."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fabula.audit import audit
from fabula.audit.stats.near_duplicates import DuplicateIndex, connected_groups, jaccard
from fabula.endings.items import Ending

STORY = (
    "Rosa put the last crate on the cart before the rain began.",
    "Her brother held the mule while she tied the ropes twice.",
)
ENDINGS = ("They reached the market before noon.", "They reached the moon before supper.")


def turned(item: Ending, name: str) -> Ending:
    """The item as another version has it: another id, the options in another order."""
    gold = None if item.gold is None else len(item.options) - 1 - item.gold
    return Ending(name, item.context, item.options[::-1], gold)


def test_the_kinds_of_copies_inside() -> None:
    item = Ending("a", STORY, ENDINGS, 0)
    marks = Ending("c", tuple(s.replace(".", "!!").upper() for s in STORY), ENDINGS, 0)
    near = Ending("d", (STORY[0], STORY[1].replace("twice", "again")), ENDINGS, 0)
    other = Ending("e", ("Something else.", "Quite."), ("Yes it is.", "No."), 1)
    found = DuplicateIndex([item, turned(item, "b"), marks, near, other]).inside()
    assert [(copy.item, copy.kind, copy.other_index) for copy in found] == [
        (1, "exact", 0), (2, "normalised", 0), (3, "near", 0),
    ]  # fmt: skip


def test_another_version_of_the_file_is_found(items) -> None:
    ours = items(300)
    theirs = [turned(item, f"v{i}") for i, item in enumerate(ours[:40])]
    theirs += [
        Ending(f"p{i}", tuple(s.replace(".", " !") for s in item.context), item.options, None)
        for i, item in enumerate(ours[40:50])
    ]
    done = audit(ours, against=[theirs, items(200, seed=9)], probes=["schema", "duplicates"])
    row = done["duplicates"].to_row()
    assert row["exact_in_other"] == 40 and row["near_in_other"] == 10
    assert row["others"][0]["items"] == 50 and row["others"][1]["exact"] == 0
    assert done.verdict == "moderate" and row["status"] == "leak"
    assert {"id": "i0", "other": "v0", "kind": "exact"} in row["copies_in_other"]


def test_a_copy_with_another_answer_and_one_in_another_split(items) -> None:
    from fabula.audit.context import AuditContext
    from fabula.audit.item_table import ItemTable
    from fabula.audit.run import run_probes

    ours = items(60)
    first = ours[0]
    flipped = Ending("flip", first.context, first.options, 1 - int(first.gold or 0))
    table = ItemTable([*ours, flipped], {"split": ["train"] * 60 + ["test"]})
    row = run_probes(AuditContext(all_items=table), ["duplicates"])["duplicates"].to_row()
    assert row["conflicting_gold"] == 1 and row["across_splits"] == 1


def test_nothing_is_found_where_nothing_is(items) -> None:
    done = audit(items(200), against=[items(200, seed=5)], probes=["duplicates"])
    row = done["duplicates"].to_row()
    assert row["exact_in_other"] == row["near_in_other"] == row["exact"] == 0


def test_near_copies_are_those_of_all_pairs() -> None:
    """Against the quadratic search: banding loses next to nothing at this likeness."""
    rng = random.Random(0)
    words = [f"w{i}" for i in range(400)]
    base = [[rng.choice(words) for _ in range(30)] for _ in range(60)]
    items = []
    for number, text in enumerate(base):
        items.append(Ending(f"a{number}", (" ".join(text),), ("yes", "no"), 0))
        for _ in range(number % 3):
            text = [rng.choice(words) if rng.random() < 0.04 else word for word in text]
        items.append(Ending(f"b{number}", (" ".join(text),), ("yes", "no"), 0))
    index = DuplicateIndex(items)
    sets = [set(s.split()) | set(zip(s.split(), s.split()[1:], strict=False))
            for s in (item.context[0] for item in items)]  # fmt: skip
    extra = 2  # "yes" and "no", in every item
    expected = {
        b
        for b in range(len(items))
        for a in range(b)
        if (len(sets[a] & sets[b]) + extra) / (len(sets[a] | sets[b]) + extra) >= 0.8
    }
    found = {copy.item for copy in index.inside()}
    assert found == expected and len(expected) > 20


@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)))
def test_jaccard(one: set[int], other: set[int]) -> None:
    arrays = [np.array(sorted(s), dtype=np.uint64) for s in (one, other)]
    expected = len(one & other) / len(one | other) if one and other else 0.0
    assert jaccard(*arrays) == expected


def test_components() -> None:
    groups = connected_groups(5, [(0, 3), (3, 4)])
    assert groups[0] == groups[3] == groups[4] and len(set(groups.tolist())) == 3
