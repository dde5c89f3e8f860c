from __future__ import annotations

import math

import pytest

from fabula.core.html import escape_markdown, format_number


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.12345, 3, "0.123"),
        (-2.0, 1, "-2.0"),
        (7.0, 0, "7"),
        (None, 3, "–"),
        (math.nan, 3, "–"),
        (math.inf, 3, "–"),
    ],
)
def test_numbers(value: float | None, digits: int, text: str) -> None:
    assert format_number(value, digits) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain text, 3.5 %", "plain text, 3.5 %"),
        ("two\n lines\t", "two lines"),
        ("a|b", "a\\|b"),
        ("# *x* _y_ `z` [k]", "\\# \\*x\\* \\_y\\_ \\`z\\` \\[k\\]"),
        ("C:\\new_file", "C:\\\\new\\_file"),
        ("<b>R&D</b>", "&lt;b&gt;R&amp;D&lt;/b&gt;"),
    ],
)
def test_markdown_shows_what_was_written(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped
