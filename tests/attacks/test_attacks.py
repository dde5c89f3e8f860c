"""The fast part of the attacks: the same kinds as ``make attack``, smaller."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.attacks.crafted import write_crafted
from tests.attacks.fuzz import fuzz
from tests.attacks.pathological import patterns, texts
from tests.attacks.runner import Runner
from tests.attacks.tamper import STORES, silent_flips

# Sizes that a quick run leaves out: they take seconds each.
LARGE = ("bomb",)


@pytest.mark.parametrize("store", sorted(STORES))
def test_no_flipped_byte_goes_unnoticed(store: str, tmp_path: Path) -> None:
    assert silent_flips(store, tmp_path / store, 12) == []


def test_crafted_files_give_one_error_at_most(tmp_path: Path) -> None:
    paths = [path for path in write_crafted(tmp_path, 1) if not path.name.startswith(LARGE)]
    with Runner(seconds=30) as runner:
        endings = list(runner.run("read", [(path.name, str(path)) for path in paths]))
    assert [why for ending in endings if (why := ending.failed(seconds=30))] == []


def test_mutated_files_give_one_error_at_most() -> None:
    count, problems = fuzz(6, most=400)
    assert count > 20 and not problems


@pytest.mark.parametrize("name", sorted(patterns()))
def test_patterns_take_linear_time(name: str) -> None:
    read = patterns()[name]
    for unit, text in texts(20_000):
        started = time.process_time()
        read(text)
        assert time.process_time() - started < 5, unit
