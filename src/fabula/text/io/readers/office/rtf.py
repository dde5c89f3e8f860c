r"""Rich text (.rtf): its text with the lines of the file, by a tokenizer of the format's own rules.

Read are control words (``\par``), characters as hexadecimal (``\'e9``) and as Unicode (``\u233?``),
and groups. Fonts, styles and pictures hold no text; headers, footers and notes are set aside.
"""

from __future__ import annotations

import codecs
import logging
import re
from dataclasses import dataclass, field, replace

from fabula.errors import InputError
from fabula.text.io.dates import calendar_day
from fabula.text.io.documents import Options, one_document
from fabula.text.io.readers.office.xml import office_document, rows_of
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Aside, Document

__all__ = ["read"]

_log = logging.getLogger(__name__)

_TOKEN = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}\r\n]+)|"
    rb"(\r?\n|\r)"
)
_UNREAD = frozenset(
    """fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object
    themedata datastore colorschememapping latentstyles xmlnstbl wgrffmtfilter bkmkstart bkmkend
    fldinst listtext pntext shpinst nonshppict filetbl revtbl template operator company category
    keywords doccomm hlinkbase mmathPr userprops objdata private do""".split()
)
_ASIDES = {
    "header": "header", "headerl": "header", "headerr": "header", "headerf": "header",
    "footer": "footer", "footerl": "footer", "footerr": "footer", "footerf": "footer",
    "footnote": "note", "annotation": "note", "title": "title", "author": "author",
    "creatim": "creatim", "info": "info", "subject": "info", "revtim": "info",
}  # fmt: skip
_CHARACTERS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’",
    "ldblquote": "“", "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ",
    "cell": " | ", "nestcell": " | ",
}  # fmt: skip
_SYMBOLS = {"~": "\u00a0", "_": "-", "-": "", "\n": "\x00", "\r": "\x00"}
_ENDS = ("par", "row", "sect", "page", "nestrow", "column")
_DEEPEST = 1000


@dataclass(slots=True)
class _Group:
    """What a group inherits and may change: where its text goes, and its encoding."""

    target: str = ""
    skipped: int = 1  # characters after \u that stand in for it
    encoding: str = "cp1252"


@dataclass(slots=True)
class _Texts:
    """The text collected for each target, in paragraphs with their lines."""

    paragraphs: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    open: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    def add(self, target: str, text: str, line: int) -> None:
        _, parts = self.open.setdefault(target, (line, []))
        parts.append(text)

    def end(self, target: str) -> None:
        line, parts = self.open.pop(target, (1, []))
        text = "".join(parts).strip().removesuffix("|").strip()
        if text:
            self.paragraphs.setdefault(target, []).append((line, text))


@one_document
def read(path: str, options: Options) -> Document:
    """The running text; title, author and date from the document's information."""
    data = read_bytes(path)
    if not data.lstrip().startswith(b"{\\rtf"):
        raise InputError("not RTF: it must begin with {\\rtf", path=path, line=1)
    with foreign(path, "RTF"):
        texts, created = _read(data)
    found = texts.paragraphs
    title, author = (" ".join(t for _, t in found.get(name, [])) for name in ("title", "author"))
    lines = [row for number, text in found.get("", []) for row in rows_of(number, text)]
    asides = [
        Aside(kind, text, number)
        for kind in ("header", "footer", "note")
        for number, text in found.get(kind, [])
    ]
    return office_document(
        path, options, lines, asides, title=title or None, author=author, created=created
    )


def _read(data: bytes) -> tuple[_Texts, str | None]:
    """The texts by target, and the day on which the document was made."""
    texts, group, groups = _Texts(), _Group(), list[_Group]()
    created: dict[str, int] = {}
    line, skip, star = 1, 0, False
    pending = bytearray()  # bytes of a multi-byte encoding

    def put(text: str) -> None:
        if group.target != "unread":
            texts.add(group.target, text, line)

    def flush() -> None:
        if pending:
            put(bytes(pending).decode(group.encoding, "replace"))
            pending.clear()

    for match in _TOKEN.finditer(data):
        word, number, code, symbol, brace, plain, end = match.groups()
        if code is None:
            flush()
        if end:
            line += 1
        elif brace == b"{":
            if len(groups) > _DEEPEST:
                raise ValueError("groups nest too deeply")
            groups.append(replace(group))
        elif brace:
            if group.target in ("header", "footer", "note", "title", "author"):
                texts.end(group.target)
            group = groups.pop() if groups else _Group()
            skip = 0
        elif code is not None or plain is not None:
            content = bytes([int(code, 16)]) if code is not None else plain
            used = min(skip, len(content))
            skip, content = skip - used, content[used:]
            if code is not None:
                pending.extend(content)
            elif content:
                put(content.decode(group.encoding, "replace"))
        elif symbol is not None:
            character = symbol.decode("latin-1")
            if character == "*":
                star = True
                continue
            if character in "\r\n":
                line += 1
            text = _SYMBOLS.get(character, character)
            if text == "\x00":
                texts.end(group.target)
            else:
                put(text)
        else:
            name, value = word.decode(), int(number) if number else None
            if name in _ASIDES:
                group.target = _ASIDES[name] if group.target != "unread" else "unread"
            elif name in _UNREAD or star:
                group.target = "unread"
            elif name == "u" and value is not None:
                put(chr(value % 0x10000))
                skip = group.skipped
            elif name == "uc" and value is not None:
                group.skipped = max(0, value)
            elif name in ("ansicpg",) and value:
                group.encoding = _codec(f"cp{value}")
            elif name == "mac":
                group.encoding = "mac_roman"
            elif name in _ENDS:
                texts.end(group.target)
            elif name in ("yr", "mo", "dy") and group.target == "creatim":
                created[name] = value or 0
            elif name in _CHARACTERS:
                put(_CHARACTERS[name])
        star = False
    flush()
    texts.end("")
    texts.paragraphs = {
        target: [(number, _joined(text)) for number, text in paragraphs]
        for target, paragraphs in texts.paragraphs.items()
    }
    day = calendar_day(*(created.get(name, 0) for name in ("yr", "mo", "dy")))
    return texts, day


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        _log.info("the code page %s is not known; windows-1252 is used", name)
        return "cp1252"


def _joined(text: str) -> str:
    r"""The two halves of a surrogate pair, each from its own ``\u``, as one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
