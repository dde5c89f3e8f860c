"""Reading a case in a real browser: places in the views, filters, judgements, exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
SOLVED = '#case[data-solved="true"]'
SAMPLE = Path(__file__).parents[2] / "src/fabula/data/sample/case"
IN_VIEW = """node => {
    const box = node.getBoundingClientRect(), own = node.closest(".column").getBoundingClientRect();
    return box.top >= own.top && box.bottom <= own.bottom;
}"""
MUSEUM = ("northmark-wire-2024-03-10-museum.txt", "courier-museum-arrests.txt",
          "wenlow-gazette-hoard.txt", "mail-from-chapel-lane.eml")  # fmt: skip


@pytest.fixture(params=[{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=str)
def page(open_page: Open, request: Any) -> Any:
    """The reports of one burglary as a case of one story, which is longer than the window."""
    opened = open_page(viewport=request.param)
    opened.wait_for_selector("#new:not([hidden])")
    opened.set_input_files("#files", [str(SAMPLE / name) for name in MUSEUM])
    opened.fill("#name", "Der Hort, März")
    opened.fill("#stories", "1")
    opened.click("#go")
    opened.wait_for_selector(".sentence")
    opened.wait_for_selector(SOLVED)
    return opened


@pytest.mark.slow
def test_places_filters_judgements_and_exports(page: Any) -> None:
    # Both sides are marked, also far down and though the stories were hidden; the first is in view.
    page.click("#tab-clashes")
    sides = page.locator(".pair >> nth=0 >> .quote").all_inner_texts()
    page.wait_for_timeout(500)  # until the lists of the hidden view know that they are hidden
    page.click('.pair >> nth=0 >> button:has-text("Show both")')
    page.wait_for_timeout(500)
    first = page.locator(f'.sentence.read:has-text("{sides[0]}")')
    assert first.evaluate(IN_VIEW)
    # Another view and back: the place is kept.
    page.click("#tab-time")
    page.wait_for_timeout(500)
    page.click("#tab-stories")
    page.wait_for_timeout(500)
    assert first.evaluate(IN_VIEW)
    other = page.evaluate(
        """text => [...document.querySelectorAll(".sentence.read .text")].every(
        node => text.includes(node.textContent))""",
        sides,
    )
    assert other

    # What is dismissed stays unfolded while the case is solved again.
    page.click("#tab-clashes")
    count = page.locator(".pair").count()
    page.click(".pair >> nth=0 >> button:text-is('Dismiss')")
    page.click(".dismissed summary")
    page.wait_for_selector('#undo[data-count="1"]')
    page.wait_for_selector(SOLVED)
    assert page.is_visible(".gone") and page.locator(".pair").count() == count - 1
    page.click(".gone button")
    page.wait_for_selector('#undo[data-count="2"]')
    page.wait_for_selector(SOLVED)

    # Filters hold among the disagreements; where they would do nothing they are not offered.
    page.click("#filter-open")
    page.select_option("#filter-source", MUSEUM[2])
    assert page.locator(".pair").count() < count
    assert f" of {count} disagreement" in page.inner_text("#clashes")
    page.click("#tab-people")
    assert not page.is_visible("#filter-open") and not page.is_visible("#filters")

    # A file has the name of its case; the menu closes; what goes wrong is said.
    page.wait_for_selector(SOLVED)
    for kind, name in (("csv", "Der-Hort-März.timeline.csv"), ("md", "Der-Hort-März.md")):
        page.click("#export")
        with page.expect_download() as saved:
            page.click(f'.popup a[href$="/{kind}"]')
        assert saved.value.suggested_filename == name
        assert Path(saved.value.path()).stat().st_size > 1000
        assert not page.is_visible(".popup")
    page.wait_for_selector("#export:text-is('Export')")
    page.route("**/export/docx", lambda route: route.fulfill(status=400, json={"error": "full"}))
    page.click("#export")
    page.click('.popup a[href$="/docx"]')
    page.wait_for_selector('#alert-text:text-is("full")')


def test_a_drop_leaves_no_outline(open_page: Open) -> None:
    page = open_page()
    page.wait_for_selector("#new:not([hidden])")
    page.fill("#text", "The ferry left.\nFog lay on the harbour.\nThe captain slept in his chair.")
    page.fill("#stories", "1")
    page.click("#go")
    page.wait_for_selector(SOLVED)
    last = page.locator(".sentence").last.get_attribute("data-id")
    page.locator(".sentence").last.drag_to(page.locator(".sentence").first)
    page.wait_for_selector(f'.sentence[data-id="{last}"][data-position="1"]')
    assert page.locator(".over, .above").count() == 0
