from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from tests.ordering.peer import rouge_w

from fabula.bench.evaluate import evaluate
from fabula.errors import InputError, UnknownName, UsageError
from fabula.ordering import TASK
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import MEASURES, METRICS, lcs, score_orders, tau, wlcs
from fabula.ordering.wlcs import perfect_wlcs, weighted_lcs
from fabula.task import Score

orders = st.integers(2, 12).flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2))


def score(name: str, gold: tuple[int, ...], found: tuple[int, ...]) -> Score:
    n = len(gold)
    text = Text("a", tuple(f"Unit {i}." for i in range(n)), gold)
    return METRICS[name](text, Order(found, np.full((n, n), 0.5, dtype=np.float32)))


# The values of py-rouge with weight factor 1.2, as the ordering paper reports them.
@pytest.mark.parametrize(
    ("n", "perfect"),
    [
        (1, 1.0), (2, 0.9308), (3, 0.8906), (5, 0.8404), (8, 0.7950),
        (10, 0.7737), (20, 0.7091), (30, 0.6724),
    ],
)  # fmt: skip
def test_wlcs_of_the_right_order(n: int, perfect: float) -> None:
    assert wlcs(range(n), range(n)) == pytest.approx(perfect, abs=5e-5)


@pytest.mark.parametrize(("n", "worst"), [(2, 0.465), (5, 0.168), (10, 0.077)])
def test_wlcs_of_the_reversed_order(n: int, worst: float) -> None:
    assert wlcs(range(n), range(n)[::-1]) == pytest.approx(worst, abs=5e-4)


@pytest.mark.parametrize(("n", "expected"), [(2, 0.698), (5, 0.442)])
def test_wlcs_of_a_random_order(n: int, expected: float) -> None:
    assert mean(wlcs(range(n), order) for order in permutations(range(n))) == pytest.approx(
        expected, abs=5e-4
    )


@pytest.mark.parametrize(("n", "expected"), [(10, 0.293), (30, 0.145)])
def test_wlcs_of_many_random_orders(n: int, expected: float) -> None:
    rng = np.random.default_rng(0)
    found = weighted_lcs(np.array([rng.permutation(n) for _ in range(4000)]))
    assert found.mean() == pytest.approx(expected, abs=0.004)


def test_wlcs_is_py_rouge_to_the_last_digit() -> None:
    rng = np.random.default_rng(1)
    compared = 0
    for n in range(1, 13):
        # Random orders, and right ones with a few units moved: long runs and their ties.
        orders = [rng.permutation(n).tolist() for _ in range(150)]
        for _ in range(150):
            order = list(range(n))
            for _ in range(int(rng.integers(0, 3))):
                order.insert(int(rng.integers(0, n)), order.pop(int(rng.integers(0, n))))
            orders.append(order)
        ours = weighted_lcs(np.array(orders))
        theirs = [rouge_w(range(n), order) for order in orders]
        assert ours.tolist() == theirs
        compared += len(orders)
    assert compared == 3600


@given(orders)
def test_wlcs_names_and_pairs_as_py_rouge(both: tuple[list[int], list[int]]) -> None:
    assert wlcs(*both) == rouge_w(*both)


def test_wlcs_is_not_symmetric() -> None:
    pairs = [(a, b) for a in permutations(range(4)) for b in permutations(range(4))]
    assert any(wlcs(a, b) != pytest.approx(wlcs(b, a)) for a, b in pairs)


@given(st.integers(1, 40))
def test_the_ceiling_of_wlcs(n: int) -> None:
    assert perfect_wlcs(n) == pytest.approx(wlcs(range(n), range(n)), abs=1e-12)
    assert score("WLCS-l-share", tuple(range(n)), tuple(range(n))).total == pytest.approx(
        float(n > 1)
    )


