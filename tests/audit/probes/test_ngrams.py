"""The n-gram probe's p-value: as small as its rank among label swaps, and no smaller."""

from __future__ import annotations

import random

import numpy as np

from fabula.audit.context import AuditContext
from fabula.audit.item_table import ItemTable
from fabula.audit.probes.ngrams import ngram_spread, ngrams
from fabula.audit.run import correct_p_values
from fabula.audit.stats.ngram_counts import count_matrix, word_ngrams
from fabula.endings.items import Ending


def _sheet(items: int = 300) -> ItemTable:
    """A frequent word in one option of every item, and many rare ones: a heavy upper tail."""
    rng = random.Random(0)
    rows = []
    for number in range(items):
        rare = [" ".join(f"w{rng.randrange(300)}" for _ in range(6)) for _ in range(2)]
        rows.append(Ending(str(number), (), (f"so {rare[0]}", rare[1]), 0))
    return ItemTable(rows)


def test_clean_data_gets_a_small_p_no_more_often_than_p_says() -> None:
    base = _sheet()
    counts = count_matrix([word_ngrams(base.words, 1)], len(base.texts), least=5)
    found = []
    for draw in range(1000):
        check = ngram_spread("word", base.with_random_gold(draw), counts, most=4000)
        assert check is not None
        found.append(check.p)
    # A chi-square with the permutations' mean and variance gives 2.2 % and 1.6 % here.
    assert np.mean(np.array(found) <= 0.01) <= 0.018
    assert np.mean(np.array(found) <= 0.0025) <= 0.007
    assert 0.3 <= np.mean(np.array(found) <= 0.5) <= 0.6


def test_a_leak_reaches_the_corrected_level_and_the_swaps_are_told() -> None:
    base = _sheet()
    context = AuditContext(all_items=base, parsed=0, family=12)
    context.__dict__["table"] = base  # "so" is always right
    finding = correct_p_values(ngrams(context), context.family)
    assert finding.found and finding.detail["swaps"] == 3 * 12 * 100
    clean = AuditContext(all_items=base.with_random_gold(2), parsed=0, family=12)
    clean.__dict__["table"] = clean.all_items
    assert not (told := correct_p_values(ngrams(clean), 12)).found
    assert told.detail["swaps"] <= 400  # no more are drawn than p needs
