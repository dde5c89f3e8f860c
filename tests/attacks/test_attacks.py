"""The fast part of the attacks: the same kinds as ``make attack``, smaller."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from tests.attacks.crafted import write_crafted
from tests.attacks.fuzz import fuzz
from tests.attacks.pathological import patterns, texts
from tests.attacks.runner import Runner
from tests.attacks.tamper import STORES, silent_flips

# Sizes that a quick run leaves out: they take seconds each.
LARGE = ("bomb",)


@pytest.mark.parametrize("store", sorted(STORES))
def test_no_flipped_byte_goes_unnoticed(store: str, tmp_path: Path) -> None:
    assert silent_flips(store, tmp_path / store, 12) == []


def test_crafted_files_give_one_error_at_most(tmp_path: Path) -> None:
    paths = [path for path in write_crafted(tmp_path, 1) if not path.name.startswith(LARGE)]
    with Runner(seconds=30) as runner:
        endings = list(runner.run("read", [(path.name, str(path)) for path in paths]))
    assert [why for ending in endings if (why := ending.failed(seconds=30))] == []


def test_mutated_files_give_one_error_at_most() -> None:
    count, problems = fuzz(6, most=400)
    assert count > 20 and not problems


@pytest.mark.parametrize("name", sorted(patterns()))
def test_patterns_take_linear_time(name: str) -> None:
    read = patterns()[name]
    for unit, text in texts(100_000):
        started = time.process_time()
        read(text)
        assert time.process_time() - started < 5, unit


def test_layout_headers_and_empty_mails_take_linear_time(tmp_path: Path) -> None:
    from fabula.errors import InputError
    from fabula.text.io.documents import read_documents
    from fabula.text.io.readers.office.pdf_layout import PlacedLine, paragraphs_of_pages

    started = time.process_time()
    paragraphs_of_pages([[PlacedLine("a" * 100_000, 0.0, 0.0)]])
    paragraphs_of_pages([[PlacedLine(f"Line {n}", 0.0, -float(n)) for n in range(20_000)]])
    mail, mbox, table = tmp_path / "a.eml", tmp_path / "a.mbox", tmp_path / "a.md"
    mail.write_bytes(b"Subject: " + b"=?utf-8?q?a?= " * 200_000 + b"\n\nText.\n")
    assert [document.paragraphs for document in read_documents(mail)] == [("Text.",)]
    head = b"Content-Type: multipart/mixed; boundary=a\n\n"
    mail.write_bytes(head + b"--a\n\nx\n" * 1_000_000 + b"--a--")
    with pytest.raises(InputError, match="more than 20,000 parts"):
        list(read_documents(mail))
    mbox.write_bytes(b"From a\n\n" * 200_000)
    with pytest.raises(InputError, match="holds no document"):
        list(read_documents(mbox))
    table.write_bytes(b"|a|b|\n|-|-|\n" + b"|a|b|\n" * 200_000)
    with pytest.raises(InputError, match="more than 200,000 lines of Markdown"):
        list(read_documents(table))
    assert time.process_time() - started < 20


def test_the_threat_model_names_tests_that_are_there() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "concepts" / "security.md").read_text(encoding="utf-8")
    table = page[page.index("## Where each promise is tested") : page.index("## Text")]
    named = re.findall(r"`([\w/]+\.py)`", table)
    assert (
        len(named) > 20 and [name for name in named if not (root / "tests" / name).is_file()] == []
    )
