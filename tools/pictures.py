"""Pictures of the page: the packaged case in Chromium in, docs/pictures/page-*.png out.

    python tools/pictures.py

Light and dark, on a desk and on a phone; at most 200 KB each (256 colours are enough for a page).
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

CASE = ROOT / "src/fabula/data/sample/case"
PICTURES = ROOT / "docs/pictures"
LARGEST = 200_000  # bytes
DESK, PHONE = {"width": 1360, "height": 820}, {"width": 390, "height": 780}


def stories(page: Any) -> None:
    page.click("#tab-stories")
    page.click('.story[data-story="3"] .sentence >> nth=3 >> .text')
    page.wait_for_selector("mark.here")


def plain(page: Any) -> None:
    page.click("#tab-stories")


def timeline(page: Any) -> None:
    page.click("#tab-time")


def disagreements(page: Any) -> None:
    page.click("#tab-clashes")


def search(page: Any) -> None:
    page.fill("#query", "who stole the silver")
    page.wait_for_selector("#found-list[data-meaning='who stole the silver']")


SHOTS: dict[str, tuple[dict[str, int], str, Callable[[Any], None]]] = {
    "page-stories": (DESK, "light", stories),
    "page-timeline-dark": (DESK, "dark", timeline),
    "page-disagreements": (DESK, "light", disagreements),
    "page-search-dark": (DESK, "dark", search),
    "page-phone": (PHONE, "light", plain),
    "page-phone-dark": (PHONE, "dark", timeline),
}


def main() -> int:
    """Solve the packaged case once, open it for every picture."""
    from benchmarks.page import CHROMIUM, served
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise SystemExit("no Chromium here; install it with: apt-get install chromium")
    with served() as (url, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(url)
        page.wait_for_selector("#new:not([hidden])")
        page.set_input_files("#files", [str(path) for path in sorted(CASE.iterdir())])
        page.fill("#name", "Ravensey, March 2024")
        page.click("#go")
        page.wait_for_selector(".sentence")
        link = f"{url}#{page.url.partition('#')[2]}"
        for name, (size, scheme, show) in SHOTS.items():
            context = browser.new_context(viewport=size, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(600_000)
            page.goto(link)
            page.wait_for_selector(".sentence")
            show(page)
            page.wait_for_timeout(400)
            (PICTURES / f"{name}.png").write_bytes(_small(page.screenshot()))
            context.close()
        browser.close()
    return 0


def _small(png: bytes) -> bytes:
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(128)
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    if out.tell() > LARGEST:
        raise ValueError(f"a picture of {out.tell():,} bytes; {LARGEST:,} are allowed")
    return out.getvalue()


if __name__ == "__main__":
    raise SystemExit(main())
