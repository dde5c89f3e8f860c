"""The sieve: a multi-pass resolver, from the most precise rules to the least.

After Raghunathan et al. (2010): each pass builds on the entities of the last, and an entity has the
features (number, gender, names) of all its mentions. Deterministic, without training, linear in
the length of the text.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabula.text.coref import Span
from fabula.text.coref.pronouns import join_pronouns
from fabula.text.coref.rules import NOUN_REACH, join_by_rules
from fabula.text.parse.parsed import Parsed

__all__ = ["Sieve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sieve:
    """Deterministic coreference; the reaches are in sentences back."""

    noun_reach: int = NOUN_REACH
    pronoun_reach: int = 3

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        mentions, entities, by_head = join_by_rules(parsed, self.noun_reach)
        join_pronouns(parsed, mentions, entities, by_head, self.pronoun_reach)
        return [
            tuple(Span(m.start, m.end, m.head) for m in (mentions[index] for index in cluster))
            for cluster in entities.clusters()
        ]

    def describe(self) -> str:
        return "fabula's deterministic sieve"
