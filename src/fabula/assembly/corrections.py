"""Corrections: a user's changes to stories and actors, read from JSON and replayed in order.

::

    {"fabula": "corrections", "version": 1,
     "stories": {"1": ["c4e0f6a9fd", ...]},      sentence ids of the numbered stories (optional)
     "corrections": [
       {"do": "move", "sentence": "c4e0f6a9fd", "to": 2, "after": "0d7e2f11aa"},
       {"do": "join", "stories": [1, 3]},
       {"do": "split", "story": 2, "sentences": ["0d7e2f11aa"]},
       {"do": "lock", "story": 1},
       {"do": "dismiss", "sentences": ["c4e0f6a9fd", "0d7e2f11aa"]},
       {"do": "title", "story": 1, "title": "The fire in Tanner Row"},
       {"do": "date", "sentence": "c4e0f6a9fd", "date": "2024-03-05T21:00"},
       {"do": "note", "sentences": ["c4e0f6a9fd"], "note": "ask the harbour master"},
       {"do": "join-actors", "actors": ["Marco Bellini", "the thief"]},
       {"do": "rename-actor", "actor": "the thief", "name": "Marco Bellini"},
       {"do": "split-actor", "actor": "Smith", "name": "Ann Smith", "sentences": ["0d7e2f11aa"]}]}

A sentence is named by its id, by its text, or as ``{"line": 7}`` (with ``"source"`` where there
are several). ``"to": "new"`` opens a story; ``"after": null`` puts a sentence first. ``accept`` and
``dismiss`` judge the contradiction of two sentences; ``reopen`` takes the judgement back. ``date``
is YYYY[-MM[-DD[Thh:mm]]], or null for "not known". Any correction may have a ``note``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.assembly.pile import Piece
from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError

__all__ = [
    "Corrections",
    "Replay",
    "actor_corrections",
    "check_correction",
    "check_edited_date",
    "corrections_text",
    "edited_dates",
    "edited_titles",
    "judged_contradictions",
    "read_corrections",
    "replay",
]

_FIELDS = {
    "move": ({"sentence", "to"}, {"after", "position"}),
    "join": ({"stories"}, set()),
    "split": ({"story", "sentences"}, set()),
    "lock": (set(), {"story", "sentence"}),
    "accept": ({"sentences"}, set()),
    "dismiss": ({"sentences"}, set()),
    "reopen": ({"sentences"}, set()),
    "title": ({"story", "title"}, set()),
    "date": ({"sentence", "date"}, set()),
    "note": ({"sentences"}, set()),
    "join-actors": ({"actors"}, set()),
    "rename-actor": ({"actor", "name"}, set()),
    "split-actor": ({"actor", "name", "sentences"}, set()),
}
_OF_ACTORS = frozenset(("join-actors", "rename-actor", "split-actor"))
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d)?)?)?", re.ASCII)
_JUDGEMENTS = {"accept": True, "dismiss": False, "reopen": None}


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corrections in the order made, and the sentence ids of the stories they refer to."""

    entries: tuple[Mapping[str, Any], ...] = ()
    stories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.entries)


def check_correction(entry: Any) -> None:
    """Raise ValueError, naming the wrong field, unless this is a valid correction."""
    if not isinstance(entry, Mapping) or entry.get("do") not in list(_FIELDS):  # may be a list
        raise ValueError(
            f"'do' must be one of {', '.join(_FIELDS)}; the correction is {entry!r:.80}"
        )
    needed, allowed = _FIELDS[entry["do"]]
    given = set(entry) - {"do", "text", "note"}
    if needed - given:
        raise ValueError(f"{entry['do']} needs {', '.join(sorted(needed - given))}")
    if given - needed - allowed:
        raise ValueError(f"{entry['do']} has no {', '.join(sorted(given - needed - allowed))}")
    for key in ("to", "story", "position"):
        value = entry.get(key, 1)
        if (type(value) is not int or value < 1) and not (key == "to" and value == "new"):
            raise ValueError(f"{key!r} must be a number from 1; it is {value!r}")
    for key in ("stories", "sentences", "actors"):
        if key in entry and (not isinstance(entry[key], list) or not entry[key]):
            raise ValueError(f"{key!r} must be a list with something in it")
    if any(type(number) is not int for number in entry.get("stories", [])):
        raise ValueError("'stories' must be story numbers")
    for name in [
        *entry.get("sentences", []),
        *(entry[k] for k in ("sentence", "after") if entry.get(k)),
    ]:
        if not isinstance(name, str) and not (
            isinstance(name, Mapping) and type(name.get("line")) is int
        ):
            raise ValueError(f"a sentence is an id, its text, or {{'line': N}}; it is {name!r:.60}")
    if entry["do"] in _JUDGEMENTS and len(entry["sentences"]) != 2:
        raise ValueError(f"{entry['do']} takes the two sentences of a contradiction")
    for name in [*entry.get("actors", []), *(entry[k] for k in ("actor", "name") if k in entry)]:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"an actor is named by a text; it is {name!r:.60}")
    if entry["do"] == "title" and not (isinstance(entry["title"], str) and entry["title"].strip()):
        raise ValueError(f"a title is a text; it is {entry['title']!r:.60}")
    if entry["do"] == "date":
        check_edited_date(entry["date"])
    if not isinstance(entry.get("note", ""), str):
        raise ValueError(f"a note is a text; it is {entry['note']!r:.60}")
    if entry["do"] == "lock" and len(given) != 1:
        raise ValueError("lock takes a story or a sentence")


