"""Predicates: a verb of a text with the head tokens that fill its argument slots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fabula.events.extract import rules as lists
from fabula.events.extract.rules import ExtractionRules
from fabula.events.extract.standing import FACT, Standing, Standings
from fabula.text.lexicon import NEGATIVE_PRONOUNS
from fabula.text.parse.parsed import Parsed

__all__ = ["Predicate", "VerbNode", "build_predicate"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb event: its token, its name, and for each argument slot the head tokens in it.

    ``standing`` says whether it is told as fact, possible, planned or reported; ``understood`` has
    the slots that nobody is named for, so that who fills them is a guess.
    """

    token: int
    verb: str
    roles: dict[str, list[int]]
    negated: bool = False
    passive: bool = False
    standing: Standing = FACT
    understood: frozenset[str] = frozenset()

    def certainty(self, slot: str) -> float:
        """How sure it is that the tokens of a slot fill it."""
        return lists.UNDERSTOOD if slot in self.understood else 1.0


@dataclass(slots=True, eq=False)
class VerbNode:
    """A verb of the parse with its dependents by function, before its slots are named."""

    token: int
    subjects: list[int] = field(default_factory=list)  # on the surface, own or implicit
    objects: list[int] = field(default_factory=list)
    indirect_objects: list[int] = field(default_factory=list)
    agents: list[int] = field(default_factory=list)
    prepositional: list[tuple[str, list[int]]] = field(default_factory=list)
    stranded: list[str] = field(default_factory=list)  # prepositions without an object
    particle: str = ""
    passive: bool = False
    negated: bool = False
    has_auxiliary: bool = False
    infinitive: bool = False
    guessed: bool = False  # the subject is understood, by a rule that often fails
    clausal_subject: bool = False  # the subject is a clause or "there"
    functional: bool = False  # a copula or semi-auxiliary ("have to"): no event


def build_predicate(
    parsed: Parsed, rules: ExtractionRules, verb: VerbNode, standings: Standings
) -> Predicate:
    """Name the slots of a verb as the rules say: voice, prepositions, particle, negation."""
    roles: dict[str, list[int]] = {}
    keep_passive = rules.passive == "keep"

    def fill(slot: str, tokens: list[int]) -> None:
        if tokens:
            heads = roles.setdefault(slot, [])
            heads += [token for token in tokens if token not in heads]

    if not verb.passive:
        fill("subj", verb.subjects)
        fill("obj", verb.objects)
    else:
        fill("agent" if keep_passive else "subj", verb.agents)
        if verb.objects and not keep_passive:  # "he was given a book"
            fill("obj", verb.objects)
            fill("iobj", verb.subjects)
        elif verb.stranded and not verb.objects and _has_no_other_complement(verb):
            _fill_preposition(fill, rules, verb.stranded[0], verb.subjects)
        else:
            fill("nsubjpass" if keep_passive else "obj", verb.subjects)
            fill("obj", verb.objects)
    understood = {s for s, heads in roles.items() if heads == verb.subjects} if verb.guessed else ()
    fill("iobj", verb.indirect_objects)
    for name, tokens in verb.prepositional:
        _fill_preposition(fill, rules, name, tokens)
    negated = verb.negated or any(
        _is_negative(parsed, token) for slot in ("subj", "obj") for token in roles.get(slot, [])
    )
    standing = standings.of(verb.token)
    negated = negated or standing.denied or standings.fails(verb.token)
    word = parsed.words[verb.token].lower()
    name = word if rules.form == "surface" else _lemma(word, parsed.lemmas[verb.token].lower())
    if verb.particle and rules.particles:
        name += f"_{verb.particle}"
    if negated and rules.negation == "prefix":
        name = f"not_{name}"
    return Predicate(
        token=verb.token,
        verb=name,
        roles=roles,
        negated=negated and rules.negation == "flag",
        passive=verb.passive,
        standing=standing,
        understood=frozenset(understood),
    )


def _lemma(word: str, lemma: str) -> str:
    """The lemma, corrected where spaCy drops a final e ("hop" for "hoped") or invents one.

    >>> _lemma("hoped", "hop"), _lemma("hopped", "hop"), _lemma("visited", "visit")
    ('hope', 'hop', 'visit')
    >>> _lemma("gutted", "gutte")
    'gut'
    """
    if len(lemma) > 4 and word == f"{lemma}d" and lemma[-3:-1] in ("bb", "dd", "gg", "pp", "tt"):
        return lemma[:-2]
    short = 3 <= len(lemma) <= 5 and lemma[-2] in "aeiou" and lemma[-1] not in "aeiouwxy"
    if short and word in (f"{lemma}ed", f"{lemma}ing", f"{lemma}es"):
        return lemma if any(letter in "aeiou" for letter in lemma[:-2]) else f"{lemma}e"
    return lemma


def _has_no_other_complement(verb: VerbNode) -> bool:
    """Whether a preposition without object is the passive's own: "the plan was voted on"."""
    return not verb.prepositional and not verb.indirect_objects


def _fill_preposition(
    fill: Callable[[str, list[int]], None], rules: ExtractionRules, name: str, tokens: list[int]
) -> None:
    if rules.prepositions == "drop" or name in lists.NOT_ARGUMENTS:
        return
    fill(f"prep_{name}" if rules.prepositions == "label" else "prep", tokens)


def _is_negative(parsed: Parsed, token: int) -> bool:
    """Whether an argument negates its verb: "nobody came", "no ship came"."""
    if parsed.words[token].lower() in NEGATIVE_PRONOUNS:
        return True
    return any(
        parsed.words[child].lower() in ("no", "neither")
        and parsed.labels[child] in ("det", "preconj", "neg")
        for child in parsed.children[token]
    )
