"""Insert, Remove and Modify."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UnknownName, UsageError
from fabula.ordering.items import Text
from fabula.ordering.noise import ADVERTISEMENTS, KINDS, add_noise, modify

UNITS = tuple(f"Sentence number {place} tells of the long voyage home." for place in range(8))
TEXT = Text("a", tuple(reversed(UNITS)), tuple(reversed(range(8))))


def in_order(text: Text) -> list[str]:
    assert text.gold is not None
    return [text.units[g] for g in text.gold]


def test_no_noise_changes_nothing() -> None:
    assert add_noise([TEXT], 0.0) == ([TEXT], 0)


def test_insert_puts_an_advertisement_in_front() -> None:
    ((noisy,), _) = add_noise([TEXT], 1.0, kinds=["insert"])
    for unit, was in zip(in_order(noisy), UNITS, strict=True):
        assert unit.endswith(was) and unit.removesuffix(was).strip() in ADVERTISEMENTS


def test_remove_takes_units_out_and_keeps_the_order_of_the_rest() -> None:
    ((noisy,), _) = add_noise([TEXT], 0.4, kinds=["remove"], seed=1)
    left = in_order(noisy)
    assert 2 <= len(left) < 8 and left == [unit for unit in UNITS if unit in left]
    assert add_noise([TEXT], 1.0, kinds=["remove"]) == ([], 1)


def test_modify_changes_half_of_the_tokens() -> None:
    ((noisy,), _) = add_noise([TEXT], 1.0, kinds=["modify"])
    for unit, was in zip(in_order(noisy), UNITS, strict=True):
        kept = sum(token in was.split() for token in unit.split())
        assert unit != was and 3 <= kept <= 6  # nine tokens, four of them hit


@given(st.lists(st.text("abcdefg", min_size=1, max_size=6), max_size=12), st.integers())
def test_modify_only_glues_splits_and_replaces(tokens: list[str], seed: int) -> None:
    changed = modify(" ".join(tokens), random.Random(seed))
    was, now = "".join(tokens), changed.replace(" ", "")
    assert len(was) == len(now)  # spaces apart, no letter comes or goes
    assert sum(a != b for a, b in zip(was, now, strict=True)) <= max(1, round(len(tokens) / 2))


@pytest.mark.parametrize("level", [0.2, 0.5, 0.8, 1.0])
def test_so_many_units_are_hit(level: float) -> None:
    texts = [Text(f"{i}", UNITS, tuple(range(8))) for i in range(200)]
    noisy, _ = add_noise(texts, level, kinds=["insert", "modify"], seed=3)
    clean = sum(unit in UNITS for text in noisy for unit in text.units) / 1600
    assert 1 - clean == pytest.approx(level, abs=0.04)


def test_a_text_is_hit_the_same_whoever_stands_beside_it() -> None:
    other = Text("b", UNITS, tuple(range(8)))
    both, _ = add_noise([other, TEXT], 0.5, seed=4)
    assert both[1:] == add_noise([TEXT], 0.5, seed=4)[0] != add_noise([TEXT], 0.5, seed=5)[0]


def test_what_is_no_noise() -> None:
    with pytest.raises(UsageError, match="between 0 and 1, not 20"):
        add_noise([TEXT], 20)
    with pytest.raises(UnknownName, match="did you mean 'insert'"):
        add_noise([TEXT], 0.2, kinds=["inserts"])


def test_the_advertisements() -> None:
    assert KINDS == ("insert", "remove", "modify")
    assert len(set(ADVERTISEMENTS)) == len(ADVERTISEMENTS) == 40
