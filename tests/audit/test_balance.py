"""Balance: a subset that gives less away, and what to rewrite."""

from __future__ import annotations

import random

import pytest
from tests.audit.toy import make

from fabula.audit.balance import balance
from fabula.endings.items import Ending
from fabula.errors import UsageError


def leaky(n: int = 240) -> list[Ending]:
    rng = random.Random(1)
    return [
        Ending(i.id, i.context,
               tuple(f"{o} indeed" if (p == i.gold) and rng.random() < 0.35 else o
                     for p, o in enumerate(i.options)), i.gold)
        for i in make(n)
    ]  # fmt: skip


def test_the_kept_items_give_less_away() -> None:
    items = leaky()
    done = balance(items, keep=0.6)
    words = done.table[0]
    assert words["judge"] == "words alone"
    assert words["after"] < words["random"] - 0.05 and words["after"] < words["before"]
    assert len(done.kept) >= 0.6 * len(items)
    assert sorted({*done.kept, *done.dropped}) == list(range(len(items)))
    assert done.steps[0][0] == 1.0 and done.steps[-1][0] == len(done.kept) / len(items)
    assert any("indeed" in entry.words for entry in done.rewrite[:20])


def test_nothing_goes_when_nothing_leaks_or_nothing_may() -> None:
    assert balance(leaky(), target=1.0).dropped == ()
    assert balance(leaky(), keep=1.0).dropped == ()


def test_wrong_calls() -> None:
    with pytest.raises(UsageError, match="at least 100"):
        balance(make(20))
    with pytest.raises(UsageError, match="share"):
        balance(make(120), keep=0)
