"""Event tests: the switches of the builder, the file, and what a model may see."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InputError, UnknownName, UsageError
from fabula.events.build import build_tests
from fabula.events.cloze.event_test import EventTest, present, read_tests
from fabula.events.items import Chain, Event
from fabula.events.recipes import RECIPES, Recipe, prepare, recipe_named
from fabula.events.stats import statistics
from fabula.text.io.records import write_records


def events(text: str) -> tuple[Event, ...]:
    return tuple(Event(*word.split("->")[:2]) for word in text.split())  # type: ignore[arg-type]


def chain(document: str, verbs: str) -> Chain:
    return Chain(document, "1", tuple(Event(verb, "subj") for verb in verbs.split()))


CHAINS = [
    chain("d1", "say be say go"),
    chain("d1", "run hide run hide run"),
    chain("d2", "be be"),
    chain("d2", "eat sleep"),
    chain("d3", "a b c d e f g h i j k l"),
    chain("d4", "m n o p q r s t u v w x"),
]


def test_lm_cloze_asks_every_chain_in_order() -> None:
    tests = list(build_tests(CHAINS, RECIPES["lm-cloze"]))
    assert len(tests) == 6 and all(test.ordered for test in tests)
    for test, source in zip(tests, CHAINS, strict=True):
        assert test.filled().events == source.events
        assert (test.document, test.entity) == (source.document, "1")


def test_narrative_cloze_is_a_set_of_one_protagonist() -> None:
    tests = list(build_tests(CHAINS, RECIPES["narrative-cloze"]))
    assert [test.document for test in tests] == ["d1", "d2", "d3", "d4"]
    for test in tests:
        every = [*test.events, test.answer]
        assert not test.ordered and len(set(every)) == len(every)
        assert all(event and event.verb != "be" for event in every)
    assert {e.verb for e in tests[0].filled().events} in ({"say", "go"}, {"run", "hide"})


def test_multiple_choice_takes_the_last_of_long_chains() -> None:
    rules = replace(RECIPES["multiple-choice"], frequent_out=0)
    tests = list(build_tests(CHAINS, rules))
    assert [str(test.answer) for test in tests] == ["l->subj", "x->subj"]
    for test in tests:
        assert test.hole == len(test.events) and len(set(test.options)) == 5
        wrong = set(test.options) - {test.answer}
        assert len(wrong) == 4 and not wrong & set(test.events)
    out = list(
        build_tests(
            [*CHAINS, chain("d5", "z a"), chain("d6", "y a")], replace(rules, frequent_out=1)
        )
    )
    assert all(event.verb != "a" for test in out for event in test.filled().events)


def test_single_switches() -> None:
    last = list(build_tests(CHAINS, Recipe(hole="last", least=5)))
    assert [test.hole for test in last] == [4, 11, 11]
    each = list(build_tests(CHAINS, Recipe(hole="each")))
    assert len(each) == sum(len(some.events) for some in CHAINS)
    drawn = Counter(t.document for t in build_tests(CHAINS, Recipe(sample="events"), n=20, seed=1))
    assert drawn["d3"] + drawn["d4"] > drawn["d1"] + drawn["d2"]
    assert len(list(build_tests(CHAINS, Recipe(), n=3))) == 3
    for wrong in (Recipe(hole="first"), Recipe(chains="some"), Recipe(sample="words")):
        with pytest.raises(UnknownName):
            list(build_tests(CHAINS, wrong))
    with pytest.raises(UsageError, match="one option is no choice"):
        list(build_tests(CHAINS, Recipe(options=1)))
    with pytest.raises(UsageError, match="too few different events"):
        list(build_tests(CHAINS[:1], Recipe(options=9)))
    with pytest.raises(UsageError, match="no chain of 99 events"):
        list(build_tests(CHAINS, Recipe(least=99)))
    with pytest.raises(UnknownName, match="did you mean 'lm-cloze'"):
        recipe_named("lm-close")


@given(st.lists(st.text("abc", min_size=2, max_size=8), min_size=1), st.integers(0, 9))
def test_the_same_seed_gives_the_same_tests(rows: list[str], seed: int) -> None:
    chains = [chain(f"d{i}", " ".join(row)) for i, row in enumerate(rows)]
    one = list(build_tests(chains, Recipe(), n=3, seed=seed))
    assert one == list(build_tests(chains, Recipe(), n=3, seed=seed))
    assert len({test.id for test in one}) == len(one)


def test_preparing_keeps_the_first_of_repeats() -> None:
    ready = prepare(chain("d", "b a be b a c"), RECIPES["narrative-cloze"])
    assert [event.verb for event in ready.events] == ["b", "a", "c"]
    assert prepare(CHAINS[0], RECIPES["lm-cloze"]) is CHAINS[0]


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_built_file_is_read_back(tmp_path: Path, name: str, recipe: str) -> None:
    rules = replace(RECIPES[recipe], frequent_out=0)
    tests = list(build_tests(CHAINS, rules))
    write_records(tmp_path / name, (test.to_row() for test in tests))
    assert list(read_tests(tmp_path / name)) == tests
    assert statistics(tests)["tests"] == len(tests)


GOOD = {"events": [{"verb": "a", "slot": "subj"}], "hole": 1, "answer": {"verb": "b", "slot": "s"}}


def test_a_file_made_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    marked = {**GOOD, "events": [*GOOD["events"], None]}  # type: ignore[misc]
    blind = {"events": GOOD["events"], "hole": 0}
    path.write_text("".join(json.dumps(row) + "\n" for row in (GOOD, marked, blind)))
    one, two, three = read_tests(path)
    assert one.events == two.events and one.hole == two.hole == 1 and one.id == "1"
    assert three.answer is None
    with pytest.raises(UsageError, match="has no answer"):
        three.filled()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"hole": 2}, "'hole' must be 0 to 1, the number of known events before it; it is 2"),
        ({"hole": -1}, "'hole' must be 0 to 1"),
        ({"hole": "1"}, "'hole' must be"),
        ({"events": []}, "'events' is empty"),
        ({"events": "a"}, "'events' must be a list"),
        ({"events": [{"verb": "a"}]}, "'slot' must be a word"),
        ({"answer": {"verb": 3, "slot": "s"}}, "'verb' must be a word"),
        ({"options": [{"verb": "a", "slot": "s"}]}, "answer must be one of 'options'"),
        ({"ordered": "no"}, "'ordered' must be true or false"),
        ({"hole": None}, "'hole' must be"),
    ],
)
def test_a_wrong_row_names_its_line(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps({**GOOD, **change}) + "\n")
    with pytest.raises(InputError, match=r"t\.jsonl:2: .*" + problem.replace("'", ".")):
        list(read_tests(path))


def test_a_model_sees_neither_answer_nor_place() -> None:
    known = (Event("a", "subj", {"subj": "1"}, sentence=3, line=9), Event("b", "obj", sentence=7))
    options = events("x->s y->s z->s")
    test = EventTest("t", known, 1, options[1], options, False, "1", "doc")
    views = [present(test, random.Random(seed), {}).item for seed in range(20)]
    assert all(view.answer is None and view.document is None for view in views)
    assert {view.options for view in views} != {options}
    assert {view.events[0].verb for view in views} == {"a", "b"}  # a set is shuffled
    assert all(e.sentence is None and e.line is None for view in views for e in view.events)
    assert views[0].events[0].args or views[0].events[1].args
