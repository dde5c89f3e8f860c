"""Dialogue: quotations -> turns with speaker and addressee, who "I", "we" and "you" in them are.

A turn is the quotations of one speaker in a row. Its speaker is the subject of the verb of
speaking; where there is none, the turns alternate, or who acts in the sentence before speaks. It is
addressed to whom it calls by name, or to the neighbouring speaker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from fabula.text.coref.entities import Entities, Entity
from fabula.text.coref.mentions import Mention
from fabula.text.coref.speech import quotations, speaker_of
from fabula.text.lexicon import QUOTATION_MARKS
from fabula.text.parse.parsed import Parsed

__all__ = ["join_dialogue"]

# How often each was right on the LitBank books that are not for reporting.
_SUPPOSED = 0.6  # a speaker that no verb of speaking tells
_ADDRESSED = 0.6
_SAME_TURN = 25  # tokens between two quotations that one "he said" can join
_NEXT_TURN = 3  # between two turns that follow each other
# Between a turn and its answer: quotations farther apart are statements to a reporter, whose "you"
# is anybody.
_ANSWER = 12
_CALLS = frozenset("npadvmod intj dep vocative".split())
_ARGUMENTS = frozenset("nsubj nsubjpass conj".split())
_OPENS = frozenset((",", ";", *QUOTATION_MARKS, "``"))
_CLOSES = frozenset((",", ";", ".", "!", "?", *QUOTATION_MARKS, "''"))


@dataclass(slots=True)
class _Turn:
    """Quotations said in one go; ``told`` is the speaker whom a verb of speaking names."""

    start: int
    end: int
    gap: int  # tokens after the turn before
    told: int | None
    sure: int  # up to this token the verb of speaking is of the same sentence
    mentions: list[int] = field(default_factory=list)
    speaker: int | None = None


def join_dialogue(
    parsed: Parsed, mentions: list[Mention], entities: Entities, by_head: dict[int, int]
) -> dict[int, float]:
    """Join first and second persons in quotations; the certainty of what is supposed, by head."""
    spans = quotations(parsed)
    if not spans:
        return {}
    turns = _turns(parsed, mentions, by_head, spans)
    _find_speakers(parsed, mentions, entities, by_head, turns)
    certainty: dict[int, float] = {}
    for number, turn in enumerate(turns):
        one, some, you = (
            [i for i in turn.mentions if (mentions[i].person, mentions[i].number) in forms]
            for forms in (((1, "s"),), ((1, "p"), (1, "?")), ((2, "s"), (2, "?"), (2, "p")))
        )
        if _join(entities, turn.speaker, one):
            supposed = (i for i in one if turn.told is None or mentions[i].head >= turn.sure)
            certainty.update((mentions[i].head, _SUPPOSED) for i in supposed)
        _join(entities, None, some)
        if you:
            addressee = _addressee(parsed, mentions, entities, turns, number)
            if _join(entities, addressee, you):
                certainty.update((mentions[i].head, _ADDRESSED) for i in you)
    return certainty


def _join(entities: Entities, one: int | None, others: list[int]) -> bool:
    """Join mentions of a turn with each other and with whom they mean; whether that was done."""
    for other in others[1:]:
        entities.join(others[0], other)
    if one is None or not others:
        return False
    first, second = entities.entity_of[one], entities.entity_of[others[0]]
    if first is not second and first.full_names and second.full_names:
        return False  # two who are named are two
    entities.join(one, others[0])
    return True


def _turns(
    parsed: Parsed, mentions: list[Mention], by_head: dict[int, int], spans: list[tuple[int, int]]
) -> list[_Turn]:
    turns: list[_Turn] = []
    quoted: dict[int, _Turn] = {}
    for start, end in spans:
        head = speaker_of(parsed, start, end)
        head = _subject_after(parsed, end) if head is None else head
        told = None if head is None else by_head.get(head)
        before = turns[-1] if turns else None
        gap = start - before.end if before else len(parsed)
        if before and gap > 0 and _goes_on(parsed, mentions, before, told, start):
            if told is not None or parsed.sentence[start] == parsed.sentence[start - 1]:
                before.sure = end
            before.end = end
        else:
            before = _Turn(start, end, gap, told, end, speaker=told)
            turns.append(before)
        quoted.update(dict.fromkeys(range(start, end), before))
    for index, mention in enumerate(mentions):
        if mention.head in quoted:
            quoted[mention.head].mentions.append(index)
    return turns


def _subject_after(parsed: Parsed, end: int) -> int | None:
    """The subject of whatever verb follows a quotation: '"Never!" thundered the man.'"""
    if end + 1 >= len(parsed) or parsed.tags[end] not in ("VBD", "VBZ"):
        return None
    for token in range(end + 1, min(end + 6, len(parsed))):
        if parsed.tags[token].startswith(("NN", "PRP")) and parsed.labels[token] != "compound":
            return token
        if parsed.tags[token] not in ("DT", "JJ", "NNP", "PRP$"):
            return None
    return None


def _goes_on(
    parsed: Parsed, mentions: list[Mention], turn: _Turn, told: int | None, start: int
) -> bool:
    """Whether a quotation goes on with a turn: "Yes," he said. "It is." """
    if turn.told is None:
        return False
    said = mentions[turn.told].head
    if told is not None:
        return mentions[told].head == said
    if start - turn.end > _SAME_TURN or said < turn.end:
        return False
    # '"Who?" he asked. "Nobody."': a question is answered, unless the sentence goes on.
    asked = "?" in parsed.words[max(turn.start, turn.end - 2) : turn.end]
    return not asked or parsed.sentence[said] == parsed.sentence[start]


def _find_speakers(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    by_head: dict[int, int],
    turns: list[_Turn],
) -> None:
    """The speakers of turns that no verb of speaking tells."""
    for number, turn in enumerate(turns):
        if turn.speaker is not None:
            continue
        before = turns[number - 1] if number else None
        if before and turn.gap <= _NEXT_TURN:
            earlier = turns[max(0, number - 5) : number][::-1]
            later = [t for t in turns[number + 2 : number + 3] if t.told is not None]
            turn.speaker = _other(entities, before.speaker, [*earlier, *later])
        elif before is None or turn.gap > _NEXT_TURN:
            turn.speaker = _actor_before(
                parsed, mentions, entities, by_head, turn, before.end if before else 0
            )
    for turn, between, after in reversed(list(zip(turns, turns[1:], turns[2:], strict=False))):
        if turn.speaker is None and max(between.gap, after.gap) <= _NEXT_TURN:
            turn.speaker = after.speaker
    for before, turn in pairwise(turns):
        if turn.speaker is None:
            turn.speaker = before.speaker


def _other(entities: Entities, speaker: int | None, turns: list[_Turn]) -> int | None:
    """The first speaker of the turns who is not this speaker."""
    if speaker is None:
        return None
    for turn in turns:
        if turn.speaker is not None and (
            entities.entity_of[turn.speaker] is not entities.entity_of[speaker]
        ):
            return turn.speaker
    return None


def _actor_before(
    parsed: Parsed,
    mentions: list[Mention],
    entities: Entities,
    by_head: dict[int, int],
    turn: _Turn,
    since: int,
) -> int | None:
    """Who acts between the last turn and this: 'Jon shook his head. "No." '"""
    number = parsed.sentence[turn.start]
    for sentence in (number, number - 1):
        if sentence < 0:
            break
        end = parsed.starts[sentence + 1] if sentence + 1 < len(parsed.starts) else len(parsed)
        for token in range(max(since, parsed.starts[sentence]), min(end, turn.start)):
            index = by_head.get(token, -1)
            if parsed.labels[token] == "nsubj" and index >= 0:
                types = entities.entity_of[index].entity_types
                if mentions[index].animate or "PERSON" in types:
                    return index
    return None


def _addressee(
    parsed: Parsed, mentions: list[Mention], entities: Entities, turns: list[_Turn], number: int
) -> int | None:
    turn = turns[number]
    for index in turn.mentions:
        if _is_called(parsed, mentions[index], entities.entity_of[index]):
            return index
    around = []
    if number + 1 < len(turns) and turns[number + 1].gap <= _ANSWER:
        around.append(turns[number + 1])
    if number and turn.gap <= _ANSWER:
        around.append(turns[number - 1])
    if turn.speaker is None:
        return next((t.speaker for t in around if t.speaker is not None), None)
    return _other(entities, turn.speaker, around)


def _is_called(parsed: Parsed, mention: Mention, entity: Entity) -> bool:
    """Whether a person is called by name, set off by commas: "True, Florence", "No, uncle." """
    before, after = parsed.words[mention.start - 1], parsed.words[mention.end : mention.end + 1]
    if mention.kind == "name":
        person = "PERSON" in entity.entity_types
        if person and parsed.labels[mention.head] in _CALLS:
            return True
    else:
        person = mention.kind == "noun" and mention.animate is True and mention.number == "s"
        person = person and parsed.tags[mention.start] not in ("DT", "JJ")
    return (
        person
        and parsed.labels[mention.head] not in _ARGUMENTS
        and before in _OPENS
        and after[:1] != []
        and after[0] in _CLOSES
    )
