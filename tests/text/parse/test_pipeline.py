"""The parser: our sentences are its sentences, long texts are no error, offsets are exact."""

from __future__ import annotations

import pytest

from fabula.errors import DamagedFile, MissingPart
from fabula.text import resources
from fabula.text.parse import pipeline as parse
from fabula.text.parse.pipeline import Parser
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document


def _missing() -> bool:
    import spacy

    if any(spacy.util.is_package(name) for name in parse.OFFICIAL):
        return False
    try:
        resources.locate("spacy-en")
    except (MissingPart, DamagedFile):
        return True
    return False


pytestmark = pytest.mark.skipif(
    _missing(), reason="no English spaCy pipeline; fabula resources install spacy-en"
)

DOCUMENT = Document(
    "storm",
    ("Mr. Hale can't swim! never\n- the boat sank", "Rain fell on Skelhaven. Ann\nslept."),
)


def test_tags_lemmas_dependencies_and_names() -> None:
    [doc] = Parser().parse(["John Smith sold boats in London."])
    assert [token.lemma_ for token in doc][2:4] == ["sell", "boat"]
    assert [token.dep_ for token in doc][1:4] == ["nsubj", "ROOT", "dobj"]
    assert [(entity.text, entity.label_) for entity in doc.ents] == [
        ("John Smith", "PERSON"),
        ("London", "GPE"),
    ]


def test_without_ner_there_are_no_names() -> None:
    [doc] = Parser(ner=False).parse(["John Smith lives in London."])
    assert not doc.ents
    assert doc.has_annotation("DEP")


def test_our_sentences_are_its_sentences() -> None:
    sentences = split_sentences(DOCUMENT)
    first, second = Parser(ner=False).parse_sentences([sentences, sentences[:1]])
    assert len(list(second.sents)) == 1
    assert len(list(first.sents)) == len(sentences)
    for ours, theirs in zip(sentences, first.sents, strict=True):
        assert theirs.text.strip() == ours.text.replace("\n", " ")
        for token in theirs:
            start = ours.start + token.idx - theirs.start_char
            found = DOCUMENT.paragraphs[ours.paragraph][start : start + len(token)]
            assert token.is_space or found == token.text


@pytest.mark.parametrize("text", ["", " \n ", "\x00", "😀\u200b", "x\r\ny"])
def test_odd_texts_survive(text: str) -> None:
    first, second = Parser().parse([text, "It rained."])
    assert (first.text, second.text) == (text, "It rained.")
    assert [len(doc) for doc in Parser().parse_sentences([[]])] == [0]


def test_a_text_too_long_for_spacy_is_parsed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Ann sold the boat. Bob wept. " * 20 + "no end " * 40 + "x" * 300
    [whole] = Parser(ner=False).parse([text])
    monkeypatch.setattr(parse, "MAX_CHARACTERS", 100)
    monkeypatch.setattr(parse.pipeline(), "max_length", 100)  # spaCy refuses what is longer
    [doc, short] = Parser(ner=False).parse([text, "Ann left."])
    assert doc.text == text and short.text == "Ann left."
    assert [token.idx for token in doc][:150] == [token.idx for token in whole][:150]
    [doc] = Parser(ner=False).parse_sentences([split_sentences("Ann sold the boat. " * 20)])
    assert [sentence.text.strip() for sentence in doc.sents] == ["Ann sold the boat."] * 20


def test_reading_each_does_not_grow_the_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "ZONE_TEXTS", 2)
    strings = parse.pipeline().vocab.strings
    words = [f"qwx{number}zyq" for number in range(5)]
    found = list(Parser(ner=False).each(lambda doc: str(doc[1].text), [f"The {w}." for w in words]))
    assert found == words
    assert not any(word in strings for word in words)


def test_the_pipeline_is_loaded_once_and_named() -> None:
    assert parse.pipeline() is parse.pipeline()
    assert Parser().model.startswith("en_core_web_")
