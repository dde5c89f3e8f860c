"""The learned resolver's weights: ``python -m fabula.coreference.training.weights DATA FOLDER``.

Trains the networks of features on GAP development and LitBank, twice: first with earlier pronouns
linked by salience, then as networks trained on the other half of the texts link them. On what is
kept back it fits the temperature.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import atomic, make_folder, write_text
from fabula.coreference.training.examples import Anaphor
from fabula.coreference.training.networks import fit_scorer
from fabula.coreference.training.parts import TrainingParts, read_parts
from fabula.text.coref.learned.features import FEATURES
from fabula.text.coref.learned.network import Scorer
from fabula.text.transformer.joint_inference import dequantise, quantise

__all__ = ["fit_temperature", "main", "train"]

log = logging.getLogger("fabula.coreference")

Floats = NDArray[np.float32]
Weights = dict[str, Floats]
Known = list[tuple[Anaphor, Floats]]  # anaphors with their logits
MEMBERS, EPOCHS, RATE = 4, 12, 2e-3
_AT_ONCE = 12  # anaphors of a book in one batch item


def main(data: str, folder: str) -> None:
    """Train on the files in ``data`` (a folder) and write the weights to ``folder``."""
    train(read_parts(Path(data)), Path(folder))


def train(parts: TrainingParts, folder: Path) -> None:
    """Train on parsed parts."""
    halves = [_fit(parts, seed=0, half=half) for half in range(2)]
    parts.link([Scorer([weights]) for weights in halves])
    members = [_fit(parts, seed=seed) for seed in range(MEMBERS)]
    stored = quantise({f"{n}.{k}": v for n, m in enumerate(members) for k, v in m.items()})
    scorer = Scorer([_member(dequantise(stored), n) for n in range(MEMBERS)])

    texts = [*parts.gap_texts(kept=True), *parts.book_texts(kept=True)]
    known = [(a, scorer.logits(a.features)) for _, anaphors in texts for a in anaphors]
    log.info("kept back: right %.3f", _accuracy(known))
    _save(folder, stored, parts, fit_temperature(known))


def _fit(parts: TrainingParts, *, seed: int, half: int | None = None) -> Weights:
    """A network of features, trained on what is not kept back, or on all texts but one half."""
    texts = parts.gap_texts(kept=False)
    if half is not None:  # text i is linked by the network that did not learn from it
        known = zip(parts.gap_parses, parts.gap_anaphors, strict=True)
        texts = [(p, [a]) for i, (p, a) in enumerate(known) if a is not None and i % 2 != half]
    groups = [[a] for _, anaphors in texts for a in anaphors]
    for _, anaphors in parts.book_texts(kept=False):
        groups += [anaphors[at : at + _AT_ONCE] for at in range(0, len(anaphors), _AT_ONCE)]
    return fit_scorer(groups, epochs=EPOCHS, rate=RATE, seed=seed)


def _member(weights: Mapping[str, Floats], number: int) -> Weights:
    start = f"{number}."
    return {n.removeprefix(start): v for n, v in weights.items() if n.startswith(start)}


def fit_temperature(known: Known) -> float:
    """The temperature with the least log loss on anaphors kept back (Guo et al. 2017)."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda t: _log_loss([(a, logits / t) for a, logits in known]),
        bounds=(0.3, 5.0),
        method="bounded",
    )
    return round(float(found.x), 3)


def _log_loss(known: Known) -> float:
    """The mean loss of training: of the right candidates, of all but the wrong ones, or of none."""
    losses = []
    for anaphor, logits in known:
        if not anaphor.weight:
            continue
        logs = logits - np.logaddexp.reduce(logits)
        wanted = anaphor.right or [-1]
        if anaphor.wrong and not anaphor.right:
            wanted = [n for n in range(len(logits)) if n not in anaphor.wrong]
        losses.append(-float(np.logaddexp.reduce(logs[wanted])))
    return float(np.mean(losses))


def _accuracy(known: Known) -> float:
    """The share of anaphors with an antecedent for which it is the likeliest candidate."""
    right = [int(logits.argmax()) in a.right for a, logits in known if a.right and a.weight]
    return float(np.mean(right))


def _save(
    folder: Path,
    stored: dict[str, NDArray[np.generic]],
    parts: TrainingParts,
    temperature: float,
) -> None:
    from safetensors.numpy import save_file

    make_folder(folder)
    with atomic(folder / "features.safetensors") as beside:
        save_file(dict(sorted(stored.items())), beside)
    config = {
        "model": "coreference/learned",
        "features": list(FEATURES),
        "members": MEMBERS,
        "temperature": temperature,
        "genders": parts.genders,
        "nouns": parts.nouns,
    }
    write_text(folder / "config.json", json.dumps(config, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(*sys.argv[1:])
