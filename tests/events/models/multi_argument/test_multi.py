"""Multi-argument events: rewriting, and candidates from postings equal to brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UnknownName, UsageError
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.items import Chain, Event
from fabula.events.models.multi_argument.base import MultiArgumentModel
from fabula.events.models.multi_argument.bigram import MultiBigram
from fabula.events.models.multi_argument.candidates import (
    ArgumentFillings,
    encode_slots,
)
from fabula.events.models.multi_argument.pmi import MultiPmi
from fabula.events.models.multi_argument.rewriting import (
    OTHER,
    MultiEvent,
    RewrittenEvent,
    candidates,
    multi_event,
    multi_events,
    rewrite,
)
from fabula.events.models.multi_argument.unigram import MultiUnigram


def test_a_frame_has_three_slots() -> None:
    given = Event("hand", "subj", {"subj": "Ann", "obj": "key", "to": "Bo", "in": "park"})
    assert multi_event(given, "Ann") == MultiEvent("hand", ("Ann", "key", "park"))
    own = Event("hand", "to", {"subj": "Ann", "in": "park", "to": "Bo"})
    assert multi_event(own, "Bo").slots == ("Ann", None, "Bo")
    assert multi_event(Event("flee", "nsubj"), "7") == MultiEvent("flee", ("7", None, None))


def test_entities_are_told_relative_to_the_earlier_event() -> None:
    arrest, flee = (
        MultiEvent("arrest", ("p", "j", None)),
        MultiEvent("flee", ("j", None, "t")),
    )
    assert rewrite(arrest, flee) == (("arrest", "O", "2", "-"), ("flee", "2", "-", "O"))
    assert rewrite(flee, arrest) == (("flee", "1", "-", "O"), ("arrest", "O", "1", "-"))
    strange = MultiEvent("see", (OTHER, None, None))
    assert rewrite(strange, strange)[1] == ("see", "O", "-", "-")  # two Others are not the same


entities = st.sampled_from([None, "x", "y", "z"])
frames = st.builds(
    MultiEvent, st.sampled_from(["go", "see"]), st.tuples(entities, entities, entities)
).filter(lambda frame: any(frame.slots))


def chain_of(found: list[MultiEvent], document: str = "d") -> Chain:
    names = ("subj", "obj", "to")
    events = []
    for frame in found:
        args = {slot: who for slot, who in zip(names, frame.slots, strict=True) if who}
        events.append(Event(frame.verb, next(iter(args)), args))
    return Chain(document, "x", tuple(events))


def counted(
    training: list[list[MultiEvent]],
) -> Counter[tuple[RewrittenEvent, RewrittenEvent]]:
    return Counter(rewrite(*pair) for some in training for pair in combinations(some, 2))


def score_bigram(pairs: list[Any], counts: Counter[Any]) -> float:
    """The formula to the letter, with the model's own smoothing of 0.1."""
    firsts: Counter[Any] = Counter()
    for (first, _), number in counts.items():
        firsts[first] += number
    types = len({told for pair in counts for told in pair})
    return sum(log((counts[pair] + 0.1) / (firsts[pair[0]] + 0.1 * types)) for pair in pairs)


def score_pmi(pairs: list[Any], counts: Counter[Any]) -> float:
    firsts: Counter[Any] = Counter()
    seconds: Counter[Any] = Counter()
    for (first, second), number in counts.items():
        firsts[first] += number
        seconds[second] += number
    return sum(
        log(counts[f, s] * counts.total() / (firsts[f] * seconds[s]))
        for f, s in pairs
        if counts[f, s]
    )


@pytest.mark.parametrize(
    ("model", "score"),
    [(lambda: MultiBigram(prior="uniform"), score_bigram), (MultiPmi, score_pmi)],
)
@given(
    st.lists(st.lists(frames, min_size=2, max_size=4), min_size=1, max_size=4),
    st.lists(frames, min_size=1, max_size=3),
    st.integers(0, 3),
)
def test_candidates_from_postings_are_those_of_brute_force(
    model: Callable[[], MultiArgumentModel],
    score: Callable[[list[Any], Counter[Any]], float],
    training: list[list[MultiEvent]],
    known: list[MultiEvent],
    hole: int,
) -> None:
    trained = model().fit([chain_of(some) for some in training])
    counts = counted(training)
    before, after = known[:hole], known[hole:]
    names = list(dict.fromkeys(who for frame in known for who in frame.slots if who))
    brute = {}
    for frame in candidates(sorted(trained.verbs_), names):
        pairs = [rewrite(k, frame) for k in before] + [rewrite(frame, k) for k in after]
        if any(counts[pair] for pair in pairs):
            brute[frame] = score(pairs, counts)
    found = trained.score_candidates(before, after, names, "x")
    assert dict(found.best(len(found.keys))) == pytest.approx(brute, abs=1e-6)
    assert all(found.score_of(frame) == pytest.approx(brute[frame], abs=1e-6) for frame in brute)


