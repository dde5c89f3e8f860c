"""Features of an anaphor and each of its candidates: distance, role, salience, agreement."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from math import log1p

import numpy as np
from numpy.typing import NDArray

from fabula.text.coref.entities import Entity
from fabula.text.coref.learned.candidates import Candidate
from fabula.text.coref.learned.syntax import ROLES, SUBJECTS, Syntax
from fabula.text.coref.mentions import Mention
from fabula.text.parse.parsed import Parsed

__all__ = ["FEATURES", "Genders", "name_gender", "pair_features"]

Floats = NDArray[np.float32]
Genders = Mapping[str, float]  # first name -> log-odds of a man against a woman

_ANAPHORS = ("he", "they", "it", "the")
_KINDS = ("name", "noun", "pronoun", "group")
_DISTANCES = (0, 1, 2, 3)

FEATURES = (
    *(f"anaphor {kind}" for kind in _ANAPHORS),
    "anaphor subject", "anaphor object", "anaphor possessive", "anaphor opens sentence",
    "anaphor quoted", "anaphor depth", "candidates", "first sentence", "anaphor fronted",
    "speaker known",
    *(f"distance {n}" for n in _DISTANCES), "far", "words between", "recency rank", "ahead",
    *(f"role {role}" for role in ROLES), "role other",
    *(f"kind {kind}" for kind in _KINDS),
    "same role", "both subjects", "both objects", "same clause", "commands", "own subject",
    "clause subject", "governing subject", "same quotation", "depth",
    "mentions", "subject mentions", "share of mentions", "last sentence subject",
    "sentence subject", "topic", "opens text", "only name", "persons known",
    "person", "organisation", "place", "animate", "thing", "gender known", "gender by name",
    "gender by pronoun", "gender against", "number known", "plural", "definite",
    "subject ahead", "subject ahead is another", "speaker", "understood subject",
    "not understood subject", "apposition", "subject distance", "last mention subject",
    "named in sentence", "by name twice", "parallel verb", "genitive",
    "conjunct", "same head verb", "titled alike", "nearest", "nearest subject", "most mentions",
)  # fmt: skip


def pair_features(
    parsed: Parsed,
    syntax: Syntax,
    mentions: Sequence[Mention],
    index: int,
    candidates: Sequence[Candidate],
    genders: Genders,
    by_head: Mapping[int, int],
) -> Floats:
    """A row of ``FEATURES`` for each candidate of the anaphor at ``index``.

    ``by_head`` has the mention of each head token.
    """
    rows = [
        _row(parsed, syntax, mentions, index, candidate, genders, by_head, rank, len(candidates))
        for rank, candidate in enumerate(candidates)
    ]
    table = np.array(rows, dtype=np.float32).reshape(len(candidates), len(FEATURES))
    _add_ranks(table)
    return table


_AT = {name: place for place, name in enumerate(FEATURES)}


def _add_ranks(table: Floats) -> None:
    """Mark which candidate is the nearest, the nearest subject, and the most mentioned."""
    if not len(table):
        return
    subject = (table[:, _AT["role nsubj"]] + table[:, _AT["role nsubjpass"]] > 0).nonzero()[0]
    table[0, _AT["nearest"]] = 1
    if len(subject):
        table[subject[0], _AT["nearest subject"]] = 1
    table[table[:, _AT["mentions"]].argmax(), _AT["most mentions"]] = 1


def _row(
    parsed: Parsed,
    syntax: Syntax,
    mentions: Sequence[Mention],
    index: int,
    candidate: Candidate,
    genders: Genders,
    by_head: Mapping[int, int],
    rank: int,
    count: int,
) -> list[float]:
    mention, before = mentions[index], mentions[candidate.nearest]
    entity = candidate.entity
    token, other = mention.head, before.head
    here, there = parsed.sentence[token], parsed.sentence[other]
    distance = abs(here - there)
    role, role_before = syntax.role(token), syntax.role(other)
    subject = role in SUBJECTS
    possessive = parsed.tags[token] == "PRP$"
    seen = bisect_left(entity.mentions, index)
    earlier = entity.mentions[max(0, seen - 12) : seen]
    subjects = sum(syntax.role(mentions[i].head) in SUBJECTS for i in earlier)
    clause = syntax.clause(token)
    same_clause = distance == 0 and clause == syntax.clause(other)
    is_subject = role_before in SUBJECTS
    recent_sentences = {parsed.sentence[mentions[i].head] for i in earlier[-4:]}
    by_role = [
        (parsed.sentence[mentions[i].head], syntax.role(mentions[i].head) in SUBJECTS)
        for i in earlier[-6:]
    ]
    first = entity.mentions[0]
    gendered = mention.gender in ("m", "f")
    sign = 1.0 if mention.gender == "m" else -1.0
    name_odds = name_gender(entity, genders) if gendered else 0.0
    by_pronoun = any(
        mentions[i].kind == "pronoun" and mentions[i].gender == mention.gender for i in earlier[-8:]
    )

    def is_member(head: int) -> bool:
        found = by_head.get(head, -1)
        place = bisect_left(entity.mentions, found)
        return entity.mentions[place : place + 1] == [found]

    ahead, speaker = syntax.subject_ahead(token), syntax.speaker(token)
    understood = -1 if possessive or mention.reflexive else syntax.understood_subject(token)
    as_subject = [i for i in earlier[-6:] if syntax.role(mentions[i].head) in SUBJECTS]
    last_subject = here - parsed.sentence[mentions[as_subject[-1]].head] if as_subject else 9
    named = [i for i in earlier[-8:] if mentions[i].kind == "name"]
    verb, verb_before = parsed.lemmas[clause], parsed.lemmas[syntax.clause(other)]
    titled = any(mention.lemma in mentions[i].titles for i in entity.mentions[: min(seen, 4)])
    kind = "he" if gendered else "they" if mention.number == "p" else "it"
    if mention.kind == "noun":
        kind = "the"
    return [
        *(float(kind == known) for known in _ANAPHORS),
        subject, role in ("dobj", "pobj", "dative"), possessive,
        token == parsed.starts[here], syntax.quotation[token] > 0,
        min(syntax.depth(token), 4) / 4, log1p(count) / 2, here == 0, ahead >= 0, speaker >= 0,
        *(float(distance == known) for known in _DISTANCES), distance > 3,
        log1p(abs(token - other)) / 4, min(rank, 8) / 4, candidate.ahead,
        *(float(role_before == known) for known in ROLES), role_before not in ROLES,
        *(float(before.kind == known) for known in _KINDS),
        role == role_before, subject and is_subject,
        role in ("dobj", "pobj") and role_before in ("dobj", "pobj"),
        same_clause, distance == 0 and syntax.commands(other, token),
        same_clause and is_subject and not subject,
        distance == 0 and is_subject and syntax.clause(other) in syntax.path(token),
        distance == 0 and is_subject and parsed.heads[other] == parsed.heads[clause],
        syntax.quotation[token] == syntax.quotation[other],
        min(syntax.depth(other), 4) / 4,
        log1p(seen) / 2, log1p(subjects) / 2, seen / (index + 1),
        (here - 1, True) in by_role, (here, True) in by_role,
        here - 1 in recent_sentences and here in recent_sentences,
        first <= 1, count == 1, seen > 1,
        "PERSON" in entity.entity_types, "ORG" in entity.entity_types,
        bool(entity.entity_types & {"GPE", "LOC", "FAC"}),
        True in entity.animate, False in entity.animate,
        mention.gender in entity.genders, sign * name_odds, by_pronoun,
        gendered and bool(entity.genders - {mention.gender, "n"}),
        bool(entity.numbers), "p" in entity.numbers or entity.group, before.definite,
        is_member(ahead), ahead >= 0 and not is_member(ahead), is_member(speaker),
        is_member(understood), understood >= 0 and not is_member(understood),
        parsed.labels[other] == "appos", log1p(min(last_subject, 9)) / 2,
        bool(earlier) and role_before in SUBJECTS and before.kind == "pronoun",
        any(parsed.sentence[mentions[i].head] == here for i in named), len(named) > 1,
        distance == 1 and verb == verb_before, parsed.labels[other] == "poss",
        parsed.labels[other] == "conj",
        distance == 0 and parsed.heads[other] == parsed.heads[token],
        mention.kind == "noun" and titled,
        0.0, 0.0, 0.0,
    ]  # fmt: skip


def name_gender(entity: Entity, genders: Genders) -> float:
    """The strongest log-odds, of a man against a woman, of the first names of an entity."""
    odds = [genders.get(words[0], 0.0) for words in entity.full_names if words]
    return max(odds, key=abs, default=0.0)
