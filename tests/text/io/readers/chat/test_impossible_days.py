"""Days that do not exist in an export are no errors: the message stays, its day is unknown."""

from __future__ import annotations

from pathlib import Path

from fabula.assembly.pile import read_pile

LOG = """09:00 <ann> hello there
--- Day changed Thu Ddc 31 2020
09:01 <bob> hi
09:02 <ann> the ferry has sunk
09:03 <bob> it has
"""
PAGE = """<html><body><div class="history">
<div class="message default clearfix" id="message1"><div class="body">
<div class="pull_right date details" title="31.13.2020 10:00:00">10:00</div>
<div class="from_name">Ann</div><div class="text">The ferry has sunk.</div></div></div>
<div class="message default clearfix" id="message2"><div class="body">
<div class="pull_right date details" title="31.12.2020 10:01:00">10:01</div>
<div class="from_name">Bob</div><div class="text">It has.</div></div></div>
</div></body></html>
"""


def test_a_log_and_a_page(tmp_path: Path) -> None:
    for name, text in (("sea.log", LOG), ("messages.html", PAGE)):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        told = " ".join(" ".join(document.paragraphs) for document in read_pile(path))
        assert "ferry has sunk" in told
