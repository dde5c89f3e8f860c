"""First and second persons: "I" in a quotation is its speaker, outside it the narrator, or in a
dialogue the sender of the message; "you" is there whom the message addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabula.text.coref import Resolved, Span
from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention
from fabula.text.lexicon import PERSONAL_PRONOUNS, QUOTATION_MARKS, SPEECH_VERBS
from fabula.text.parse.parsed import Parsed

__all__ = [
    "Dialogue",
    "Speakers",
    "assign_speakers",
    "join_speakers",
    "quotations",
    "speaker_of",
]


def quotations(parsed: Parsed) -> list[tuple[int, int]]:
    """The token spans of quotations; one that is never closed is left out."""
    spans, opened = [], -1
    for token, word in enumerate(parsed.words):
        if word in ("“", "``") or (word == '"' and opened < 0):
            opened = token
        elif word in ("”", "''", '"') and opened >= 0:
            spans.append((opened, token + 1))
            opened = -1
    return spans


def join_speakers(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    by_head: dict[int, int],
    *,
    quoted: bool = True,
) -> None:
    """Join first persons: inside a quotation with its speaker, outside with one narrator.

    Without ``quoted`` those in quotations are left alone.
    """
    spans = quotations(parsed)
    heads = (speaker_of(parsed, start, end) for start, end in spans)
    speakers = [None if head is None else by_head.get(head) for head in heads]
    narrator: dict[str, int] = {}
    last: int | None = None
    current = 0
    for index, mention in enumerate(mentions):
        while current < len(spans) and spans[current][1] <= mention.head:
            last = speakers[current] if speakers[current] is not None else last
            current += 1
        if mention.person != 1:
            continue
        inside = current < len(spans) and spans[current][0] < mention.head
        if inside and not quoted:
            continue
        if inside:
            speaker = speakers[current] if speakers[current] is not None else last
            if speaker is not None and mention.number == "s":
                entities.join(speaker, index)
            elif speaker is not None:
                key = f"{speaker}{mention.number}"
                entities.join(narrator.setdefault(key, index), index)
        else:
            entities.join(narrator.setdefault(mention.number, index), index)


def speaker_of(parsed: Parsed, start: int, end: int) -> int | None:
    """The head token of the subject of the verb of speaking next to a quotation."""
    number = parsed.sentence[start]
    first = parsed.starts[number]
    closing = parsed.sentence[min(end, len(parsed) - 1)]
    last = parsed.starts[closing + 1] if closing + 1 < len(parsed.starts) else len(parsed)
    after = _outside(parsed, range(end, min(last, end + 12)))
    before = _outside(parsed, range(start - 1, max(first, start - 15) - 1, -1))
    near = [*after, *before]
    for token in near:
        if parsed.lemmas[token] in SPEECH_VERBS and parsed.tags[token].startswith("VB"):
            for child in parsed.children[token]:
                outside = not start <= child < end
                if parsed.labels[child] == "nsubj" and outside and _is_nominal(parsed, child):
                    return int(child)
    return None


def _outside(parsed: Parsed, tokens: range) -> list[int]:
    """The tokens up to the next quotation, whose verb of speaking is another's."""
    marks = (token for token in tokens if parsed.words[token] in QUOTATION_MARKS)
    stop = next(marks, None)
    return list(tokens) if stop is None else list(range(tokens.start, stop, tokens.step))


def _is_nominal(parsed: Parsed, token: int) -> bool:
    return parsed.tags[token].startswith(("NN", "PRP"))


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who says a sentence, to whom, and how sure it is that it is to them."""

    speaker: str | None = None
    addressee: str | None = None
    certainty: float = 1.0


class Dialogue(NamedTuple):
    """What was resolved, and by number of the cluster the name of each known person."""

    resolved: Resolved
    names: Mapping[int, str]


def assign_speakers(
    parsed: Parsed, resolved: Resolved, speakers: Sequence[Speakers | None]
) -> Dialogue:
    """First and second persons outside quotations as the people whom the messages name.

    ``speakers`` has an entry for each sentence of the parse, None where nobody is known to speak.
    Mentions of a person by the sender's whole name, or by a word of it that no other has, join. A
    "you" to nobody known is nobody's.
    """
    people = {name for s in speakers if s for name in (s.speaker, s.addressee) if name}
    called = _calls(people)
    quoted = {token for start, end in quotations(parsed) for token in range(start, end)}
    certainty = dict(resolved.certainty)
    mentions: dict[str, list[Span]] = {name: [] for name in sorted(people)}
    clusters: list[tuple[Span, ...]] = []
    for spans in resolved.clusters:
        kept: list[Span] = []
        known: set[str] = set()
        for span in spans:
            said_by = speakers[parsed.sentence[span.head]]
            form = PERSONAL_PRONOUNS.get(parsed.words[span.head].lower())
            person = 3 if form is None or form.number == "p" else form.person
            if said_by is None or person == 3 or span.head in quoted:
                kept.append(span)
                if name := called.get(_text(parsed, span)):
                    known.add(name)
            elif person == 1 and said_by.speaker:
                mentions[said_by.speaker].append(span)
            elif person == 2 and said_by.addressee:
                mentions[said_by.addressee].append(span)
                certainty[span.head] = said_by.certainty
            else:
                clusters.append((span,))
        if len(known) == 1:
            mentions[known.pop()] += kept
        elif kept:
            clusters.append(tuple(kept))
    names: dict[int, str] = {}
    for name, spans_of in mentions.items():
        if spans_of:
            names[len(clusters)] = name
            clusters.append(tuple(sorted(spans_of)))
    return Dialogue(Resolved(clusters, certainty), names)


def _calls(people: set[str]) -> dict[str, str]:
    """Lower-case forms by which one person alone is named: the name and its capitalised words."""
    owners: dict[str, set[str]] = {}
    for name in people:
        parts = [part for part in name.split() if part[:1].isupper()]
        for form in {name, *parts}:
            owners.setdefault(form.lower(), set()).add(name)
    return {form: names.pop() for form, names in owners.items() if len(names) == 1}


def _text(parsed: Parsed, span: Span) -> str:
    return parsed.span_text(span.start, span.end).strip(" @:,.!?").lower()
