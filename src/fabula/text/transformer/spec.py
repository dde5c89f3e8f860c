"""Transformer specifications: the sizes of MiniLM and MPNet, and their weights under common names.

``words`` and ``positions`` are the embedding tables, ``embed`` the layer normalisation of their
sum. Of layer N, under ``layers.N.``, ``qkv`` is query, key and value in one matrix; ``out``, ``up``
and ``down`` are the other linear maps, ``n1`` and ``n2`` the normalisations after attention and
after the feed-forward part. ``near`` is MPNet's relative position bias: what each head adds to its
attention scores by the distance of two tokens.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text import resources

__all__ = [
    "BACKBONES",
    "MINILM",
    "MPNET",
    "REMEMBERED_TEXTS",
    "WINDOW",
    "Backbone",
    "layer_of",
    "layers_only",
    "relative_position_buckets",
    "windows",
]

WINDOW = 256  # word pieces read at once, as upstream's max_seq_length
_FILE = "model.safetensors"
_ENDS = ("weight", "bias")
REMEMBERED_TEXTS = 20_000  # texts whose token ids are kept
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
_EXACT, _MAX_DISTANCE = 8, 128  # below: a bucket each; from here on: one bucket for all

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Backbone:
    """Architecture of a pretrained transformer, and how the cross-sentence encoder divides it.

    The first ``lower_layers`` encode a unit by itself, the others attend over all units of a text.
    ``frozen_lower``: those first layers are not trained, so their states are computed once.
    """

    name: str  # of its resource
    dimension: int
    layers: int
    lower_layers: int
    epsilon: float  # of its layer normalisation
    part_names: Mapping[str, tuple[str, ...]]  # a layer's parts: our name, upstream's names
    frozen_lower: bool = False
    relative_positions: bool = False  # whether it has ``near``
    position_offset: int = 0  # row of the first position in upstream's table
    heads: int = 12

    @property
    def head_size(self) -> int:
        return self.dimension // self.heads

    def weights(self) -> dict[str, Floats]:
        """All verified weights, under our names."""
        return {**self.embeddings(), **self.layer_weights(range(self.layers))}

    def embeddings(self) -> dict[str, Floats]:
        """The embedding tables, loaded once a process: all networks on a backbone share them."""
        return _embeddings(
            resources.locate(self.name), self.position_offset, self.relative_positions
        )

    def layer_weights(self, layers: Iterable[int]) -> dict[str, Floats]:
        """The weights of the given layers; nothing else is read from the file."""
        from safetensors import safe_open

        weights: dict[str, Floats] = {}
        with safe_open(resources.locate(self.name) / _FILE, "np") as file:
            for layer, (part, upstream), end in product(layers, self.part_names.items(), _ENDS):
                names = [f"encoder.layer.{layer}.{name}.{end}" for name in upstream]
                tensors = [file.get_tensor(name) for name in names]
                weights[f"layers.{layer}.{part}.{end}"] = np.concatenate(tensors)
        return weights

    def tokenizer(self) -> Any:
        """The tokenizer, without truncation and padding, loaded once a process."""
        return _tokenizer(resources.locate(self.name))

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text's word pieces, with the special ones at both ends.

        Several networks read the sentences of one pile, so the ids are remembered.
        """
        folder = resources.locate(self.name)
        known = _known_ids(folder)
        found = {text: ids for text in texts if (ids := known.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        # A lone surrogate, which JSON can hold, is not accepted by the tokenizer.
        clean = [text.encode("utf-8", "replace").decode() for text in missing]
        new = [encoding.ids for encoding in self.tokenizer().encode_batch(clean)]
        if len(known) + len(new) > REMEMBERED_TEXTS:
            known.clear()
        known.update(zip(missing[:REMEMBERED_TEXTS], new, strict=False))
        found.update(zip(missing, new, strict=True))
        return [found[text] for text in texts]


@cache
def _embeddings(folder: Path, position_offset: int, relative_positions: bool) -> dict[str, Floats]:
    from safetensors import safe_open

    token_types, types = "embeddings.token_type_embeddings.weight", None
    with safe_open(folder / _FILE, "np") as file:
        positions = file.get_tensor("embeddings.position_embeddings.weight")[position_offset:]
        if token_types in list(file.keys()):
            types = file.get_tensor(token_types)
            positions = positions + types[0]  # every token is of type 0
        tables = {
            "words": file.get_tensor("embeddings.word_embeddings.weight"),
            "positions": positions,
            **{f"embed.{end}": file.get_tensor(f"embeddings.LayerNorm.{end}") for end in _ENDS},
        }
        # What a token of a second text differs by, in backbones trained on pairs of texts.
        tables["second"] = types[1] - types[0] if types is not None else np.zeros_like(positions[0])
        if relative_positions:
            tables["near"] = file.get_tensor("encoder.relative_attention_bias.weight")
    return tables


@cache
def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@cache
def _known_ids(folder: Path) -> dict[str, list[int]]:
    """Token ids by text, of one tokenizer."""
    return {}


MINILM = Backbone("minilm", 384, 6, 4, 1e-12, _BERT)
MPNET = Backbone(
    "mpnet", 768, 12, 6, 1e-5, _MPNET, frozen_lower=True, relative_positions=True, position_offset=2
)
BACKBONES = {backbone.name: backbone for backbone in (MINILM, MPNET)}


def layers_only(
    weights: Mapping[str, Floats], layers: Container[int] | None = None
) -> dict[str, Floats]:
    """The weights of the layers, of all or of some, without embeddings and heads."""
    names = (name for name in weights if name.startswith("layers."))
    wanted = (name for name in names if layers is None or layer_of(name) in layers)
    return {name: weights[name] for name in wanted}


def layer_of(name: str) -> int:
    """The layer of a weight.

    >>> layer_of("layers.3.qkv.bias")
    3
    """
    return int(name.split(".")[1])


def relative_position_buckets(
    queries: NDArray[np.int64], keys: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The row of ``near`` for each query and key position (Raffel et al. 2020, section 2.1).

    Small distances have a bucket each, larger ones share buckets of logarithmic width.

    >>> relative_position_buckets(np.arange(2), np.array([0, 1, 10, 500])).tolist()
    [[0, 17, 24, 31], [1, 0, 24, 31]]
    """
    offset = queries[:, None] - keys[None, :]
    distance = np.abs(offset)
    scale = np.log(np.maximum(distance, 1) / _EXACT) / np.log(_MAX_DISTANCE / _EXACT)
    shared = np.minimum(_EXACT + (scale * _EXACT).astype(np.int64), 2 * _EXACT - 1)
    bucket = np.where(distance < _EXACT, distance, shared)
    return np.asarray(np.where(offset < 0, 2 * _EXACT, 0) + bucket)


def windows(ids: list[int]) -> list[list[int]]:
    """Token ids cut into windows, each between the text's first and last special token."""
    if len(ids) <= WINDOW:
        return [ids]
    first, *inner, last = ids
    step = WINDOW - 2
    return [[first, *inner[start : start + step], last] for start in range(0, len(inner), step)]
