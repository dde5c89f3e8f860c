"""Syntactic facts of a parse that the scorer uses: clauses, roles, command, quotations."""

from __future__ import annotations

from fabula.text.coref.mentions import Mention
from fabula.text.coref.speech import quotations
from fabula.text.parse.parsed import Parsed

__all__ = ["ROLES", "SUBJECTS", "Syntax"]

SUBJECTS = frozenset(("nsubj", "nsubjpass"))
_CLAUSES = frozenset("ROOT ccomp xcomp advcl relcl acl conj pcomp csubj parataxis".split())
ROLES = ("nsubj", "nsubjpass", "dobj", "pobj", "poss", "dative", "appos", "attr")
_MAX_DEPTH = 200  # steps up a tree: a damaged or endless sentence must not take for ever


class Syntax:
    """Facts about tokens of one parse, each computed once."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.quotation = [0] * len(parsed)  # the number of the quotation a token is in, 0 outside
        for number, (start, end) in enumerate(quotations(parsed), 1):
            self.quotation[start:end] = [number] * (min(end, len(parsed)) - start)
        self._clause: dict[int, int] = {}
        self._path: dict[int, list[int]] = {}

    def role(self, token: int) -> str:
        """The grammatical role of a mention's head; a conjunct has that of its first conjunct."""
        labels, heads = self.parsed.labels, self.parsed.heads
        for _ in range(_MAX_DEPTH):
            if labels[token] != "conj" or heads[token] == token:
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
