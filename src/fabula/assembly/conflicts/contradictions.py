"""Contradictions: readings of a pile's sentences in, pairs that cannot both be true out.

Claims told of one thing are aligned and compared by slot (``candidates``); a logistic regression
over the alignment, the values and two models that read both sentences (``features``) gives the
probability that both cannot be true, calibrated on real news. Near copies agree.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.conflicts.candidates import Candidate, candidates
from fabula.assembly.conflicts.features import candidate_features
from fabula.assembly.conflicts.relation import (
    RELATIONS,
    is_grave,
    relation_of,
    speaker_of,
)
from fabula.assembly.facts.reading import Reading
from fabula.core.model_store import shipped_config
from fabula.errors import MissingPart
from fabula.text.lexicon import CARDINALS, ENGLISH_WORDS, MAGNITUDES, NEGATIONS

__all__ = ["LIKELY", "ContradictingPair", "Sources", "find_contradictions",
           "possible_contradictions", "probability"]  # fmt: skip

LIKELY = 0.5  # what is shown unasked is likelier true than not
UNLIKELY = 0.1  # below it nothing is shown
# Added to the log-odds where no document is known. News nearly always agrees; of the lines of a
# pile each may be another witness's. Half of what is then likelier true than not is marked in
# stories written to train on, cross-validated.
_LINES_ALONE = 0.85
_NEAR_COPY = 0.8  # Jaccard overlap of the words of two sentences
_VALUES = NEGATIONS.union(CARDINALS, MAGNITUDES)
_WORD = re.compile(r"\w+")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContradictingPair:
    """Two sentences (indices, ``first`` < ``second``) that cannot both be true.

    ``kind`` is number, date, time, place or outcome; ``about`` the words both share, ``values`` the
    words of each that differ, ``weight`` the probability.
    """

    kind: str
    first: int
    second: int
    about: str
    values: tuple[str, str]
    weight: float
    relation: str = "conflict"
    speakers: tuple[str | None, str | None] = (None, None)
    accepted: bool = False  # by the user


@dataclass(frozen=True, slots=True)
class Sources:
    """What is known of each sentence of a pile: its document and story (numbers), the date of its
    document (ISO) and who says it; None where nothing is known of any."""

    documents: Sequence[int] | None = None
    stories: Sequence[int] | None = None
    dates: Sequence[str | None] | None = None
    speakers: Sequence[str | None] | None = None


def find_contradictions(
    readings: Sequence[Reading],
    sources: Sources | None = None,
    *,
    judged: Mapping[tuple[int, int], bool] | None = None,
    everything: bool = False,
    model: Any = None,
) -> list[ContradictingPair]:
    """The contradicting pairs that are likelier true than not, the severest first.

    Documents of two stories do not speak of one event, and a writer does not contradict himself,
    though he may quote two who do. Questions, tables, text that is not English, and copies of a
    sentence take no part. One disagreement is given once, by its likeliest pair of sentences, and
    a sentence is part of one of each kind. ``judged`` are pairs that the user accepted or
    dismissed: the latter are not given. ``everything`` adds the less likely ones. ``model`` (of
    the task pairs) defaults to the one that ships; without its files there are none.
    """
    known = sources or Sources()
    verdicts = judged or {}
    speakers = _speakers(readings, known.speakers)
    try:
        possible = possible_contradictions(readings, known, model)
    except MissingPart as error:
        _log.warning("contradictions are not looked for: %s", error)
        return []
    alone = not _has_documents(known)
    scored = sorted(
        (
            (probability(features, alone=alone), candidate)
            for candidate, features in possible
            if verdicts.get(candidate.pair, True)
        ),
        key=lambda one: (-one[0], one[1].pair, one[1].kind),
    )
    # What the user accepted is given however unlikely, as its likeliest kind.
    accepted = {c.pair: (p, c) for p, c in reversed(scored) if verdicts.get(c.pair)}
    least = UNLIKELY if everything else LIKELY
    likely = [*accepted.values()]
    likely += [(p, c) for p, c in scored if p > least and c.pair not in accepted]
    pairs = [_pair(p, c, readings, known, speakers, verdicts) for p, c in _distinct(likely)]
    return sorted(pairs, key=lambda pair: _severity(pair, readings))


def _severity(pair: ContradictingPair, readings: Sequence[Reading]) -> tuple[Any, ...]:
    """What to show first: a conflict before an update, a matter of life or liberty before others,
    then what is likelier."""
    texts = (readings[pair.first].text, readings[pair.second].text)
    grave = is_grave(pair.kind, texts)
    return RELATIONS.index(pair.relation), not grave, -pair.weight, pair.first, pair.second


def possible_contradictions(
    readings: Sequence[Reading], sources: Sources, model: Any = None
) -> list[tuple[Candidate, dict[str, float]]]:
    """The candidates that documents, stories and speakers allow, with their features."""
    words = [_WORD.findall(reading.text.lower()) for reading in readings]
    told = [
        reading if _is_claim(reading.text, own) else _SILENT
        for reading, own in zip(readings, words, strict=True)
    ]
    speakers = _speakers(readings, sources.speakers)
    vectors = _vectors([reading.text for reading in readings])
    found = [
        candidate
        for candidate in candidates(told, vectors)
        if _may_clash(candidate, sources, speakers)
        and not _is_copy(candidate, words[candidate.first], words[candidate.second])
    ]
    rows = candidate_features(found, readings, vectors, sources.documents, model)
    return list(zip(found, rows, strict=True))


def probability(features: Mapping[str, float], *, alone: bool = False) -> float:
    """That a candidate is a contradiction, by the logistic regression; ``alone``: of sentences
    whose documents are not known."""
    weights: Mapping[str, float] = shipped_config("assembly/contradictions")["log_odds"]
    total = weights["intercept"] + math.fsum(
        weight * features[name] for name, weight in weights.items() if name != "intercept"
    )
    total += _LINES_ALONE * alone
    return 1 / (1 + math.exp(-total))


def _vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    from fabula.text.encoders.sentence import minilm

    return np.asarray(minilm().encode(list(texts)), dtype=np.float32)


_SILENT = Reading(frozenset(), frozenset())


def _is_claim(text: str, own: Sequence[str]) -> bool:
    """Whether a sentence claims something in English: it is no question, quoted or not, and no row
    of a table."""
    if text.rstrip("\"'”’) ").endswith("?"):
        return False
    quoted = max(text.rfind(f"?{mark}") for mark in "\"'”’»")
    if 2 * len(_WORD.findall(text[: quoted + 1])) > len(own):
        return False
    figures = sum(word[0].isdigit() for word in own)
    if figures > 3 and figures * 2 > len(own):
        return False
    return len(own) < 6 or bool(ENGLISH_WORDS.intersection(own))


def _has_documents(known: Sources) -> bool:
    """Whether the sentences are of several documents; those of one may be of any hand."""
    documents = known.documents or ()
    return any(document != documents[0] for document in documents)


def _may_clash(candidate: Candidate, known: Sources, speakers: Sequence[str | None]) -> bool:
    """Whether the documents, stories and speakers of two sentences allow a contradiction."""
    i, j = candidate.pair
    if known.documents is None or not _has_documents(known):
        return True
    if known.documents[i] == known.documents[j]:
        one, other = speakers[i], speakers[j]
        return bool(one and other) and not _is_one_speaker(str(one), str(other))
    return known.stories is None or known.stories[i] == known.stories[j]


def _is_one_speaker(one: str, other: str) -> bool:
    """Whether two names may be one: "Mayor Lund" and "Lund", "the Geological Survey" and "GS"."""
    first, second = (
        {w for w in _WORD.findall(name.lower()) if w != "the"} for name in (one, other)
    )
    initials = {
        "".join(w[0] for w in _WORD.findall(name) if w[0].isupper()).lower()
        for name in (one, other)
    }
    return bool(first & second or initials & (first | second))


def _is_copy(candidate: Candidate, first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two sentences have four fifths of their words in common and do not differ in a
    value: other words for the same are agreement."""
    if first == second:
        return True
    one, other = Counter(first), Counter(second)
    if (one & other).total() < _NEAR_COPY * (one | other).total():
        return False
    if candidate.kind in ("number", "time", "date"):
        return False
    differing = (one - other) + (other - one)
    return not any(word[0].isdigit() or word in _VALUES for word in differing)


