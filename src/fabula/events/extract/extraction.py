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
from fabula.events.extract.subjects import ImplicitSubjects, is_past_at_noun
from fabula.text.coref.speech import quotations
from fabula.text.lexicon import RELATIVE_PRONOUNS
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
        self.implicit = ImplicitSubjects(parsed, rules, self.verbs, self._with_conjuncts)

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
            if self._is_first_half(child):
                continue
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
        verb.subjects = own or ([] if verb.clausal_subject else self.implicit.subject(verb))
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

    def _is_first_half(self, token: int) -> bool:
        """Whether a hyphen follows and the parser gives both halves one role: "co-workers"."""
        words, heads, labels = self.parsed.words, self.parsed.heads, self.parsed.labels
        last = token + 2
        return (
            last < len(words)
            and words[token + 1] == "-"
            and (heads[token], labels[token]) == (heads[last], labels[last])
        )

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
        participle = parsed.tags[token] == "VBN" or is_past_at_noun(parsed, token, has_subject)
        if not participle or verb.has_auxiliary:
            return False
        if verb.agents and not verb.objects:
            return True  # "each strengthened by a unit of foot"
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

    # -- relative clauses ------------------------------------------------------------------

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