@given(
    st.lists(st.lists(frames, min_size=2, max_size=4), min_size=1, max_size=4),
    st.lists(frames, min_size=1, max_size=3),
    st.integers(0, 3),
)
def test_smoothed_by_frequency_it_ranks_what_was_seen_at_all(
    training: list[list[MultiEvent]], known: list[MultiEvent], hole: int
) -> None:
    """The formula to the letter, over brute-force candidates."""
    trained = MultiBigram(smoothing=0.3).fit([chain_of(some) for some in training])
    pairs, events = counted(training), Counter(map(seen, (f for some in training for f in some)))
    firsts: Counter[Any] = Counter()
    for (first, _), number in pairs.items():
        firsts[first] += number
    mass = 0.3 * len({told for pair in pairs for told in pair})
    before, after = known[:hole], known[hole:]
    names = list(dict.fromkeys(["x", *(who for frame in known for who in frame.slots if who)]))

    def share(frame: MultiEvent) -> float:
        return max(events[seen(frame)], 0.5) / events.total()

    def log_odds(pair: tuple[Any, Any], prior: float) -> float:
        return log((pairs[pair] + mass * prior) / (firsts[pair[0]] + mass))

    brute = {}
    for frame in candidates(sorted(trained.verbs_), names):
        told = [rewrite(k, frame) for k in before] + [rewrite(frame, k) for k in after]
        if events[frame] or any(pairs[pair] for pair in told):
            brute[frame] = sum(log_odds(rewrite(k, frame), share(frame)) for k in before)
            brute[frame] += sum(log_odds(rewrite(frame, k), share(k)) for k in after)
            brute[frame] += 0.0 if before else log(share(frame))
    found = trained.score_candidates(before, after, names, "x")
    assert dict(found.best(len(found.keys))) == pytest.approx(brute, abs=1e-6)


def seen(frame: MultiEvent) -> MultiEvent:
    """The event as x sees it."""
    one, two, three = (who if who in ("x", None) else OTHER for who in frame.slots)
    return MultiEvent(frame.verb, (one, two, three))


@given(
    st.lists(st.lists(frames, min_size=2, max_size=4), min_size=1, max_size=4),
    st.lists(frames, min_size=1, max_size=3),
)
def test_the_unigram_is_a_count_as_the_entity_of_the_chain_sees_it(
    training: list[list[MultiEvent]], known: list[MultiEvent]
) -> None:
    trained = MultiUnigram().fit([chain_of(some) for some in training])
    every = [seen(frame) for some in training for frame in some]
    names = list(dict.fromkeys(["x", *(who for frame in known for who in frame.slots if who)]))
    allowed = set(candidates(sorted(trained.verbs_), names))
    brute = {f: n / len(every) for f, n in Counter(every).items() if f in allowed}
    found = trained.score_candidates(known, [], names, "x")
    assert dict(found.best(len(found.keys))) == pytest.approx(brute)
    assert found.score_of(MultiEvent("fly", ("x", None, None))) is None


@given(frames, frames)
def test_fillings_are_told_as_rewrite_tells_them(known: MultiEvent, other: MultiEvent) -> None:
    fillings = ArgumentFillings(["x", "y", "z"])
    number = fillings.number(other)
    if not fillings.allowed[number]:
        return  # an entity in two slots is no candidate
    assert fillings.frame(other.verb, number) == other
    for later in (True, False):
        own, told = fillings.pair_codes(known, later=later)
        pair = rewrite(known, other) if later else rewrite(other, known)[::-1]
        assert [verb for verb, *_ in pair] == [known.verb, other.verb]
        assert [encode_slots(event) for event in pair] == [own[number], told[number]]


TRAINING = [
    chain_of(
        [MultiEvent("see", ("y", "x", None)), MultiEvent("go", ("x", None, "z"))],
        f"d{i}",
    )
    for i in range(3)
]


@pytest.mark.parametrize("model", [MultiBigram(), MultiPmi()])
def test_the_filling_is_predicted_with_the_verb(model: MultiArgumentModel) -> None:
    model.fit(TRAINING)
    seen = Event("see", "obj", {"subj": "Bo", "obj": "Ann"})
    (found,) = model.rank([EventTest("t", (seen,), 1, entity="Ann")], 5)
    best = found.predictions[0].event
    assert (best.verb, best.args) == ("go", {"subj": "Ann", "prep": OTHER})
    right = Event("go", "subj", {"subj": "Ann", "in": "Rome"})
    wrong = Event("go", "subj", {"subj": "Bo", "in": "Rome"})
    assert found.rank_of(right).rank == 1.0 < found.rank_of(wrong).rank
    assert found.rank_of(Event("yodel", "subj")).rank == found.candidates + 1


def test_a_cutoff_leaves_rare_verbs_out() -> None:
    seen = Event("see", "obj", {"subj": "Bo", "obj": "Ann"})
    test = EventTest("t", (seen,), 1, entity="Ann")
    (found,) = MultiPmi(cutoff=99).fit(TRAINING).rank([test], 5)
    assert found.predictions == ()


def test_an_unknown_prior_is_named() -> None:
    test = EventTest("t", (Event("see", "obj", {"subj": "Bo", "obj": "Ann"}),), 1, entity="Ann")
    with pytest.raises(UnknownName, match="unigram"):
        MultiBigram(prior="flat").fit(TRAINING).rank([test], 5)


def test_what_it_cannot_learn_from() -> None:
    with pytest.raises(UsageError, match="train it on chain files"):
        MultiBigram().fit(count(TRAINING))
    with pytest.raises(UsageError, match="is not trained"):
        MultiBigram().rank([], 5)
    with pytest.raises(UsageError, match="no chain of two"):
        MultiBigram().fit([Chain("d", "x", TRAINING[0].events[:1])])
    assert len(multi_events(TRAINING[0])) == 2
