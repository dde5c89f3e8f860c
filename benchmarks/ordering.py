"""The shipped orderer on texts it never saw, and how fast it and the decoders are.

How it stands beside the paper's models when all learn from the same texts: ``ordering_models``.
"""

from __future__ import annotations

import csv
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.shared import DATA, measured, new_speeches
from fabula.bench.compare import compare
from fabula.bench.evaluate import evaluate
from fabula.ordering import TASK, order
from fabula.ordering.build import build_texts, shuffle
from fabula.ordering.decoding.alternative_decoders import beam_search
from fabula.ordering.decoding.kemeny import gains, kemeny
from fabula.ordering.items import Text
from fabula.ordering.metrics import tau
from fabula.ordering.models.pairwise.model import Pairwise
from fabula.registry import create_model
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [*_examples(), *_speed(slack=10 if quick else 1)]
    if not quick:
        rows += _large()
    if not (DATA / "wiki_conflict.jsonl.xz").is_file():
        return [*rows, {"name": "order", "ok": None, "note": "skipped: ../shared/data is not here"}]
    n = 20 if quick else 500
    for name, make, bar in _test_sets():
        rows += _quality(name, list(islice(make(), n)), None if quick else bar)  # too few to judge
    return rows


def _examples() -> list[dict[str, Any]]:
    """The shipped weights, by each decoder, on the task's own examples."""
    examples = TASK.examples()
    blind = [Text(id=text.id, units=text.units) for text in examples]
    rows = []
    for name, bar in (("pairwise", 0.5), ("pairwise:walk", 0.4), ("pairwise:chances", 0.4)):
        answers = create_model("ordering", name).order(blind)
        pairs = zip(examples, answers, strict=True)
        ours = float(np.mean([tau(text.gold or (), answer.order) for text, answer in pairs]))
        rows.append(measured(f"order examples, {name}, tau", ours, None, bar, ours >= bar))
    return rows


def _test_sets() -> list[tuple[str, Callable[[], Iterator[Text]], float | None]]:
    """Names, texts and the least tau asked of the shipped weights."""
    return [
        ("arXiv abstracts", abstracts, None),
        ("wiki, 6-10 sentences", lambda: windows("wiki_conflict", "sentence", (6, 10)), None),
        ("speeches, 5-8 paragraphs", lambda: windows("speeches", "paragraph", (5, 8)), None),
        ("everyday stories", stories, 0.60),
    ]


def abstracts(part: str = "test") -> Iterator[Text]:
    """The three arXiv files in turn."""
    readers = [
        build_texts(in_part(read_documents(DATA / f"arxiv_abstracts_{name}.jsonl.xz"), part))
        for name in ("cs.CL", "cs.SI", "cs.IR")
    ]
    for some in zip(*readers, strict=False):
        yield from some


def windows(corpus: str, level: str, sizes: tuple[int, int], part: str = "test") -> Iterator[Text]:
    """One window a document, at a random place.

    Of speeches only those that the shipped weights have not seen.
    """
    path = DATA / f"{corpus}.jsonl.xz"
    every = new_speeches() if corpus == "speeches" else read_documents(path)
    for document in in_part(every, part):
        found = list(build_texts([document], level=level, window=sizes))
        if found:
            yield random.Random(document.id).choice(found)


def stories() -> Iterator[Text]:
    """Story Cloze with the right ending. For measuring only: nothing is trained or tuned on it."""
    with (DATA / "story_cloze" / "val.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            ending = row[f"RandomFifthSentenceQuiz{row['AnswerRightEnding']}"]
            units = [row[f"InputSentence{i}"] for i in range(1, 5)]
            yield shuffle(row["InputStoryid"], [*units, ending], random.Random(row["InputStoryid"]))


def _quality(name: str, texts: list[Text], bar: float | None) -> list[dict[str, Any]]:
    ours, best = (
        evaluate("ordering", texts, model, metrics=["tau", "PMR"])
        for model in ("pairwise", "linear")
    )
    rows = []
    for metric in ("tau", "PMR"):
        found, peer = ours.metrics[metric], best.metrics[metric]
        (pair,) = compare([ours, best], metric)
        least = bar if metric == "tau" else None
        note = (
            f"{len(texts)} texts, [{found.low:.3f}, {found.high:.3f}]; peer: {best.model}, "
            f"difference {pair.difference:+.3f} [{pair.low:+.3f}, {pair.high:+.3f}]"
        )
        ok = None if least is None else bool(found.value >= least)
        rows.append(measured(f"order {name}, {metric}", found.value, peer.value, least, ok, note))
    return rows


def _speed(slack: int) -> list[dict[str, Any]]:
    """``slack`` is how much slower than the bar is let pass: quick runs share their machine."""
    gain = gains(np.random.default_rng(0).random((12, 12)))
    exact = 1000 * _seconds(lambda: kemeny(gain), 20)
    wide = 1000 * _seconds(lambda: beam_search(gain), 3)
    note = "peer: beam search of width 32, not exact"
    limits = (3 * slack, 0.3 * slack, 3 * slack)
    rows = [measured("order decode 12 units, ms", exact, wide, limits[0], exact <= limits[0], note)]
    sentences, model = _sentences(), Pairwise()
    order(sentences[:10], model=model)
    for units, limit in ((10, limits[1]), (60, limits[2])):
        some = [f"{sentence} ({units})" for sentence in sentences[:units]]
        took = _seconds(lambda some=some: order(some, model=model), 3)  # type: ignore[misc]
        rows.append(
            measured(
                f"order {units} sentences, s",
                took,
                None,
                limit,
                took <= limit,
                "after load; processor time",
            )
        )
    return rows


def _large() -> list[dict[str, Any]]:
    """What is far above the usual size: 300 sentences, and a paragraph of 20,000 words."""
    sentences, model = _sentences(), Pairwise()
    order(sentences[:10], model=model)
    words = " ".join(sentences).split()
    long = " ".join((words * (20_000 // len(words) + 1))[:20_000])
    rows = []
    for name, units in (
        ("300 sentences, s", [f"{sentence} (again)" for sentence in sentences[:300]]),
        ("a paragraph of 20,000 words among 10, s", [long, *sentences[:9]]),
    ):
        started = time.process_time()
        answer = order(units, model=model)
        took = time.process_time() - started
        ok = sorted(answer.order) == list(range(len(units)))
        rows.append(
            measured(f"order {name}", took, None, "an order", ok, "after load; processor time")
        )
    return rows


def _sentences() -> list[str]:
    from fabula.text.segment.sentences import split_sentences

    found = [s.text for document in read_documents("sample") for s in split_sentences(document)]
    random.Random(0).shuffle(found)
    return found


def _seconds(work: Callable[[], Any], times: int) -> float:
    """Processor time of all threads, the best of several: others may be at work on the machine.

    On a machine of its own the clock shows no more than this.
    """
    work()
    took = []
    for _ in range(times):
        started = time.process_time()
        work()
        took.append(time.process_time() - started)
    return min(took)
