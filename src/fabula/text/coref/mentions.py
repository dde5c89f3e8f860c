"""Mention detection: pronouns, nouns, names and groups of a parse, with agreement features."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabula.text.coref import agreement
from fabula.text.coref.proper_names import (
    DAYS_AND_MONTHS,
    PROPER,
    has_article,
    is_name,
    is_person_within,
    is_whole_name,
    name_start,
    read_name,
    settle_kinds,
    settle_persons,
)
from fabula.text.lexicon import DEMONSTRATIVES, PERSONAL_PRONOUNS
from fabula.text.parse.parsed import Parsed

__all__ = ["Mention", "find_mentions"]

_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS"))
_NAME_LABELS = frozenset("nsubj nsubjpass dobj pobj dative conj poss appos advmod npadvmod".split())
_NOT_HEADS = frozenset(
    """amod compound nmod det advmod npadvmod quantmod nummod prep punct aux mark cc case
    intj meta predet prt neg""".split()
)
_BEFORE = frozenset("det amod compound nmod poss nummod quantmod predet".split())
_NO_ENTITY = frozenset("CARDINAL DATE MONEY ORDINAL PERCENT QUANTITY TIME LANGUAGE".split())
_DEFINITE = DEMONSTRATIVES | {"the", "both"}


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
        elif label in ("nsubj", "nsubjpass") and tag == "VBN" and has_article(parsed, token):
            mention = _nominal(parsed, token)  # "the wounded"
        elif (tag in PROPER and is_person_within(parsed, token)) or (
            tag not in PROPER and label in _NAME_LABELS and is_whole_name(parsed, token)
        ):
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
    settle_persons(parsed, found)
    settle_kinds(found)
    return found


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
    proper = is_name(parsed, token)
    if proper and tag not in PROPER:
        tag, lemma = "NNP", parsed.words[token].lower()
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
        read_name(parsed, mention)
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
        and word.lower() not in DAYS_AND_MONTHS | agreement.NOT_ENTITIES
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
