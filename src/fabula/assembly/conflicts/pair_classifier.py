"""Whether two sentences contradict each other, read side by side.

MiniLM trained further (``text.tuned``) reads each sentence by itself, then both see each other in
its upper layers. What they come to is compared by a small head: no contradiction, or one of a kind.
It learnt from sentences written for this project, of accounts that agree, disagree, and merely
look alike (benchmarks/written/claims), and from marked contradictions of whole accounts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core import model_store as weights
from fabula.text.transformer.joint_inference import Tuned, packed, unpacked

__all__ = ["HIDDEN", "KEPT", "KINDS", "SEE", "Disputes", "head_logits", "shipped_disputes"]

KINDS = ("number", "time", "date", "place", "outcome")
HIDDEN = 192
KEPT = 32  # states of a sentence: its one word that matters may stand anywhere
SEE = -1.0  # how much a sentence looks at the other when training begins
_REMEMBERED = 20_000  # pairs

Floats = NDArray[np.float32]
Pair = tuple[int, int]


class Disputes:
    """The network, from its weights."""

    def __init__(self, network: Mapping[str, Floats]) -> None:
        self.network = dict(network)
        self._tuned = Tuned(self.network)
        self._known: dict[tuple[str, str], Floats] = {}  # a corrected pile is read again

    def logits(self, sentences: Sequence[str], pairs: Sequence[Pair]) -> Floats:
        """For each pair six numbers: for no contradiction, and for each of ``KINDS``."""
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
        states = dict(zip(wanted, self._tuned.states(wanted, KEPT), strict=True))
        read = self._tuned.join_each([(states[one], states[two]) for one, two in texts])
        return head_logits(self.network, np.stack(read))

    def save(self, folder: str | Path) -> None:
        weights.write(folder, {"model": "assembly/disputes"}, packed(self.network))

    @classmethod
    def load(cls, folder: str | Path) -> Disputes:
        with weights.reading(folder) as (_, arrays):
            network = unpacked(arrays)
            if network["judge.weight"].shape != (1 + len(KINDS), HIDDEN):
                raise ValueError("its head is of another size")
        return cls(network)


def head_logits(network: Mapping[str, Floats], both: Floats) -> Floats:
    """[pairs, 6] from the two sentences of each pair [pairs, 2, 768]; the same in either order."""
    one, two = both[:, 0], both[:, 1]
    given = np.concatenate([one + two, np.abs(one - two), one * two], axis=1)
    hidden = np.maximum(given @ network["compare.weight"].T + network["compare.bias"], 0.0)
    return np.asarray(hidden @ network["judge.weight"].T + network["judge.bias"])


@cache
def shipped_disputes() -> Disputes:
    """The one that comes with fabula, loaded once."""
    return Disputes.load(weights.shipped("assembly/disputes"))
