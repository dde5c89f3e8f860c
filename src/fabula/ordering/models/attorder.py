"""ATTOrderNet (Cui et al. 2018): self-attention without positions makes the decoder's first state.

    s_i = [h forwards; h backwards] of a BiLSTM over unit i
    E = transformer layers over s_1 ... s_n, normalised before each part, no positions
    h = c = mean of E
The decoder is fed s of the unit chosen last and points at s: the transformer's outputs reach it
only through the first state. As with LSTM+PtrNet, the end is a member of the set.

Sizes: 256 each way at sentence level, ``hidden=512`` for paragraphs; the transformer is as wide as
s and its inner layers twice that. Layers: 2, 4 or 6 in the paper, by data set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from fabula.core.training import need_torch
from fabula.errors import UsageError
from fabula.ordering.models.pointer.base import PointerModel
from fabula.ordering.models.pointer.lstm import LastStates
from fabula.ordering.models.pointer.network import Decoder, Pointer, embed, spread
from fabula.text.segment.words import PADDING

torch = need_torch()
nn = torch.nn

__all__ = ["AttOrderNetwork", "Attorder"]


@dataclass(kw_only=True, eq=False, repr=False)
class Attorder(PointerModel):
    """Words of 300, states of 256 each way, Adadelta at 1.0 with rho .95, L2 of 1e-5."""

    registered = "ordering/attorder"
    paragraphs: ClassVar[dict[str, int]] = {"hidden": 512}  # as the paper has it for paragraphs

    width: int = 300
    hidden: int = 256  # each way
    layers: int = 4
    attention: int = 8  # heads of the self-attention
    dropout: float = 0.1
    rate: float = 1.0
    l2: float = 1e-5

    def network(self, words: int) -> Any:
        if 2 * self.hidden % self.attention:
            raise UsageError(
                f"hidden={self.hidden}: twice of it has to be a multiple of {self.attention} heads"
            )
        return AttOrderNetwork(self, words)

    def optimiser(self, network: Any) -> tuple[Any, Any]:
        parameters = network.parameters()
        return torch.optim.Adadelta(parameters, self.rate, rho=0.95, weight_decay=self.l2), None


class AttOrderNetwork(nn.Module):  # type: ignore[misc, name-defined]
    """BiLSTM units, transformer layers for the decoder's first state, the pointer decoder."""

    def __init__(self, model: Attorder, words: int) -> None:
        super().__init__()
        size = 2 * model.hidden
        self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
        self.reader = LastStates(model.width, model.hidden, bidirectional=True)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                size, model.attention, 2 * size, model.dropout, batch_first=True, norm_first=True
            )
            for _ in range(model.layers)
        )
        self.norm = nn.LayerNorm(size)  # what layers normalised before each part end with
        pointer = Pointer(size, size, size, model.heads, model.tanh)
        self.decoder = Decoder(inputs=size, state=size, pointer=pointer, ends=size)

    def encode(self, batch: Any) -> tuple[Any, Any, Any]:
        h, _ = self.reader(embed(self.words, batch.words))
        units = spread(torch.cat([h[0], h[1]], dim=1), batch.real)  # [B, N, 2 hidden]
        start = self.look(units, batch.real)
        return units, units, (start, start)

    def look(self, units: Any, real: Any) -> Any:
        """The mean of the last layer over the units of each text, [B, 2 hidden]."""
        for layer in self.layers:
            units = layer(units, src_key_padding_mask=~real)
        units = self.norm(units) * real[:, :, None]
        return units.sum(1) / real.sum(1, keepdim=True)
