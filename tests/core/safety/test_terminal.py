"""Control characters are shown, not obeyed: in text, in tables, in errors and in JSON."""

from __future__ import annotations

import io
import json

from tests.cli.line import fabula

from fabula.core.safety.terminal import escape_json, escape_terminal, escaping_console

NASTY = "a\x1b]0;owned\x07\u202eb\rc\x9b2J\udce9"
BAD = ("\x1b", "\x07", "\u202e", "\x9b", "\udce9", "\r")


def test_text_and_json() -> None:
    assert not any(bad in escape_terminal(NASTY) for bad in BAD)
    assert escape_terminal("é\tü\n中 😀 \u200d") == "é\tü\n中 😀 \u200d"
    text = escape_json(json.dumps(NASTY, ensure_ascii=False))
    assert not any(bad in text for bad in BAD) and json.loads(text) == NASTY


def test_tables_keep_their_own_colours() -> None:
    from rich.table import Table

    table = Table("name")
    table.add_row(NASTY)
    out = io.StringIO()
    escaping_console(file=out, force_terminal=True, width=100).print(table)
    assert "\\x1b]0;owned" in out.getvalue() and "\u202e" not in out.getvalue()
    assert "\x1b[" in out.getvalue()  # rich's own


def test_an_error_names_a_file_safely() -> None:
    done = fabula("assemble", f"no-such{NASTY}.txt")
    assert done.exit_code == 2
    assert not any(bad in done.stderr for bad in BAD) and "\\x1b]0;owned" in done.stderr