def read_corrections(source: str | PathLike[str] | Mapping[str, Any]) -> Corrections:
    """Corrections from a file, or from its parsed JSON."""
    path = None if isinstance(source, Mapping) else source
    try:
        data: Any = source if path is None else parse_json(Path(path).read_text(encoding="utf-8"))
        if not isinstance(data, Mapping) or not isinstance(data.get("corrections"), list):
            raise ValueError("it has no list of corrections")
        for number, entry in enumerate(data["corrections"], 1):
            try:
                check_correction(entry)
            except ValueError as error:
                raise ValueError(f"correction {number}: {error}") from error
        stories = {int(k): tuple(map(str, v)) for k, v in data.get("stories", {}).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"not a corrections file ({error})", path=path) from error
    return Corrections(tuple(data["corrections"]), stories)


def corrections_text(corrections: Corrections) -> str:
    """The JSON text of a corrections file, as ``read_corrections`` takes it."""
    data = {
        "fabula": "corrections",
        "version": 1,
        "stories": {str(k): list(v) for k, v in sorted(corrections.stories.items())},
        "corrections": [dict(entry) for entry in corrections.entries],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


@dataclass(slots=True)
class Replay:
    """The state after corrections: story labels, fixed sentences, locked stories, (sentence,
    predecessor) and (sentence, position) pairs, and notes on corrections not applied."""

    labels: list[int]
    pinned: set[int] = field(default_factory=set)
    locked: set[int] = field(default_factory=set)
    after: list[tuple[int, int | None]] = field(default_factory=list)
    positions: list[tuple[int, int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def replay(
    entries: Iterable[Mapping[str, Any]],
    pieces: Sequence[Piece],
    labels: Sequence[int],
    reassign: Callable[[Replay], None] = lambda state: None,
) -> Replay:
    """Apply the corrections, one after another, to the story labels.

    After each one ``reassign`` moves the sentences not fixed, so that the next correction applies
    to the stories its author saw.
    """
    state = Replay(list(labels))
    highest = max(labels, default=0)
    for number, entry in enumerate(entries, 1):
        if entry["do"] in _OF_ACTORS:
            continue
        highest = max(highest, *state.labels)
        try:
            _ACTIONS[entry["do"]](entry, pieces, state, highest)
        except LookupError as error:
            reason = f"Correction {number} ({entry['do']}) was left out: {error.args[0]}."
            state.notes.append(reason)
        else:
            reassign(state)
    return state


def actor_corrections(
    entries: Iterable[Mapping[str, Any]], ordered: Sequence[int], pieces: Sequence[Piece]
) -> list[Mapping[str, Any]]:
    """The corrections of actors, for the story whose sentences are given by index, in its order.

    A split's sentences become ``positions`` in the story; those of other stories are left out.
    """
    found: list[Mapping[str, Any]] = []
    position_of = {index: position for position, index in enumerate(ordered, 1)}
    for entry in entries:
        if entry["do"] == "split-actor":
            positions = []
            for name in entry["sentences"]:
                try:
                    positions.append(position_of.get(_sentence_index(name, pieces)))
                except LookupError:
                    continue  # of a pile that has changed since
            found.append({**entry, "positions": [p for p in positions if p is not None]})
        elif entry["do"] in _OF_ACTORS:
            found.append(entry)
    return found


def _sentence_index(name: Any, pieces: Sequence[Piece]) -> int:
    for index, piece in enumerate(pieces):
        if isinstance(name, Mapping):
            same_line = piece.sentence.line == name["line"]
            if same_line and name.get("source") in (None, piece.sentence.source):
                return index
        elif name in (piece.id, piece.sentence.text):
            return index
    raise LookupError("its sentence is not in this pile")


def _members(state: Replay, story: int) -> list[int]:
    members = [index for index, label in enumerate(state.labels) if label == story]
    if not members:
        raise LookupError(f"there is no story {story}")
    return members


def _move(entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int) -> None:
    index = _sentence_index(entry["sentence"], pieces)
    target = highest + 1 if entry["to"] == "new" else entry["to"]
    if target > highest + 1 or (target <= highest and target not in state.labels):
        raise LookupError(f"there is no story {target}")
    after = None
    if entry.get("after") is not None:
        after = _sentence_index(entry["after"], pieces)
        if after == index or state.labels[after] != target:
            raise LookupError("the sentence it should follow is not in that story")
    state.labels[index] = target
    state.pinned.add(index)
    state.after = [pair for pair in state.after if pair[0] != index]
    state.positions = [pair for pair in state.positions if pair[0] != index]
    if "after" in entry:
        state.after.append((index, after))
    elif "position" in entry:
        state.positions.append((index, entry["position"]))


def _join(entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int) -> None:
    groups = [_members(state, story) for story in entry["stories"]]
    first = entry["stories"][0]
    for index in (i for group in groups for i in group):
        state.labels[index] = first
        state.pinned.add(index)


def _split(entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int) -> None:
    members = _members(state, entry["story"])
    chosen = {_sentence_index(name, pieces) for name in entry["sentences"]} & set(members)
    remaining = [index for index in members if index not in chosen]
    if not chosen or not remaining:
        raise LookupError(f"it would leave story {entry['story']} or the new one empty")
    for index in chosen:
        state.labels[index] = highest + 1
        state.pinned.add(index)
    if not any(index in state.pinned for index in remaining):
        state.pinned.add(remaining[0])  # keeps the old story from being emptied


def _lock(entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int) -> None:
    if "sentence" in entry:
        state.pinned.add(_sentence_index(entry["sentence"], pieces))
        return
    state.pinned.update(_members(state, entry["story"]))
    state.locked.add(entry["story"])


def _check_named(
    entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int
) -> None:
    """Raise ``LookupError`` where a sentence or story that is named is gone; the state stays."""
    for name in [*entry.get("sentences", ()), *(entry[k] for k in ("sentence",) if k in entry)]:
        _sentence_index(name, pieces)
    if "story" in entry:
        _members(state, entry["story"])


def _date(entry: Mapping[str, Any], pieces: Sequence[Piece], state: Replay, highest: int) -> None:
    """A date gives the sentence its place in the story: what it was moved behind before is over."""
    index = _sentence_index(entry["sentence"], pieces)
    if entry["date"] is not None:
        state.after = [(moved, after) for moved, after in state.after if moved != index]
        state.positions = [(moved, place) for moved, place in state.positions if moved != index]


def judged_contradictions(
    entries: Iterable[Mapping[str, Any]], pieces: Sequence[Piece]
) -> dict[tuple[int, int], bool]:
    """The pairs of sentences (indices) whose contradiction was accepted (True) or dismissed."""
    judged: dict[tuple[int, int], bool] = {}
    for entry in entries:
        if entry["do"] in _JUDGEMENTS:
            with suppress(LookupError):  # ``replay`` notes it
                first, second = sorted(_sentence_index(n, pieces) for n in entry["sentences"])
                judged.pop((first, second), None)
                if (verdict := _JUDGEMENTS[entry["do"]]) is not None:
                    judged[first, second] = verdict
    return judged


def edited_titles(entries: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """The titles that the user gave to stories, by story number."""
    return {e["story"]: " ".join(e["title"].split()) for e in entries if e["do"] == "title"}


def edited_dates(
    entries: Iterable[Mapping[str, Any]], pieces: Sequence[Piece]
) -> dict[int, str | None]:
    """The dates that the user gave to sentences (indices); None: no date is known."""
    dates: dict[int, str | None] = {}
    for entry in entries:
        if entry["do"] == "date":
            with suppress(LookupError):  # ``replay`` notes it
                dates[_sentence_index(entry["sentence"], pieces)] = entry["date"]
    return dates


def check_edited_date(date: Any) -> None:
    """Raise ValueError unless this is YYYY[-MM[-DD[Thh:mm]]] or None."""
    if date is None:
        return
    if not isinstance(date, str) or not _DATE.fullmatch(date):
        raise ValueError(
            f"a date is written YYYY, YYYY-MM, YYYY-MM-DD or with Thh:mm; it is {date!r:.40}"
        )
    datetime.fromisoformat(f"{date}-01-01"[:10] if len(date) < 10 else date)  # 30 February


_ACTIONS = {
    "move": _move,
    "join": _join,
    "split": _split,
    "lock": _lock,
    "date": _date,
    **dict.fromkeys(("accept", "dismiss", "reopen", "title", "note"), _check_named),
}
