"""Reading the table of hand-checked sentences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fabula.events.extract.predicates import Predicate
from fabula.text.parse.parsed import Parsed

Fact = tuple[str, bool, str, str]  # verb, negated, slot, head; an event without slots has "" twice


@dataclass(frozen=True)
class Golden:
    topic: str
    text: str
    facts: frozenset[Fact]


def read_golden() -> list[Golden]:
    found: list[tuple[str, str, set[Fact]]] = []
    topic = ""
    for line in (Path(__file__).parent / "golden.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("=="):
            topic = line.removeprefix("==").strip()
        elif line.startswith("  "):
            verb, *slots = line.split()
            negated, verb = verb.startswith("!"), verb.removeprefix("!")
            pairs = [slot.partition("=") for slot in slots] or [("", "=", "")]
            found[-1][2].update(
                (verb, negated, slot, head.lower())
                for slot, _, heads in pairs
                for head in heads.split(",")
            )
        elif line and not line.startswith("#"):
            found.append((topic, line, set()))
    return [Golden(topic, text, frozenset(facts)) for topic, text, facts in found]


def facts_of(parsed: Parsed, frames: list[Predicate]) -> set[Fact]:
    return {
        (frame.verb, frame.negated, slot, head)
        for frame in frames
        for slot, heads in (frame.roles or {"": [-1]}).items()
        for head in (parsed.words[i].lower() if i >= 0 else "" for i in heads)
    }
