"""When an event happened: its token in a parse, the text's time expressions -> value and source.

The expression nearest in the parse dates an event; without one, the day the text last spoke of;
without that, the document's date. A day of saying does not date what is said, and nothing dates
what is still to come or lies before the story.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from fabula.text.lexicon import CLAIM_VERBS
from fabula.text.temporal.grammar.clauses import verb_form
from fabula.text.temporal.lexicon import HOLIDAYS
from fabula.text.temporal.tagger import Timex

if TYPE_CHECKING:
    from fabula.text.parse.parsed import Parsed

__all__ = ["SOURCES", "TOLD_WITH", "EventTime", "EventTimes", "reported_event"]

TOLD_WITH = "the day of what it is told with"

# Told of the event; told from another time; the day last spoken of; the document's date.
SOURCES = ("told", "relative", "guess", "document")
_SUBORDINATE = frozenset(("ccomp", "xcomp", "relcl", "acl", "parataxis", "advcl"))
_PLANS = frozenset(
    "plan want expect agree intend hope decide promise set schedule vow need".split()
)
# "is set to begin", "is due to reopen": what is planned is the infinitive.
_PLANNED = frozenset(
    """due expected intended likely planned poised scheduled set slated supposed""".split()
)
_AIMS = frozenset("aim duty goal hope idea intention job objective plan point purpose task".split())
_PHASES = frozenset("stop begin start continue cease finish resume keep fail manage let".split())
_REPORTS = CLAIM_VERBS | frozenset(
    "show record suggest indicate believe think post tweet write explain appear seem".split()
)
_OPEN_ENDED = ("since", "until", "till")
_NEWS_DAYS = 21
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PERIOD = re.compile(r"\d{4}(?:-\d\d)?")
_CLOCK = re.compile(r"T\d\d:")
_YEAR = re.compile(r"\d{4}")
_YEARLY = ("SET", "P1Y")
# A clock time alone: the day is the one the text spoke of, or the document's.
_DAY_SOURCES = {"text": "relative", "night": "guess", "document": "guess", "year": "guess"}
_NAMES_IT = "the date says which one is meant, perhaps not when"
_BESIDE = frozenset(("relcl", "acl", "advcl"))  # clauses that tell what else happened then
_BEFORE_NOUN = frozenset(("nummod", "compound", "nmod", "amod", "poss"))
_CLAUSAL = frozenset(("ccomp", "parataxis"))
# "was convicted of the 1967 slayings": what is done about a deed, often long after it.
_AFTER_DEEDS = frozenset(
    """accuse acquit apologise apologize arrest charge clear commemorate confess convict exonerate
    extradite indict investigate prosecute question remember reopen sentence suspect try""".split()
)
_RECALLING = frozenset(("forget", "recall", "remember"))
_SPENDING = frozenset(("spend", "pass"))  # "spent Monday in hospital" happened on that Monday


@dataclass(frozen=True, slots=True)
class EventTime:
    """The TIMEX3 value of an event's time; empty where nothing is known.

    ``form`` is the verb's: past, present, future, perfect, pluperfect, or empty. ``not_after`` is
    the day of saying, where only that is told. ``ahead``: the day is after the document's date.
    ``why`` says what a guess rests on.
    """

    value: str = ""
    source: str = ""
    form: str = ""
    timex: Timex | None = None
    not_after: str = ""
    speech: bool = False
    ahead: bool = False
    why: str = ""


def reported_event(parsed: Parsed, token: int) -> int:
    """What a verb of speech reports, or what is planned; else the verb itself."""
    for _ in range(3):
        planned = _planned_event(parsed, token)
        if planned is not None:
            return planned
        if parsed.lemmas[token].lower() not in _REPORTS:
            break
        below = [
            t
            for t in parsed.children[token]
            if parsed.labels[t] in _CLAUSAL and parsed.tags[t][:1] == "V"
        ]
        if not below:
            break
        token = below[0]
    return token


def _planned_event(parsed: Parsed, verb: int) -> int | None:
    """The infinitive of "is set to begin", "is due to" or "is to"; None where none is planned."""
    holders = [verb, *(t for t in parsed.children[verb] if parsed.labels[t] == "acomp")]
    for holder in holders:
        if parsed.words[holder].lower() not in _PLANNED and not _is_to(parsed, holder):
            continue
        for t in parsed.children[holder]:
            if parsed.labels[t] == "xcomp" and _is_infinitive(parsed, t):
                return t
    return None


def _is_to(parsed: Parsed, verb: int) -> bool:
    """ "The bridge is to be closed", but not "the aim is to close it"."""
    subjects = {
        parsed.lemmas[t].lower() for t in parsed.children[verb] if "subj" in parsed.labels[t]
    }
    return parsed.words[verb].lower() in ("is", "are") and not subjects & _AIMS


def _is_infinitive(parsed: Parsed, verb: int) -> bool:
    return any(parsed.tags[t] == "TO" for t in parsed.children[verb])


class EventTimes:
    """The times of events of one parsed document."""

    def __init__(
        self, parsed: Parsed, times: Sequence[Timex], published: str | None, day: str = ""
    ) -> None:
        """``day`` is the one last spoken of before this text; ``current`` the one after it."""
        self.parsed = parsed
        self.current = day
        self.date = published or ""
        self.by_sentence: dict[int, list[Timex]] = {}
        self._yearly = {timex.verb for timex in times if (timex.type, timex.value) == _YEARLY}
        for timex in times:
            if timex.type in ("DATE", "TIME") and timex.role not in ("repeated", "published"):
                self.by_sentence.setdefault(timex.sentence, []).append(timex)
        self._days = self._spoken_of()

    def _spoken_of(self) -> list[str]:
        """For each sentence, the day last spoken of before it as one on which things happened."""
        days = []
        for number in range(len(self.parsed.starts)):
            days.append(self.current)
            for timex in self.by_sentence.get(number, ()):
                dated = len(timex.value) >= 10 and timex.value[8:10].isdigit()
                if timex.role in ("happened", "said") and dated and not self._is_before(timex):
                    self.current = timex.value[:10]
        return days

    def _is_before(self, timex: Timex) -> bool:
        """Whether a time is of what had happened before the rest: "had been reported on Monday"."""
        at = bisect_right(self.parsed.offsets, timex.start) - 1
        verb = self._token(timex.verb) if timex.verb >= 0 else self._verb(at)
        return verb_form(self.parsed, verb) == "pluperfect"

    def of(self, token: int) -> EventTime:
        """The time of the event that a token names."""
        parsed = self.parsed
        verb = self._verb(token)
        form = verb_form(parsed, verb)
        head = parsed.heads[verb]
        plan = parsed.lemmas[head].lower() in _PLANS or _planned_event(parsed, head) == verb
        if form == "infinitive" and not plan:
            form = verb_form(parsed, head)  # "returned to the stage to reveal it"
        speech = parsed.lemmas[verb].lower() in CLAIM_VERBS
        sentence = parsed.sentence[token]
        said = beside = ""
        candidates = []
        for timex in self.by_sentence.get(sentence, ()):
            at = bisect_right(parsed.offsets, timex.start) - 1
            governor = self._token(timex.verb) if timex.verb >= 0 else self._verb(at)
            if not timex.value[:1].isdigit() and not timex.value.startswith(("X", "BC")):
                continue
            if timex.role == "said" and governor != verb:
                said = timex.value
                continue
            if _DAY.match(timex.value) and self._is_beside(governor, verb):
                beside = beside or timex.value[:10]
            if governor != verb and self._is_below(governor, verb):
                continue  # "announced that it would open in 2007"
            if self._names_noun(timex, token, form):
                continue  # "began his nine o'clock round", "was charged in the 1967 slayings"
            if self._is_object(timex):
                continue  # "nobody will forget that night"
            if timex.verb in self._yearly and not _YEAR.search(timex.text):
                continue  # "is celebrated annually on 24 May"
            if form == "present" and (timex.day_from or self._is_past_period(timex.value)):
                continue  # "the shop opens at nine", "the page shows 'Ann Lund 1955-2011'"
            distance = self._distance(verb, governor)
            inside = self._distance(token, at)
            if timex.role == "deadline" or parsed.words[at - 1].lower() in _OPEN_ENDED:
                continue
            background = timex.role == "background" and governor != verb
            candidates.append((distance + 2 * background, -len(timex.value), inside, timex))
        if candidates:
            distance, _, _, timex = min(candidates, key=lambda c: c[:3])
            if distance <= 2 or (len(candidates) == 1 and distance <= 3):
                source = "relative" if timex.shift is not None else "told"
                source = _DAY_SOURCES.get(timex.day_from, source)
                why = ""
                if self._is_before_noun(timex, token):
                    source, why = "guess", _NAMES_IT
                elif timex.value.endswith("TXX:XX"):
                    source, why = "guess", "counted from an hour that is not told"
                ahead = self._is_ahead(timex.value)
                return EventTime(
                    timex.value, source, form, timex, speech=speech, ahead=ahead, why=why
                )
        if form in ("future", "pluperfect", "infinitive"):
            return EventTime(form=form, not_after=said, speech=speech)
        if form == "past" and not speech and beside and self._is_near(beside):
            return EventTime(beside, "guess", form, not_after=said, why=TOLD_WITH)
        if said:
            return EventTime(form=form, not_after=said, speech=speech)
        day = self._days[sentence]
        if day and form == "past" and self._is_near(day):
            return EventTime(day, "guess", form, speech=speech)
        if self.date and (speech or form in ("past", "perfect", "present", "")):
            return EventTime(self.date[:10], "document", form, speech=speech)
        return EventTime(form=form, speech=speech)

    def _is_ahead(self, value: str) -> bool:
        """Whether a day or month lies after the document's date: "reopens next Thursday"."""
        if not _DAY.match(self.date):
            return False
        if _PERIOD.fullmatch(value):
            return value > self.date[: len(value)]
        return bool(_DAY.match(value)) and value[:10] > self.date[:10]

    def _is_past_period(self, value: str) -> bool:
        """Whether a month or year was over when the document was published."""
        return bool(_PERIOD.fullmatch(value)) and value < self.date[: len(value)]

    def _is_near(self, day: str) -> bool:
        """Whether a day belongs to what a dated document reports."""
        if len(self.date) < 10 or not day[:4].isdigit():  # a date of no known year
            return True
        apart = date.fromisoformat(self.date[:10]) - date.fromisoformat(day)
        return abs(apart.days) <= _NEWS_DAYS

    def _is_below(self, token: int, verb: int) -> bool:
        """Whether a token's clause is what another verb says, wants, or describes a noun by."""
        path = self._path(token, verb)
        return bool(path) and path[-1] in _SUBORDINATE

    def _is_beside(self, token: int, verb: int) -> bool:
        """Whether a past clause tells what else happened: "after a fire broke out on Tuesday"."""
        clauses = {label for label in self._path(token, verb) if label in _SUBORDINATE}
        return bool(clauses) and clauses <= _BESIDE and verb_form(self.parsed, token) == "past"

    def _path(self, token: int, verb: int) -> list[str]:
        """The labels from a token up to a verb over it; empty where it is not below that verb."""
        labels: list[str] = []
        for _ in range(20):
            head = self.parsed.heads[token]
            if head == token:
                break
            label = self.parsed.labels[token]
            if label in ("xcomp", "ccomp") and self.parsed.lemmas[head].lower() in _PHASES:
                label = ""  # "stopped answering at 7.41": one time for both
            labels.append(label)
            if head == verb:
                return labels
            token = head
        return []

    def _names_noun(self, timex: Timex, event: int, form: str) -> bool:
        """Whether a time stands before another noun, and says which one of those is meant.

        A clock time and a holiday ("a Christmas party") always, but not behind a preposition ("by
        8.30am crews were ..."); a date where the verb tells of what comes after a deed, or is a
        present perfect, which no past date goes with.
        """
        first = self._token(timex.start)
        if first and _CLOCK.search(timex.value) and self.parsed.tags[first - 1] == "IN":
            return False
        last = self._token(timex.end - 1)
        head = self.parsed.heads[last]
        before = (
            self.parsed.labels[last] in _BEFORE_NOUN
            and head > last
            and head != event
            and self.parsed.tags[head][:1] != "V"
        )
        perfect = form == "perfect" and timex.role == "background"
        later = perfect or self.parsed.lemmas[self._verb(event)].lower() in _AFTER_DEEDS
        later = later and self.parsed.labels[head] not in ("nsubj", "nsubjpass")
        always = _CLOCK.search(timex.value) or timex.text.lower() in HOLIDAYS
        return before and bool(later or always)

    def _is_before_noun(self, timex: Timex, event: int) -> bool:
        """Whether a year or month stands before a noun that is no subject: "violated the 1991
        agreement", "convicted in 2010 rampage"; then it may not say when."""
        last = self._token(timex.end - 1)
        if not _PERIOD.fullmatch(timex.value) or last + 1 >= len(self.parsed):
            return False
        noun = last + 1
        for _ in range(6):
            if self.parsed.labels[noun] not in (*_BEFORE_NOUN, "case"):
                break
            noun = self.parsed.heads[noun]
        subject = self.parsed.labels[noun] in ("nsubj", "nsubjpass")
        return noun > last and noun != event and self.parsed.tags[noun][:2] == "NN" and not subject

    def _is_object(self, timex: Timex) -> bool:
        """Whether a time is what the verb acts on, and not when it does: "remembered that day"."""
        first, last = self._token(timex.start), self._token(timex.end - 1)
        heads = [self.parsed.heads[t] for t in range(first, last + 1)]
        outside = next((t for t, head in enumerate(heads) if not first <= head <= last), 0)
        verb = self.parsed.lemmas[heads[outside]].lower()
        label = self.parsed.labels[first + outside]
        if label == "npadvmod":
            return verb in _RECALLING
        return label == "dobj" and verb not in _SPENDING

    def _token(self, offset: int) -> int:
        return max(bisect_right(self.parsed.offsets, offset) - 1, 0)

    def _verb(self, token: int) -> int:
        """The verb of a token's clause: itself, or the nearest one above."""
        for _ in range(12):
            if self.parsed.tags[token][:1] in ("V", "M"):
                return token
            head = self.parsed.heads[token]
            if head == token:
                break
            token = head
        return token

    def _distance(self, one: int, two: int) -> int:
        """Edges of the parse between two tokens; many where they have no common ancestor."""
        above = {}
        token, steps = one, 0
        for _ in range(40):
            above[token] = steps
            head = self.parsed.heads[token]
            if head == token:
                break
            token, steps = head, steps + 1
        token, steps = two, 0
        for _ in range(40):
            if token in above:
                return above[token] + steps
            head = self.parsed.heads[token]
            if head == token:
                break
            token, steps = head, steps + 1
        return 99
