"""Text for a terminal: control characters and bidirectional overrides are shown, not obeyed.

A file name or a sentence may hold escape sequences that clear the screen, change the window's title
or write to the clipboard, and marks that show text in another order than it is stored in.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["escape_json", "escape_terminal", "escaping_console"]

_BIDI = "\u061c\u202a-\u202e\u2066-\u2069"
_DANGEROUS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_BIDI}]")
_IN_JSON = re.compile(rf"[\x7f-\x9f\ud800-\udfff{_BIDI}]")  # json escapes the others itself


def escape_terminal(text: str) -> str:
    """``text`` with dangerous characters as Python writes them; tabs and line ends stay.

    >>> escape_terminal("a" + chr(27) + "[2J") == "a" + chr(92) + "x1b[2J"
    True
    """
    return _DANGEROUS.sub(lambda match: repr(match[0])[1:-1], text)


def escape_json(text: str) -> str:
    """JSON text with dangerous characters as escapes: the same value.

    >>> print(escape_json('"a\\u202eb"'))
    "a\\u202eb"
    """
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escaping_console(**options: Any) -> Any:
    """A rich ``Console`` that escapes what it prints; its own colours stay."""
    from rich.console import Console
    from rich.segment import Segment

    class EscapingConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                if not segment.control and _DANGEROUS.search(segment.text):
                    yield Segment(escape_terminal(segment.text), segment.style)
                else:
                    yield segment

    return EscapingConsole(**options)
