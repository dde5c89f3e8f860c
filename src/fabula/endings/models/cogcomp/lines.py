"""The events and content words (nouns and verbs) of a line of a story."""

from __future__ import annotations

from dataclasses import dataclass

from fabula.events.extract.extraction import extract
from fabula.events.items import Event
from fabula.text.parse.memo import ParseMemo
from fabula.text.parse.parsed import Parsed

__all__ = ["Line", "read_lines"]

_CAPACITY = 200_000  # lines kept: folds read the same ones again and again


@dataclass(frozen=True, slots=True)
class Line:
    """Events in the order of the text; lemmas of nouns and verbs."""

    events: tuple[Event, ...]
    words: tuple[str, ...]


def _line(parsed: Parsed) -> Line:
    """The frames of our extractor, and what somebody *is*: "he was happy" is ``be_happy``."""
    located_events = [
        (
            frame.token,
            _event(frame.verb, "obj" if "subj" not in frame.roles else "subj", frame.negated),
        )
        for frame in extract(parsed)
    ]
    for token, label in enumerate(parsed.labels):
        head = parsed.heads[token]
        if label in ("acomp", "attr") and parsed.lemmas[head].lower() == "be":
            negated = any(parsed.labels[child] == "neg" for child in parsed.children[head])
            located_events.append(
                (token, _event(f"be_{parsed.lemmas[token].lower()}", "subj", negated))
            )
    words = tuple(
        lemma.lower()
        for lemma, tag in zip(parsed.lemmas, parsed.tags, strict=True)
        if tag in ("NN", "NNS", "NNP", "NNPS") or tag.startswith("VB")
        if lemma.lower() not in ("be", "have", "do")
    )
    return Line(
        tuple(event for _, event in sorted(located_events, key=lambda pair: pair[0])), words
    )


def _event(verb: str, slot: str, negated: bool) -> Event:
    # What did not happen is another event, and often the mark of a wrong ending.
    return Event(f"not_{verb}" if negated else verb, slot)


read_lines = ParseMemo(lambda doc: _line(Parsed.of(doc)), capacity=_CAPACITY, ner=False)
"""The lines by their text; each text is parsed once a process."""
