"""Anchor of a value: the token it is told by -> the predicate and arguments it is told of.

Two values can only clash if they are told of one thing: the anchor holds what that is judged by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabula.assembly.facts.clauses import clause_of, is_asserted, is_denied, verb_over
from fabula.pairs.features.event_classes import kinds_of
from fabula.text.content_words import content_of
from fabula.text.lexicon import NEGATIONS, words

__all__ = ["NOWHERE", "Anchor", "anchor_of", "nearest_fate"]

_ARGUMENTS = ("nsubj", "nsubjpass", "dobj", "pobj", "attr", "dative", "oprd", "agent", "appos")
# Verbs that say little themselves: what happened is told by their nouns.
_LIGHT = words(
    "be have do make take get give go come remain stay stand become include bring put keep hold"
)
_STEPS = words(
    "first second third fourth last final next earlier later previous previously initial initially"
)
_AROUND = 6  # tokens on either side of a value
_FATE_AROUND = 12
# Words that make a value that of a part or of a step, not that of the whole.
_PARTIAL = words(
    """first second third fourth last final next earlier later previous previously another other
    others more additional further remaining rest half each every per average among including
    addition season annual annually former latter initial initially new alone only some both
    either"""
)


# What may have become of those who are counted; each word is of one fate.
_FATES = {
    word: fate
    for fate, told in {
        "dead": "die dead death kill killed fatality fatal perish drown body toll corpse murder",
        "hurt": "injure injured injury hurt wound wounded hospitalize hospital treat burn",
        "missing": "missing miss disappear vanish unaccounted",
        "held": "arrest detain custody charge jail capture",
        "homeless": "displace displaced homeless evacuate evacuated flee shelter",
        "safe": "rescue rescued survive survivor safe unhurt ashore save",
    }.items()
    for word in told.split()
}


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a value is told of.

    ``predicate`` is the lemma of the verb over it with its particle, ``kinds`` its event
    classes (those of its nouns, where the verb says little), ``arguments`` the heads of its
    arguments, ``words`` and ``names`` those of its clause, ``actors`` the names in its subject,
    ``local`` the words around the value, ``landmarks`` the names after it; ``partial`` are the
    words by which the value may be of a part, ``fates`` what became of those who are counted,
    ``steps`` the words of its clause for a part of a sequence.
    """

    predicate: str = ""
    kinds: frozenset[str] = frozenset()
    arguments: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    actors: frozenset[str] = frozenset()
    local: frozenset[str] = frozenset()
    landmarks: frozenset[str] = frozenset()
    partial: frozenset[str] = frozenset()
    steps: frozenset[str] = frozenset()
    fates: frozenset[str] = frozenset()
    negated: bool = False
    asserted: bool = True


NOWHERE = Anchor()  # of a value that is told of nothing


def anchor_of(token: Any) -> Anchor:
    """The anchor of a value that begins with this token of a parse."""
    verb = verb_over(token)
    own = clause_of(verb)
    heads = [t for t in own if t.dep_ in _ARGUMENTS and t.pos_ in ("NOUN", "PROPN")]
    lemma = verb.lemma_.lower()
    particle = next((t.lower_ for t in verb.children if t.dep_ == "prt"), "")
    kinds = kinds_of([f"{lemma}_{particle}" if particle else lemma])
    if lemma in _LIGHT or verb.pos_ not in ("VERB", "AUX"):
        kinds |= kinds_of(t.lemma_.lower() for t in own if t.pos_ in ("NOUN", "ADJ", "VERB"))
    subjects = [t for t in verb.children if t.dep_ in ("nsubj", "nsubjpass", "agent")]
    near = [*_until_number(token, -3), *_until_number(token, 5)]
    around = [t for t in token.doc if 0 < abs(t.i - token.i) <= _AROUND and not t.like_num]
    return Anchor(
        predicate=_state(verb) or f"{lemma} {particle}".strip(),
        kinds=kinds,
        arguments=frozenset(t.lemma_.lower() for t in heads),
        words=frozenset(content_of(own)),
        names=frozenset(t.lower_ for t in own if t.pos_ == "PROPN" and len(t) > 1),
        actors=frozenset(t.lower_ for s in subjects for t in s.subtree if t.pos_ == "PROPN"),
        local=frozenset(content_of(around)),
        landmarks=frozenset(t.lower_ for t in around if t.i > token.i and t.pos_ == "PROPN"),
        partial=frozenset(t.lower_ for t in near) & _PARTIAL,
        steps=frozenset(t.lower_ for t in own) & _STEPS,
        fates=_fates(verb, own, token),
        negated=any(t.lower_.replace("’", "'") in NEGATIONS for t in own),
        asserted=is_asserted(verb.children) and not is_denied(verb),
    )


def _state(verb: Any) -> str:
    """What a light verb says with a noun that has no article: "was, brought under control"."""
    if verb.lemma_.lower() not in _LIGHT:
        return ""
    for preposition in verb.children:
        for noun in preposition.children if preposition.dep_ == "prep" else ():
            if noun.dep_ == "pobj" and noun.pos_ == "NOUN" and not list(noun.children):
                return f"{preposition.lower_} {noun.lemma_.lower()}"
    return ""


def _until_number(token: Any, reach: int) -> list[Any]:
    """The tokens beside a value, up to the next number: "$18 million or $2 million a season"."""
    found: list[Any] = []
    step = 1 if reach > 0 else -1
    for at in range(token.i + step, token.i + reach + step, step):
        if not 0 <= at < len(token.doc):
            break
        if token.doc[at].like_num and found and abs(at - token.i) > 1:
            break
        found.append(token.doc[at])
    return found


def _fates(verb: Any, own: list[Any], token: Any) -> frozenset[str]:
    """By the verb, else by the words around the value: "1 dead, 2 hurt"."""
    for near in ([verb], [t for t in own if 0 < abs(t.i - token.i) <= 3]):
        found = {
            _FATES[word] for t in near for word in (t.lemma_.lower(), t.lower_) if word in _FATES
        }
        if found:
            return frozenset(found)
    return frozenset()


def nearest_fate(token: Any) -> frozenset[str]:
    """The fate told nearest to a token: "a 60-year-old woman charged with killing two"."""
    near = [
        t for t in token.doc if abs(t.i - token.i) <= _FATE_AROUND and t.lemma_.lower() in _FATES
    ]
    nearest = min(near, key=lambda t: (abs(t.i - token.i), t.i), default=None)
    return frozenset() if nearest is None else frozenset({_FATES[nearest.lemma_.lower()]})
