"""Documents, the salad model for piles of whole texts: each document is one story, unless its own
text splits; documents are linked by a learnt model and clustered by correlation.

Input: sentences and which document each came in (``Salad.sources``). A document is cut at
boundaries (``segmentation``) where its parts fit together no better than two documents do; parts
and documents are compared (``features``), and the log-odds of a link are clustered
(``linkage_clusters``). A pile without documents, or a text whose neighbours fit nowhere, goes to
the model ``context``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.errors import UsageError
from fabula.salads.clustering.average_linkage import Clusters, linkage_clusters
from fabula.salads.clustering.correlation import story_log_odds, with_probabilities
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.context.model import Context
from fabula.salads.models.documents.coherence import seems_shuffled
from fabula.salads.models.documents.features import FEATURES, link_features
from fabula.salads.models.documents.perceptron import Committee
from fabula.salads.models.documents.segmentation import BOUNDARY_FEATURES, boundary_features
from fabula.text.encoders.sentence import find_encoder

__all__ = ["Documents", "Unit"]

Floats = NDArray[np.floating]
_CLEAR_BOUNDARY = 0.9  # the probability at which one of several documents is cut


@dataclass(frozen=True, slots=True)
class Unit:
    """Sentences (indices, in the order of the text) of one document that stay together."""

    sentences: tuple[int, ...]
    document: int


class Documents(SavedModel):
    """Salads with sources in, stories out: boundaries, link features, correlation clustering.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula.
    """

    registered, fitted, ships = "salads/documents", "link_", True
    unsaved, parameters_last = ("encoder",), True
    link_: Committee
    boundary_: Committee
    shift_: float
    same_document_: float
    sharpness_: float
    seam_chance_: float
    shortest_: int
    least_part_: int

    def __init__(
        self, *, encoder: Any = "minilm", hidden: int = 16, decay: float = 0.3, epochs: int = 30,
        seed: int = 0,
    ) -> None:  # fmt: skip
        self.encoder = encoder
        self.hidden = hidden
        self.decay = decay
        self.epochs = epochs
        self.seed = seed

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return [self._group(salad) for salad in salads]

    def _group(self, salad: Salad) -> Grouping:
        units = self.units(salad.sentences, salad.sources) if salad.sources else None
        if units is None or len(units) < (salad.stories or 1):
            return Context().group([salad])[0]
        log_odds = self.link_odds(salad.sentences, units)
        clusters = linkage_clusters(log_odds, salad.stories)
        return self.certainty(log_odds, clusters, units)

    def units(
        self,
        sentences: Sequence[str],
        sources: Sequence[int],
        *,
        whole: Collection[int] = (),
        listed: Collection[int] = (),
    ) -> list[Unit] | None:
        """The documents, cut at their boundaries; None where all would be single sentences.

        ``whole`` are documents that are not cut, ``listed`` those with one sentence a line.
        """
        self.ensure_trained()
        members: dict[int, list[int]] = {}
        for index, source in enumerate(sources):
            members.setdefault(source, []).append(index)
        vectors = self.vectors(sentences)
        units = []
        for source, indices in members.items():
            parts = [indices]
            if source not in whole:
                text = [sentences[i] for i in indices]
                if seems_shuffled(text, vectors[indices], listed=source in listed):
                    parts = [[index] for index in indices]
                else:
                    limit = self.seam_chance_ if len(members) == 1 else _CLEAR_BOUNDARY
                    parts = self._parts(text, vectors[indices], indices, limit)
            units += [Unit(tuple(part), source) for part in parts]
        return units if any(len(unit.sentences) > 1 for unit in units) else None

    def _parts(
        self, sentences: Sequence[str], vectors: Floats, indices: Sequence[int], limit: float
    ) -> list[list[int]]:
        """The indices in runs between boundaries of a probability above the limit."""
        n = len(indices)
        if n < self.shortest_:
            return [list(indices)]
        chance = self.boundary_chances(sentences, vectors)
        cuts = [i + 1 for i in range(n - 1) if chance[i] > limit]
        cuts = _spaced(cuts, chance, n, self.least_part_)
        return [list(indices[a:b]) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]

    def boundary_chances(self, sentences: Sequence[str], vectors: Floats) -> NDArray[np.float64]:
        """For each pair of neighbours the probability that another story begins between them."""
        odds = self.boundary_.log_odds(
            boundary_features(sentences, np.asarray(vectors, np.float32))
        )
        return np.asarray(1 / (1 + np.exp(-odds)))

    def link_odds(self, sentences: Sequence[str], units: Sequence[Unit]) -> NDArray[np.float64]:
        """The symmetric log-odds [u, u] that two units tell one story."""
        self.ensure_trained()
        vectors = self.vectors(sentences)
        features = link_features(
            [[sentences[i] for i in unit.sentences] for unit in units],
            [vectors[list(unit.sentences)] for unit in units],
        )
        n = len(units)
        odds = self.link_.log_odds(features.reshape(n * n, -1)).reshape(n, n)
        odds = (odds + odds.T) / 2 + self.shift_
        document = np.array([unit.document for unit in units])
        odds += self.same_document_ * (document[:, None] == document[None, :])
        np.fill_diagonal(odds, 0.0)
        return np.asarray(odds, dtype=np.float64)

    def vectors(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Sentence vectors of unit length."""
        rows = np.asarray(find_encoder(self.encoder).encode(list(sentences)), np.float32)
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))

    def certainty(self, log_odds: Floats, clusters: Clusters, units: Sequence[Unit]) -> Grouping:
        """The units' stories as those of the sentences, with probabilities."""
        self.ensure_trained()
        towards = self.sharpness_ * story_log_odds(log_odds, clusters.labels)
        grouping = with_probabilities(clusters.labels[None], towards[None])[0]
        n = sum(len(unit.sentences) for unit in units)
        labels, probabilities = [0] * n, [1.0] * n
        for unit, label, chance in zip(units, grouping.labels, grouping.probabilities, strict=True):
            for index in unit.sentences:
                labels[index], probabilities[index] = label, chance
        return Grouping(tuple(labels), tuple(probabilities))

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Documents:
        """Fit on all items; ``dev`` joins them, as the calibration is cross-validated."""
        from fabula.salads.models.documents.training import (
            calibrate,
            examples_of,
            fit_committees,
            rows_of,
        )

        if any(salad.labels is None for salad in [*items, *dev]):
            raise UsageError("a salad has no labels; it cannot be trained on")
        examples = examples_of(self, [*items, *dev])
        parameters: dict[str, Any] = {
            "hidden": self.hidden, "decay": self.decay, "epochs": self.epochs
        }  # fmt: skip
        rows = rows_of(examples, self.seed)
        calibration = calibrate(self, examples, rows, **parameters)
        self.link_, self.boundary_ = fit_committees(rows, seed=self.seed, **parameters)
        for name, value in calibration.items():
            setattr(self, f"{name}_", value)
        return self

    def state(self) -> State:
        calibration = {name: getattr(self, f"{name}_") for name in _CALIBRATION}
        arrays = {
            f"{part}.{name}": array
            for part, committee in (("link", self.link_), ("seam", self.boundary_))
            for name, array in committee.weights.items()
        }
        values = {"features": list(FEATURES), "seam_features": list(BOUNDARY_FEATURES)}
        return State({**values, "calibration": calibration}, arrays)

    def restore(self, state: State) -> None:
        names = (list(FEATURES), list(BOUNDARY_FEATURES))
        if (state.values["features"], state.values["seam_features"]) != names:
            raise ValueError("it was trained on other features than this version computes")
        parts: dict[str, dict[str, NDArray[Any]]] = {"link": {}, "seam": {}}
        for name, array in state.arrays.items():
            part, _, rest = name.partition(".")
            parts[part][rest] = array
        self.link_, self.boundary_ = Committee(parts["link"]), Committee(parts["seam"])
        for name in _CALIBRATION:
            setattr(self, f"{name}_", state.values["calibration"][name])


# What the weights call a seam is a boundary.
# Chosen on development piles (``training.calibrate``): log-odds added to every link and to those
# within a document; the sharpness of probabilities; the probability of a boundary at which a
# document is cut; sentences of the shortest document that is cut and of the shortest part.
_CALIBRATION = ("shift", "same_document", "sharpness", "seam_chance", "shortest", "least_part")


def _spaced(cuts: Sequence[int], chance: Floats, n: int, least: int) -> list[int]:
    """The likeliest cuts that leave parts of at least ``least`` sentences, in order."""
    kept: list[int] = []
    for cut in sorted(cuts, key=lambda cut: (-chance[cut - 1], cut)):
        if all(abs(cut - other) >= least for other in [0, n, *kept]):
            kept.append(cut)
    return sorted(kept)
