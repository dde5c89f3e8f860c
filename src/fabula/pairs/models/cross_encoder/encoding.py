"""Two sentences as one sequence of word pieces, and the head over its token states, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.text.transformer.spec import Backbone

__all__ = [
    "HIDDEN", "MAX_PIECES", "Sequence2", "calibration", "even_labels", "head_logits", "pool",
    "sequence_of", "word_pieces",
]  # fmt: skip

HIDDEN = 256  # of the head
MAX_PIECES = 96  # word pieces of a pair, with the special ones

Floats = NDArray[np.float32]


class Sequence2(NamedTuple):
    """A pair as word pieces: ``ids``, and from where on they are of the second sentence."""

    ids: list[int]
    second: int  # the first piece of the second sentence


def word_pieces(texts: Sequence[str], body: Backbone) -> list[list[int]]:
    """Each text as word piece ids, without special ones; an empty text is an unknown piece."""
    unknown = [body.tokenizer().token_to_id("[UNK]" if body.name == "minilm" else "<unk>") or 0]
    return [ids[1:-1] or unknown for ids in body.token_ids(texts)]


def sequence_of(a: Sequence[int], b: Sequence[int], body: Backbone) -> Sequence2:
    """The sequence of a pair: both sentences between the body's special pieces.

    Of a pair that is too long the longer sentence loses its end, until both are as long.
    """
    first, *middle, last = _special_pieces(body)
    room = MAX_PIECES - len(middle) - 2
    half = room // 2
    if len(a) + len(b) > room:
        kept_a = max(half, room - len(b)) if len(b) < half else min(len(a), half)
        a = a[:kept_a]
        b = b[: room - len(a)]
    return Sequence2([first, *a, *middle, *b, last], 1 + len(a) + len(middle))


def _special_pieces(body: Backbone) -> list[int]:
    ids: list[int] = body.tokenizer().encode("", "").ids
    return ids


def pool(states: Any, second: int) -> Floats:
    """[5 x dimension] from the token states of a pair: the first state, both means, their
    distance and product (InferSent, Conneau et al. 2017)."""
    a, b = states[1:second].mean(axis=0), states[second:].mean(axis=0)
    return np.concatenate([states[0], a, b, np.abs(a - b), a * b]).astype(np.float32)


def head_logits(weights: Mapping[str, Floats], pooled: Floats) -> dict[str, Floats]:
    """Logits [pairs, 3] of the labels and [pairs, 1] of one event, from pooled states."""
    hidden = pooled @ weights["compare.weight"].T + weights["compare.bias"]
    hidden = np.maximum(hidden, 0.0)
    return {
        name: np.asarray(hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])
        for name in ("relation", "same")
    }


def calibration(logits: NDArray[np.float64], gold: Sequence[int]) -> tuple[float, Floats]:
    """What to multiply logits by, and to add to each, so that the right labels are likeliest:
    vector scaling with one temperature (Guo et al. 2017). A network that has seen its pairs
    several times is too sure."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    rows = np.arange(len(gold))

    def loss(values: NDArray[np.float64]) -> float:
        scaled = logits * values[0] + values[1:]
        return -float(log_softmax(scaled, axis=1)[rows, gold].mean())

    best = minimize(loss, np.array([1.0, 0.0, 0.0, 0.0]), method="L-BFGS-B").x
    return float(best[0]), (best[1:] - best[1:].mean()).astype(np.float32)


def even_labels(gold: Sequence[int]) -> Floats:
    """What to add to logits that were calibrated on ``gold``, so that of text to come each of the
    labels is as likely: the change of their prior (Saerens et al. 2002)."""
    counts = np.bincount(gold, minlength=3)
    if not counts.all():
        return np.zeros(3, np.float32)
    shares = -np.log(counts / counts.sum())
    return np.asarray(shares - shares.mean(), dtype=np.float32)
