"""Checks on right and wrong endings as they are written (Sharma et al. 2018, section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabula.endings.items import Ending
from fabula.errors import UsageError
from fabula.text.lexicon import AUXILIARIES, VERB_NEGATIONS

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from fabula.endings.models.endingreg.model import EndingReg

__all__ = ["CHECKS", "METHODS", "Remark", "lint"]

METHODS = {1: 2, 2: 3}  # how many words right and wrong endings may differ by
TONE = 0.5  # of VADER's score
LEAK = 0.8  # of a trained EndingReg's certainty
CHECKS = ("length", "subject", "negation", "sentiment", "duplicate", "leak")

_WORD = re.compile(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True, slots=True)
class Remark:
    """A failed check: the item, its option (from 1), the check, and what is wrong."""

    id: str
    option: int
    check: str
    message: str

    def to_row(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


def lint(
    items: Sequence[Ending],
    *,
    method: int = 1,
    model: EndingReg | None = None,
    checks: Iterable[str] = CHECKS,
) -> list[Remark]:
    """Every failed check of these items, in their order.

    ``method`` 1 (both endings written for a story) allows two words of difference, 2 (the wrong
    one made from the right one) three. ``leak`` needs a trained EndingReg.
    """
    if method not in METHODS:
        raise UsageError(f"method must be 1 or 2; it is {method!r}")
    wanted = set(checks)
    if wanted - set(CHECKS):
        raise UsageError(f"there is no check {min(wanted - set(CHECKS))!r}; {', '.join(CHECKS)}")
    for item in items:
        if item.gold is None:
            raise UsageError(f"item {item.id!r} has no gold answer; say which ending is right")
    found: list[Remark] = []
    if "length" in wanted:
        found += [r for item in items for r in _length(item, METHODS[method])]
    if "negation" in wanted:
        found += [r for item in items for r in _negation(item)]
    if "sentiment" in wanted:
        found += _sentiment(items)
    if "duplicate" in wanted:
        found += _duplicates(items)
    if "subject" in wanted:
        found += _subjects(items)
    if "leak" in wanted and model is not None:
        found += _leaks(items, model)
    position = {item.id: number for number, item in enumerate(items)}
    return sorted(found, key=lambda r: (position[r.id], r.option, CHECKS.index(r.check)))


def _pairs(item: Ending) -> list[tuple[int, str, str]]:
    """Each wrong option with its position, and the right one between."""
    right = item.options[item.gold or 0]
    return [(i, right, option) for i, option in enumerate(item.options) if i != item.gold]


def _length(item: Ending, most: int) -> Iterable[Remark]:
    for place, right, wrong in _pairs(item):
        counts = len(_WORD.findall(right)), len(_WORD.findall(wrong))
        if abs(counts[0] - counts[1]) > most:
            message = f"{counts[1]} words, the right ending has {counts[0]}; {most} may differ"
            yield Remark(item.id, place + 1, "length", message)


def _negation(item: Ending) -> Iterable[Remark]:
    for place, right, wrong in _pairs(item):
        if right.strip() != wrong.strip() and _same_but_for_negation(right, wrong):
            message = "differs from the right ending by a negation only"
            yield Remark(item.id, place + 1, "negation", message)


def _same_but_for_negation(one: str, other: str) -> bool:
    """Equal without negations; the verb a negation stands before may change form (ate, eat)."""
    (first, at_first), (second, at_second) = _affirmed(one), _affirmed(other)
    if len(first) != len(second):
        return False
    differ = [i for i, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
    return not differ or differ in ([at_first], [at_second])


def _affirmed(text: str) -> tuple[list[str], int]:
    """The words without negations, helping verbs and verb endings; and where a negation stood."""
    words = re.findall(r"n['’]t\b|\w+?(?=n['’]t\b)|\w+", text.lower().replace("’", "'"))
    kept: list[str] = []
    place = -1
    for word in words:
        if word in VERB_NEGATIONS:
            place = len(kept)
        elif word not in AUXILIARIES:
            kept.append(re.sub(r"(?:ied|ies|ed|es|s|d|y|e)$", "", word) or word)
    return kept, place


def _sentiment(items: Sequence[Ending]) -> Iterable[Remark]:
    from fabula.text.sentiment import compound

    for item in items:
        tones = compound(list(item.options))
        right = tones[item.gold or 0]
        for place, _, _ in _pairs(item):
            if abs(tones[place] - right) > TONE:
                message = f"tone {tones[place]:+.2f}, the right ending has {right:+.2f}"
                yield Remark(item.id, place + 1, "sentiment", message)


def _duplicates(items: Sequence[Ending]) -> Iterable[Remark]:
    first: dict[str, str] = {}
    for item in items:
        here: dict[str, int] = {}
        for place, option in enumerate(item.options):
            bare = " ".join(_WORD.findall(option.lower()))
            if bare in here:
                message = f"says the same as option {here[bare] + 1}"
                yield Remark(item.id, place + 1, "duplicate", message)
            elif bare in first:
                yield Remark(item.id, place + 1, "duplicate", f"stands in item {first[bare]!r} too")
            here.setdefault(bare, place)
        for bare in here:
            first.setdefault(bare, item.id)


def _subjects(items: Sequence[Ending]) -> Iterable[Remark]:
    """A wrong ending should be about someone or something of the story or of the right one."""
    from fabula.text.parse.pipeline import Parser

    texts = [text for item in items for text in (" ".join(item.context), *item.options)]
    read = list(Parser(ner=False).each(_about, texts))
    at = 0
    for item in items:
        story, endings = read[at], read[at + 1 : at + 1 + len(item.options)]
        at += 1 + len(item.options)
        known = story[1] | endings[item.gold or 0][1]
        for place, _, _ in _pairs(item):
            subjects, _ = endings[place]
            if subjects and not subjects & (known | {"(pronoun)"}):
                message = (
                    f"is about {', '.join(sorted(subjects))}, who or which is not in the story"
                )
                yield Remark(item.id, place + 1, "subject", message)


def _about(doc: Doc) -> tuple[frozenset[str], frozenset[str]]:
    """The subjects of a text, a pronoun as such; and everything it names."""
    subjects = {
        "(pronoun)" if token.pos_ == "PRON" else token.lemma_.lower()
        for token in doc
        if token.dep_ in ("nsubj", "nsubjpass", "csubj")
    }
    named = {token.lemma_.lower() for token in doc if token.pos_ in ("NOUN", "PROPN")}
    return frozenset(subjects), frozenset(named)


def _leaks(items: Sequence[Ending], model: EndingReg) -> Iterable[Remark]:
    import math

    for item, scores in zip(items, model.score(items), strict=True):
        right = scores[item.gold or 0]
        for place, _, _ in _pairs(item):
            sure = 1 / (1 + math.exp(min(50.0, max(-50.0, scores[place] - right))))
            if sure > LEAK:
                message = f"endings alone tell it from the right one ({sure:.0%} sure)"
                yield Remark(item.id, place + 1, "leak", message)
