from __future__ import annotations

from pathlib import Path

from tests.text.io.readers.files import put, read


def test_a_title_with_a_date(tmp_path: Path) -> None:
    (document,) = read(put(tmp_path, "a.md", "# Newsletter, 2 October 2023\n\nIt rained."))
    assert (document.title, document.date) == ("Newsletter", "2023-10-02")
    assert document.extra["date_from"] == "title"
    assert [part.text for part in document.aside] == ["Newsletter, 2 October 2023"]


def test_a_line_with_date_and_author(tmp_path: Path) -> None:
    text = "# What happened\n\n*3 October 2023, by Lena*\n\nIt rained."
    (document,) = read(put(tmp_path, "b.md", text))
    assert (document.title, document.date) == ("What happened", "2023-10-03")
    assert (document.text, document.lines) == ("It rained.", (5,))
    assert [part.text for part in document.aside] == ["3 October 2023, by Lena"]
