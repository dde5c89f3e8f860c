from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from fabula.errors import UnknownName, UsageError
from fabula.salads.build.mix import MIN_SENTENCES, Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.types import Document


def document(
    name: str, *sizes: int, category: str | None = None, date: str | None = None
) -> Document:
    """Paragraphs of so many sentences, each sentence unlike any other."""
    paragraphs = [
        " ".join(f"Then {name} saw ship {place} of part {part} come in." for place in range(size))
        for part, size in enumerate(sizes)
    ]
    return Document(name, tuple(paragraphs), category=category, date=date)


def sources(*documents: Document) -> list[Source]:
    return read_sources(documents)[0]


def salads_of(recipe: str, *documents: Document, n: int = 50) -> list[Salad]:
    return list(build_salads(sources(*documents), recipe=recipe, n=n))


def pairs(salads: list[Salad]) -> set[tuple[str, ...]]:
    return {tuple(sorted(salad.documents)) for salad in salads}


FEW = [document(name, 8) for name in ("Ann", "Bob", "Cid", "Dot")]


def test_whole_paragraphs_until_there_are_enough_sentences() -> None:
    (source,) = sources(document("Ann", 5, 5, 5))
    assert len(source.sentences) == 10
    assert source.sentences[0] == "Then Ann saw ship 0 of part 0 come in."
    assert source.sentences[-1] == "Then Ann saw ship 4 of part 1 come in."
    assert len(sources(document("Ann", 8, 3))[0].sentences) == MIN_SENTENCES


def test_short_documents_are_counted_and_not_used() -> None:
    used, short = read_sources([document("Ann", 7), document("Bob", 4, 4), document("Cid", 3, 2)])
    assert [source.document.id for source in used] == ["Bob"]
    assert short == 2


def test_a_salad_holds_all_sentences_with_their_labels_and_places() -> None:
    (salad,) = salads_of("random", *FEW[:2])
    assert salad.labels is not None and salad.stories == 2
    for sentence, label, position in zip(
        salad.sentences, salad.labels, salad.positions, strict=True
    ):
        name = salad.documents[label]
        assert sentence == f"Then {name} saw ship {position} of part 0 come in."
    assert Counter(salad.labels) == {0: 8, 1: 8}
    assert salad.labels != tuple(sorted(salad.labels))


def test_all_different_salads_and_no_more() -> None:
    salads = salads_of("random", *FEW)
    assert pairs(salads) == set(combinations(("Ann", "Bob", "Cid", "Dot"), 2))
    assert len(salads) == 6 and len({salad.id for salad in salads}) == 6


def test_no_document_meets_itself() -> None:
    twice = [document("Ann", 8), document("Ann", 9), document("Bob", 8)]
    assert pairs(salads_of("random", *twice)) == {("Ann", "Bob")}


def test_only_documents_of_one_category_meet_and_none_is_no_category() -> None:
    given = [
        *(document(name, 8, category="floods") for name in ("Ann", "Bob")),
        *(document(name, 8, category="trials") for name in ("Cid", "Dot")),
        *(document(name, 8) for name in ("Eve", "Fay", "Gus")),
    ]
    assert pairs(salads_of("same-category", *given)) == {("Ann", "Bob"), ("Cid", "Dot")}


def test_only_documents_of_one_month_meet_and_a_year_is_no_month() -> None:
    given = [
        document("Ann", 8, date="2011-03-14"),
        document("Bob", 8, date="2011-03"),
        document("Cid", 8, date="2012-03-14"),
        document("Dot", 8, date="2011"),
        document("Eve", 8, date="2011"),
        document("Fay", 8),
        document("Gus", 8),
    ]
    assert pairs(salads_of("same-month", *given)) == {("Ann", "Bob")}


def test_the_same_seed_gives_the_same_salads_and_another_does_not() -> None:
    used = sources(*FEW)
    first, again, other = (list(build_salads(used, n=3, seed=s)) for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_n_limits() -> None:
    assert len(salads_of("random", *FEW, n=4)) == 4


def test_a_range_of_documents() -> None:
    made = list(build_salads(sources(*FEW), n=40, documents=(2, 3)))
    assert {salad.stories for salad in made} == {2, 3}
    assert all(len(salad.documents) == salad.stories for salad in made)
    every = list(build_salads(sources(*FEW), documents=(4, 9)))
    assert [salad.stories for salad in every] == [4]


def test_a_sentence_of_two_documents_has_both_labels() -> None:
    shared = "It rained all night."
    one = Document("Ann", (f"{FEW[0].text} {shared}",))
    two = Document("Bob", (f"{FEW[1].text} {shared}",))
    (salad,) = salads_of("random", one, two)
    places = [i for i, sentence in enumerate(salad.sentences) if sentence == shared]
    assert salad.labels is not None and len(places) == 2
    assert salad.also == {i: (1 - salad.labels[i],) for i in places}


def test_a_sentence_twice_in_one_document_has_one_label() -> None:
    one = Document("Ann", (f"{FEW[0].text} It rained. It rained.",))
    (salad,) = salads_of("random", one, FEW[1])
    assert salad.also == {}


def test_line_breaks_do_not_come_along() -> None:
    wrapped = Document("Ann", (FEW[0].text.replace("saw ship", "saw\nship"),))
    (salad,) = salads_of("random", wrapped, FEW[1])
    assert not any("\n" in sentence for sentence in salad.sentences)


def test_what_cannot_be_built_is_refused() -> None:
    used = sources(*FEW)
    with pytest.raises(UnknownName, match="unknown salad recipe 'same-moth': did you mean"):
        list(build_salads(used, recipe="same-moth"))
    with pytest.raises(UsageError, match="'same-category' finds no 2 documents that may meet"):
        list(build_salads(used, recipe="same-category"))
    with pytest.raises(UsageError, match="finds no 5 documents"):
        list(build_salads(used, documents=(5, 5)))
    for wrong in ((1, 2), (3, 2), (0, 0)):
        with pytest.raises(UsageError, match="2 documents or more"):
            list(build_salads(used, documents=wrong))


def test_a_pattern_selects_categories() -> None:
    given = [
        document(f"{name}{number}", 8, category=name)
        for name in ("Gulf War", "Conflict in Aceh", "Floods")
        for number in range(2)
    ]
    used = sources(*given)
    wars = list(build_salads(used, recipe="same-category", pattern="war|conflict"))
    assert pairs(wars) == {("Gulf War0", "Gulf War1"), ("Conflict in Aceh0", "Conflict in Aceh1")}
    with pytest.raises(UsageError, match=r"pattern 'peace'.* finds no 2 documents"):
        list(build_salads(used, recipe="same-category", pattern="peace"))
    with pytest.raises(UsageError, match="is no regular expression"):
        list(build_salads(used, recipe="same-category", pattern="war("))
    with pytest.raises(UsageError, match="the recipe 'random' knows none"):
        list(build_salads(used, pattern="war"))
