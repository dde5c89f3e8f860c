"""Identical documents of a large pile: folded before linking, and named in the account again.

A pile of some hundred documents is compared pair by pair; 5,000 copies of one mail would be
12 million pairs that say nothing. Near copies in a small pile are left to ``repeats``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from fabula.assembly.pile import Piece
from fabula.types import Document, Narrative, Sentence

__all__ = ["FOLDED_ABOVE", "copies_note", "fold_identical", "with_copies"]

FOLDED_ABOVE = 300  # documents

Copies = dict[int, list[Document]]  # by the number of the document kept


def fold_identical(texts: Iterable[Any]) -> tuple[list[Any], Copies]:
    """Texts without exact duplicates of earlier documents, and the duplicates by what they repeat.

    Chat messages are never folded: that somebody says a thing again is part of the talk.
    """
    given = [texts] if isinstance(texts, str | Document) else list(texts)
    if len(given) <= FOLDED_ABOVE:
        return given, {}
    kept: list[Any] = []
    first: dict[tuple[str, ...], int] = {}
    copies: Copies = {}
    for text in given:
        if isinstance(text, Document) and not text.extra.get("chat"):
            place = first.setdefault(text.paragraphs, len(kept))
            if place < len(kept):
                copies.setdefault(place, []).append(text)
                continue
        kept.append(text)
    return kept, copies


def with_copies(
    stories: Sequence[Narrative], pieces: Sequence[Piece], copies: Copies
) -> tuple[Narrative, ...]:
    """The stories, each sentence with its places in the copies of its document."""
    if not copies:
        return tuple(stories)
    document_of = {piece.id: piece.document for piece in pieces}
    return tuple(
        replace(
            story,
            sentences=tuple(
                replace(
                    placed,
                    also_in=(
                        *placed.also_in,
                        *(
                            _sentence_in(copy, placed.sentence)
                            for copy in copies.get(document_of.get(placed.id, -1), ())
                        ),
                    ),
                )
                for placed in story.sentences
            ),
        )
        for story in stories
    )


def _sentence_in(copy: Document, sentence: Sentence) -> Sentence:
    line = copy.lines[sentence.paragraph] if sentence.paragraph < len(copy.lines) else copy.line
    return replace(sentence, source=copy.source, document=copy.id, line=line)


def copies_note(copies: Copies) -> list[str]:
    """What to say of the folded documents."""
    count = sum(map(len, copies.values()))
    if not count:
        return []
    what = "document is a copy" if count == 1 else "documents are copies"
    return [f"{count:,} {what} of another, word for word; each is named where it stands."]
