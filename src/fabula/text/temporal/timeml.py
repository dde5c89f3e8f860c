"""TimeML in and out: text with TIMEX3 tags to a text and its expressions, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from xml.etree import ElementTree

from fabula.errors import InputError
from fabula.text.temporal.tagger import Timex

__all__ = ["from_timeml", "to_timeml"]

_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
# Characters that XML 1.0 cannot hold.
_UNSAYABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_timeml(text: str, times: Sequence[Timex], *, name: str = "", date: str | None = None) -> str:
    """A TimeML document: the text with a TIMEX3 tag around each expression.

    The document's date is t0, its creation time (DCT). A character that XML cannot hold is
    replaced by U+FFFD.
    """
    parts, at = [], 0
    for number, timex in enumerate(times, 1):
        parts.append(_escaped(text[at : timex.start]))
        parts.append(f"<TIMEX3 {_attributes(number, timex)}>")
        parts.append(f"{_escaped(text[timex.start : timex.end])}</TIMEX3>")
        at = timex.end
    parts.append(_escaped(text[at:]))
    dct = ""
    if date:
        attributes = (
            f'tid="t0" type="DATE" value="{escape(date)}" functionInDocument="CREATION_TIME"'
        )
        dct = f"<DCT><TIMEX3 {attributes}>{escape(date)}</TIMEX3></DCT>\n"
    return (
        f"{_DECLARATION}\n<TimeML>\n<DOCID>{_escaped(name)}</DOCID>\n{dct}"
        f"<TEXT>{''.join(parts)}</TEXT>\n</TimeML>\n"
    )


def _escaped(text: str) -> str:
    return escape(_UNSAYABLE.sub("\ufffd", text), quote=False)


def _attributes(number: int, timex: Timex) -> str:
    named = {
        "tid": f"t{number}", "type": timex.type, "value": timex.value, "mod": timex.mod,
        "quant": timex.quant, "freq": timex.freq,
    }  # fmt: skip
    return " ".join(f'{name}="{escape(value)}"' for name, value in named.items() if value)


def from_timeml(xml: str, *, path: str | None = None) -> tuple[str, list[Timex], str | None]:
    """The text of a TimeML document, its expressions, and the document's date (or None).

    Other tags than TIMEX3 are read through. What is no well-formed XML is refused.
    """
    if "<!DOCTYPE" in xml or "<!ENTITY" in xml:
        raise InputError("a TimeML file with a DOCTYPE or entities is not read", path=path)
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise InputError(f"not well-formed XML: {error}", path=path, line=line) from error
    date = None
    for timex in root.iter("TIMEX3"):
        if timex.get("functionInDocument") == "CREATION_TIME":
            date = timex.get("value")
    found: list[Timex] = []
    parts: list[str] = []
    _walk(root if (body := root.find(".//TEXT")) is None else body, parts, found)
    return "".join(parts), found, date


def _walk(element: ElementTree.Element, parts: list[str], found: list[Timex]) -> None:
    start = sum(map(len, parts))
    place = len(found)
    parts.append(element.text or "")
    for child in element:
        _walk(child, parts, found)
        parts.append(child.tail or "")
    if element.tag == "TIMEX3" and element.get("functionInDocument") != "CREATION_TIME":
        text = "".join(parts)[start:]
        get = element.get
        timex = Timex(
            start, start + len(text), text, get("type", ""), get("value", ""),
            mod=get("mod", ""), quant=get("quant", ""), freq=get("freq", ""),
        )  # fmt: skip
        found.insert(place, timex)
