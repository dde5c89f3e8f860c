from __future__ import annotations

import numpy as np

from fabula.salads.models.documents.values import (
    agreement,
    sentence_values,
    weekday_likeness,
)

FIRST = ["A magnitude 4.6 quake struck at 2:09 a.m. on Thursday."]
AGAIN = ["The quake, of magnitude 4.6, woke people at 2:09 a.m. on Thursday."]
OTHER = ["A magnitude 4.2 quake struck at 9:27 a.m. on Sunday."]


def test_values_have_the_kind_of_what_stands_beside_them() -> None:
    values = sentence_values(FIRST[0])
    assert {("clock", "129"), ("beside magnitude", "4.6"), ("weekday", "thursday")} <= set(values)
    told = sentence_values("In 1931 three men died.")
    assert {("year", "1931"), ("beside men", "3"), ("beside died", "3")} <= set(told)


def test_values_agree_or_conflict() -> None:
    shared, conflicting = agreement([FIRST, AGAIN, OTHER])
    assert shared[0, 1] > shared[0, 2] and conflicting[0, 2] > conflicting[0, 1]
    assert np.array_equal(shared, shared.T)
    days = weekday_likeness([FIRST, AGAIN, OTHER, ["Nothing."]])
    assert days[0, 1] > 0 > days[0, 2] and not days[3].any()
