"""Variant-LSTM+PtrNet (Logeswaran et al. 2017): the units are read as a set, ten times over.

    s_i = h of a one-way LSTM after the last word of unit i
    for ten cycles, from h = c = 0:
        a = softmax_i(score(s_i, h));  m = sum_i a_i s_i;  h, c = LSTM(m, (h, c))
The order in which the units are given plays no part. The decoder starts from the last (h, c), is
fed s of the unit chosen last and points at s. Reading and pointing share one scoring function of
eight heads: with weights of their own for each, the model would have 53 million parameters, and
the paper's has 37 to 38.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabula.core.training import need_torch
from fabula.ordering.models.pointer.base import PointerModel
from fabula.ordering.models.pointer.lstm import LastStates, Repeated, step
from fabula.ordering.models.pointer.network import Decoder, Pointer, embed, spread
from fabula.text.segment.words import PADDING

torch = need_torch()
nn = torch.nn

__all__ = ["VlstmPtr", "VlstmPtrNetwork"]


@dataclass(kw_only=True, eq=False, repr=False)
class VlstmPtr(PointerModel):
    """Words of 300, states of 1,000, Adam at 5e-4."""

    registered = "ordering/vlstm-ptr"

    width: int = 300
    hidden: int = 1000
    heads: int = 8
    cycles: int = 10
    rate: float = 5e-4

    def network(self, words: int) -> Any:
        return VlstmPtrNetwork(self, words)

    def optimiser(self, network: Any) -> tuple[Any, Any]:
        return torch.optim.Adam(network.parameters(), self.rate, fused=True), None


class VlstmPtrNetwork(nn.Module):  # type: ignore[misc, name-defined]
    """LSTM units, attention cycles over their set, the pointer decoder."""

    def __init__(self, model: VlstmPtr, words: int) -> None:
        super().__init__()
        hidden = model.hidden
        self.cycles = model.cycles
        self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
        self.reader = LastStates(model.width, hidden)
        self.cell = nn.LSTMCell(hidden, hidden)
        pointer = Pointer(hidden, hidden, hidden, model.heads, model.tanh)
        self.decoder = Decoder(inputs=hidden, state=hidden, pointer=pointer)

    def encode(self, batch: Any) -> tuple[Any, Any, Any]:
        h, _ = self.reader(embed(self.words, batch.words))
        units = spread(h[0], batch.real)  # [B, N, hidden]
        return units, units, self.read(units, batch.real)

    def read(self, units: Any, real: Any) -> tuple[Any, Any]:
        """The set as the state after all cycles: h and c, [B, hidden]."""
        pointer, cell = self.decoder.pointer, self.cell
        prepared = pointer.prepare(units)
        ask, of_units, of_state = (
            Repeated(weight, exact=not self.training)
            for weight in (pointer.w2.weight, cell.weight_ih, cell.weight_hh)
        )
        h = c = units.new_zeros((len(units), units.shape[2]))
        for _ in range(self.cycles):
            scores = pointer.scores(prepared, ask(h)[:, None])[:, 0]  # [B, N]
            share = scores.masked_fill(~real, float("-inf")).softmax(1)
            m = (share[:, None] @ units)[:, 0]
            h, c = step(of_units(m) + of_state(h) + cell.bias_ih + cell.bias_hh, c)
        return h, c
