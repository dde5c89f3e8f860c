"""The page in a real browser: Debian's Chromium through Playwright."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PILE = """The ferry left the harbour at nine in thick fog.
Flour dust hung in the bakery at dawn.
The captain of the ferry sounded the horn at the harbour mouth.
The baker pulled forty loaves from the bakery oven.
Thirty passengers stood on the deck of the ferry.
The bakery sold every loaf of the baker before noon.
There were fifty passengers on the ferry when it left the harbour.
The baker swept the bakery floor and locked the door."""

Open = Callable[..., Any]
SOLVED = '#case[data-solved="true"]'


def assemble(page: Any, text: str = PILE, stories: str = "2") -> None:
    if not page.is_visible("#new"):
        page.click("#new-open")
    page.fill("#text", text)
    page.fill("#stories", stories)
    page.click("#go")
    page.wait_for_selector(SOLVED)


def texts(page: Any, story: int) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        f'.story[data-story="{story}"] .sentence .text',
        "all => all.map(one => one.textContent)",
    )
    return found


def settle(page: Any, number: int) -> None:
    """Until so many corrections are in and the answer is there."""
    page.wait_for_selector(f'#undo[data-count="{number}"]')
    page.wait_for_selector(SOLVED)


@pytest.mark.slow
def test_paste_drag_undo_and_export(open_page: Open) -> None:
    page = open_page()
    assemble(page)
    first, second = texts(page, 1), texts(page, 2)
    assert sorted(first + second) == sorted(PILE.splitlines())
    # Where accounts disagree: counted in the header, one click away.
    assert page.inner_text("#clash-count") == "1"
    page.click("#tab-clashes")
    said = page.inner_text("#clashes")
    assert "Thirty passengers" in said and "fifty passengers" in said
    page.click("#tab-stories")
    # A dragged sentence goes where it was dropped, and stays.
    target = page.locator('.story[data-story="2"] .sentence').first
    page.locator('.story[data-story="1"] .sentence').first.drag_to(target)
    settle(page, 1)
    assert texts(page, 2)[0] == first[0] and first[0] not in texts(page, 1)
    page.click("#undo")
    settle(page, 0)
    assert (texts(page, 1), texts(page, 2)) == (first, second)
    # Every export is what it says.
    for kind, start in (("html", "<!doctype html>"), ("md", "## Story"), ("json", "{")):
        page.click("#export")
        with page.expect_download() as download:
            page.click(f'.popup a[href$="/{kind}"]')
        assert Path(download.value.path()).read_text().startswith(start)
        page.wait_for_selector(".popup", state="detached")  # the menu does not stay open


def test_by_keyboard_alone(open_page: Open) -> None:
    page = open_page()
    assemble(page)
    first = texts(page, 1)
    page.focus('.story[data-story="1"] .sentence >> nth=0')
    page.keyboard.press("Alt+ArrowDown")
    settle(page, 1)
    assert texts(page, 1)[:2] == [first[1], first[0]]
    page.focus('.story[data-story="1"] .sentence >> nth=0')
    page.keyboard.press("m")
    page.select_option("#field-to", "new")
    page.focus('#dialog button[value="move"]')
    page.keyboard.press("Enter")
    settle(page, 2)
    assert texts(page, 3) == [first[1]]
    page.focus("#tab-assemble")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#panel-audit") and not page.is_visible("#panel-assemble")


def test_corrections_in_quick_succession_keep_their_order(open_page: Open) -> None:
    """A redo that the server sees after the next correction would be refused."""
    page = open_page()
    assemble(page)
    # A redo is long on its way; what comes after it must wait.
    page.evaluate(
        """() => { const send = window.fetch; window.fetch = async (path, options) => {
            if (path.endsWith("/redo")) await new Promise(done => setTimeout(done, 1500));
            return send(path, options);
        }; }"""
    )
    page.focus('.story[data-story="1"] .sentence >> nth=0')
    page.keyboard.press("Alt+ArrowDown")
    settle(page, 1)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+Z")
    page.focus('.story[data-story="2"] .sentence >> nth=0')
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_selector('#undo[data-count="2"]')
    page.wait_for_timeout(2500)
    kept = page.evaluate(
        """fetch(`/api/piles/${location.hash.slice(1)}`).then(answer => answer.json())
        .then(pile => pile.corrections.length)"""
    )
    assert kept == 2 and not page.is_visible("#alert")
    assert page.get_attribute("#undo", "data-count") == "2"


def test_dropped_files(open_page: Open) -> None:
    page = open_page()
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "../../evil <b>.txt", {type: "text/plain"}));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }""",
        PILE,
    )
    page.fill("#stories", "2")
    page.click("#go")
    page.wait_for_selector(".sentence")
    assert "evil _b_.txt:1" in page.inner_text("#stories-out")


