"""A whole case as one file: a zip of its documents and a JSON of what the user did with them.

::

    case.json           {"fabula": "case", "version": 1, "title": ..., "notes": ..., "tags": [...],
                         "anchor": ..., "stories": ..., "corrections": [...], "undone": [...],
                         "base": {...}, "numbers": {sentence id: story},
                         "date_orders": {"0001-name": "dmy" | "mdy" | "ymd" | "ydm"}}
    assembled.json      the answer, for people and other programs; it is not read back
    files/0001-name     the documents as they were given

A case that is read is checked like any request: names, sizes, types. Its answer is computed anew.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError, UsageError
from fabula.text.io.limits import RATIO, UNPACKED, check_unpacked
from fabula.text.io.readers.chat.timestamps import ORDERS
from fabula.web.uploads import safe_name, upload_name
from fabula.wellformed import well_formed_value

__all__ = ["MOST_FILES", "checked_fields", "pack_case", "unpack_case"]

MOST_FILES = 2_000  # of a case
_MOST_JSON = 16 << 20  # bytes of case.json
_FILE = re.compile(r"files/(\d{4,}-([^/\\]+))")
_TAG, _TITLE, _NOTES = 40, 80, 100_000  # characters
_MOST_TAGS, _MOST_CORRECTIONS = 30, 10_000
_NAME = "the case"


def pack_case(pile: Mapping[str, Any], uploads: Sequence[Mapping[str, str]]) -> bytes:
    """The zip of a case: a row of the store and its uploads in, the same bytes every time out."""
    result = pile["result"] or {"stories": []}
    numbers = {s["id"]: story["id"] for story in result["stories"] for s in story["sentences"]}
    numbers = numbers or pile["numbers"] or {}
    kept = ("title", "notes", "tags", "anchor", "stories", "corrections", "undone", "base",
            "date_orders")  # fmt: skip
    case = {"fabula": "case", "version": 1, **{key: pile[key] for key in kept}, "numbers": numbers}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "case.json", json.dumps(case, ensure_ascii=False, indent=1).encode())
        if pile["result"]:
            _add(archive, "assembled.json", json.dumps(result, ensure_ascii=False).encode())
        for upload in uploads:
            path = Path(upload["path"])
            _add(archive, f"files/{path.name}", path.read_bytes())
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    archive.writestr(entry, data)


def unpack_case(data: bytes) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
    """The fields and the files of a packed case; ``InputError`` if it is none, or too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_FILES + 2:
                raise InputError(f"has more than {MOST_FILES:,} files", path=_NAME)
            total = sum(entry.file_size for entry in entries)
            if total > UNPACKED:
                check_unpacked(len(data), total, _NAME)
                raise InputError(f"unpacks to more than {UNPACKED >> 20} MB", path=_NAME)
            if any(entry.flag_bits & 1 for entry in entries):
                raise InputError("is encrypted", path=_NAME)
            described = [entry for entry in entries if entry.filename == "case.json"]
            if len(described) != 1:
                raise InputError("has no case.json: it was not exported by fabula", path=_NAME)
            fields = checked_fields(parse_json(_read(archive, described[0], _MOST_JSON)))
            stored = [
                (match, _read(archive, entry, UNPACKED))
                for entry in sorted(entries, key=lambda entry: entry.filename)
                if (match := _FILE.fullmatch(entry.filename))
            ]
            files = [(safe_name(match[2]), data) for match, data in stored]
            _rename_orders(fields, [match[1] for match, _ in stored], files)
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, RuntimeError) as error:
        raise InputError(f"is no zip file that can be read ({error})", path=_NAME) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"case.json is not that of a case ({error})", path=_NAME) from error
    if not files:
        raise InputError("has no documents", path=_NAME)
    return fields, files


def _rename_orders(
    fields: dict[str, Any], names: Sequence[str], files: Sequence[tuple[str, bytes]]
) -> None:
    """Orders of dates by the names that the files get when they are saved in a new folder."""
    orders = fields.get("date_orders", {})
    new_names = [upload_name(number, name) for number, (name, _) in enumerate(files, 1)]
    renamed = zip(names, new_names, strict=True)
    fields["date_orders"] = {new: orders[old] for old, new in renamed if old in orders}


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The bytes of an entry, not more than it says it has: a list of sizes may lie."""
    if entry.file_size > most or entry.file_size > RATIO * max(entry.compress_size, 1 << 20):
        raise InputError(f"{entry.filename[:60]} is too large", path=_NAME)
    with archive.open(entry) as stream:
        data = stream.read(entry.file_size + 1)
    if len(data) > entry.file_size:
        raise InputError(f"{entry.filename[:60]} is larger than it says", path=_NAME)
    return data


def checked_fields(given: Any) -> dict[str, Any]:
    """What a user may set of a case, each value of its type and length; ``ValueError`` else."""
    from fabula.assembly.corrections import read_corrections
    from fabula.text.times import check_date

    if not isinstance(given, Mapping):
        raise ValueError("it is no JSON object")
    given = well_formed_value(dict(given))
    fields: dict[str, Any] = {}
    for key, longest in (("title", _TITLE), ("notes", _NOTES)):
        if given.get(key) is not None:
            if not isinstance(given[key], str):
                raise ValueError(f"{key!r} must be a text")
            fields[key] = given[key][:longest]
    if "title" in fields:
        fields["title"] = " ".join(fields["title"].split()) or "A case"
    if given.get("tags") is not None:
        listed: list[Any] = given["tags"] if isinstance(given["tags"], list) else [None]
        if not all(isinstance(tag, str) for tag in listed):
            raise ValueError("'tags' must be a list of texts")
        tags = [" ".join(tag.split())[:_TAG] for tag in listed]
        fields["tags"] = list(dict.fromkeys(filter(None, tags)))[:_MOST_TAGS]
    if "anchor" in given:
        anchor = given["anchor"] or None
        if anchor is not None and not isinstance(anchor, str):
            raise ValueError("'anchor' must be a date")
        try:
            fields["anchor"] = check_date(anchor)
        except UsageError as error:
            raise ValueError(str(error)) from error
    if "stories" in given:
        stories = given["stories"]
        if stories is not None and (type(stories) is not int or not 1 <= stories <= 50):
            raise ValueError("the number of stories is between 1 and 50, or left empty")
        fields["stories"] = stories
    for key in ("corrections", "undone"):
        if given.get(key):
            entries = read_corrections({"corrections": given[key]}).entries
            if len(entries) > _MOST_CORRECTIONS:
                raise ValueError(f"more than {_MOST_CORRECTIONS:,} corrections")
            fields[key] = [dict(entry) for entry in entries]
    if given.get("base"):
        base = read_corrections({"corrections": [], "stories": given["base"]}).stories
        fields["base"] = {str(number): list(ids) for number, ids in base.items()}
    if given.get("date_orders") is not None:
        orders = given["date_orders"]
        if not isinstance(orders, dict) or not set(orders.values()) <= set(ORDERS):
            raise ValueError(f"'date_orders' names one of {', '.join(ORDERS)} for a file")
        fields["date_orders"] = {str(name): order for name, order in orders.items()}
    if given.get("numbers") is not None:
        fields["numbers"] = {str(k): int(v) for k, v in dict(given["numbers"]).items()}
    return fields
