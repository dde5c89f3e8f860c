"""Mention detection: pronouns, nouns, names and groups of a parse, with agreement features."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabula.text.coref import agreement
from fabula.text.lexicon import DEMONSTRATIVES, PERSONAL_PRONOUNS
from fabula.text.parse.parsed import Parsed
from fabula.text.temporal.lexicon import MONTHS, MONTHS_AS_WORDS, WEEKDAYS

__all__ = ["Mention", "find_mentions", "name_start", "names_a_thing"]

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_PROPER = frozenset(("NNP", "NNPS"))
_NOT_HEADS = frozenset(
    """amod compound nmod det advmod npadvmod quantmod nummod prep punct aux mark cc case
    intj meta predet prt neg""".split()
)
_BEFORE = frozenset("det amod compound nmod poss nummod quantmod predet".split())
_NO_ENTITY = frozenset("CARDINAL DATE MONEY ORDINAL PERCENT QUANTITY TIME LANGUAGE".split())
_THINGS = frozenset("EVENT FAC GPE LAW LOC ORG PRODUCT WORK_OF_ART".split())
_DEFINITE = DEMONSTRATIVES | {"the", "both"}
_DAYS_AND_MONTHS = frozenset((*WEEKDAYS, *(month.lower() for month in MONTHS)))
_NOT_FIRST_NAMES = _DAYS_AND_MONTHS - MONTHS_AS_WORDS
_BEFORE_PLACES = frozenset("in at from near to through of".split())
_BEFORE_DATES = frozenset("until till since in by last next this early late mid from on".split())


@dataclass(slots=True, eq=False)
class Mention:
    """A mention. ``number`` is s, p or ?; ``gender`` m, f, n or ?; ``person`` 0 if no pronoun."""

    head: int
    start: int
    end: int
    kind: str  # name, noun, pronoun or group
    number: str = "?"
    gender: str = "?"
    animate: bool | None = None
    person: int = 0
    reflexive: bool = False
    definite: bool = False
    article: bool = False  # "the" stands before it
    entity_type: str = ""  # of a name: PERSON, ORG ...
    words: tuple[str, ...] = ()  # of a name, without titles and articles
    titles: tuple[str, ...] = ()
    lemma: str = ""
    modifiers: frozenset[str] = frozenset()
    members: tuple[int, ...] = field(default=())  # of a group: the heads


def find_mentions(parsed: Parsed) -> list[Mention]:
    """All mentions in the order of their heads; a group comes after its first member."""
    found = []
    tags, labels = parsed.tags, parsed.labels
    for token in range(len(parsed)):
        tag, label = tags[token], labels[token]
        if tag in ("PRP", "PRP$"):
            mention = _pronoun(parsed, token)
        elif tag in _NOUNS and label not in _NOT_HEADS:
            mention = _nominal(parsed, token)
        elif label in ("nsubj", "nsubjpass") and tag == "VBN" and _has_article(parsed, token):
            mention = _nominal(parsed, token)  # "the wounded"
        elif tag in _PROPER and _is_person_within(parsed, token):
            mention = _nominal(parsed, token)
        else:
            continue
        if mention is None:
            continue
        found.append(mention)
        if label != "conj":
            group = _group(parsed, mention)
            if group is not None:
                found.append(group)
    _settle_persons(parsed, found)
    return found


def _settle_persons(parsed: Parsed, mentions: list[Mention]) -> None:
    """Take a single word that ends, or begins, an earlier person's name for that person.

    The parser judges each mention by itself, and takes "Stout" for a firm after "Rex Stout".
    """
    surnames, first_names = set[str](), set[str]()
    for mention in mentions:
        if mention.kind != "name":
            continue
        if mention.entity_type == "PERSON":
            if len(mention.words) > 1:
                surnames.add(mention.words[-1])
                first_names.add(mention.words[0])
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


def _is_person_within(parsed: Parsed, token: int) -> bool:
    """Whether a person's name ends here within another phrase: "the Mark Twain book"."""
    head, after = parsed.heads[token], token + 1
    ends = after == len(parsed) or parsed.begins[after] or parsed.names[after] != "PERSON"
    inside = parsed.tags[head] in _PROPER and parsed.names[head] in ("PERSON", "")
    return (
        parsed.names[token] == "PERSON"
        and ends
        and parsed.labels[token] in ("compound", "nmod", "npadvmod")
        and (parsed.labels[token] == "npadvmod" or not inside)
        and parsed.words[token].lower() not in agreement.TITLES
    )


