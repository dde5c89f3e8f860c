"""LSTM+PtrNet (Gong et al. 2016): an LSTM reads the shuffled units, a pointer network orders them.

    s_i = [c; h] of a one-way LSTM after the last word of unit i
    k_1 ... k_n, (h, c) = LSTM(s_1 ... s_n)        in the order in which the units are given
The decoder starts from (h, c), is fed s of the unit chosen last and points at k; the end of the
text is a member of the set. The units are shuffled anew every epoch, so that nothing is learnt
from the order given. Four pointer heads, as the paper has them.

Adagrad starts its sums at 0.1, as in the paper's TensorFlow: from 0, as torch has it, its first
step would change every weight by the whole rate, 0.3.

Shapes: B texts, N units, S units in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabula.core.training import need_torch
from fabula.ordering.models.pointer.base import PointerModel
from fabula.ordering.models.pointer.lstm import LastStates
from fabula.ordering.models.pointer.network import Decoder, Pointer, embed, spread
from fabula.text.segment.words import PADDING

torch = need_torch()
nn = torch.nn

__all__ = ["LstmPtr", "LstmPtrNetwork"]


@dataclass(kw_only=True, eq=False, repr=False)
class LstmPtr(PointerModel):
    """Words of 100, states of 100, Adagrad at .3 falling by .95 an epoch, L2 of 1e-5."""

    registered = "ordering/lstm-ptr"

    width: int = 100
    hidden: int = 100
    heads: int = 4
    rate: float = 0.3
    decay: float = 0.95
    l2: float = 1e-5

    def network(self, words: int) -> Any:
        return LstmPtrNetwork(self, words)

    def optimiser(self, network: Any) -> tuple[Any, Any]:
        optimiser = torch.optim.Adagrad(
            network.parameters(), self.rate, weight_decay=self.l2, initial_accumulator_value=0.1
        )
        return optimiser, torch.optim.lr_scheduler.ExponentialLR(optimiser, self.decay)


class LstmPtrNetwork(nn.Module):  # type: ignore[misc, name-defined]
    """LSTM units, an LSTM over them, the pointer decoder."""

    def __init__(self, model: LstmPtr, words: int) -> None:
        super().__init__()
        hidden = model.hidden
        self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
        self.reader = LastStates(model.width, hidden)
        self.encoder = nn.LSTM(2 * hidden, hidden, batch_first=True)
        pointer = Pointer(hidden, hidden, hidden, model.heads, model.tanh)
        self.decoder = Decoder(inputs=2 * hidden, state=hidden, pointer=pointer, ends=hidden)

    def encode(self, batch: Any) -> tuple[Any, Any, Any]:
        h, c = self.reader(embed(self.words, batch.words))
        units = spread(torch.cat([c[0], h[0]], dim=1), batch.real)  # [B, N, 2 hidden]
        lengths = batch.real.sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            units, lengths, batch_first=True, enforce_sorted=False
        )
        outputs, (h, c) = self.encoder(packed)
        keys, _ = nn.utils.rnn.pad_packed_sequence(
            outputs, batch_first=True, total_length=units.shape[1]
        )
        return units, keys, (h[0], c[0])
