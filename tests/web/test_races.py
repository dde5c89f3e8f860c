"""Answers that come late, twice or in another order: nothing gets lost or into the wrong place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[..., Any]
FERRY = "The ferry left the harbour at nine.\nFog lay on the harbour.\nThe captain slept."
BAKERY = "The baker opened the bakery.\nFlour lay on the floor.\nThe oven was cold."


def make(page: Any, text: str, name: str) -> str:
    if not page.is_visible("#new"):
        page.click("#new-open")
    page.fill("#text", text)
    page.fill("#name", name)
    page.fill("#stories", "1")
    page.click("#go")
    page.wait_for_selector(f'#pile-title:text-is("{name}")')
    solved(page)
    return str(page.url.partition("#")[2])


def solved(page: Any) -> None:
    page.wait_for_selector('#case[data-solved="true"]')


def open_case(page: Any, name: str) -> None:
    page.click(f'#piles button:has-text("{name}")')
    page.wait_for_selector(f'#pile-title:text-is("{name}")')
    solved(page)


def held(page: Any, pattern: str, method: str = "GET", most: int = 99) -> list[Any]:
    """Requests that wait until they are let go."""
    waiting: list[Any] = []

    def hold(route: Any) -> None:
        if route.request.method == method and len(waiting) < most:
            waiting.append(route)
        else:
            route.continue_()

    page.route(re.compile(pattern), hold)
    return waiting


def until(page: Any, true: Callable[[], bool]) -> None:
    for _ in range(400):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not happen")


def test_a_late_document_is_not_shown_in_another_case(open_page: Open) -> None:
    page = open_page(viewport={"width": 1700, "height": 900})  # room for the reader and the cases
    ferry = make(page, FERRY, "Ferry")
    make(page, BAKERY, "Bakery")
    late = held(page, f"{ferry}/document")
    open_case(page, "Ferry")
    page.click(".sentence >> nth=0 >> .text")
    until(page, lambda: bool(late))
    open_case(page, "Bakery")
    late[0].continue_()
    page.wait_for_timeout(300)
    page.click(".sentence >> nth=0 >> .text")
    assert "bak" in page.inner_text("mark.here").lower()
    assert "ferry" not in page.inner_text("#reader-text")


def test_the_document_opened_last_is_shown(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "One and two")
    page.click("#more")
    page.fill("#text", BAKERY)
    page.click("#go")
    page.wait_for_selector('.sentence:has-text("oven")')
    solved(page)
    page.click("#tab-documents")
    page.wait_for_selector(".document >> nth=1")
    late = held(page, "/document\\?number=0")
    page.click(".document .quote >> nth=0")
    until(page, lambda: bool(late))
    page.click(".document .quote >> nth=1")
    page.wait_for_selector('#reader-text:has-text("baker")')
    late[0].continue_()
    page.wait_for_timeout(300)
    assert "ferry" not in page.inner_text("#reader-text")


def test_notes_stay_with_the_case_they_were_typed_in(open_page: Open) -> None:
    page = open_page()
    ferry = make(page, FERRY, "Ferry notes")
    bakery = make(page, BAKERY, "Bakery notes")
    open_case(page, "Ferry notes")
    page.click("#tab-notes")
    page.type("#case-notes", "ask the captain")
    open_case(page, "Bakery notes")  # before they are saved by themselves
    page.click("#tab-notes")
    assert page.input_value("#case-notes") == ""
    page.wait_for_timeout(1000)
    notes = """name => fetch(`/api/piles/${name}`).then(r => r.json()).then(pile => pile.notes)"""
    assert page.evaluate(notes, bakery) == "" and page.evaluate(notes, ferry) == "ask the captain"
    # Closed while they are typed.
    page.type("#case-notes", "count the loaves")
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector('#case[data-solved="true"]')
    assert page.evaluate(notes, bakery) == "count the loaves"


def test_a_second_click_makes_no_second_case(open_page: Open) -> None:
    page = open_page()
    late = held(page, "/api/piles$", "POST")
    page.wait_for_selector("#new:not([hidden])")
    page.fill("#text", "Once came the ferry.")
    page.fill("#name", "Only once")
    page.evaluate("document.getElementById('go').click(), document.getElementById('go').click()")
    until(page, lambda: bool(late))
    page.wait_for_timeout(200)
    assert len(late) == 1
    late[0].continue_()
    page.wait_for_selector(".sentence")
    assert page.locator('#piles .title:text-is("Only once")').count() == 1


def test_tags_added_before_the_answer_are_all_kept(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "Tagged")
    page.click("#tab-notes")
    late = held(page, "/api/piles/[0-9a-f]+$", "PATCH", most=1)
    for tag in ("fog", "night"):
        page.fill("#tag-new", tag)
        page.press("#tag-new", "Enter")
    until(page, lambda: bool(late))
    page.wait_for_timeout(200)  # the second waits for the first: it cannot be stored before it
    late[0].continue_()
    page.wait_for_selector('#piles small:has-text("#fog #night")')


def test_a_case_that_is_gone_is_said_and_the_others_are_listed(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "Still here")
    gone = f"{page.url.partition('#')[0]}#{'0' * 16}"
    page.goto("about:blank")  # else the page would see a change of its address, not an opening
    page.goto(gone)
    page.wait_for_selector("#alert:not([hidden])")
    page.wait_for_selector('#piles .title:text-is("Still here")')
    assert page.is_visible("#new")
    open_case(page, "Still here")
    assert not page.is_visible("#alert")


def test_an_older_list_of_cases_does_not_replace_a_newer_one(open_page: Open) -> None:
    page = open_page()
    late = held(page, "/api/state", most=1)
    page.reload(wait_until="domcontentloaded")
    until(page, lambda: bool(late))
    make(page, FERRY, "Newer list")
    page.wait_for_selector('#piles .title:text-is("Newer list")')
    late[0].fulfill(json={"piles": [], "limits": {"sentences": 1, "bytes": 1}, "runs": []})
    page.wait_for_timeout(300)
    assert page.is_visible('#piles .title:text-is("Newer list")')


def test_what_went_wrong_stays_to_be_read(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "Refused")
    page.click(".sentence >> nth=1 >> .text")  # the reader renders itself when the case changes
    page.wait_for_selector("mark.here")
    page.route("**/corrections", lambda route: route.fulfill(status=400, json={"error": "not now"}))
    page.focus(".sentence >> nth=0")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_selector('#undo[data-count="0"]')
    solved(page)
    page.wait_for_timeout(300)
    assert page.inner_text("#alert-text") == "not now"
    assert page.inner_text(".sentence >> nth=0 >> .text").startswith("The ferry")


def test_the_focus_stays_when_the_case_is_solved_again(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "Focus")
    page.focus(".sentence >> nth=0")
    moved = page.get_attribute(".sentence >> nth=0", "data-id")
    focused = "document.activeElement.dataset.id"
    for count in (1, 2):  # by the keyboard alone, again and again
        page.keyboard.press("Alt+ArrowDown")
        page.wait_for_selector(f'#undo[data-count="{count}"]')
        assert page.evaluate(focused) == moved
        solved(page)
        assert page.evaluate(focused) == moved
    assert page.locator(".sentence").last.get_attribute("data-id") == moved


@pytest.mark.slow
def test_a_cancelled_job_can_be_started_again(open_page: Open) -> None:
    page = open_page()
    page.fill("#text", "\n".join(f"The {n}th boat came in at noon." for n in range(400)))
    page.click("#go")
    page.wait_for_selector("#job:not([hidden])")
    page.click("#cancel")
    page.wait_for_selector("#unsolved:not([hidden])")
    assert not page.is_visible("#working")
    page.click("#solve")
    page.wait_for_selector("#job:not([hidden])")
    assert page.is_visible("#working") and not page.is_visible("#unsolved")
    page.click("#cancel")
    page.wait_for_selector("#unsolved:not([hidden])")


def test_a_server_that_is_away_for_a_while(open_page: Open) -> None:
    page = open_page()
    make(page, FERRY, "Away")
    page.route("**/api/jobs/*", lambda route: route.abort("connectionrefused"))
    page.focus(".sentence >> nth=0")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_selector('#alert:has-text("does not answer")')
    page.unroute_all()
    solved(page)
    assert not page.is_visible("#alert")
