"""Untangle: which story each sentence belongs to, how sure, why, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.registry import create_model
from fabula.salads.clustering.correlation import story_log_odds, strongest
from fabula.salads.items import Grouping, Salad, check
from fabula.salads.models.context.pair_features import shared_terms
from fabula.salads.stories.constraints import Constraints, constrained

__all__ = ["Pull", "Untangled", "changes", "untangle"]

SEPARABLE = 0.65  # mean certainty below which the stories found are little better than chance
_PULLS = 3  # reasons given for each sentence


@dataclass(frozen=True, slots=True)
class Pull:
    """A sentence (its index) that draws another into its story, and what the two share."""

    sentence: int
    log_odds: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untangled:
    """For each sentence: its story (from 1), the probability, the runner-up story and why.

    ``runner_up`` is None with one story, ``why`` empty for a model that scores no pairs.
    ``moved_without`` are the sentences (their indices) without which it would go over to the
    runner-up, the fewest there are; empty when nothing of its own story holds it alone.
    ``separable`` is False when the evidence is at chance: the stories cannot be told apart.
    """

    labels: tuple[int, ...]
    probabilities: tuple[float, ...]
    runner_up: tuple[int | None, ...]
    why: tuple[tuple[Pull, ...], ...]
    separable: bool
    moved_without: tuple[tuple[int, ...], ...] = ()
    odds: NDArray[np.floating] | None = field(default=None, repr=False, compare=False)

    @property
    def stories(self) -> int:
        """How many stories there are."""
        return len(set(self.labels))


def untangle(
    sentences: Sequence[str],
    *,
    stories: int | None = None,
    together: Sequence[Sequence[int]] = (),
    apart: Sequence[Sequence[int]] = (),
    previous: Mapping[str, int] | None = None,
    evidence: NDArray[np.floating] | None = None,
    by_size: bool = False,
    model: Any = "best",
) -> Untangled:
    """Which story each sentence belongs to; the number of stories is found unless given.

    ``together`` and ``apart`` are groups of sentence indices (from 0) to be kept so. ``previous``
    maps sentences to the story numbers they had: numbers that can be kept are kept. ``evidence``
    is an n x n matrix of log-odds from elsewhere, added to the model's own where it has any.
    ``by_size`` asks for more before a long story is split, as whole reports are long.

    >>> untangle(["Only one sentence."]).labels
    (1,)
    """
    if isinstance(sentences, str):
        raise UsageError("untangle takes a list of sentences; split a text with split_sentences")
    n = len(sentences)
    if stories is not None and not 1 <= stories <= max(n, 1):
        raise UsageError(f"stories must be between 1 and the number of sentences ({n}): {stories}")
    wishes = Constraints(tuple(map(tuple, together)), tuple(map(tuple, apart)))
    wishes.check(n)
    if n < 2 or (stories == 1 and not wishes.apart):
        return Untangled((1,) * n, (1.0,) * n, (None,) * n, ((),) * n, True)
    chosen = create_model("salads", model)
    salad = Salad(id="untangle", sentences=tuple(sentences), stories=stories)
    grouping, odds, towards, nearest = _solve(chosen, salad, wishes, evidence, by_size)
    check(salad, grouping)
    labels = np.array(grouping.labels)
    names = _numbers(labels, sentences, previous or {})
    single = grouping.stories == 1
    return Untangled(
        labels=tuple(names[label] for label in grouping.labels),
        probabilities=grouping.probabilities,
        runner_up=(None,) * n if single or towards is None else _runners_up(towards, labels, names),
        why=_reasons(nearest or [()] * n, sentences),
        separable=single or float(np.mean(grouping.probabilities)) >= SEPARABLE,
        moved_without=((),) * n if single or odds is None else _what_holds(odds, labels),
        odds=odds,
    )


def changes(previous: Mapping[str, int], now: Mapping[str, int]) -> list[dict[str, Any]]:
    """What is other than before, sentence by sentence: new, moved or gone.

    >>> changes({"a": 1, "b": 1}, {"a": 1, "b": 2})
    [{'text': 'b', 'was': 1, 'is': 2}]
    """
    texts = dict.fromkeys([*previous, *now])
    rows = [{"text": text, "was": previous.get(text), "is": now.get(text)} for text in texts]
    return [row for row in rows if row["was"] != row["is"]]


class _Solved(NamedTuple):
    """Of a model that scores no pairs there is only the grouping; of a long text no matrix."""

    grouping: Grouping
    odds: NDArray[np.floating] | None = None
    towards: NDArray[np.floating] | None = None  # n x k: towards each story
    nearest: Sequence[Sequence[tuple[int, float]]] | None = None  # what pulls each most


def _solve(
    model: Any,
    salad: Salad,
    wishes: Constraints,
    evidence: NDArray[np.floating] | None,
    by_size: bool,
) -> _Solved:
    """The grouping, and what it rests on where the model tells."""
    if not hasattr(model, "pair_odds") or len(salad.sentences) > getattr(model, "whole", 0):
        if wishes:
            raise UsageError(
                "keeping sentences together or apart needs a model that scores pairs, such as "
                f"context, and at most {getattr(model, 'whole', 0)} sentences"
            )
        if hasattr(model, "group_large"):
            large = model.group_large(salad)
            return _Solved(large.grouping, None, large.towards, large.nearest)
        return _Solved(*model.group([salad]))
    (odds,) = model.pair_odds([salad])
    if evidence is not None:
        odds = odds + evidence
    labels = constrained(odds, wishes, salad.stories, by_size=by_size)
    grouping = model.certainty(odds, labels)
    return _Solved(grouping, odds, story_log_odds(odds, labels), strongest(odds, labels, _PULLS))


def _numbers(
    labels: NDArray[np.int64], sentences: Sequence[str], previous: Mapping[str, int]
) -> dict[int, int]:
    """A number for each story: the one most of its sentences had, else new ones as they come."""
    from scipy.optimize import linear_sum_assignment

    found = list(dict.fromkeys(labels.tolist()))  # in order of first sentence
    old = sorted(set(previous.values()))
    names: dict[int, int] = {}
    if old:
        overlap = np.zeros((len(found), len(old)))
        for label, sentence in zip(labels.tolist(), sentences, strict=True):
            if sentence in previous:
                overlap[found.index(label), old.index(previous[sentence])] += 1
        for row, column in zip(*linear_sum_assignment(overlap, maximize=True), strict=True):
            if overlap[row, column] > 0:
                names[found[row]] = old[column]
    fresh = max(old, default=0)
    for label in found:
        if label not in names:
            fresh += 1
            names[label] = fresh
    return names


def _runners_up(
    towards: NDArray[np.floating], labels: NDArray[np.int64], names: Mapping[int, int]
) -> tuple[int | None, ...]:
    others = np.array(towards)
    others[np.arange(len(labels)), labels] = -np.inf
    return tuple(names[int(label)] for label in others.argmax(axis=1))


def _reasons(
    nearest: Sequence[Sequence[tuple[int, float]]], sentences: Sequence[str]
) -> tuple[tuple[Pull, ...], ...]:
    return tuple(
        tuple(
            Pull(j, round(value, 3), shared_terms(sentences[i], sentences[j])) for j, value in some
        )
        for i, some in enumerate(nearest)
    )


def _what_holds(
    odds: NDArray[np.floating], labels: NDArray[np.int64]
) -> tuple[tuple[int, ...], ...]:
    """For each sentence the fewest of its story without which another story pulls it more."""
    odds = np.array(odds, dtype=np.float64)
    np.fill_diagonal(odds, 0.0)
    pull = odds @ np.eye(int(labels.max()) + 1)[labels]
    found: list[tuple[int, ...]] = []
    for i, label in enumerate(labels):
        best_elsewhere = np.delete(pull[i], label).max()
        strongest = [
            int(j) for j in np.argsort(-odds[i], kind="stable") if labels[j] == label and j != i
        ]
        left = pull[i, label] - np.cumsum(odds[i, strongest])
        enough = np.flatnonzero(left < best_elsewhere)
        found.append(tuple(strongest[: enough[0] + 1]) if len(enough) else ())
    return tuple(found)
