"""Reflexive pronouns bind in their clause (principle A): "himself" is the subject of its verb."""

from __future__ import annotations

from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention
from fabula.text.parse.parsed import Parsed

__all__ = ["clause_subject", "join_reflexive"]

_SUBJECT = frozenset(("nsubj", "nsubjpass"))
_MAX_DEPTH = 60
# "Ann promised Bo to hurt herself": the subject, though there is an object.
_SUBJECT_CONTROL = frozenset("promise threaten vow swear".split())


def join_reflexive(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    by_head: dict[int, int],
    index: int,
) -> bool:
    """Join a reflexive with the subject of its clause; whether there was one it can be.

    "The hostage taker shot himself" says what no word list does: he is a man.
    """
    mention = mentions[index]
    subject = clause_subject(parsed, mention.head, by_head)
    if subject is None or subject == index:
        return False
    entity = entities.entity_of[subject]
    if mention.gender in ("m", "f"):
        if (entity.genders - {"n"}) - {mention.gender} or mentions[subject].number == "p":
            return False
        if not mentions[subject].entity_type:  # a noun, or a name of no known kind
            entity.genders.discard("n")
            entity.animate.discard(False)
    elif not entities.agree(index, subject):
        return False
    entities.join(subject, index)
    return True


def clause_subject(parsed: Parsed, token: int, by_head: dict[int, int]) -> int | None:
    """The mention that is the subject of the nearest verb above a token that has one.

    The subject of an infinitive is its governor's object, if it has one ("told Bo to hurt
    himself"); that of a relative clause is the noun it belongs to.
    """
    node = token
    for _ in range(_MAX_DEPTH):
        if parsed.heads[node] == node:
            return None
        node = parsed.heads[node]
        for child in parsed.children[node]:
            if parsed.labels[child] not in _SUBJECT:
                continue
            if child in by_head:
                return by_head[child]
            relative = parsed.labels[node] == "relcl" and parsed.tags[child] in ("WP", "WDT")
            if relative and parsed.heads[node] in by_head:
                return by_head[parsed.heads[node]]
        head = parsed.heads[node]
        if parsed.labels[node] in ("xcomp", "ccomp", "advcl", "acl") and head != node:
            if parsed.labels[node] == "acl" and head in by_head:
                return by_head[head]
            objects = [
                child
                for child in parsed.children[head]
                if parsed.labels[child] in ("dobj", "dative") and child in by_head and child < node
            ]
            if (
                objects
                and parsed.labels[node] != "advcl"
                and (parsed.lemmas[head] not in _SUBJECT_CONTROL)
            ):
                return by_head[objects[0]]
    return None
