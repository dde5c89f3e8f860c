"""A frame: one verb of a text with the head tokens that fill its slots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fabula.events.extract import rules as lists
from fabula.events.extract.rules import Rules
from fabula.text.lexicon import NEGATIVE_PRONOUNS
from fabula.text.parse.parsed import Parsed

__all__ = ["Frame", "Verb", "shape"]


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb, where it stands, and for each slot the tokens that fill it."""

    token: int
    verb: str
    roles: dict[str, list[int]]
    negated: bool = False
    passive: bool = False


@dataclass(slots=True, eq=False)
class Verb:
    """A verb and its children by label, while its frame is made."""

    token: int
    subjects: list[int] = field(default_factory=list)  # on the surface, own or taken over
    objects: list[int] = field(default_factory=list)
    receivers: list[int] = field(default_factory=list)
    agents: list[int] = field(default_factory=list)
    preps: list[tuple[str, list[int]]] = field(default_factory=list)
    stranded: list[str] = field(default_factory=list)  # prepositions without an object
    particle: str = ""
    passive: bool = False
    negated: bool = False
    helped: bool = False  # has an auxiliary
    infinitive: bool = False
    clausal: bool = False  # the subject is a clause or "there"
    hollow: bool = False  # no event itself: a copula, or "have to"


def shape(parsed: Parsed, rules: Rules, verb: Verb) -> Frame:
    """The frame of a verb as the rules name its slots."""
    roles: dict[str, list[int]] = {}
    keep = rules.passive == "keep"

    def fill(slot: str, tokens: list[int]) -> None:
        if tokens:
            known = roles.setdefault(slot, [])
            known += [token for token in tokens if token not in known]

    if not verb.passive:
        fill("subj", verb.subjects)
        fill("obj", verb.objects)
    else:
        fill("agent" if keep else "subj", verb.agents)
        if verb.objects and not keep:  # "he was given a book"
            fill("obj", verb.objects)
            fill("iobj", verb.subjects)
        elif verb.stranded and not verb.objects and _has_no_other(verb):
            _fill_preposition(fill, rules, verb.stranded[0], verb.subjects)
        else:
            fill("nsubjpass" if keep else "obj", verb.subjects)
            fill("obj", verb.objects)
    fill("iobj", verb.receivers)
    for name, tokens in verb.preps:
        _fill_preposition(fill, rules, name, tokens)
    negated = verb.negated or any(
        _denies(parsed, token) for slot in ("subj", "obj") for token in roles.get(slot, [])
    )
    word = parsed.words[verb.token].lower()
    name = word if rules.form == "surface" else _lemma(word, parsed.lemmas[verb.token].lower())
    if verb.particle and rules.particles:
        name += f"_{verb.particle}"
    if negated and rules.negation == "prefix":
        name = f"not_{name}"
    return Frame(
        token=verb.token,
        verb=name,
        roles=roles,
        negated=negated and rules.negation == "flag",
        passive=verb.passive,
    )


def _lemma(word: str, lemma: str) -> str:
    """The lemma; spaCy makes "hop" of "hoped" and "wag" of "waged".

    >>> _lemma("hoped", "hop"), _lemma("hopped", "hop"), _lemma("visited", "visit")
    ('hope', 'hop', 'visit')
    """
    short = 3 <= len(lemma) <= 5 and lemma[-2] in "aeiou" and lemma[-1] not in "aeiouwxy"
    if short and word in (f"{lemma}ed", f"{lemma}ing", f"{lemma}es"):
        return lemma if any(letter in "aeiou" for letter in lemma[:-2]) else f"{lemma}e"
    return lemma


def _has_no_other(verb: Verb) -> bool:
    """Whether a preposition without object is the passive's own: "the plan was voted on"."""
    return not verb.preps and not verb.receivers


def _fill_preposition(
    fill: Callable[[str, list[int]], None], rules: Rules, name: str, tokens: list[int]
) -> None:
    if rules.prepositions == "drop" or name in lists.NOT_ARGUMENTS:
        return
    fill(f"prep_{name}" if rules.prepositions == "label" else "prep", tokens)


def _denies(parsed: Parsed, token: int) -> bool:
    """ "nobody came", "no ship came": the negation is in the argument."""
    if parsed.words[token].lower() in NEGATIVE_PRONOUNS:
        return True
    return any(
        parsed.words[child].lower() in ("no", "neither")
        and parsed.labels[child] in ("det", "preconj", "neg")
        for child in parsed.children[token]
    )
