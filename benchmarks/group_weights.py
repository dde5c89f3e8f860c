"""Fit when two groups of single sentences tell one story, and write the weights with their card.

    python -m benchmarks.group_weights src/fabula/data/weights/salads-groups

Piles are torn into shuffled sentences: ECB+ topics not divisible by four and the training part of
``wiki_conflict``. Each pile is grouped by ``context``; pairs of groups, as found and as joined
further by the truth, are examples. The links of ECB+ groups are computed by networks that did not
see their topics.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.document_piles import (
    article_sentences,
    events_of,
    like_events,
    pile,
    sample,
    several,
    topics,
    training_piles,
)
from benchmarks.documents import torn
from fabula.core.files import write_text
from fabula.core.progress import track
from fabula.core.threads import one_blas_thread
from fabula.registry import create_model
from fabula.salads.items import Salad
from fabula.salads.models.documents.model import Documents
from fabula.salads.models.documents.training import examples_of, fit_committees, rows_of
from fabula.salads.stories.group_merging import group_evidence

FOLDS = 4
LEAST = 0.7  # the probability at which groups are joined, chosen on folds of the training piles
LEAST_LINK = 0.0  # log-odds; below it free prose, which shares no names, would be joined
CARD = """# salads/groups: when two groups of sentences tell one story

Three weights of a logistic regression and a threshold (`fabula.salads.stories.group_merging`),
JSON. Licence: Apache-2.0.

- **Data.** {rows} pairs of groups of {piles} piles torn into shuffled sentences: ECB+ topics not
  divisible by four (annotation CC BY 3.0) and the training part of Wikipedia articles on wars
  (CC BY-SA).
- **Made by** `make weights-groups`.
- **Thresholds.** Groups are joined at a probability of {least}, and only where the model of
  documents links them. The first was chosen on folds of the training piles, the second after
  stories in free prose (piles written for this project) had been taken for one.

**Limits.** English news and encyclopaedia text. Two like events torn into sentences are often
taken for one.
"""


class Torn(NamedTuple):
    salad: Salad
    fold: int


def torn_piles(seed: int = 5) -> Iterator[Torn]:
    """Like events, single events, several topics, and articles on wars; 157 piles."""
    rng = random.Random(seed)
    wanted = topics(held_out=False)
    for number, topic in enumerate(wanted):
        for n in range(4):
            salad = like_events(topic, rng.choice([2, 3, 3, 4]), rng, f"like-{topic}-{n}")
            yield Torn(torn(salad, rng), number % FOLDS)
        for n in range(3):
            story = sample(rng.choice(events_of(topic)), rng.choice([2, 3, 4]), rng)
            salad = pile(f"one-{topic}-{n}", [story], rng, topic)
            yield Torn(torn(salad, rng), number % FOLDS)
    for n in range(24):
        ours = wanted[n % FOLDS :: FOLDS]
        stories = min(rng.choice([2, 3]), len(ours))
        salad = several(ours, stories, rng.choice([1, 2, 3]), rng, f"topics-{n}", "")
        yield Torn(torn(salad, rng), n % FOLDS)
    by_war = article_sentences(14)
    for n in range(56):
        stories = rng.choice([1, 2, 3, 3, 4])
        wars = sorted(war for war in by_war if len(by_war[war]) >= (stories if n % 2 else 1))
        if n % 2:
            articles = rng.sample(by_war[rng.choice(wars)], stories)
        else:
            articles = [rng.choice(by_war[war]) for war in rng.sample(wars, stories)]
        longest = 40 if stories < 3 else 20
        cut = [[article[: rng.randint(10, longest)]] for article in articles]
        yield Torn(torn(pile(f"wars-{n}", cut, rng, ""), rng), -1)


def fold_models() -> list[Documents]:
    """The model of documents, for each fold fitted without its topics; the shipped one is last."""
    shipped = create_model("salads", "documents")
    shipped.ensure_trained()
    salads = [salad for salad in training_piles() if not salad.id.startswith("many")]
    examples = examples_of(shipped, salads)
    rows = rows_of(examples, 0)
    wanted = topics(held_out=False)
    models = []
    for fold in range(FOLDS):
        held_out = set(wanted[fold::FOLDS])
        kept = [row for row, e in zip(rows, examples, strict=True) if e.group not in held_out]
        model = Documents()
        model.ensure_trained()
        model.link_, _ = fit_committees(kept, hidden=16, decay=0.3, epochs=30, seed=0)
        models.append(model)
    return [*models, shipped]


def examples(given: Torn, context: Any, model: Documents) -> list[tuple[float, float, bool, float]]:
    """Pairs of groups: the two numbers, whether they are of one story, and how pure they are."""
    salad = given.salad
    gold = np.array(salad.labels)
    bare = Salad("torn", salad.sentences)
    (odds,) = context.pair_odds([bare])
    labels = np.array(context.group([bare])[0].labels)
    found: list[tuple[float, float, bool, float]] = []
    while len(names := np.unique(labels)) > 1:
        groups = [np.flatnonzero(labels == name) for name in names]
        counts = [np.bincount(gold[group]) for group in groups]
        story = [int(count.argmax()) for count in counts]
        pure = [count.max() / count.sum() for count in counts]
        link, pairs = group_evidence(model, salad.sentences, groups, odds)
        of_one = []
        for i in range(len(groups)):
            for j in range(i):
                same = story[i] == story[j]
                found.append((link[i, j], pairs[i, j], same, pure[i] * pure[j]))
                if same:
                    of_one.append((link[i, j], i, j))
        if not of_one:
            break
        _, i, j = max(of_one)
        labels[labels == names[i]] = names[j]
    return found


@one_blas_thread()
def main(folder: str) -> None:
    from sklearn.linear_model import LogisticRegression

    models, context = fold_models(), create_model("salads", "context")
    piles = list(torn_piles())
    parts = [examples(given, context, models[given.fold]) for given in track(piles, "grouping")]
    rows = np.array([row for part in parts for row in part])
    weight = np.array([row[3] / len(part) ** 0.5 for part in parts for row in part])
    model = LogisticRegression(C=1.0).fit(rows[:, :2], rows[:, 2].astype(bool), weight)
    link, pairs = (round(float(value), 4) for value in model.coef_[0])
    values = {
        "link": link,
        "pairs": pairs,
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
