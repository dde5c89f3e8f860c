"""Fit the weights of the evidence for the order of happening, and write them with their card.

    python -m benchmarks.chronology_weights src/fabula/data/weights/chronology

Logistic regression without intercept on annotated sentence pairs of MEANTIME Apple, of SemEval
``trial``, and of documents of MEANTIME Apple and ECB+ that were ordered by hand. Evidence that
these do not show keeps a weight set by hand: times of messages, and the ordering model, whose
probabilities are calibrated already for the units of one text; across documents it was right in
.49 of the pairs, and counts little.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.chronology_data import (
    OrderedDocument,
    OrderedStory,
    labelled,
    meantime,
    stories,
    timelines,
)
from fabula.core.files import write_text
from fabula.ordering.chronology.evidence import KINDS, evidence
from fabula.ordering.chronology.sentence_times import StorySentence, read_times
from fabula.ordering.chronology.story_calendar import place_times

BY_HAND = {
    "message time": 6.0,
    "model": 1.0,
    "model across documents": 0.2,
    "later": 0.3,
}
PRIOR = 0.3  # variance of the weights; by topics left out
CARD = """# ordering/chronology: the shipped weights

Weights of the evidence for which of two sentences tells what happened first
(`fabula.ordering.chronology.evidence`), JSON. Licence: Apache-2.0.

- **Data.** Within a document: {pairs} sentence pairs of {documents} annotations, of MEANTIME Apple
  (CC BY 4.0), of the trial part of SemEval-2015 task 4 (CC BY 3.0), and of documents of MEANTIME
  Apple and of ECB+ topics not divisible by four (CC BY 3.0) ordered by hand for this project
  (`benchmarks/labels/happening.jsonl`).
  Across documents: {across} pairs of the timelines of SemEval's trial part.
- **Made by** `make weights-chronology`: two logistic regressions without intercept.
- **Set by hand:** {by_hand}.

**Limits.** English news. A document without a date keeps its order where nothing tells a time.
"""


def pair_evidence(document: OrderedDocument) -> np.ndarray:
    """One row for each annotated pair: the evidence that its first sentence is the earlier."""
    sentences = [
        StorySentence(text, document.name, place, document.date)
        for place, text in enumerate(document.sentences)
    ]
    read = read_times(sentences)
    placed = place_times(read, np.zeros((len(read), len(read))))
    found = evidence(sentences, read, placed)
    return np.array([found[a, b] for a, b in document.pairs if max(a, b) < len(sentences)])


def across_documents(story: OrderedStory) -> np.ndarray:
    """Evidence of the pairs of a timeline whose sentences stand in different documents."""
    from fabula.ordering.chronology.solver import model_log_odds

    read = read_times(story.sentences)
    odds = model_log_odds(story.sentences, read, "best", linear_above=150)
    placed = place_times(read, np.zeros((len(read), len(read))))
    found = evidence(story.sentences, read, placed, odds)
    pairs = [
        (a, b) for a, b in story.pairs if story.sentences[a].document != story.sentences[b].document
    ]
    return np.array([found[a, b] for a, b in pairs])


def fit(
    parts: list[np.ndarray], prior: float = PRIOR, around: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The weight of each kind of evidence, by logistic regression; parts weigh by their root.

    The weights are shrunk to those they are ``around``, else to zero.
    """
    from scipy.optimize import minimize

    weight = np.concatenate([np.full(len(part), 1 / np.sqrt(len(part))) for part in parts])
    x = np.vstack(parts)
    free = [k for k, kind in enumerate(KINDS) if kind not in BY_HAND]
    centre = np.array([(around or {}).get(KINDS[k], 0.0) for k in free])
    rows = x[:, free]

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margin = rows @ values
        wrong = 1 / (1 + np.exp(margin))
        cost = 2 * weight @ np.logaddexp(0, -margin) + ((values - centre) ** 2).sum() / (2 * prior)
        return cost, -2 * rows.T @ (weight * wrong) + (values - centre) / prior

    found = minimize(loss, centre, jac=True, method="L-BFGS-B", options={"maxiter": 1000}).x
    fitted = dict(zip([KINDS[k] for k in free], found, strict=True))
    weights = {kind: BY_HAND.get(kind, round(float(fitted.get(kind, 0.0)), 3)) for kind in KINDS}
    for k, kind in enumerate(KINDS):
        seen = x[:, k] != 0
        right = (x[seen, k] > 0).mean() if seen.any() else float("nan")
        print(f"{kind:24} {weights[kind]:7.3f}  seen {seen.mean():.2f} right {right:.2f}")
    return weights


def main(folder: str) -> None:
    annotated = [d for d in (*meantime(), *timelines(), *labelled()) if d.pairs]
    parts = [pair_evidence(document) for document in annotated]
    across = [part for part in map(across_documents, stories()) if len(part)]
    within = fit(parts)
    weights = {"within": within, "across": fit(across, around=within)}
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_text(target / "weights.json", json.dumps(weights, indent=1) + "\n")
    card = CARD.format(
        pairs=sum(map(len, parts)),
        documents=len(annotated),
        across=sum(map(len, across)),
        by_hand=", ".join(f"{kind} {value:g}" for kind, value in BY_HAND.items()),
    )
    write_text(target / "README.md", card)


if __name__ == "__main__":
    main(sys.argv[1])
