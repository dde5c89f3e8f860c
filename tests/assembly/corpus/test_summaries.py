"""Summaries of stories: titles and most telling names."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fabula.assembly.corpus.summaries import summarise


def row(number: int, *names: str) -> dict[str, Any]:
    return {
        "number": number, "unit": number, "story": 1 if number < 2 else 2, "source": "a",
        "date": None, "title": None, "lead": "Lead.", "copy_of": None,
        "names": json.dumps(dict.fromkeys(names, 1)),
    }  # fmt: skip


def test_forms_of_one_name_are_named_once() -> None:
    rows = [
        row(0, "Oscars", "Academy Awards", "Oscar", "Academy Award", "Saddam Hussein"),
        row(1, "Oscars", "Academy Awards", "Saddam Hussein", "Saddam"),
        *(row(number, "Harwich") for number in range(2, 12)),
    ]
    first = summarise(rows, np.eye(12, dtype=np.float32))[1]
    assert set(first["names"]) == {"Oscars", "Academy Awards", "Saddam Hussein"}
    assert first["title"].split(", ")[:2] == ["Academy Awards", "Oscars"]
