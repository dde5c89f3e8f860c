"""The battery: planted leaks are found, clean data is not accused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from tests.audit.toy import make, sentence

from fabula.audit import Audit, audit, audit_page
from fabula.audit.context import AuditContext
from fabula.audit.findings import Check, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.run import correct_p_values, run_probes
from fabula.endings.items import Ending
from fabula.errors import UnknownName, UsageError
from fabula.registry import probes

FAST = ["position", "surface", "tokens", "sentiment", "complexity"]
Change = Callable[[str, bool, random.Random], str]


def with_options(items: list[Ending], change: Change) -> list[Ending]:
    rng = random.Random(7)
    return [
        Ending(i.id, i.context,
               tuple(change(o, p == i.gold, rng) for p, o in enumerate(i.options)), i.gold)
        for i in items
    ]  # fmt: skip


LEAKS: dict[str, tuple[Change, str]] = {
    "length": (lambda o, right, r: f"{o} {sentence(r)}" if right and r.random() < 0.5 else o,
               "surface"),
    "token": (lambda o, right, r: f"{o} moreover" if r.random() < (0.3 if right else 0.03) else o,
              "tokens"),
    "negation": (lambda o, right, r: f"not {o}" if r.random() < (0.02 if right else 0.3) else o,
                 "surface"),
    "sentiment": (lambda o, right, r: f"{o} Happy joy." if right and r.random() < 0.4 else o,
                  "sentiment"),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("options", [2, 4])
def test_a_planted_leak_is_found(leak: str, options: int) -> None:
    change, probe = LEAKS[leak]
    done = audit(with_options(make(500, options), change), probes=FAST, parsed=0)
    assert done.verdict in ("slight", "moderate", "strong")
    assert done[probe].found and (done[probe].p or 0) < 0.02
    assert done[probe].examples


def test_position(items) -> None:
    first = [Ending(i.id, i.context, i.options, 0 if n % 3 else i.gold) for n, i in
             enumerate(items(400))]  # fmt: skip
    done = audit(first, probes=FAST, parsed=0)
    assert done["position"].found and "Option 1" in done["position"].finding
    assert done["position"].detail["positions"][0] > 300


def test_clean_data_is_not_accused(items) -> None:
    base = ItemTable(items(200), {"part": [str(i % 2) for i in range(200)]})
    alarms = 0
    for seed in range(12):
        table = base.with_random_gold(seed)
        context = AuditContext(all_items=table, parsed=0)
        context.__dict__["table"] = table  # the texts are read once for all swaps
        names = [*FAST, "ngrams", *(["slices"] if seed < 2 else [])]
        alarms += run_probes(context, names).verdict != "clean"
    assert alarms <= 1


def test_a_leak_in_one_slice(items) -> None:
    rng = random.Random(0)
    columns = {"genre": [rng.choice("abcd") for _ in range(800)]}
    changed = [
        with_options([item], LEAKS["length"][0])[0] if genre == "b" else item
        for item, genre in zip(items(800), columns["genre"], strict=True)
    ]
    done = run_probes(AuditContext(all_items=ItemTable(changed, columns), parsed=0), ["slices"])[
        "slices"
    ]
    assert done.found and "genre = b" in done.finding
    assert {c.detail["slice"] for c in done.checks if c.found} == {"genre = b"}


def test_options_only_and_filtered(items) -> None:
    done = audit(with_options(items(400), LEAKS["token"][0]),
                 probes=["options-only", "filtered", "shuffled-context"])  # fmt: skip
    found = done["options-only"]
    assert found.found and found.low is not None and found.high is not None
    assert found.low < (found.value or 0) < found.high
    assert found.checks[0].detail["staged_items"] == 350
    filtered = done["filtered"].detail
    assert filtered["kept_items"] == 280 and filtered["kept"] < filtered["matched_random"]
    assert done["shuffled-context"].detail["items_read"] == 400


def test_the_context_is_worth_something_where_it_tells() -> None:
    rng = random.Random(3)
    items = []
    for number in range(300):
        word, other = ("".join(rng.choices("abcdefghijklmnop", k=9)) for _ in range(2))
        gold = rng.randrange(2)
        texts = [f"Then came {word}.", f"Then came {other}."]
        items.append(
            Ending(str(number), (f"It began with {word}.",), tuple(texts[::-1] if gold else texts),
                   gold)
        )  # fmt: skip
    done = audit(items, probes=["options-only", "shuffled-context"])
    detail = done["shuffled-context"].detail
    assert detail["with_context"] > 0.9 and detail["shuffled"] < 0.65
    assert detail["gain"]["low"] > 0.2


def test_corrections(items) -> None:
    checks = tuple(Check(name=str(p), value=0.6, p=p, chance=0.5) for p in (0.001, 0.5, 0.004))
    finding = Finding(name="x", finding="found", otherwise="none", checks=checks, accuracy=0.6,
                      chance=0.5)  # fmt: skip
    done = correct_p_values(finding, 4)
    assert [check.corrected for check in done.checks] == [0.012, 1.0, 0.032]
    assert done.p == 0.012 and done.status == "leak" and done.finding == "found"
    assert correct_p_values(finding, 40).finding == "none"
    slight = Finding(name="x", finding="f", checks=checks[:1], accuracy=0.51, chance=0.5)
    assert correct_p_values(slight, 1).status == "slight"


def test_the_same_audit_twice(items) -> None:
    one, two = (audit(items(60), parsed=0).to_row() for _ in range(2))
    first, second = (json.dumps({**row, "seconds": 0}, sort_keys=True) for row in (one, two))
    assert first == second
    assert one["fingerprint"] != audit(items(151), probes=["schema"]).fingerprint


def test_every_probe_declares_itself_and_gives_a_whole_finding(items) -> None:
    done = audit(items(80, options=3), parsed=0)
    orders = [probes.get(finding.name).order for finding in done.findings]
    assert len(done.findings) == len(probes.names()) and orders == sorted(set(orders))
    for finding in done.findings:
        row = finding.to_row()
        assert row.keys() >= {"name", "value", "low", "high", "p", "finding", "examples"}
        assert row["finding"] and row["status"] in ("leak", "slight", "note", "ok", "skipped")
        assert probes.get(finding.name).name == finding.name and probes.get(finding.name).title
        for check in finding.checks:
            assert 0 <= check.p <= 1 and (check.corrected or 0) >= check.p
    assert done.tests > 20


def test_a_probe_from_outside(items) -> None:
    def vowels(context: AuditContext) -> Finding:
        check = Check(name="vowels", value=0.9, p=1e-9, chance=0.5, n=len(context.table))
        return Finding(name="vowels", finding="vowels tell", checks=(check,), accuracy=0.9,
                       chance=0.5)  # fmt: skip

    with probes.override("test-vowels", vowels):
        done = audit(items(60), probes=["position", "test-vowels"])
    assert done.verdict == "strong" and done["vowels"].found and done.accuracy == 0.9
    assert [f.name for f in done.above(0.6)] == ["vowels"] and not done.above(0.95)
    assert "<h2>vowels</h2>" in audit_page(done)


def test_wrong_calls(items) -> None:
    with pytest.raises(UnknownName, match="position"):
        audit(items(30), probes=["positon"])
    with pytest.raises(UsageError, match="no items"):
        audit([])
    with pytest.raises(UsageError, match="right answer"):
        audit([Ending("a", (), ("x", "y"))])


@pytest.mark.parametrize("n", [1, 2, 19, 25])
def test_few_items_are_said_to_be_few(items, n: int) -> None:
    done = audit(items(n), parsed=0)
    assert isinstance(done, Audit)
    assert done.verdict == ("unknown" if n < 20 else "clean")


def test_a_sheet_and_its_parts(items) -> None:
    table = ItemTable([*items(5), *items(4, options=3, seed=2)], {"c": list("abcdefghi")})
    _ = table.words, table.context_words, table.sentiment
    part = table.take([1, 6, 8])
    alone = ItemTable(part.items)
    assert part.columns["c"] == ["b", "g", "i"]
    assert part.words.counts.tolist() == alone.words.counts.tolist()
    assert part.context_words.counts.tolist() == alone.context_words.counts.tolist()
    assert np.array_equal(part.sentiment, alone.sentiment)
    assert table.with_random_gold(1).fingerprint != table.fingerprint
