"""Coreference clusters -> entity names: the fullest proper name, else the first description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fabula.text.coref import Span
from fabula.text.coref.proper_names import is_name, name_run
from fabula.text.parse.parsed import Parsed

__all__ = ["name_entities"]

_MAX_LENGTH = 40  # characters: a name is to be read at a glance


def name_entities(
    parsed: Parsed, clusters: Sequence[tuple[Span, ...]], longest: int = _MAX_LENGTH
) -> list[str]:
    """A name for each coreference cluster, unique within the document, cut to ``longest``."""
    taken = set[str]()
    repeats: Counter[str] = Counter()
    names = []
    for spans in clusters:
        name = plain = _name(parsed, spans, longest)
        while name in taken:  # "a man" again, and somebody else
            repeats[plain] += 1
            name = f"{plain} ({repeats[plain] + 1})"
        taken.add(name)
        names.append(name)
    return names


def _name(parsed: Parsed, spans: Sequence[Span], longest: int) -> str:
    named = [span for span in spans if is_name(parsed, span.head)]
    nouns: list[Span] = []
    if named:
        best = max(named, key=lambda span: (min(_proper_words(parsed, span), 4), -span.start))
    else:
        nouns = [span for span in spans if not parsed.tags[span.head].startswith("PRP")]
        best = min(nouns or spans, key=lambda span: span.start)
    start, end = best.start, best.end
    proper = bool(named)
    if proper:
        start = max(start, name_run(parsed, best.head))
    while proper and start < best.head and _is_outside(parsed, start):
        start += 1
    text = parsed.span_text(start, end)
    if not proper and not nouns:
        text = text.lower() if text != "I" else text
    opens = start in parsed.starts and not is_name(parsed, start)
    capital = parsed.words[start][:1].isupper() and not parsed.words[start][1:].isupper()
    if not proper and capital and opens:
        text = text[:1].lower() + text[1:]
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _proper_words(parsed: Parsed, span: Span) -> int:
    return sum(is_name(parsed, token) for token in range(span.start, span.end))


def _is_outside(parsed: Parsed, token: int) -> bool:
    """Whether a word before a name is no part of it: an article, or "managing director"."""
    if is_name(parsed, token):
        return False
    named = parsed.names[token]
    if parsed.tags[token] == "JJ":  # "the [Syrian Army]"
        return not named or not parsed.words[token].istitle()
    return parsed.tags[token] in ("DT", "PRP$", "POS") or not named
