from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabula.cli.app import app
from fabula.errors import InputError
from fabula.pairs.build import TopicDocument, build_pairs, read_topic_documents

FIRST = TopicDocument("1", "fires", "mill", ("The mill burned.", "Rain fell."))
SECOND = TopicDocument("2", "fires", "mill", ("Fire took the mill.",))
OTHER = TopicDocument("3", "fires", "barn", ("The barn burned.",))


def test_pairs_of_like_events_are_not_the_same_and_others_are_not_labelled() -> None:
    pairs = build_pairs([FIRST, SECOND, OTHER])
    assert {pair.same for pair in pairs} == {False, None}
    assert all("barn" in pair.a + pair.b for pair in pairs if pair.same is False)
    assert [pair.id for pair in pairs] == [str(i) for i in range(1, len(pairs) + 1)]


def test_annotated_sentences_are_labelled_by_the_mentions_they_share() -> None:
    first = TopicDocument("1", "t", "e", FIRST.sentences, (frozenset({"burn"}), frozenset()))
    second = TopicDocument("2", "t", "e", SECOND.sentences, (frozenset({"burn"}),))
    pairs = build_pairs([first, second], context=True)
    assert {(pair.a, pair.same) for pair in pairs} == {
        ("The mill burned.", True),
        ("Rain fell.", False),
    }
    assert pairs[0].context_a == "The mill burned.\nRain fell."


def test_the_command_writes_pairs_and_their_card(tmp_path: Path) -> None:
    rows = [
        {"id": d.id, "topic": d.topic, "event": d.event, "sentences": list(d.sentences)}
        for d in (FIRST, SECOND, OTHER)
    ]
    source, target = tmp_path / "documents.jsonl", tmp_path / "pairs.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)))
    result = CliRunner().invoke(app, ["build", "pairs", str(source), "-o", str(target), "--json"])
    assert result.exit_code == 0, result.output
    assert len(target.read_text().splitlines()) == json.loads(result.output)["items"] > 0
    assert (tmp_path / "pairs.meta.json").exists()


def test_a_document_without_topic_is_named(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"id": "1", "sentences": ["One."]}')
    with pytest.raises(InputError, match="'topic'"):
        list(read_topic_documents(path))