def _speakers(readings: Sequence[Reading], known: Sequence[str | None] | None) -> list[str | None]:
    told = [speaker_of(reading.text) for reading in readings]
    return told if known is None else [a or b for a, b in zip(known, told, strict=True)]


def _distinct(
    scored: Sequence[tuple[float, Candidate]],
) -> Iterator[tuple[float, Candidate]]:
    """The first of each disagreement: the same two values of one slot, told by other pairs of
    sentences, are no other; nor is another of the kind with one of the sentences."""
    seen: set[Hashable] = set()
    for p, c in scored:
        first, second = c.claims
        keys: set[Hashable] = {(c.kind, c.first), (c.kind, c.second)}
        if c.kind != "outcome":
            keys.add((c.kind, frozenset((first.said.lower(), second.said.lower()))))
        if not keys & seen:
            seen |= keys
            yield p, c


def _pair(
    p: float,
    candidate: Candidate,
    readings: Sequence[Reading],
    known: Sources,
    speakers: Sequence[str | None],
    verdicts: Mapping[tuple[int, int], bool],
) -> ContradictingPair:
    """The contradiction with its relation and speakers, and whether the user accepted it."""
    i, j = candidate.pair
    first, second = candidate.claims
    texts = (readings[i].text, readings[j].text)
    dates = (None, None) if known.dates is None else (known.dates[i], known.dates[j])
    said = (speakers[i], speakers[j])
    values = (first.said, second.said)
    about = first.anchor.words & second.anchor.words or readings[i].words & readings[j].words
    return ContradictingPair(
        candidate.kind, i, j, " ".join(sorted(about)), values, round(min(p, 0.999), 3),
        relation_of(candidate.kind, texts, values, dates, said), said, verdicts.get((i, j), False),
    )  # fmt: skip
