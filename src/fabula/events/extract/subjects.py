"""Implicit subjects: who does a verb that has no subject of its own.

Conjunction, control, adverbial and relative clauses: the labels of the parse do not say it.
"""

from __future__ import annotations

from collections.abc import Callable

from fabula.events.extract import rules as lists
from fabula.events.extract.predicates import VerbNode
from fabula.events.extract.rules import ExtractionRules
from fabula.text.lexicon import ORDINALS, QUOTATION_MARKS, words
from fabula.text.parse.parsed import Parsed

__all__ = ["ImplicitSubjects", "is_past_at_noun"]

_VERBS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"))
_INFINITE = frozenset(("VB", "VBG", "VBN"))
_RANKS = words("last only next").union(ORDINALS[:6])


def is_past_at_noun(parsed: Parsed, token: int, has_subject: bool) -> bool:
    """ "a shot fired at them": a participle, taken for a past tense by the parser."""
    return parsed.tags[token] == "VBD" and parsed.labels[token] == "acl" and not has_subject


class ImplicitSubjects:
    """The subjects of verbs without one.

    ``verbs`` holds what has been read so far, governors first. Where a rule often fails the verb
    is marked as ``guessed``.
    """

    def __init__(
        self,
        parsed: Parsed,
        rules: ExtractionRules,
        verbs: dict[int, VerbNode],
        with_conjuncts: Callable[[int], list[int]],
    ) -> None:
        self.parsed, self.rules, self.verbs = parsed, rules, verbs
        self.with_conjuncts = with_conjuncts
        self.quoted = _quoted(parsed)

    def subject(self, verb: VerbNode) -> list[int]:
        """The subject of a verb without one: conjunction, control, adverbial, relative clause."""
        parsed, rules, token = self.parsed, self.rules, verb.token
        label, head = parsed.labels[token], parsed.heads[token]
        governor = self.verbs.get(head)
        if label == "conj":
            return self._subject_of_conjunct(verb, governor) if rules.conjoined_verbs else []
        if is_past_at_noun(parsed, token, False) and not verb.passive:
            return []  # "the boss of the hierarchy [hanged himself]", not the hierarchy
        if label == "acl" or (label == "relcl" and verb.infinitive):
            return self._subject_from_noun(verb, head)
        if parsed.tags[token] not in _INFINITE:
            return []
        if label == "pcomp" and rules.adverbials and parsed.tags[token] != "VB":
            return self._subject_from_preposition(head)
        if label in ("xcomp", "ccomp") and rules.open_complements:
            return self._subject_from_governor(verb, head)
        if label == "advcl" and rules.adverbials and governor:
            if parsed.tags[token] == "VBG" and self._is_outcome(verb):
                return []  # "he fled, leading to a search": the flight leads to it
            verb.guessed = True
            controls = parsed.lemmas[head] in lists.OBJECT_CONTROL and verb.infinitive
            by_object = controls and governor.objects and rules.control
            return governor.objects if by_object else governor.subjects
        return []

    def _subject_of_conjunct(self, verb: VerbNode, first: VerbNode | None) -> list[int]:
        """The first verb's, unless only one of the two stands in a quotation."""
        parsed, token = self.parsed, verb.token
        if first is None or self.quoted[first.token] != self.quoted[token]:
            return []
        # "was seized and turned over": seldom that who was seized turned something over.
        verb.guessed = first.guessed or (
            first.passive
            and not verb.passive
            and not verb.objects
            and not verb.has_auxiliary
            and parsed.lemmas[token] not in lists.INTRANSITIVE
        )
        return first.subjects

    def _is_outcome(self, verb: VerbNode) -> bool:
        lemma = self.parsed.lemmas[verb.token]
        to = any(name == "to" for name, _ in verb.prepositional)
        return lemma == "result" or (lemma == "lead" and to and not verb.objects)

    def _subject_from_governor(self, verb: VerbNode, head: int) -> list[int]:
        """Control of an open complement: the governor's object if it has one, else its subject."""
        parsed = self.parsed
        tough = parsed.lemmas[head] in lists.TOUGH
        direct = head in self.verbs
        while head not in self.verbs:  # "is afraid to speak": over the adjective
            if parsed.heads[head] == head or parsed.labels[head] not in (
                "acomp", "attr", "oprd", "advmod", "conj", "xcomp",
            ):  # fmt: skip
                return []
            head = parsed.heads[head]
        governor, lemma = self.verbs[head], parsed.lemmas[head]
        if tough and not verb.objects and verb.infinitive:  # "is easy to read"
            verb.objects += governor.subjects
            return []
        if lemma == "be" and direct:
            kinds = {parsed.lemmas[subject] for subject in governor.subjects}
            return [] if kinds & lists.NOT_ACTORS else governor.subjects
        objects = governor.objects or governor.indirect_objects
        if self.rules.control and objects and not governor.passive:
            if lemma in lists.SUBJECT_CONTROL:
                return governor.subjects
            verb.guessed = lemma not in lists.OBJECT_CONTROL
            return objects
        return governor.subjects

    def _subject_from_preposition(self, preposition: int) -> list[int]:
        """Control of a gerund after a preposition: "after leaving", "accused him of lying"."""
        parsed = self.parsed
        head = parsed.heads[preposition]
        governor = self.verbs.get(head)
        if governor is None:
            over = self.verbs.get(parsed.heads[head])  # "[him of lying]" parsed as one phrase
            accused = over and parsed.lemmas[over.token] in lists.PREPOSITION_CONTROL
            return self.with_conjuncts(head) if accused and parsed.labels[head] == "dobj" else []
        controls = parsed.lemmas[head] in lists.PREPOSITION_CONTROL and self.rules.control
        if controls and governor.objects and not governor.passive:
            word = parsed.words[preposition].lower()
            if word in ("of", "from", "into", "for", "with"):
                return governor.objects
        return governor.subjects

    def _subject_from_noun(self, verb: VerbNode, noun: int) -> list[int]:
        """Control of a clause at a noun: "men carrying guns", "his attempt to escape"."""
        parsed, rules = self.parsed, self.rules
        if parsed.tags[noun] in _VERBS:
            return []
        if not verb.infinitive and not verb.passive and parsed.lemmas[noun] in lists.TROUBLES:
            above = self.verbs.get(parsed.heads[noun])
            return above.subjects if above and noun in above.objects else []
        if not verb.infinitive:
            verb.guessed = parsed.words[verb.token - 1] == ","  # "weapons, consisting of"
            return self.with_conjuncts(noun)[:1] if rules.relatives else []
        for child in parsed.children[noun]:
            word = parsed.words[child].lower()
            if parsed.labels[child] == "poss" and rules.open_complements:
                return self.with_conjuncts(child)
            ranked = parsed.tags[child] in ("JJS", "RBS") or word in _RANKS
            if ranked and parsed.labels[child] in ("amod", "det", "nummod") and rules.relatives:
                return [noun]
        governor = self.verbs.get(parsed.heads[noun])
        lemma = parsed.lemmas[parsed.heads[noun]]
        if governor and parsed.labels[noun] == "dobj" and rules.open_complements:
            if parsed.lemmas[noun] in lists.NOT_ACTORS and lemma in lists.SHARING:
                return governor.subjects
            if governor.indirect_objects:  # "gave him the order to leave"
                return governor.indirect_objects
        return []


def _quoted(parsed: Parsed) -> list[bool]:
    """Whether each token stands after an odd number of the quotation marks of its sentence."""
    flags, inside, starts = [], False, set(parsed.starts)
    for token, word in enumerate(parsed.words):
        inside = inside and token not in starts
        if word in QUOTATION_MARKS:
            inside = not inside
        flags.append(inside)
    return flags
