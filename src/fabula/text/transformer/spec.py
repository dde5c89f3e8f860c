"""The transformers that fabula reads with: their sizes, and their weights under one set of names.

``words`` and ``places`` are looked up and added, ``embed`` normalises the sum. Of layer N, under
``layers.N.``, ``qkv`` is query, key and value in one; ``out``, ``up`` and ``down`` are the other
linear parts, ``n1`` and ``n2`` the normalisations after attention and at the end. ``near`` is what
each head adds to its scores by how far apart two tokens stand; MPNet alone has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text import resources

__all__ = ["BODIES", "MINILM", "MPNET", "WINDOW", "Body", "gaps", "layers_only", "windows"]

WINDOW = 256  # word pieces read at once, as upstream's max_seq_length
_ENDS = ("weight", "bias")
_BERT = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "out": ("attention.output.dense",),
    "n1": ("attention.output.LayerNorm",),
    "up": ("intermediate.dense",),
    "down": ("output.dense",),
    "n2": ("output.LayerNorm",),
}
_MPNET = {
    **_BERT,
    "qkv": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    "out": ("attention.attn.o",),
    "n1": ("attention.LayerNorm",),
}
_EXACT, _FAR = 8, 128  # gaps told apart one by one, and where all further ones are one

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Body:
    """Sizes of a transformer, and how it is read when it is trained further for a task.

    ``lower`` layers read a unit by itself, the others see all units of a text. ``settled``: the
    lower ones stay as they came, so that a unit is read once and its states are learnt from.
    """

    name: str  # of its resource
    dimension: int
    layers: int
    lower: int
    epsilon: float  # what its normalisation adds to a variance
    parts: Mapping[str, tuple[str, ...]]  # our names of a layer's parts, and upstream's
    settled: bool = False
    relative: bool = False  # whether it has ``near``
    first: int = 0  # upstream's number of the first place
    heads: int = 12

    @property
    def head_size(self) -> int:
        return self.dimension // self.heads

    def weights(self) -> dict[str, Floats]:
        """Its verified weights, by our names."""
        from safetensors.numpy import load_file

        given = load_file(resources.locate(self.name) / "model.safetensors")
        places = given["embeddings.position_embeddings.weight"][self.first :]
        kinds = given.get("embeddings.token_type_embeddings.weight")
        found: dict[str, Floats] = {
            "words": given["embeddings.word_embeddings.weight"],
            "places": places if kinds is None else places + kinds[0],  # all are of kind 0
        }
        for end in _ENDS:
            found[f"embed.{end}"] = given[f"embeddings.LayerNorm.{end}"]
            for layer in range(self.layers):
                for ours, theirs in self.parts.items():
                    some = [given[f"encoder.layer.{layer}.{one}.{end}"] for one in theirs]
                    found[f"layers.{layer}.{ours}.{end}"] = np.concatenate(some)
        if self.relative:
            found["near"] = given["encoder.relative_attention_bias.weight"]
        return found

    def tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(resources.locate(self.name) / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


MINILM = Body("minilm", 384, 6, 4, 1e-12, _BERT)
MPNET = Body("mpnet", 768, 12, 6, 1e-5, _MPNET, settled=True, relative=True, first=2)
BODIES = {body.name: body for body in (MINILM, MPNET)}


def layers_only(weights: Mapping[str, Floats]) -> dict[str, Floats]:
    """The layers without what stands around them."""
    return {name: value for name, value in weights.items() if name.startswith("layers.")}


def gaps(places: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which row of ``near`` is for each pair of a place and another: exact when close.

    >>> gaps(np.arange(2), np.array([0, 1, 10, 500])).tolist()
    [[0, 17, 24, 31], [1, 0, 24, 31]]
    """
    gap = places[:, None] - others[None, :]
    size = np.abs(gap)
    scale = np.log(np.maximum(size, 1) / _EXACT) / np.log(_FAR / _EXACT)
    far = np.minimum(_EXACT + (scale * _EXACT).astype(np.int64), 2 * _EXACT - 1)
    return np.asarray(np.where(gap < 0, 2 * _EXACT, 0) + np.where(size < _EXACT, size, far))


def windows(ids: list[int]) -> list[list[int]]:
    """Token ids cut into windows, each with the opening and closing mark of the whole."""
    if len(ids) <= WINDOW:
        return [ids]
    first, *inner, last = ids
    step = WINDOW - 2
    return [[first, *inner[at : at + step], last] for at in range(0, len(inner), step)]
