"""Transformer layers as an ONNX graph, built from packaged or fine-tuned weights, and run.

Written out here instead of exported through torch: loading then needs neither torch nor
transformers (a second instead of ten), and the graph can use ONNX Runtime's fused operators.

``int8`` is dynamic quantisation: the linear layers' weights are int8 with one scale a column, their
inputs are quantised at run time with one scale for all tokens of a sentence. That scale is why
sentences are never batched together: a vector must not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.transformer.spec import (
    BACKBONES,
    Backbone,
    layer_of,
    layers_only,
    relative_position_buckets,
)

__all__ = ["LEVELS", "SESSIONS", "Session", "build_graph", "packaged"]

# Largest magnitude of an int8 weight: without VNNI the kernels add two products in 16 bits, and
# all 8 bits would overflow.
LEVELS = 63
_CONTRIB = "com.microsoft"  # ONNX Runtime's own operators
SESSIONS: dict[tuple[str, str], Session] = {}  # of this process, by backbone and precision
_building = Lock()  # threads may ask for one session at once

Floats = NDArray[np.float32]


class Session:
    """An ONNX Runtime session on one core: texts run in parallel, not the products inside one.

    ``tuned`` has fine-tuned weights of any layers, perhaps with others; ``layers`` stops after so
    many, and then there are states but no vector.
    """

    def __init__(
        self,
        backbone: Backbone,
        precision: str,
        *,
        layers: int | None = None,
        tuned: Mapping[str, Floats] | None = None,
    ) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._embeddings = backbone.embeddings()
        self._relative_positions = backbone.relative_positions
        depth = backbone.layers if layers is None else layers
        # Fine-tuned layers replace the packaged ones, which then are not even loaded.
        replaced = layers_only(tuned or {}, range(depth))
        missing = sorted(set(range(depth)) - set(map(layer_of, replaced)))
        weights = {**backbone.layer_weights(missing), **replaced}
        graph = build_graph(backbone, precision, weights, layers=layers)
        providers = ["CPUExecutionProvider"]
        self._session = onnxruntime.InferenceSession(graph, options, providers=providers)

    def run(
        self, ids: Sequence[int], second: tuple[int, Floats] | None = None, output: str = "states"
    ) -> Floats:
        """Each token's state [n, size], or the ``vector``, of one text of at most ``WINDOW`` ids.

        ``second``: where a second text begins, and the vector that is added to its embeddings.
        """
        words = self._embeddings["words"][np.asarray(ids, dtype=np.int64)][None]
        if second is not None:
            start, vector = second
            words[:, start:] += vector
        inputs = {
            "words": words,
            "positions": self._embeddings["positions"][: len(ids)],
        }
        if self._relative_positions:
            positions = np.arange(len(ids))
            bias = self._embeddings["near"][relative_position_buckets(positions, positions)]
            inputs["near"] = bias.transpose(2, 0, 1)[None]
        return np.asarray(self._session.run([output], inputs)[0][0])


def packaged(backbone: Backbone, precision: str = "int8") -> Session:
    """The session of the packaged weights, built once a process: all that read with them share it.

    >>> from fabula.text.transformer.spec import MINILM
    >>> packaged(MINILM) is packaged(MINILM)
    True
    """
    with _building:
        key = (backbone.name, precision)
        if key not in SESSIONS:
            SESSIONS[key] = Session(BACKBONES[backbone.name], precision)
        return SESSIONS[key]


class _Graph:
    """A graph under construction; every method adds a node or constant and returns its name."""

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
        quantised = np.clip(np.round(columns / scale), -LEVELS, LEVELS).astype(np.int8)
        inputs = [
            x,
            self.constant(f"{name}.weight", quantised),
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.zero", np.zeros(len(scale), dtype=np.int8)),
            offset,
        ]
        return self.node("DynamicQuantizeMatMul", inputs, name, domain=_CONTRIB)

    def normalise(
        self, x: str, skip: str, weights: Mapping[str, Floats], part: str, epsilon: float
    ) -> str:
        """Layer normalisation of ``x + skip``."""
        scale = self.constant(f"{part}.g", weights[f"{part}.weight"])
        shift = self.constant(f"{part}.b", weights[f"{part}.bias"])
        inputs = [x, skip, scale, shift]
        return self.node("SkipLayerNormalization", inputs, part, domain=_CONTRIB, epsilon=epsilon)


def build_graph(
    backbone: Backbone, precision: str, weights: Mapping[str, Floats], *, layers: int | None = None
) -> bytes:
    """The serialised graph, from embeddings to every token's ``states`` [1, n, size], and to their
    mean of length 1, ``vector`` [1, size], unless ``layers`` stops it after so many.

    Its inputs are the rows of the embedding tables, ``words`` [1, n, size] and ``positions``
    [n, size]: the tables stay outside, so that several graphs share them. A backbone with relative
    positions also takes ``near`` [1, heads, n, n], added to the attention scores.
    """
    from onnx import TensorProto, helper

    def value(name: str, kind: int, shape: list[Any]) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    graph = _Graph(precision)
    x = _embed(graph, backbone)
    for layer in range(backbone.layers if layers is None else layers):
        x = _transformer_layer(graph, backbone, weights, x, f"layers.{layer}.")
    graph.node("Identity", [x], "states")
    outputs = [value("states", TensorProto.FLOAT, [1, "n", backbone.dimension])]
    if layers is None:
        axes = graph.constant("token axis", np.array([1], dtype=np.int64))
        mean = graph.node("ReduceMean", [x, axes], "mean", keepdims=0)
        graph.node("LpNormalization", [mean], "vector", axis=1, p=2)
        outputs.append(value("vector", TensorProto.FLOAT, [1, backbone.dimension]))
    inputs = [
        value("words", TensorProto.FLOAT, [1, "n", backbone.dimension]),
        value("positions", TensorProto.FLOAT, ["n", backbone.dimension]),
    ]
    if backbone.relative_positions:
        inputs.append(value("near", TensorProto.FLOAT, [1, backbone.heads, "n", "n"]))
    onnx_graph = helper.make_graph(graph.nodes, backbone.name, inputs, outputs, graph.constants)
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
    serialised: bytes = helper.make_model(
        onnx_graph, opset_imports=versions, ir_version=9
    ).SerializeToString()
    return serialised


def _embed(graph: _Graph, backbone: Backbone) -> str:
    weights = backbone.embeddings()
    summed = graph.node("Add", ["words", "positions"], "both")
    scale = graph.constant("embed.g", weights["embed.weight"])
    shift = graph.constant("embed.b", weights["embed.bias"])
    inputs = [summed, scale, shift]
    return graph.node("LayerNormalization", inputs, "embedded", epsilon=backbone.epsilon)


def _transformer_layer(
    graph: _Graph, backbone: Backbone, weights: Mapping[str, Floats], x: str, name: str
) -> str:
    from onnx import helper

    def linear(x: str, part: str) -> str:
        part = f"{name}{part}"
        return graph.linear(x, weights[f"{part}.weight"], weights[f"{part}.bias"], part)

    def normalise(x: str, skip: str, part: str) -> str:
        return graph.normalise(x, skip, weights, f"{name}{part}", backbone.epsilon)

    parts = [f"{name}{part}" for part in ("query", "key", "value")]
    graph.nodes.append(
        helper.make_node(
            "Split", [linear(x, "qkv")], parts, name=f"{name}split", axis=2, num_outputs=3
        )
    )
    # Inputs four and five, a bias and a padding mask, are not needed.
    inputs = [*parts, "", "", "near"] if backbone.relative_positions else parts
    attended = graph.node(
        "MultiHeadAttention", inputs, f"{name}seen", domain=_CONTRIB, num_heads=backbone.heads
    )
    x = normalise(linear(attended, "out"), x, "n1")
    inner = graph.node("Gelu", [linear(x, "up")], f"{name}gelu", domain=_CONTRIB)
    return normalise(linear(inner, "down"), x, "n2")
