"""The two pictures of the README, taken from the page itself: ``python tools/pictures.py``."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.page import CHROMIUM, served  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"


def main() -> None:
    sample = (ROOT / "src/fabula/data/sample/tangled.txt").read_text(encoding="utf-8")
    with served() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(300_000)
        page.goto(url)
        page.fill("#text", sample)
        page.fill("#stories", "3")
        page.click("#go")
        page.wait_for_selector(".sentence")
        page.wait_for_selector("#job", state="hidden")
        page.screenshot(path=PICTURES / "stories.png")
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # no colour half changed
        page.evaluate("scrollTo(0, document.querySelector('#clashes').offsetTop - 60)")
        page.screenshot(path=PICTURES / "disagree.png")
        browser.close()


if __name__ == "__main__":
    main()
