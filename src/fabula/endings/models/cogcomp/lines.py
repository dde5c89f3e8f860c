"""The events and content words (nouns and verbs) of a line of a story."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabula.events.extract.extraction import extract
from fabula.events.items import Event
from fabula.text.parse.parsed import Parsed

__all__ = ["Line", "read_lines"]

_MOST = 200_000  # lines kept: folds read the same ones again and again
_kept: dict[str, Line] = {}


@dataclass(frozen=True, slots=True)
class Line:
    """Events in the order of the text; lemmas of nouns and verbs."""

    events: tuple[Event, ...]
    words: tuple[str, ...]


def read_lines(texts: Iterable[str]) -> dict[str, Line]:
    """The lines by their text; each text is parsed once a process."""
    from fabula.text.parse.pipeline import Parser

    wanted = list(dict.fromkeys(texts))
    new = [text for text in wanted if text not in _kept]
    if len(_kept) + len(new) > _MOST:
        _kept.clear()
        new = wanted
    found = Parser(ner=False).each(lambda doc: _line(Parsed.of(doc)), new)
    _kept.update(zip(new, found, strict=True))
    return {text: _kept[text] for text in wanted}


def _line(parsed: Parsed) -> Line:
    """The frames of our extractor, and what somebody *is*: "he was happy" is ``be_happy``."""
    found = [
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
            found.append((token, _event(f"be_{parsed.lemmas[token].lower()}", "subj", negated)))
    words = tuple(
        lemma.lower()
        for lemma, tag in zip(parsed.lemmas, parsed.tags, strict=True)
        if tag in ("NN", "NNS", "NNP", "NNPS") or tag.startswith("VB")
        if lemma.lower() not in ("be", "have", "do")
    )
    return Line(tuple(event for _, event in sorted(found, key=lambda pair: pair[0])), words)


def _event(verb: str, slot: str, negated: bool) -> Event:
    # What did not happen is another event, and often the mark of a wrong ending.
    return Event(f"not_{verb}" if negated else verb, slot)
