"""Sentence encoders: ``.encode(list[str]) -> array``, one row a sentence.

Anything with that method is an encoder, so a SentenceTransformer fits as it is.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.core.threads import core_count
from fabula.errors import UsageError
from fabula.registry import encoders
from fabula.text import resources
from fabula.text.encoders.cache import VectorCache
from fabula.text.transformer.onnx import packaged
from fabula.text.transformer.spec import MINILM, windows

__all__ = [
    "Encoder",
    "MiniLM",
    "Tfidf",
    "find_encoder",
    "minilm",
    "minilm_fp32",
    "sentence_transformers_minilm",
]

_log = logging.getLogger(__name__)


class Encoder(Protocol):
    """A sentence encoder: a list of sentences in, an array with a row for each out."""

    def encode(self, sentences: list[str], /) -> Any: ...


def find_encoder(encoder: Any) -> Any:
    """The registered encoder of a name; an object with ``.encode(list[str])`` is returned as is."""
    if isinstance(encoder, str):
        settings = (pair for pair in os.environ.items() if pair[0].startswith("FABULA_"))
        return _build(encoders.get(encoder), tuple(sorted(settings)))
    if not callable(getattr(encoder, "encode", None)):
        raise UsageError(f"a {type(encoder).__name__} is no encoder: it has no method 'encode'")
    return encoder


@lru_cache(maxsize=4)
def _build(factory: Callable[[], Any], settings: Any) -> Any:
    """Cached by factory and settings: word vectors take half a second to open."""
    return factory()


class MiniLM:
    """all-MiniLM-L6-v2 on ONNX Runtime, one sentence at a time on every core.

    A text longer than the window of 256 word pieces is read in windows, and their vectors are
    averaged by length: nothing is truncated. The same text gives the same bytes, whatever else is
    encoded with it and however many cores there are.
    """

    def __init__(self, *, precision: str = "int8", cached: bool = True) -> None:
        if precision not in ("int8", "fp32"):
            raise UsageError(f"precision must be 'int8' or 'fp32', not {precision!r}")
        self.precision = precision
        self.cached = cached

    def encode(self, sentences: Sequence[str], /) -> NDArray[np.float32]:
        """One row of length 1 a sentence, float32."""
        if isinstance(sentences, str):
            raise UsageError("encode takes a list of strings; this is one string")
        distinct = list(dict.fromkeys(sentences))
        cache = VectorCache(model=self.key, dimension=MINILM.dimension) if self.cached else None
        vectors = cache.get(distinct) if cache else {}
        missing = [sentence for sentence in distinct if sentence not in vectors]
        encoded = dict(zip(missing, self._encode(missing), strict=True))
        if cache:
            cache.put(encoded)
        vectors.update(encoded)
        if not sentences:
            return np.zeros((0, MINILM.dimension), dtype=np.float32)
        return np.stack([vectors[sentence] for sentence in sentences])

    @property
    def key(self) -> str:
        """The cache key: precision and checksum of the weights."""
        return f"minilm-{self.precision}-{resources.MINILM_WEIGHTS[:16]}"

    def _encode(self, sentences: list[str]) -> list[NDArray[np.float32]]:
        if not sentences:
            return []
        session = packaged(MINILM, self.precision)
        token_windows = [windows(ids) for ids in MINILM.token_ids(sentences)]
        if longer := sum(len(parts) > 1 for parts in token_windows):
            _log.info("%d texts longer than the window: the mean of their windows is taken", longer)

        def vector(id_windows: list[list[int]]) -> NDArray[np.float32]:
            rows = [session.run(ids, output="vector") for ids in id_windows]
            if len(rows) == 1:
                return np.asarray(rows[0], dtype=np.float32)
            mean = np.average(rows, axis=0, weights=[len(ids) for ids in id_windows])
            return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

        with ThreadPoolExecutor(core_count()) as pool:
            return list(
                track(pool.map(vector, token_windows), "encoding", total=len(token_windows))
            )


def minilm() -> MiniLM:
    """The default encoder."""
    return MiniLM()


def minilm_fp32() -> MiniLM:
    """MiniLM in float32: upstream's vectors to five digits, at half the speed of int8."""
    return MiniLM(precision="fp32")


@cache
def sentence_transformers_minilm() -> Any:
    """The packaged weights through sentence-transformers: the peer we measure against."""
    from fabula.errors import MissingPart

    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingPart("sentence-transformers", "pip install sentence-transformers") from error
    return SentenceTransformer(str(resources.locate("minilm")), device="cpu")


class Tfidf:
    """TF-IDF vectors of unit length; document frequencies come from the sentences given.

    The only encoder whose vectors depend on the other sentences.
    """

    relative = (
        True  # callers then encode the sentences of one item together, not an arbitrary batch
    )

    def encode(self, sentences: Sequence[str], /) -> NDArray[np.float32]:
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not sentences:
            return np.zeros((0, 1), dtype=np.float32)
        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
        try:
            matrix = vectorizer.fit_transform(sentences)
        except ValueError:  # no word at all in any sentence
            return np.zeros((len(sentences), 1), dtype=np.float32)
        return np.asarray(matrix.toarray(), dtype=np.float32)
