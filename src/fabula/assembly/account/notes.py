"""Notes: an assembly's stories in, one-line warnings about them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fabula.core.html import counted
from fabula.text.segment.language import looks_english
from fabula.types import Aside, Narrative

__all__ = ["aside_notes", "inseparable_notes", "number_notes", "pile_notes"]

_SURE_NUMBER = 0.9
_SHOWN = 5  # documents named
_UNCOUNTABLE = frozenset({"boilerplate", "code", "front matter", "html"})
_UNSURE = 0.6  # probability below which a sentence may belong to its runner-up story


def pile_notes(sentences: Sequence[str], separable: bool, names: Sequence[str] = ()) -> list[str]:
    """Warnings about the whole pile: not English, or stories not separable.

    ``names`` are those of the sentences' documents.
    """
    notes = []
    if not looks_english(" ".join(sentences)):
        notes.append("The text does not look English; fabula reads English only.")
    elif foreign := _not_english(sentences, names):
        shown = ", ".join(foreign[:_SHOWN])
        more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
        does = "does" if len(foreign) == 1 else "do"
        notes.append(f"{shown}{more} {does} not look English; fabula reads English only.")
    if not separable:
        notes.append("The stories cannot be separated with any confidence.")
    return notes


def _not_english(sentences: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names of the documents whose text does not look English."""
    texts: dict[str, list[str]] = {}
    for name, sentence in zip(names, sentences, strict=False):
        texts.setdefault(name, []).append(sentence)
    return [name for name, told in texts.items() if not looks_english(" ".join(told))]


def number_notes(numbers: Sequence[tuple[int, float]]) -> list[str]:
    """The next likely number of stories, where the one found is not certain.

    >>> number_notes([(3, 0.7), (2, 0.2), (4, 0.1)])
    ['3 stories were found (70 % sure); the next likely number is 2.']
    >>> number_notes([(3, 0.99), (2, 0.01)])
    []
    """
    if len(numbers) < 2 or numbers[0][1] >= _SURE_NUMBER:
        return []
    (found, probability), (runner_up, _) = numbers[:2]
    stories = "story was" if found == 1 else "stories were"
    return [
        f"{found} {stories} found ({probability:.0%} sure); the next likely number is "
        f"{runner_up}.".replace("%", " %")
    ]


def aside_notes(aside: Iterable[Aside]) -> list[str]:
    """How much text was set aside, by kind.

    >>> aside_notes([Aside("boilerplate", "Menu"), Aside("quote", ">", 4), Aside("quote", ">", 5)])
    ['Set aside: 1 passage of boilerplate, 2 quotes.']
    """
    kinds = Counter(part.kind for part in aside)
    parts = ", ".join(
        f"{counted(number, 'passage')} of {kind}" if kind in _UNCOUNTABLE else counted(number, kind)
        for kind, number in sorted(kinds.items())
    )
    return [f"Set aside: {parts}."] if parts else []


def inseparable_notes(stories: Sequence[Narrative]) -> list[str]:
    """A warning for each two stories where most sentences of one may belong to the other."""
    pairs = set()
    numbers = {story.id for story in stories}
    for story in stories:
        unsure = [p for p in story.sentences if p.probability < _UNSURE and p.runner_up]
        for other, confused in Counter(p.runner_up for p in unsure).items():
            if other in numbers and confused > len(story.sentences) / 2:
                pairs.add((min(story.id, other), max(story.id, other)))
    return [
        f"Stories {first} and {second} cannot be separated for certain."
        for first, second in sorted(pairs)
    ]
