"""Changes since an earlier answer: its JSON and the new stories in, new, moved, gone out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.assembly.pile import sentence_id
from fabula.assembly.types import Change
from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError
from fabula.salads.stories.numbering import changed_stories
from fabula.types import Narrative

__all__ = ["PreviousSentences", "changes_since", "numbers_of", "read_previous"]

PreviousSentences = dict[str, tuple[int, str]]  # sentence id -> story number and text


def read_previous(source: str | PathLike[str] | Mapping[str, Any]) -> PreviousSentences:
    """The sentences of an earlier answer, as ``assemble --json`` or ``-o x.json`` wrote it."""
    path = None if isinstance(source, Mapping) else source
    try:
        data: Any = source if path is None else parse_json(Path(path).read_text(encoding="utf-8"))
        return {
            str(s.get("id") or sentence_id(s["text"])): (int(story["id"]), str(s["text"]))
            for story in data["stories"]
            for s in story["sentences"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not an answer of assemble --json ({error})", path=path) from error


def numbers_of(before: PreviousSentences) -> dict[str, int]:
    """The story of each sentence in an earlier answer, by sentence id."""
    return {sentence: story for sentence, (story, _) in before.items()}


def changes_since(before: PreviousSentences, stories: Sequence[Narrative]) -> tuple[Change, ...]:
    """Sentences that are new, moved or gone since an earlier answer."""
    now = {p.id: (story.id, p.sentence.text) for story in stories for p in story.sentences}
    texts = {sentence: text for sentence, (_, text) in (before | now).items()}
    return tuple(
        Change(texts[sentence], old_story, new_story)
        for sentence, old_story, new_story in changed_stories(numbers_of(before), numbers_of(now))
    )
