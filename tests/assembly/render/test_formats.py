from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from fabula.assembly import Assembly
from fabula.assembly.account.timeline import TimelineEntry
from fabula.assembly.render.formats import to_html, to_json, to_markdown
from fabula.assembly.render.terminal import to_terminal
from fabula.assembly.types import Contradiction, Side
from fabula.types import Narrative, Placed, Sentence

NASTY = "He typed <script>alert('&')</script> and *left* [now](x) a_b `c` #1 | \\ end."


def narrative(number: int, title: str, *texts: str, source: str | None = "a.txt") -> Narrative:
    placed = tuple(
        Placed(Sentence(text, source, 10 * number + place), place, 0.61234)
        for place, text in enumerate(texts, 1)
    )
    return Narrative(number, title, placed, 0.71239)


@pytest.fixture
def assembly() -> Assembly:
    stories = (
        narrative(1, "Rook", "Rook sailed.", "Rook <b>drowned</b>."),
        narrative(2, "<i>", NASTY),
    )
    return Assembly(stories, ("Story 2: <order> unsure.",))


def test_json_is_as_documented(assembly: Assembly) -> None:
    data = json.loads(json.dumps(to_json(assembly)))
    assert data.keys() >= {"stories", "contradictions", "gaps", "notes"}
    assert data["notes"] == ["Story 2: <order> unsure."]
    for story in data["stories"]:
        assert story.keys() >= {"id", "title", "sentences", "actors", "events"}
    assert data["stories"][0]["sentences"][1] == {
        "text": "Rook <b>drowned</b>.",
        "source": "a.txt",
        "line": 12,
        "document": None,
        "paragraph": 0,
        "position": 2,
        "probability": 0.6123,
        "id": "",
        "repeat_of": None,
        "runner_up": None,
        "why": [],
        "sender": None,
        "time": None,
        "fixed": False,
        "when": None,
        "also_in": [],
        "unordered": [],
    }


def test_markdown_keeps_text_as_text(assembly: Assembly) -> None:
    text = to_markdown(assembly)
    assert "<" not in text and "&lt;script&gt;alert('&amp;')&lt;/script&gt;" in text
    assert r"\*left\* \[now\](x) a\_b \`c\` \#1 \| \\ end." in text
    assert text.startswith("## Story 1: Rook\n\n1. Rook sailed. _(a.txt:11, 61%)_\n2. ")
    assert text.endswith("\n") and "> Story 2: &lt;order&gt; unsure." in text


def test_markdown_keeps_a_sentence_on_its_line() -> None:
    text = to_markdown(Assembly((narrative(1, "x", "One\n\n# two"),)))
    assert text.count("\n") == 3 and r"1. One \# two" in text


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_shows_text_as_text(assembly: Assembly) -> None:
    page = Page(to_html(assembly, title="<Storm>", score="CA <1"))
    assert not {"script", "b>", "i"} & set(page.tags) and page.tags.count("b") == 3  # positions
    for text in (
        NASTY,
        "Rook <b>drowned</b>.",
        "<Storm>",
        "CA <1",
        "Story 2: <order> unsure.",
        "of a.txt",
        "line 12",
    ):
        assert text in page.text
    assert "3 sentences in 2 stories" in page.text


def test_the_page_needs_nothing_else(assembly: Assembly) -> None:
    page = to_html(assembly)
    assert not re.search(r"https?://|//[a-z]|url\(|@import|\ssrc=|\shref=", page)
    assert not {"link", "script", "img", "iframe"} & set(Page(page).tags)
    assert not [name for name, _ in Page(page).attributes if name.startswith("on")]


def test_one_story_is_not_stories() -> None:
    page = Page(to_html(Assembly((narrative(1, "Rook", "Rook sailed."),))))
    assert "1 sentence in 1 story" in page.text


def shown(assembly: Assembly, width: int = 100) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(to_terminal(assembly))
    return capture.get()


def test_the_terminal_shows_everything(assembly: Assembly) -> None:
    text = " ".join(shown(assembly).split())
    assert "Story 1 Rook (2 sentences)" in text
    assert "1? Rook sailed. line 11" in text  # not sure that it belongs
    assert "[now](x)" in text, "square brackets are no markup"
    assert "Note: Story 2: <order> unsure." in text


