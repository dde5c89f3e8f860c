"""The learned resolver's weights: ``python -m fabula.coreference.training.weights DATA FOLDER``.

Trains the scorer of features, then the scorer of features and states with MiniLM's layers, on GAP
development and on the LitBank books whose place in the file is not divisible by five. One in eight
anaphors (GAP) and every tenth book are kept back to fit the temperatures.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import atomic, make_folder, write_text
from fabula.coreference.formats.read import read_passages
from fabula.coreference.items import Passage
from fabula.coreference.parsing import parse_passages
from fabula.coreference.training.examples import (
    Anaphor,
    cluster_anaphors,
    gap_anaphor,
    learn_genders,
)
from fabula.coreference.training.fine_tuning import Reading, fit_scorer, logits_of
from fabula.text.coref.learned.features import FEATURES, Genders
from fabula.text.coref.learned.windows import Pieces, windows_of
from fabula.text.parse.parsed import Parsed
from fabula.text.transformer.joint_inference import quantise
from fabula.text.transformer.spec import MINILM

__all__ = ["main"]

log = logging.getLogger("fabula.coreference")

Floats = NDArray[np.float32]
LAYERS, FROZEN, EPOCHS, RATE, HEAD_RATE = 6, 2, 3, 1e-4, 1e-3
FEATURE_EPOCHS, FEATURE_RATE = 15, 2e-3
_KEPT_BACK = 8
_OPEN, _CLOSE = 101, 102


def main(data: str, folder: str) -> None:
    """Train on the files in ``data`` (a folder) and write the weights to ``folder``."""
    gap = list(read_passages(Path(data) / "gap-development.tsv.xz"))
    books = [
        book
        for place, book in enumerate(read_passages(Path(data) / "litbank_coref.conll.xz"))
        if place % 5
    ]
    log.info("parsing %d passages and %d books", len(gap), len(books))
    gap_parses, book_parses = parse_passages(gap), parse_passages(books)
    genders = learn_genders(gap, list(zip(books, book_parses, strict=True)))
    readings = [
        *_readings(gap, gap_parses, genders),
        *_readings(books, book_parses, genders),
    ]
    dev, training = readings[::_KEPT_BACK], [r for i, r in enumerate(readings) if i % _KEPT_BACK]
    log.info("%d windows to train on, %d kept back", len(training), len(dev))
    plain, feature_weights = fit_scorer(
        training, layers=0, epochs=FEATURE_EPOCHS, rate=0.0, head_rate=FEATURE_RATE
    )
    # Of the books' windows, which overlap, two in three: the time goes into reading them.
    read = [r for i, r in enumerate(training) if len(r.anaphors) == 1 or i % 3]
    network, weights = fit_scorer(
        read,
        layers=LAYERS,
        frozen=FROZEN,
        epochs=EPOCHS,
        rate=RATE,
        head_rate=HEAD_RATE,
        after_epoch=lambda net: f"right {_accuracy(logits_of(net, dev)):.3f}",
    )
    temperatures = {
        "features": _temperature(logits_of(plain, dev)),
        "states": _temperature(logits_of(network, dev)),
    }
    _save(Path(folder), genders, temperatures, feature_weights, weights)


def _readings(
    passages: Sequence[Passage], parses: Sequence[Parsed], genders: Genders
) -> Iterable[Reading]:
    """The windows of the passages' anaphors; those of one passage stay together."""
    tokenizer = MINILM.tokenizer()
    for passage, parsed in zip(passages, parses, strict=True):
        if passage.question is not None:
            asked = gap_anaphor(passage, parsed, genders)
            anaphors = [] if asked is None else [asked]
        else:
            anaphors = list(cluster_anaphors(passage, parsed, genders))
        by_token = {anaphor.token: anaphor for anaphor in anaphors}
        pieces = Pieces.of(parsed, tokenizer)
        for window in windows_of(parsed, pieces, list(by_token)):
            inside = []
            for token in window.anaphors:
                anaphor = by_token[token]
                places = [
                    [p for t in heads if (p := window.place(pieces.first[t])) is not None]
                    for heads in anaphor.mentions
                ]
                inside.append((anaphor, pieces.first[token] - window.start + 1, places))
            ids = [_OPEN, *pieces.ids[window.start : window.end], _CLOSE]
            yield Reading(ids, inside)


def _temperature(results: Sequence[tuple[Anaphor, Floats]]) -> float:
    """The temperature with the least log loss on anaphors kept back (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar

    known = [(a.right, logits) for a, logits in results if a.weight and (a.right or not a.wrong)]

    def loss(temperature: float) -> float:
        total = 0.0
        for right, logits in known:
            scaled = logits / temperature
            logs = scaled - np.logaddexp.reduce(scaled)
            total -= float(np.logaddexp.reduce(logs[right or [-1]]))
        return total / len(known)

    return round(float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x), 3)


def _accuracy(results: Sequence[tuple[Anaphor, Floats]]) -> float:
    """The share of anaphors with an antecedent for which it is the likeliest candidate."""
    right = [int(logits.argmax()) in a.right for a, logits in results if a.right and a.weight]
    return float(np.mean(right))


def _save(
    folder: Path,
    genders: Genders,
    temperatures: dict[str, float],
    feature_weights: dict[str, Floats],
    weights: dict[str, Floats],
) -> None:
    from safetensors.numpy import save_file

    make_folder(folder)
    named = {f"features.{name}": value for name, value in feature_weights.items()}
    named |= {
        name if name.startswith("layers.") else f"states.{name}": value
        for name, value in weights.items()
    }
    with atomic(folder / "weights.safetensors") as beside:
        save_file(dict(sorted(quantise(named).items())), beside)
    config = {
        "model": "coreference/learned",
        "depth": LAYERS,
        "features": list(FEATURES),
        "temperatures": temperatures,
        "genders": dict(genders),
    }
    write_text(folder / "config.json", json.dumps(config, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(*sys.argv[1:])