def test_text_is_never_markup(open_page: Open) -> None:
    page = open_page()
    nasty = "<script>window.bad=1</script><img src=x onerror='window.bad=1'> said Ann at nine.\n"
    assemble(page, nasty + PILE, "")
    assert page.evaluate("window.bad") is None
    assert "<script>window.bad=1</script>" in page.inner_text("#stories-out")
    assert page.locator("#stories-out script, #stories-out img").count() == 0


def test_dark_and_on_a_phone(open_page: Open) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    ink = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ink) == "rgb(20, 22, 26)"
    page.click("#theme")
    assert page.evaluate(ink) == "rgb(246, 245, 241)"
    assemble(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#tab-audit")
    for part in page.locator("#audit > *").all():
        box = part.bounding_box()
        assert box is not None and box["x"] + box["width"] <= 390


@pytest.mark.slow
def test_ten_cases_at_once_do_not_mix(open_page: Open) -> None:
    words = "ferry river bakery museum school tunnel harbour orchard theatre mill".split()
    pages = [open_page() for _ in words]
    for page, word in zip(pages, words, strict=True):
        page.wait_for_selector("#new:not([hidden])")
        lines = [f"The {word} number {n} stood {n * 3} days under water." for n in range(6)]
        page.fill("#text", "\n".join(lines))
    for page in pages:
        page.click("#go")
    for page, word in zip(pages, words, strict=True):
        page.wait_for_selector(SOLVED)
        said = page.inner_text("#stories-out")
        assert word in said and not any(other in said for other in words if other != word)
        page.fill("#query", "water")  # the search of one case finds nothing of another
        page.wait_for_selector("#found-list[data-meaning='water']")
        found = page.inner_text("#found-list")
        assert word in found and not any(other in found for other in words if other != word)


@pytest.mark.slow
def test_ten_cases_open_while_workers_and_the_server_are_killed(
    open_page: Open, server: Any
) -> None:
    """Nothing is lost and nothing mixed: not the cases, not their corrections."""
    psutil = pytest.importorskip("psutil")
    words = "ferry river bakery museum school tunnel harbour orchard theatre mill".split()
    pages = [open_page() for _ in words]
    for page, word in zip(pages, words, strict=True):
        page.wait_for_selector("#new:not([hidden])")
        page.fill("#text", "\n".join(f"The {word} was seen {n} times." for n in range(2, 8)))
        page.fill("#name", word)
        page.fill("#stories", "1")
    for page in pages:
        page.click("#go")
    pages[-1].wait_for_selector("#job:not([hidden])")
    models = psutil.Process(server.process.pid).children()
    for worker in [worker for one in models for worker in one.children()]:
        worker.kill()  # in the middle of the jobs of some of the cases
    for page in pages:  # the page says which are not solved; they can be solved again
        page.wait_for_selector(f"{SOLVED}, #unsolved:not([hidden])")
        if page.is_visible("#unsolved"):
            page.click("#solve")
        page.wait_for_selector(SOLVED)
    kept = []
    for page in pages:
        first, second, *rest = texts(page, 1)
        kept.append([second, first, *rest])
        page.focus(".sentence >> nth=0")
        page.keyboard.press("Alt+ArrowDown")
        page.wait_for_selector('#undo[data-count="1"]')
    stored = "fetch('/api/state').then(answer => answer.json()).then(state => state.piles.length)"
    before = pages[0].evaluate(stored)
    pages[0].wait_for_function(
        """() => fetch('/api/piles/' + location.hash.slice(1)).then(answer => answer.json())
        .then(pile => pile.corrections.length === 1)"""
    )
    server.kill()
    server.start()
    for page, word, wanted in zip(pages, words, kept, strict=True):
        page.reload()
        page.wait_for_selector(f'#pile-title:text-is("{word}")')
        settle(page, 1)
        assert texts(page, 1) == wanted and all(word in text for text in wanted)
    assert pages[0].evaluate(stored) == before


def test_cancel_and_limits(open_page: Open, server: Any) -> None:
    page = open_page()
    page.fill("#text", "word " * 450_000)
    page.click("#go")
    page.wait_for_selector("#alert:not([hidden])")
    assert "2,000,000" in page.inner_text("#alert")
    page.fill("#text", "\n".join(f"The {n}th boat came in at noon." for n in range(500)))
    page.click("#go")
    page.wait_for_selector("#job:not([hidden])")
    page.click("#cancel")
    page.wait_for_selector("#unsolved:not([hidden])")
    assert page.locator(".sentence").count() == 0


@pytest.mark.slow
def test_a_data_set_is_audited(open_page: Open, tmp_path: Path) -> None:
    leaking = tmp_path / "leaking <b>.jsonl"
    rows = [
        {
            "id": f"{n}",
            "context": [f"Ann met friend {n} at the market.", "They bought bread."],
            "options": sorted([f"They ate bread {n} together.", f"Nobody was ever hungry {n}."]),
            "gold": 1,
        }
        for n in range(60)
    ]
    leaking.write_text("\n".join(json.dumps(row) for row in rows))
    page = open_page()
    page.click("#tab-audit")
    page.set_input_files("#audit-file", str(leaking))
    page.click("#audit button[type=submit], #audit button")
    page.wait_for_selector("#audit-out:not([hidden])")
    assert "60 items" in page.inner_text("#audit-out")
    assert "leaking <b>.jsonl" in page.inner_text("#audit-out h2")
    with page.context.expect_page() as opened:
        page.click("#audit-out a")
    opened.value.wait_for_load_state()
    assert "position" in opened.value.inner_text("body").lower()


def test_a_slow_start_holds_nothing_back(open_page: Open) -> None:
    """What the page asks for as it opens comes late: the form and the tabs work all the same."""
    page = open_page()
    late = []
    page.route("**/api/state", lambda route: late.append(route))
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector("#new")
    page.click("#tab-runs")
    while len(late) < 2:
        page.wait_for_timeout(50)
    for route in late:
        route.continue_()
    page.wait_for_selector("#runs-out td")


def test_runs_are_ranked(open_page: Open) -> None:
    page = open_page()
    page.click("#tab-runs")
    page.wait_for_selector("#runs-out td")
    assert "unif" in page.inner_text("#runs-out")
    with page.context.expect_page() as opened:
        page.click("#runs-report a")
    opened.value.wait_for_load_state()
    assert "unif" in opened.value.inner_text("body")


@pytest.mark.slow
def test_five_hundred_sentences_then_killed_and_restarted(open_page: Open, server: Any) -> None:
    page = open_page()
    lines = [f"{line} It was day {day}." for day in range(32) for line in PILE.splitlines()][:250]
    page.fill("#text", "\n".join(lines))
    page.fill("#stories", "2")
    page.click("#go")
    page.wait_for_selector("#job:not([hidden])")
    started = time.monotonic()
    page.click("#theme")  # the page answers while the job runs
    page.evaluate("fetch('/api/state').then(answer => answer.text())")
    assert time.monotonic() - started < 30  # waiting for the job would take longer
    server.kill()  # in the middle of the job
    server.start()
    page.reload()
    page.wait_for_selector(".sentence", timeout=300_000)  # how fast the machine is, is not tested
    page.wait_for_selector('#summary:has-text("500 sentences")')
    assert page.locator(".sentence").count() < 200  # only what is near view is in the document
    assert json.loads(page.evaluate("fetch('/api/state').then(answer => answer.text())"))["piles"]
