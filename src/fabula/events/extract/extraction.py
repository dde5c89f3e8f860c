"""From a parse to events: each verb with what fills its slots.

Verbs are read from the top of each tree down, so that whatever a verb takes over from another
(its subject, its voice, its negation) is known when it is its turn.
"""

from __future__ import annotations

from fabula.events.extract import rules as lists
from fabula.events.extract.coordination import share_objects, take_negation
from fabula.events.extract.frames import Frame, Verb, shape
from fabula.events.extract.rules import Rules
from fabula.text.coref.speech import quotations
from fabula.text.lexicon import ORDINALS, RELATIVE_PRONOUNS, words
from fabula.text.parse.parsed import Parsed

__all__ = ["Frame", "extract", "sentence_events"]

_VERBS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"))
_INFINITE = frozenset(("VB", "VBG", "VBN"))


def extract(parsed: Parsed, rules: Rules | None = None) -> list[Frame]:
    """The events of a parse in the order of the text, every slot filled with head tokens."""
    return _Extraction(parsed, rules or Rules()).run()


def sentence_events(parsed: Parsed, rules: Rules | None = None) -> list[list[tuple[str, ...]]]:
    """For each sentence its events as ``(VERB, SUBJ, DOBJ, PREP, POBJ, ...)`` of words.

    An open slot is an empty string; there are as many prepositions as the verb has. This is the
    event form of a salad's sentences.
    """
    found: list[list[tuple[str, ...]]] = [[] for _ in parsed.starts]
    for frame in extract(parsed, rules):
        words = {slot: parsed.words[heads[0]].lower() for slot, heads in frame.roles.items()}
        pairs = [
            part
            for slot, word in words.items()
            if slot.startswith("prep")
            for part in (slot.removeprefix("prep_"), word)
        ]
        row = (frame.verb, words.get("subj", ""), words.get("obj", ""), *pairs)
        found[parsed.sentence[frame.token]].append(row)
    return found