def _has_article(parsed: Parsed, token: int) -> bool:
    return any(parsed.words[c].lower() == "the" for c in parsed.children[token])


def _pronoun(parsed: Parsed, token: int) -> Mention | None:
    word = parsed.words[token].lower()
    pronoun = PERSONAL_PRONOUNS.get(word)
    if (
        pronoun is None
        or parsed.labels[token] == "expl"
        or (word == "it" and _is_pleonastic(parsed, token))
    ):
        return None
    person, number, gender, reflexive = pronoun
    return Mention(
        head=token, start=token, end=token + 1, kind="pronoun", number=number, gender=gender,
        animate=True if gender in "mf" or person < 3 else False if gender == "n" else None,
        person=person, reflexive=reflexive, definite=True, lemma=word,
    )  # fmt: skip


def _is_pleonastic(parsed: Parsed, token: int) -> bool:
    """Whether "it" is pleonastic: the weather, "it is clear that", "it took a year to"."""
    verb = parsed.heads[token]
    if parsed.labels[token] != "nsubj" and parsed.labels[token] != "nsubjpass":
        return False
    lemma = parsed.lemmas[verb]
    if lemma in agreement.WEATHER:
        return True
    below = parsed.children[verb]
    clause = any(
        parsed.labels[c] in ("ccomp", "csubj", "advcl", "xcomp", "relcl", "acl") for c in below
    )
    if lemma == "be":
        deeper = any(
            parsed.labels[g] in ("xcomp", "ccomp", "advcl", "relcl", "acl", "prep")
            and parsed.labels[g] != "prep"
            for c in below
            if parsed.labels[c] in ("acomp", "attr")
            for g in parsed.children[c]
        )
        time = any(
            parsed.labels[c] in ("attr", "acomp") and parsed.names[c] in ("DATE", "TIME")
            for c in below
        )
        return clause or deeper or time
    says = lemma in ("say", "believe", "think", "know", "report", "claim", "estimate", "suggest")
    if parsed.labels[token] == "nsubjpass":
        return clause and (says or lemma in ("decide", "agree", "hope", "expect", "rumour"))
    return clause and lemma in ("seem", "appear", "happen", "take", "turn", "follow", "become")


def _nominal(parsed: Parsed, token: int) -> Mention | None:
    kind = parsed.names[token]
    lemma = parsed.lemmas[token].lower()
    tag = parsed.tags[token]
    if kind in ("DATE", "TIME") and tag == "NNP" and _is_misread_date(parsed, token):
        kind = ""
    if kind in _NO_ENTITY or lemma in agreement.NOT_ENTITIES:
        return None
    start, end = _span(parsed, token)
    proper = tag in _PROPER
    article, modifiers, owner = "", set[str](), False
    for child in parsed.children[token]:
        label, word = parsed.labels[child], parsed.words[child].lower()
        if label == "det":
            article = word
        elif label == "poss":
            owner = True
            modifiers.add(f"{word}'s")
        elif label in ("amod", "compound", "nummod", "nmod"):
            modifiers.add(parsed.lemmas[child].lower())
    mention = Mention(
        head=token, start=start, end=end,
        kind="name" if proper else "noun",
        number="p" if tag in ("NNS", "NNPS") else "s",
        definite=proper or owner or article in _DEFINITE, article=article == "the",
        entity_type=kind, lemma=lemma, modifiers=frozenset(modifiers),
    )  # fmt: skip
    if proper:
        _read_name(parsed, mention)
    else:
        _read_noun(mention)
    return mention


def _is_misread_date(parsed: Parsed, token: int) -> bool:
    """Whether a name that acts was read as a date: "Frei was born in Santiago"."""
    word = parsed.words[token]
    return (
        parsed.labels[token] in ("nsubj", "nsubjpass", "dobj")
        and parsed.begins[token]
        and (token + 1 == len(parsed) or parsed.names[token + 1] != parsed.names[token])
        and word.isalpha()
        and word.istitle()
        and word.lower() not in _DAYS_AND_MONTHS | agreement.NOT_ENTITIES
        and word.lower() not in ("easter", "christmas", "ramadan", "lent", "advent", "pentecost")
    )


