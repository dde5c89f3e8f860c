"""Pair classifier: do two sentences contradict each other, and in what kind of value?

A cross-encoder: MiniLM fine-tuned (``text.transformer.joint_inference``), whose lower layers run
per sentence and whose upper layers attend over both. A small head, symmetric in the two sentences,
gives a logit for no contradiction and for each kind. Trained on text written for this project
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
KEPT = 32  # states of a sentence: its one word that matters may stand anywhere
SEE = -1.0  # attention bias towards the other sentence when training begins
_REMEMBERED = 20_000  # pairs

Floats = NDArray[np.float32]
Pair = tuple[int, int]


class PairClassifier(SavedModel):
    """The cross-encoder with its head; ``shipped`` gives the one that comes with fabula."""

    registered, fitted, ships = "assembly/disputes", "network_", True

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Floats] = {}  # a corrected pile is read again

    @classmethod
    def from_weights(cls, network: Mapping[str, Floats]) -> PairClassifier:
        """The classifier with these weights, as ``pair_training.train`` gives them."""
        model = cls()
        model.network_ = dict(network)
        model.encoder_ = CrossSentenceEncoder(model.network_)
        return model

    def logits(self, sentences: Sequence[str], pairs: Sequence[Pair]) -> Floats:
        """For each pair six numbers: for no contradiction, and for each of ``KINDS``."""
        self.ensure_trained()
        if not pairs:
            return np.zeros((0, 1 + len(KINDS)), dtype=np.float32)
        texts = [(sentences[i], sentences[j]) for i, j in pairs]
        new = [both for both in dict.fromkeys(texts) if both not in self._known]
        found = {both: self._known[both] for both in texts if both in self._known}
        found |= dict(zip(new, self._read(new), strict=True))
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
        self._known.update(found)
        return np.stack([found[both] for both in texts])

    def _read(self, texts: Sequence[tuple[str, str]]) -> Floats | list[Floats]:
        if not texts:
            return []
        wanted = list(dict.fromkeys(text for both in texts for text in both))
        states = dict(zip(wanted, self.encoder_.unit_states(wanted, KEPT), strict=True))
        read = self.encoder_.attend_each([(states[one], states[two]) for one, two in texts])
        return head_logits(self.network_, np.stack(read))

    def state(self) -> State:
        return State(arrays=quantise(self.network_))

    def restore(self, state: State) -> None:
        self.network_ = dequantise(state.arrays)
        if self.network_["judge.weight"].shape != (1 + len(KINDS), HIDDEN):
            raise ValueError("its head is of another size")
        self.encoder_ = CrossSentenceEncoder(self.network_)


def head_logits(network: Mapping[str, Floats], both: Floats) -> Floats:
    """[pairs, 6] from the two sentences of each pair [pairs, 2, 768]; the same in either order."""
    one, two = both[:, 0], both[:, 1]
    given = np.concatenate([one + two, np.abs(one - two), one * two], axis=1)
    hidden = np.maximum(given @ network["compare.weight"].T + network["compare.bias"], 0.0)
    return np.asarray(hidden @ network["judge.weight"].T + network["judge.bias"])
