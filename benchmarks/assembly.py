"""Assemble, end to end: the bundled sample, shuffled held-out articles, speed, the page."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shared import measured
from fabula.assembly import assemble
from fabula.assembly.pile import read_pile
from fabula.assembly.score import score_assembly
from fabula.cli.inputs import SAMPLE
from fabula.ordering import order
from fabula.ordering.metrics import tau
from fabula.salads.metrics import clustering_accuracy
from fabula.text.segment.sentences import split_sentences

DATA = Path(__file__).parents[2] / "shared" / "data" / "wiki_conflict.jsonl.xz"
# By writers who knew nothing of the models, for this measurement alone; nothing is trained on them:
# plain reports, news told with a writer's freedom, and three tellers of one night.
WRITTEN = Path(__file__).parent / "written"
KINDS = {"reports": "reports", "told piles": "piles", "one night": "night"}
Article = tuple[str, list[str]]


def run(quick: bool) -> list[dict[str, Any]]:
    rows = _sample(quick)
    for what, folder in KINDS.items():
        if paths := sorted((WRITTEN / folder).glob("*.txt")):
            rows += _told(what, paths[: 1 if quick else None])
    articles = _articles("test") if DATA.is_file() else []
    if not articles:
        return [*rows, measured("assemble wiki", None, note="skipped: ../shared/data is not here")]
    rows += _piles(articles, 2 if quick else 50)
    if not quick:
        rows += [_speed(articles, 200, 15), _speed(articles, 5_000, 300)]
    return rows


def _sample(quick: bool) -> list[dict[str, Any]]:
    """The bundled one. A quick run looks for what broke; the whole one judges the bars."""
    score = _scored(SAMPLE / "tangled.txt")
    found, false = score["found"], score["false"]
    right = f"{score['stories']:.0f} stories of {score['stories_right']:.0f}"
    rows = [
        ("CA", score["CA"], 0.95, score["CA"] >= 0.95, right),
        ("tau", score["tau"], 0.6, score["tau"] >= 0.6, "of sentences in the right story"),
        ("contradictions", found, 5, found == 5 and false <= 5, f"{false:.0f} false"),
    ]
    return [
        measured(f"assemble sample, {what}", ours, None, bar, None if quick else ok, note)
        for what, ours, bar, ok, note in rows
    ]


def _scored(pile: Path) -> dict[str, float]:
    return score_assembly(assemble(read_pile(pile)), pile.with_suffix(".solution.json"))


def _told(what: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Piles of three stories each, told by several hands."""
    scores = [_scored(path) for path in paths]
    rows = []
    for metric in ("CA", "tau"):
        each = np.array([score[metric] for score in scores])
        mean, low, high = _interval(each)
        note = f"{len(paths)} piles, [{low:.3f}, {high:.3f}]: "
        note += ", ".join(f"{path.stem} {one:.2f}" for path, one in zip(paths, each, strict=True))
        rows.append(measured(f"assemble {what}, {metric}", mean, note=note))
    right = np.mean([score["stories"] == score["stories_right"] for score in scores])
    rows.append(measured(f"assemble {what}, number right", float(right)))
    planted, found, false = (sum(s[name] for s in scores) for name in ("planted", "found", "false"))
    note = f"{found:.0f} of {planted:.0f}, {false:.0f} false"
    rows.append(measured(f"assemble {what}, contradictions", found / planted, note=note))
    return rows


def _articles(part: str) -> list[Article]:
    """Category and sentences of the articles of a part that are long enough, shuffled."""
    wanted = {"test": 0, "dev": 1}[part]
    found = []
    with lzma.open(DATA, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            digest = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16)
            if digest % 5 == wanted and row["category"]:
                found.append((row["category"], row["paragraphs"]))
    random.Random(0).shuffle(found)
    cut = ((c, [s.text for p in ps for s in split_sentences(p)]) for c, ps in found[:600])
    return [(category, sentences) for category, sentences in cut if len(sentences) >= 14]


