"""The features of ``learned``: the same numbers as their formulas give, event by event."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.events.counts.counting import count
from fabula.events.items import Chain, Event
from fabula.events.models.learned.cooccurrence import Cooccurrence
from fabula.events.models.learned.features import FEATURES, Features, event_vectors

SHARES = np.array([0.5, 0.3, 0.2])
square = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=3, max_size=3)


def cooccurrence(rows: list[list[int]]) -> Cooccurrence:
    from scipy import sparse

    return Cooccurrence(sparse.csr_matrix(np.array(rows, dtype=float)), SHARES)


@given(square, st.lists(st.integers(0, 2), max_size=3))
def test_company_is_counted_as_told(rows: list[list[int]], known: list[int]) -> None:
    found = cooccurrence(rows)
    ids = np.array(known, dtype=np.int64)
    product, _ = found.lift(ids, 2.0)
    apart = found.products(ids, np.array([0, 1, 1]), 2, 2.0)
    best, met = found.largest_lift(ids, 2.0)
    for e, share in enumerate(SHARES.tolist()):
        terms = {c: log(1 + rows[c][e] / (2 * share)) for c in known}
        assert product[e] == pytest.approx(sum(terms[c] for c in known))
        assert apart[0][e] == pytest.approx(sum(terms[c] for c in known if c == 0))
        lifts = [
            log((rows[c][e] + 2 * share) / (sum(rows[c]) + 2) / share) for c in known if rows[c][e]
        ]
        assert best[e] == pytest.approx(max([0.0, *lifts]))
        assert met[e] == len(lifts)
    assert apart.sum(0) == pytest.approx(product)


def test_the_mixture_of_nothing_is_flat() -> None:
    _, mixture = cooccurrence([[1, 0, 0]] * 3).lift(np.zeros(0, np.int64), 2.0)
    assert len(set(mixture.tolist())) == 1


def test_every_feature_has_a_finite_number_for_every_event() -> None:
    words = [tuple(Event(verb, "subj") for verb in some) for some in ("ab", "abc", "ca", "dd")]
    counts = count([Chain(str(i), "1", events) for i, events in enumerate(words)])
    features = Features(counts, event_vectors(counts, 2))
    for known in ([], [-1], [0], [0, 1, -1]):
        found = features.of(np.array(known, dtype=np.int64))
        assert found.shape == (counts.types, len(FEATURES))
        assert np.isfinite(found).all()
