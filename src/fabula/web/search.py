"""Search by meaning: a question and a case's sentence vectors in, the nearest sentences out.

A worker encodes the question; the vectors of the sentences were stored with the answer. Words are
searched in the browser, which has the text.
"""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import FabulaError, InputError
from fabula.web.process import WorkerProcess
from fabula.web.store import Store

__all__ = ["MOST_CASES", "Search"]

_log = logging.getLogger(__name__)

_DIMENSION = 384
MOST_CASES = 8  # whose vectors are kept in memory, 1.5 MB for 2,000 sentences each
_MOST_HITS = 60
_NEAR = 0.3  # cosine; unrelated sentences of one language are mostly below
_SECONDS = 30.0  # of waiting for the worker, which may have to be started

Index = tuple[list[str], NDArray[np.float32]]


class Search:
    """Nearest sentences by the cosine of MiniLM vectors; its worker is started on first use."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._worker = WorkerProcess()
        self._asking = threading.Lock()
        self.indexes: OrderedDict[tuple[str, int], Index] = OrderedDict()
        self._indexing = threading.Lock()

    def hits(self, pile: str, text: str) -> list[dict[str, Any]]:
        """Sentence ids with their cosines, the nearest first."""
        ids, vectors = self._index(pile)
        if not ids:
            return []
        cosines = vectors @ self._encode(text)
        order = np.argsort(-cosines, kind="stable")[:_MOST_HITS]
        return [
            {"id": ids[i], "cosine": round(float(cosines[i]), 3)}
            for i in order
            if cosines[i] >= _NEAR
        ]

    def warm_up(self) -> None:
        """Start the worker in the background: the first question is answered like the next."""

        def start() -> None:
            try:
                self._encode("ready")
            except (FabulaError, OSError) as error:
                _log.info("the search is not started ahead: %s", error)

        threading.Thread(target=start, daemon=True, name="warm up").start()

    def stop(self) -> None:
        with self._asking:
            self._worker.end()

    def _index(self, pile: str) -> Index:
        (row,) = self.store.all("pile", "solved", "id = ?", pile) or [{"solved": -1}]
        key = (pile, int(row["solved"]))
        with self._indexing:
            if key not in self.indexes:
                for stale in [known for known in self.indexes if known[0] == pile]:
                    del self.indexes[stale]
                self.indexes[key] = self._read(pile)
                while len(self.indexes) > MOST_CASES:
                    self.indexes.popitem(last=False)
            self.indexes.move_to_end(key)
            return self.indexes[key]

    def _read(self, pile: str) -> Index:
        rows = self.store.all("pile", "result, vectors", "id = ?", pile)
        if not rows or not rows[0]["result"] or rows[0]["vectors"] is None:
            return [], np.zeros((0, _DIMENSION), np.float32)
        ids = [s["id"] for story in rows[0]["result"]["stories"] for s in story["sentences"]]
        vectors = _unit(np.frombuffer(rows[0]["vectors"], np.float16).reshape(-1, _DIMENSION))
        return ids[: len(vectors)], vectors[: len(ids)]

    def _encode(self, text: str) -> NDArray[np.float32]:
        """The question's vector, from the worker; one question at a time."""
        with self._asking:
            self._worker.ask({"kind": "embed", "payload": {"text": text}})
            end = time.monotonic() + _SECONDS
            while time.monotonic() < end:
                answer = self._worker.answer(1.0)
                if answer is None or "message" in answer:
                    continue
                if "error" in answer:
                    raise InputError(answer["error"])
                data = base64.b64decode(answer["result"]["vectors"])
                return _unit(np.frombuffer(data, np.float16).reshape(1, _DIMENSION)).ravel()
            self._worker.end()  # an answer that comes later would be taken for the next one
        raise InputError("the search took too long; try again")


def _unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    unit = vectors.astype(np.float32)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-9)
    result: NDArray[np.float32] = unit
    return result
