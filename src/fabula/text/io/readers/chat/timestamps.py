"""Timestamps of chat messages, in the formats programs export, as ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from fabula.errors import InputError

__all__ = ["read_times"]

_SLASHED = re.compile(
    r"(\d{1,2})[/.](\d{1,2})[/.](\d{2,4}),?\s+(\d{1,2}):(\d\d)(?::(\d\d))?\s*([AaPp])?\.?[Mm]?\.?"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_MOST_SECONDS = 10**11  # since 1970; a larger number is in milliseconds


def read_times(values: Sequence[tuple[int, Any]], *, path: str | PathLike[str]) -> list[str | None]:
    """``YYYY-MM-DDTHH:MM:SS`` (or ``HH:MM:SS`` alone) of each value; None where there is none.

    ``values`` are (line, timestamp). 03/04/2021 is read day first, unless another timestamp of the
    file can only be read month first.
    """
    texts = [_text(value) for _, value in values]
    slashed = [match for text in texts if text and (match := _SLASHED.fullmatch(text))]
    month_first = any(int(m[2]) > 12 for m in slashed) and not any(int(m[1]) > 12 for m in slashed)
    times: list[str | None] = []
    for (line, _), text in zip(values, texts, strict=True):
        try:
            times.append(_read(text, month_first) if text else None)
        except ValueError as error:
            problem = f"{text!r:.40} is no time; write YYYY-MM-DD HH:MM"
            raise InputError(problem, path=path, line=line) from error
    return times


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip().strip("[]")


def _read(text: str, month_first: bool) -> str:
    if match := _CLOCK.fullmatch(text):
        return f"{int(match[1]):02d}:{match[2]}:{match[3] or '00'}"
    if re.fullmatch(r"\d{9,14}(\.\d+)?", text):
        seconds = float(text)
        moment = datetime.fromtimestamp(seconds / 1000 if seconds > _MOST_SECONDS else seconds, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S")
    if match := _SLASHED.fullmatch(text):
        day, month = (2, 1) if month_first else (1, 2)
        year = int(match[3]) + (2000 if len(match[3]) == 2 else 0)
        hour = int(match[4])
        if match[7]:
            hour = hour % 12 + (12 if match[7].lower() == "p" else 0)
        moment = datetime(year, int(match[month]), int(match[day]), hour, int(match[5]),
                          int(match[6] or 0))  # fmt: skip
        return moment.isoformat()
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return moment.replace(microsecond=0).isoformat()
