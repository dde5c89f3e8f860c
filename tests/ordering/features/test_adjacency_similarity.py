"""Neighbours by likeness, of the ends and beginnings of units."""

from __future__ import annotations

import numpy as np

from fabula.ordering.features.adjacency_similarity import adjacency_similarity

FISH = "The trawler landed its catch of herring at the harbour before dawn."
NETS = "The fishermen mended their nets on the quay and sold the herring."
TAX = "Parliament passed a bill that lowers the tax on income next year."


def test_units_on_one_thing_are_alike() -> None:
    alike = adjacency_similarity([FISH, TAX, NETS])
    assert alike.shape == (3, 3) and alike.dtype == np.float32 and not alike.diagonal().any()
    assert min(alike[0, 2], alike[2, 0]) > max(alike[0, 1], alike[1, 2]) + 0.2


def test_of_a_long_unit_the_end_meets_the_beginning_of_the_next() -> None:
    long = " ".join([FISH] * 12 + [TAX] * 12)
    alike = adjacency_similarity([long, FISH, TAX])
    assert alike[0, 2] > alike[0, 1] + 0.2  # behind it
    assert alike[1, 0] > alike[2, 0] + 0.2  # before it
