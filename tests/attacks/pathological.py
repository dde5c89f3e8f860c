"""Texts of 100,000 characters on which patterns and tokenizers may take quadratic time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

LENGTH = 100_000
# Repeated to the length: each has hung a tokenizer, a splitter or a pattern somewhere.
UNITS = {
    "equals": "=", "quotes": '"', "curly": "“", "parens": "(", "closing": ")", "emoji": "😀",
    "dots": ".", "dashes": "-", "letters": "a", "digits": "1", "commas": ",", "apostrophes": "'",
    "spaces": " ", "slashes": "/", "at": "a@", "days": "Monday ", "and": "and ", "not": "not ",
    "initials": "A. ", "times": "10:", "dates": "2011-03-", "money": "$1,", "he": "he said ",
    "names": "Ann ",
}  # fmt: skip


def texts(length: int = LENGTH) -> Iterator[tuple[str, str]]:
    """Each unit as one long run, and after an ordinary sentence."""
    opening = "The ferry left at nine. Ann saw it sink. "
    for name, unit in UNITS.items():
        yield name, (opening + unit * (length // len(unit)))[:length]


def patterns() -> dict[str, Callable[[str], Any]]:
    """The functions that read a text with patterns, by name."""
    from fabula.assembly.conflicts.relation import speaker_of
    from fabula.ordering.build import build_texts, join_lists
    from fabula.text.io.documents import paragraphs_of
    from fabula.text.segment.language import looks_english
    from fabula.text.segment.sentences import split_sentences
    from fabula.text.segment.treebank import plain, treebank_words
    from fabula.text.segment.words import split_words
    from fabula.text.temporal.calendar_days import find_calendar_days
    from fabula.text.temporal.clock_times import find_clock_times
    from fabula.text.temporal.expressions import moment_of
    from fabula.types import Document

    return {
        "paragraphs": paragraphs_of,
        "sentences": split_sentences,
        "language": looks_english,
        "treebank": treebank_words,
        "plain": plain,
        "words": lambda text: split_words([text]),
        "days": lambda text: list(find_calendar_days(text)),
        "clock": lambda text: list(find_clock_times(text)),
        "moment": moment_of,
        "claims": speaker_of,
        "lists": lambda text: join_lists([text, text]),
        "ordering": lambda text: list(build_texts([Document("a", (text, text))])),
        "vectors": _vectors,
        "sgml": _sgml,
    }


def _sgml(text: str) -> None:
    """The text as the attributes and as the body of a document in SGML."""
    import tempfile
    from contextlib import suppress
    from pathlib import Path

    from fabula.errors import FabulaError
    from fabula.text.io.documents import Options
    from fabula.text.io.readers.sgml import read

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "news.sgml")
        body = f"<DOC {text}>\n<TEXT>\n<P>{text}</P>\n</TEXT>\n</DOC>\n"
        path.write_text(body, encoding="utf-8")
        with suppress(FabulaError):
            list(read(str(path), Options()))


def _vectors(text: str) -> None:
    """A file of word vectors whose only word, and whose only line, is the text."""
    import tempfile
    from contextlib import suppress
    from pathlib import Path

    from fabula.errors import FabulaError
    from fabula.text.encoders.vector_files import read_vectors

    with tempfile.TemporaryDirectory() as folder:
        for content in (f"{text} 0.5 0.25\n", text):
            path = Path(folder, "words.txt")
            path.write_text(content, encoding="utf-8")
            with suppress(FabulaError):
                list(read_vectors(path))
