"""Cutting text into sentences, so that nothing is lost and everything can be found again.

Layout decides first (``lines.py``). Within what it leaves whole nupunkt, a trained Punkt model,
decides, corrected by a few rules for what it gets wrong on real text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, get_args

from fabula.errors import UsageError
from fabula.text.lexicon import QUOTE_VERBS, SENTENCE_OPENERS, SUBJECT_PRONOUNS, alternation, words
from fabula.text.segment.lines import LineBreaks, margin_of, units
from fabula.text.segment.long_words import mask_long_words
from fabula.text.temporal.lexicon import MONTH, WEEKDAY
from fabula.types import Document, Sentence

__all__ = ["LineBreaks", "spans", "split_sentences"]

# Everything but whitespace, controls and zero-width marks.
_VISIBLE = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_BREAKS_TO_SPACES = dict.fromkeys(map(ord, "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_OPENING = "\"'“‘«([{*_"


def _capitalised(choices: Iterable[str]) -> str:
    return alternation(word.capitalize() for word in choices)


# nupunkt learnt abbreviations from scanned law books: most of its longer ones are ordinary words
# and misread ones. Of these only the known are kept, and of the short ones not the real words.
_LONG_ABBREVIATIONS = words(
    """acad admin approx appx assn assoc asst atty bldg blvd bros calif capt cert chem cmdr comdr
    conf cong cont corp dept dist econ elec exec govt hist hosp ibid incl inst intl lieut messrs
    mfrs mgmt minn misc okla oreg penn phil phila pkwy pres prof prov pseud publ regt rept resp
    sept supp supt tech tenn transl univ vols wash wisc"""
)
_SHORT_WORDS = words(
    """add ago all am an at aye bed bee bin bus can car cow day den dig fed free how ill in keg la
    lab leg low me met min mum net nor or ore par pen pin pop pow raw re row sat saw sir so sub sum
    sun tax ten un vet wig win yap yea yep yup"""
)
# A title stands before a name, and the last of these before more: no sentence ends there.
_TITLES = words(
    """Mr Mrs Ms Messrs Mme Mlle Dr Drs Prof Rev Revd Msgr Mgr Hon Fr St Ste Pres Gov Sen Rep Reps
    Amb Cllr Supt Insp Det Const Gen Gens Maj Brig Col Cols Lt Lts Lieut Capt Capts Cpt Cmdr Comdr
    Cdr Adm Adms Sgt Sgts Cpl Pvt Pte Ens ca approx viz cf vs eg ie e.g i.e"""
)
# These may end a sentence, but not before a small letter: "the VII. corps", "Canada–U.S. border".
_ABBREVIATION = re.compile(r"[IVXLC]+|.*\w\.\w|Sqn|Regt|Bn|Bde|Div|Bty|[ckm]m|kg|mi|sq|ft")
_NUMBERED = re.compile(r"(?i:arts?|chs?|figs?|nos?|nr|pp?|sec|vols?)")  # "No. 5"
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[IVXivx]{1,5})[.)]\s*")
# US states as newspapers write them: "Troy, Mich. police said".
_STATES = words(
    """Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb
    Nev Okla Ore Pa Tenn Tex Va Vt Wash Wis Wyo Ont Que"""
)
_NAMES_WITH_MARKS = words("Yahoo! Jeopardy! Yum! Guess?")
# "at 6 p.m. Police said" is two sentences, "at 6 p.m. Friday" and "at 6 p.m. EST" are not.
_AFTER_NOON = re.compile(
    r"(?<=\d) ?[AaPp]\.?[Mm]\.[\"”’)\]]*\s+(?=[\"“‘(]?[A-Z])"
    rf"(?!(?i:(?:{WEEKDAY}|{MONTH}|eastern|central|mountain|pacific|greenwich|local|to|and|or)\b|"
    r"(?:mon|tues?|wed|thu(?:rs)?|fri|sat|sun|jan|feb|aug|sept?|oct|nov|dec)\.)|[A-Z]{2,5}\b)"
)
# '"Stop!" John cried.' is one sentence.
_SPEAKER = re.compile(
    rf"(?!(?:{_capitalised(SUBJECT_PRONOUNS)})\b)[A-Z][\w.]*(?: [A-Z]\w*)? "
    rf"(?:{alternation(QUOTE_VERBS)}|tweeted|posted|texted)\b"
)
# "... of World War I. The ...": nupunkt takes the numeral for an initial.
_OPENERS = SENTENCE_OPENERS | words(
    "according everybody everyone it's meanwhile nobody officials people police residents several"
)
_FRESH = re.compile(rf"\.[\"”’)\]]*\s+(?=(?:{_capitalised(_OPENERS)})\s+[a-z])")
# '... in the world." iOS will ...': a name that begins with a small letter.
_SMALL_NAME = re.compile(r"(?<=[a-z]{4})[.!?][\"”’)\]]*\s+(?=[a-z]{1,2}[A-Z][A-Za-z]+\s+[a-z\d])")
# "... of territory.Commerce, education ...": the space between two sentences was lost.
_GLUED = re.compile(r"[.?!](?<=[a-z][a-z][.?!])[\"”’)\]]*(?=[A-Z][a-z]*[\s,])")
_EMOJI = re.compile(r"[\u2600-\u27bf\U0001f000-\U0001faff\u200d\ufe0f\s]+")
_WORD = re.compile(r"\w")


def spans(
    text: str, *, line_breaks: LineBreaks = "auto", margin: int | None = None
) -> list[tuple[int, int]]:
    """The pieces ``[start, end)`` of ``text``: one sentence each, with the space that follows it.

    Together they are the text. ``line_breaks`` says what a single line break is: ``"wrap"`` a
    space, ``"end"`` the end of a sentence, ``"auto"`` whichever the paragraph looks like, given
    the ``margin`` of the document it is of (by default of the text itself).

    >>> text = "Mr. Hale left at 5 p.m. on Friday. Nobody saw him."
    >>> [text[start:end] for start, end in spans(text)]
    ['Mr. Hale left at 5 p.m. on Friday. ', 'Nobody saw him.']
    """
    if line_breaks not in get_args(LineBreaks):
        allowed = ", ".join(get_args(LineBreaks))
        raise UsageError(f"line_breaks is {line_breaks!r}; allowed: {allowed}")
    if margin is None and line_breaks == "auto":
        margin = margin_of([text])
    found = units(text, line_breaks, margin)
    starts = [at + start for at, unit in found for start in _starts(unit)]
    # Blank lines before the first sentence go with it.
    return list(pairwise([0, *starts[1:], len(text)])) if text else []


def split_sentences(source: str | Document, *, line_breaks: LineBreaks = "auto") -> list[Sentence]:
    """The sentences of a text or a document, each knowing its place.

    A piece without a visible character (a stray zero-width mark) gives no sentence.

    >>> [(s.line, s.text) for s in split_sentences("It rained.\\nWe stayed in. Ann read.")]
    [(1, 'It rained.'), (2, 'We stayed in.'), (2, 'Ann read.')]
    """
    if isinstance(source, str):
        whole = Document("", (source,), lines=(1,))
        return [Sentence(*place) for place in _sentences(whole, line_breaks)]
    return [Sentence(*place, source.id) for place in _sentences(source, line_breaks)]


def _sentences(
    document: Document, line_breaks: LineBreaks
) -> Iterator[tuple[str, str | None, int, int, int, int]]:
    """The fields of each ``Sentence``, up to its end."""
    margin = margin_of(document.paragraphs) if line_breaks == "auto" else None
    for number, paragraph in enumerate(document.paragraphs):
        line = document.lines[number] if document.lines else document.line
        counted = 0
        for start, end in spans(paragraph, line_breaks=line_breaks, margin=margin):
            piece = paragraph[start:end]
            if not _VISIBLE.search(piece):
                continue
            text = piece.strip()
            start += piece.index(text)
            if document.lines:
                line += _line_ends(paragraph, counted, start)
                counted = start
            yield text, document.source, line, number, start, start + len(text)


def _line_ends(text: str, start: int, end: int) -> int:
    pairs = text.count("\r\n", start, end)
    return text.count("\n", start, end) + text.count("\r", start, end) - pairs


@cache
def _punkt() -> Any:
    from nupunkt.models import load_default_model  # a copy of our own: nupunkt.load shares one

    tokenizer = load_default_model()
    for word in tokenizer.abbreviations:
        if word.isalpha() and (
            word in _SHORT_WORDS or (len(word) > 3 and word not in _LONG_ABBREVIATIONS)
        ):
            tokenizer.remove_abbreviation(word)
    return tokenizer


def _starts(unit: str) -> list[int]:
    """Where the sentences of a unit start; the first is 0."""
    flat = mask_long_words(unit.translate(_BREAKS_TO_SPACES))
    found = {start for start, _ in _punkt().span_tokenize(flat)}
    found.update(match.end() for match in _FRESH.finditer(flat))
    found.update(match.end() for match in _SMALL_NAME.finditer(flat))
    found.update(match.end() for match in _AFTER_NOON.finditer(flat))
    found.update(match.end() for match in _GLUED.finditer(flat) if _is_plain_word(flat, match))
    starts = [0]
    for start, after in pairwise([*sorted(found - {0}), len(flat)]):
        if _WORD.search(flat, start, after) and not _goes_on(flat, starts[-1], start):
            emoji = _EMOJI.match(flat, start)  # it comments on what came before
            starts.append(emoji.end() if emoji else start)
    return starts


def _is_plain_word(flat: str, mark: re.Match[str]) -> bool:
    """Whether the mark ends a word of letters, not an address or a file name."""
    return flat[max(0, mark.start() - 30) : mark.start()].split()[-1].isalpha()


def _goes_on(flat: str, start: int, end: int) -> bool:
    """Whether the sentence that began at ``start`` does not end at ``end``."""
    if _ENUMERATOR.fullmatch(flat, start, end):
        return True
    words = flat[max(start, end - 30) : end].split()
    last = words[-1].lstrip(_OPENING) if words else "."
    following = flat[end]
    if not last.endswith("."):
        quoted = last.endswith(('!"', '?"', "!”", "?”", "!’", "?’"))
        return last in _NAMES_WITH_MARKS or (
            quoted and (following.islower() or _SPEAKER.match(flat, end) is not None)
        )
    last = last[:-1]
    return (
        last in _TITLES
        or (following.islower() and last in _STATES)
        or (following.islower() and _ABBREVIATION.fullmatch(last) is not None)
        or (following.isdigit() and _NUMBERED.fullmatch(last) is not None)
    )
