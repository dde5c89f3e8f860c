"""Story assignment: sentences to stories, with probabilities, runners-up and reasons.

The one code path of ``fabula.untangle`` and ``assemble``. What came as documents is clustered by
documents (``by_documents``), what came as single sentences by sentences.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.answer import Answer
from fabula.errors import UsageError
from fabula.registry import create_model
from fabula.salads.clustering.correlation import story_log_odds, strongest_links
from fabula.salads.items import Salad, check
from fabula.salads.models.context.pair_features import shared_terms
from fabula.salads.models.documents.model import Documents
from fabula.salads.stories.by_documents import REASONS, Clustered, by_documents
from fabula.salads.stories.constraints import UNCONSTRAINED, Constraints, constrained_clusters
from fabula.salads.stories.group_merging import join_groups
from fabula.salads.stories.numbering import number_stories
from fabula.salads.stories.structure import Structure
from fabula.salads.stories.word_mixture import pairs_are_unsure, reassign_by_words

__all__ = ["Pull", "Untangled", "assign_stories"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

SEPARABLE = 0.65  # mean probability below which the stories are little better than chance
_SAME_DOCUMENT = 4.0  # log-odds of one story
_LARGEST = 300  # sentences of which log-odds of pairs are computed
_log = logging.getLogger("fabula.salads")


@dataclass(frozen=True, slots=True)
class Pull:
    """A reason: a sentence (its index) of the same story, their log-odds, the terms they share."""

    sentence: int
    log_odds: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untangled(Answer):
    """For each sentence: its story (from 1), the probability, the runner-up story and why.

    ``runner_up`` is None with one story, ``why`` empty for a model that scores no pairs.
    ``moved_without`` is the smallest set of sentences (indices) of its story without which it
    would move to the runner-up; empty when none would move it. ``separable`` is False when the
    probabilities are near chance. ``numbers`` are numbers of stories with their probabilities,
    the likeliest first, where the number was to be found. ``odds`` are the pairwise log-odds of
    sentences, None without a pair model. ``sentences`` are those given, where the answer is of
    ``fabula.untangle``.
    """

    labels: tuple[int, ...]
    probabilities: tuple[float, ...]
    runner_up: tuple[int | None, ...]
    why: tuple[tuple[Pull, ...], ...]
    separable: bool
    moved_without: tuple[tuple[int, ...], ...] = ()
    numbers: tuple[tuple[int, float], ...] = ()
    odds: Floats | None = field(default=None, repr=False, compare=False)
    sentences: tuple[str, ...] | None = field(default=None, repr=False, compare=False)

    @property
    def stories(self) -> int:
        """The number of stories."""
        return len(set(self.labels))

    def to_dict(self) -> dict[str, Any]:
        """Stories with their sentences, ``index`` from 0 as given; numbers with probabilities."""
        stories: dict[int, list[dict[str, Any]]] = {}
        for row in self._rows():
            index = row["index"]
            why = [
                {"index": pull.sentence, "log_odds": pull.log_odds, "shared": list(pull.shared)}
                for pull in self.why[index]
            ]
            moved = list(self.moved_without[index]) if self.moved_without else []
            kept = {name: value for name, value in row.items() if name != "story"}
            stories.setdefault(row["story"], []).append(
                {**kept, "why": why, "moved_without": moved}
            )
        return {
            "stories": [{"id": n, "sentences": rows} for n, rows in stories.items()],
            "separable": self.separable,
            "numbers": [{"stories": n, "probability": round(p, 4)} for n, p in self.numbers],
        }

    def _rows(self) -> Iterable[dict[str, Any]]:
        for index, label in enumerate(self.labels):
            text = {} if self.sentences is None else {"text": self.sentences[index]}
            yield {
                "story": label,
                "index": index,
                **text,
                "probability": round(float(self.probabilities[index]), 4),
                "runner_up": self.runner_up[index],
            }

    def _summary(self) -> str:
        return f"{len(self.labels)} sentences, {self.stories} stories"


def assign_stories(
    sentences: Sequence[str],
    model: Any = "best",
    *,
    stories: int | None = None,
    constraints: Constraints = UNCONSTRAINED,
    structure: Structure | None = None,
    extra_log_odds: Floats | None = None,
    previous: Mapping[str, int] | None = None,
) -> Untangled:
    """Assign each sentence to a story by correlation clustering of a model's pairwise log-odds.

    ``stories`` is the number of stories; None chooses it. ``structure`` tells which document each
    sentence came in: then documents are assigned, unless their own text splits. Sentences without
    documents are clustered each by itself. ``extra_log_odds`` (n x n) are added to the model's.
    ``previous`` maps sentences to earlier story numbers, which are kept where they can be. A model
    without pairwise log-odds answers by its own ``group``.
    """
    if isinstance(sentences, str):
        raise UsageError("untangle takes a list of sentences; split a text with split_sentences")
    n = len(sentences)
    if stories is not None and not 1 <= stories <= max(n, 1):
        raise UsageError(f"stories must be between 1 and the number of sentences ({n}): {stories}")
    constraints.check(n)
    if n < 2 or (stories == 1 and not constraints.apart):
        return _one_story(n)
    salad = Salad(id="untangle", sentences=tuple(sentences), stories=stories)
    chosen = create_model("salads", model)
    clustered, linker = None, None
    if isinstance(chosen, Documents):
        if structure is not None:
            clustered = by_documents(chosen, salad, structure, constraints, extra_log_odds)
        linker, chosen = chosen, create_model("salads", "context")
    if clustered is None:
        clustered = _cluster(
            chosen, salad, constraints, _with_documents(extra_log_odds, structure, n)
        )
        if linker is not None and stories is None and not constraints:
            clustered = _joined(chosen, linker, sentences, clustered)
    grouping, log_odds = clustered.grouping, clustered.log_odds
    check(salad, grouping)
    labels = np.array(grouping.labels)
    numbers = number_stories(labels, sentences, previous or {})
    single = grouping.stories == 1
    return Untangled(
        labels=tuple(numbers[label] for label in grouping.labels),
        probabilities=grouping.probabilities,
        runner_up=(None,) * n
        if single or clustered.story_log_odds is None
        else _runners_up(clustered.story_log_odds, labels, numbers),
        why=_reasons(clustered.links or [()] * n, sentences),
        separable=single or float(np.mean(grouping.probabilities)) >= SEPARABLE,
        moved_without=((),) * n if single or log_odds is None else _supports(log_odds, labels),
        numbers=clustered.numbers,
        odds=log_odds,
    )


def _one_story(n: int, log_odds: Floats | None = None) -> Untangled:
    return Untangled((1,) * n, (1.0,) * n, (None,) * n, ((),) * n, True, odds=log_odds)


def _with_documents(extra_log_odds: Floats | None, structure: Structure | None, n: int
                    ) -> Floats | None:  # fmt: skip
    """The log-odds and, in a pile of single sentences, those of sentences that came together."""
    if structure is None or len(set(structure.documents)) in (1, n) or n > _LARGEST:
        return extra_log_odds
    documents = np.array(structure.documents)
    together: Floats = _SAME_DOCUMENT * (documents[:, None] == documents[None, :])
    return together if extra_log_odds is None else together + extra_log_odds


def _cluster(
    model: Any,
    salad: Salad,
    constraints: Constraints,
    extra_log_odds: Floats | None,
) -> Clustered:
    """By pairwise log-odds where the model has them and the salad is not too long for them."""
    if not hasattr(model, "pair_odds") or len(salad.sentences) > getattr(model, "whole", 0):
        if constraints:
            raise UsageError(
                "keeping sentences together or apart needs a model that scores pairs, such as "
                f"context, and at most {getattr(model, 'whole', 0)} sentences"
            )
        _log.info(
            "%d sentences grouped by %s without pairwise log-odds",
            len(salad.sentences),
            type(model).__name__,
        )
        if hasattr(model, "group_large"):
            large = model.group_large(salad)
            return Clustered(large.grouping, None, large.towards, large.nearest)
        return Clustered(*model.group([salad]))
    (log_odds,) = model.pair_odds([salad])
    if extra_log_odds is not None:
        log_odds = log_odds + extra_log_odds
    labels = constrained_clusters(log_odds, constraints, salad.stories)
    return _with_evidence(model, log_odds, labels)


def _with_evidence(model: Any, log_odds: Floats, labels: Labels) -> Clustered:
    """The grouping by labels, with what speaks for it."""
    return Clustered(
        model.certainty(log_odds, labels),
        log_odds,
        story_log_odds(log_odds, labels),
        strongest_links(log_odds, labels, REASONS),
    )


def _joined(
    model: Any, linker: Documents, sentences: Sequence[str], clustered: Clustered
) -> Clustered:
    """The grouping with those groups joined that tell one story, and each sentence where its words
    are likeliest; where there are log-odds."""
    log_odds, before = clustered.log_odds, clustered.grouping
    if log_odds is None or before.stories < 2:
        return clustered
    labels = join_groups(linker, sentences, before.labels, log_odds)
    if pairs_are_unsure(log_odds):
        labels = reassign_by_words(sentences, labels, log_odds)
    if labels.tolist() == list(before.labels):
        return clustered
    return _with_evidence(model, log_odds, labels)


def _runners_up(
    log_odds: Floats, labels: Labels, numbers: Mapping[int, int]
) -> tuple[int | None, ...]:
    """The number of the story with the highest log-odds (n x k) other than a sentence's own."""
    others = np.array(log_odds)
    others[np.arange(len(labels)), labels] = -np.inf
    return tuple(numbers[int(label)] for label in others.argmax(axis=1))


def _reasons(
    links: Sequence[Sequence[tuple[int, float]]], sentences: Sequence[str]
) -> tuple[tuple[Pull, ...], ...]:
    return tuple(
        tuple(
            Pull(j, round(log_odds, 3), shared_terms(sentences[i], sentences[j]))
            for j, log_odds in row
        )
        for i, row in enumerate(links)
    )


def _supports(log_odds: Floats, labels: Labels) -> tuple[tuple[int, ...], ...]:
    """For each sentence the smallest set of its story without which another story wins it."""
    log_odds = np.array(log_odds, dtype=np.float64)
    np.fill_diagonal(log_odds, 0.0)
    totals = log_odds @ np.eye(int(labels.max()) + 1)[labels]
    members = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    supports: list[tuple[int, ...]] = []
    for i, label in enumerate(labels):
        runner_up = np.delete(totals[i], label).max()
        others = members[label][members[label] != i]
        strongest = others[np.argsort(-log_odds[i, others], kind="stable")]
        remaining = totals[i, label] - np.cumsum(log_odds[i, strongest])
        enough = np.flatnonzero(remaining < runner_up)
        supports.append(tuple(strongest[: enough[0] + 1].tolist()) if len(enough) else ())
    return tuple(supports)
