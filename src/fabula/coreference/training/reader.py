"""The reader's weights: ``python -m fabula.coreference.training.reader DATA FOLDER``.

Fine-tunes MiniLM's upper layers, with a network of features beside them, on the training part
(``parts``), and writes the layers and the scorers of states to ``reader.safetensors``. Half an hour
of one core; ``weights`` then trains the shipped networks of features and their mixing anew.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import atomic, make_folder
from fabula.coreference.training.examples import Anaphor
from fabula.coreference.training.fine_tuning import Reading, fit_scorer, logits_of
from fabula.coreference.training.parts import TrainingParts, read_parts
from fabula.text.coref.learned.windows import Pieces, windows_of
from fabula.text.parse.parsed import Parsed
from fabula.text.transformer.joint_inference import quantise
from fabula.text.transformer.spec import MINILM

__all__ = ["main", "save_reader", "windows_of_anaphors"]

log = logging.getLogger("fabula.coreference")

Floats = NDArray[np.float32]
LAYERS, FROZEN, EPOCHS, RATE, HEAD_RATE = 6, 2, 3, 1e-4, 1e-3
_OPEN, _CLOSE = 101, 102


def main(data: str, folder: str) -> None:
    """Train on the files in ``data`` (a folder) and write the reader to ``folder``."""
    parts = read_parts(Path(data))
    training, kept = _readings(parts, kept=False), _readings(parts, kept=True)
    log.info("%d windows to train on, %d kept back", len(training), len(kept))
    # Of the books' windows, which overlap, two in three: the time goes into reading them.
    read = [r for i, r in enumerate(training) if len(r.anaphors) == 1 or i % 3]
    _, weights = fit_scorer(
        read,
        layers=LAYERS,
        frozen=FROZEN,
        epochs=EPOCHS,
        rate=RATE,
        head_rate=HEAD_RATE,
        after_epoch=lambda net: f"right {_accuracy(logits_of(net, kept)):.3f}",
    )
    save_reader(Path(folder), weights)


def save_reader(folder: Path, weights: dict[str, Floats]) -> None:
    """Write the layers and the scorers of states in 8 and 16 bits."""
    from safetensors.numpy import save_file

    make_folder(folder)
    reading = {n: v for n, v in weights.items() if n.startswith(("layers.", "pair.", "anaphor."))}
    with atomic(folder / "reader.safetensors") as beside:
        save_file(dict(sorted(quantise(reading).items())), beside)


def _readings(parts: TrainingParts, *, kept: bool) -> list[Reading]:
    texts = [*parts.gap_texts(kept=kept), *parts.book_texts(kept=kept)]
    return [
        reading for parsed, anaphors in texts for reading in windows_of_anaphors(parsed, anaphors)
    ]


def windows_of_anaphors(parsed: Parsed, anaphors: Iterable[Anaphor]) -> list[Reading]:
    """The windows that hold the anaphors of a text, with the places of their states."""
    by_token = {anaphor.token: anaphor for anaphor in anaphors}
    pieces = Pieces.of(parsed, MINILM.tokenizer())
    found = []
    for window in windows_of(parsed, pieces, list(by_token)):
        inside = []
        for token in window.anaphors:
            anaphor = by_token[token]
            places = [
                [p for t in heads if (p := window.place(pieces.first[t])) is not None]
                for heads in anaphor.mentions
            ]
            inside.append((anaphor, pieces.first[token] - window.start + 1, places))
        found.append(Reading([_OPEN, *pieces.ids[window.start : window.end], _CLOSE], inside))
    return found


def _accuracy(results: Sequence[tuple[Anaphor, Floats]]) -> float:
    """The share of anaphors with an antecedent for which it is the likeliest candidate."""
    right = [int(logits.argmax()) in a.right for a, logits in results if a.right and a.weight]
    return float(np.mean(right))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    main(*sys.argv[1:])
