"""Transformer specifications: the sizes of MiniLM and MPNet, and their weights under common names.

``words`` and ``positions`` are the embedding tables, ``embed`` the layer normalisation of their
sum. Of layer N, under ``layers.N.``, ``qkv`` is query, key and value in one matrix; ``out``, ``up``
and ``down`` are the other linear maps, ``n1`` and ``n2`` the normalisations after attention and
after the feed-forward part. ``near`` is MPNet's relative position bias: what each head adds to its
attention scores by the distance of two tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text import resources

__all__ = ["BODIES", "MINILM", "MPNET", "WINDOW", "Body", "gaps", "layers_only", "windows"]

WINDOW = 256  # word pieces read at once, as upstream's max_seq_length
_FILE = "model.safetensors"
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
        """All verified weights, under our names."""
        return {**self.embeddings(), **self.layer_weights(range(self.layers))}

    def embeddings(self) -> dict[str, Floats]:
        """The tables below the layers, read once a process: all networks on a body share them."""
        return _embeddings(resources.locate(self.name), self.first, self.relative)

    def layer_weights(self, layers: Iterable[int]) -> dict[str, Floats]:
        """The weights of some layers; nothing else is read from the file."""
        from safetensors import safe_open

        weights: dict[str, Floats] = {}
        with safe_open(resources.locate(self.name) / _FILE, "np") as file:
            for layer, (ours, theirs), end in product(layers, self.parts.items(), _ENDS):
                tensors = [file.get_tensor(f"encoder.layer.{layer}.{t}.{end}") for t in theirs]
                weights[f"layers.{layer}.{ours}.{end}"] = np.concatenate(tensors)
        return weights

    def tokenizer(self) -> Any:
        """The tokenizer, without truncation and padding, loaded once a process."""
        return _tokenizer(resources.locate(self.name))


@cache
def _embeddings(folder: Path, first: int, relative: bool) -> dict[str, Floats]:
    from safetensors import safe_open

    kinds = "embeddings.token_type_embeddings.weight"
    with safe_open(folder / _FILE, "np") as file:
        positions = file.get_tensor("embeddings.position_embeddings.weight")[first:]
        if kinds in list(file.keys()):
            positions = positions + file.get_tensor(kinds)[0]  # every token is of kind 0
        found = {
            "words": file.get_tensor("embeddings.word_embeddings.weight"),
            "positions": positions,
            **{f"embed.{end}": file.get_tensor(f"embeddings.LayerNorm.{end}") for end in _ENDS},
        }
        if relative:
            found["near"] = file.get_tensor("encoder.relative_attention_bias.weight")
    return found


@cache
def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
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
