"""Facts of one sentence that a pair is compared by: words, names, events, arguments, values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.pairs.features.event_classes import kinds_of
from fabula.text.content_words import content_of
from fabula.text.lexicon import NEGATIONS, REPORTING_VERBS
from fabula.text.parse.memo import ParseMemo
from fabula.text.quantity import likely_amounts_of
from fabula.text.rarity import log_rank_rarity as rarity
from fabula.text.temporal.calendar_days import find_calendar_days

__all__ = ["FACTS", "Facts", "facts_of", "rarity"]

_ARGUMENTS = ("nsubj", "nsubjpass", "dobj", "pobj", "attr", "agent", "dative", "oprd")
_CAPACITY = 20_000  # sentences whose facts are kept


@dataclass(frozen=True, slots=True)
class Facts:
    """What one sentence tells, as far as two sentences are compared by it."""

    words: frozenset[str]  # lemmas of content words
    names: frozenset[str]
    events: frozenset[str]  # lemmas of verbs and nouns that head a clause or phrase
    main: str  # lemma of the main verb; of "said that he died": die
    classes: frozenset[str]  # event classes
    arguments: frozenset[tuple[str, str]]  # a verb and the head of one of its arguments
    numbers: frozenset[tuple[float, str]]  # value and unit
    days: tuple[Any, ...]
    negated: bool
    tokens: tuple[str, ...]  # in lower case


def facts_of(texts: Sequence[str]) -> list[Facts]:
    """The facts of some sentences, parsed in batches; each text is read once a process."""
    found = FACTS(texts)
    return [found[text] for text in texts]


def _read(doc: Any) -> Facts:
    tokens = [token for token in doc if not token.is_space]
    verbs = [t for t in tokens if t.pos_ == "VERB" and t.lemma_.lower() not in REPORTING_VERBS]
    nouns = [t for t in tokens if t.pos_ == "NOUN" and t.dep_ != "compound"]
    return Facts(
        words=frozenset(content_of(tokens)),
        names=frozenset(t.lower_ for t in tokens if t.pos_ == "PROPN" and len(t) > 1),
        events=frozenset(t.lemma_.lower() for t in (*verbs, *nouns)),
        main=_main(tokens),
        classes=kinds_of(t.lemma_.lower() for t in tokens if t.pos_ in ("VERB", "NOUN", "ADJ")),
        arguments=frozenset(_arguments(verbs)),
        numbers=frozenset((a.value, a.unit) for a in likely_amounts_of(doc)),
        days=tuple(find_calendar_days(doc.text)),
        negated=any(t.lower_.replace("’", "'") in NEGATIONS for t in tokens),
        tokens=tuple(t.lower_ for t in tokens),
    )


def _main(tokens: Sequence[Any]) -> str:
    """The lemma of the root, or of the clause that a verb of saying reports."""
    root = next((t for t in tokens if t.head.i == t.i), None)
    for _ in range(5):
        if root is None or root.lemma_.lower() not in REPORTING_VERBS:
            break
        root = next((c for c in root.children if c.dep_ in ("ccomp", "xcomp")), None)
    return "" if root is None else str(root.lemma_.lower())


def _arguments(verbs: Sequence[Any]) -> Iterator[tuple[str, str]]:
    for verb in verbs:
        below = list(verb.children)
        below += [
            grandchild for c in below if c.dep_ in ("prep", "agent") for grandchild in c.children
        ]
        for token in below:
            if token.dep_ in _ARGUMENTS and token.pos_ in ("NOUN", "PROPN"):
                yield verb.lemma_.lower(), token.lemma_.lower()


# Public, so that whoever parses the same sentences before can have their facts read as well.
FACTS = ParseMemo(_read, capacity=_CAPACITY, whole=True, label="reading pairs")
