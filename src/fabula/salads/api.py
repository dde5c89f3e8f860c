"""``untangle``: which story each sentence belongs to, how sure, why, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.threads import one_blas_thread
from fabula.salads.stories.assignment import Pull, Untangled, assign_stories
from fabula.salads.stories.constraints import Constraints
from fabula.salads.stories.numbering import changed_stories
from fabula.salads.stories.structure import Structure

__all__ = ["Pull", "Untangled", "changes", "untangle"]


@one_blas_thread()
def untangle(
    sentences: Sequence[str],
    *,
    stories: int | None = None,
    together: Sequence[Sequence[int]] = (),
    apart: Sequence[Sequence[int]] = (),
    previous: Mapping[str, int] | None = None,
    evidence: NDArray[np.floating] | None = None,
    sources: Sequence[int] | None = None,
    model: Any = "best",
) -> Untangled:
    """Assign each sentence to a story; the number of stories is chosen unless given.

    ``together`` and ``apart`` are groups of sentence indices (from 0): must-links and
    cannot-links. ``previous`` maps sentences to the story numbers they had: numbers that can be
    kept are kept. ``evidence`` is an n x n matrix of log-odds added to the model's own where it
    has any. ``sources`` is the number of the document each sentence came in: documents stay
    whole, unless their own text splits. The algorithm is correlation clustering; see
    ``fabula.salads.stories.assignment``.

    >>> untangle(["Only one sentence."]).labels
    (1,)
    """
    untangled = assign_stories(
        sentences,
        model,
        stories=stories,
        constraints=Constraints(tuple(map(tuple, together)), tuple(map(tuple, apart))),
        extra_log_odds=evidence,
        structure=None if sources is None else Structure(tuple(sources)),
        previous=previous,
    )
    return replace(untangled, sentences=tuple(sentences))


def changes(previous: Mapping[str, int], now: Mapping[str, int]) -> list[dict[str, Any]]:
    """Sentences that are new, moved to another story or gone, given sentence -> story number.

    >>> changes({"a": 1, "b": 1}, {"a": 1, "b": 2})
    [{'text': 'b', 'was': 1, 'is': 2}]
    """
    return [
        {"text": text, "was": before, "is": after}
        for text, before, after in changed_stories(previous, now)
    ]
