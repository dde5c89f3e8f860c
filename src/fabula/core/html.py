"""Templates, numbers and escaping for every page fabula writes, HTML or Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

__all__ = ["NOTHING", "counted", "escape_markdown", "format_number", "render_template"]

NOTHING = "–"  # stands where there is no number
# "$" is a formula in Obsidian, braces are commands of static site generators.
_MARKUP = "\\`*_[]#|${}"
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ESCAPES = str.maketrans({**{mark: f"\\{mark}" for mark in _MARKUP}, **_ENTITIES})
_DOUBLE = re.compile(r"([=~%^])(?=\1)")  # highlighted, struck out, a comment
_LIST = re.compile(r"^([-+]|\d{1,9}(?=[.)]))(?=\s|[.)](?:\s|$)|$)")  # a list where text begins


def render_template(
    package: str,
    name: str,
    /,
    *,
    filters: dict[str, Callable[..., str]] | None = None,
    **values: Any,
) -> str:
    """Render the Jinja template ``name`` of a package as HTML text.

    Every value is escaped, and a value the template names but was not given is an error.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= filters or {}
    source = files(package).joinpath(name).read_text(encoding="utf-8")
    return environment.from_string(source).render(**values)


def format_number(value: float | None, digits: int = 3) -> str:
    """A number with so many decimals; a dash for None, infinity and not-a-number.

    >>> format_number(0.12345), format_number(-2.0, 1), format_number(None)
    ('0.123', '-2.0', '–')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:.{digits}f}"


def counted(number: int, noun: str) -> str:
    """A number and its noun, in the plural where there is not one.

    >>> counted(1, "sentence"), counted(2, "sentence")
    ('1 sentence', '2 sentences')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is written, on one line, HTML included.

    >>> escape_markdown("a_b | <i>")
    'a\\\\_b \\\\| &lt;i&gt;'
    """
    line = _DOUBLE.sub(r"\\\1", " ".join(text.split()).translate(_ESCAPES))
    return _LIST.sub(lambda m: f"\\{m[1]}" if m[1] in "-+" else f"{m[1]}\\", line)
