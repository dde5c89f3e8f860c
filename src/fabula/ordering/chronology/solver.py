"""The sentences of one story in, the order in which things happened out, with its certainty.

The one solver of ``order`` by time and of ``assemble``. Evidence for each pair (``evidence``) is
summed as log-odds and decoded by Kemeny: exactly up to 16 sentences, by insertion search beyond.
What the evidence leaves open is reported as a group of unknown order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.evidence import certain_order, evidence, log_odds
from fabula.ordering.chronology.passages import (
    contracted,
    expanded,
    find_passages,
    with_passage_days,
)
from fabula.ordering.chronology.sentence_times import SentenceTime, StorySentence, read_times
from fabula.ordering.chronology.story_calendar import place_times
from fabula.ordering.chronology.story_time import StoryTime
from fabula.ordering.decoding.constraints import OrderConstraints, constrained_order
from fabula.ordering.decoding.kemeny import decode_gains
from fabula.ordering.items import Order, Text, call, check
from fabula.registry import create_model

__all__ = ["UNKNOWN_BELOW", "Chronology", "find_chronology", "model_log_odds"]

UNKNOWN_BELOW = 0.6  # P(one before the next) below which the order of neighbours is unknown
_MOST_CERTAIN = 4.0  # log-odds to which a model's are clipped


@dataclass(frozen=True, slots=True)
class Chronology:
    """A story's order of happening: sentence indices, P(i before j), and when each happened.

    ``unknown`` are runs of the order, as (first, one past the last) places, whose inner order the
    evidence leaves open.
    """

    order: tuple[int, ...]
    before: NDArray[np.floating]
    times: tuple[StoryTime, ...]
    read: tuple[SentenceTime, ...]
    unknown: tuple[tuple[int, int], ...]

    @property
    def confidence(self) -> float:
        """The mean probability of the pairs as they are ordered; 1 for a single sentence."""
        return Order(self.order, self.before).confidence


def find_chronology(
    sentences: Sequence[StorySentence],
    model: Any = "best",
    *,
    constraints: OrderConstraints | None = None,
    linear_above: int = 150,
) -> Chronology:
    """The order in which the events of a story happened, as far as the evidence decides.

    ``model`` is an ordering model for pairs of different documents; None leaves it out.
    """
    n = len(sentences)
    read = read_times(sentences)
    model_odds = model_log_odds(sentences, read, model, linear_above)
    untimed = [StoryTime()] * n
    without_times = log_odds(evidence(sentences, read, untimed, model_odds), sentences)
    placed = place_times(read, without_times, [sentence.timestamp for sentence in sentences])
    passages = find_passages(sentences, read, placed)
    placed = with_passage_days(passages, read, placed)
    found = evidence(sentences, read, placed, model_odds)
    odds = log_odds(found, sentences)
    before = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    np.fill_diagonal(before, 0.5)
    if constraints:
        order = constrained_order(before, constraints, None)
    else:
        must = certain_order(sentences, placed, _own_ranks(sentences, placed, passages, odds))
        order = _decoded(passages, odds, must, placed)
    return Chronology(
        order=order,
        before=before.astype(np.float32),
        times=tuple(placed),
        read=tuple(read),
        unknown=tuple(_unknown(order, before)),
    )


def _own_ranks(
    sentences: Sequence[StorySentence],
    placed: Sequence[StoryTime],
    passages: Sequence[list[int]],
    odds: NDArray[np.float64],
) -> list[int]:
    """The place of each sentence in its document's own order of happening.

    A document is ordered by itself, so that what other documents tell does not tear it apart. A
    report of a known day begins with what is new; a text without a date tells in order.
    """
    by_time = certain_order(sentences, placed)
    ranks = [0] * len(sentences)
    documents: dict[str | None, list[list[int]]] = {}
    for passage in passages:
        documents.setdefault(sentences[passage[0]].document, []).append(passage)
    for members in documents.values():
        order: Sequence[int] = sorted(
            (i for passage in members for i in passage), key=lambda i: (sentences[i].position, i)
        )
        if sentences[order[0]].document is not None and sentences[order[0]].date:
            order = _decoded(members, odds, by_time, placed)
        for rank, i in enumerate(order):
            ranks[i] = rank
    return ranks


def _decoded(
    passages: Sequence[list[int]],
    odds: NDArray[np.float64],
    must: NDArray[np.bool_],
    placed: Sequence[StoryTime],
) -> tuple[int, ...]:
    """The best order of passages, as one of sentences."""
    gains, must = contracted(passages, _keep_given(odds), must, placed)
    together = decode_gains(gains, "best", must) if len(passages) > 1 else range(len(passages))
    return expanded(together, passages)


def _keep_given(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-odds with a trifle for the order given, so that ties are decided by it."""
    given = np.sign(np.arange(len(odds))[None, :] - np.arange(len(odds))[:, None])
    return np.asarray(odds + 1e-6 * given)


def model_log_odds(
    sentences: Sequence[StorySentence],
    read: Sequence[SentenceTime],
    model: Any,
    linear_above: int,
) -> NDArray[np.float64] | None:
    """A model's log-odds; None where all is of one document or sequence, or no model is wanted.

    The model reads the sentences without their times, so that times count once.
    """
    n = len(sentences)
    documents = {s.document for s in sentences}
    sequences = {s.sequence for s in sentences}
    told = any(len(names) == 1 and None not in names for names in (documents, sequences))
    if model is None or n < 2 or told:
        return None
    if n > linear_above and model == "best":
        model = "linear"
    text = Text(id="story", units=tuple(map(_without_times, sentences, read)))
    (answer,) = call(create_model("ordering", model), [text])
    check(text, answer)
    before = np.clip(np.asarray(answer.before, dtype=np.float64), 1e-6, 1 - 1e-6)
    odds = np.log(before / (1 - before))
    return np.asarray(np.clip(odds, -_MOST_CERTAIN, _MOST_CERTAIN))


def _without_times(sentence: StorySentence, time: SentenceTime) -> str:
    parts, at = [], 0
    for timex in time.times:
        if timex.start >= at:
            parts.append(sentence.text[at : timex.start])
            at = timex.end
    return " ".join("".join([*parts, sentence.text[at:]]).split()) or sentence.text


def _unknown(order: Sequence[int], before: NDArray[np.floating]) -> list[tuple[int, int]]:
    """Runs of neighbours of which each may as well stand before the other."""
    runs: list[tuple[int, int]] = []
    for place in range(len(order) - 1):
        if before[order[place], order[place + 1]] >= UNKNOWN_BELOW:
            continue
        if runs and runs[-1][1] == place + 1:
            runs[-1] = (runs[-1][0], place + 2)
        else:
            runs.append((place, place + 2))
    return runs
