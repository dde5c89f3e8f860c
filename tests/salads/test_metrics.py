from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from fabula.errors import UsageError
from fabula.salads.items import Grouping, Salad
from fabula.salads.metrics import METRICS
from fabula.task import Score

Labels = tuple[int, ...]

labelings = st.integers(1, 10).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n).map(tuple)] * 2)
)


def score(name: str, gold: Labels, found: Labels, also: dict[int, Labels] | None = None) -> Score:
    salad = Salad("a", tuple(f"{i}" for i in range(len(gold))), gold, also or {})
    return METRICS[name](salad, Grouping(found, (1.0,) * len(found)))


def value(name: str, gold: Labels, found: Labels, also: dict[int, Labels] | None = None) -> float:
    result = score(name, gold, found, also)
    return result.total / result.count


def best_match(options: list[set[int]], found: Labels) -> float:
    """CA by trying every one-to-one matching of four found stories to four true ones."""
    return max(
        sum(match[label] in right for label, right in zip(found, options, strict=True))
        for match in permutations(range(4))
    ) / len(found)


def same_partition(one: Labels, other: Labels) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@given(labelings)
def test_ari_and_nmi_as_sklearn(both: tuple[Labels, Labels]) -> None:
    assert value("ARI", *both) == pytest.approx(adjusted_rand_score(*both))
    assert value("NMI", *both) == pytest.approx(normalized_mutual_info_score(*both), abs=1e-9)


@given(labelings)
def test_ca_is_the_best_matching(both: tuple[Labels, Labels]) -> None:
    gold, found = both
    assert value("CA", gold, found) == pytest.approx(best_match([{g} for g in gold], found))


@given(labelings, st.dictionaries(st.integers(0, 9), st.integers(0, 3).map(lambda g: (g,))))
def test_a_sentence_of_two_sources_is_right_under_both(
    both: tuple[Labels, Labels], also: dict[int, Labels]
) -> None:
    gold, found = both
    also = {index: more for index, more in also.items() if index < len(gold)}
    options = [{g, *also.get(i, ())} for i, g in enumerate(gold)]
    assert value("CA", gold, found, also) == pytest.approx(best_match(options, found))
    assert value("CA", gold, found, also) >= value("CA", gold, found) - 1e-12


def test_a_shared_sentence_by_hand() -> None:
    assert value("CA", (0, 0, 1, 1), (0, 1, 1, 1)) == 0.75
    assert value("CA", (0, 0, 1, 1), (0, 1, 1, 1), {1: (1,)}) == 1.0
    # The kindest label counts for every metric, not for CA alone.
    for name, best in (("ARI", 1.0), ("NMI", 1.0), ("VI", 0.0), ("exact_f1", 1.0), ("bcubed", 1.0)):
        assert value(name, (0, 0, 1, 1), (0, 1, 1, 1), {1: (1,)}) == pytest.approx(best), name


@given(labelings)
def test_vi_is_symmetric_and_nothing_only_for_the_same_partition(
    both: tuple[Labels, Labels],
) -> None:
    gold, found = both
    there, back = value("VI", gold, found), value("VI", found, gold)
    assert there == pytest.approx(back)
    assert (there < 1e-9) == same_partition(gold, found)
    assert there <= math.log2(len(gold)) + 1e-9


def test_vi_is_in_bits() -> None:
    assert value("VI", (0, 0, 1, 1), (0, 0, 0, 0)) == pytest.approx(1.0)
    assert value("VI", (0, 0, 1, 1), (0, 1, 0, 1)) == pytest.approx(2.0)


@given(labelings)
def test_bcubed_by_its_definition(both: tuple[Labels, Labels]) -> None:
    gold, found = both
    n = range(len(gold))

    def mean(told: Labels, true: Labels) -> float:
        """The share of each sentence's company that belongs with it, averaged."""
        company = [[j for j in n if told[j] == told[i]] for i in n]
        return sum(sum(true[j] == true[i] for j in company[i]) / len(company[i]) for i in n) / len(
            gold
        )

    precision, recall = mean(found, gold), mean(gold, found)
    expected = 2 * precision * recall / (precision + recall)
    assert value("bcubed", gold, found) == pytest.approx(expected)


def test_exact_f1_counts_stories_without_an_error() -> None:
    assert value("exact_f1", (0, 0, 1, 1), (1, 1, 0, 0)) == 1.0
    assert value("exact_f1", (0, 0, 1, 1, 2, 2), (0, 0, 1, 2, 2, 1)) == pytest.approx(1 / 3)
    assert value("exact_f1", (0, 0, 1, 1), (0, 1, 0, 1)) == 0.0
    assert value("exact_f1", (0, 0, 1), (0, 1, 2)) == pytest.approx(2 * 1 / (2 + 3))


def test_one_to_one_is_pooled_over_sentences() -> None:
    assert score("one_to_one", (0, 0, 1, 1), (0, 0, 0, 1)) == Score(3.0, 4.0)
    assert score("CA", (0, 0, 1, 1), (0, 0, 0, 1)) == Score(0.75, 1.0)


def test_k_right_looks_at_the_number_alone() -> None:
    assert value("k_right", (0, 0, 1), (7, 3, 3)) == 1.0
    assert value("k_right", (0, 0, 1), (0, 1, 2)) == 0.0
    assert value("k_right", (0, 0, 1), (0, 0, 0)) == 0.0


@given(labelings, st.permutations(range(4)))
def test_names_of_stories_do_not_matter(both: tuple[Labels, Labels], names: list[int]) -> None:
    gold, found = both
    renamed = tuple(names[label] * 11 for label in found)
    for name in METRICS:
        assert value(name, gold, renamed) == pytest.approx(value(name, gold, found)), name


@given(labelings)
def test_shares_stay_between_0_and_1(both: tuple[Labels, Labels]) -> None:
    for name in METRICS.keys() - {"VI", "ARI"}:
        assert -1e-9 <= value(name, *both) <= 1 + 1e-9, name
    perfect = [value(name, both[0], both[0]) for name in METRICS]
    assert perfect == pytest.approx([0.0 if name == "VI" else 1.0 for name in METRICS])


def test_a_salad_without_gold_cannot_be_scored() -> None:
    with pytest.raises(UsageError, match="salad 'a' has no labels"):
        METRICS["CA"](Salad("a", ("One.",)), Grouping((0,), (1.0,)))
