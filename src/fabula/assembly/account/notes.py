"""Notes: an assembly's stories in, one-line warnings about them out."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.text.segment.language import looks_english
from fabula.types import Narrative

__all__ = ["inseparable_notes", "pile_notes"]

_UNSURE = 0.6  # probability below which a sentence may belong to its runner-up story


def pile_notes(sentences: Sequence[str], separable: bool) -> list[str]:
    """Warnings about the whole pile: not English, or stories not separable."""
    notes = []
    if not looks_english(" ".join(sentences)):
        notes.append("The text does not look English; fabula reads English only.")
    if not separable:
        notes.append("The stories cannot be separated with any confidence.")
    return notes


def inseparable_notes(stories: Sequence[Narrative]) -> list[str]:
    """A warning for each two stories where most sentences of one may belong to the other."""
    pairs = set()
    for story in stories:
        unsure = [p for p in story.sentences if p.probability < _UNSURE and p.runner_up]
        for other in stories:
            confused = sum(p.runner_up == other.id for p in unsure)
            if confused > len(story.sentences) / 2:
                pairs.add((min(story.id, other.id), max(story.id, other.id)))
    return [
        f"Stories {first} and {second} cannot be separated for certain."
        for first, second in sorted(pairs)
    ]
