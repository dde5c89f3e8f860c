"""Name matching: the same words, a part of them, or their initials."""

from __future__ import annotations

from fabula.text.coref.entities import Entities
from fabula.text.coref.mentions import Mention

__all__ = ["acronym", "join_names"]

_PARTICLES = frozenset("of the and for in on de la du von van der al".split())
_GENERIC_WORDS = frozenset(
    """army battle brigade campaign castle city college company corps council county division
    empire fleet force forces front government island kingdom lake league mount north south east
    west party province regiment republic river state states street union university war
    northern southern eastern western new first second third united national royal""".split()
)
_COMPANY_WORDS = frozenset("company co corp corporation inc ltd limited group plc llc gmbh".split())


def acronym(words: tuple[str, ...]) -> str:
    """The initials of a name.

    >>> acronym(("united", "states", "of", "america"))
    'usa'
    """
    return "".join(word[0] for word in words if word not in _PARTICLES)


def join_names(mentions: list[Mention], entities: Entities) -> None:
    """Join names in the order of the text; a shorter one goes to the last longer one it fits."""
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
        if other is None and words not in exact:
            other = _partial(mention, words, mentions, by_word)
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


def _partial(
    mention: Mention,
    words: tuple[str, ...],
    mentions: list[Mention],
    by_word: dict[str, list[int]],
) -> int | None:
    """An earlier name of which this is the surname, the first name or the short form."""
    for key in dict.fromkeys((words[-1], words[0])):
        for other in reversed(by_word.get(key, [])[-30:]):
            before = mentions[other]
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
                    not set(shorter) <= _GENERIC_WORDS
                    and shorter[0] == longer[0]
                    and mention.entity_type == "ORG"
                )
            ):
                return other
    return None
