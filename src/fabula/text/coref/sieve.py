"""Our own resolver: rules from the surest to the least sure, each building on the last.

After Raghunathan et al. (2010): precise rules first, and what an entity is known to be (its
number, gender, names) is what all its mentions together tell. Nothing is learnt, nothing is
random, and the time grows with the length of the text only.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabula.text.coref import Span
from fabula.text.coref import agreement as lists
from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention, find_mentions
from fabula.text.coref.names import join_names
from fabula.text.coref.pronouns import join_pronouns
from fabula.text.coref.speech import join_speakers
from fabula.text.parse.parsed import Parsed

__all__ = ["Sieve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sieve:
    """The default resolver. The two numbers are sentences: how far back a match may reach."""

    noun_reach: int = 12
    pronoun_reach: int = 3

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        mentions = find_mentions(parsed)
        entities = Entities(mentions)
        at = {mention.head: i for i, mention in enumerate(mentions) if mention.kind != "group"}
        join_speakers(parsed, mentions, entities, at)
        join_names(mentions, entities)
        _join_appositions(parsed, mentions, entities, at)
        _join_nouns(parsed, mentions, entities, self.noun_reach)
        join_pronouns(parsed, mentions, entities, at, self.pronoun_reach)
        found = []
        for cluster in entities.clusters():
            members = [mentions[index] for index in cluster]
            found.append(tuple(Span(m.start, m.end, m.head) for m in members))
        return found

    def describe(self) -> str:
        return "fabula's deterministic sieve"


def _join_appositions(
    parsed: Parsed, mentions: list[Mention], entities: Entities, at: dict[int, int]
) -> None:
    """ "Jon, a carpenter" and "Jon is a carpenter"; also the title "the carpenter Jon Hale"."""
    for index, mention in enumerate(mentions):
        if mention.kind not in ("noun", "name"):
            continue
        label, head = parsed.labels[mention.head], parsed.heads[mention.head]
        if label == "appos" and head in at:
            other = at[head]
        elif label == "attr" and parsed.lemmas[head] in ("be", "become", "remain"):
            subjects = [
                child
                for child in parsed.children[head]
                if parsed.labels[child] == "nsubj" and child in at
            ]
            denied = any(parsed.labels[child] == "neg" for child in parsed.children[head])
            if not subjects or denied or mentions[at[subjects[0]]].kind == "pronoun":
                continue
            other = at[subjects[0]]
        else:
            continue
        both_names = mention.kind == "name" and mentions[other].kind == "name"
        same_number = mention.number == mentions[other].number or "?" in (
            mention.number,
            mentions[other].number,
        )
        if same_number and entities.agree(index, other) and not (both_names and label == "attr"):
            entities.join(other, index)


def _join_nouns(parsed: Parsed, mentions: list[Mention], entities: Entities, reach: int) -> None:
    """ "a tall clerk ... the clerk": the head is the same and nothing new is said of it."""
    by_lemma: dict[str, list[int]] = {}
    for index, mention in enumerate(mentions):
        if mention.kind not in ("noun", "name") or mention.lemma in lists.VAGUE:
            continue
        earlier = by_lemma.setdefault(mention.lemma, [])
        if mention.kind == "noun" and mention.definite:
            here = parsed.sentence[mention.head]
            for other in reversed(earlier[-20:]):
                before = mentions[other]
                if here - parsed.sentence[before.head] > reach:
                    break
                if _matches(mention, before, entities, other) and not _within(mention, before):
                    entities.join(other, index)
                    break
        earlier.append(index)
        for alias in entities.of[index].heads - {mention.lemma}:
            by_lemma.setdefault(alias, []).append(index)


def _matches(mention: Mention, before: Mention, entities: Entities, other: int) -> bool:
    if mention.number != before.number and "?" not in (mention.number, before.number):
        return False
    known = entities.of[other].modifiers
    if before.kind == "name" and before.name != "PERSON" and mention.kind == "noun":
        return mention.lemma == before.lemma and not mention.modifiers
    return mention.modifiers <= known


def _within(one: Mention, other: Mention) -> bool:
    """A thing is no part of itself: "the town of the town"."""
    return one.start <= other.head < one.end or other.start <= one.head < other.end
