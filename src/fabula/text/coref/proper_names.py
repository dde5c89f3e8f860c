"""Proper names in a parse: which words they are, their words and titles, and what they name."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fabula.text.coref import agreement
from fabula.text.parse.parsed import Parsed
from fabula.text.temporal.lexicon import MONTHS, MONTHS_AS_WORDS, WEEKDAYS

if TYPE_CHECKING:
    from fabula.text.coref.mentions import Mention

__all__ = [
    "DAYS_AND_MONTHS",
    "PROPER",
    "has_article",
    "is_name",
    "is_person_within",
    "is_whole_name",
    "name_run",
    "name_start",
    "names_a_thing",
    "read_name",
    "settle_kinds",
    "settle_persons",
]

PROPER = frozenset(("NNP", "NNPS"))
_MISREAD = frozenset("NN NNS JJ RB VB VBG VBP VBZ".split())  # for a name: "Grace is", "Dolly runs"
_THINGS = frozenset("EVENT FAC GPE LAW LOC ORG PRODUCT WORK_OF_ART".split())
DAYS_AND_MONTHS = frozenset((*WEEKDAYS, *(month.lower() for month in MONTHS)))
_NOT_FIRST_NAMES = DAYS_AND_MONTHS - MONTHS_AS_WORDS
_BEFORE_PLACES = frozenset("in at from near to through of".split())
_BEFORE_DATES = frozenset("until till since in by last next this early late mid from on".split())


def is_name(parsed: Parsed, token: int) -> bool:
    """Whether a word is a proper noun, or a name that the tagger took for another word.

    A person's with a capital ("Grace retired"), or an abbreviation ("they expelled ISIL").
    """
    if parsed.tags[token] in PROPER:
        return True
    word, kind = parsed.words[token], parsed.names[token]
    return (
        parsed.tags[token] in _MISREAD
        and (
            (kind == "PERSON" and word.istitle())
            or (kind in ("ORG", "NORP", "GPE") and word.isupper() and len(word) > 1)
        )
        and not any(parsed.labels[child] == "det" for child in parsed.children[token])
    )


def is_whole_name(parsed: Parsed, token: int) -> bool:
    """Whether a word is a name by itself."""
    after = token + 1
    ends = after == len(parsed) or parsed.begins[after] or not parsed.names[after]
    return ends and parsed.begins[token] and is_name(parsed, token)


def is_person_within(parsed: Parsed, token: int) -> bool:
    """Whether a person's name ends here within another phrase: "the Mark Twain book"."""
    head, after = parsed.heads[token], token + 1
    ends = after == len(parsed) or parsed.begins[after] or parsed.names[after] != "PERSON"
    inside = parsed.names[head] in ("PERSON", "") and all(
        parsed.tags[between] in PROPER for between in range(after, head + 1)
    )
    return (
        parsed.names[token] == "PERSON"
        and ends
        and parsed.labels[token] in ("compound", "nmod", "npadvmod", "advmod")
        and (parsed.labels[token] in ("npadvmod", "advmod") or not inside)
        and parsed.words[token].lower() not in agreement.TITLES
    )


def name_run(parsed: Parsed, head: int) -> int:
    """Where the unbroken run of names ends at a person: "CNN correspondent [Sanjay Gupta]".

    The first token of the text for any other name.
    """
    if parsed.names[head] != "PERSON":
        return 0
    start, inside = head, not parsed.begins[head]
    while start and (inside or parsed.tags[start - 1] in PROPER):
        start -= 1
        inside = inside and not parsed.begins[start]
    return start


def name_start(parsed: Parsed, head: int, start: int) -> int:
    """Where a person's name begins: after the day or month that was read as a part of it.

    "Until January Dale Rusk worked there", "on Tuesday Anna Berg": "April Jones" is whole.
    """
    if parsed.names[head] != "PERSON" or parsed.tags[head] not in PROPER:
        return start
    place = start
    while place < head:
        word = parsed.words[place].lower()
        before = parsed.words[place - 1].lower() if place else ""
        dated = word in _NOT_FIRST_NAMES or (word in DAYS_AND_MONTHS and before in _BEFORE_DATES)
        if not dated and parsed.names[place] not in ("DATE", "TIME"):
            break
        place += 1
    return place


def names_a_thing(parsed: Parsed, head: int) -> bool:
    """Whether a noun beside a name says that no person has it: "the ferry Orla Maid"."""
    first = head
    while first and parsed.tags[first - 1] in PROPER:
        first -= 1
    return first > 0 and parsed.lemmas[first - 1].lower() in agreement.NAMED_THINGS


def has_article(parsed: Parsed, token: int) -> bool:
    """Whether "the" belongs to a word."""
    return any(parsed.words[c].lower() == "the" for c in parsed.children[token])