class _Extraction:
    """One pass over one document."""

    def __init__(self, parsed: Parsed, rules: Rules) -> None:
        self.parsed, self.rules = parsed, rules
        self.verbs: dict[int, Verb] = {}

    def run(self) -> list[Frame]:
        parsed = self.parsed
        order = [i for i, head in enumerate(parsed.heads) if head == i]
        for token in order:  # grows while it is read: breadth first, whatever the depth
            order += parsed.children[token]
            if parsed.tags[token] in _VERBS and self._is_event(token):
                self.verbs[token] = self._verb(token)
        if self.rules.shared_objects:
            share_objects(self.parsed, self.verbs)
        inside = set[int]()
        if not self.rules.quoted:
            inside.update(token for span in quotations(parsed) for token in range(*span))
        frames = (
            shape(parsed, self.rules, verb)
            for token, verb in sorted(self.verbs.items())
            if not verb.hollow and token not in inside
        )
        return list(frames)

    def _is_event(self, token: int) -> bool:
        parsed = self.parsed
        label = parsed.labels[token]
        while label == "conj" and parsed.heads[token] != token:  # "captured and shot men"
            head = parsed.heads[token]
            if head in self.verbs:
                return True
            label, token = parsed.labels[head], head
        if label in lists.NOT_EVENTS:
            return False
        if label in lists.NOMINAL:
            below = {parsed.labels[child] for child in parsed.children[token]}
            return parsed.tags[token] == "VBG" and "dobj" in below and "det" not in below
        return True

    def _verb(self, token: int) -> Verb:
        parsed, labels, tags = self.parsed, self.parsed.labels, self.parsed.tags
        verb = Verb(token)
        own: list[int] = []
        passive = False
        for child in parsed.children[token]:
            label = labels[child]
            if label == "nsubj":
                own += self._group(child)
            elif label == "nsubjpass":
                own += self._group(child)
                passive = True
            elif label == "dobj":
                verb.objects += self._group(child)
            elif label in ("prep", "dative", "agent"):
                self._complement(verb, child, label)
            elif label == "prt":
                verb.particle = verb.particle or parsed.words[child].lower()
            elif label == "aux":
                if tags[child] == "TO":
                    verb.infinitive = True
                else:
                    verb.helped = True
            elif label == "auxpass":
                passive = verb.helped = True
            elif label == "neg":
                verb.negated = True
            elif label == "advmod":
                for grandchild in parsed.children[child]:
                    if labels[grandchild] == "neg":  # "no longer"
                        verb.negated = True
                    elif labels[grandchild] == "prep":  # "away from the town"
                        self._complement(verb, grandchild, "prep")
            elif label in ("csubj", "csubjpass", "expl"):
                verb.clausal = True
                passive = passive or label == "csubjpass"
            elif label == "ccomp" and parsed.lemmas[token] in lists.OBJECT_CONTROL:
                self._told(verb, child)
        verb.passive = passive or self._bare_passive(verb, bool(own))
        verb.subjects = own or ([] if verb.clausal else self._taken_over(verb))
        if labels[token] == "relcl" and self.rules.relatives:
            self._fill_gap(verb, bool(own))
        verb.hollow = self._is_hollow(verb)
        take_negation(self.parsed, self.verbs, verb)
        return verb

    # -- arguments ---------------------------------------------------------------------------

    def _group(self, token: int) -> list[int]:
        """An argument with all it is conjoined with; a relative pronoun stands for its noun."""
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
        return group

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

    def _complement(self, verb: Verb, token: int, label: str) -> None:
        """A preposition with its objects, an agent, or whoever something is given to."""
        parsed = self.parsed
        if label == "dative" and parsed.tags[token] not in ("IN", "TO"):
            verb.receivers += self._group(token)
            return
        name, pobjs, node, open_ended = parsed.words[token].lower(), list[int](), token, True
        while node >= 0:
            deeper = -1
            for child in parsed.children[node]:
                below = parsed.labels[child]
                if below == "pobj":
                    pobjs += self._group(child)
                elif below == "prep" or (below == "pcomp" and parsed.tags[child] == "IN"):
                    deeper = child
                elif below == "pcomp":
                    open_ended = False
                elif below == "conj" and parsed.tags[child] == "IN":  # "in and around the city"
                    self._complement(verb, child, "prep")
            if deeper >= 0:
                name += f"_{parsed.words[deeper].lower()}"
            node = deeper
        if label == "agent" and not all(self._is_time(pobj) for pobj in pobjs):
            verb.agents += pobjs
        elif pobjs:
            verb.preps.append((name, pobjs))
        elif open_ended:
            verb.stranded.append(name)

    def _is_time(self, token: int) -> bool:
        return self.parsed.tags[token] == "CD" or self.parsed.names[token] in ("DATE", "TIME")

    def _told(self, verb: Verb, clause: int) -> None:
        """ "told [Bo to leave]": whoever is to leave is told."""
        parsed = self.parsed
        below = parsed.children[clause]
        if parsed.tags[clause] == "VB" and any(parsed.tags[child] == "TO" for child in below):
            for child in below:
                if parsed.labels[child] == "nsubj":
                    verb.objects += self._group(child)

    # -- voice -------------------------------------------------------------------------------

    def _bare_passive(self, verb: Verb, has_subject: bool) -> bool:
        """Whether a participle without an auxiliary is passive: "troops captured at dawn"."""
        parsed, token = self.parsed, verb.token
        if parsed.tags[token] != "VBN" or verb.helped:
            return False
        head = self.verbs.get(parsed.heads[token])
        label = parsed.labels[token]
        if label == "conj":
            return head is not None and head.passive and not has_subject
        if parsed.lemmas[token] in lists.INTRANSITIVE and not verb.agents:
            return False
        if has_subject:  # "had the car repaired", not a past tense taken for a participle
            lemma = parsed.lemmas[parsed.heads[token]]
            return label in ("ccomp", "xcomp") and lemma in lists.CAUSATIVE and not verb.objects
        return label in ("acl", "advcl", "xcomp", "oprd", "pcomp", "relcl")

    # -- subjects of others ------------------------------------------------------------------

    def _taken_over(self, verb: Verb) -> list[int]:
        """The subject of a verb that has none of its own."""
        parsed, rules, token = self.parsed, self.rules, verb.token
        label, head = parsed.labels[token], parsed.heads[token]
        above = self.verbs.get(head)
        if label == "conj":
            return above.subjects if above and rules.conjoined_verbs else []
        if label == "acl" or (label == "relcl" and verb.infinitive):
            return self._from_noun(verb, head)
        if parsed.tags[token] not in _INFINITE:
            return []
        if label == "pcomp" and rules.adverbials:
            return self._from_preposition(head)
        if label in ("xcomp", "ccomp") and rules.open_complements:
            return self._from_governor(verb, head)
        if label == "advcl" and rules.adverbials and above:
            told = parsed.lemmas[head] in lists.OBJECT_CONTROL and verb.infinitive
            return above.objects if told and above.objects and rules.control else above.subjects
        return []

    def _from_governor(self, verb: Verb, head: int) -> list[int]:
        """Of an open complement: the governor's object if it controls, else its subject."""
        parsed = self.parsed
        easy = parsed.lemmas[head] in lists.TOUGH
        direct = head in self.verbs
        while head not in self.verbs:  # "is afraid to speak": over the adjective
            if parsed.heads[head] == head or parsed.labels[head] not in (
                "acomp", "attr", "oprd", "advmod", "conj", "xcomp",
            ):  # fmt: skip
                return []
            head = parsed.heads[head]
        above, lemma = self.verbs[head], parsed.lemmas[head]
        if easy and not verb.objects and verb.infinitive:  # "is easy to read"
            verb.objects += above.subjects
            return []
        if lemma == "be" and direct:
            kinds = {parsed.lemmas[subject] for subject in above.subjects}
            return [] if kinds & lists.NOT_ACTORS else above.subjects
        given = above.objects or above.receivers
        if self.rules.control and given and not above.passive:
            return above.subjects if lemma in lists.SUBJECT_CONTROL else given
        return above.subjects

    def _from_preposition(self, preposition: int) -> list[int]:
        """Of a gerund after a preposition: "after leaving", "accused him of lying"."""
        parsed = self.parsed
        head = parsed.heads[preposition]
        above = self.verbs.get(head)
        if above is None:
            over = self.verbs.get(parsed.heads[head])  # "[him of lying]" parsed as one phrase
            accused = over and parsed.lemmas[over.token] in lists.PREPOSITION_CONTROL
            return self._group(head) if accused and parsed.labels[head] == "dobj" else []
        controls = parsed.lemmas[head] in lists.PREPOSITION_CONTROL and self.rules.control
        if controls and above.objects and not above.passive:
            word = parsed.words[preposition].lower()
            if word in ("of", "from", "into", "for", "with"):
                return above.objects
        return above.subjects

    def _from_noun(self, verb: Verb, noun: int) -> list[int]:
        """Of a clause at a noun: "men carrying guns", "his attempt to escape"."""
        parsed, rules = self.parsed, self.rules
        if parsed.tags[noun] in _VERBS:
            return []
        if not verb.infinitive:
            return self._group(noun)[:1] if rules.relatives else []
        for child in parsed.children[noun]:
            word = parsed.words[child].lower()
            if parsed.labels[child] == "poss" and rules.open_complements:
                return self._group(child)
            ranked = parsed.tags[child] in ("JJS", "RBS") or word in _RANKS
            if ranked and parsed.labels[child] in ("amod", "det", "nummod") and rules.relatives:
                return [noun]
        above = self.verbs.get(parsed.heads[noun])
        lemma = parsed.lemmas[parsed.heads[noun]]
        if above and parsed.labels[noun] == "dobj" and rules.open_complements:
            if parsed.lemmas[noun] in lists.NOT_ACTORS and lemma in lists.SHARING:
                return above.subjects
            if above.receivers:  # "gave him the order to leave"
                return above.receivers
        return []

    def _fill_gap(self, verb: Verb, has_subject: bool) -> None:
        """The noun of a relative clause without a pronoun: "the letter she wrote"."""
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
            verb.preps.append((verb.stranded[0], [noun]))
        elif (
            not verb.objects
            and not verb.passive
            and not any(
                parsed.labels[child] in ("xcomp", "ccomp") for child in parsed.children[token]
            )
        ):
            verb.objects.append(noun)

    # -- the rest ----------------------------------------------------------------------------

    def _is_hollow(self, verb: Verb) -> bool:
        parsed, token = self.parsed, verb.token
        lemma = parsed.lemmas[token]
        if lemma == "be":
            return not self.rules.copula
        if not self.rules.semi_auxiliaries or verb.objects:
            return False
        if (
            lemma == "have"
            or (lemma == "use" and parsed.tags[token] == "VBD")
            or (lemma == "go" and parsed.tags[token] == "VBG" and verb.helped)
            or (lemma == "suppose" and verb.passive)
        ):
            return any(
                parsed.labels[child] == "xcomp" and self._has_to(child)
                for child in parsed.children[token]
            )
        return False

    def _has_to(self, token: int) -> bool:
        return any(self.parsed.tags[child] == "TO" for child in self.parsed.children[token])


_RANKS = words("last only next").union(ORDINALS[:6])
