"""Contrast pairs, conflicts and questions on one passage are told from copies."""

from __future__ import annotations

import random

import pytest
from tests.audit.toy import make, sentence

from fabula.audit import Audit, audit
from fabula.audit.stats.item_pairs import conflicting_items, is_copy, mirrored_pairs
from fabula.endings.items import Ending


def mirrored(items: list[Ending]) -> list[Ending]:
    """Each item and its mirror: the same options, another context, the other answer."""
    both = []
    for number, item in enumerate(items):
        assert item.gold is not None
        both.append(item)
        context = (f"It is not true of {number}: {item.context[0]}", *item.context[1:])
        both.append(Ending(f"m{item.id}", context, item.options, 1 - item.gold))
    return both


def leaking(n: int) -> list[Ending]:
    """Half of the right answers have a word that wrong ones seldom have."""
    rng = random.Random(7)
    return [
        Ending(i.id, i.context,
               tuple(f"{o} moreover" if p == i.gold and rng.random() < 0.5 else o
                     for p, o in enumerate(i.options)), i.gold)
        for i in make(n)
    ]  # fmt: skip


FAST = ["duplicates", "position", "surface", "options-only", "tokens", "sentiment", "ngrams"]


def test_mirroring_takes_a_leak_away_and_is_no_copying() -> None:
    assert audit(leaking(300), probes=FAST, parsed=0).verdict in ("moderate", "strong")
    done = audit(mirrored(leaking(300)), probes=FAST, parsed=0)
    row = done["duplicates"].to_row()
    assert done.verdict == "clean" and done["duplicates"].status == "ok"
    assert (row["near"], row["conflicting_gold"], row["mirrored_items"]) == (0, 0, 600)
    assert done.tested == 600, "no half of a pair is left out"
    # A classifier that had learnt one half of a pair would be wrong on the other.
    assert 0.4 < (done["options-only"].value or 0) < 0.6


PASSAGE = " ".join(sentence(random.Random(n), 3) for n in range(9))


@pytest.mark.parametrize("first", [True, False])
def test_questions_on_one_passage_are_no_copies(first: bool) -> None:
    asked = [
        ("Who painted the boat before the rain?", ("Ida did.", "Paul did.")),
        ("Where was the candle when they came?", ("In the barn.", "At the river.")),
        ("Did Tom mend the lamp?", ("Yes.", "No.")),
        ("Was the letter ever sold?", ("Yes.", "No.")),
    ]
    items = [
        Ending(str(n), (f"{q} {PASSAGE}" if first else f"{PASSAGE} {q}",), options, 0)
        for n, (q, options) in enumerate(asked)
    ]
    row = audit([*items, *make(60)], probes=["duplicates"])["duplicates"].to_row()
    assert row["near"] == 0 and row["status"] == "ok"


def test_a_changed_word_is_still_a_copy() -> None:
    one = Ending("a", (PASSAGE, "Who painted the boat red?"), ("Ida did.", "Paul did."), 0)
    other = Ending("b", (PASSAGE, "Who painted the boat blue?"), ("Paul did.", "Ida did."), 1)
    assert is_copy(one, other)
    assert not is_copy(one, Ending("c", other.context, other.options, 0)), "another answer"


def test_conflicting_answers_are_found_and_contrasts_are_not() -> None:
    one = Ending("a", ("It rained.",), ("He got wet.", "He sang."), 0)
    against = Ending("b", ("It rained!",), ("He slept.", "he got wet"), 0)
    mirror = Ending("c", ("It was dry.",), ("He got wet.", "He sang."), 1)
    cause = Ending("d", ("It rained.",), ("He got wet.", "Clouds came."), 1, "cause")
    assert conflicting_items([one, against, mirror, cause]) == [(0, 1)]
    assert mirrored_pairs([one, against, mirror, cause]) == [(0, 2)]
    done = audit([one, against, *make(60)], probes=["duplicates"])
    assert done["duplicates"].status == "note" and done["duplicates"].detail["conflicting_gold"]


def by_overlap(n: int) -> list[Ending]:
    """Options tell nothing alone; the right one repeats a word of its context."""
    rng = random.Random(3)
    items = []
    for number in range(n):
        word, other = ("".join(rng.choices("abcdefghijklmnop", k=9)) for _ in range(2))
        texts = [f"Then came {word}.", f"Then came {other}."]
        gold = rng.randrange(2)
        options = tuple(texts[::-1] if gold else texts)
        items.append(Ending(str(number), (f"It began with {word}.",), options, gold))
    return items


def test_overlap_with_the_context_is_not_without_the_context() -> None:
    done = audit(by_overlap(300), parsed=0)
    assert done.verdict == "clean" and done["overlap"].status == "note"
    assert done["overlap"].value == 1.0 and done["overlap"].finding.startswith("With the context")
    assert done.above(0.6) == [] and done.accuracy is None


def levels(shares: list[float]) -> list[str]:
    """Verdicts of data sets in which such a share of the right answers has a telling word."""
    found = []
    for share in shares:
        rng = random.Random(1)
        items = [
            Ending(i.id, i.context,
                   tuple(f"{o} moreover" if p == i.gold and rng.random() < share else o
                         for p, o in enumerate(i.options)), i.gold)
            for i in make(600)
        ]  # fmt: skip
        found.append(audit(items, probes=["options-only", "tokens"], parsed=0).verdict)
    return found


def test_the_verdict_has_levels_by_the_options_only_gain() -> None:
    assert levels([0.0, 0.2, 0.3, 0.8]) == ["clean", "slight", "moderate", "strong"]


def test_the_gate_and_the_headline_read_the_options_only_accuracy() -> None:
    from fabula.audit.page.text import headline

    done: Audit = audit(leaking(300), probes=["options-only", "surface"], parsed=0)
    accuracy = done["options-only"].value or 0.0
    assert done.accuracy == accuracy and [f.name for f in done.above(0.6)] == ["options-only"]
    assert done.above(accuracy) == []
    gain = done.to_row()["gain"]
    assert gain["probe"] == "options-only" and gain["low"] < gain["value"] < gain["high"]
    assert f"right in {accuracy:.1%} of the items" in headline(done)
