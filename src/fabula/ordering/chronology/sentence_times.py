"""The sentences of a story in, when each happened and how it is told out, document by document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from fabula.text.lexicon import CLAIM_VERBS, ORDINALS, SPEECH_VERBS, alternation, words
from fabula.text.parse.memo import ParseMemo
from fabula.text.parse.parsed import Parsed
from fabula.text.temporal.event_time import EventTime, EventTimes, reported_event
from fabula.text.temporal.grammar.clauses import verb_form
from fabula.text.temporal.grammar.tokens import lines_of
from fabula.text.temporal.interval import Interval, interval_of
from fabula.text.temporal.lexicon import MONTHS, WEEKDAYS
from fabula.text.temporal.normalize import Timeframe
from fabula.text.temporal.tagger import Timex, parse_date, tag_line

__all__ = ["SentenceTime", "StorySentence", "read_times"]

_CAPACITY = 20_000
_EARLIER = re.compile(
    r"^\W*(?:before|initially)\b|\bhad already\b|\bprior to\b"
    rf"|\b(?:{alternation(words('earlier previously formerly originally'))})\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"^\W*(?:later|then|afterwards?|subsequently|eventually|finally|soon|after that|next|shortly "
    r"after|meanwhile)\b|\blater (?:that|this|in the) (?:day|week|month|year)\b|\bsubsequently\b",
    re.IGNORECASE,
)

_COUNTED_ON = re.compile(
    r"^\W*(?:(?:about|some|around|nearly|less than|more than|just) )*[\w-]+(?: an?)?(?: [\w-]+)? "
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?) (?:later|afterwards)\b"
    r"|^\W*the (?:next|following|same) (?:day|morning|afternoon|evening|night|week|month|year)\b",
    re.IGNORECASE,
)
_CALENDAR = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))
_CONJUNCTIONS = words("and but so yet nor or")
_STATING = CLAIM_VERBS | SPEECH_VERBS | words("believe describe explain quote show talk write")
_SUBJECTS = ("nsubj", "nsubjpass")
_BACK = words("he she it they him her them his their its this that these those both neither such")
_OF_SEVERAL = words("other others former latter rest").union(ORDINALS)


@dataclass(frozen=True, slots=True)
class StorySentence:
    """A sentence as plain values: its document's id and date, its place there, its own timestamp.

    Sentences without a document stand alone. ``paragraph`` is None where none is known. ``date``
    is the document's (YYYY-MM-DD), ``timestamp`` when a message was sent (ISO 8601, or a clock time
    alone). Sentences of one ``sequence`` (a chat) stay in the order of ``position``, whatever times
    they tell. ``entry`` is the day of the diary's or log's entry, ``mail`` the thread of a mail and
    when it was sent (ISO 8601). ``parsed`` is the text's parse, where it was parsed already.
    """

    text: str
    document: str | None = None
    position: int = 0
    date: str | None = None
    timestamp: str | None = None
    sequence: str | None = None
    paragraph: int | None = None
    entry: str | None = None
    mail: tuple[str, str] | None = None
    parsed: Parsed | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SentenceTime:
    """When a sentence's main event happened, as far as it is known, and how it is told.

    ``source`` is told, relative, document, guess or empty; ``form`` the tense of the main verb.
    ``anchors`` are (distance value, "after" or "before", words of the event): "two days after the
    raid". ``refers_back``: it leans on the sentence before it, by a pronoun or a distance in time.
    ``says``: its main verb, or the event, is one of speech; ``states``: the main verb reports.
    """

    event: EventTime
    interval: Interval | None
    times: tuple[Timex, ...] = ()
    earlier: bool = False
    later: bool = False
    stems: frozenset[str] = field(default_factory=frozenset)
    anchors: tuple[tuple[str, str, frozenset[str]], ...] = ()
    refers_back: bool = False
    says: bool = False
    states: bool = False

    @property
    def source(self) -> str:
        return self.event.source

    @property
    def is_told(self) -> bool:
        """Whether the text itself says when, for this sentence."""
        return self.event.source in ("told", "relative")


def read_times(sentences: Sequence[StorySentence]) -> list[SentenceTime]:
    """The time of each sentence; those of one document are read together, in its order."""
    parses = _memo([sentence.text for sentence in sentences if sentence.parsed is None])
    found: dict[int, SentenceTime] = {}
    documents: dict[str, list[int]] = {}
    for index, sentence in enumerate(sentences):
        name = sentence.document if sentence.document is not None else f"\0{index}"
        documents.setdefault(name, []).append(index)
    for members in documents.values():
        members.sort(key=lambda i: (sentences[i].position, i))
        day, year = parse_date(sentences[members[0]].date)
        frame = Timeframe(day, year, narrative=day is None)
        current = sentences[members[0]].entry or ""
        for index in members:
            sentence = sentences[index]
            parsed = sentence.parsed or parses[sentence.text]
            times = [timex for line in lines_of(parsed) for timex in tag_line(line, frame)]
            reader = EventTimes(parsed, times, sentence.date if day else None, current)
            found[index] = _read(parsed, times, reader)
            current = reader.current
    return [found[index] for index in range(len(sentences))]


def _read(parsed: Parsed, times: list[Timex], reader: EventTimes) -> SentenceTime:
    event, main = EventTime(), ""
    roots = [t for t, head in enumerate(parsed.heads) if head == t] if len(parsed) else []
    if roots:
        root = next((t for t in roots if parsed.tags[t][:1] == "V"), roots[0])
        main = parsed.lemmas[root].lower()
        root = _first_clause(parsed, root)
        event = reader.of(reported_event(parsed, root))
        if event.form in ("future", "infinitive"):  # "said on Monday that it would close in May"
            own = reader.of(root)
            event = own if own.source in ("told", "relative") else event
    known = event.timex is None or event.timex.half_known
    interval = interval_of(event.value, half_known=known) if event.value else None
    return SentenceTime(
        event=event,
        interval=interval,
        times=tuple(times),
        earlier=bool(_EARLIER.search(parsed.text)),
        later=bool(_LATER.search(parsed.text)),
        stems=frozenset(
            _stem(parsed.lemmas[t]) for t in range(len(parsed)) if parsed.tags[t][:1] in "VN"
        ),
        anchors=tuple(_anchors(parsed, times)),
        refers_back=_refers_back(parsed, roots) or bool(_COUNTED_ON.match(parsed.text)),
        says=event.speech or main in CLAIM_VERBS,
        states=main in _STATING,
    )


def _first_clause(parsed: Parsed, root: int) -> int:
    """ "They were arrested at six; he came to the door": the verb before the semicolon."""
    for t in parsed.children[root]:
        clause = parsed.labels[t] in ("ccomp", "parataxis") and parsed.tags[t][:1] == "V"
        if clause and t < root and ";" in parsed.words[t:root]:
            return t
    return root


def _refers_back(parsed: Parsed, roots: Sequence[int]) -> bool:
    """Whether the sentence opens with a word for something told before, or its subject is one.

    A pronoun after a name of the same sentence is that name's.
    """
    lower = [word.lower() for word in parsed.words]
    first = next((t for t, word in enumerate(lower) if word[:1].isalnum()), None)
    if first is None:
        return False
    if lower[first] in _CONJUNCTIONS and first + 1 < len(lower):
        first += 1
    subjects = [t for root in roots for t in parsed.children[root] if parsed.labels[t] in _SUBJECTS]
    for t in (first, *subjects):
        if (
            lower[t] not in _BACK
            or parsed.labels[t] == "expl"
            or (lower[t] == "that" and t != first)
        ):
            continue
        named = any(
            parsed.tags[other] == "NNP" and lower[other] not in _CALENDAR for other in range(t)
        )
        if not named:
            return True
    the_next = lower[first] == "the" and first + 1 < len(lower)
    return the_next and lower[first + 1] in _OF_SEVERAL and first + 1 in subjects


def _anchors(parsed: Parsed, times: list[Timex]) -> list[tuple[str, str, frozenset[str]]]:
    """Lengths told from an event: "four minutes after the alarm"."""
    found = []
    for timex in times:
        if not timex.relation or _is_present(parsed, timex):
            continue  # "just one year after the launch, we are ..."
        event: list[str] = []
        for t in range(len(parsed)):
            if parsed.offsets[t] < timex.end or parsed.words[t].lower() in ("after", "before"):
                continue
            if event and parsed.tags[t][:1] not in _CONTENT:
                break  # the noun phrase or verb is over
            if parsed.tags[t][:1] in _CONTENT:
                event.append(_stem(parsed.lemmas[t]))
            elif parsed.offsets[t] - timex.end > _NEAR:
                break
        if event:
            found.append((timex.value, timex.relation, frozenset(event)))
    return found


def _is_present(parsed: Parsed, timex: Timex) -> bool:
    if timex.verb < 0:
        return False
    verb = max(bisect_right(parsed.offsets, timex.verb) - 1, 0)
    return verb_form(parsed, verb) == "present"


_CONTENT = ("V", "N", "J", "C")
_NEAR = 40  # characters in which the event follows its distance


def _stem(lemma: str) -> str:
    """A rough stem that a verb and its noun share: collapse, collapsing; arrive, arrival."""
    return re.sub(r"(?:ation|ment|ing|ion|al|ed|e|s)$", "", lemma.lower())


_memo = ParseMemo(Parsed.of, capacity=_CAPACITY, whole=True, label="reading times")
