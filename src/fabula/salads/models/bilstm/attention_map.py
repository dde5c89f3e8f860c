"""Which words one sentence attends to in another (Figure 4), as an SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch, one_thread
from fabula.errors import UsageError
from fabula.salads.items import Salad
from fabula.salads.models.bilstm.data import pad
from fabula.salads.models.bilstm.network import attention

if TYPE_CHECKING:
    from fabula.salads.models.bilstm.model import PairClassifier

__all__ = ["attention_weights", "heat_map"]

Strip = tuple[Sequence[str], NDArray[np.floating]]

_LETTER, _HEIGHT, _GAP = 7.3, 24, 8  # of 12-point type, in pixels
_WIDEST = 900


def attention_weights(
    model: PairClassifier, salad: Salad, first: int, second: int
) -> tuple[Strip, Strip]:
    """The words of ``first`` with the weights ``second`` gives them, and the other way round.

    The weights of a sentence add up to 1. Only a model with mutual attention (-MT) has them.
    """
    if not model.attends:
        raise UsageError(f"{model.name} has no mutual attention; take bilstm-mt or bilstm-mt-ctx")
    for index in (first, second):
        if not 0 <= index < len(salad.sentences):
            raise UsageError(
                f"there is no sentence {index + 1}; the salad has {len(salad.sentences)}"
            )
    torch = need_torch()
    pair = torch.tensor([first, second])
    network = model.network()
    with torch.inference_mode(), one_thread():
        z, e, real, _ = network.encode(*pad(model.read([salad])[0]))
        weights = attention(z[pair.flip(0)], e[pair], real[pair]).numpy()
    shown = model.shown(salad)
    strips = [
        (shown[index], row[: len(shown[index])])
        for index, row in zip((first, second), weights, strict=True)
    ]
    return strips[0], strips[1]


def heat_map(strips: Sequence[Strip], title: str = "Attention") -> str:
    """One line of words a strip, the darker the more it is attended to; each word says its weight.

    >>> heat_map([(["a", "ship"], np.array([0.25, 0.75]))]).count("<rect")
    3
    """
    parts, y, width = [], 4.0, 0.0
    for words, weights in strips:
        x, top = 4.0, max(float(np.max(weights)), 1e-9)
        for word, weight in zip(words, weights, strict=True):
            wide = _LETTER * len(word) + _GAP
            if x + wide > _WIDEST and x > 4:
                x, y = 4.0, y + _HEIGHT
            strength = float(weight) / top
            ink = "#fff" if strength > 0.6 else "#111"
            parts.append(
                f"<g><title>{weight:.3f}</title>"
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{_HEIGHT - 2}" '
                f'fill="#1f4e9c" fill-opacity="{strength:.3f}" stroke="#ccc" stroke-width="0.5"/>'
                f'<text x="{x + wide / 2:.1f}" y="{y + 15}" fill="{ink}">{escape(word)}</text></g>'
            )
            x += wide
            width = max(width, x)
        y += _HEIGHT + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 4:.0f}" height="{y:.0f}" '
        f'font-family="monospace" font-size="12" text-anchor="middle">'
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>\n"
    )
