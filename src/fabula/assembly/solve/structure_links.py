"""Structure of a pile as evidence: its pieces in, documents, dates, threads and repeats out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.pile import Piece
from fabula.assembly.solve.repeats import find_repeats
from fabula.salads.stories.structure import Structure
from fabula.text.segment.headings import is_report

__all__ = ["pile_structure", "sentence_log_odds"]

_MAX_SENTENCES = 300  # above it no log-odds of single sentences are computed
# Log-odds that two sentences are of one story, by what they share.
_SENDER = 0.5
_REPEAT = 4.0
# Probabilities of a boundary. Above .1 are 3 % of the places inside news reports and 88 % of those
# between two (ECB+ topics for tuning, parts of three sentences); items of minutes are mostly about
# different things, and short.
_HEADING = 0.1
_ITEM = 0.015


def pile_structure(pieces: Sequence[Piece]) -> Structure:
    """Which document each sentence came in; a conversation is a document that is never cut."""
    keys = [
        ("chat", p.conversation) if p.conversation is not None else ("document", p.document)
        for p in pieces
    ]
    numbers = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    first: dict[int, Piece] = {}
    for key, piece in zip(keys, pieces, strict=True):
        first.setdefault(numbers[key], piece)
    return Structure(
        documents=tuple(numbers[key] for key in keys),
        dates=tuple(piece.date for piece in first.values()),
        threads=tuple(piece.thread for piece in first.values()),
        rooms=tuple(
            piece.sentence.source if piece.message is not None else None for piece in first.values()
        ),
        whole=frozenset(at for at, piece in first.items() if piece.message is not None),
        listed=frozenset(_listed([numbers[key] for key in keys], pieces)),
        sections=dict(_section_starts(pieces)),
    )


def _section_starts(pieces: Sequence[Piece]) -> Iterator[tuple[int, float]]:
    """The pieces with which a section begins, and the probability at which it may be cut off."""
    headings: dict[int, list[str]] = {}
    for piece in pieces:
        if piece.section is not None and piece.section not in headings.get(piece.document, ()):
            headings.setdefault(piece.document, []).append(piece.section)
    reports = {document for document, texts in headings.items() if is_report(texts)}
    before: tuple[int, str | None] | None = None
    for at, piece in enumerate(pieces):
        here = (piece.document, piece.section)
        if piece.section is not None and here != before and piece.document not in reports:
            yield at, _ITEM if piece.section[:1].isdigit() else _HEADING
        before = here


def _listed(documents: Sequence[int], pieces: Sequence[Piece]) -> Iterator[int]:
    """The documents in which no two sentences begin on one line."""
    lines: dict[int, list[int]] = {}
    for document, piece in zip(documents, pieces, strict=True):
        lines.setdefault(document, []).append(piece.sentence.line)
    return (document for document, rows in lines.items() if len(rows) == len(set(rows)))


def sentence_log_odds(pieces: Sequence[Piece]) -> NDArray[np.float64] | None:
    """Log-odds [n, n] from shared senders and repeated sentences; None where there are none."""
    n = len(pieces)
    if n > _MAX_SENTENCES:
        return None
    log_odds = np.zeros((n, n))
    senders = [piece.sender for piece in pieces]
    if len(set(senders) - {None}) > 1:
        log_odds += _SENDER * np.array(
            [[a is not None and a == b for b in senders] for a in senders]
        )
    for index, first in find_repeats([p.sentence.text for p in pieces], [0] * n).items():
        log_odds[index, first] += _REPEAT
        log_odds[first, index] += _REPEAT
    np.fill_diagonal(log_odds, 0.0)
    return log_odds if log_odds.any() else None
