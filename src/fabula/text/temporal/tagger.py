"""Temporal tagging: a parse in, typed and normalised time expressions (TIMEX3) out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date as calendar_date
from typing import TYPE_CHECKING, Any

from fabula.text.temporal.grammar.clauses import (
    after_noun,
    governor,
    modifies_noun,
    pluperfect,
    role_of,
    tense_of,
)
from fabula.text.temporal.grammar.find import find_drafts
from fabula.text.temporal.grammar.tokens import TokenLine, lines_of
from fabula.text.temporal.lexicon import HALF_DAY
from fabula.text.temporal.normalize import (
    Timeframe,
    is_of_another_night,
    is_of_told_night,
    is_open_day,
    value_of,
    with_half_of_day,
)

if TYPE_CHECKING:
    from fabula.text.parse.parsed import Parsed
    from fabula.text.temporal.grammar.draft import Draft

__all__ = ["Timex", "parse_date", "tag_line", "tag_times"]

_ASIDE = ("published", "plan", "deadline", "said")
_OPEN_ENDED = ("until", "till", "since")
_LATEST_DATELINE = 600  # characters from the beginning of a text


@dataclass(frozen=True, slots=True)
class Timex:
    """A time expression: ``text[start:end]``, its TIMEX3 ``type`` and ``value``, and its role.

    ``mod`` is TIMEX3's (START, MID, END, APPROX, ...). ``half_known`` is False for a clock time
    that may be before or after noon; its value is then that of the morning. ``relation`` is "after"
    or "before" for a length told from an event ("two days after the raid"). ``verb`` is the
    governing verb's offset in the text, -1 without one.
    """

    start: int
    end: int
    text: str
    type: str
    value: str
    role: str = "happened"
    mod: str = ""
    quant: str = ""
    freq: str = ""
    relation: str = ""
    half_known: bool = True
    sentence: int = 0
    verb: int = -1
    shift: tuple[int, str] | None = field(default=None, compare=False)  # from the narrative
    day_from: str = field(default="", compare=False)  # a clock time alone: text, night, document

    def to_row(self) -> dict[str, Any]:
        """The expression as ``fabula times --json`` has it."""
        names = ("start", "end", "text", "type", "value", "role")
        return {**{name: getattr(self, name) for name in names}, "mod": self.mod or None}


def parse_date(text: str | None) -> tuple[calendar_date | None, int | None]:
    """The day of a document's date, and its year where only that is known.

    >>> parse_date("2013-07-22"), parse_date("1944"), parse_date("soon")
    ((datetime.date(2013, 7, 22), 2013), (None, 1944), (None, None))
    """
    if not text:
        return None, None
    try:
        day = calendar_date.fromisoformat(text[:10])
    except ValueError:
        year = text[:4]
        return None, int(year) if len(year) == 4 and year.isdigit() and int(year) else None
    return day, day.year


def tag_times(parsed: Parsed, date: str | None = None, strategy: str = "auto") -> list[Timex]:
    """Every time expression of a parsed text, in order.

    ``date`` is the document's (YYYY[-MM[-DD]]). ``strategy`` is "news" or "narrative"; "auto" is
    news where the date is known to the day.
    """
    document, year = parse_date(date)
    lines = list(lines_of(parsed))
    if document is None and strategy != "narrative":
        document = _dateline(lines)
        year = document.year if document else year
    narrative = strategy == "narrative" or (strategy == "auto" and document is None)
    frame = Timeframe(document, year, narrative)
    found: list[Timex] = []
    for line in lines:
        found += tag_line(line, frame)
    return found


def _dateline(lines: list[TokenLine]) -> calendar_date | None:
    """The date a text gives itself, in a line of its own near its beginning."""
    for line in lines[:3]:
        for draft in find_drafts(line):
            if line.starts[draft.first] > _LATEST_DATELINE:
                return None
            if role_of(line, draft, None, "") == "published":
                day, _ = parse_date(value_of(draft, Timeframe()))
                if day is not None:
                    return day
    return None


def tag_line(line: TokenLine, frame: Timeframe) -> Iterator[Timex]:
    """The expressions of one paragraph; ``frame.reference`` moves on with what it tells."""
    drafts = find_drafts(line)
    if not drafts:
        return
    text = line.parsed.text if line.parsed is not None else None
    sentences = [_sentence(line, draft) for draft in drafts]
    values: dict[int, tuple[str, str, int | None]] = {}
    days = [""] * len(drafts)
    for index in _dated_first(line, drafts, sentences):
        draft = drafts[index] = with_half_of_day(drafts[index], frame.reference)
        verb = governor(line, draft)
        tense = tense_of(line, verb)
        if tense == "present" and modifies_noun(line, draft):
            tense = "past"  # "Monday's shooting follows"
        role = role_of(line, draft, verb, tense)
        ahead = role == "plan" and not frame.narrative  # "was scheduled for June 3"
        value = value_of(draft, _seen_from(line, draft, verb, frame), "future" if ahead else tense)
        values[index] = value, role, verb
        if draft.spec.clock is not None and not _has_day(draft) and value[:1].isdigit():
            days[index] = "text" if frame.reference_day else "document"
            if is_of_another_night(draft, frame):
                days[index] = "night"
        elif is_of_told_night(draft, frame):
            days[index] = "night"
        elif tense == "past" and not pluperfect(line, verb) and _goes_back(draft, value, frame):
            days[index] = "year"
        if draft.type in ("DATE", "TIME") and value[:4].isdigit() and role not in _ASIDE:
            frame.spoken = value
            if value.endswith(("TEV", "TNI")):
                frame.nights = value
        if _moves(draft, role, value, frame) and not (
            len(value) == 4 and len(frame.reference) > 4 and after_noun(line, draft)
        ):
            frame.reference = value
    for index, draft in enumerate(drafts):
        value, role, verb = values[index]
        start, end = line.starts[draft.first], line.ends[draft.last - 1]
        spec = draft.spec
        yield Timex(
            start,
            end,
            text[start:end] if text is not None else " ".join(line.words[draft.first : draft.last]),
            _type(draft, value),
            value,
            role,
            draft.mod,
            draft.quant,
            draft.freq,
            draft.relation,
            spec.clock is None or spec.half is not None or spec.clock >= HALF_DAY,
            sentences[index],
            -1 if verb is None or line.parsed is None else line.parsed.offsets[verb],
            (spec.shift, spec.unit)
            if spec.shift is not None and spec.anchor == "narrative" and spec.weekday is None
            else None,
            days[index],
        )


def _seen_from(line: TokenLine, draft: Draft, verb: int | None, frame: Timeframe) -> Timeframe:
    """The frame of an expression: "had been arrested two days later" is told from the day last
    spoken of in that background."""
    told = draft.spec.anchor == "narrative" and len(frame.spoken) >= 10
    if told and (not frame.reference or pluperfect(line, verb)):
        return replace(frame, reference=frame.spoken)
    return frame


def _sentence(line: TokenLine, draft: Draft) -> int:
    return line.parsed.sentence[line.parents[draft.first]] if line.parsed is not None else 0


def _dated_first(line: TokenLine, drafts: list[Draft], sentences: list[int]) -> list[int]:
    """Drafts in the order they are resolved: a bare clock time, and what is counted from one, after
    its sentence's own day; but "by midday they held it, until 14 March" before that day."""
    alone = [
        (draft.spec.clock is not None and not _has_day(draft))
        or (draft.spec.unit.startswith("T") and draft.spec.anchor == "narrative")
        for draft in drafts
    ]
    until = [line.word(draft.first - 1) in _OPEN_ENDED for draft in drafts]
    return sorted(
        range(len(drafts)), key=lambda i: (sentences[i], 2 if until[i] else int(alone[i]), i)
    )


