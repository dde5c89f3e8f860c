"""Passages -> parses, by the parser's tokens or a file's; mentions -> phrases as annotated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fabula.coreference.items import Passage
from fabula.text.coref import Span
from fabula.text.parse.parsed import Parsed

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["full_span", "parse_passages"]

_AFTER = frozenset("prep relcl acl".split())


def parse_passages(passages: Sequence[Passage]) -> list[Parsed]:
    """A parse of each passage; the parse's ``offsets`` are characters of the passage."""
    from fabula.text.parse.pipeline import Parser

    texts = [passage.text for passage in passages if not passage.tokens]
    free = Parser().each(Parsed.of, texts)
    given = _parse_tokens([passage for passage in passages if passage.tokens])
    return [next(given) if passage.tokens else next(free) for passage in passages]


def _parse_tokens(passages: Sequence[Passage]) -> Iterator[Parsed]:
    """Parses with the tokens and sentences given, one passage at a time."""
    from fabula.text.parse.pipeline import pipeline

    nlp = pipeline() if passages else None
    for passage in passages:
        assert nlp is not None
        with nlp.memory_zone():
            doc: Doc = _tokens(nlp.vocab, passage)
            for _, component in nlp.pipeline:
                doc = component(doc)
            parsed = Parsed.of(doc)
        yield parsed


def _tokens(vocab: Any, passage: Passage) -> Doc:
    from spacy.tokens import Doc

    words = [passage.text[start:end] for start, end in passage.tokens]
    ends = [start for start, _ in passage.tokens[1:]] + [len(passage.text)]
    spaces = [end < after for (_, end), after in zip(passage.tokens, ends, strict=True)]
    doc = Doc(vocab, words=words, spaces=spaces)
    starts = set(passage.sentences)
    for token in doc:
        token.is_sent_start = token.i in starts
    return doc


def full_span(parsed: Parsed, mention: Span) -> tuple[int, int]:
    """The tokens ``[start, end)`` of a mention with the phrases and clauses after its head."""
    if parsed.tags[mention.head].startswith("PRP"):
        return mention.start, mention.end
    end = mention.end
    for child in parsed.children[mention.head]:
        if child < end or parsed.labels[child] not in _AFTER:
            continue
        first, last = parsed.subtree(child)
        if first == end:  # after a comma it says something more of it, and is no part of the name
            end = last
    return mention.start, end
