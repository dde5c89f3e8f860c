"""Story assignment by documents: units of a pile to stories, then their sentences with them.

A unit is a document, a part of one that was cut at its boundaries, or a sentence that stands alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.average_linkage import linkage_clusters
from fabula.salads.clustering.correlation import story_log_odds, strongest_links
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.documents.model import Documents, Unit
from fabula.salads.stories.attachment import with_chats, with_mails
from fabula.salads.stories.constraints import Constraints, constrained_units, keep_apart
from fabula.salads.stories.structure import Structure, apart_by_language, structure_log_odds

__all__ = ["REASONS", "Clustered", "by_documents"]

Floats = NDArray[np.floating]
REASONS = 3  # for each sentence
_WITHIN_UNIT = 6.0  # log-odds of two sentences of one unit, for what follows a correction
_LEAST_MEAN_LENGTH = 1.5  # sentences a unit; with fewer the pile is one of single sentences
_MOST_SHARED = 6.0  # log-odds from sentences that two units repeat, or from their senders
_LARGEST_MATRIX = 3_000  # sentences, above which no pairwise log-odds of sentences are kept


class Clustered(NamedTuple):
    """A grouping and its evidence; a model without pair scores gives the grouping alone."""

    grouping: Grouping
    log_odds: Floats | None = None  # n x n; None where the text is too long for a matrix
    story_log_odds: Floats | None = None  # n x k
    links: Sequence[Sequence[tuple[int, float]]] | None = None  # see ``strongest_links``
    numbers: tuple[tuple[int, float], ...] = ()  # of stories, with probabilities


def by_documents(
    model: Documents,
    salad: Salad,
    structure: Structure,
    constraints: Constraints,
    extra_log_odds: Floats | None,
) -> Clustered | None:
    """The stories of the pile's documents; None where most units are single sentences, or where
    more stories are asked for than there are units."""
    units = model.units(
        salad.sentences, structure.documents, whole=structure.whole, listed=structure.listed
    )
    if units is None or len(salad.sentences) < _LEAST_MEAN_LENGTH * len(units):
        return None
    if structure.sections:
        units = _cut_at_sections(model, salad.sentences, units, structure.sections)
    units = constrained_units(units, constraints)
    if salad.stories is not None and salad.stories > len(units):
        return None
    log_odds = model.link_odds(salad.sentences, units)
    log_odds = apart_by_language(salad.sentences, units, log_odds)
    log_odds = log_odds + structure_log_odds(units, structure)
    if extra_log_odds is not None:
        log_odds += _summed(extra_log_odds, units)
    log_odds = with_chats(model, salad.sentences, units, structure, log_odds)
    log_odds = with_mails(salad.sentences, units, structure, log_odds)
    keep_apart(log_odds, units, constraints, None, None)
    clusters = linkage_clusters(log_odds, salad.stories)
    labels = keep_apart(log_odds, units, constraints, clusters.labels, salad.stories)
    clusters = clusters._replace(labels=clusters.labels if labels is None else labels)
    unit_of = np.zeros(len(salad.sentences), dtype=np.int64)
    for number, unit in enumerate(units):
        unit_of[list(unit.sentences)] = number
    towards = story_log_odds(log_odds, clusters.labels)
    matrix = None
    if len(unit_of) <= _LARGEST_MATRIX:
        np.fill_diagonal(log_odds, _WITHIN_UNIT)
        matrix = log_odds[np.ix_(unit_of, unit_of)]
    return Clustered(
        grouping=model.certainty(log_odds, clusters, units),
        log_odds=matrix,
        story_log_odds=towards[unit_of],
        links=_links(model, salad.sentences, units, clusters.labels),
        numbers=clusters.numbers if salad.stories is None else (),
    )


def _cut_at_sections(
    model: Documents,
    sentences: Sequence[str],
    units: Sequence[Unit],
    sections: Mapping[int, float],
) -> list[Unit]:
    """The units, cut where a section begins and the probability of a boundary passes its limit."""
    vectors = model.vectors(sentences)
    parts = []
    for unit in units:
        members = list(unit.sentences)
        chances = [0.0]
        if len(members) > 1 and any(i in sections for i in members[1:]):
            text = [sentences[i] for i in members]
            chances += list(model.boundary_chances(text, vectors[members]))
        cuts = [at for at, (i, chance) in enumerate(zip(members, chances, strict=False))
                if at and chance > sections.get(i, 1.0)]  # fmt: skip
        bounds = pairwise([0, *cuts, len(members)])
        parts += [Unit(unit.sentences[a:b], unit.document) for a, b in bounds]
    return parts


def _summed(log_odds: Floats, units: Sequence[Unit]) -> Floats:
    member = np.zeros((len(log_odds), len(units)))
    for number, unit in enumerate(units):
        member[list(unit.sentences), number] = 1.0
    return np.clip(member.T @ log_odds @ member, -_MOST_SHARED, _MOST_SHARED)


def _links(
    model: Documents, sentences: Sequence[str], units: Sequence[Unit], labels: NDArray[np.int64]
) -> list[list[tuple[int, float]]]:
    """For each sentence those of other units of its story whose vectors are most alike."""
    vectors = model.vectors(sentences)
    story, unit_of = np.zeros(len(sentences), np.int64), np.zeros(len(sentences), np.int64)
    for number, (unit, label) in enumerate(zip(units, labels, strict=True)):
        story[list(unit.sentences)], unit_of[list(unit.sentences)] = label, number
    links: list[list[tuple[int, float]]] = [[] for _ in sentences]
    for label in np.unique(story):
        rows = np.flatnonzero(story == label)
        if len(rows) > _LARGEST_MATRIX:
            continue
        cosines = vectors[rows] @ vectors[rows].T
        cosines[unit_of[rows][:, None] == unit_of[rows][None, :]] = 0.0
        for row, found in zip(
            rows, strongest_links(cosines, np.zeros(len(rows), np.int64), REASONS), strict=True
        ):
            links[row] = [(int(rows[j]), value) for j, value in found]
    return links
