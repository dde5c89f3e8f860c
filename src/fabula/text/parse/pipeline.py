"""Tokens, tags, lemmas, dependencies and names, by spaCy.

An installed official English pipeline is preferred (large, then medium, then small); otherwise the
packaged one is used, which is the official medium pipeline repackaged. Labels are ClearNLP's
(``nsubj``, ``dobj``, ``prep``, ``pobj``).
"""

from __future__ import annotations

import importlib
import logging
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from fabula.core.safety.checked_json import parse_json
from fabula.text import resources
from fabula.text.segment.long_words import mask_long_words
from fabula.text.segment.sentences import spans
from fabula.types import Sentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["OFFICIAL", "Parser", "import_spacy", "pipeline"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

OFFICIAL = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm")
MAX_CHARACTERS = 50_000  # characters parsed in one go: spaCy's memory grows with the text
ZONE_TEXTS = 256  # texts per memory zone
_BATCH_TOKENS = 10_000  # tokens parsed together: each takes some 20 kB while its batch is worked on
_SPACE = re.compile(r"\s")
# The 700,000 strings of the word vectors (1 s, 130 MB) are not needed: the words, labels and lemmas
# of a text are added to the store as they occur.
_UNUSED = ("senter", "strings")
_TORCH_PACKAGES = ("spacy_transformers", "spacy_curated_transformers", "spacy_llm")


def import_spacy() -> Any:
    """spaCy, imported without torch.

    thinc imports torch wherever it is installed, only to see that it is there: 3 s and 190 MB.
    Pipelines that run on torch need one of ``_TORCH_PACKAGES``; where none is installed, torch is
    hidden while spaCy is imported for the first time, and nowhere else.
    """
    if {"spacy", "torch"} & sys.modules.keys() or any(map(find_spec, _TORCH_PACKAGES)):
        return importlib.import_module("spacy")
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module("spacy")
    finally:
        del sys.modules["torch"]


@cache
def pipeline() -> Language:
    """The spaCy pipeline, loaded once per process (some 1.5 s, and 1.5 s for spaCy itself)."""
    spacy = import_spacy()
    for name in OFFICIAL:
        if spacy.util.is_package(name):
            return cast("Language", spacy.load(name, exclude=_UNUSED))
    return cast("Language", spacy.load(resources.locate("spacy-en"), exclude=_UNUSED))


@cache
def _meta() -> dict[str, Any]:
    """The pipeline's ``meta.json``."""
    official = (find_spec(name) for name in OFFICIAL)
    folders = (Path(spec.origin).parent for spec in official if spec and spec.origin)
    folder = next(folders, None) or Path(resources.locate("spacy-en"))
    meta: dict[str, Any] = parse_json((folder / "meta.json").read_text(encoding="utf-8"))
    return meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """Parses texts in batches; without ``ner`` about twice as fast."""

    ner: bool = True
    batch_size: int = 64

    @property
    def model(self) -> str:
        """The pipeline's name and version, for the record of a run; it need not be loaded."""
        meta = _meta()
        return f"{meta['lang']}_{meta['name']} {meta['version']}"

    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """One ``Doc`` per text, with spaCy's own sentences.

        spaCy remembers every new word, so over a large corpus use :meth:`each`.
        """
        return self._parse(texts)

    def parse_sentences(self, documents: Iterable[Sequence[Sentence]]) -> Iterator[Doc]:
        """One ``Doc`` per document, whose ``doc.sents`` are exactly the sentences given.

        A token of a sentence stands in the paragraph at
        ``sentence.start + token.idx - token.sent.start_char``. (A "sentence" of more than 50,000
        characters is parsed in pieces, which then are several.)
        """
        return self._parse(documents)

    def each(
        self, read: Callable[[Doc], T], sources: Iterable[str | Sequence[Sentence]]
    ) -> Iterator[T]:
        """``read(doc)`` of each text or document, in constant memory.

        The ``Doc`` and its tokens are freed once ``read`` returns: keep strings and numbers only.
        """
        remaining = iter(sources)
        while block := list(islice(remaining, ZONE_TEXTS)):
            with pipeline().memory_zone():
                results = [read(doc) for doc in self._parse(block)]
            yield from results

    def _parse(self, sources: Iterable[str | Sequence[Sentence]]) -> Iterator[Doc]:
        from spacy.tokens import Doc

        nlp = pipeline()
        finished: list[Doc] = []
        unused = [] if self.ner else ["ner"]
        for batch in self._batches(part for source in sources for part in _parts(nlp, source)):
            parsed = nlp.pipe(batch, as_tuples=True, batch_size=len(batch), disable=unused)
            for part, is_last in parsed:
                finished.append(part)
                if is_last:
                    if len(finished) == 1:
                        yield finished[0]
                    else:
                        yield Doc.from_docs(finished, ensure_whitespace=False)
                    finished = []

    def _batches(self, parts: Iterable[tuple[Doc, bool]]) -> Iterator[list[tuple[Doc, bool]]]:
        """Batches of at most ``batch_size`` texts and ``_BATCH_TOKENS`` tokens."""
        batch: list[tuple[Doc, bool]] = []
        tokens = 0
        for part in parts:
            tokens += len(part[0])
            if batch and (len(batch) == self.batch_size or tokens > _BATCH_TOKENS):
                yield batch
                batch, tokens = [], len(part[0])
            batch.append(part)
        if batch:
            yield batch


def _parts(nlp: Language, source: str | Sequence[Sentence]) -> Iterator[tuple[Doc, bool]]:
    """A source as unparsed ``Doc`` objects of bounded length, and whether each is the last."""
    if isinstance(source, str):
        parts = [nlp.make_doc(mask_long_words(piece)) for piece in _cut(source)]
    else:
        parts = [_with_boundaries(nlp, group) for group in _groups(source)]
    if len(parts) > 1:
        _log.info("a text too long for one parse is parsed in %d pieces", len(parts))
    for number, part in enumerate(parts, 1):
        yield part, number == len(parts)


def _cut(text: str) -> Iterator[str]:
    """Pieces of at most ``MAX_CHARACTERS``, cut at sentence ends where there are any."""
    start, limit = 0, MAX_CHARACTERS
    if len(text) > limit:
        ends = [end for _, end in spans(text)]
        while len(text) - start > limit:
            nearest = bisect_right(ends, start + limit) - 1
            end = ends[nearest] if nearest >= 0 else 0
            if end <= start:  # a sentence longer than that: cut it at a space, or anywhere
                end = text.rfind(" ", start, start + limit) + 1 or start + limit
            yield text[start:end]
            start = end
    yield text[start:]


def _groups(sentences: Sequence[Sentence]) -> list[list[str]]:
    """The texts of the sentences, in groups of at most about ``MAX_CHARACTERS`` characters."""
    groups: list[list[str]] = [[]]
    size = 0
    for sentence in sentences:
        # A line break inside a sentence is a space to the parser; the offsets stay.
        for text in _cut(_SPACE.sub(" ", sentence.text)):
            size += len(text)
            if size > MAX_CHARACTERS and groups[-1]:
                groups.append([])
                size = len(text)
            groups[-1].append(text)
    return groups


def _with_boundaries(nlp: Language, texts: Sequence[str]) -> Doc:
    """The texts as one ``Doc`` with a fixed sentence start at each."""
    from spacy.attrs import SENT_START
    from spacy.tokens import Doc

    if not texts:
        return nlp.make_doc("")
    docs = [nlp.make_doc(f"{mask_long_words(text)} ") for text in texts]
    joined = Doc.from_docs(docs, ensure_whitespace=False)
    # Token by token each start would ask the whole document for a parse.
    starts = np.full(len(joined), -1, dtype=np.int64)
    starts[list(accumulate(map(len, docs[:-1]), initial=0))] = 1
    joined.from_array([SENT_START], starts.astype(np.uint64)[:, None])
    return joined
