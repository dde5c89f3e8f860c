"""The nachos text form: ``<DOCNAME>``, then one chain a line as ``lemma->dependency``."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

from fabula.errors import InputError
from fabula.events.items import Chain, Event
from fabula.text.io.streams import iter_lines

__all__ = ["read_nachos"]

_DOCUMENT, _SKIPPED = "<DOCNAME>", "<UUID>"


def read_nachos(path: str | PathLike[str]) -> Iterator[Chain]:
    """The chains of a nachos file; an entity is called by its number in the document.

    Slots are the file's own dependencies (``nsubj``, ``dobj``, ``nsubjpass``, ``prep_in`` ...).
    """
    document, number, name = None, 0, str(path)
    known: dict[str, Event] = {}  # an event is immutable, and most are seen again
    for line, text in iter_lines(path):
        if text.startswith("<"):
            if text.startswith(_DOCUMENT):
                document, number = text[len(_DOCUMENT) :].strip(), 0
                if not document:
                    raise InputError(f"{_DOCUMENT} without a name", path=path, line=line)
            elif not text.startswith(_SKIPPED):
                raise InputError(f"{text[:40]!r}: {_DOCUMENT} expected", path=path, line=line)
            continue
        words = text.split()
        if not words:
            continue
        if document is None:
            problem = f"a chain before any {_DOCUMENT}: not a nachos file"
            raise InputError(problem, path=path, line=line)
        events = []
        for word in words:
            event = known.get(word)
            if event is None:
                event = known[word] = _event(word, name, line)
            events.append(event)
        number += 1
        yield Chain(document, str(number), tuple(events))


def _event(word: str, path: str, line: int) -> Event:
    verb, arrow, slot = word.partition("->")
    if not (verb and arrow and slot):
        problem = f"{word[:60]!r} is no event; write VERB->SLOT, with spaces between events"
        raise InputError(problem, path=path, line=line)
    return Event(verb, slot)
