"""Multi-argument events: rewriting, and candidates from postings equal to brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UsageError
from fabula.events.cloze import EventTest
from fabula.events.counting import count
from fabula.events.items import Chain, Event
from fabula.events.models.multi_bigram import MultiBigram
from fabula.events.models.multi_pmi import MultiPmi
from fabula.events.multi import OTHER, Frame, candidates, frame_of, frames_of, rewrite
from fabula.events.multicounted import MultiCounted


def test_a_frame_has_three_slots() -> None:
    given = Event("hand", "subj", {"subj": "Ann", "obj": "key", "to": "Bo", "in": "park"})
    assert frame_of(given, "Ann") == Frame("hand", ("Ann", "key", "park"))
    own = Event("hand", "to", {"subj": "Ann", "in": "park", "to": "Bo"})
    assert frame_of(own, "Bo").slots == ("Ann", None, "Bo")
    assert frame_of(Event("flee", "nsubj"), "7") == Frame("flee", ("7", None, None))


def test_entities_are_told_relative_to_the_earlier_event() -> None:
    arrest, flee = Frame("arrest", ("p", "j", None)), Frame("flee", ("j", None, "t"))
    assert rewrite(arrest, flee) == (("arrest", "O", "2", "-"), ("flee", "2", "-", "O"))
    assert rewrite(flee, arrest) == (("flee", "1", "-", "O"), ("arrest", "O", "1", "-"))
    strange = Frame("see", (OTHER, None, None))
    assert rewrite(strange, strange)[1] == ("see", "O", "-", "-")  # two Others are not the same


entities = st.sampled_from([None, "x", "y", "z"])
frames = st.builds(
    Frame, st.sampled_from(["go", "see"]), st.tuples(entities, entities, entities)
).filter(lambda frame: any(frame.slots))


def chain_of(found: list[Frame], document: str = "d") -> Chain:
    names = ("subj", "obj", "to")
    events = []
    for frame in found:
        args = {slot: who for slot, who in zip(names, frame.slots, strict=True) if who}
        events.append(Event(frame.verb, next(iter(args)), args))
    return Chain(document, "x", tuple(events))


@pytest.mark.parametrize("model", [MultiBigram, MultiPmi])
@given(
    st.lists(st.lists(frames, min_size=2, max_size=4), min_size=1, max_size=4),
    st.lists(frames, min_size=1, max_size=3),
    st.integers(0, 3),
)
def test_candidates_from_postings_are_those_of_brute_force(
    model: type[MultiCounted], training: list[list[Frame]], known: list[Frame], hole: int
) -> None:
    trained = model().fit([chain_of(some) for some in training])
    before, after = known[:hole], known[hole:]
    names = list(dict.fromkeys(who for frame in known for who in frame.slots if who))
    brute = {}
    for frame in candidates(sorted(trained.verbs_), names):
        pairs = [rewrite(k, frame) for k in before] + [rewrite(frame, k) for k in after]
        if any(trained.pairs_[pair] for pair in pairs):
            brute[frame] = trained.score(frame, before, after)
    assert trained.scored(before, after, names) == brute


TRAINING = [
    chain_of([Frame("see", ("y", "x", None)), Frame("go", ("x", None, "z"))], f"d{i}")
    for i in range(3)
]


@pytest.mark.parametrize("model", [MultiBigram(), MultiPmi()])
def test_the_filling_is_predicted_with_the_verb(model: MultiCounted) -> None:
    model.fit(TRAINING)
    seen = Event("see", "obj", {"subj": "Bo", "obj": "Ann"})
    (found,) = model.rank([EventTest("t", (seen,), 1, entity="Ann")], 5)
    best = found.predictions[0].event
    assert (best.verb, best.args) == ("go", {"subj": "Ann", "prep": OTHER})
    right = Event("go", "subj", {"subj": "Ann", "in": "Rome"})
    wrong = Event("go", "subj", {"subj": "Bo", "in": "Rome"})
    assert found.place_of(right).rank == 1.0 < found.place_of(wrong).rank
    assert found.place_of(Event("yodel", "subj")).rank == found.candidates + 1


def test_a_cutoff_leaves_rare_verbs_out() -> None:
    seen = Event("see", "obj", {"subj": "Bo", "obj": "Ann"})
    test = EventTest("t", (seen,), 1, entity="Ann")
    (found,) = MultiPmi(cutoff=99).fit(TRAINING).rank([test], 5)
    assert found.predictions == ()


def test_what_it_cannot_learn_from() -> None:
    with pytest.raises(UsageError, match="train it on chain files"):
        MultiBigram().fit(count(TRAINING))
    with pytest.raises(UsageError, match="is not trained"):
        MultiBigram().rank([], 5)
    with pytest.raises(UsageError, match="no chain of two"):
        MultiBigram().fit([Chain("d", "x", TRAINING[0].events[:1])])
    assert len(frames_of(TRAINING[0])) == 2
