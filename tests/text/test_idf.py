"""IDF: against scikit-learn's."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from fabula.text.idf import idf

TEXTS = ["mill fire", "mill rain", "rain rain", "mill"]


def test_with_priors_of_one_it_is_scikit_learns() -> None:
    reader = TfidfVectorizer().fit(TEXTS)
    frequency = [sum(term in text.split() for text in TEXTS) for term in sorted(reader.vocabulary_)]
    expected = idf(frequency, len(TEXTS), prior_documents=1, prior_frequency=1) + 1
    assert np.allclose(reader.idf_, expected)


def test_a_term_of_no_document_counts_as_one_of_one() -> None:
    assert idf([0, 1], 8).tolist() == [np.log(8), np.log(8)]
