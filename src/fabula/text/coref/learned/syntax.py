"""Syntactic facts of a parse that the scorer uses: clauses, roles, command, quotations."""

from __future__ import annotations

from fabula.text.coref.mentions import Mention
from fabula.text.coref.speech import quotations, speaker_of
from fabula.text.parse.parsed import Parsed

__all__ = ["ROLES", "SUBJECTS", "Syntax"]

SUBJECTS = frozenset(("nsubj", "nsubjpass"))
_CLAUSES = frozenset("ROOT ccomp xcomp advcl relcl acl conj pcomp csubj parataxis".split())
ROLES = ("nsubj", "nsubjpass", "dobj", "pobj", "poss", "dative", "appos", "attr")
_FRONTED = frozenset("prep advcl npadvmod advmod mark".split())
_MAX_DEPTH = 200  # steps up a tree: a damaged or endless sentence must not take for ever


class Syntax:
    """Facts about tokens of one parse, each computed once."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.quotation = [0] * len(parsed)  # the number of the quotation a token is in, 0 outside
        self._quotations = quotations(parsed)
        for number, (start, end) in enumerate(self._quotations, 1):
            self.quotation[start:end] = [number] * (min(end, len(parsed)) - start)
        self._speaker: dict[int, int] = {}
        self._clause: dict[int, int] = {}
        self._path: dict[int, list[int]] = {}

    def role(self, token: int) -> str:
        """The grammatical role of a mention's head; a conjunct or apposition has its governor's."""
        labels, heads = self.parsed.labels, self.parsed.heads
        for _ in range(_MAX_DEPTH):
            if labels[token] not in ("conj", "appos") or heads[token] == token:
                break
            if self.parsed.tags[heads[token]][:2] not in ("NN", "PR"):
                break
            token = heads[token]
        return labels[token]

    def path(self, token: int) -> list[int]:
        """The token and its ancestors, up to the root."""
        found = self._path.get(token)
        if found is None:
            found, heads = [token], self.parsed.heads
            while heads[found[-1]] != found[-1] and len(found) < _MAX_DEPTH:
                found.append(heads[found[-1]])
            self._path[token] = found
        return found

    def clause(self, token: int) -> int:
        """The verb of the clause a token stands in."""
        found = self._clause.get(token)
        if found is None:
            found = token
            for found in self.path(token):
                if self.parsed.labels[found] in _CLAUSES and self.parsed.tags[found][:2] == "VB":
                    break
            self._clause[token] = found
        return found

    def depth(self, token: int) -> int:
        """The number of clauses above the token's own."""
        return sum(
            self.parsed.labels[node] in _CLAUSES and self.parsed.tags[node][:2] == "VB"
            for node in self.path(token)[1:]
        )

    def subject_ahead(self, token: int) -> int:
        """The subject of the clause that a fronted phrase with the token opens; -1 if none.

        "After her exit, Singh returned": cataphora has this form almost always.
        """
        labels, heads = self.parsed.labels, self.parsed.heads
        for node in self.path(token)[:-1]:
            head = heads[node]
            if labels[node] in _FRONTED and node < head:
                ahead = (c for c in self.parsed.children[head] if labels[c] in SUBJECTS)
                found = next((c for c in ahead if c > token), -1)
                if found >= 0:
                    return found
        return -1

    def understood_subject(self, token: int) -> int:
        """Who does the verb without a subject of its own that the token depends on; -1 if none.

        In "tried to persuade Hurley to go with him" it is Hurley, so that "him" is not.
        """
        labels, heads, children = self.parsed.labels, self.parsed.heads, self.parsed.children
        verb = self.clause(token)
        if labels[verb] not in ("xcomp", "ccomp", "advcl", "pcomp", "acl"):
            return -1
        if any(labels[child] in SUBJECTS for child in children[verb]):
            return -1
        if labels[verb] == "acl":
            return heads[verb]
        above = heads[verb] if labels[verb] != "pcomp" else heads[heads[verb]]
        around = children[above]
        objects = [c for c in around if labels[c] in ("dobj", "dative") and c < verb]
        if objects and labels[verb] in ("xcomp", "ccomp"):
            return objects[0]
        return next((c for c in around if labels[c] in SUBJECTS), -1)

    def speaker(self, token: int) -> int:
        """The head of who says the quotation that a token is in; -1 outside, or if unknown."""
        number = self.quotation[token]
        if not number:
            return -1
        if number not in self._speaker:
            start, end = self._quotations[number - 1]
            head = speaker_of(self.parsed, start, end)
            if head is None and start > 1 and self.parsed.words[start - 1] == ":":
                head = self._last_subject(start - 1)
            self._speaker[number] = -1 if head is None else head
        return self._speaker[number]

    def _last_subject(self, before: int) -> int | None:
        """The subject of the main clause before a colon that opens a quotation."""
        first = self.parsed.starts[self.parsed.sentence[before]]
        subjects = [t for t in range(first, before) if self.parsed.labels[t] in SUBJECTS]
        return min(subjects, key=lambda t: (self.depth(t), -t), default=None)

    def commands(self, one: int, other: int) -> bool:
        """Whether the head of ``one`` dominates ``other``: a dependency form of c-command."""
        return self.parsed.heads[one] in self.path(other)

    def co_arguments(self, one: int, other: int) -> bool:
        """Whether both are arguments of one verb, directly or through a preposition of it."""
        return self._governor(one) == self._governor(other)

    def _governor(self, token: int) -> int:
        labels, heads = self.parsed.labels, self.parsed.heads
        for _ in range(_MAX_DEPTH):
            if labels[token] != "conj" or heads[token] == token:
                break
            token = heads[token]
        head = heads[token]
        return heads[head] if labels[head] in ("prep", "agent", "dative") else head

    def nested(self, mention: Mention, other: Mention) -> bool:
        """Whether one stands within the other: "his brother" is not him."""
        return (
            other.start <= mention.head < other.end or mention.start <= other.head < mention.end
        ) and other.kind != "group"
