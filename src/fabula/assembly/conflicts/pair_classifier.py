"""Pair classifier: two sentences in, logits of no contradiction and of each kind of one out.

A cross-encoder: MiniLM fine-tuned (``text.transformer.joint_inference``), whose lower layers run
per sentence and whose upper layers attend over both. A small head, symmetric in the two sentences,
gives the logits. Trained on text written for this project
(benchmarks/written/claims, and marked contradictions of whole accounts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.text.transformer.joint_inference import CrossSentenceEncoder, dequantise, quantise

__all__ = ["HIDDEN", "KEPT", "KINDS", "SEE", "PairClassifier", "head_logits"]

KINDS = ("number", "time", "date", "place", "outcome")
HIDDEN = 192
KEPT = 32  # token states of a sentence: the differing value may be at any token
SEE = -1.0  # attention bias towards the other sentence when training begins
_MAX_CACHED = 20_000  # pairs

Floats = NDArray[np.float32]
Pair = tuple[int, int]


class PairClassifier(SavedModel):
    """The cross-encoder with its head; ``shipped`` gives the one that comes with fabula."""

    registered, fitted, ships = "assembly/disputes", "network_", True

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str], Floats] = {}  # a corrected pile is classified again

    @classmethod
    def from_weights(cls, network: Mapping[str, Floats]) -> PairClassifier:
        """The classifier with these weights, as ``pair_training.train`` gives them."""
        model = cls()
        model.network_ = dict(network)
        model.encoder_ = CrossSentenceEncoder(model.network_)
        return model

    def logits(self, sentences: Sequence[str], pairs: Sequence[Pair]) -> Floats:
        """[pairs, 6]: the logit of no contradiction, then of each of ``KINDS``; cached."""
        self.ensure_trained()
        if not pairs:
            return np.zeros((0, 1 + len(KINDS)), dtype=np.float32)
        texts = [(sentences[i], sentences[j]) for i, j in pairs]
        new = [pair for pair in dict.fromkeys(texts) if pair not in self._cache]
        logits = {pair: self._cache[pair] for pair in texts if pair in self._cache}
        logits |= dict(zip(new, self._classify(new), strict=True))
        if len(self._cache) + len(new) > _MAX_CACHED:
            self._cache.clear()
        self._cache.update(logits)
        return np.stack([logits[pair] for pair in texts])

    def _classify(self, texts: Sequence[tuple[str, str]]) -> Floats | list[Floats]:
        if not texts:
            return []
        distinct = list(dict.fromkeys(text for pair in texts for text in pair))
        states = dict(zip(distinct, self.encoder_.unit_states(distinct, KEPT), strict=True))
        vectors = self.encoder_.attend_each([(states[a], states[b]) for a, b in texts])
        return head_logits(self.network_, np.stack(vectors))

    def state(self) -> State:
        return State(arrays=quantise(self.network_))

    def restore(self, state: State) -> None:
        self.network_ = dequantise(state.arrays)
        if self.network_["judge.weight"].shape != (1 + len(KINDS), HIDDEN):
            raise ValueError("its head is of another size")
        self.encoder_ = CrossSentenceEncoder(self.network_)


def head_logits(network: Mapping[str, Floats], vectors: Floats) -> Floats:
    """Logits [pairs, 6] from the vectors [pairs, 2, 768] of each pair; symmetric in the two.

    One hidden layer over (u + v, |u - v|, u * v): InferSent (Conneau et al. 2017), symmetric.
    """
    u, v = vectors[:, 0], vectors[:, 1]
    features = np.concatenate([u + v, np.abs(u - v), u * v], axis=1)
    hidden = np.maximum(features @ network["compare.weight"].T + network["compare.bias"], 0.0)
    return np.asarray(hidden @ network["judge.weight"].T + network["judge.bias"])
