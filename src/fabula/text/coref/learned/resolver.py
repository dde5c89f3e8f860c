"""The learned resolver: rules for names, nouns, speakers and reflexives; a scorer for the rest.

Anaphors are resolved from left to right by small networks of features. Every link has a calibrated
probability; below ``least`` an anaphor stays unresolved.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.errors import DamagedFile
from fabula.text.coref import CERTAIN, Resolved, Span
from fabula.text.coref.learned.candidates import Candidate, candidates_of, is_anaphor
from fabula.text.coref.learned.dialogue import join_dialogue
from fabula.text.coref.learned.features import FEATURES, Genders, pair_features
from fabula.text.coref.learned.kinds import Nouns, is_thing
from fabula.text.coref.learned.network import Scorer
from fabula.text.coref.learned.syntax import Syntax
from fabula.text.coref.mentions import Mention
from fabula.text.coref.reflexives import join_reflexive
from fabula.text.coref.rules import join_by_rules
from fabula.text.parse.parsed import Parsed

__all__ = ["Learned", "Model", "Pass", "load_model"]

Floats = NDArray[np.float32]
_SURE = 0.9  # a link from here on does not weaken the links that build on it
_PRONOUN_REACH = 2  # sentences back to a pronoun that an unresolved one continues


@dataclass(frozen=True, slots=True)
class Model:
    """What was trained: the genders of first names, the kinds of nouns, and the scorer."""

    genders: Genders
    scorer: Scorer
    nouns: Nouns = field(default_factory=dict)


@cache
def load_model(folder: Path | None = None) -> Model:
    """The shipped model, or that of a folder written by training; loaded once a process."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from fabula.text.transformer.joint_inference import dequantise

    source = folder or Path(str(files("fabula") / "data" / "weights" / "coref-learned"))
    try:
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        if config["features"] != list(FEATURES):
            raise ValueError("it was trained on other features")
        members: list[dict[str, Floats]] = [{} for _ in range(config["members"])]
        for name, value in dequantise(load_file(source / "features.safetensors")).items():
            number, _, rest = name.partition(".")
            members[int(number)][rest] = value
        scorer = Scorer(members, config["temperature"])
        return Model(config["genders"], scorer, config["nouns"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, SafetensorError) as error:
        raise DamagedFile(f"{source}: not a coreference model ({error})") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Coreference with certainty.

    ``least`` is the probability below which a pronoun of persons is not linked, ``plural`` and
    ``thing`` those of "they" and "it", ``described`` that of a description ("the gunman").
    Without ``things`` only persons, bodies, places and vehicles are given, as ACE annotates.
    """

    least: float = 0.3
    described: float = 0.6
    plural: float = 0.45
    thing: float = 0.3
    things: bool = True
    folder: str | None = None

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        return self.resolve(parsed).clusters

    def resolve(self, parsed: Parsed) -> Resolved:
        """The clusters, and for the head of each anaphor the probability of its cluster."""
        return Pass(parsed, load_model(Path(self.folder) if self.folder else None), self).run()

    def describe(self) -> str:
        return "fabula's learned resolver"


class Pass:
    """One pass over the anaphors of one text."""

    def __init__(self, parsed: Parsed, model: Model, settings: Learned) -> None:
        self.parsed, self.model, self.settings = parsed, model, settings
        self.mentions, self.entities, self.by_head = join_by_rules(parsed, quoted=False)
        self.syntax = Syntax(parsed)
        self.certainty: dict[int, float] = {}

    def link(self, end: int | None = None) -> None:
        """Resolve the anaphors among the mentions before the number ``end``, or all."""
        for index, mention in enumerate(self.mentions[:end]):
            if not is_anaphor(mention, self.entities.entity_of[index]):
                continue
            reflexive = mention.reflexive and join_reflexive(
                self.parsed, self.mentions, self.entities, self.by_head, index
            )
            if not reflexive:
                self._resolve(index)

    def run(self) -> Resolved:
        self.link()
        self.certainty |= join_dialogue(self.parsed, self.mentions, self.entities, self.by_head)
        spans = [Span(m.start, m.end, m.head) for m in self.mentions]
        entities = {id(entity): entity for entity in self.entities.entity_of}.values()
        clusters = [
            tuple(spans[index] for index in entity.mentions)
            for entity in entities
            if self.settings.things or not is_thing(self.mentions, entity, self.model.nouns)
        ]
        return Resolved(clusters, self.certainty)

    def _resolve(self, index: int) -> None:
        mention = self.mentions[index]
        candidates = candidates_of(self.parsed, self.syntax, self.mentions, self.entities, index)
        if candidates:
            chances = self._chances(index, candidates)
            best = int(chances[:-1].argmax())
            chance = float(chances[best])
            candidate = candidates[best]
            if self._accepted(mention, chance, float(chances[-1])):
                self.certainty[mention.head] = chance * self._support(index, candidate)
                self.entities.join(candidate.nearest, index)
                return
            if mention.gender not in ("m", "f") and self._join_only_one(index, candidates):
                return
        if mention.kind == "pronoun":
            self._continue(index)

    def _join_only_one(self, index: int, candidates: list[Candidate]) -> bool:
        """Join "it" with the one thing near it, "they" with the one group, if there is one alone.

        The scorer knows persons, bodies and places; nobody annotated things for it to learn.
        """
        mention = self.mentions[index]
        if mention.kind != "pronoun":
            return False
        here = self.parsed.sentence[mention.head]
        near = [
            candidate
            for candidate in candidates
            if here - self.parsed.sentence[self.mentions[candidate.nearest].head] <= 1
            and not candidate.ahead
            and (mention.gender == "n" or candidate.entity.group)
        ]
        if len(near) != 1:
            return False
        self.certainty[mention.head] = CERTAIN
        self.entities.join(near[0].nearest, index)
        return True

    def _accepted(self, mention: Mention, chance: float, none: float) -> bool:
        """Whether a link is made: a wrong description merges two persons, so it must be sure."""
        if mention.kind == "noun":
            return chance >= self.settings.described
        if mention.gender in ("m", "f"):
            return chance >= max(self.settings.least, none)
        return chance >= (self.settings.plural if mention.number == "p" else self.settings.thing)

    def _support(self, index: int, candidate: Candidate) -> float:
        """The certainty of the mention this link builds on, where that is a doubtful pronoun."""
        before = self.certainty.get(self.mentions[candidate.nearest].head, 1.0)
        return before if before < _SURE else 1.0

    def _continue(self, index: int) -> None:
        """Join an unresolved pronoun with a near one of its kind that is unresolved as well."""
        mention = self.mentions[index]
        here = self.parsed.sentence[mention.head]
        for other in range(index - 1, max(-1, index - 30), -1):
            before = self.mentions[other]
            if here - self.parsed.sentence[before.head] > _PRONOUN_REACH:
                return
            entity = self.entities.entity_of[other]
            same = (before.person, before.number, before.gender) == (
                mention.person, mention.number, mention.gender,
            )  # fmt: skip
            if before.kind == "pronoun" and same and not entity.heads and mention.gender != "n":
                self.entities.join(other, index)
                return

    def _chances(self, index: int, candidates: list[Candidate]) -> Floats:
        features = pair_features(
            self.parsed,
            self.syntax,
            self.mentions,
            index,
            candidates,
            self.model.genders,
            self.by_head,
        )
        return self.model.scorer.probabilities(features)
