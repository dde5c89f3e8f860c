from __future__ import annotations

import random

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.salads.items import Salad
from fabula.salads.models.documents.coherence import adjacency_z, seems_shuffled
from fabula.salads.models.documents.features import FEATURES, link_features
from fabula.salads.models.documents.model import Documents
from fabula.salads.models.documents.segmentation import BOUNDARY_FEATURES, boundary_features
from fabula.salads.models.documents.terms import document_terms
from fabula.testing import check_model
from fabula.text.io.documents import read_documents
from fabula.text.segment.sentences import split_sentences

QUAKE = (
    "A strong earthquake shook the town of Arvika on Monday.",
    "The earthquake in Arvika damaged the town hall and two schools.",
    "Mayor Lena Holm of Arvika said that nobody was killed.",
)
QUAKE_AGAIN = (
    "Schools in Arvika stayed closed after the earthquake.",
    "Lena Holm, the mayor, visited the damaged town hall.",
    "Engineers looked at cracks in the schools of Arvika.",
)
HEIST = (
    "Thieves stole four watches from a jeweller in Porto.",
    "The jeweller Rui Tavares saw two men run from his shop in Porto.",
    "Police in Porto found a burnt van near the river.",
)


def vectors(sentences: tuple[str, ...]) -> np.ndarray:
    return Documents.shipped().vectors(sentences)


def articles() -> list[list[str]]:
    """The packaged sample's articles, as sentences."""
    return [[s.text for s in split_sentences(document)] for document in read_documents("sample")]


def test_names_are_capitalised_inside_sentences() -> None:
    terms = document_terms(["Police Find Van", "Police in Porto left, the police and the van."])
    assert "porto" in terms.names and "police" not in terms.names
    assert terms.lead["police"] == 3


def test_features_are_symmetric_and_finite() -> None:
    texts = [QUAKE, QUAKE_AGAIN, HEIST]
    features = link_features(texts, [vectors(text) for text in texts])
    assert features.shape == (3, 3, len(FEATURES)) and np.isfinite(features).all()
    assert np.allclose(features, features.swapaxes(0, 1), atol=1e-5)
    words = features[:, :, FEATURES.index("words")]
    assert words[0, 1] > words[0, 2]


def test_one_document_and_empty_words_are_no_trouble() -> None:
    assert np.isfinite(link_features([QUAKE], [vectors(QUAKE)])).all()
    dots = ("...", "!")
    assert np.isfinite(link_features([QUAKE, dots], [vectors(QUAKE), vectors(dots)])).all()
    assert boundary_features(["One."], vectors(("One.",))).shape == (0, len(BOUNDARY_FEATURES))


def test_reports_of_one_event_join_and_others_stay_apart() -> None:
    sentences = (*QUAKE, *HEIST, *QUAKE_AGAIN)
    salad = Salad("pile", sentences, sources=(0,) * 3 + (1,) * 3 + (2,) * 3)
    (grouping,) = Documents().group([salad])
    assert grouping.labels == (0,) * 3 + (1,) * 3 + (0,) * 3
    assert all(0 <= probability <= 1 for probability in grouping.probabilities)


def test_a_document_stays_whole() -> None:
    for article in articles()[:4]:
        units = Documents().units(article, [0] * len(article))
        assert units is not None and sum(len(unit.sentences) for unit in units) == len(article)


def test_a_shuffled_text_of_several_stories_is_seen_as_one() -> None:
    told = [sentence for text in articles()[:4] for sentence in text[:12]]
    mixed = random.Random(0).sample(told, len(told))
    assert seems_shuffled(mixed, vectors(tuple(mixed)), listed=True)
    assert not seems_shuffled(told, vectors(tuple(told)), listed=False)
    assert adjacency_z(told, vectors(tuple(told))) > adjacency_z(mixed, vectors(tuple(mixed)))


def test_without_documents_the_sentences_are_untangled() -> None:
    sentences = tuple(s for pair in zip(QUAKE, HEIST, strict=True) for s in pair)
    (grouping,) = Documents().group([Salad("pile", sentences, stories=2)])
    assert grouping.stories == 2


def test_it_is_not_trained_without_labels() -> None:
    with pytest.raises(UsageError, match="has no labels"):
        Documents().fit([Salad("x", ("One.", "Two."))])


@pytest.mark.slow
def test_it_keeps_the_contract() -> None:
    texts = articles()[:6]
    rng = random.Random(0)
    salads = []
    for number in range(12):
        chosen = rng.sample(range(len(texts)), 3)
        parts = [(label, texts[i][a : a + 4]) for label, i in enumerate(chosen) for a in (0, 4)]
        rng.shuffle(parts)
        salads.append(
            Salad(
                f"s{number}",
                tuple(s for _, part in parts for s in part),
                labels=tuple(label for label, part in parts for _ in part),
                sources=tuple(n for n, (_, part) in enumerate(parts) for _ in part),
            )
        )
    check_model("salads", Documents(epochs=2), salads)
