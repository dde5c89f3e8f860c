"""The single-argument models: formulas on tiny counts, order, cutoffs, back-off, a baseline."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.errors import DamagedFile, UnknownName, UsageError
from fabula.events.api import predict_events
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.items import Chain, Event
from fabula.events.models.bigram import Bigram
from fabula.events.models.count_model import CountModel
from fabula.events.models.instance.base import matching_documents
from fabula.events.models.instance.bigram import InstanceBigram
from fabula.events.models.instance.unigram import InstanceUnigram
from fabula.events.models.learned.model import Learned
from fabula.events.models.ordered_pmi import OrderedPmi
from fabula.events.models.pmi import Pmi
from fabula.events.models.unigram import Unigram

A, B, C, D = (Event(name, "s") for name in "abcd")


def chain(document: str, letters: str) -> Chain:
    return Chain(document, "1", tuple(Event(letter, "s") for letter in letters))


TOY = [chain("1", "ab"), chain("1", "abc"), chain("2", "ca"), chain("3", "dd")]
COUNTS = count(TOY)


def asking(letters: str, hole: int, **more: Any) -> EventTest:
    events = tuple(Event(letter, "s") for letter in letters)
    return EventTest("t", events, hole, **more)


def scores(model: CountModel, test: EventTest) -> dict[str, float]:
    found = model.fit(COUNTS).scores(test, COUNTS)
    return {word[0]: float(score) for word, score in zip(COUNTS.event_types, found, strict=True)}


def test_unigram_is_the_share() -> None:
    found = scores(Unigram(), asking("a", 1))
    assert found == pytest.approx({"a": 3 / 9, "b": 2 / 9, "c": 2 / 9, "d": 2 / 9})


def test_bigram_is_equation_3() -> None:
    """C(a)=3, C(b)=2, C(c)=2, C(d)=2; a->b 2, a->c 1, b->c 1, c->a 1, d->d 1."""
    model, smoothing = Bigram(prior="uniform", start=False, smoothing=0.5), 0.5
    test = asking("ac", 1)  # a _ c
    pairs = {"ab": 2, "ac": 1, "bc": 1, "ca": 1, "dd": 1}
    unigrams = {"a": 3, "b": 2, "c": 2, "d": 2}

    def p(x: str, y: str) -> float:
        return (pairs.get(y + x, 0) + smoothing) / (unigrams[y] + 4 * smoothing)

    right = {e: math.log(p(e, "a")) + math.log(p("c", e)) for e in "abcd"}
    found = scores(model, test)
    shift = right["a"] - found["a"]  # what all candidates have alike is left out
    assert {e: s + shift for e, s in found.items()} == pytest.approx(right)
    assert max(found, key=found.__getitem__) == "b"


def test_the_prior_and_the_start_of_a_chain() -> None:
    nothing_before = asking("c", 0)
    flat = scores(Bigram(prior="uniform", start=False, smoothing=0.5), nothing_before)
    told = scores(Bigram(smoothing=0.5), nothing_before)
    assert told["a"] - flat["a"] > told["d"] - flat["d"]
    with pytest.raises(UnknownName, match="prior"):
        scores(Bigram(prior="flat"), nothing_before)


def test_a_set_has_no_order() -> None:
    for model in (Bigram(smoothing=0.1), OrderedPmi(), Pmi(), Learned(recipe=None)):
        one = scores(model, asking("abc", 0, ordered=False))
        other = scores(model, asking("cab", 2, ordered=False))
        assert one == pytest.approx(other)


def test_pmi_is_equation_4_and_symmetric() -> None:
    found = scores(Pmi(cutoff=0), asking("a", 1))
    pairs = 6  # ab, ab ac bc, ca, dd
    assert found["b"] == pytest.approx(math.log((2 / pairs) / (3 / 9 * 2 / 9)))
    normalised = scores(Pmi(cutoff=0, joint="normalised"), asking("a", 1))
    assert normalised["b"] == pytest.approx(math.log((2 / (2 * pairs)) / (3 / 9 * 2 / 9)))
    assert found["d"] == 0.0  # never seen together
    back = scores(Pmi(cutoff=0), asking("b", 1))
    assert back["a"] == pytest.approx(found["b"])  # published baselines got this wrong


def test_ordered_pmi_knows_which_side() -> None:
    after = scores(OrderedPmi(cutoff=0), asking("a", 1))
    before = scores(OrderedPmi(cutoff=0), asking("a", 0))
    assert after["b"] > before["b"] == 0.0


def test_the_rules_of_pmi() -> None:
    test = asking("a", 1)
    plain = scores(Pmi(cutoff=0), test)
    cut = scores(Pmi(cutoff=3), test)
    assert cut["a"] == plain["a"] and cut["b"] == cut["d"] == -math.inf
    discounted = scores(Pmi(cutoff=0, discount=True), test)
    assert discounted["b"] == pytest.approx(plain["b"] * 2 / 3 * 2 / 3)
    assert scores(Pmi(cutoff=0, clip=True), test)["b"] == max(plain["b"], 0.0)
    assert scores(Pmi(cutoff=0, unseen="count"), test)["d"] < 0.0
    by_pairs = scores(Pmi(cutoff=0, marginals="pairs"), test)
    assert by_pairs["b"] == pytest.approx(math.log((2 / 6) / (4 / 12 * 3 / 12)))
    for wrong in (Pmi(unseen="none"), Pmi(marginals="all"), Pmi(joint="half")):
        with pytest.raises(UnknownName):
            scores(wrong, test)


def test_documents_that_hold_all_or_some_of_a_chain() -> None:
    both = matching_documents(COUNTS, COUNTS.encode([A, C]), 1.0, 1)
    assert both.documents.tolist() == [0, 1] and both.backed_off == "no"
    fewer = matching_documents(COUNTS, COUNTS.encode([A, D]), 1.0, 1)
    assert fewer.documents.tolist() == [0, 1, 2] and fewer.backed_off == "fewer"
    half = matching_documents(COUNTS, COUNTS.encode([A, D]), 0.5, 1)
    assert half.documents.tolist() == [0, 1, 2] and half.backed_off == "no"
    none = matching_documents(COUNTS, COUNTS.encode([Event("yodel", "s")]), 1.0, 1)
    assert none.backed_off == "all" and not len(none.documents)


def test_instance_unigrams_count_those_documents_alone() -> None:
    model = InstanceUnigram(share=1.0, weight=0.0)
    found = scores(model, asking("d", 1))
    assert found == pytest.approx({"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0})
    assert model.backed_off_["no"] == 1
    unseen = scores(model, asking("z", 1))
    assert unseen["a"] == pytest.approx(3 / 9) and model.backed_off_["all"] == 1


def test_instance_bigrams_without_weight_are_the_bigram() -> None:
    for test in (asking("ac", 1), asking("ab", 2, ordered=False)):
        plain = scores(Bigram(smoothing=0.1), test)
        instance = scores(InstanceBigram(weight=0.0, smoothing=0.1), test)
        shift = plain["a"] - instance["a"]
        assert {e: s + shift for e, s in instance.items()} == pytest.approx(plain)
    heavy = scores(InstanceBigram(weight=9.0, smoothing=0.1), asking("a", 1))
    light = scores(InstanceBigram(weight=0.0, smoothing=0.1), asking("a", 1))
    assert heavy["b"] - heavy["d"] > light["b"] - light["d"]


def test_the_share_is_the_models_argument() -> None:
    assert InstanceUnigram.from_argument("100").share == 1.0
    assert InstanceBigram.from_argument("50").share == 0.5
    for wrong in ("0", "101", "half"):
        with pytest.raises(UsageError, match="1 to 100"):
            InstanceUnigram.from_argument(wrong)


def story(number: int, rng: np.random.Generator) -> Chain:
    """Crime or sport, with 'say' anywhere: what a count model must see through."""
    world = ("arrest charge try convict jail", "train play score win celebrate")[number % 2]
    words = [*rng.permutation(world.split()), "say", "say"]
    rng.shuffle(words)
    return Chain(f"d{number}", "1", tuple(Event(str(word), "subj") for word in words))


RNG = np.random.default_rng(0)
STORIES = [story(number, RNG) for number in range(60)]
ASKED = [
    EventTest(
        f"t{number}",
        tuple(e for e in chain.events if e.verb != "say")[:-1],
        4,
        tuple(e for e in chain.events if e.verb != "say")[-1],
        ordered=False,
    )
    for number, chain in enumerate(story(n, RNG) for n in range(20))
]


@pytest.mark.parametrize(
    "model",
    [
        Bigram(),
        Pmi(),
        OrderedPmi(),
        InstanceUnigram(share=0.75, weight=0.1),
        InstanceBigram(),
        Learned(recipe=None, dimension=4),
    ],
    ids=lambda model: model.registered,
)
def test_every_model_beats_frequency(model: CountModel) -> None:
    def mean_rank(trained: CountModel) -> float:
        found = trained.rank(ASKED, 3)
        answers = [test.answer for test in ASKED if test.answer]
        return float(np.mean([r.rank_of(a).rank for r, a in zip(found, answers, strict=True)]))

    assert mean_rank(model.fit(STORIES, ASKED)) < mean_rank(Unigram().fit(STORIES))


def test_learned_learns_on_held_out_documents(tmp_path: Path) -> None:
    many = [story(number, RNG) for number in range(300)]
    model = Learned(recipe=None, dimension=4, negatives=30).fit(many)
    assert np.count_nonzero(model.weights_) > 5
    model.save(tmp_path / "m")
    again = Learned.load(tmp_path / "m")
    assert np.array_equal(again.weights_, model.weights_)
    (tmp_path / "m" / "vectors.safetensors").write_bytes(b"")
    with pytest.raises(DamagedFile, match=r"vectors\.safetensors"):
        Learned.load(tmp_path / "m")


def test_a_cutoff_is_tuned_on_the_development_tests() -> None:
    model = Pmi().fit(STORIES, ASKED)
    assert model.tuned("cutoff") in Pmi.tunable["cutoff"]
    assert Pmi(cutoff=7).fit(STORIES, ASKED).tuned("cutoff") == 7
    assert Pmi().fit(STORIES).tuned("cutoff") == 0


def test_a_store_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="count again, or set them alike"):
        Bigram(skip=5).fit(COUNTS)
    with pytest.raises(UsageError, match="recipe"):
        Bigram(recipe="narrative-cloze").fit(COUNTS)


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    Bigram().fit(STORIES).save(tmp_path)
    assert isinstance(Bigram.load(tmp_path), Bigram)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["tuned"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "checksums.json").unlink(missing_ok=True)
    with pytest.raises(DamagedFile, match="not a trained model"):
        Bigram.load(tmp_path)


def test_what_comes_next_and_why() -> None:
    model = Bigram().fit(STORIES)
    found = predict_events("arrest->subj charge->subj try->subj", top=2, model=model)
    assert {e.event.verb for e in found.events} <= {"convict", "jail", "say"}
    crime = next(e for e in found.events if e.event.verb != "say")
    assert crime.lift > 1 and not crime.only_frequency and crime.support[0].startswith("d")
    missing = predict_events(STORIES[0], hole=0, top=1, model=model)
    assert len(missing.events) == 1


def test_a_prediction_of_frequency_says_so() -> None:
    model = Unigram().fit(STORIES)
    unseen = predict_events("yodel->subj", model=model)
    assert unseen.warning and "only frequency" in unseen.warning
    assert all(expected.only_frequency for expected in unseen.events)
    mixed = predict_events("arrest->subj yodel->subj", model=model)
    assert mixed.warning and "never seen: yodel->subj" in mixed.warning
    assert any(e.only_frequency for e in mixed.events)


@pytest.mark.parametrize(
    ("chain", "options", "problem"),
    [
        ("", {}, "the chain has no events"),
        ("arrest", {}, "write events as VERB->SLOT"),
        ("a->s b->s", {"hole": 3}, "the hole must be 0 to 2"),
        ("a->s", {"hole": -1}, "the hole must be 0 to 1"),
        ("a->s", {"top": 0}, "top must be 1 or more"),
    ],
)
def test_what_cannot_be_predicted(chain: str, options: dict[str, int], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        predict_events(chain, model=Unigram().fit(STORIES), **options)


@pytest.mark.parametrize("recipe", [None, "narrative-cloze"])
def test_where_events_stand_once_a_known_one_is_not_the_missing_one(recipe: str | None) -> None:
    model = Learned(recipe=recipe, dimension=2).fit(TOY)
    (found,) = model.rank([asking("ab", 2, ordered=False)], 10)
    ranked = {prediction.event.verb for prediction in found.predictions}
    assert {"a", "b"} <= ranked if recipe is None else not {"a", "b"} & ranked
    assert "c" in ranked
