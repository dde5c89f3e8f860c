"""What must be seen and reached on a desk and on a phone, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[..., Any]
SOLVED = '#case[data-solved="true"]'
TEXT = """Anna Holm left the harbour on 4 March 2024.
Mark Berg called Anna Holm on 5 March 2024.
Anna Holm told Mark Berg on 6 March 2024 that the ferry had sunk.
Mark Berg thanked Anna Holm on 7 March 2024.
"""
VIEWS = ("stories", "time", "clashes", "people", "documents", "notes")
WIDTH_OF = """(node, text) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(node).font;
    return pen.measureText(text).width;
}"""
ROOM_IN = """node => {
    const style = getComputedStyle(node);
    return node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}"""
# Boxes that scroll up and down inside another box that does, which hides what is in them.
NESTED = """view => [...document.querySelectorAll(`#view-${view} *`)].filter(node => {
    const scrolls = box => /auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight + 1;
    if (node.matches("textarea") || !scrolls(node)) return false;
    for (let box = node.parentElement; box; box = box.parentElement) if (scrolls(box)) return true;
    return false;
}).map(node => node.id || node.className)"""  # noqa: E501
EXTENT = "(({scrollWidth, scrollHeight}) => [scrollWidth, scrollHeight])(document.documentElement)"
SPINNER = 20  # pixels of the arrows of a number field


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_clipped_or_out_of_reach(open_page: Open, width: int) -> None:
    size = {"width": width, "height": 800}
    page = open_page(viewport=size, has_touch=True, is_mobile=width < 500)
    page.wait_for_selector("#new:not([hidden])")
    number = page.locator("#stories")
    assert number.get_attribute("placeholder") == "auto"
    assert number.evaluate(ROOM_IN) >= number.evaluate(WIDTH_OF, "auto") + SPINNER
    assert page.locator("label:has(#files)").inner_text() == "Choose files …"
    assert page.get_by_label("Choose files").count() == 1
    theme = page.locator("#theme").bounding_box()
    assert theme["x"] + theme["width"] <= width - 4 and theme["width"] >= 32

    page.fill("#text", TEXT + "".join(f"Day {n} was a quiet day.\n" for n in range(40)))
    page.fill("#stories", "1")
    page.click("#go")
    page.wait_for_selector(".sentence")
    page.wait_for_selector(SOLVED)
    for view in VIEWS:
        page.click(f"#tab-{view}")
        page.wait_for_timeout(200)
        across, down = page.evaluate(EXTENT)
        assert across <= width and down <= 800, view  # long lists scroll in their own box
        assert page.evaluate(NESTED, view) == [], view

    # The graph of events is as large as its drawing, or scrolls sideways.
    page.click("#tab-people")
    page.click("#graphs summary >> nth=0")
    cut = page.locator(".graph-scroll").evaluate(
        """box => { const [drawing] = box.children, all = drawing.getBoundingClientRect();
        return [box.scrollWidth < all.width - 1, box.clientHeight < all.height - 1]; }"""
    )
    assert cut == [False, False]

    # A tap on an event says it all in the reader, not in a tooltip; a menu has what dragging does.
    page.click("#tab-time")
    event = page.locator("#chart .event.told").first
    said = event.get_attribute("aria-label")
    event.tap()
    page.wait_for_selector("mark.here")
    assert said is not None and page.inner_text("mark.here") in said
    page.tap("#reader-close")
    page.click("#tab-stories")
    page.tap(".sentence >> nth=1 >> .more")
    for entry in ("Move …", "Into a new story", "Set its date …", "Write a note …"):
        assert page.is_visible(f'.popup button:has-text("{entry}")')
    page.touchscreen.tap(5, 790)  # anywhere else
    page.wait_for_selector(".popup", state="detached")
