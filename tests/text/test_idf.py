"""IDF: against scikit-learn's, and the weight of what two documents share."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from fabula.text.idf import IdfOverlap, idf

TEXTS = ["mill fire", "mill rain", "rain rain", "mill"]


def test_with_priors_of_one_it_is_scikit_learns() -> None:
    reader = TfidfVectorizer().fit(TEXTS)
    frequency = [sum(term in text.split() for text in TEXTS) for term in sorted(reader.vocabulary_)]
    expected = idf(frequency, len(TEXTS), prior_documents=1, prior_frequency=1) + 1
    assert np.allclose(reader.idf_, expected)


def test_a_term_of_no_document_counts_as_one_of_one() -> None:
    assert idf([0, 1], 8).tolist() == [np.log(8), np.log(8)]


def test_rarer_terms_weigh_more_and_weights_add_up() -> None:
    overlap = IdfOverlap([text.split() for text in ("mill fire", "mill rain", "rain", "mill")])
    assert overlap.weight({"rain"}) == 1.0
    assert overlap.weight({"unseen"}) > overlap.weight({"fire"}) > 1.0 > overlap.weight({"mill"})
    both = overlap.weight({"fire", "mill"})
    assert np.isclose(both, overlap.weight({"fire"}) + overlap.weight({"mill"}))
    assert overlap.weight(()) == 0.0
