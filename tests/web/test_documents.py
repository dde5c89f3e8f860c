"""Documents of a case in a real browser: removed, dated, in which order their dates are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
SOLVED = '#case[data-solved="true"]'
CHAT = """11/03/2024, 20:15 - Ann: The ferry has run onto the rocks!
11/03/2024, 20:17 - Ben: Is everybody safe on the ferry?
12/03/2024, 09:02 - Ann: Everybody from the ferry is at the school.
12/03/2024, 09:05 - Ben: Good. The tug is pulling the ferry off the rocks."""
REPORT = "The harbour master closed the harbour.\nXanthippe mended the pier.\nFog came in."


def make(page: Any, folder: Path, **texts: str) -> None:
    files = []
    for name, text in texts.items():
        files.append(folder / f"{name}.txt")
        files[-1].write_text(text, encoding="utf-8")
    page.wait_for_selector("#new:not([hidden])")
    page.set_input_files("#files", [str(file) for file in files])
    page.fill("#name", " and ".join(texts))
    page.click("#go")
    page.wait_for_selector(SOLVED)


def result(page: Any) -> str:
    asked = "fetch(`/api/piles/${location.hash.slice(1)}/result`).then(answer => answer.text())"
    return str(page.evaluate(asked))


def texts(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        ".sentence .text", "all => all.map(one => one.textContent)"
    )
    return found


def test_a_document_is_removed(open_page: Open, server: Any, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, report=REPORT, other="The ferry sailed.\nThe captain slept.")
    page.click('.sentence:has-text("Xanthippe") >> .text')
    page.wait_for_selector("mark.here")
    page.click("#reader-close")
    page.click("#tab-documents")
    page.click('[aria-label="Remove report.txt"]')
    assert "cannot be undone" in page.inner_text("#dialog")
    page.click("#dialog button:text-is('Cancel')")
    assert page.locator(".document").count() == 2
    page.click('[aria-label="Remove report.txt"]')
    page.click("#dialog button:text-is('Remove')")
    page.wait_for_selector('#documents-hint:has-text("1 document.")')
    page.wait_for_selector(SOLVED)
    assert not page.is_visible('[aria-label^="Remove"]')  # the last one stays
    page.click("#tab-stories")
    assert sorted(texts(page)) == ["The captain slept.", "The ferry sailed."]
    assert "Xanthippe" not in result(page) and "2 sentences" in page.inner_text("#summary")
    pile = page.url.partition("#")[2]
    (file,) = (server.state / "piles" / pile).iterdir()
    assert file.name.endswith("-other.txt")
    assert b"Xanthippe" not in (server.state / "fabula.sqlite").read_bytes()
    page.reload()
    page.wait_for_selector(SOLVED)
    assert len(texts(page)) == 2


@pytest.mark.slow
def test_the_order_of_dates_is_stated_and_switched(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, chat=CHAT, report=REPORT)
    said = page.inner_text("#orders")  # above every view
    assert "chat.txt: dates are read day first, 11/03/2024 is 11 Mar 2024" in said
    assert '"2024-03-11T20:15' in result(page)
    page.click('#orders button:has-text("No, month first: 3 Nov 2024")')
    page.wait_for_selector("#orders", state="hidden")
    page.wait_for_selector(SOLVED)
    assert '"2024-11-03T20:15' in result(page) and '"2024-03-11' not in result(page)
    # It is stated with the document, and can be switched there.
    page.click("#tab-documents")
    page.wait_for_selector('.document:has-text("month first, as you say: 11/03/2024 is 3 Nov")')
    page.select_option('[aria-label="Order of the dates in chat.txt"]', "dmy")
    page.wait_for_selector(SOLVED)
    page.wait_for_selector('.document:has-text("day first, as you say")')
    assert '"2024-03-11T20:15' in result(page)
    page.select_option('[aria-label="Order of the dates in chat.txt"]', "")
    page.wait_for_selector("#orders:not([hidden])")
    page.wait_for_selector(SOLVED)
    page.click('#orders button:has-text("That is right")')
    page.wait_for_selector("#orders", state="hidden")
    page.wait_for_selector(SOLVED)
    page.reload()
    page.wait_for_selector(SOLVED)
    assert not page.is_visible("#orders")
    page.click("#tab-notes")
    assert "--date-order" not in page.inner_text("#solver-notes")


def test_a_date_moves_the_sentence_at_once(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    lines = ["The ferry left the harbour.", "The ferry sank on 5 March 2024.",
             "It rained on the ferry on 7 March 2024."]  # fmt: skip
    make(page, tmp_path, dated="\n".join(lines))
    assert texts(page) == lines
    late: list[Any] = []
    page.route("**/corrections", lambda route: late.append(route))
    page.focus(".sentence >> nth=0")
    page.keyboard.press("d")
    page.fill("#field-date", "2024-03-06")
    page.keyboard.press("Enter")
    # The server knows nothing of it yet.
    page.wait_for_selector('.sentence[data-position="2"]:has-text("The ferry left")')
    wanted = [lines[1], lines[0], lines[2]]
    assert texts(page) == wanted
    while not late:
        page.wait_for_timeout(20)
    late[0].continue_()
    page.wait_for_selector(SOLVED)
    assert texts(page) == wanted
    page.keyboard.press("Control+z")
    page.wait_for_selector(SOLVED)
    assert texts(page) == lines


def test_dropped_files_can_go_to_the_open_case(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, first="The ferry sailed.\nThe captain slept.")
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "second.txt", {type: "text/plain"}));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }""",
        REPORT,
    )
    page.click('#go-add:text-is("Add to “first”")')
    page.wait_for_selector('.sentence:has-text("Xanthippe")')
    page.wait_for_selector(SOLVED)
    assert len(texts(page)) == 5 and page.inner_text("#pile-title") == "first"


def test_a_file_that_cannot_be_read_can_be_left_out(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, harbour=REPORT)
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nonsense")
    good = tmp_path / "ferry.txt"
    good.write_text("The ferry sailed at noon.", encoding="utf-8")
    page.click("#more")
    page.set_input_files("#files", [str(broken), str(good)])
    page.click("#go")
    page.wait_for_selector('#alert:has-text("broken.pdf: cannot be read as PDF")')
    page.click('#refused button:text-is("Remove broken.pdf …")')
    page.click("#dialog button:text-is('Remove')")
    page.wait_for_selector('.sentence:has-text("The ferry sailed")')
    page.wait_for_selector(SOLVED)
    assert "Fog came in." in texts(page) and not page.is_visible("#unsolved")
    # A case of nothing else is not left behind.
    page.click("#new-open")
    page.set_input_files("#files", str(broken))
    page.click("#go")
    page.wait_for_selector("#unsolved:not([hidden])")
    assert page.locator("#refused button").count() == 0
    page.click("#give-up")
    page.click("#dialog button:text-is('Delete')")
    page.wait_for_selector('#piles li:has-text("broken.pdf")', state="detached")


def test_zooming_keeps_something_in_view(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, days="On 2 May 2003 the pier fell.\nOn 4 June 2012 the pier was mended.")
    page.click("#tab-time")
    page.wait_for_selector("#chart .event")
    for _ in range(6):
        page.click("#zoom-in")
        assert page.locator("#chart .event").count() > 0
    page.focus("#chart .event[tabindex='0']")
    for _ in range(12):  # away from all events: the keyboard still finds back
        page.keyboard.press("Shift+ArrowLeft")
    assert page.locator("#chart .event").count() == 0
    page.focus("#chart")
    page.keyboard.press("ArrowRight")
    assert page.locator("#chart .event").count() > 0
