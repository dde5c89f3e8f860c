"""What likely happened next, or is missing: predictions with their reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabula.answer import Answer, without_nan
from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventTest, check
from fabula.events.counts.event_counts import Counts
from fabula.events.items import Chain, Event

__all__ = ["Expectation", "Expected", "predict_events"]


@dataclass(frozen=True, slots=True)
class Expected:
    """One event that may be missing.

    ``lift`` is how much more often it shares a chain with the known events than its frequency
    alone would have it; at 1 or below the prediction is ``only_frequency``. ``support`` names the
    training documents that hold it and known events beside it, title first where there is one.
    """

    event: Event
    score: float
    lift: float
    support: tuple[str, ...]
    only_frequency: bool


@dataclass(frozen=True, slots=True)
class Expectation(Answer):
    """The likeliest events for one hole; ``warning`` says when they are worth little."""

    events: tuple[Expected, ...]
    warning: str | None = None

    def to_dict(self) -> dict[str, Any]:
        events = [
            {**row, "args": dict(e.event.args or {}), "support": list(e.support)}
            for row, e in zip(self._rows(), self.events, strict=True)
        ]
        return {"events": without_nan(events), "warning": self.warning}

    def _rows(self) -> Iterable[dict[str, Any]]:
        for expected in self.events:
            yield {
                "verb": expected.event.verb,
                "slot": expected.event.slot,
                "score": expected.score,
                "lift": expected.lift,
                "only_frequency": expected.only_frequency,
            }

    def _summary(self) -> str:
        return self.warning or ""


def predict_events(
    chain: Chain | Sequence[Event] | str,
    *,
    hole: int | None = None,
    top: int = 10,
    model: Any = "best",
) -> Expectation:
    """The likeliest event to follow, or with ``hole`` (events before it) to be missing there.

    A text is read as the nachos files are: ``"arrest->obj escape->subj"``. Counts that come with
    the package are of Wikipedia articles on wars and of speeches: expect their world.
    """
    from fabula.registry import create_model

    if top < 1:
        raise UsageError(f"top must be 1 or more; it is {top}")
    given = _chain(chain)
    events = given.events
    place = len(events) if hole is None else hole
    if not events:
        raise UsageError("the chain has no events: from nothing, nothing can be predicted")
    if not 0 <= place <= len(events):
        raise UsageError(f"the hole must be 0 to {len(events)}, the events before it; it is {hole}")
    chosen = create_model("events", model) if isinstance(model, str) else model
    test = EventTest("next", events, place, entity=given.entity)
    known_words = {(event.verb, event.slot) for event in events}
    (ranking,) = list(chosen.rank([test], top + len(known_words)))
    check(test, ranking)
    counts = chosen.counts() if hasattr(chosen, "counts") else None
    found = [
        _expected(p.event, p.score, events, counts)
        for p in ranking.predictions
        if p.event.args is not None or (p.event.verb, p.event.slot) not in known_words
    ][:top]
    return Expectation(tuple(found), _warning(events, found, counts))


def _chain(given: Chain | Sequence[Event] | str) -> Chain:
    if isinstance(given, Chain):
        return given
    if isinstance(given, str):
        words = [word.partition("->") for word in given.split()]
        if not all(verb and slot for verb, _, slot in words):
            raise UsageError(f"{given[:60]!r}: write events as VERB->SLOT, with spaces between")
        return Chain("given", "1", tuple(Event(verb, slot) for verb, _, slot in words))
    return Chain("given", "1", tuple(given))


def _expected(
    event: Event, score: float, known: Sequence[Event], counts: Counts | None
) -> Expected:
    if counts is None:
        return Expected(event, score, float("nan"), (), False)
    ids = np.unique(counts.encode(known))
    ids = ids[ids >= 0]
    (wanted,) = counts.encode([event]).tolist()
    if wanted < 0 or not len(ids):
        return Expected(event, score, 1.0, (), True)
    table = counts.chain_pairs.symmetric
    together = int(table.get(ids, np.full(len(ids), wanted)).sum())
    # Pairs of the known events, shared out among all events by their frequency.
    pairs = sum(int(table.row(i)[1].sum(dtype=np.int64)) for i in ids.tolist())
    lift = together / max(pairs * counts.unigrams[wanted] / counts.tokens, 1e-9)
    support = tuple(counts.titles.get(name, name) for name in counts.support(ids.tolist(), wanted))
    return Expected(event, score, float(lift), support, bool(lift <= 1.0))


def _warning(
    known: Sequence[Event], found: Sequence[Expected], counts: Counts | None
) -> str | None:
    if counts is None:
        return None
    unseen = [str(e) for e, i in zip(known, counts.encode(known).tolist(), strict=True) if i < 0]
    if len(unseen) == len(known):
        return "none of these events was ever seen: the predictions are only frequency"
    alone = sum(expected.only_frequency for expected in found)
    if found and alone == len(found):
        return "the predictions are only frequency: nothing links them to these events"
    said = []
    if alone:
        said.append(f"{alone} of {len(found)} predictions are only frequency")
    if unseen:
        said.append(f"never seen: {', '.join(unseen)}")
    return "; ".join(said) or None