def read_name(parsed: Parsed, mention: Mention) -> None:
    """The words of a name, its titles, and what they tell of gender."""
    plain, titles = list[str](), list[str]()
    for token in range(max(mention.start, name_run(parsed, mention.head)), mention.end):
        word = parsed.words[token].lower().strip(".")
        below_head = parsed.tags[token] in PROPER or parsed.tags[token] in ("CD", "IN", "JJ", "NN")
        owner = parsed.labels[token] == "poss" or parsed.labels[parsed.heads[token]] == "poss"
        if not word or not below_head or (owner and token < mention.head):
            continue
        if word in agreement.TITLES and token < mention.end - 1:
            titles.append(word)
        elif parsed.tags[token] in PROPER or plain:
            plain.append(word)
    if plain and set(plain) <= agreement.GENERIC_NAMES:
        plain = _nationality(parsed, mention) + plain  # "the Syrian Army" is not the Iraqi one
    mention.words, mention.titles = tuple(plain or [mention.lemma]), tuple(titles)
    first = mention.words[0]
    gendered = {"m": agreement.MALE, "f": agreement.FEMALE}
    for gender, known in gendered.items():
        if any(title in known for title in titles):
            mention.gender = gender
    named = first in agreement.MALE_NAMES or first in agreement.FEMALE_NAMES
    thing = names_a_thing(parsed, mention.head)
    if thing and mention.entity_type == "PERSON":
        mention.entity_type = "PRODUCT"
    person = not thing and (
        mention.entity_type == "PERSON"
        or bool(titles)
        or (named and mention.entity_type not in _THINGS)
    )
    if person and mention.gender == "?":
        male, female = first in agreement.MALE_NAMES, first in agreement.FEMALE_NAMES
        mention.gender = "m" if male and not female else "f" if female and not male else "?"
    if person:
        mention.entity_type = "PERSON"
        mention.animate = True
        if mention.number == "p" and not has_article(parsed, mention.head):
            mention.number = "s"  # "Graves" is one man, "the Graves" are a family
    else:
        _agree_with_kind(mention)


def _nationality(parsed: Parsed, mention: Mention) -> list[str]:
    return [
        parsed.words[token].lower()
        for token in range(mention.start, mention.head)
        if parsed.tags[token] == "JJ" and parsed.names[token] and parsed.words[token].istitle()
    ]


def _agree_with_kind(mention: Mention) -> None:
    """Number, gender and animacy of a name that is no person's, by its kind."""
    if mention.entity_type == "NORP":
        mention.animate, mention.number = True, "p" if mention.number == "p" else "?"
    elif mention.entity_type in _THINGS:
        mention.animate, mention.gender = False, "n"
        mention.number = "?" if mention.entity_type == "ORG" else mention.number
        if mention.lemma in agreement.COLLECTIVE:
            mention.number = "?"


def settle_persons(parsed: Parsed, mentions: list[Mention]) -> None:
    """Take a single word that ends, or begins, a person's name for that person.

    The parser judges each mention by itself, and takes "Stout" for a firm after "Rex Stout". A
    headline has the surname before the name, so that surnames are those of the whole text.
    """
    persons = [m for m in mentions if m.entity_type == "PERSON" and len(m.words) > 1]
    surnames, first_names = {m.words[-1] for m in persons}, set[str]()
    for mention in mentions:
        if mention.kind == "noun" and mention.start == mention.head:
            _settle_surname(parsed, mention, surnames)
            continue
        if mention.kind != "name":
            continue
        if mention.entity_type == "PERSON":
            if len(mention.words) > 1:
                first_names.add(mention.words[0])
            elif mention.words[0] in surnames - first_names and not mention.titles:
                mention.gender = "?"  # "Benjamin" is no man's first name after "Regina Benjamin"
            continue
        if len(mention.words) != 1 or mention.article or mention.number == "p":
            continue
        (word,) = mention.words
        place = mention.entity_type in ("GPE", "LOC", "FAC")
        after = parsed.words[mention.start - 1].lower() if mention.start else ""
        if (word in surnames and not (place and after in _BEFORE_PLACES)) or (
            word in first_names and not place
        ):
            mention.entity_type, mention.animate, mention.number = "PERSON", True, "s"
            mention.gender = "?"


def _settle_surname(parsed: Parsed, mention: Mention, surnames: set[str]) -> None:
    """Take a noun with a capital that was a person's last name before for it: "Stanes retired"."""
    word = parsed.words[mention.head]
    if word.istitle() and word.lower() in surnames:
        mention.kind, mention.entity_type, mention.lemma = "name", "PERSON", word.lower()
        mention.words, mention.number, mention.gender = (word.lower(),), "s", "?"
        mention.animate = mention.definite = True


def settle_kinds(mentions: list[Mention]) -> None:
    """Give a name that is no person's the kind it has most often: "ISIL" is a body throughout."""
    kinds: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for mention in mentions:
        if mention.kind == "name":
            kinds[mention.words][mention.entity_type] += 1
    for mention in mentions:
        found = kinds[mention.words] if mention.kind == "name" else Counter[str]()
        if len(found) > 1 and "PERSON" not in found:
            mention.entity_type = max(found, key=lambda kind: (found[kind], kind))
            _agree_with_kind(mention)