def draw(articles: Sequence[Article], same: bool, rng: random.Random) -> list[list[str]]:
    """The openings of three articles, of one war or of three, 40 to 60 sentences together."""
    by_war: dict[str, list[list[str]]] = {}
    for war, sentences in articles:
        by_war.setdefault(war, []).append(sentences)
    if same:
        war = rng.choice(sorted(w for w in by_war if len(by_war[w]) >= 3))
        parts = rng.sample(by_war[war], 3)
    else:
        parts = [rng.choice(by_war[war]) for war in rng.sample(sorted(by_war), 3)]
    return [sentences[: rng.randint(14, 20)] for sentences in parts]


def measure(parts: Sequence[Sequence[str]], rng: random.Random) -> tuple[float, bool, float, float]:
    """CA, whether the number was found, tau within stories, and tau of ``order`` on the gold."""
    items = [
        (text, story, place) for story, part in enumerate(parts) for place, text in enumerate(part)
    ]
    rng.shuffle(items)
    home = {text: (story, place) for text, story, place in items}
    found = assemble([text for text, _, _ in items])
    gold, labels, taus = [], [], []
    for narrative in found.stories:
        places: dict[int, list[int]] = {}
        for placed in narrative.sentences:
            story, place = home[placed.sentence.text]
            gold.append(story)
            labels.append(narrative.id)
            places.setdefault(story, []).append(place)
        most = max(places.values(), key=len)
        if len(most) > 1:
            taus.append(_tau(most))
    straight = []
    for story in range(len(parts)):
        mine = [(text, place) for text, s, place in items if s == story]
        told = order([text for text, _ in mine])
        straight.append(_tau([mine[i][1] for i in told.order]))
    accuracy = clustering_accuracy(np.array(gold), np.array(labels))
    right = len(found.stories) == len(parts)
    return accuracy, right, float(np.mean(taus)) if taus else 0.0, float(np.mean(straight))


def _tau(places: Sequence[int]) -> float:
    ranks = {place: rank for rank, place in enumerate(sorted(places))}
    return float(tau(list(range(len(places))), [ranks[place] for place in places]))


def _piles(articles: Sequence[Article], n: int) -> list[dict[str, Any]]:
    rows = []
    for same, bar in ((False, 0.95), (True, 0.75)):
        rng = random.Random(1)
        scores = np.array([measure(draw(articles, same, rng), rng) for _ in range(n)], dtype=float)
        name = "same war" if same else "three wars"
        mean, low, high = _interval(scores[:, 0])
        ok = bool(mean >= bar) if n >= 20 else None
        rows.append(
            measured(
                f"assemble {name}, CA", mean, None, bar, ok, f"{n} piles, [{low:.3f}, {high:.3f}]"
            )
        )
        if not same:
            share = float(scores[:, 1].mean())
            enough = share >= 0.8 if n >= 20 else None
            rows.append(
                measured(f"assemble {name}, number right", share, None, 0.8, enough, f"{n} piles")
            )
        found, straight = scores[:, 2].mean(), scores[:, 3].mean()
        near = bool(found >= straight - 0.05) if n >= 20 else None
        note = f"order on the gold stories: {straight:.3f}"
        rows.append(
            measured(
                f"assemble {name}, tau", float(found), None, float(straight) - 0.05, near, note
            )
        )
    return rows


def _interval(values: Any) -> tuple[float, float, float]:
    rng = np.random.default_rng(0)
    means = rng.choice(values, (2000, len(values))).mean(axis=1)
    return float(values.mean()), *map(float, np.quantile(means, (0.025, 0.975)))


def _speed(articles: Sequence[Article], n: int, bar: float) -> dict[str, Any]:
    """Seconds for n sentences of mixed articles, everything loaded."""
    import psutil

    rng = random.Random(2)
    sentences = [s for _, part in articles for s in part][:n]
    rng.shuffle(sentences)
    assemble(["A word. Another word. One more."])  # loads what there is to load
    started = time.monotonic()
    found = assemble(sentences)
    seconds = time.monotonic() - started
    memory = psutil.Process().memory_info().rss / 2**30
    assert sum(len(story.sentences) for story in found.stories) >= n
    note = f"seconds; {memory:.1f} GB"
    return measured(
        f"assemble {n:,} sentences", seconds, None, bar, seconds <= bar and memory <= 3, note
    )
