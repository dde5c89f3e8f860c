"""COPA's XML, read element by element with the line of each."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any
from xml.parsers import expat

from fabula.endings.formats.columns import Row, flaw
from fabula.endings.items import Ending
from fabula.errors import InputError
from fabula.text.io.streams import open_bytes

__all__ = ["read_copa"]

_CHUNK = 64 << 10


def read_copa(path: str | PathLike[str]) -> Iterator[Row]:
    """One ``Row`` an ``<item>``; its premise is the context, ``asks-for`` the relation."""
    handler = _Handler(str(path))
    with open_bytes(path) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            try:
                handler.parser.Parse(chunk, not chunk)
            except (expat.ExpatError, LookupError) as error:
                line = getattr(error, "lineno", None) or handler.parser.CurrentLineNumber
                raise InputError(f"not well-formed XML ({error})", path=path, line=line) from error
            for line, data in handler.items:
                try:
                    item = _ending(data)
                except ValueError as error:
                    yield Row(line, data, None, str(error))
                else:
                    yield Row(line, data, item, flaw(item))
            handler.items.clear()
            if not chunk:
                return


def _ending(data: dict[str, Any]) -> Ending:
    for name in ("id", "asks-for", "p", "a1", "a2"):
        if name not in data:
            raise ValueError(f"{name!r} is missing in this <item>")
    relation = data["asks-for"]
    if relation not in ("cause", "effect"):
        raise ValueError(f"'asks-for' must be 'cause' or 'effect'; it is {relation!r}")
    answer = data.get("most-plausible-alternative")
    if answer not in (None, "", "1", "2"):
        raise ValueError(f"'most-plausible-alternative' must be 1 or 2; it is {answer!r}")
    return Ending(
        id=data["id"],
        context=(data["p"],),
        options=(data["a1"], data["a2"]),
        gold=int(answer) - 1 if answer else None,
        relation=relation,
    )


class _Handler:
    """Gathers items from expat's events."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.items: list[tuple[int, dict[str, Any]]] = []
        self.item: tuple[int, dict[str, Any]] | None = None
        self.parts: list[str] | None = None
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        # COPA names its DTD, which is not fetched; entities could grow without end.
        self.parser.EntityDeclHandler = self.entity

    def entity(self, *declaration: Any) -> None:
        raise self.failure("an entity declaration is not allowed")

    def failure(self, problem: str) -> InputError:
        return InputError(problem, path=self.path, line=self.parser.CurrentLineNumber)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and tag != "copa-corpus":
            raise self.failure(f"not COPA: it begins with <{tag[:40]}>, not <copa-corpus>")
        self.depth += 1
        if tag == "item" and self.depth == 2:
            self.item = (self.parser.CurrentLineNumber, dict(attributes))
        elif self.item is not None and tag in ("p", "a1", "a2"):
            self.parts = []

    def characters(self, data: str) -> None:
        if self.parts is not None:
            self.parts.append(data)

    def end(self, tag: str) -> None:
        self.depth -= 1
        if self.item is None:
            return
        if self.parts is not None:
            self.item[1][tag] = " ".join("".join(self.parts).split())
            self.parts = None
        elif tag == "item":
            self.items.append(self.item)
            self.item = None
