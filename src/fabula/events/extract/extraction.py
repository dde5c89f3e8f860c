"""Dependency parse -> predicates: each verb event with the head tokens of its argument slots.

Events are (verb, dependency) pairs of a protagonist (Chambers and Jurafsky 2008, section 3).
Verbs are read from the root of each tree down, so that a subject (control, conjunction), voice or
negation inherited from a governor is known before its dependents are read.
"""

from __future__ import annotations

from fabula.events.extract import rules as lists
from fabula.events.extract.coordination import inherit_negation, share_objects
from fabula.events.extract.predicates import Predicate, VerbNode, build_predicate
from fabula.events.extract.rules import ExtractionRules
from fabula.events.extract.standing import Standings
from fabula.text.coref.speech import quotations
from fabula.text.lexicon import ORDINALS, QUOTATION_MARKS, RELATIVE_PRONOUNS, words
from fabula.text.parse.parsed import Parsed

__all__ = ["Predicate", "extract", "sentence_events"]

_VERBS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"))
_INFINITE = frozenset(("VB", "VBG", "VBN"))


def extract(parsed: Parsed, rules: ExtractionRules | None = None) -> list[Predicate]:
    """The predicates of a parse in the order of the text, every slot filled with head tokens."""
    return _Extractor(parsed, rules or ExtractionRules()).run()


def sentence_events(
    parsed: Parsed, rules: ExtractionRules | None = None
) -> list[list[tuple[str, ...]]]:
    """For each sentence its events as word tuples ``(VERB, SUBJ, DOBJ, PREP, POBJ, ...)``.

    An empty slot is an empty string; a verb has as many prepositions as the text gives it. This is
    the event form of a salad's sentences.
    """
    events: list[list[tuple[str, ...]]] = [[] for _ in parsed.starts]
    for predicate in extract(parsed, rules):
        words = {slot: parsed.words[heads[0]].lower() for slot, heads in predicate.roles.items()}
        pairs = [
            part
            for slot, word in words.items()
            if slot.startswith("prep")
            for part in (slot.removeprefix("prep_"), word)
        ]
        row = (predicate.verb, words.get("subj", ""), words.get("obj", ""), *pairs)
        events[parsed.sentence[predicate.token]].append(row)
    return events