def test_wlcs_drops_a_gold_unit_on_a_tie() -> None:
    # Of 0 2 1 either 0 1 or 0 2 can be kept. As py-rouge's, the trace drops the gold unit first:
    # 0 1 stay, a run of two. Precision (2^1.2 / 3^1.2)^(1/1.2), recall (2^1.2 / 3^1.44)^(1/1.2).
    precision, recall = 2 / 3, 2 / 3**1.2
    expected = 2 * precision * recall / (precision + recall)
    assert wlcs([0, 1, 2], [0, 2, 1]) == pytest.approx(expected)


@given(orders)
def test_wlcs_rewards_the_right_order_most(both: tuple[list[int], list[int]]) -> None:
    gold, found = both
    assert 0 < wlcs(gold, found) <= wlcs(gold, gold)


@given(orders)
def test_tau_as_scipy(both: tuple[list[int], list[int]]) -> None:
    gold, found = both
    theirs = kendalltau(np.argsort(gold), np.argsort(found)).statistic
    assert tau(gold, found) == pytest.approx(theirs)


def test_tau_by_hand() -> None:
    assert tau([2, 0, 1], [2, 0, 1]) == 1.0
    assert tau([2, 0, 1], [1, 0, 2]) == -1.0
    assert tau([0, 1, 2, 3], [0, 1, 3, 2]) == pytest.approx(2 / 3)
    assert tau([0], [0]) == 1.0


def test_pmr_and_acc() -> None:
    assert score("PMR", (2, 0, 1), (2, 0, 1)) == Score(1.0)
    assert score("PMR", (2, 0, 1), (0, 2, 1)) == Score(0.0)
    assert score("Acc", (2, 0, 1), (0, 2, 1)) == Score(1.0, 3.0)
    assert score("Acc", (2, 0, 1), (2, 0, 1)) == Score(3.0, 3.0)


def test_the_other_measures_by_hand() -> None:
    right, found = (3, 0, 1, 2, 4), (0, 1, 3, 2, 4)  # ranks 1 2 0 3 4
    expected = {
        "PMR": (0.0, 1.0),
        "Acc": (2.0, 5.0),
        "Acc-text": (0.4, 1.0),
        "tau": (0.6, 1.0),  # two inversions of ten
        "Rouge-S": (0.8, 1.0),
        "LCS": (0.8, 1.0),
        "within@1": (4.0, 5.0),
        "within@2": (5.0, 5.0),
        "within@3": (5.0, 5.0),
        "head": (0.0, 1.0),
        "tail": (1.0, 1.0),
        "repaired": (0.0, 1.0),
    }
    for name, (total, count) in expected.items():
        one = score(name, right, found)
        assert one.total == pytest.approx(total), name
        assert one.count == count, name


def longest_common(gold: list[int], found: list[int]) -> int:
    table = np.zeros((len(gold) + 1, len(found) + 1), dtype=int)
    for i, one in enumerate(gold):
        for j, other in enumerate(found):
            up, left = table[i, j + 1], table[i + 1, j]
            table[i + 1, j + 1] = table[i, j] + 1 if one == other else max(up, left)
    return int(table[-1, -1])


@given(orders)
def test_lcs_as_the_textbook_has_it(both: tuple[list[int], list[int]]) -> None:
    assert lcs(*both) == pytest.approx(longest_common(*both) / len(both[0]))


def many(number: int, seed: int = 0) -> tuple[list[Text], list[Order]]:
    rng = random.Random(seed)
    texts, answers = [], []
    for index in range(number):
        n = rng.randint(1, 12)
        units = tuple(f"Unit {i}." for i in range(n))
        texts.append(Text(f"{index}", units, tuple(rng.sample(range(n), n))))
        found = tuple(rng.sample(range(n), n))
        answers.append(Order(found, np.full((n, n), 0.5, dtype=np.float32), index % 3 == 0))
    return texts, answers


def test_many_texts_at_once_score_as_each_alone() -> None:
    texts, answers = many(200)
    together = score_orders(texts, answers)
    assert list(together) == list(METRICS)
    for name, (totals, counts) in together.items():
        alone = [METRICS[name](text, answer) for text, answer in zip(texts, answers, strict=True)]
        assert totals.tolist() == [one.total for one in alone]
        assert counts.tolist() == [one.count for one in alone]
    assert TASK.score_many is score_orders


