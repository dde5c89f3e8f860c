"""First-person pronouns: "I" in a quotation is its speaker, outside it the narrator."""

from __future__ import annotations

from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention
from fabula.text.lexicon import SPEECH_VERBS
from fabula.text.parse.parsed import Parsed

__all__ = ["join_speakers", "quotations", "speaker_of"]


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
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int]
) -> None:
    """Join first persons: inside a quotation with its speaker, outside with one narrator."""
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
    near = [*range(end, min(last, end + 12)), *range(start - 1, max(first, start - 15) - 1, -1)]
    for token in near:
        if parsed.lemmas[token] in SPEECH_VERBS and parsed.tags[token].startswith("VB"):
            for child in parsed.children[token]:
                outside = not start <= child < end
                if parsed.labels[child] == "nsubj" and outside and _is_nominal(parsed, child):
                    return int(child)
    return None


def _is_nominal(parsed: Parsed, token: int) -> bool:
    return parsed.tags[token].startswith(("NN", "PRP"))
