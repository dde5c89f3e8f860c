"""The page, the card and the summary say what was found, and nothing else."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from tests.audit.toy import make

from fabula.audit import Audit, audit, audit_page, card, summary
from fabula.endings.items import Ending


@pytest.fixture(scope="module")
def leaky() -> Audit:
    items = [
        Ending(i.id, i.context, tuple(f"{o} indeed sir" if p == i.gold else o
                                      for p, o in enumerate(i.options)), i.gold)
        for i in make(150)
    ]  # fmt: skip
    return audit(items, parsed=0, name="toy.jsonl")


def shown(done: Audit) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(summary(done))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_the_page_stands_alone(leaky: Audit) -> None:
    page = audit_page(leaky)
    assert page.count("<svg") >= 5 and "prefers-color-scheme: dark" in page
    assert not re.search(r'(?:src|href)="(?!#)', page) and "<script" not in page
    assert "This data gives many answers away" in page and "Items to look at" in page
    for finding in leaky.findings:
        assert f'id="{finding.name}"' in page
    assert audit_page(leaky) == page


def test_the_summary_is_short(leaky: Audit) -> None:
    text = shown(leaky)
    assert text.startswith("This data gives many answers away.")
    assert len(text.splitlines()) < 25 and "->" in text and " 3. " in text and " 4. " not in text
    assert "fingerprint" in text


def test_a_clean_audit_says_what_would_have_been_seen() -> None:
    done = audit(make(120), parsed=0, probes=["position", "options-only"])
    assert "No leak found" in shown(done) and "would be seen" in shown(done)
    assert "No leak found" in audit_page(done)


def test_the_card_is_a_markdown_table(leaky: Audit) -> None:
    lines = card(leaky).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert lines[0] == "## Known artefacts"
    assert all(line.count("|") - line.count("\\|") == 7 for line in table)
    assert any(line.startswith("| **options-only** |") for line in table)


def test_the_verb_is_the_package_too() -> None:
    import fabula

    assert fabula.audit(make(30), probes=["position"]).verdict == "clean"
    import fabula.audit as package

    assert package(make(30), probes=["position"]).items == 30  # type: ignore[operator]
