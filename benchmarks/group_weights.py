"""Fit when two groups of single sentences tell one story, and write the weights with their card.

    python -m benchmarks.group_weights src/fabula/data/weights/salads-groups

Piles are torn into shuffled sentences: ECB+ topics not divisible by four and the development part
of ``wiki_conflict``, on whose training part the log-odds of pairs would be too sure. Each pile is
grouped as ``untangle`` groups it; pairs of groups, as found and as joined further by the truth, are
examples.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.document_piles import (
    article_sentences,
    events_of,
    like_events,
    pile,
    sample,
    several,
    topics,
)
from benchmarks.documents import torn
from fabula.core.files import write_text
from fabula.core.progress import track
from fabula.core.threads import one_blas_thread
from fabula.registry import create_model
from fabula.salads.items import Salad
from fabula.salads.stories.constraints import UNCONSTRAINED, constrained_clusters
from fabula.salads.stories.group_merging import mean_pairs, repetition

PARTS = 4  # of the topics; a pile of several topics is drawn from one of them
LEAST = 0.6  # the probability at which groups are joined, chosen on folds of the training piles
LEAST_LINK = 0.0  # log-odds; below it free prose, which shares no names, would be joined
CARD = """# salads/groups: when two groups of sentences tell one story

Three weights of a logistic regression and a threshold (`fabula.salads.stories.group_merging`),
JSON. Licence: Apache-2.0.

- **Data.** {rows} pairs of groups of {piles} piles torn into shuffled sentences: ECB+ topics not
  divisible by four (annotation CC BY 3.0) and the development part of Wikipedia articles on wars
  (CC BY-SA).
- **Made by** `make weights-groups`.
- **Thresholds.** Groups are joined at a probability of {least}, and only where the model of
  documents links them. The first was chosen on folds of the training piles, the second after
  stories in free prose (piles written for this project) had been taken for one.

**Limits.** English news and encyclopaedia text. Two like events torn into sentences are often
taken for one.
"""


def torn_piles(seed: int = 5) -> Iterator[Salad]:
    """Like events, single events, several topics, and articles on wars; most are of the kinds that
    are hard to tell apart, two like events and three articles of one war."""
    rng = random.Random(seed)
    wanted = topics(held_out=False)
    for topic in wanted:
        for n, reports in enumerate((3, 3, 2)):
            yield torn(like_events(topic, reports, rng, f"like-{topic}-{n}"), rng)
        story = sample(rng.choice(events_of(topic)), rng.choice([2, 3, 4]), rng)
        yield torn(pile(f"one-{topic}", [story], rng, topic), rng)
    for n in range(10):
        ours = wanted[n % PARTS :: PARTS]
        stories = min(3, len(ours))
        salad = several(ours, stories, rng.choice([1, 2, 3]), rng, f"topics-{n}", "")
        yield torn(salad, rng)
    by_war = article_sentences(14, "dev")
    for stories, of_one_war, piles in ((3, True, 28), (2, True, 6), (3, False, 8), (1, True, 6)):
        wars = sorted(war for war in by_war if len(by_war[war]) >= stories or not of_one_war)
        for n in range(piles):
            if of_one_war:
                articles = rng.sample(by_war[rng.choice(wars)], stories)
            else:
                articles = [rng.choice(by_war[war]) for war in rng.sample(wars, stories)]
            cut = [[article[: rng.randint(14, 20)]] for article in articles]
            yield torn(pile(f"articles-{stories}-{of_one_war}-{n}", cut, rng, ""), rng)


def examples(salad: Salad, context: Any) -> list[tuple[float, float, bool, float]]:
    """Pairs of groups: the two numbers, whether they are of one story, and how pure they are."""
    gold = np.array(salad.labels)
    (odds,) = context.pair_odds([Salad("torn", salad.sentences)])
    labels, repeated = constrained_clusters(odds, UNCONSTRAINED), repetition(salad.sentences)
    found: list[tuple[float, float, bool, float]] = []
    while len(names := np.unique(labels)) > 1:
        groups = [np.flatnonzero(labels == name) for name in names]
        counts = [np.bincount(gold[group]) for group in groups]
        story = [int(count.argmax()) for count in counts]
        pure = [count.max() / count.sum() for count in counts]
        pairs = mean_pairs(groups, odds)
        of_one = []
        for i in range(len(groups)):
            for j in range(i):
                same = story[i] == story[j]
                found.append((pairs[i, j], repeated, same, pure[i] * pure[j]))
                if same:
                    of_one.append((pairs[i, j], i, j))
        if not of_one:
            break
        _, i, j = max(of_one)
        labels[labels == names[i]] = names[j]
    return found


@one_blas_thread()
def main(folder: str) -> None:
    from sklearn.linear_model import LogisticRegression

    context = create_model("salads", "context")
    context.ensure_trained()
    piles = list(torn_piles())
    parts = [examples(salad, context) for salad in track(piles, "grouping")]
    rows = np.array([row for part in parts for row in part])
    weight = np.array([row[3] / len(part) ** 0.5 for part in parts for row in part])
    evidence = rows[:, :2]
    scale = evidence.std(axis=0)
    model = LogisticRegression(C=1.0).fit(evidence / scale, rows[:, 2].astype(bool), weight)
    pairs, repeated = (round(float(value), 4) for value in model.coef_[0] / scale)
    values = {
        "pairs": pairs,
        "repetition": repeated,
        "intercept": round(float(model.intercept_[0]), 4),
        "least": round(float(np.log(LEAST / (1 - LEAST))), 4),
        "least_link": LEAST_LINK,
    }
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_text(target / "weights.json", json.dumps(values, indent=1) + "\n")
    write_text(target / "README.md", CARD.format(rows=len(rows), piles=len(piles), least=LEAST))
    sys.stdout.write(f"{values}\n")


if __name__ == "__main__":
    main(sys.argv[1])
