"""Hidden states of a causal language model over each continuation of a context.

Computed by sequence packing, as in ``branches``. Each layer asked for gives two vectors: the state
at the continuation's last token, and the mean over its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.text.lm.branches import Pack, in_batches, pack_branches, pack_tensors
from fabula.text.lm.load import load

if TYPE_CHECKING:
    from fabula.text.lm.likelihood import LanguageModel

__all__ = ["branch_states", "state_size"]


def state_size(language_model: LanguageModel, layers: Sequence[int]) -> int:
    """The width of the rows of ``branch_states``."""
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
    """For each context a row a continuation: last and mean hidden state of every layer.

    A context too long for the window loses its beginning, a continuation its end.
    """
    size = state_size(language_model, layers)
    _, model = load(language_model.source())
    states = [np.zeros((len(texts), size), dtype=np.float32) for texts in branches]
    packs, oversized = pack_branches(language_model, contexts, branches)
    packs += [Pack(before, [after], [owner]) for owner, before, after in oversized]
    batches = in_batches(packs, language_model.batch_tokens)
    for batch in track(batches, "reading", total=len(batches)):
        for pack, rows in zip(batch, _pack_states(model, batch, layers), strict=True):
            for (item, branch), row in zip(pack.owners, rows, strict=True):
                states[item][branch] = row
    return states


class _LastLayerReached(Exception):
    """Stops the forward pass: no layer above was asked for."""


def _pack_states(model: Any, packs: Sequence[Pack], layers: Sequence[int]) -> list[Any]:
    import torch

    ids, positions, mask, owner = pack_tensors(packs)
    hidden: dict[int, Any] = {}

    def keep(layer: int) -> Any:
        def hook(module: Any, inputs: Any, output: Any) -> None:
            hidden[layer] = output[0] if isinstance(output, tuple) else output
            if layer == max(layers):
                raise _LastLayerReached

        return hook

    hooks = [model.base_model.layers[at - 1].register_forward_hook(keep(at)) for at in layers]
    try:
        with torch.inference_mode(), suppress(_LastLayerReached):
            model.base_model(
                input_ids=ids, position_ids=positions, attention_mask=mask, use_cache=False
            )
    finally:
        for hook in hooks:
            hook.remove()
    rows = []
    for row, pack in enumerate(packs):
        branch_rows = []
        for number in range(1, len(pack.branches) + 1):
            tokens = (owner[row] == number).nonzero()[:, 0]
            if not len(tokens):  # an empty continuation: the state at the context's end
                tokens = torch.tensor([len(pack.context) - 1])
            states = [hidden[layer][row, tokens] for layer in layers]
            vectors = [vector for state in states for vector in (state[-1], state.mean(0))]
            branch_rows.append(torch.cat(vectors).float().numpy())
        rows.append(branch_rows)
    return rows