@pytest.mark.parametrize("width", [60, 80])
def test_the_terminal_keeps_to_its_columns(assembly: Assembly, width: int) -> None:
    assert max(map(len, shown(assembly, width).splitlines())) <= width


def test_a_whole_sentence_that_clashes_is_shown_once() -> None:
    stories = (narrative(1, "x", "Rook came home."), narrative(2, "y", "Rook never came, at 9."))
    sides = Side(1, 1, "Rook came home."), Side(2, 1, "never")
    clashing = Assembly(stories, contradictions=(Contradiction("outcome", "rook", sides, 0.4),))
    for text in (shown(clashing), to_markdown(clashing), Page(to_html(clashing)).text):
        assert text.count("Rook came home.") == 2, "in its story and among the contradictions"
        assert text.count("never") == 3
    one, two = to_json(clashing)["contradictions"][0]["sides"]
    assert (one["value"], two["value"]) == ("Rook came home.", "never")


def test_the_terminal_names_files_when_there_are_several() -> None:
    two = Assembly((narrative(1, "x", "One."), narrative(2, "y", "Two.", source="b.txt")))
    text = shown(two)
    assert "A:11" in text and "B:21" in text
    assert "A a.txt" in text and "B b.txt" in text


def test_a_sentence_of_unknown_order_is_marked_where_it_stands() -> None:
    first, second, third = narrative(1, "x", "Rook sailed.", "It rained.", "He drowned.").sentences
    placed = (first, replace(second, unordered=(3,)), replace(third, unordered=(2,)))
    assembly = Assembly((Narrative(1, "x", placed),))
    text = shown(assembly)
    assert "3?≈ He" in text and "2? It" in text and "≈ may have happened before" in text
    assert to_markdown(assembly).count("may have happened before 2") == 1
    assert Page(to_html(assembly)).text.count("may have happened before 2") == 1
    assert [s["unordered"] for s in to_json(assembly)["stories"][0]["sentences"]] == [[], [3], [2]]


def test_line_breaks_of_a_file_are_spaces_where_a_sentence_is_shown() -> None:
    text = "The ferry left Aldermouth\nat nine\r\n  with the post."
    console = Console(width=100, color_system=None)
    with console.capture() as shown:
        console.print(to_terminal(Assembly((narrative(1, "Ferry", text),))))
    assert "The ferry left Aldermouth at nine with the post." in shown.get()


def test_markdown_says_who_sent_a_message() -> None:
    placed = Placed(Sentence("It *rained*.", "a.txt", 1), 1, 0.9, sender="Ann_1")
    shown = to_markdown(Assembly((Narrative(1, "Rain", (placed,), 0.9),)))
    assert "1. **Ann\\_1:** It \\*rained\\*." in shown


def test_a_side_says_who_told_it_and_when() -> None:
    stories = (narrative(1, "x", "Nine men died."), narrative(2, "y", "Ten men died."))
    sides = Side(1, 1, "Nine men", "police", "2009-05-04"), Side(2, 1, "Ten men")
    told = Assembly(stories, contradictions=(Contradiction("number", "men", sides, 0.8),))
    assert "2009-05-04, police" in shown(told)
    assert "a.txt:11, 2009-05-04, police)" in to_markdown(told)
    page = Page(to_html(told)).text
    assert "a.txt:11, 2009-05-04, police)" in page and "(conflict, 80%)" in page
    one, two = to_json(told)["contradictions"][0]["sides"]
    assert (one["date"], one["speaker"], two["date"]) == ("2009-05-04", "police", None)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_a_row_of_the_timeline_is_one_line(width: int) -> None:
    text = "The ferry left the harbour with " + "the post and " * 6 + "the last passengers."
    entries = tuple(TimelineEntry(f"{day} September 2011 night", 1, 1, True) for day in range(45))
    lines = shown(Assembly((narrative(1, "x", text),), timeline=entries), width).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("Timeline")) + 1
    for day, line in enumerate(lines[first : first + 40]):
        assert f"~{day} September 2011 night 1 The ferry" in line
    assert lines[first + 40].startswith("... and 5 more")
    assert "~" in lines[first - 1]
    told = Assembly((narrative(1, "x", text),), timeline=(TimelineEntry("1990", 1, 1, False),))
    assert "~" not in shown(told, width), "a mark that is not there needs no legend"
