"""Evidence for the order of two sentences: times, document order, a model and cues, as log-odds.

Each kind of evidence is a sign (or a difference) for a pair and has one weight, fitted by logistic
regression on annotated pairs (``benchmarks.chronology_weights``); the weights are in
``data/weights/chronology/weights.json``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.chronology.cues import CUES, cues_of
from fabula.ordering.chronology.sentence_times import SentenceTime, StorySentence
from fabula.ordering.chronology.story_calendar import WHEN_SENT
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.temporal.interval import Interval, interval_of
from fabula.text.temporal.lexicon import DAY

__all__ = ["KINDS", "certain_order", "evidence", "log_odds", "weights"]

Floats = NDArray[np.float64]
_NEAR = 3  # sentences
_ANOTHER_YEAR = 365  # days; reports nearer than that may tell of the same days
_CERTAIN = 6.0  # log-odds of the order of a sequence

KINDS = (
    "told time",  # both times told, or told from another
    "inferred time",  # one of the two guessed
    "document date",  # one of the two is its document's date
    "message time",  # both sent at a known time
    "document order",
    "next in document",
    "near in document",
    "model",  # units that have no document
    "model across documents",
    *CUES,
)
_WEIGHTS = Path(__file__).parents[2] / "data" / "weights" / "chronology" / "weights.json"


@cache
def weights(where: str) -> dict[str, float]:
    """The fitted weight of each kind of evidence, "within" a document or "across" documents."""
    stored = json.loads(_WEIGHTS.read_text(encoding="utf-8"))[where]
    return {kind: float(stored[kind]) for kind in KINDS}


def evidence(
    sentences: Sequence[StorySentence],
    times: Sequence[SentenceTime],
    placed: Sequence[StoryTime],
    model: NDArray[np.floating] | None = None,
) -> Floats:
    """n x n x kinds, antisymmetric: positive where sentence i should stand before j.

    ``model`` are a model's log-odds; they count between sentences of different documents only, as
    a document's own order is known.
    """
    n = len(sentences)
    found = np.zeros((n, n, len(KINDS)))
    cues = cues_of(sentences, times, placed)
    found[:, :, KINDS.index(CUES[0]) :] = cues[:, None, :] - cues[None, :, :]
    for i in range(n):
        for j in range(i + 1, n):
            row = found[i, j]
            kind, sign = _by_time(placed[i], placed[j])
            if not kind and not _same_document(sentences[i], sentences[j]):
                kind, sign = _by_publication(sentences[i], placed[i], sentences[j], placed[j])
            if kind:
                row[KINDS.index(kind)] = sign
            sent = _by_message(sentences[i], sentences[j])
            if not sent and not _is_told(placed[i]) and not _is_told(placed[j]):
                sent = _by_mail(sentences[i], sentences[j])
            row[KINDS.index("message time")] = sent
            if _same_document(sentences[i], sentences[j]):
                apart = sentences[j].position - sentences[i].position
                row[KINDS.index("document order")] = np.sign(apart)
                row[KINDS.index("next in document")] = np.sign(apart) * (abs(apart) == 1)
                row[KINDS.index("near in document")] = np.sign(apart) * (abs(apart) <= _NEAR)
            elif model is not None:
                alone = not any(x.document or x.sequence for x in (sentences[i], sentences[j]))
                row[KINDS.index("model" if alone else "model across documents")] = model[i, j]
            found[j, i] = -row
    return found


def log_odds(found: Floats, sentences: Sequence[StorySentence]) -> Floats:
    """n x n: the weighted sum of the evidence; within a sequence, its order."""
    within, across = (
        found @ np.array([weights(where)[kind] for kind in KINDS]) for where in ("within", "across")
    )
    same = np.array([[_same_document(one, two) for two in sentences] for one in sentences])
    found_odds = np.where(same.reshape(within.shape), within, across)
    position = np.array([sentence.position for sentence in sentences])
    by_position = _CERTAIN * np.sign(position[None, :] - position[:, None])
    names = np.array([sentence.sequence or "" for sentence in sentences])
    one_sequence = (names[:, None] == names[None, :]) & (names[:, None] != "")
    return np.asarray(np.where(one_sequence, by_position, found_odds))


def certain_order(
    sentences: Sequence[StorySentence],
    placed: Sequence[StoryTime],
    ranks: Sequence[int] | None = None,
) -> NDArray[np.bool_]:
    """must[i, j]: i before j by times that are told, or by their sequence, or by their document
    where it has no date, none is told and their days do not say otherwise. What tells no time comes
    before what happened after its document was published: plans, too, were made by then.

    ``ranks`` are the places in each document's own order of happening; None leaves documents out.

    There is no cycle: nothing told must stand before what tells no time, only a sentence with a
    told time leaves its place in its document, and none its place in a sequence, whose messages
    are compared with other texts only where they were sent in that order.
    """
    n = len(sentences)
    must = np.zeros((n, n), dtype=bool)
    disordered = _disordered_sequences(sentences, placed)
    told = [
        time.source in ("told", "relative")
        and time.interval is not None
        and (sentence.sequence is None or sentence.sequence not in disordered)
        for sentence, time in zip(sentences, placed, strict=True)
    ]
    for i in range(n):
        for j in range(n):
            one, two = sentences[i], sentences[j]
            if i == j:
                continue
            if one.sequence is not None and one.sequence == two.sequence:
                must[i, j] = (one.position, i) < (two.position, j)
            elif told[i] and told[j]:
                must[i, j] = _by_time(placed[i], placed[j])[1] > 0
            elif not told[i] and not told[j] and _same_document(one, two):
                in_order = ranks is not None and not one.date and ranks[i] < ranks[j]
                must[i, j] = in_order and _by_time(placed[i], placed[j])[1] >= 0
            elif not told[i] and told[j]:
                must[i, j] = _is_published_before(one, placed[j])
    return must


def _is_published_before(sentence: StorySentence, other: StoryTime) -> bool:
    """Whether a sentence was published before the other's time."""
    published = interval_of(sentence.date) if sentence.date else None
    return published is not None and other.interval is not None and published.before(other.interval)


