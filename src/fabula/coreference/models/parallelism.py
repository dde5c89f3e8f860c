"""Parallelism (Webster et al. 2018, section 5.1): the nearest candidate with the pronoun's role.

Of a subject or object pronoun it is the nearest candidate with the same grammatical role; of any
other, or where there is none, the candidate nearest in the syntax tree. On GAP the candidates are
the two names asked about, as in the paper; elsewhere the names of persons before the pronoun.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.coreference.items import Passage, Question, Resolution, Span
from fabula.coreference.parsing import parse_passages
from fabula.text.coref.mentions import find_mentions
from fabula.text.parse.parsed import Parsed

__all__ = ["Parallelism"]

_SUBJECT, _OBJECT = frozenset(("nsubj", "nsubjpass")), frozenset(("dobj",))
_FAR = 1000  # steps in the tree that a sentence boundary counts for


class Parallelism:
    """The heuristic GAP's authors found best; no agreement but gender where names give it."""

    def resolve(self, passages: Sequence[Passage]) -> list[Resolution]:
        answers = []
        for passage, parsed in zip(passages, parse_passages(passages), strict=True):
            if passage.question is not None:
                answers.append(Resolution(names=_chosen_names(parsed, passage.question)))
            else:
                answers.append(Resolution(_clusters(parsed)))
        return answers


def _chosen_names(parsed: Parsed, question: Question) -> tuple[float, ...]:
    pronoun = _head(parsed, question.pronoun)
    heads = [_head(parsed, name) for name in question.names]
    chosen = _choose(parsed, pronoun, heads)
    return tuple(float(number == chosen) for number in range(len(heads)))


def _head(parsed: Parsed, span: Span) -> int:
    """The token of a span of characters whose own head lies outside it."""
    inside = [
        token
        for token, start in enumerate(parsed.offsets)
        if start < span[1] and start + len(parsed.words[token]) > span[0]
    ]
    return next((t for t in inside if parsed.heads[t] not in inside or parsed.heads[t] == t), 0)


def _choose(parsed: Parsed, pronoun: int, candidates: Sequence[int]) -> int:
    """The number of the candidate (a head token) that the pronoun is taken to mean."""
    role = parsed.labels[pronoun]
    for roles in (_SUBJECT, _OBJECT):
        if role in roles:
            parallel = [i for i, head in enumerate(candidates) if parsed.labels[head] in roles]
            if parallel:
                return min(parallel, key=lambda i: abs(pronoun - candidates[i]))
    return min(range(len(candidates)), key=lambda i: _tree_distance(parsed, pronoun, candidates[i]))


def _tree_distance(parsed: Parsed, one: int, other: int) -> tuple[int, int]:
    """Steps between two tokens in the syntax tree; sentences hang one below the other."""
    apart = abs(parsed.sentence[one] - parsed.sentence[other])
    up, down = _path(parsed, one), _path(parsed, other)
    if apart:
        return len(up) + len(down) + _FAR * apart, abs(one - other)
    common = next(token for token in up if token in down)
    return up.index(common) + down.index(common), abs(one - other)


def _path(parsed: Parsed, token: int) -> list[int]:
    path = [token]
    while parsed.heads[path[-1]] != path[-1]:
        path.append(parsed.heads[path[-1]])
    return path


def _clusters(parsed: Parsed) -> tuple[tuple[Span, ...], ...]:
    """Names by their last word, and each gendered pronoun with the candidate chosen for it."""
    names: dict[int, str] = {}  # head token -> last word of the name
    spans: dict[str, list[Span]] = {}
    for mention in find_mentions(parsed):
        last = mention.end - 1
        span = parsed.offsets[mention.start], parsed.offsets[last] + len(parsed.words[last])
        if mention.kind == "name" and mention.entity_type == "PERSON":
            names[mention.head] = mention.words[-1]
            spans.setdefault(mention.words[-1], []).append(span)
        elif mention.kind == "pronoun" and mention.gender in ("m", "f") and names:
            recent = list(names)[-8:]
            chosen = recent[_choose(parsed, mention.head, recent)]
            spans[names[chosen]].append(span)
    return tuple(tuple(dict.fromkeys(cluster)) for cluster in spans.values())
