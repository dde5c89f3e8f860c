"""The learned resolver's weights: ``python -m fabula.coreference.training.weights DATA FOLDER``.

Trains the networks of features on GAP development and LitBank, twice: first with earlier pronouns
linked by salience, then as networks trained on the other half of the texts link them. On what is
kept back it fits the temperatures and how much the reader in ``FOLDER`` (``reader``) counts.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import atomic, make_folder, write_text
from fabula.coreference.training.examples import Anaphor
from fabula.coreference.training.fine_tuning import Reading, fit_scorer
from fabula.coreference.training.parts import TrainingParts, read_parts
from fabula.coreference.training.reader import LAYERS, windows_of_anaphors
from fabula.text.coref.learned.features import FEATURES
from fabula.text.coref.learned.network import Scorer, StateScorer
from fabula.text.transformer.joint_inference import dequantise, quantise
from fabula.text.transformer.onnx import Session
from fabula.text.transformer.spec import MINILM

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
    """Train on parsed parts; the reader is that of the folder."""
    halves = [_fit(parts, seed=0, half=half) for half in range(2)]
    parts.link([Scorer([weights]) for weights in halves])
    members = [_fit(parts, seed=seed) for seed in range(MEMBERS)]
    stored = quantise({f"{n}.{k}": v for n, m in enumerate(members) for k, v in m.items()})
    scorer = Scorer([_member(dequantise(stored), n) for n in range(MEMBERS)])

    gap = [(parsed, a) for parsed, (a,) in parts.gap_texts(kept=True)]
    books = [a for _, anaphors in parts.book_texts(kept=True) for a in anaphors]
    by_features = [(a, scorer.logits(a.features)) for a in [*(a for _, a in gap), *books]]
    temperature = fit_temperature(by_features)
    log.info("kept back: right %.3f by features", _accuracy(by_features))
    states = _fit_states(folder / "reader.safetensors", gap, by_features[: len(gap)])
    _save(folder, stored, parts.genders, temperature, states)


def _fit(parts: TrainingParts, *, seed: int, half: int | None = None) -> Weights:
    """A network of features, trained on what is not kept back, or on all texts but one half."""
    texts = parts.gap_texts(kept=False)
    if half is not None:  # text i is linked by the network that did not learn from it
        known = zip(parts.gap_parses, parts.gap_anaphors, strict=True)
        texts = [(p, [a]) for i, (p, a) in enumerate(known) if a is not None and i % 2 != half]
    readings = [Reading([], [(a, 0, [])]) for _, anaphors in texts for a in anaphors]
    for _, anaphors in parts.book_texts(kept=False):
        for start in range(0, len(anaphors), _AT_ONCE):
            some = anaphors[start : start + _AT_ONCE]
            readings.append(Reading([], [(a, 0, []) for a in some]))
    _, weights = fit_scorer(readings, layers=0, epochs=EPOCHS, rate=0.0, head_rate=RATE, seed=seed)
    return weights


def _member(weights: Weights, number: int) -> Weights:
    start = f"{number}."
    return {n.removeprefix(start): v for n, v in weights.items() if n.startswith(start)}


def _fit_states(
    path: Path, texts: Sequence[tuple[object, Anaphor]], known: Known
) -> dict[str, float]:
    """The share of the reader's scores and the temperature with the least log loss.

    On GAP texts kept back alone, which neither the reader nor the networks have seen.
    """
    from safetensors.numpy import load_file
    from scipy.optimize import minimize

    weights = dequantise(load_file(path))
    layers = {name: value for name, value in weights.items() if name.startswith("layers.")}
    session = Session(MINILM, "int8", layers=LAYERS, tuned=layers)
    scorer = StateScorer(weights)
    scored = []
    for (parsed, anaphor), (_, logits) in zip(texts, known, strict=True):
        (reading,) = windows_of_anaphors(parsed, [anaphor])  # type: ignore[arg-type]
        states = np.asarray(session.run(reading.ids))
        ((_, place, mentions),) = reading.anaphors
        rows = [[states[p] for p in places] for places in mentions]
        scored.append((anaphor, logits, scorer.scores(states[place], rows)))

    def mixed(share: float, temperature: float) -> Known:
        mixing = StateScorer(weights, share)
        return [(a, mixing.mix(logits, s) / np.float32(temperature)) for a, logits, s in scored]

    best = minimize(
        lambda values: _log_loss(mixed(values[0], max(values[1], 0.2))),
        np.array([0.5, 1.0]),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-5},
    ).x
    share, temperature = (round(float(value), 3) for value in best)
    log.info(
        "GAP kept back: right %.3f by features, %.3f with the reader",
        _accuracy(known),
        _accuracy(mixed(share, temperature)),
    )
    return {"share": share, "temperature": temperature}


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
    genders: dict[str, float],
    temperature: float,
    states: dict[str, float],
) -> None:
    from safetensors.numpy import save_file

    make_folder(folder)
    with atomic(folder / "features.safetensors") as beside:
        save_file(dict(sorted(stored.items())), beside)
    config = {
        "model": "coreference/learned",
        "depth": LAYERS,
        "features": list(FEATURES),
        "members": MEMBERS,
        "temperature": temperature,
        "states": states,
        "genders": genders,
    }
    write_text(folder / "config.json", json.dumps(config, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(*sys.argv[1:])
