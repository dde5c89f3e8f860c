"""all-MiniLM-L6-v2 as an ONNX graph built from the packaged weights.

Written out here instead of exported through torch: loading then needs neither torch nor
transformers (a second instead of ten), and the graph can use ONNX Runtime's fused operators.

``int8`` stores the weights of the linear layers as 8-bit numbers with one scale a column; their
inputs are quantised on the way, with one scale for all tokens of a sentence. That scale is why
sentences are never batched together: a vector must not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIMENSION", "EPSILON", "LEVELS", "WINDOW", "build_graph"]

DIMENSION = 384
WINDOW = 256  # word pieces, as upstream's max_seq_length
# Of an 8-bit weight, to each side of 0: without VNNI the kernels add two products in 16 bits, and
# all 8 bits would overflow.
LEVELS = 63
EPSILON = 1e-12  # what its normalisation adds to a variance
_LAYERS, _HEADS = 6, 12
_CONTRIB = "com.microsoft"  # ONNX Runtime's own operators

Floats = NDArray[np.float32]


class _Graph:
    """Collects nodes and constants; every method returns the name of what it added."""

    def __init__(self, precision: str) -> None:
        self.precision = precision
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def linear(self, x: str, weight: Floats, bias: Floats, name: str) -> str:
        """x @ weight.T + bias, with torch's [out, in] weight."""
        columns = weight.T
        offset = self.constant(f"{name}.bias", bias)
        if self.precision == "fp32":
            product = self.node(
                "MatMul", [x, self.constant(f"{name}.weight", columns)], f"{name}.x"
            )
            return self.node("Add", [product, offset], name)
        scale = (np.abs(columns).max(axis=0) / LEVELS).astype(np.float32)
        packed = np.clip(np.round(columns / scale), -LEVELS, LEVELS).astype(np.int8)
        inputs = [
            x,
            self.constant(f"{name}.weight", packed),
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.zero", np.zeros(len(scale), dtype=np.int8)),
            offset,
        ]
        return self.node("DynamicQuantizeMatMul", inputs, name, domain=_CONTRIB)

    def normalise(self, x: str, skip: str, weight: Floats, bias: Floats, name: str) -> str:
        inputs = [x, skip, self.constant(f"{name}.g", weight), self.constant(f"{name}.b", bias)]
        return self.node("SkipLayerNormalization", inputs, name, domain=_CONTRIB, epsilon=EPSILON)


def build_graph(
    folder: Path,
    precision: str,
    *,
    layers: int | None = None,
    changed: Mapping[str, Floats] | None = None,
) -> bytes:
    """The serialised graph: token ``ids`` [1, n] and ``positions`` [n] to ``vector`` [1, 384].

    With ``layers`` it stops after so many and gives every token's ``states`` [1, n, 384] instead.
    ``changed`` are weights to take instead of the packaged ones of the same names.
    """
    from onnx import TensorProto, helper
    from safetensors.numpy import load_file

    weights = {**load_file(folder / "model.safetensors"), **(changed or {})}
    graph = _Graph(precision)
    x = _embed(graph, weights)
    for layer in range(_LAYERS if layers is None else layers):
        x = _transformer_layer(graph, weights, x, f"encoder.layer.{layer}.")
    if layers is None:
        axes = graph.constant("token axis", np.array([1], dtype=np.int64))
        mean = graph.node("ReduceMean", [x, axes], "mean", keepdims=0)
        graph.node("LpNormalization", [mean], "vector", axis=1, p=2)
        outputs = [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, DIMENSION])]
    else:
        graph.node("Identity", [x], "states")
        outputs = [helper.make_tensor_value_info("states", TensorProto.FLOAT, [1, "n", DIMENSION])]
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "n"]),
        helper.make_tensor_value_info("positions", TensorProto.INT64, ["n"]),
    ]
    whole = helper.make_graph(graph.nodes, "minilm", inputs, outputs, graph.constants)
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
    serialised: bytes = helper.make_model(
        whole, opset_imports=versions, ir_version=9
    ).SerializeToString()
    return serialised


def _embed(graph: _Graph, weights: dict[str, Floats]) -> str:
    words = graph.constant("words", weights["embeddings.word_embeddings.weight"])
    # All tokens are of segment 0, so its vector is folded into the positions.
    places = graph.constant(
        "places",
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0],
    )
    word = graph.node("Gather", [words, "ids"], "word")
    place = graph.node("Gather", [places, "positions"], "place")
    both = graph.node("Add", [word, place], "both")
    scale = graph.constant("embed.g", weights["embeddings.LayerNorm.weight"])
    shift = graph.constant("embed.b", weights["embeddings.LayerNorm.bias"])
    return graph.node("LayerNormalization", [both, scale, shift], "embedded", epsilon=EPSILON)


def _transformer_layer(graph: _Graph, weights: dict[str, Floats], x: str, name: str) -> str:
    from onnx import helper

    attention = f"{name}attention."
    parts = [f"{attention}self.{part}" for part in ("query", "key", "value")]
    joined = graph.linear(
        x,
        np.concatenate([weights[f"{part}.weight"] for part in parts]),
        np.concatenate([weights[f"{part}.bias"] for part in parts]),
        f"{name}qkv",
    )
    graph.nodes.append(
        helper.make_node("Split", [joined], parts, name=f"{name}split", axis=2, num_outputs=3)
    )
    seen = graph.node("MultiHeadAttention", parts, f"{name}seen", domain=_CONTRIB, num_heads=_HEADS)
    dense = f"{attention}output.dense"
    out = graph.linear(seen, weights[f"{dense}.weight"], weights[f"{dense}.bias"], f"{name}out")
    norm = f"{attention}output.LayerNorm"
    x = graph.normalise(out, x, weights[f"{norm}.weight"], weights[f"{norm}.bias"], f"{name}mid")
    dense = f"{name}intermediate.dense"
    wide = graph.linear(x, weights[f"{dense}.weight"], weights[f"{dense}.bias"], f"{name}wide")
    wide = graph.node("Gelu", [wide], f"{name}gelu", domain=_CONTRIB)
    dense = f"{name}output.dense"
    narrow = graph.linear(
        wide, weights[f"{dense}.weight"], weights[f"{dense}.bias"], f"{name}narrow"
    )
    norm = f"{name}output.LayerNorm"
    return graph.normalise(
        narrow, x, weights[f"{norm}.weight"], weights[f"{norm}.bias"], f"{name}end"
    )
