"""The standing of a predicate: told as fact, possible, planned, or reported, and by whom.

Read from the parse: modal verbs and adverbs, conditions and questions (possible); "will", intention
and purpose (planned); complements of verbs of speech, quotations, "according to", accusations
(reported). A clause inside another has the standing of that clause as well.
"""

from __future__ import annotations

from typing import NamedTuple

from fabula.text.coref.speech import quotations, speaker_of
from fabula.text.lexicon import (
    CLAIM_VERBS,
    CONDITIONALS,
    DENIAL_VERBS,
    MODALS,
    SPEECH_VERBS,
    words,
)
from fabula.text.parse.parsed import Parsed

__all__ = ["FACT", "Standing", "Standings"]

_POSSIBLE = (MODALS - words("will shall")) | words("ought ca")
_FUTURE = words("will shall wo 'll")
_POSSIBLY = words("possibly perhaps maybe probably apparently presumably supposedly likely")
_REPORTEDLY = words("allegedly reportedly purportedly")
_BELIEF = words(
    "believe think suspect assume fear allege know hear learn find suggest deny dispute"
)
_SAYS = SPEECH_VERBS | CLAIM_VERBS | _BELIEF | words("tell testify conclude rule")
_INTENTIONS = words(
    """agree aim arrange ask attempt beg choose command consider decide demand expect hope intend
    invite mean need offer order persuade plan plot pledge prepare promise propose refuse request
    seek swear tell threaten try urge vow wait want warn wish"""
)
_ACCUSATIONS = words("accuse suspect charge indict blame")
_FAILURES = words("fail refuse decline neglect")
_MAX_DEPTH = 60


class Standing(NamedTuple):
    """``modality`` is empty, possible or planned; ``source`` the head token of who says so."""

    modality: str = ""
    reported: bool = False
    source: int | None = None
    denied: bool = False


FACT = Standing()


class Standings:
    """The standings of the verbs of one parse."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._known: dict[int, Standing] = {}
        self._quoted: dict[int, int | None] = {}  # token in a quotation -> head of its speaker
        for start, end in quotations(parsed):
            if end - start > 4:  # shorter ones are words somebody uses, not what he says
                speaker = speaker_of(parsed, start, end)
                self._quoted.update(dict.fromkeys(range(start, end), speaker))

    def of(self, token: int) -> Standing:
        """The standing of the verb at ``token``, with that of the clauses around it."""
        path = [token]
        while path[-1] not in self._known and len(path) < _MAX_DEPTH:
            head = self.parsed.heads[path[-1]]
            if head == path[-1]:
                break
            path.append(head)
        for node in reversed(path):
            if node not in self._known:
                head = self.parsed.heads[node]
                above = self._known.get(head, Standing()) if head != node else Standing()
                self._known[node] = self._read(node, above)
        return self._known[token]

    def _read(self, token: int, above: Standing) -> Standing:
        parsed = self.parsed
        label, head = parsed.labels[token], parsed.heads[token]
        modality, reported, source = above.modality, above.reported, above.source
        denied = False
        own = self._own_modality(token)
        if label == "conj" and self._has_auxiliary(token) and not own:
            modality = ""  # "may come and has paid"
        modality = own or modality
        if not parsed.tags[token].startswith("VB"):
            return Standing(modality, reported, source)
        if label in ("ccomp", "xcomp", "parataxis", "advcl", "csubj", "pcomp"):
            governor = head
            if label == "pcomp":  # "accused of stealing"
                governor = parsed.heads[head]
            lemma = parsed.lemmas[governor]
            infinitive = self._is_infinitive(token)
            if label in ("ccomp", "parataxis") and lemma in _SAYS and governor != token:
                reported, source = True, self._subject(governor)
                denied = lemma in DENIAL_VERBS
            elif label == "xcomp" and lemma in DENIAL_VERBS:
                reported, source, denied = True, self._subject(governor), True
            elif label == "pcomp" and lemma in _ACCUSATIONS:
                reported, source = True, self._agent(governor)
            elif label == "xcomp" and lemma in _BELIEF | CLAIM_VERBS and self._is_passive(governor):
                reported, source = True, None  # "is said to have fled"
            elif infinitive and label != "pcomp" and (label == "advcl" or lemma in _INTENTIONS):
                modality = modality or "planned"
        elif label in ("acl", "relcl") and self._is_infinitive(token):
            modality = modality or "planned"  # "a plan to attack"
        if token in self._quoted and not reported:
            reported, source = True, self._quoted[token]
        for child in parsed.children[token]:
            if parsed.words[child].lower() == "according":
                reported, source = True, self._object(child)
            elif parsed.labels[child] == "parataxis" and parsed.lemmas[child] in _SAYS:
                reported, source = True, self._subject(child)  # "Bellini, police say, fled"
            elif parsed.labels[child] == "advmod" and parsed.words[child].lower() in _REPORTEDLY:
                reported = True
        return Standing(modality, reported, source, denied)

    def fails(self, token: int) -> bool:
        """Whether the verb is what somebody failed or refused to do."""
        parsed = self.parsed
        return parsed.labels[token] == "xcomp" and parsed.lemmas[parsed.heads[token]] in _FAILURES

    def _own_modality(self, token: int) -> str:
        parsed = self.parsed
        found = ""
        for child in parsed.children[token]:
            word, label = parsed.words[child].lower(), parsed.labels[child]
            if label == "aux" and parsed.tags[child] == "MD":
                found = found or (
                    "planned" if word in _FUTURE else "possible" if word in _POSSIBLE else ""
                )
            elif (
                (label == "mark" and word in CONDITIONALS)
                or (label == "advmod" and word in _POSSIBLY)
                or (label == "punct" and word == "?")
            ):
                found = "possible"
        return found

    def _has_auxiliary(self, token: int) -> bool:
        return any(self.parsed.labels[c] in ("aux", "nsubj") for c in self.parsed.children[token])

    def _is_infinitive(self, token: int) -> bool:
        below = self.parsed.children[token]
        perfect = any(self.parsed.words[c].lower() in ("have", "'ve") for c in below)
        return not perfect and any(self.parsed.tags[c] == "TO" for c in below)

    def _subject(self, verb: int) -> int | None:
        parsed = self.parsed
        node = verb
        for _ in range(_MAX_DEPTH):
            for child in parsed.children[node]:
                if parsed.labels[child] == "agent":
                    return self._object(child)
            for child in parsed.children[node]:
                if parsed.labels[child] == "nsubj" and parsed.words[child].lower() != "it":
                    return child
            if parsed.labels[node] not in ("conj", "xcomp") or parsed.heads[node] == node:
                return None
            node = parsed.heads[node]
        return None

    def _agent(self, verb: int) -> int | None:
        """Who accuses: the agent of a passive, else the subject of an active verb."""
        for child in self.parsed.children[verb]:
            if self.parsed.labels[child] == "agent":
                return self._object(child)
        return None if self._is_passive(verb) else self._subject(verb)

    def _is_passive(self, verb: int) -> bool:
        return any(self.parsed.labels[c] == "nsubjpass" for c in self.parsed.children[verb])

    def _object(self, preposition: int) -> int | None:
        parsed = self.parsed
        for child in parsed.children[preposition]:
            if parsed.labels[child] == "pobj":
                return child
            if parsed.labels[child] == "prep":
                return self._object(child)
        return None
