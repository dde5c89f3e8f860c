"""Who is in a case, and when: people who write, dates as people write them, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
SOLVED = '#case[data-solved="true"]'
CHAT = """19/12/2023, 08:11 - Karim Haddad: Is anyone seeing the loss on the cable?
19/12/2023, 08:12 - Omar: yes, the cable is gone since seven
19/12/2023, 08:14 - Layla Nasser: two cables or three?
19/12/2023, 08:15 - Omar: three I think
19/12/2023, 08:25 - Karim Haddad: I write to the customers now"""
MAIL = """From: Mona Aziz <mona@example.org>
To: noc@example.org
Date: Tue, 19 Dec 2023 11:02:00 +0200
Subject: Cables down
Content-Type: text/plain

Three of the cables went down this morning.
The repair ship leaves on 21 December 2023.
"""


def make(page: Any, folder: Path, name: str, **texts: str) -> None:
    files = []
    for stem, text in texts.items():
        files.append(folder / (f"{stem}.eml" if text.startswith("From:") else f"{stem}.txt"))
        files[-1].write_text(text, encoding="utf-8")
    if not page.is_visible("#new"):
        page.click("#new-open")
    page.set_input_files("#files", [str(file) for file in files])
    page.fill("#name", name)
    page.fill("#stories", "1")
    page.click("#go")
    page.wait_for_selector(f'#pile-title:text-is("{name}")')
    page.wait_for_selector(SOLVED)


def shown(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        ".sentence .text", "all => all.map(one => one.textContent)"
    )
    return found


@pytest.mark.slow
def test_people_who_write_are_found_filtered_renamed_and_merged(
    open_page: Open, tmp_path: Path
) -> None:
    page = open_page()
    make(page, tmp_path, "Night shift", chat=CHAT)
    page.click("#tab-people")
    page.click('#people-list .name:text-is("Layla Nasser")')  # nobody speaks of her: she writes
    page.wait_for_selector("#view-stories")
    assert shown(page) == ["two cables or three?"]
    page.click("#filter-clear")
    page.click("#tab-people")
    page.click('[aria-label="Rename Layla Nasser"]')
    page.fill("#field-name", "Layla N.")
    page.keyboard.press("Enter")
    page.wait_for_selector('#people-list .name:text-is("Layla N.")')
    page.click('[aria-label="Merge Omar with another"]')
    page.select_option("#field-other", "Layla N.")
    page.click('#dialog button:text-is("Merge")')
    page.wait_for_selector('#undo[data-count="2"]')
    page.wait_for_selector(SOLVED)
    names = page.eval_on_selector_all("#people-list .name", "all => all.map(n => n.textContent)")
    assert "Omar" in names and not {"Layla N.", "Layla Nasser"} & set(names)
    page.click('#people-list .name:text-is("Omar")')
    assert "two cables or three?" in shown(page) and "three I think" in shown(page)


@pytest.mark.slow
def test_an_actor_who_is_two_people_is_split(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    text = "Karim Haddad opened the shop in Tyre. Karim Haddad painted the boat. He sold the boat."
    make(page, tmp_path, "Namesakes", report=text)
    page.click("#tab-people")
    page.click('[aria-label="Split Karim Haddad in two"]')
    page.fill("#field-name", "Karim the painter")
    page.select_option("#field-sentences", label="Karim Haddad painted the boat.")
    page.click('#dialog button:text-is("Split off")')
    page.wait_for_selector('#undo[data-count="1"]')
    page.wait_for_selector('#people-list .name:text-is("Karim the painter")')  # at once
    page.wait_for_selector(SOLVED)
    page.click('#people-list .name:text-is("Karim the painter")')
    assert shown(page) == ["Karim Haddad painted the boat."]
    page.click("#filter-clear")
    page.click("#undo")
    page.wait_for_selector(SOLVED)
    page.click("#tab-people")
    page.wait_for_selector('#people-list .name:text-is("Karim the painter")', state="detached")


@pytest.mark.slow
def test_dates_are_written_as_people_write_them(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, "Mail and chat", chat=CHAT, mail=MAIL)
    said = page.inner_text('.sentence:has-text("two cables or three")')
    assert said.count("19 Dec 2023 08:14") == 1  # when it was sent, not once more as its time
    ship = page.inner_text('.sentence:has-text("repair ship")')
    assert "21 Dec 2023" in ship and "2023-12-21" not in ship
    page.fill("#query", "repair ship")
    page.wait_for_selector('.found small:has-text("21 Dec 2023")')
    page.fill("#query", "")
    page.click("#tab-documents")
    page.wait_for_selector('.document small:has-text("19 Dec 2023 · Mona Aziz")')


def test_how_dates_are_written(open_page: Open) -> None:
    page = open_page()
    written = "edtf => import('/static/edtf.js').then(module => edtf.map(module.written))"
    forms = {
        "2008-12-19": "19 Dec 2008",
        "2008-12-19?": "~19 Dec 2008",
        "2008-12-19T08:11:00": "19 Dec 2008 08:11",
        "2008-01": "Jan 2008",
        "2008~": "~2008",
        "199X": "1990s",
        "XXXX-01": "Jan, year unknown",
        "2008-21": "spring 2008",
        "2008/2010": "2008 – 2010",
        "2008-01-02/..": "from 2 Jan 2008",
        "../2009": "until 2009",
        "what?": "what?",
    }
    assert page.evaluate(written, list(forms)) == list(forms.values())


@pytest.mark.slow
def test_filters_joined_cases_and_a_copy(open_page: Open, tmp_path: Path) -> None:
    page = open_page()
    make(page, tmp_path, "Only the mail", mail=MAIL)
    make(page, tmp_path, "Only the chat", chat=CHAT)
    page.click("#case-menu")
    page.click('.popup button:has-text("Join another case")')
    page.select_option("#field-pile", label="Only the mail")
    page.click('#dialog button:text-is("Join")')
    page.wait_for_selector('.sentence:has-text("repair ship")')
    page.wait_for_selector(SOLVED)
    assert len(shown(page)) == 7
    page.click("#filter-open")
    page.select_option("#filter-source", "mail.eml")
    assert len(shown(page)) == 2
    page.fill("#filter-from", "2023-12-20")
    page.press("#filter-from", "Tab")
    assert shown(page) == ["The repair ship leaves on 21 December 2023."]
    assert page.inner_text("#filter-open") == "Filter (2)"
    page.click("#filter-clear")
    page.select_option("#filter-sure", "low")
    assert all(
        int(one.split("\u00a0%")[0].split()[-1]) < 60
        for one in page.locator(".meta").all_inner_texts()
    )
    page.click("#filter-clear")
    page.click("#case-menu")
    page.click('.popup button:has-text("Duplicate")')
    page.wait_for_selector('#pile-title:text-is("Only the chat (copy)")')
    page.wait_for_selector(SOLVED)
    assert len(shown(page)) == 7
    page.click('#piles button:has-text("Only the mail")')  # it stays as it was
    page.wait_for_selector('#pile-title:text-is("Only the mail")')
    page.wait_for_selector(SOLVED)
    assert len(shown(page)) == 2
