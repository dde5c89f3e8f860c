"""Outcomes that cannot both be true ("drowned" and "was rescued"), by words and by grammar.

By words (``sides_of``) a telling word anywhere in a sentence puts the sentence on one side of a
matter: whose fate it is, the similarity of two sentences has to say. By grammar (``states_of``)
it puts its subject, its object or the noun beside it there. A negation turns the side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fabula.assembly.facts.clauses import is_asserted, is_denied, verb_over
from fabula.text.content_words import content_of
from fabula.text.lexicon import NEGATIONS

__all__ = ["State", "denied_of", "sides_of", "states_of", "stems_of"]

Sides = tuple[str, str]  # lemmas of one side and of the other


class _Matter(NamedTuple):
    """The words of both sides; by grammar, ``word>`` is said of the object of a verb."""

    by_words: Sides = ("", "")
    by_grammar: Sides = ("", "")


# The weights of contradictions were fitted with exactly these words.
_MATTERS = {
    "life": _Matter(
        (
            "die dead death kill drown perish fatal fatality deceased bury buried grave lose lost "
            "froze funeral corpse body",
            "alive survive survivor living live recover recovered save saved",
        ),
        (
            "die drown perish starve succumb dead kill> murder> slay> execute> drown> fatal",
            "survive live recover alive unhurt unharmed uninjured save> rescue> revive>",
        ),
    ),
    "loss": _Matter(
        by_grammar=(
            "sink founder capsize collapse explode crumble burn> sink> wreck> destroy> demolish> "
            "flatten> raze> ruin> lose>",
            "safe intact undamaged unscathed afloat withstand stand hold survive save> salvage> "
            "spare> recover> tow>",
        ),
    ),
    "contest": _Matter(
        ("win won victory winner", "lose defeat draw drawn"),
        (
            "win prevail triumph victorious defeat beat",
            "lose surrender capitulate defeat> beat> rout> fail",
        ),
    ),
    "custody": _Matter(
        (
            "arrest catch capture detain custody handcuff seize secure recapture prison jail "
            "charge imprison hostage",
            "escape flee free release vanish disappear abscond elude liberty frontier cleared",
        ),
        (
            "arrest> capture> catch> imprison> jail> detain>",
            "escape flee evade",  # who was released was arrested before
        ),
    ),
    "consent": _Matter(
        (
            "accept approve agree unanimous unanimously consent sign pass passed",
            "reject refuse decline veto oppose dissent resignation",
        ),
        (
            "agree accept approve ratify sign pass> approve> adopt>",
            "refuse reject deny decline veto reject> refuse>",
        ),
    ),
    "finding": _Matter(
        by_grammar=("find> locate> recover> discover>", "vanish disappear missing"),
    ),
    "guilt": _Matter(
        (
            "confess admit confession guilty convict plead murder",
            "deny denial innocent acquit dismiss cleared",
        ),
        ("guilty convict>", "innocent acquit>"),
    ),
    "damage": _Matter(
        (
            "damage damaged tear torn crack cracked dent dented smash destroy wreck ruin broken "
            "burst missing empty flood explode detonate blow burn burned melt sink sunk collapse "
            "founder",
            "intact undamaged unbroken unharmed whole dry sealed untouched safe safely saved tow",
        ),
        (
            "damage> injure> wound> hurt>",
            "undamaged unhurt unharmed uninjured unscathed",
        ),
    ),
    "harm": _Matter(
        (
            "injure injury hurt harm wound wounded broken fracture bruise burn sting hospital "
            "clinic ambulance unconscious frostbite hypothermia concussion stretcher stitch "
            "amputate faint pelvis collarbone bleed sprain bite bitten casualty cut",
            "unhurt uninjured unharmed unscathed conscious healthy cheerful alright safely whole",
        ),
    ),
    "course": _Matter(("cancel cancelled abandon abandoned postpone", "complete resume proceed")),
    "sale": _Matter(("sell buyer bidder hammer fetch", "withdraw withdrawn unsold cancel")),
    "pay": _Matter(("pay paid payment fine fined cost", "free gratis unpaid")),
    "making": _Matter(("genuine original authentic", "forgery fake copy forge replica")),
    "gift": _Matter(("lend loan borrow", "donate gift")),
    "intent": _Matter(
        ("deliberate arson deliberately", "accident accidental accidentally self-heating")
    ),
    "warning": _Matter(("warn warning siren alarm sounded", "unwarned silent")),
    "waking": _Matter(("asleep sleep slept", "awake woke wake")),
    "weather": _Matter(("calm fine fair", "gale storm rough blew")),
    "company": _Matter(("alone", "together")),
}
_STEM = 4  # letters
_REACH = 5  # words after a negation that it puts on the other side
_DENIED = 8  # words after it that it may deny


def _index(column: int) -> dict[str, list[tuple[str, int]]]:
    """The matters and sides (1 or -1) of each word, by words (0) or by grammar (1)."""
    index: dict[str, list[tuple[str, int]]] = {}
    for name, matter in _MATTERS.items():
        for side, lemmas in zip((1, -1), matter[column], strict=True):
            for lemma in lemmas.split():
                index.setdefault(lemma, []).append((name, side))
    return index


_BY_WORDS, _BY_GRAMMAR = _index(0), _index(1)


@dataclass(frozen=True, slots=True)
class State:
    """An outcome by grammar: the matter (``kind``), its ``side`` (1 or -1), and whose it is."""

    kind: str
    side: int
    head: str
    names: frozenset[str]
    words: frozenset[str]
    said: str


def sides_of(tokens: Sequence[Any]) -> frozenset[tuple[str, int]]:
    """(matter, side) for every telling word; a "no" shortly before it puts it on the other side."""
    found = set()
    turns = _turns(tokens)
    for at, token in enumerate(tokens):
        for word in {token.lemma_.lower(), token.lower_}:
            for matter, side in _BY_WORDS.get(word, ()):
                turned = any(at - _REACH <= turn < at for turn in turns)
                found.add((matter, -side if turned else side))
    return frozenset(found)


def _turns(tokens: Sequence[Any]) -> list[int]:
    """Where something is denied. "No. 5" denies nothing, nor does "did not sound until ten"."""
    found = []
    for at, token in enumerate(tokens):
        after = [t.lower_ for t in tokens[at + 1 : at + 1 + _DENIED]]
        numbered = token.lower_ == "no" and after[:1] == ["."] and after[1:2] and after[1].isdigit()
        late = {"until", "till"} & set(after)
        if token.lower_.replace("’", "'") in NEGATIONS and not numbered and not late:
            found.append(at)
    return found


def denied_of(tokens: Sequence[Any]) -> frozenset[str]:
    """The stems of the words a "no" or "not" reaches: "there was no drawing of lots"."""
    found: set[str] = set()
    for at in _turns(tokens):
        found |= stems_of(content_of(tokens[at + 1 : at + 1 + _DENIED]))
    return frozenset(found)


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """Words cut short, so that "drawing" and "drawn" are one."""
    return frozenset(word[:_STEM] for word in words)


def states_of(tokens: Sequence[Any]) -> Iterator[State]:
    """The outcomes of a parsed sentence, each with the noun it is said of."""
    for place, token in enumerate(tokens):
        lemma = token.lemma_.lower()
        of_object, of_subject = _BY_GRAMMAR.get(f"{lemma}>", []), _BY_GRAMMAR.get(lemma, [])
        if not (of_object or of_subject) or token.pos_ not in ("VERB", "ADJ", "ADV", "NOUN"):
            continue
        if not is_asserted([*token.children, *_copula(token)]) or is_denied(verb_over(token)):
            continue
        turned = -1 if any(t.dep_ == "neg" for t in [*token.children, *_copula(token)]) else 1
        if token.pos_ == "VERB":
            passive = [t for t in token.children if t.dep_ == "nsubjpass"]
            actives = [t for t in token.children if t.dep_ == "nsubj"]
            objects = [t for t in token.children if t.dep_ == "dobj" and not _after_particle(t)]
            if not passive and not actives and token.dep_ == "acl":
                passive = [token.head]
            patients = passive or (objects if of_object else [])
            for kind, side in of_object:
                yield from _states(kind, side * turned, patients, token)
            if not passive and not (objects and of_object):
                for kind, side in of_subject:
                    yield from _states(kind, side * turned, actives, token)
        elif token.pos_ == "ADJ":
            for kind, side in of_subject:
                yield from _states(kind, side * turned, _described(place, tokens), token)


def _after_particle(noun: Any) -> bool:
    """ "Sunk off the Point": the parser took the preposition for a particle."""
    particles = [t.i for t in noun.head.children if t.dep_ == "prt"]
    return any(at < min(t.i for t in noun.subtree) for at in particles)


def _copula(token: Any) -> list[Any]:
    verb = token.head
    return list(verb.children) if token.dep_ in ("acomp", "attr", "oprd") else []


def _described(place: int, tokens: Sequence[Any]) -> list[Any]:
    """Whom the adjective at ``place`` describes: its subject, the noun just before, or the one
    after it."""
    token = tokens[place]
    if token.dep_ in ("acomp", "attr", "oprd"):
        roles = ("dobj", "nsubj", "nsubjpass") if token.dep_ == "oprd" else ("nsubj", "nsubjpass")
        return [t for t in token.head.children if t.dep_ in roles]
    # "with the Marigold safe in tow": parsers rarely see whose adjective a trailing one is.
    if place and tokens[place - 1].pos_ in ("NOUN", "PROPN"):
        return [tokens[place - 1]]
    return [token.head] if token.dep_ == "amod" else []


def _states(kind: str, side: int, patients: Sequence[Any], token: Any) -> Iterator[State]:
    if not patients:
        return
    phrase = [t for p in patients for t in [p, *_around(p)]]
    names = frozenset(t.lower_ for t in phrase if t.pos_ == "PROPN" and t.is_alpha)
    words = frozenset(t.lemma_.lower() for t in phrase if t.pos_ in ("NOUN", "PROPN"))
    heads = [p.lemma_.lower() for p in patients if p.pos_ in ("NOUN", "PROPN")]
    if not heads:
        return
    first = min([*phrase, token], key=lambda t: t.i)
    last = max([*phrase, token], key=lambda t: t.i)
    said = first.doc[first.i : last.i + 1].text
    yield State(kind, side, heads[0], names, words, " ".join(said.split()))


def _around(noun: Any) -> list[Any]:
    return [c for c in noun.children if c.dep_ in ("compound", "appos", "nmod", "poss")]
