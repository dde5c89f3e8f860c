"""What should be known about the stories found, in words: one line each."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.text.segment.language import looks_english
from fabula.types import Narrative

__all__ = ["inseparable_notes", "pile_notes"]

_UNSURE = 0.6  # certainty below which a sentence might as well be of its runner-up


def pile_notes(sentences: Sequence[str], separable: bool) -> list[str]:
    """Doubts about the whole: another language, stories that cannot be told apart."""
    notes = []
    if not looks_english(" ".join(sentences)):
        notes.append("The text does not look English; fabula reads English only.")
    if not separable:
        notes.append("The stories cannot be separated with any confidence.")
    return notes


def inseparable_notes(told: Sequence[Narrative]) -> list[str]:
    """Stories that cannot be told from each other, said once for each two."""
    pairs = set()
    for story in told:
        unsure = [p for p in story.sentences if p.probability < _UNSURE and p.runner_up]
        for other in told:
            hits = sum(p.runner_up == other.id for p in unsure)
            if hits > len(story.sentences) / 2:
                pairs.add((min(story.id, other.id), max(story.id, other.id)))
    return [f"Stories {a} and {b} cannot be separated for certain." for a, b in sorted(pairs)]
