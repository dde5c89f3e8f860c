"""Coreference rules of high precision: speakers, names, appositions, nouns of one head."""

from __future__ import annotations

from fabula.text.coref import agreement
from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention, find_mentions
from fabula.text.coref.names import join_names
from fabula.text.coref.speech import join_speakers
from fabula.text.parse.parsed import Parsed

__all__ = ["NOUN_REACH", "join_by_rules"]

NOUN_REACH = 12  # sentences back
_NAMING = frozenset("bear call know name nickname rename".split())


def join_by_rules(
    parsed: Parsed, noun_reach: int = NOUN_REACH, *, quoted: bool = True
) -> tuple[list[Mention], Entities, dict[int, int]]:
    """The mentions of a parse, their entities by rule, and the mention of each head token.

    Without ``quoted`` the first persons of quotations are left to what reads the dialogue.
    """
    mentions = find_mentions(parsed)
    entities = Entities(mentions)
    by_head = {mention.head: i for i, mention in enumerate(mentions) if mention.kind != "group"}
    join_speakers(parsed, mentions, entities, by_head, quoted=quoted)
    join_names(parsed, mentions, entities)
    _join_appositions(parsed, mentions, entities, by_head)
    _join_names_given(parsed, mentions, entities, by_head)
    _join_other_names(parsed, mentions, entities, by_head)
    _join_nouns(parsed, mentions, entities, noun_reach)
    return mentions, entities, by_head


def _join_appositions(
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int]
) -> None:
    """ "Jon, a carpenter" and "Jon is a carpenter"; also the title "the carpenter Jon Hale"."""
    for index, mention in enumerate(mentions):
        if mention.kind not in ("noun", "name"):
            continue
        label, head = parsed.labels[mention.head], parsed.heads[mention.head]
        if label == "appos" and head in by_head:
            other = by_head[head]
        elif label == "attr" and parsed.lemmas[head] in ("be", "become", "remain"):
            subjects = [
                child
                for child in parsed.children[head]
                if parsed.labels[child] == "nsubj" and child in by_head
            ]
            denied = any(parsed.labels[child] == "neg" for child in parsed.children[head])
            if not subjects or denied or mentions[by_head[subjects[0]]].kind == "pronoun":
                continue
            if parsed.lemmas[subjects[0]] == "name":
                continue  # "her name is Edith" says who she is, not what her name is
            other = by_head[subjects[0]]
        else:
            continue
        both_names = mention.kind == "name" and mentions[other].kind == "name"
        same_number = mention.number == mentions[other].number or "?" in (
            mention.number,
            mentions[other].number,
        )
        if both_names and (label == "attr" or _are_two(mention, mentions[other])):
            continue
        if same_number and entities.agree(index, other):
            entities.join(other, index)


def _are_two(one: Mention, other: Mention) -> bool:
    """Whether two names side by side are those of two persons: "Maria (Imelda Staunton)"."""
    persons = one.entity_type == other.entity_type == "PERSON"
    return persons and not set(one.words) & set(other.words)


def _join_names_given(
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int]
) -> None:
    """ "Her name is Edith": whoever she is, she is Edith."""
    for index, mention in enumerate(mentions):
        verb = parsed.heads[mention.head]
        if mention.kind != "name" or parsed.labels[mention.head] != "attr":
            continue
        owners = [
            owner
            for child in parsed.children[verb]
            if parsed.labels[child] == "nsubj" and parsed.lemmas[child] == "name"
            for owner in parsed.children[child]
            if parsed.labels[owner] == "poss" and owner in by_head
        ]
        denied = any(parsed.labels[child] == "neg" for child in parsed.children[verb])
        if owners and not denied and parsed.lemmas[verb] == "be":
            owner = by_head[owners[0]]
            if mentions[owner].gender in ("m", "f") and mention.entity_type != "PERSON":
                mention.entity_type = "PERSON"
                entities.entity_of[index].animate = {True}
                entities.entity_of[index].genders.discard("n")
                entities.entity_of[index].entity_types = {"PERSON"}
            if entities.agree(index, owner):
                entities.join(owner, index)


def _join_other_names(
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int]
) -> None:
    """ "Jon Hale, known as Jack Hill", "she was born as Ann Bo", "called Susie"."""
    for index, mention in enumerate(mentions):
        if mention.kind != "name" or mention.entity_type not in ("PERSON", ""):
            continue
        above = parsed.heads[mention.head]
        label = parsed.labels[mention.head]
        verb = parsed.heads[above] if label == "pobj" and parsed.words[above] == "as" else above
        if parsed.lemmas[verb] not in _NAMING or parsed.tags[verb] != "VBN" or verb == mention.head:
            continue
        if label not in ("pobj", "oprd", "dobj", "attr") or (label == "pobj" and verb == above):
            continue
        owner = next((c for c in parsed.children[verb] if parsed.labels[c] == "nsubjpass"), None)
        if owner is None and parsed.labels[verb] in ("acl", "relcl", "amod"):
            owner = parsed.heads[verb]
        other = -1 if owner is None else by_head.get(owner, -1)
        named = other >= 0 and mentions[other].kind == "name" and mentions[other].number != "p"
        if named and entities.agree(index, other):
            entities.join(other, index)


def _join_nouns(parsed: Parsed, mentions: list[Mention], entities: Entities, reach: int) -> None:
    """ "a tall clerk ... the clerk": the head is the same and nothing new is said of it."""
    by_lemma: dict[str, list[int]] = {}
    for index, mention in enumerate(mentions):
        if mention.kind not in ("noun", "name") or mention.lemma in agreement.INDEFINITE:
            continue
        earlier = by_lemma.setdefault(mention.lemma, [])
        if mention.kind == "noun" and mention.definite:
            here = parsed.sentence[mention.head]
            for other in reversed(earlier[-20:]):
                before = mentions[other]
                if here - parsed.sentence[before.head] > reach:
                    break
                if _matches(mention, before, entities, other) and not _nested(mention, before):
                    entities.join(other, index)
                    break
        earlier.append(index)
        for alias in entities.entity_of[index].heads - {mention.lemma}:
            by_lemma.setdefault(alias, []).append(index)


def _matches(mention: Mention, before: Mention, entities: Entities, other: int) -> bool:
    if mention.number != before.number and "?" not in (mention.number, before.number):
        return False
    known = entities.entity_of[other].modifiers
    if before.kind == "name" and before.entity_type != "PERSON" and mention.kind == "noun":
        return mention.lemma == before.lemma and not mention.modifiers
    return mention.modifiers <= known


def _nested(first: Mention, second: Mention) -> bool:
    """Whether one stands within the other: a thing is no part of itself."""
    return first.start <= second.head < first.end or second.start <= first.head < second.end
