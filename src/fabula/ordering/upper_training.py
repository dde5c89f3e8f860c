"""Training the upper layers, in torch, from where MiniLM left them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.learning import need_torch
from fabula.ordering.joint import HEAD_SIZE
from fabula.ordering.joint_training import Text, pooled, spread_masks, teach
from fabula.ordering.states import upper_layers
from fabula.ordering.upper import EPSILON
from fabula.text.minilm import DIMENSION

__all__ = ["network", "train"]

Floats = NDArray[np.float32]
_HEAD = 5.0  # how much faster the pair scores learn, which start from nothing, than the layers


def train(
    texts: Sequence[Text],
    *,
    hidden: int,
    epochs: float,
    rate: float,
    batch_states: int,
    seed: int,
) -> dict[str, Floats]:
    """The trained weights by name; ``rate`` is that of the layers."""

    def rate_of(name: str) -> float:
        return rate if name.startswith("layers.") else _HEAD * rate

    return teach(lambda: network(hidden), rate_of, texts, epochs, batch_states, seed, warm=60)


def network(hidden: int) -> Any:
    """The network as a torch module; its parameters have the names that ``upper`` reads."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    width, heads = DIMENSION, DIMENSION // HEAD_SIZE

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, start: dict[str, Floats]) -> None:
            super().__init__()
            self.n1, self.n2 = (nn.LayerNorm(width, eps=EPSILON) for _ in range(2))
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.drop = nn.Dropout(0.1)
            self.load_state_dict({name: torch.from_numpy(part) for name, part in start.items()})

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, _ = x.shape
            split = self.qkv(x).view(batch, length, 3, heads, HEAD_SIZE)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            seen = self.out(seen.transpose(1, 2).reshape(batch, length, width))
            x = self.n1(x + self.drop(seen))
            return self.n2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    class Upper(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(Layer(start) for start in upper_layers())
            self.drop = nn.Dropout(0.1)
            self.a = nn.Linear(2 * width, hidden)
            self.b = nn.Linear(2 * width, hidden, bias=False)
            self.w = nn.Linear(hidden, 1, bias=False)

        def forward(self, x: Any, unit: Any) -> Any:
            mask = spread_masks(unit, heads)
            x = self.drop(x)
            for layer in self.layers:
                x = layer(x, mask)
            z = self.drop(pooled(x, unit))
            score = self.w(functional.relu(self.a(z)[:, :, None] + self.b(z)[:, None])).squeeze(-1)
            return score - score.transpose(1, 2)

    return Upper()