def _disordered_sequences(
    sentences: Sequence[StorySentence], placed: Sequence[StoryTime]
) -> frozenset[str]:
    """Sequences whose order their times cannot vouch for: one not sent at a known minute, or before
    an earlier one."""
    latest: dict[str, int] = {}
    disordered = set()
    for i in sorted(range(len(sentences)), key=lambda i: (sentences[i].position, i)):
        name, time = sentences[i].sequence, placed[i]
        if name is None:
            continue
        sent = time.interval.earliest if time.why == WHEN_SENT and time.interval else None
        if sent is None or sent < latest.get(name, sent):
            disordered.add(name)
        else:
            latest[name] = sent
    return frozenset(disordered)


def _same_document(one: StorySentence, two: StorySentence) -> bool:
    return one.document is not None and one.document == two.document


def _by_time(one: StoryTime, two: StoryTime) -> tuple[str, float]:
    if one.interval is None or two.interval is None:
        return "", 0.0
    sign = float(one.interval.before(two.interval)) - float(two.interval.before(one.interval))
    if not sign:
        return "", 0.0
    sources = {one.source, two.source}
    if "document" in sources:
        return "document date", sign * _sureness(one.interval, two.interval)
    return ("inferred time" if "guess" in sources else "told time"), sign


def _by_publication(
    first: StorySentence, one: StoryTime, second: StorySentence, two: StoryTime
) -> tuple[str, float]:
    """As ``_by_time``, where one of the two tells no time and is of a report of another year."""
    if one.interval is not None and two.interval is not None:
        return "", 0.0
    earlier, later = (
        time.interval or (interval_of(sentence.date) if sentence.date else None)
        for sentence, time in ((first, one), (second, two))
    )
    if earlier is None or later is None or earlier.frame != later.frame:
        return "", 0.0
    sign = float(earlier.before(later)) - float(later.before(earlier))
    if not sign or _days_apart(earlier, later) < _ANOTHER_YEAR:
        return "", 0.0
    return "document date", sign * _sureness(earlier, later)


def _sureness(one: Interval, two: Interval) -> float:
    """From 1 upwards with the days between: a report of another year tells of another year."""
    return 1.0 + math.log10(1.0 + _days_apart(one, two))


def _days_apart(one: Interval, two: Interval) -> float:
    return max(one.earliest - two.latest, two.earliest - one.latest, 0) / DAY


def _by_message(one: StorySentence, two: StorySentence) -> float:
    """The sign of two timestamps of one kind: with a date, or clock times alone."""
    first, second = one.timestamp, two.timestamp
    if not first or not second or ("T" in first) != ("T" in second):
        return 0.0
    return float(first < second) - float(second < first)


def _by_mail(one: StorySentence, two: StorySentence) -> float:
    """The sign of the times at which two mails of one thread were sent."""
    if one.mail is None or two.mail is None or one.mail[0] != two.mail[0]:
        return 0.0
    first, second = (datetime.fromisoformat(mail[1]) for mail in (one.mail, two.mail))
    if (first.tzinfo is None) != (second.tzinfo is None):
        first, second = first.replace(tzinfo=None), second.replace(tzinfo=None)
    return float(first < second) - float(second < first)


def _is_told(time: StoryTime) -> bool:
    return time.source in ("told", "relative")
