"""How many tests a file holds, how long their chains are, and how frequent their answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fabula.events.cloze.event_test import EventTest

__all__ = ["statistics"]


def statistics(tests: Iterable[EventTest]) -> dict[str, Any]:
    """Counts and means. The ten most frequent answers' share says how far frequency alone gets."""
    number = events = ordered = options = 0
    answers: Counter[str] = Counter()
    for test in tests:
        number += 1
        events += len(test.events)
        ordered += test.ordered
        options += len(test.options)
        if test.answer is not None:
            answers[str(test.answer)] += 1
    some, answered = max(number, 1), max(sum(answers.values()), 1)
    return {
        "tests": number,
        "known_events": events,
        "known_events_per_test": events / some,
        "ordered_share": ordered / some,
        "options_per_test": options / some,
        "answers": sum(answers.values()),
        "different_answers": len(answers),
        "share_of_ten_most_frequent_answers": sum(c for _, c in answers.most_common(10)) / answered,
    }
