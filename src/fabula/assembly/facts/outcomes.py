"""What became of whom: fates that cannot both be true, and whose they are.

Each kind of fate has two sides. A word puts its subject, its object, or the noun beside it on one
side; "not" puts it on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["State", "states_of"]

# kind -> (words of one side, words of the other); "word>" is said of the object.
_FATES = {
    "life": (
        "die drown perish starve succumb dead kill> murder> slay> execute> drown> fatal",
        "survive live recover alive unhurt unharmed uninjured save> rescue> revive>",
    ),
    "loss": (
        "sink founder capsize collapse explode crumble burn> sink> wreck> destroy> demolish> "
        "flatten> raze> ruin> lose>",
        "safe intact undamaged unscathed afloat withstand stand hold survive save> salvage> "
        "spare> recover> tow>",
    ),
    "contest": (
        "win prevail triumph victorious defeat beat",
        "lose surrender capitulate defeat> beat> rout> fail",
    ),
    "freedom": (
        "arrest> capture> catch> imprison> jail> detain> convict>",
        "escape flee evade release> free> acquit> absolve>",
    ),
    "consent": (
        "agree accept approve ratify sign pass> approve> adopt>",
        "refuse reject deny decline veto reject> refuse>",
    ),
    "finding": ("find> locate> recover> discover>", "vanish disappear missing"),
    "guilt": ("guilty convict>", "innocent acquit>"),
    "damage": ("damage> injure> wound> hurt>", "undamaged unhurt unharmed uninjured unscathed"),
}
_MIGHT = frozenset("would could might may should must can will shall".split())


def _index() -> dict[tuple[str, bool], list[tuple[str, int]]]:
    index: dict[tuple[str, bool], list[tuple[str, int]]] = {}
    for kind, sides in _FATES.items():
        for side, words in zip((1, -1), sides, strict=True):
            for word in words.split():
                entry = (word.removesuffix(">"), word.endswith(">"))
                index.setdefault(entry, []).append((kind, side))
    return index


_INDEX = _index()


@dataclass(frozen=True, slots=True)
class State:
    """``kind`` of fate, which ``side`` of it (1 or -1), and the words for whose fate it is."""

    kind: str
    side: int
    head: str
    names: frozenset[str]
    words: frozenset[str]
    said: str


def states_of(tokens: Sequence[Any]) -> Iterator[State]:
    """The fates a parsed sentence tells."""
    for place, token in enumerate(tokens):
        lemma = token.lemma_.lower()
        of_object, of_subject = _INDEX.get((lemma, True), []), _INDEX.get((lemma, False), [])
        if not (of_object or of_subject) or token.pos_ not in ("VERB", "ADJ", "ADV", "NOUN"):
            continue
        if not _told(token):
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


def _told(token: Any) -> bool:
    """Whether it is told as having happened."""
    chain = [*token.children, *_copula(token)]
    if any(t.lower_ in _MIGHT and t.dep_ == "aux" for t in chain):
        return False
    return not any(t.dep_ == "mark" and t.lower_ in ("if", "unless", "whether") for t in chain)


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
