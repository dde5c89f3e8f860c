"""Third-person pronouns: the best-scoring antecedent that agrees and that binding allows."""

from __future__ import annotations

from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention
from fabula.text.parse.parsed import Parsed

__all__ = ["best_antecedent", "join_pronouns"]

_SUBJECT = frozenset(("nsubj", "nsubjpass"))
_CLAUSES = frozenset("ROOT ccomp xcomp advcl relcl acl conj pcomp csubj parataxis".split())
_MAX_CANDIDATES = 60  # bounds the time; the chosen antecedent is far nearer


def join_pronouns(
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int], reach: int
) -> None:
    """Join each pronoun with its best antecedent, or with a subject ahead in its sentence."""
    for index, mention in enumerate(mentions):
        if mention.kind != "pronoun" or mention.person != 3:
            continue
        if mention.reflexive:
            subject = _clause_subject(parsed, mention, by_head)
            if subject is not None and entities.agree(index, subject):
                entities.join(subject, index)
                continue
        antecedent = best_antecedent(parsed, mentions, entities, index, reach)
        if antecedent is None:
            antecedent = _cataphoric(parsed, mentions, entities, index)
        if antecedent is not None:
            entities.join(antecedent, index)


def best_antecedent(
    parsed: Parsed, mentions: list[Mention], entities: Entities, index: int, reach: int
) -> int | None:
    """The mention before a pronoun, at most ``reach`` sentences, with the highest salience."""
    best, antecedent = 0.0, None
    here = parsed.sentence[mentions[index].head]
    for other in range(index - 1, max(-1, index - 1 - _MAX_CANDIDATES), -1):
        distance = here - parsed.sentence[mentions[other].head]
        if distance > reach:
            break
        if entities.entity_of[other] is entities.entity_of[index]:
            continue
        score = _score(parsed, mentions, entities, index, other, distance)
        if score > best:
            best, antecedent = score, other
    return antecedent


def _clause_subject(parsed: Parsed, mention: Mention, by_head: dict[int, int]) -> int | None:
    """The antecedent of a reflexive ("himself"): the subject of its clause."""
    node = mention.head
    while parsed.heads[node] != node:
        node = parsed.heads[node]
        for child in parsed.children[node]:
            if parsed.labels[child] in _SUBJECT and child in by_head:
                return by_head[child]
    return None


def _clause(parsed: Parsed, token: int) -> int:
    """The verb of the clause a token stands in."""
    node = token
    while parsed.heads[node] != node:
        if parsed.labels[node] in _CLAUSES and parsed.tags[node].startswith("VB"):
            break
        node = parsed.heads[node]
    return node


def _score(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    index: int,
    other: int,
    distance: int,
) -> float:
    """The salience of a candidate for a pronoun: distance, role, agreement; 0 rules it out."""
    mention, before = mentions[index], mentions[other]
    entity = entities.entity_of[other]
    if before.kind == "pronoun" and before.person != 3:
        return 0.0
    if not entities.agree(index, other) or _nested(mention, before):
        return 0.0
    unsure = 1.0
    if mention.gender in ("m", "f") and True not in entity.animate:
        # A pronoun of persons wants what is known to be a person, or a name of no known kind.
        if before.kind != "name" or entity.entity_types or False in entity.animate:
            return 0.0
        unsure = 0.6
    if mention.gender == "n" and True in entity.animate:
        return 0.0
    plural = mention.number == "p"
    if plural and "s" in entity.numbers and "p" not in entity.numbers:
        return 0.0
    possessive = parsed.tags[mention.head] == "PRP$"
    role, role_before = parsed.labels[mention.head], parsed.labels[before.head]
    same_clause = False
    if distance == 0:
        clause, clause_before = _clause(parsed, mention.head), _clause(parsed, before.head)
        same_clause = clause == clause_before
        if (
            same_clause
            and not possessive
            and not mention.reflexive
            and _share_a_verb(parsed, mention.head, before.head, clause)
        ):
            return 0.0  # "he saw him": two persons
    score = unsure * (4.0, 2.6, 1.3, 0.7)[min(distance, 3)]
    if role_before in _SUBJECT:
        score *= 1.9
    elif role_before == "dobj":
        score *= 1.2
    elif role_before in ("pobj", "poss", "conj"):
        score *= 0.8
    elif role_before in ("appos", "attr"):
        score *= 0.7
    if role in _SUBJECT and role_before in _SUBJECT:
        score *= 1.2
    if same_clause and possessive and role_before in _SUBJECT:
        score *= 1.4
    score *= 1 + 0.12 * min(len(entity.mentions), 6)
    if before.kind == "name" and mention.gender in ("m", "f"):
        score *= 1.2
    if mention.gender in ("m", "f") and mention.gender in entity.genders:
        score *= 1.5  # known to be a woman, not only not known to be a man
    if before.kind == "pronoun":
        score *= 1.3 if before.gender == mention.gender else 1.0
    if plural and before.kind == "group":
        score *= 1.1 if before.animate else 0.6
    if plural and "p" not in entity.numbers:
        score *= 0.7  # "they" of one army, when nothing plural is near
    if plural and False in entity.animate:
        score *= 0.6
    if mention.gender == "n" and before.kind == "noun" and not before.definite:
        score *= 0.9
    return score / (1 + 0.01 * (mention.head - before.head))


def _nested(mention: Mention, before: Mention) -> bool:
    """Whether the pronoun stands within the candidate: "his brother" is not him."""
    return before.start <= mention.head < before.end


def _share_a_verb(parsed: Parsed, one: int, other: int, clause: int) -> bool:
    """Whether both are arguments of one verb: itself, or through a preposition of it."""

    def governor(token: int) -> int:
        head = parsed.heads[token]
        return parsed.heads[head] if parsed.labels[head] in ("prep", "agent", "dative") else head

    def first(token: int) -> int:
        while parsed.labels[token] == "conj":
            token = parsed.heads[token]
        return token

    return governor(first(one)) == governor(first(other)) == clause


def _cataphoric(
    parsed: Parsed, mentions: list[Mention], entities: Entities, index: int
) -> int | None:
    """The subject ahead that a pronoun refers to: "When he arrived, Jon ..."."""
    mention = mentions[index]
    here = parsed.sentence[mention.head]
    node = mention.head
    while parsed.heads[node] != node and parsed.labels[node] not in ("advcl", "prep"):
        node = parsed.heads[node]
    main = parsed.heads[node]
    for other in range(index + 1, len(mentions)):
        after = mentions[other]
        if parsed.sentence[after.head] != here:
            break
        is_subject = parsed.labels[after.head] in _SUBJECT and parsed.heads[after.head] == main
        agrees = entities.agree(index, other) and after.kind in ("name", "noun")
        person = (
            mention.gender == "n"
            or True in entities.entity_of[other].animate
            or mention.number == "p"
        )
        if is_subject and agrees and person and main != node:
            return other
    return None
