from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.text.coref import Resolver, resolvers
from fabula.text.coref.measure import measure
from fabula.text.coref.names import acronym
from fabula.text.coref.sieve import Sieve
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def resolve(text: str) -> list[list[str]]:
    """The entities with more than one mention, each as the texts of its mentions."""
    (doc,) = Parser().parse([text])
    parsed = Parsed.of(doc)
    return [
        [parsed.span_text(span.start, span.end) for span in cluster]
        for cluster in Sieve().clusters(parsed)
        if len(cluster) > 1
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Smith left. Smith returned.", [["John Smith", "Smith"]]),
        ("Mr. John Smith left. Mary Smith stayed.", []),
        (
            "The International Monetary Fund objected. The IMF paid.",
            [["The International Monetary Fund", "The IMF"]],
        ),
        ("A tall clerk came. The clerk sat.", [["A tall clerk", "The clerk"]]),
        ("A tall clerk came. The short clerk sat.", []),
        ("A clerk came. A clerk sat.", []),
        ("Peter saw Mary. She smiled.", [["Mary", "She"]]),
        ("The farmer sold the horse. It limped.", [["the horse", "It"]]),
        ("The soldiers met the king. They knelt.", [["The soldiers", "They"]]),
        ("John admired himself.", [["John", "himself"]]),
        ("John saw him.", []),
        ("Anna sold her car.", [["Anna", "her"]]),
        ("When he arrived, Peter laughed.", [["he", "Peter"]]),
        ("Peter and Mary left. They laughed.", [["Peter and Mary", "They"]]),
        ('"I am tired," said Peter.', [["I", "Peter"]]),
        ("It was raining.", []),
        ("Jon Hale, a carpenter, left. The carpenter laughed.",
         [["Jon Hale", "a carpenter", "The carpenter"]]),
        ("I saw the sea. I swam. My dog barked.", [["I", "I", "My"]]),
    ],
)  # fmt: skip
def test_each_rule(text: str, expected: list[list[str]]) -> None:
    assert resolve(text) == expected


def test_a_mention_is_in_one_cluster_only() -> None:
    text = "Ann told her brother that he and she had lost their dog. It ran. They cried."
    (doc,) = Parser().parse([text])
    parsed = Parsed.of(doc)
    spans = [span for cluster in Sieve().clusters(parsed) for span in cluster]
    assert len(spans) == len(set(spans))
    assert all(0 <= s.start <= s.head < s.end <= len(parsed) for s in spans)


@pytest.mark.parametrize("text", ["", ".", "He.", "the the", "“I", "It it it"])
def test_hardly_any_text(text: str) -> None:
    assert resolve(text) == []


def test_the_protocol_has_two_methods() -> None:
    resolver: Resolver = Sieve()
    assert "sieve" in resolver.describe()
    assert {"sieve", "xrenner", "fastcoref", "coreferee", "none"} <= set(resolvers)


def test_initials() -> None:
    assert acronym(("university", "of", "sheffield")) == "us"


def test_measures_on_the_example_of_the_literature() -> None:
    # Vilain et al. (1995) and Bagga & Baldwin (1998): {1..5}, {6,7}, {8..C}; one link too many.
    key = [{1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12}]
    first = measure(key, [{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11, 12}])
    assert first["MUC"] == pytest.approx((1.0, 0.9, 18 / 19), abs=1e-9)
    assert first["B3"][0] == pytest.approx(1.0)
    assert first["B3"][1] == pytest.approx(0.762, abs=1e-3)


clusters = st.lists(st.sets(st.integers(0, 20), min_size=1), max_size=5).map(
    lambda groups: [g - set().union(*groups[:i]) for i, g in enumerate(groups)]
)


@given(clusters)
def test_a_perfect_answer_scores_one(key: list[set[int]]) -> None:
    key = [group for group in key if group]
    found = measure(key, key)
    linked = any(len(group) > 1 for group in key)
    assert found["B3"] == pytest.approx((1.0, 1.0, 1.0)) if key else True
    assert found["CEAF"] == pytest.approx((1.0, 1.0, 1.0)) if key else True
    assert found["MUC"] == pytest.approx((1.0, 1.0, 1.0)) if linked else True


@given(clusters, clusters)
def test_measures_lie_between_zero_and_one(key: list[set[int]], answer: list[set[int]]) -> None:
    found = measure([g for g in key if g], [g for g in answer if g])
    assert all(0 <= value <= 1 + 1e-9 for triple in found.values() for value in triple)
