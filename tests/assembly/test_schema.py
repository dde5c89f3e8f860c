"""The answer keeps to docs/assemble.schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabula.assembly import assemble
from fabula.assembly.render.formats import to_json

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "assemble.schema.json").read_text(encoding="utf-8")
)
TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool, "null": type(None),
}  # fmt: skip


def check(value: Any, schema: dict[str, Any], at: str = "$") -> None:
    """The part of JSON Schema that ours uses."""
    if "enum" in schema:
        assert value in schema["enum"], at
        return
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    fits = [k for k in kinds if isinstance(value, TYPES[k])]
    assert fits and not (isinstance(value, bool) and "boolean" not in kinds), f"{at}: {value!r}"
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema.get("required", [])) <= set(value), at
        if schema.get("additionalProperties") is False:
            assert set(value) <= set(schema["properties"]), at
        for key, entry in value.items():
            if key in schema["properties"]:
                check(entry, schema["properties"][key], f"{at}.{key}")
    if isinstance(value, list) and "items" in schema:
        for place, entry in enumerate(value):
            check(entry, schema["items"], f"{at}[{place}]")


PILE = """Thirty passengers stood on the ferry at nine.
Ann Rook saw fifty passengers on the ferry.
Ann Rook left in 1911.
The mill burned down.
The mill burned down!"""


def test_an_answer_with_everything() -> None:
    before = to_json(assemble([PILE], stories=2))
    corrections = {"corrections": [{"do": "move", "sentence": {"line": 4}, "to": "new"}]}
    found = assemble([PILE + "\nRain."], previous=before, corrections=corrections, query="a fire")
    data = json.loads(json.dumps(to_json(found)))
    check(before, SCHEMA)
    check(data, SCHEMA)
    assert data["contradictions"] and data["timeline"] and data["changes"] and data["query"]


def test_the_check_can_fail() -> None:
    data = to_json(assemble(["One came. Two left."]))
    check(data, SCHEMA)
    for spoil in ({"notes": [3]}, {"extra": 1}, {"stories": [{"id": 1}]}):
        with pytest.raises(AssertionError):
            check({**data, **spoil}, SCHEMA)