def test_texts_of_one_unit_can_count_as_right() -> None:
    texts, answers = many(60)
    short = np.array([len(text.units) == 1 for text in texts])
    assert short.any()
    kept = score_orders(texts, answers, ["PMR", "Acc", "tau", "WLCS-l"], single="one")
    for totals, counts in kept.values():
        assert (totals[short] == 1).all() and (counts[short] == 1).all()
    with pytest.raises(UsageError, match="'drop' or 'one', not 'keep'"):
        score_orders(texts, answers, single="keep")


@pytest.mark.parametrize("name", METRICS)
def test_one_unit_takes_no_part(name: str) -> None:
    assert score(name, (0,), (0,)) == Score(0.0, 0.0)


@pytest.mark.parametrize("name", METRICS)
def test_a_text_without_gold_cannot_be_scored(name: str) -> None:
    answer = Order((0, 1), np.full((2, 2), 0.5, dtype=np.float32))
    with pytest.raises(UsageError, match="text 'a' has no gold order"):
        METRICS[name](Text("a", ("One.", "Two.")), answer)


def test_names_of_units_do_not_matter() -> None:
    rng = random.Random(0)
    gold, found, names = (rng.sample(range(9), 9) for _ in range(3))
    renamed = [names[i] for i in gold], [names[i] for i in found]
    assert tau(*renamed) == tau(gold, found)
    assert wlcs(*renamed) == pytest.approx(wlcs(gold, found))


def test_what_cannot_be_ordered_takes_no_part_and_is_counted(tmp_path: Path) -> None:
    texts = [Text(str(i), ("a", "b", "c"), (2, 0, 1)) for i in range(6)]
    whole = evaluate("ordering", texts, "random")
    more = evaluate("ordering", [*texts, Text("one", ("alone",), (0,))], "random")
    assert more.metrics["PMR"] == whole.metrics["PMR"]  # Wilson's interval, of the six
    assert more.metrics["tau"].value == whole.metrics["tau"].value
    assert more.notes == ("1 of the 7 items cannot be scored and take no part",)
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "units": ["one", "two"]}\n')
    with pytest.raises(InputError, match=r"x\.jsonl: text 'a' has no gold order"):
        evaluate("ordering", path, "random")


def test_metrics_are_named_once_or_refused() -> None:
    texts, orders = [Text("a", ("x", "y"), (1, 0))], [Order((1, 0), np.full((2, 2), 0.5))]
    assert list(score_orders(texts, orders, iter(["PMR", "tau"]))) == ["PMR", "tau"]
    with pytest.raises(UnknownName, match="unknown metric 'Tau'"):
        score_orders(texts, orders, ["Tau"])


def lin_by_hand(ranks: tuple[int, ...], weight: float) -> float:
    """Lin 2004, section 5: c(i, j) and w(i, j) cell by cell; then equations 5 to 7."""
    n = len(ranks)
    table = [[0.0] * (n + 1) for _ in range(n + 1)]
    run = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if ranks[j - 1] == i - 1:
                k = run[i - 1][j - 1]
                table[i][j] = table[i - 1][j - 1] + (k + 1) ** weight - k**weight
                run[i][j] = k + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    precision = (table[n][n] / n**weight) ** (1 / weight)
    recall = (table[n][n] / (n**weight) ** weight) ** (1 / weight)
    return float(2 * precision * recall / (precision + recall))


def test_wlcs_is_on_offer_as_lin_and_as_py_rouge_compute_it() -> None:
    every = list(permutations(range(6)))
    lin, rouge = (MEASURES[name](np.array(every))[0] for name in ("WLCS-l-lin", "WLCS-l"))
    np.testing.assert_allclose(lin, [lin_by_hand(ranks, 1.2) for ranks in every], atol=1e-12)
    differ = np.mean(np.abs(lin - rouge) > 1e-9)
    assert 0.5 < differ < 0.6  # of 720 permutations
    assert lin[0] == pytest.approx(rouge[0])  # the perfect order
