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

from fabula import weights
from fabula.text.tuned import Tuned, packed, unpacked

__all__ = ["HIDDEN", "KEPT", "KINDS", "SEE", "Disputes", "head_logits", "shipped_disputes"]

KINDS = ("number", "time", "date", "place", "outcome")
HIDDEN = 192
KEPT = 32  # states of a sentence: its one word that matters may stand anywhere
SEE = -1.0  # how much a sentence looks at the other when training begins

Floats = NDArray[np.float32]
Pair = tuple[int, int]


class Disputes:
    """The network, from its weights."""

    def __init__(self, network: Mapping[str, Floats]) -> None:
        self.network = dict(network)
        self._tuned = Tuned(self.network)

    def logits(self, sentences: Sequence[str], pairs: Sequence[Pair]) -> Floats:
        """For each pair six numbers: for no contradiction, and for each of ``KINDS``."""
        if not pairs:
            return np.zeros((0, 1 + len(KINDS)), dtype=np.float32)
        wanted = sorted({place for pair in pairs for place in pair})
        states = self._tuned.states([sentences[place] for place in wanted], KEPT)
        known = dict(zip(wanted, states, strict=True))
        both = self._tuned.join_each([(known[i], known[j]) for i, j in pairs])
        return head_logits(self.network, np.stack(both))

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
