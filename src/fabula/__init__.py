"""fabula: recover what happened from messy text, and measure how well any model can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabula.errors import FabulaError
from fabula.types import Document, Narrative, Sentence

if TYPE_CHECKING:
    from fabula.assembly import assemble
    from fabula.audit import audit
    from fabula.bench.compare import compare
    from fabula.bench.evaluate import evaluate
    from fabula.bench.report.page import report
    from fabula.bench.train import train
    from fabula.endings import choose
    from fabula.events.api import predict_events
    from fabula.events.extract.chains import extract_events
    from fabula.ordering import order
    from fabula.pairs import relate
    from fabula.salads import untangle
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences
    from fabula.text.times import times

__version__ = "0.2.0"

__all__ = [
    "Document",
    "FabulaError",
    "Narrative",
    "Sentence",
    "assemble",
    "audit",
    "choose",
    "compare",
    "evaluate",
    "extract_events",
    "order",
    "predict_events",
    "read_documents",
    "relate",
    "report",
    "split_sentences",
    "times",
    "train",
    "untangle",
]

# Verbs load their libraries on first use: "import fabula" must cost next to nothing.
_LAZY = {
    "assemble": "fabula.assembly",
    "audit": "fabula.audit",
    "choose": "fabula.endings",
    "compare": "fabula.bench.compare",
    "evaluate": "fabula.bench.evaluate",
    "order": "fabula.ordering",
    "extract_events": "fabula.events.extract.chains",
    "predict_events": "fabula.events.api",
    "read_documents": "fabula.text.io.documents",
    "relate": "fabula.pairs",
    "report": "fabula.bench.report.page",
    "split_sentences": "fabula.text.segment.sentences",
    "times": "fabula.text.times",
    "train": "fabula.bench.train",
    "untangle": "fabula.salads",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(_LAZY[name]), name)
        globals()[name] = value  # the submodule of the same name must not shadow the verb
        return value
    raise AttributeError(f"module 'fabula' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The front door alone: what a tab in a notebook offers."""
    return [*__all__, "__version__"]