def _has_day(draft: Draft) -> bool:
    """Whether an expression says its day; "two in the morning" says only which half of one."""
    spec = draft.spec
    part_alone = (spec.unit, spec.shift, spec.anchor) == ("D", 0, "narrative")
    named = spec.day is not None or spec.weekday is not None
    return bool(spec.value or named or spec.holiday or (spec.unit and not part_alone))


def _goes_back(draft: Draft, value: str, frame: Timeframe) -> bool:
    """Whether "in February", told after July in a narrative, may as well be of the next year."""
    spec = draft.spec
    if not frame.narrative or spec.year is not None or (spec.month, spec.day) == (None, None):
        return False
    return value[:4].isdigit() and value < frame.reference[: len(value)]


def _moves(draft: Draft, role: str, value: str, frame: Timeframe) -> bool:
    """Whether what follows is told from this time: not from background, plans or lengths."""
    open_day = frame.narrative and is_open_day(value)
    if draft.type not in ("DATE", "TIME") or not (value[:1].isdigit() or open_day):
        return False
    if role == "published":
        return False
    if role in ("background", "deadline", "plan", "said") and not (
        frame.narrative and role in ("said", "plan") and len(value) >= 10
    ):
        return frame.narrative and role == "background" and not frame.reference and len(value) >= 7
    if frame.narrative:
        return True
    return len(value) >= 10 and value[8:10].isdigit()


def _type(draft: Draft, value: str) -> str:
    if draft.type == "DATE" and value.startswith("P") and not value.endswith("_REF"):
        return "DURATION"
    return draft.type
