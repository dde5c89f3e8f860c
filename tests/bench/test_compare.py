from __future__ import annotations

import dataclasses

import pytest
from tests.bench.toy import TOY, Judge, numbers

from fabula.bench.align import aligned
from fabula.bench.compare import compare, errors, leaderboard
from fabula.bench.evaluate import evaluate
from fabula.bench.runs.store import Run
from fabula.core.stats import mcnemar, paired_bootstrap
from fabula.errors import UnknownName, UsageError


def measured(slip: int, name: str, items: int = 60) -> Run:
    return evaluate(TOY, numbers(items), Judge(slip=slip, name=name))


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [measured(2, "bad"), measured(1000, "good"), measured(30, "fine")]


def test_pairs_are_tested_and_corrected(runs: list[Run]) -> None:
    rows = compare(runs)
    assert [(row.first, row.second) for row in rows] == [
        ("bad", "good"),
        ("bad", "fine"),
        ("good", "fine"),
    ]
    first = rows[0]
    bad, good = (run.items.totals["all_right"] for run in runs[:2])
    assert first.difference == pytest.approx(bad.mean() - good.mean())
    assert first.p_mcnemar == mcnemar(int((bad > good).sum()), int((bad < good).sum()))
    assert first.significant and first.low <= first.difference <= first.high < 0
    assert first.items == 60 and first.detectable is not None and 0 < first.detectable < 0.5
    assert not rows[2].significant
    assert all(row.p_holm >= (row.p_mcnemar or 0) for row in rows)


def test_pooled_metrics_use_the_bootstrap(runs: list[Run]) -> None:
    row = compare(runs[:2], "accuracy")[0]
    totals, counts = aligned(runs[:2], "accuracy")
    alone = paired_bootstrap(totals[:, 0], totals[:, 1], counts[:, 0], counts[:, 1])
    assert row.p_mcnemar is None
    assert (row.difference, row.low, row.high, row.p_bootstrap) == pytest.approx(tuple(alone))
    assert row.p_holm == row.p_bootstrap  # a single pair needs no correction


def test_many_pairs_do_not_hide_a_clear_difference() -> None:
    crowd = [measured(2 + n, f"m{n}", items=30) for n in range(8)] + [measured(1000, "good", 30)]
    rows = {(row.first, row.second): row for row in compare(crowd, "accuracy")}
    assert len(rows) == 36 and rows["m0", "good"].p_holm < 0.005


def test_equal_models_do_not_differ(runs: list[Run]) -> None:
    row = compare([runs[1], runs[1]])[0]
    assert (row.first, row.second) == ("good #1", "good #2")
    assert (row.difference, row.p_holm, row.detectable) == (0.0, 1.0, None)


def test_items_are_paired_by_id_not_by_place(runs: list[Run]) -> None:
    good = runs[1]
    turned = dataclasses.replace(
        good,
        items=dataclasses.replace(
            good.items,
            ids=good.items.ids[::-1],
            totals={name: values[::-1] for name, values in good.items.totals.items()},
            counts={name: values[::-1] for name, values in good.items.counts.items()},
        ),
    )
    straight, crossed = (compare([runs[0], run])[0] for run in (good, turned))
    assert straight == crossed


def test_runs_on_different_data_are_refused(runs: list[Run]) -> None:
    other = measured(3, "elsewhere", items=61)
    with pytest.raises(UsageError) as caught:
        compare([runs[0], other])
    for run in (runs[0], other):
        assert run.model in str(caught.value) and run.data["fingerprint"] in str(caught.value)
    with pytest.raises(UsageError, match="two runs or more"):
        compare(runs[:1])
    with pytest.raises(UnknownName, match="did you mean 'accuracy'"):
        compare(runs, "accurate")


def test_runs_without_a_common_metric_are_refused() -> None:
    one = evaluate(TOY, numbers(3), Judge(), metrics=["VI"])
    other = evaluate(TOY, numbers(3), Judge(), metrics=["accuracy"])
    with pytest.raises(UsageError, match="no metric in common"):
        compare([one, other])


def test_models_that_cannot_be_told_apart_share_ranks(runs: list[Run]) -> None:
    rows = leaderboard(runs)
    ranks = [(row.model, row.rank) for row in rows]
    assert ranks == [
        ("good", "1-2"),
        ("fine", "1-2"),
        ("bad", "3"),
    ]
    assert rows[0].value == 1.0 and rows[0].items == 60


def test_less_can_be_better(runs: list[Run]) -> None:
    rows = leaderboard(runs, "VI")
    assert [row.model for row in rows] == ["good", "fine", "bad"]
    assert rows[0].best == 1 and rows[-1].best == 3


def test_each_data_set_has_its_own_ranking(runs: list[Run]) -> None:
    rows = leaderboard([runs[0], measured(3, "elsewhere", items=61), runs[1]])
    ranks = [(row.model, row.rank) for row in rows]
    assert ranks == [
        ("good", "1"),
        ("bad", "2"),
        ("elsewhere", "1"),
    ]


def test_errors_show_who_rescues(runs: list[Run]) -> None:
    rows = errors(runs, metric="accuracy", below=0.9)
    assert [row.score for row in rows] == sorted(row.score for row in rows)
    assert rows[0].score == 0.0 and rows[0].others["good"] == 1.0
    assert "good" in rows[0].rescued_by
    assert errors(runs[1:]) == []
    assert all(row.rescued_by == () for row in errors(runs, below=1.0))  # nothing is over it
    assert {row.id for row in errors(runs, metric="VI", below=0.1)} == {row.id for row in rows}
