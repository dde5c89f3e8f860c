from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import onnx
import pytest

from fabula.text.transformer import onnx as sessions
from fabula.text.transformer.onnx import Session, build_graph, packaged
from fabula.text.transformer.spec import MINILM, WINDOW, windows


@pytest.fixture(scope="module")
def int8_graph() -> bytes:
    return build_graph(MINILM, "int8", MINILM.weights())


def test_a_graph_is_built_the_same_each_time_and_8_bits_are_smaller(int8_graph: bytes) -> None:
    assert int8_graph == build_graph(MINILM, "int8", MINILM.weights())
    assert len(int8_graph) < 0.3 * len(build_graph(MINILM, "fp32", MINILM.weights()))


def test_the_graph_is_sound_and_takes_one_text(int8_graph: bytes) -> None:
    graph = onnx.load_model_from_string(int8_graph).graph
    assert [value.name for value in graph.input] == ["words", "positions"]
    assert [value.name for value in graph.output] == ["states", "vector"]
    names = [output for node in graph.node for output in node.output]
    assert len(set(names)) == len(names)


def test_weights_stay_within_seven_bits(int8_graph: bytes) -> None:
    graph = onnx.load_model_from_string(int8_graph).graph
    constants = [onnx.numpy_helper.to_array(c) for c in graph.initializer if c.data_type == 3]
    linear = [weights for weights in constants if weights.ndim == 2]
    assert len(linear) == 6 * 4
    assert all(np.abs(weights).max() == 63 for weights in linear)


@pytest.mark.parametrize("inner", [0, 1, WINDOW - 2, WINDOW - 1, 3 * WINDOW])
def test_windows_hold_every_token_once_between_the_marks(inner: int) -> None:
    ids = [101, *range(1000, 1000 + inner), 102]
    split = windows(ids)
    assert [token for window in split for token in window[1:-1]] == ids[1:-1]
    assert all(w[0] == 101 and w[-1] == 102 and len(w) <= WINDOW for w in split)
    assert len(split) == max(1, -(-inner // (WINDOW - 2)))


def test_threads_that_ask_at_once_share_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    built, together = [], Barrier(4)
    build = Session.__init__

    def counting(session: Session, *given: object) -> None:
        built.append(given)
        build(session, *given)  # type: ignore[arg-type]

    def ask(_: int) -> Session:
        together.wait()
        return packaged(MINILM)

    monkeypatch.setattr(Session, "__init__", counting)
    monkeypatch.setattr(sessions, "SESSIONS", {})
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert len(built) == 1 and all(one is found[0] for one in found)


def test_the_vector_is_the_mean_of_the_states() -> None:
    (ids,) = MINILM.token_ids(["The ferry left at nine."])
    session = packaged(MINILM)
    mean = session.run(ids).mean(axis=0)
    assert np.allclose(session.run(ids, output="vector"), mean / np.linalg.norm(mean), atol=1e-6)
