from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabula.bench.evaluate import evaluate
from fabula.bench.topic_correlation import topic_correlation, topic_cosines
from fabula.errors import InputError, UsageError
from fabula.salads.items import Grouping, Salad
from fabula.text.io.records import write_records


class Blunders:
    """Right on the salads whose number is small, wrong on one sentence more with every number."""

    def group(self, salads: list[Salad]) -> list[Grouping]:
        groupings = []
        for salad in salads:
            labels = [int(sentence.split()[0]) for sentence in salad.sentences]
            turned = min(int(salad.id), 4)  # of eight: more would be the same story by another name
            places = [i for i, label in enumerate(labels) if label == 0][:turned]
            labels = [1 if i in places else label for i, label in enumerate(labels)]
            groupings.append(Grouping(tuple(labels), (1.0,) * len(labels)))
        return groupings


class Right(Blunders):
    def group(self, salads: list[Salad]) -> list[Grouping]:
        return super().group([Salad("0", salad.sentences) for salad in salads])


def salads(cosine: bool = True) -> list[Salad]:
    return [
        Salad(
            str(i),
            tuple(f"{label} {n}" for label in (0, 1) for n in range(4)),
            (0,) * 4 + (1,) * 4,
            stories=2,
            cosine=i / 10 if cosine else None,
        )
        for i in range(5)
    ]


def test_nearer_topics_are_harder_for_a_model_that_blunders_on_them(tmp_path: Path) -> None:
    path = tmp_path / "salads.jsonl"
    write_records(path, [salad.to_row() for salad in salads()])
    runs = [evaluate("salads", path, Blunders()), evaluate("salads", path, Right())]
    cosines = topic_cosines(runs)
    assert cosines == {str(i): i / 10 for i in range(5)}
    blunders, right = topic_correlation(runs, cosines)
    # One sentence of eight wrong, then two, three, four: .875, .75, .625, .5
    assert blunders.rho == pytest.approx(-1) and blunders.p < 0.01
    assert (blunders.bad, blunders.close, blunders.items) == (2, 2, 5)
    assert right.bad == 0 and np.isnan(right.rho)


def test_without_cosines(tmp_path: Path) -> None:
    path = tmp_path / "salads.jsonl"
    write_records(path, [salad.to_row() for salad in salads(cosine=False)])
    run = evaluate("salads", path, Right())
    assert topic_cosines([run]) == {}
    with pytest.raises(InputError, match=r"no salad here has a cosine.*--cosine"):
        topic_cosines([run], path)
    with pytest.raises(UsageError, match="needs 3 salads with a cosine or more; 0 have"):
        topic_correlation([run], {})
    path.unlink()
    assert topic_cosines([run]) == {}  # the file is gone: errors are listed without
