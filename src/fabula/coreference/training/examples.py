"""Labelled anaphors: passages of GAP and CoNLL in, features and right candidates out.

The entities an anaphor sees are those the resolver would have built: names and nouns joined by
rule. Earlier pronouns are linked as gold says (CoNLL) or, in GAP, which labels one pronoun a text,
by the sieve's salience first and then by the scorer that was trained on that.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fabula.coreference.items import Passage, Span
from fabula.coreference.parsing import full_span
from fabula.text.coref import Span as TokenSpan
from fabula.text.coref import agreement
from fabula.text.coref.entities import Entities
from fabula.text.coref.learned.candidates import candidates_of, is_anaphor
from fabula.text.coref.learned.features import Genders, pair_features
from fabula.text.coref.learned.network import Scorer
from fabula.text.coref.learned.resolver import Learned, Model, Pass
from fabula.text.coref.learned.syntax import Syntax
from fabula.text.coref.mentions import Mention, find_mentions
from fabula.text.coref.pronouns import best_antecedent
from fabula.text.coref.reflexives import join_reflexive
from fabula.text.coref.rules import join_by_rules
from fabula.text.parse.parsed import Parsed

__all__ = ["Anaphor", "cluster_anaphors", "gap_anaphor", "learn_genders", "learn_nouns"]

_MAX_ODDS = 3.0
_LISTED = 8.0  # what a name of the hand-written lists counts
_LEAST_LINK = 0.35  # of the earlier pronouns of GAP
_USUAL = 0.15  # the share of all common nouns
_LEAST_ODDS = 0.6  # names below say too little to be kept


@dataclass(slots=True)
class Anaphor:
    """An anaphor and its candidates. ``right`` are the candidates that are its antecedent;
    ``wrong`` are those known not to be, where no more is known (GAP)."""

    features: NDArray[np.float32]
    right: list[int]
    wrong: list[int] = field(default_factory=list)
    weight: float = 1.0
    names: tuple[int | None, ...] = ()  # GAP: which candidate each name is
    gold: tuple[bool, ...] = ()
    gender: str = ""


def gap_anaphor(
    passage: Passage, parsed: Parsed, genders: Genders, scorer: Scorer | None = None
) -> Anaphor | None:
    """The pronoun of a GAP passage; None where it is no mention or has no candidate.

    Earlier pronouns are linked by salience, or by a scorer that was trained on such links.
    """
    question = passage.question
    if question is None or question.gold is None:
        return None
    mentions, entities, by_head = join_by_rules(parsed, quoted=False)
    target = by_head.get(_tokens(parsed, question.pronoun)[-1])
    if target is None:
        return None
    syntax = Syntax(parsed)
    if scorer is None:
        _link_by_salience(parsed, mentions, entities, by_head, target)
    else:
        model = Model(genders, scorer)
        reading = Pass(parsed, model, Learned(least=_LEAST_LINK))
        reading.link(target)
        mentions, entities = reading.mentions, reading.entities
    candidates = candidates_of(parsed, syntax, mentions, entities, target)
    if not candidates:
        return None
    names: list[int | None] = []
    for name in question.names:
        inside = [by_head[t] for t in _tokens(parsed, name) if t in by_head]
        here = (n for n, c in enumerate(candidates) if inside and inside[-1] in c.entity.mentions)
        names.append(next(here, None))
    right = [n for n, gold in zip(names, question.gold, strict=True) if gold and n is not None]
    wrong = [
        n
        for n, gold in zip(names, question.gold, strict=True)
        if not gold and n is not None and n not in right
    ]
    lost = any(question.gold) and not right  # the name meant is no candidate: nothing to learn
    return Anaphor(
        pair_features(parsed, syntax, mentions, target, candidates, genders, by_head),
        sorted(set(right)),
        wrong,
        weight=0.0 if lost or not (right or wrong) else 1.0,
        names=tuple(names),
        gold=question.gold,
        gender=mentions[target].gender,
    )


def _link_by_salience(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    by_head: dict[int, int],
    target: int,
) -> None:
    for index in range(target):
        mention = mentions[index]
        if mention.kind != "pronoun" or mention.person != 3:
            continue
        bound = mention.reflexive and join_reflexive(parsed, mentions, entities, by_head, index)
        antecedent = None if bound else best_antecedent(parsed, mentions, entities, index, 3)
        if antecedent is not None:
            entities.join(antecedent, index)


def cluster_anaphors(passage: Passage, parsed: Parsed, genders: Genders) -> Iterator[Anaphor]:
    """All anaphors of a passage with gold clusters, each after the earlier ones were linked."""
    mentions, entities, by_head = join_by_rules(parsed, quoted=False)
    syntax = Syntax(parsed)
    gold_of = {
        span: number for number, cluster in enumerate(passage.clusters or ()) for span in cluster
    }
    gold = [gold_of.get(_characters(parsed, TokenSpan(m.start, m.end, m.head))) for m in mentions]
    sizes = Counter(gold)
    for index, mention in enumerate(mentions):
        if not is_anaphor(mention, entities.entity_of[index]):
            continue
        mine = gold[index]
        if mention.reflexive and join_reflexive(parsed, mentions, entities, by_head, index):
            continue
        candidates = candidates_of(parsed, syntax, mentions, entities, index)
        right = []
        for number, candidate in enumerate(candidates):
            votes = Counter(
                gold[i] for i in candidate.entity.mentions if i < index or candidate.ahead
            )
            most = votes.most_common(1)[0][0] if votes else None
            if mine is not None and mine in (most, gold[candidate.nearest]):
                right.append(number)
        if candidates:
            annotated = mine is not None and sizes[mine] > 1
            yield Anaphor(
                pair_features(parsed, syntax, mentions, index, candidates, genders, by_head),
                right,
                # What nobody annotated may still mean something (a thing, an idea).
                weight=1.0 if right else 0.5 if annotated or mention.kind == "noun" else 0.3,
                gender=mention.gender,
            )
        if right:
            entities.join(candidates[right[0]].nearest, index)
        elif mine is not None:
            before = [i for i in range(max(0, index - 60), index) if gold[i] == mine]
            if before and mentions[before[-1]].kind == "pronoun":
                entities.join(before[-1], index)


def learn_genders(
    gap: Sequence[Passage], clustered: Sequence[tuple[Passage, Parsed]]
) -> dict[str, float]:
    """Log-odds of a man against a woman of first names: GAP's pronouns, clusters, and lists."""
    counts: dict[str, list[float]] = defaultdict(lambda: [0.5, 0.5])
    for passage in gap:
        if passage.question is None:
            continue
        start, end = passage.question.pronoun
        female = passage.text[start:end].lower() in ("she", "her", "hers", "herself")
        gold = passage.question.gold or (False, False)
        for (first, last), meant in zip(passage.question.names, gold, strict=True):
            words = passage.text[first:last].lower().split()
            if len(words) > 1:  # both names were chosen to fit the pronoun
                counts[words[0]][female] += 1.0 if meant else 0.5
    for passage, parsed in clustered:
        mentions, _, _ = join_by_rules(parsed)
        by_span = {_characters(parsed, TokenSpan(m.start, m.end, m.head)): m for m in mentions}
        for cluster in passage.clusters or ():
            known = [by_span[span] for span in cluster if span in by_span]
            he, she = (sum(m.kind == "pronoun" and m.gender == g for m in known) for g in "mf")
            if he + she < 2 or min(he, she) > 0.2 * (he + she):
                continue
            for word in sorted({m.words[0] for m in known if m.kind == "name" and m.words}):
                counts[word][she > he] += 2.0
    for column, names in enumerate((agreement.MALE_NAMES, agreement.FEMALE_NAMES)):
        for word in names:
            counts[word][column] += _LISTED
    odds = {word: math.log(he / she) for word, (he, she) in sorted(counts.items())}
    return {
        word: round(max(-_MAX_ODDS, min(_MAX_ODDS, value)), 2)
        for word, value in odds.items()
        if abs(value) > _LEAST_ODDS
    }


def learn_nouns(clustered: Sequence[tuple[Passage, Parsed]]) -> dict[str, float]:
    """Lemma of a noun -> the share of its mentions that is in clusters, drawn to what is usual."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for passage, parsed in clustered:
        gold = {span for cluster in passage.clusters or () for span in cluster}
        for mention in find_mentions(parsed):
            if mention.kind == "noun":
                span = TokenSpan(mention.start, mention.end, mention.head)
                counts[mention.lemma][_characters(parsed, span) in gold] += 1
    return {
        lemma: round((yes + _USUAL) / (yes + no + 1), 2)
        for lemma, (no, yes) in sorted(counts.items())
        if yes
    }


def _tokens(parsed: Parsed, span: Span) -> list[int]:
    inside = [
        token
        for token, start in enumerate(parsed.offsets)
        if start < span[1] and start + len(parsed.words[token]) > span[0]
    ]
    return inside or [0]


def _characters(parsed: Parsed, mention: TokenSpan) -> Span:
    start, end = full_span(parsed, mention)
    return parsed.offsets[start], parsed.offsets[end - 1] + len(parsed.words[end - 1])
