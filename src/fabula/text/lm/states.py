"""What a causal language model makes of a text, inside: its states over each continuation.

Read like ``branches``: a context once, with all its continuations behind it. Of each layer asked
for there are two vectors: the state at the continuation's last token, and the mean over its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.text.lm.branches import Pack, in_batches, pack_tensors, packed
from fabula.text.lm.load import load

if TYPE_CHECKING:
    from fabula.text.lm.likelihood import LanguageModel

__all__ = ["branch_states", "state_size"]


def state_size(language_model: LanguageModel, layers: Sequence[int]) -> int:
    """How many numbers ``branch_states`` gives for one continuation."""
    _, model = load(language_model.source())
    depth = int(model.config.num_hidden_layers)
    for layer in layers:
        if not 1 <= layer <= depth:
            raise UsageError(f"there is no layer {layer}; the model has {depth}")
    return 2 * len(layers) * int(model.config.hidden_size)


def branch_states(
    language_model: LanguageModel,
    contexts: Sequence[str],
    branches: Sequence[Sequence[str]],
    layers: Sequence[int],
) -> list[NDArray[np.float32]]:
    """For each context a row for each continuation: last and mean state of every layer.

    A context too long for the window loses its beginning, a continuation its end.
    """
    size = state_size(language_model, layers)
    _, model = load(language_model.source())
    found = [np.zeros((len(some), size), dtype=np.float32) for some in branches]
    packs, long = packed(language_model, contexts, branches)
    packs += [Pack(before, [after], [owner]) for owner, before, after in long]
    batches = in_batches(packs, language_model.batch_tokens)
    for batch in track(batches, "reading", total=len(batches)):
        for pack, rows in zip(batch, _read(model, batch, layers), strict=True):
            for (item, place), row in zip(pack.owners, rows, strict=True):
                found[item][place] = row
    return found


class _Enough(Exception):
    """The layers above have nothing to add."""


def _read(model: Any, packs: Sequence[Pack], layers: Sequence[int]) -> list[Any]:
    import torch

    ids, positions, mask, owner = pack_tensors(packs)
    wanted: dict[int, Any] = {}

    def keep(layer: int) -> Any:
        def hook(module: Any, inputs: Any, output: Any) -> None:
            wanted[layer] = output[0] if isinstance(output, tuple) else output
            if layer == max(layers):
                raise _Enough

        return hook

    hooks = [model.base_model.layers[at - 1].register_forward_hook(keep(at)) for at in layers]
    try:
        with torch.inference_mode(), suppress(_Enough):
            model.base_model(
                input_ids=ids, position_ids=positions, attention_mask=mask, use_cache=False
            )
    finally:
        for hook in hooks:
            hook.remove()
    rows = []
    for row, pack in enumerate(packs):
        some = []
        for number in range(1, len(pack.branches) + 1):
            places = (owner[row] == number).nonzero()[:, 0]
            if not len(places):  # an empty continuation: what is there is the context's end
                places = torch.tensor([len(pack.context) - 1])
            states = [wanted[layer][row, places] for layer in layers]
            some.append(torch.cat([v for s in states for v in (s[-1], s.mean(0))]).float().numpy())
        rows.append(some)
    return rows