class _Extractor:
    """One pass over the parse of one document."""

    def __init__(self, parsed: Parsed, rules: ExtractionRules) -> None:
        self.parsed, self.rules = parsed, rules
        self.verbs: dict[int, VerbNode] = {}
        self.quoted = _quoted(parsed)

    def run(self) -> list[Predicate]:
        parsed = self.parsed
        order = [i for i, head in enumerate(parsed.heads) if head == i]
        for token in order:  # breadth-first: the list grows while it is read
            order += parsed.children[token]
            if parsed.tags[token] in _VERBS and self._is_event(token):
                self.verbs[token] = self._read_verb(token)
        if self.rules.shared_objects:
            share_objects(self.parsed, self.verbs)
        quoted = set[int]()
        if not self.rules.quoted:
            quoted.update(token for span in quotations(parsed) for token in range(*span))
        standings = Standings(parsed)
        predicates = (
            build_predicate(parsed, self.rules, verb, standings)
            for token, verb in sorted(self.verbs.items())
            if not verb.functional and token not in quoted
        )
        return list(predicates)

    def _is_event(self, token: int) -> bool:
        parsed = self.parsed
        if not any(map(str.isalpha, parsed.words[token])):
            return False
        label = parsed.labels[token]
        while label == "conj" and parsed.heads[token] != token:  # "captured and shot men"
            head = parsed.heads[token]
            if head in self.verbs:
                return True
            label, token = parsed.labels[head], head
        if label in lists.NOT_EVENTS or self._is_preposition(token):
            return False
        if label in lists.NOMINAL:
            below = {parsed.labels[child] for child in parsed.children[token]}
            return parsed.tags[token] == "VBG" and "dobj" in below and "det" not in below
        return True

    def _is_preposition(self, token: int) -> bool:
        """Whether a participle stands for a preposition: "following reports, he left"."""
        parsed = self.parsed
        return (
            parsed.tags[token] == "VBG"
            and parsed.lemmas[token] in lists.PREPOSITIONAL
            and parsed.labels[token] == "advcl"
            and (
                token in parsed.starts
                or parsed.words[token - 1] == ","
                or parsed.tags[token - 1] == "RB"  # "immediately following"
            )
        )

    def _read_verb(self, token: int) -> VerbNode:
        parsed, labels, tags = self.parsed, self.parsed.labels, self.parsed.tags
        verb = VerbNode(token)
        own: list[int] = []
        passive = False
        for child in parsed.children[token]:
            label = labels[child]
            if label == "nsubj":
                own += self._with_conjuncts(child)
            elif label == "nsubjpass":
                own += self._with_conjuncts(child)
                passive = True
            elif label == "dobj":
                verb.objects += self._with_conjuncts(child)
            elif label in ("prep", "dative", "agent"):
                self._add_complement(verb, child, label)
            elif label == "prt":
                verb.particle = verb.particle or parsed.words[child].lower()
            elif label == "aux":
                if tags[child] == "TO":
                    verb.infinitive = True
                else:
                    verb.has_auxiliary = True
            elif label == "auxpass":
                passive = verb.has_auxiliary = True
            elif label == "neg":
                verb.negated = True
            elif label == "advmod":
                for grandchild in parsed.children[child]:
                    if labels[grandchild] == "neg":  # "no longer"
                        verb.negated = True
                    elif labels[grandchild] == "prep":  # "away from the town"
                        self._add_complement(verb, grandchild, "prep")
            elif label in ("csubj", "csubjpass", "expl"):
                verb.clausal_subject = True
                passive = passive or label == "csubjpass"
            elif label == "ccomp" and parsed.lemmas[token] in lists.OBJECT_CONTROL:
                self._add_infinitival_subject(verb, child)
        own = self._one_subject(token, own)
        verb.guessed = any(
            parsed.words[child].lower() == "which" and labels[child] in ("nsubj", "nsubjpass")
            for child in parsed.children[token]
        )
        verb.passive = passive or self._is_reduced_passive(verb, bool(own))
        verb.subjects = own or ([] if verb.clausal_subject else self._implicit_subject(verb))
        if labels[token] == "relcl" and self.rules.relatives:
            self._fill_relative_gap(verb, bool(own))
        verb.functional = self._is_functional(verb)
        inherit_negation(self.parsed, self.verbs, verb)
        return verb

    def _one_subject(self, verb: int, own: list[int]) -> list[int]:
        """Of two subjects of one verb, which only a misread abbreviation gives, the first.

        "The II Corps under Maj. Gen. Hancock stormed": the corps.
        """
        parsed = self.parsed
        direct = [c for c in parsed.children[verb] if parsed.labels[c] in ("nsubj", "nsubjpass")]
        if len(direct) < 2:
            return own
        before = parsed.words[parsed.subtree(direct[1])[0] - 1]
        return self._with_conjuncts(direct[0]) if before.endswith(".") else own

    # -- arguments ---------------------------------------------------------------------------

    def _with_conjuncts(self, token: int) -> list[int]:
        """The head of an argument and of its conjuncts; a relative pronoun gives its antecedent."""
        parsed = self.parsed
        group = [token]
        if self.rules.conjoined_arguments:
            for member in group:  # grows while it is read
                group += [
                    child
                    for child in parsed.children[member]
                    if parsed.labels[child] == "conj" and parsed.tags[child] not in _VERBS
                ]
        if parsed.words[token].lower() in RELATIVE_PRONOUNS:
            return self._antecedent(token)
        return [member for member in group if any(map(str.isalnum, parsed.words[member]))]

    def _antecedent(self, pronoun: int) -> list[int]:
        parsed, node = self.parsed, self.parsed.heads[pronoun]
        while True:
            if parsed.labels[node] == "relcl" and pronoun < node:
                noun = parsed.heads[node]
                is_noun = self.rules.relatives and parsed.tags[noun] not in _VERBS
                return [noun] if is_noun else []
            if parsed.heads[node] == node:
                break
            node = parsed.heads[node]
        asking = parsed.tags[pronoun] in ("WP", "WDT")
        return [pronoun] if self.rules.question_words or not asking else []

    def _add_complement(self, verb: VerbNode, token: int, label: str) -> None:
        """Add a prepositional phrase, a passive agent or an indirect object to the verb."""
        parsed = self.parsed
        if label == "dative" and parsed.tags[token] not in ("IN", "TO"):
            verb.indirect_objects += self._with_conjuncts(token)
            return
        name, pobjs, node, open_ended = parsed.words[token].lower(), list[int](), token, True
        while node >= 0:
            deeper = -1
            for child in parsed.children[node]:
                below = parsed.labels[child]
                if below == "pobj":
                    pobjs += self._with_conjuncts(child)
                elif below == "prep" or (below == "pcomp" and parsed.tags[child] == "IN"):
                    deeper = child
                elif below == "pcomp":
                    open_ended = False
                elif below == "conj" and parsed.tags[child] == "IN":  # "in and around the city"
                    self._add_complement(verb, child, "prep")
            if deeper >= 0:
                name += f"_{parsed.words[deeper].lower()}"
            node = deeper
        if label == "agent" and not all(self._is_time(pobj) for pobj in pobjs):
            verb.agents += pobjs
        elif pobjs:
            verb.prepositional.append((name, pobjs))
        elif open_ended:
            verb.stranded.append(name)

    def _is_time(self, token: int) -> bool:
        return self.parsed.tags[token] == "CD" or self.parsed.names[token] in ("DATE", "TIME")

    def _add_infinitival_subject(self, verb: VerbNode, clause: int) -> None:
        """ "told [Bo to leave]": the infinitive's subject is also the object of "told"."""
        parsed = self.parsed
        below = parsed.children[clause]
        if parsed.tags[clause] == "VB" and any(parsed.tags[child] == "TO" for child in below):
            for child in below:
                if parsed.labels[child] == "nsubj":
                    verb.objects += self._with_conjuncts(child)

    # -- voice -------------------------------------------------------------------------------

    def _is_reduced_passive(self, verb: VerbNode, has_subject: bool) -> bool:
        """Whether a bare participle is a reduced passive: "troops captured at dawn"."""
        parsed, token = self.parsed, verb.token
        participle = parsed.tags[token] == "VBN" or self._is_past_at_noun(token, has_subject)
        if not participle or verb.has_auxiliary:
            return False
        head = self.verbs.get(parsed.heads[token])
        label = parsed.labels[token]
        if label == "conj":
            # "two were killed and six wounded", but not "it was sunk and he died"
            return head is not None and head.passive and not (has_subject and verb.objects)
        noun = parsed.lemmas[parsed.heads[token]].lower()
        fought = parsed.lemmas[token] == "fight" and noun in lists.FOUGHT
        if parsed.lemmas[token] in lists.INTRANSITIVE and not verb.agents and not fought:
            return False
        if has_subject:  # "had the car repaired", not a past tense taken for a participle
            if label == "pcomp":  # "with the road cut"
                return not verb.objects
            lemma = parsed.lemmas[parsed.heads[token]]
            return label in ("ccomp", "xcomp") and lemma in lists.CAUSATIVE and not verb.objects
        return label in ("acl", "advcl", "xcomp", "oprd", "pcomp", "relcl")

    def _is_past_at_noun(self, token: int, has_subject: bool) -> bool:
        """ "a shot fired at them": a participle, taken for a past tense by the parser."""
        parsed = self.parsed
        return parsed.tags[token] == "VBD" and parsed.labels[token] == "acl" and not has_subject

    # -- implicit subjects ------------------------------------------------------------------

    def _implicit_subject(self, verb: VerbNode) -> list[int]:
        """The subject of a verb without one: conjunction, control, adverbial, relative clause."""
        parsed, rules, token = self.parsed, self.rules, verb.token
        label, head = parsed.labels[token], parsed.heads[token]
        governor = self.verbs.get(head)
        if label == "conj":
            return self._subject_of_conjunct(verb, governor) if rules.conjoined_verbs else []
        if self._is_past_at_noun(token, False) and not verb.passive:
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
            return self._with_conjuncts(head) if accused and parsed.labels[head] == "dobj" else []
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
        if not verb.infinitive:
            verb.guessed = parsed.words[verb.token - 1] == ","  # "weapons, consisting of"
            return self._with_conjuncts(noun)[:1] if rules.relatives else []
        for child in parsed.children[noun]:
            word = parsed.words[child].lower()
            if parsed.labels[child] == "poss" and rules.open_complements:
                return self._with_conjuncts(child)
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

    def _fill_relative_gap(self, verb: VerbNode, has_subject: bool) -> None:
        """Fill the gap of a relative clause without a pronoun: "the letter she wrote"."""
        parsed, token = self.parsed, verb.token
        noun = parsed.heads[token]
        if not has_subject or verb.infinitive or parsed.tags[noun] in _VERBS:
            return
        first = parsed.subtree(token)[0]
        opening = parsed.words[first].lower()
        open_pronoun = parsed.tags[first] in ("WDT", "WP", "WRB", "WP$") or opening == "that"
        if open_pronoun or (
            parsed.tags[first] == "IN"
            and first + 1 < len(parsed)
            and parsed.tags[first + 1] in ("WDT", "WP", "WP$")
        ):
            return
        if verb.stranded:
            verb.prepositional.append((verb.stranded[0], [noun]))
        elif (
            not verb.objects
            and not verb.passive
            and not any(
                parsed.labels[child] in ("xcomp", "ccomp") for child in parsed.children[token]
            )
        ):
            verb.objects.append(noun)

    # -- function verbs ----------------------------------------------------------------------------

    def _is_functional(self, verb: VerbNode) -> bool:
        """Whether the verb is a copula or a semi-auxiliary ("have to", "used to"): no event."""
        parsed, token = self.parsed, verb.token
        lemma = parsed.lemmas[token]
        if lemma == "be":
            return not self.rules.copula
        if not self.rules.semi_auxiliaries or verb.objects:
            return False
        if (
            lemma == "have"
            or (lemma == "use" and parsed.tags[token] == "VBD")
            or (lemma == "go" and parsed.tags[token] == "VBG" and verb.has_auxiliary)
            or (lemma == "suppose" and verb.passive)
        ):
            return any(
                parsed.labels[child] == "xcomp" and self._has_to(child)
                for child in parsed.children[token]
            )
        return False

    def _has_to(self, token: int) -> bool:
        return any(self.parsed.tags[child] == "TO" for child in self.parsed.children[token])


def _quoted(parsed: Parsed) -> list[bool]:
    """Whether each token stands after an odd number of the quotation marks of its sentence."""
    flags, inside, starts = [], False, set(parsed.starts)
    for token, word in enumerate(parsed.words):
        inside = inside and token not in starts
        if word in QUOTATION_MARKS:
            inside = not inside
        flags.append(inside)
    return flags


_RANKS = words("last only next").union(ORDINALS[:6])
