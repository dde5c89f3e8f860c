"""Full phrases of mentions: the noun with everything that belongs to it, as annotators mark it."""

from __future__ import annotations

from fabula.text.coref import Span
from fabula.text.parse.parsed import Parsed

__all__ = ["full_span"]

_AFTER = frozenset("prep relcl acl".split())


def full_span(parsed: Parsed, mention: Span) -> tuple[int, int]:
    """The tokens ``[start, end)`` of a mention with the phrases and clauses after its head."""
    if parsed.tags[mention.head].startswith("PRP"):
        return mention.start, mention.end
    end = mention.end
    for child in parsed.children[mention.head]:
        if child < end or parsed.labels[child] not in _AFTER:
            continue
        first, last = parsed.subtree(child)
        if first == end:  # after a comma it says something more of it, and is no part of the name
            end = last
    return mention.start, end
