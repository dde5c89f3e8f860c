"""Ratings of judges, and metrics beside them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from fabula.bench.agreement import (
    Ratings,
    agree,
    compare_metrics,
    fit_metrics,
    krippendorff_alpha,
    partial_correlation,
    pearson,
    read_ratings,
    williams,
)
from fabula.cli import app
from fabula.errors import InputError

NAN = math.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units.
BOOK = np.array(
    [
        [1, 1, NAN, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [NAN, 5, 5, 5], [NAN, NAN, 1, 1],
        [NAN, NAN, 3, NAN],
    ]
)  # fmt: skip


def ratings(number: int = 40, seed: int = 0) -> Ratings:
    rng = np.random.default_rng(seed)
    good = rng.normal(size=number)
    values = np.clip(np.round(3 + good[:, None] + rng.normal(0, 0.5, (number, 3))), 1, 5)
    values[::7, 1] = NAN
    return Ratings(
        items=tuple(map(str, range(number))),
        judges=("a", "b", "c"),
        values=values,
        metrics={"near": good + rng.normal(0, 0.2, number), "far": rng.normal(size=number)},
        lengths=rng.integers(3, 9, number).astype(float),
        texts=tuple(str(i // 2) for i in range(number)),
        systems=tuple("xy"[i % 2] for i in range(number)),
    )


def test_alpha_of_the_book() -> None:
    assert krippendorff_alpha(BOOK) == pytest.approx(0.849, abs=5e-4)


def test_alpha_by_hand() -> None:
    # Items (1, 2) and (3, 3): observed 2 * 1, expected over all pairs of 1 2 3 3.
    observed = 2 * 1.0
    pooled = [1, 2, 3, 3]
    expected = sum((a - b) ** 2 for a in pooled for b in pooled) / 3
    assert krippendorff_alpha([[1, 2], [3, 3]]) == pytest.approx(1 - observed / expected)
    assert math.isnan(krippendorff_alpha([[2, 2], [2, 2]]))
    assert math.isnan(krippendorff_alpha([[1, NAN], [NAN, 2]]))
    assert abs(krippendorff_alpha(np.random.default_rng(0).integers(1, 6, (3000, 3)))) < 0.03


def test_alpha_as_the_package_of_that_name() -> None:
    package = pytest.importorskip("krippendorff")
    for seed in range(5):
        values = ratings(30, seed).values
        theirs = package.alpha(reliability_data=values.T, level_of_measurement="interval")
        assert krippendorff_alpha(values) == pytest.approx(theirs)


def test_pearson_with_all_flatters() -> None:
    found = agree(ratings(), resamples=200)
    values = ratings().values
    means = np.nanmean(values, axis=1)
    theirs = []
    for judge in range(3):
        known = ~np.isnan(values[:, judge])
        theirs.append(stats.pearsonr(values[known, judge], means[known]).statistic)
    assert found["pearson"] == pytest.approx(np.mean(theirs))
    assert found["leave_one_out"] < found["pearson"]
    assert found["alpha"]["low"] < found["alpha"]["value"] < found["alpha"]["high"]
    assert (found["items"], found["judges"], found["ratings"]) == (40, 3, 114)


def test_noise_agrees_with_itself_only_by_the_papers_way() -> None:
    rng = np.random.default_rng(0)
    given = ratings(2000)
    noise = Ratings(
        given.items, given.judges, rng.integers(1, 6, (2000, 3)).astype(float), {}, None,
        given.texts, given.systems,
    )  # fmt: skip
    found = agree(noise, resamples=10)
    assert found["pearson"] > 0.5 and abs(found["leave_one_out"]) < 0.06


def test_regressions() -> None:
    given = ratings()
    best, worst = fit_metrics(given, resamples=300)
    assert (best.metric, worst.metric) == ("near", "far")
    theirs = stats.linregress(given.metrics["near"], given.means)
    assert best.r2 == pytest.approx(theirs.rvalue**2)
    assert best.slope == pytest.approx(theirs.slope)
    assert best.intercept == pytest.approx(theirs.intercept)
    assert best.interval.low < best.r2 < best.interval.high
    again = fit_metrics(given, resamples=300)[0]
    assert again == best


def test_texts_are_resampled_whole() -> None:
    given = ratings()
    doubled = Ratings(
        tuple(map(str, range(80))), given.judges, np.repeat(given.values, 2, axis=0),
        {k: np.repeat(v, 2) for k, v in given.metrics.items()}, None,
        tuple(np.repeat(given.items, 2)), given.systems * 2,
    )  # fmt: skip
    alone = Ratings(
        doubled.items, doubled.judges, doubled.values, doubled.metrics, doubled.lengths,
        doubled.items, doubled.systems,
    )  # fmt: skip

    def width(some: Ratings) -> float:
        low, high = fit_metrics(some, resamples=400)[1].interval
        return high - low

    assert width(doubled) > 1.2 * width(alone)  # copies are no evidence


def test_partial_correlation_is_that_of_the_residuals() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=60)
    x, y = z + rng.normal(size=60), z + rng.normal(size=60)

    def residuals(v: Any) -> Any:
        line = stats.linregress(z, v)
        return v - line.slope * z - line.intercept

    expected = pearson(residuals(x), residuals(y))
    assert partial_correlation(x, y, z) == pytest.approx(expected)
    assert partial_correlation(x, y, np.full(60, 5.0)) == pytest.approx(pearson(x, y))


def test_williams_by_hand() -> None:
    r12, r13, r23, n = 0.6, 0.4, 0.5, 53
    k = 1 - 0.36 - 0.16 - 0.25 + 2 * 0.6 * 0.4 * 0.5
    t = 0.2 * math.sqrt(52 * 1.5 / (2 * 52 / 50 * k + 1.0 / 4 * 0.125))
    found, p = williams(r12, r13, r23, n)
    assert found == pytest.approx(t)
    assert p == pytest.approx(2 * stats.t.sf(t, 50))
    turned, same = williams(r13, r12, r23, n)
    assert turned == pytest.approx(-t) and same == pytest.approx(p)
    assert williams(0.5, 0.5, 0.9, 30) == (0.0, 1.0)
    assert math.isnan(williams(0.5, 0.4, 0.9, 3)[0])


def test_williams_is_right_as_often_as_it_says() -> None:
    """Two metrics equally near to a rating: five in a hundred come out below .05."""
    rng = np.random.default_rng(2)
    below = 0
    for _ in range(600):
        truth = rng.normal(size=40)
        one, two = truth + rng.normal(size=40), truth + rng.normal(size=40)
        rs = pearson(truth, one), pearson(truth, two), pearson(one, two)
        below += williams(*rs, 40)[1] < 0.05
    assert 0.02 < below / 600 < 0.09


def test_every_two_metrics_are_compared() -> None:
    (row,) = compare_metrics(ratings())
    assert (row["first"], row["second"]) == ("near", "far") and row["t"] > 3 and row["holm"] < 0.01


# The file and the command

HEAD = "item,judge,rating,text,system,n,tau\n"
GOOD = (
    "x1,a,4,1,x,5,.8\nx1,b,5,1,x,5,.8\nx2,a,1,2,x,6,.1\nx2,b,,2,x,6,.1\n"
    "y1,a,3,1,y,5,.5\ny1,b,2,1,y,5,.5\n"
)


def write(folder: Path, text: str) -> Path:
    path = folder / "r.csv"
    path.write_text(text)
    return path


def test_reading(tmp_path: Path) -> None:
    found = read_ratings(write(tmp_path, HEAD + GOOD))
    assert found.items == ("x1", "x2", "y1") and found.judges == ("a", "b")
    assert np.isnan(found.values[1, 1]) and found.means.tolist() == [4.5, 1.0, 2.5]
    assert found.metrics["tau"].tolist() == [0.8, 0.1, 0.5] and list(found.metrics) == ["tau"]
    assert found.texts == ("1", "2", "1") and found.systems == ("x", "x", "y")


def test_what_only_some_items_have_is_not_a_number_for_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(
        '{"item": "a", "judge": "x", "rating": 1, "n": 4}\n'
        '{"item": "b", "judge": "x", "rating": 2, "tau": 0.5}\n'
    )
    found = read_ratings(path)
    assert found.lengths is not None
    assert np.isnan(found.lengths).tolist() == [False, True]
    assert np.isnan(found.metrics["tau"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("item,judge\nx,a\n", r":2: 'rating' is missing"),
        (HEAD + "x1,a,good,1,x,5,.8\n", r":2: 'rating' is 'good', not a number"),
        (HEAD + GOOD + "x1,a,2,1,x,5,.8\n", r":8: judge 'a' has rated item 'x1' already"),
        (HEAD + GOOD + "x1,c,2,1,x,5,.7\n", r":8: item 'x1' has other values here"),
        (HEAD + "x1,a,,1,x,5,.8\n", "holds no ratings"),
    ],
)
def test_a_wrong_row_names_its_line(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=problem):
        read_ratings(path)
    done = CliRunner().invoke(app, ["agreement", str(path)])
    assert done.exit_code == 2 and "Traceback" not in done.output


def test_the_command(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + GOOD)
    done = CliRunner().invoke(app, ["agreement", str(path), "-o", str(tmp_path / "f"), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["items"] == 3 and told["metrics"][0]["metric"] == "tau"
    assert sorted(p.name for p in (tmp_path / "f").iterdir()) == ["rating-tau.svg", "ratings.svg"]
    shown = CliRunner().invoke(app, ["agreement", str(path)]).stdout
    assert "Krippendorff's alpha" in shown and "R²" in shown
    refused = CliRunner().invoke(app, ["agreement", str(path), "-o", str(path)])
    assert refused.exit_code == 2 and "is a file" in refused.output
