"""The default encoder against sentence-transformers on the same weights: speed, and CA lost."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.shared import wiki_salads
from fabula.bench.compare import compare
from fabula.bench.evaluate import evaluate
from fabula.salads.models.centred import Centred
from fabula.text.encoders.sentence import MiniLM, sentence_transformers_minilm
from fabula.text.io.documents import read_documents
from fabula.text.segment.sentences import split_sentences

BAR = 1.5  # times the sentences a second of SentenceTransformer.encode with its defaults
LOSS = 0.002  # of CA


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [_speed(rounds=2 if quick else 5, quick=quick)]
    if not quick:
        rows += [_quality(recipe) for recipe in ("random", "same-category")]
    return rows


def _speed(rounds: int, quick: bool) -> dict[str, Any]:
    documents = read_documents("sample")
    texts = [s.text for document in documents for s in split_sentences(document)][:400]
    ours, peer = MiniLM(cached=False), sentence_transformers_minilm()
    ours.encode(texts[:20])
    peer.encode(texts[:20])
    # Taken in turns: a noisy neighbour slows both, and the median round decides.
    pairs = [
        (_rate(ours.encode, texts), _rate(lambda t: peer.encode(t, show_progress_bar=False), texts))
        for _ in range(rounds)
    ]
    ratio = statistics.median(a / b for a, b in pairs)
    bar = BAR / 2 if quick else BAR
    return {
        "name": "encode, sentences/s",
        "ours": statistics.median(a for a, _ in pairs),
        "peer": statistics.median(b for _, b in pairs),
        "ratio": ratio,
        "bar": bar,
        "ok": ratio >= bar,
        "note": f"peer: SentenceTransformer.encode, {rounds} rounds of {len(texts)} sentences",
    }


def _rate(encode: Callable[[list[str]], Any], texts: list[str]) -> float:
    started = time.perf_counter()
    encode(texts)
    return len(texts) / (time.perf_counter() - started)


def _quality(recipe: str) -> dict[str, Any]:
    """CA of ``centred`` over the same salads with our vectors and with the peer's."""
    name = f"encode, CA on wiki_conflict {recipe}"
    salads = wiki_salads(recipe, 1000)
    if salads is None:
        return {"name": name, "ok": None, "note": "skipped: ../shared/data is not here"}
    ours = evaluate("salads", salads, Centred(encoder=MiniLM()), name="ours", metrics=["CA"])
    peer = evaluate("salads", salads, Centred(encoder=_Peer()), name="peer", metrics=["CA"])
    (pair,) = compare([ours, peer])
    return {
        "name": name,
        "ours": ours.metrics["CA"].value,
        "peer": peer.metrics["CA"].value,
        "ratio": None,
        "bar": f"loss <= {LOSS}",
        "ok": pair.difference >= -LOSS,
        "note": f"{len(salads)} salads, difference {pair.difference:+.4f} "
        f"[{pair.low:+.4f}, {pair.high:+.4f}]",
    }


class _Peer:
    """sentence-transformers, each sentence encoded once over all batches."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def encode(self, sentences: list[str]) -> list[Any]:
        new = [s for s in dict.fromkeys(sentences) if s not in self.known]
        peer = sentence_transformers_minilm()
        if new:
            vectors = peer.encode(new, show_progress_bar=False)
            self.known.update(zip(new, vectors, strict=True))
        return [self.known[s] for s in sentences]
