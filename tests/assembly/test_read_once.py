"""One ``assemble`` parses, tokenises and encodes each sentence once, whatever asks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fabula import assemble
from fabula.text.parse.pipeline import Parser
from fabula.text.transformer.onnx import Session
from fabula.text.transformer.spec import Backbone

# No other test has these sentences, so that nothing is remembered of them.
FIRST = [
    "The lugger Merrow struck a mole at Ansby on Tuesday.",
    "Divers pulled fourteen sailors from the Merrow.",
    "A hayloft burned at Ostwick on Friday.",
]
SECOND = [
    "The lugger Merrow struck the mole at Ansby on Wednesday.",
    "Divers pulled seventeen sailors from the Merrow.",
    "Two farmhands were hurt when the hayloft at Ostwick burned.",
]


class CountingTokenizer:
    def __init__(self, tokenizer: Any, seen: Counter[str]) -> None:
        self.tokenizer, self.seen = tokenizer, seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)

    def encode_batch(self, texts: list[str], **options: Any) -> Any:
        self.seen.update(texts)
        return self.tokenizer.encode_batch(texts, **options)


def test_each_sentence_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path))
    parsed: Counter[str] = Counter()
    tokenised: Counter[str] = Counter()
    encoded: Counter[tuple[int, str, tuple[int, ...]]] = Counter()
    each, run, tokenizer = Parser.each, Session.run, Backbone.tokenizer

    def counting_each(parser: Parser, read: Any, sources: Any) -> Any:
        found = list(sources)
        parsed.update(
            source if isinstance(source, str) else " ".join(part.text for part in source)
            for source in found
        )
        return each(parser, read, found)

    def counting_run(
        session: Session, ids: Sequence[int], second: Any = None, output: str = "states"
    ) -> Any:
        encoded[id(session), output, tuple(ids)] += 1
        return run(session, ids, second, output)

    monkeypatch.setattr(Parser, "each", counting_each)
    monkeypatch.setattr(Session, "run", counting_run)
    monkeypatch.setattr(
        Backbone, "tokenizer", lambda body: CountingTokenizer(tokenizer(body), tokenised)
    )
    answer = assemble([" ".join(FIRST), " ".join(SECOND)])
    assert answer.contradictions  # the step that compares pairs has run
    assert parsed == Counter([*FIRST, *SECOND])
    assert {text: tokenised[text] for text in (*FIRST, *SECOND)} == dict.fromkeys(parsed, 1)
    assert set(encoded.values()) == {1}
    assert len(encoded) > len(parsed)  # by more than one network


def test_networks_are_built_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assemble([" ".join(FIRST), " ".join(SECOND)])
    built: list[Any] = []
    monkeypatch.setattr(Session, "__init__", lambda session, *given, **more: built.append(given))
    again = assemble([" ".join(FIRST[:2]), " ".join(SECOND[:2])])
    assert again.contradictions and built == []
