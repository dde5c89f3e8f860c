"""Name matching: the same words, a part of them, or their initials."""

from __future__ import annotations

from fabula.text.coref.agreement import GENERIC_NAMES, RELATIVES
from fabula.text.coref.entities import Entities, Entity
from fabula.text.coref.mentions import Mention
from fabula.text.parse.parsed import Parsed

__all__ = ["acronym", "join_names"]

_PARTICLES = frozenset("of the and for in on de la du von van der al".split())
_COMPANY_WORDS = frozenset("company co corp corporation inc ltd limited group plc llc gmbh".split())


def acronym(words: tuple[str, ...]) -> str:
    """The initials of a name.

    >>> acronym(("united", "states", "of", "america"))
    'usa'
    """
    return "".join(word[0] for word in words if word not in _PARTICLES)


def join_names(parsed: Parsed, mentions: list[Mention], entities: Entities) -> None:
    """Join names in the order of the text; a shorter one goes to the last longer one it fits."""
    relatives = {i for i, m in enumerate(mentions) if m.kind == "name" and _is_relative(parsed, m)}
    exact: dict[tuple[str, ...], list[int]] = {}
    by_word: dict[str, list[int]] = {}
    initials: dict[str, int] = {}
    for index, mention in enumerate(mentions):
        if mention.kind != "name" or not mention.words:
            continue
        words = tuple(word for word in mention.words if word not in _PARTICLES) or mention.words
        # "Lord Hale ... Lady Hale ... Lord Hale": the last that can be the same.
        alike = reversed(exact.get(words, [])[-8:])
        other = next((before for before in alike if entities.agree(index, before)), None)
        if other is None:
            other = _partial(index, words, mentions, entities, by_word, relatives)
        if other is None and len(words) == 1:
            other = initials.get(words[0].replace(".", ""))
        if other is not None and entities.agree(index, other):
            entities.join(other, index)
        exact.setdefault(words, []).append(index)
        by_word.setdefault(words[-1], []).append(index)
        if len(words) > 1:
            by_word.setdefault(words[0], []).append(index)
            if 2 <= len(acronym(words)) <= 6:
                initials.setdefault(acronym(words), index)


def _is_relative(parsed: Parsed, mention: Mention) -> bool:
    """Whether a name is introduced as a relative's: "his wife Ann Hale", "her son, Bo Hale"."""
    before = range(max(mention.start - 1, 0), mention.head)
    above = parsed.heads[mention.head]
    apposed = parsed.labels[mention.head] == "appos" and parsed.lemmas[above] in RELATIVES
    return apposed or any(parsed.lemmas[token] in RELATIVES for token in before)


def _partial(
    index: int,
    words: tuple[str, ...],
    mentions: list[Mention],
    entities: Entities,
    by_word: dict[str, list[int]],
    relatives: set[int],
) -> int | None:
    """An earlier name of which this is the surname, the first name or the short form.

    A relative who is introduced ("her husband Bill Clinton") is not who had the surname before,
    nor has it afterwards if another can be meant.
    """
    mention = mentions[index]
    others = [
        o for key in dict.fromkeys((words[-1], words[0])) for o in by_word.get(key, [])[:-31:-1]
    ]
    for other in sorted(others, key=lambda o: o in relatives):
        before = mentions[other]
        if index in relatives and len(words) > len(before.words):
            continue
        if not entities.agree(index, other) or _is_namesake(words, entities.entity_of[other]):
            continue
        longer, shorter = (before.words, words) if len(before.words) >= len(words) else (
            words, before.words,
        )  # fmt: skip
        if len(longer) == len(shorter):
            continue  # two full names that share a word
        left = [word for word in longer if word not in shorter and word not in _PARTICLES]
        if len(left) + len(shorter) > len(longer) or not set(shorter) <= set(longer):
            continue
        if "PERSON" in (mention.entity_type, before.entity_type):
            if before.entity_type not in ("PERSON", "") or mention.entity_type not in (
                "PERSON",
                "",
            ):
                continue
            if len(shorter) > 1 or shorter[0] in (longer[0], longer[-1]):
                return other
        elif mention.entity_type == before.entity_type and (
            set(left) <= _COMPANY_WORDS
            or (
                not set(shorter) <= GENERIC_NAMES
                and shorter[0] == longer[0]
                and mention.entity_type == "ORG"
            )
        ):
            return other
    return None


def _is_namesake(words: tuple[str, ...], entity: Entity) -> bool:
    """Whether somebody of this surname is known to have another first name.

    "Guide Lars Eide" and "Lars Eide" are one, "Ann Hale" and "Jon Hale" two.
    """
    return len(words) > 1 and any(
        len(name) > 1
        and name[-1] == words[-1]
        and name[0][:1] != words[0][:1]
        and not (set(name) <= set(words) or set(words) <= set(name))
        for name in entity.full_names
    )