def _span(parsed: Parsed, token: int) -> tuple[int, int]:
    """The noun with what stands before it, or the whole name it is the head of."""
    start = end = token
    for child in parsed.children[token]:
        if child < token and parsed.labels[child] in _BEFORE:
            start = min(start, parsed.subtree(child)[0])
    if parsed.names[token]:
        while end + 1 < len(parsed) and not parsed.begins[end + 1] and parsed.names[end + 1]:
            end += 1
        first = token
        while first > 0 and parsed.names[first - 1] and not parsed.begins[first]:
            first -= 1
        start = min(start, first)
    return name_start(parsed, token, start), end + 1


def name_start(parsed: Parsed, head: int, start: int) -> int:
    """Where a person's name begins: after the day or month that was read as a part of it.

    "Until January Dale Rusk worked there", "on Tuesday Anna Berg": "April Jones" is whole.
    """
    if parsed.names[head] != "PERSON" or parsed.tags[head] not in _PROPER:
        return start
    place = start
    while place < head:
        word = parsed.words[place].lower()
        before = parsed.words[place - 1].lower() if place else ""
        dated = word in _NOT_FIRST_NAMES or (word in _DAYS_AND_MONTHS and before in _BEFORE_DATES)
        if not dated and parsed.names[place] not in ("DATE", "TIME"):
            break
        place += 1
    return place


def names_a_thing(parsed: Parsed, head: int) -> bool:
    """Whether a noun beside a name says that no person has it: "the ferry Orla Maid"."""
    first = head
    while first and parsed.tags[first - 1] in _PROPER:
        first -= 1
    return first > 0 and parsed.lemmas[first - 1].lower() in agreement.NAMED_THINGS


def _read_name(parsed: Parsed, mention: Mention) -> None:
    """The words of a name, its titles, and what they tell of gender."""
    plain, titles = list[str](), list[str]()
    for token in range(mention.start, mention.end):
        word = parsed.words[token].lower().strip(".")
        below_head = parsed.tags[token] in _PROPER or parsed.tags[token] in ("CD", "IN", "JJ", "NN")
        owner = parsed.labels[token] == "poss" or parsed.labels[parsed.heads[token]] == "poss"
        if not word or not below_head or (owner and token < mention.head):
            continue
        if word in agreement.TITLES and token < mention.end - 1:
            titles.append(word)
        elif parsed.tags[token] in _PROPER or plain:
            plain.append(word)
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
        if mention.number == "p" and not _has_article(parsed, mention.head):
            mention.number = "s"  # "Graves" is one man, "the Graves" are a family
    elif mention.entity_type == "NORP":
        mention.animate, mention.number = True, "p" if mention.number == "p" else "?"
    elif mention.entity_type in _THINGS:
        mention.animate, mention.gender = False, "n"
        mention.number = "?" if mention.entity_type == "ORG" else mention.number
        if mention.lemma in agreement.COLLECTIVE:
            mention.number = "?"


def _read_noun(mention: Mention) -> None:
    lemma = mention.lemma
    if lemma in agreement.INDEFINITE:
        mention.animate = lemma.endswith(("body", "one"))
        return
    if agreement.is_person_noun(lemma) or lemma in ("people", "man", "woman", "child"):
        mention.animate = True
        mention.gender = (
            "m" if lemma in agreement.MALE else "f" if lemma in agreement.FEMALE else "?"
        )
    else:
        mention.animate = None if lemma in agreement.COLLECTIVE else False
        mention.gender = "n"
    if lemma in ("people", "police", "cattle"):
        mention.number = "p"
    elif lemma in agreement.COLLECTIVE and mention.number == "s":
        mention.number = "?"


def _group(parsed: Parsed, first: Mention) -> Mention | None:
    """ "Ann and Bo" as one mention besides the two."""
    heads, joined = [first.head], False
    for member in heads:  # grows while it is read
        for child in parsed.children[member]:
            if parsed.labels[child] == "conj" and parsed.tags[child] in (*_NOUNS, "PRP"):
                heads.append(child)
            elif parsed.labels[child] == "cc" and parsed.words[child].lower() in ("and", "&"):
                joined = True
    if len(heads) < 2 or not joined:
        return None
    return Mention(
        head=first.head, start=first.start, end=max(heads) + 1, kind="group", number="p",
        gender="?" if first.animate else "n", animate=first.animate, definite=True,
        members=tuple(heads),
    )  # fmt: skip
