"""Parses of a sample of texts."""

from __future__ import annotations

import numpy as np

from fabula.audit.stats.parses import parse


def test_conjunctions_are_counted_by_text() -> None:
    parses = parse(["He ran and hid, but she sang.", "", "He ran.", "Ann and Ben sang."])
    assert parses.conjunctions.tolist() == [2, 0, 0, 1]
    assert np.all(parse([""]).conjunctions == 0) and len(parse([]).conjunctions) == 0
