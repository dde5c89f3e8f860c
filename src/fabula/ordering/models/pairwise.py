"""Pairwise: the model that ships. Units that see each other, plus what their words say outright.

Several witnesses tell which of two units stands first: MiniLM, or a larger transformer, trained
further, which reads the units of a text beside each other (``text.tuned``, ``pairs``); hashed words
and openings (``features``); dates and clock times (``evidence``); introductions, counted points,
hours and weekdays (``clues``). Their log-odds are added with weights fitted on texts none of them
was trained on, which also calibrates the sum. The network says as well which unit may follow right
behind which. The order is the one that the pairs agree with most (``decode``) or the most probable
one, unit after unit (``walk``): whichever orders the development texts better.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula import weights
from fabula.errors import UsageError
from fabula.learning import keep_back
from fabula.ordering.clues import CLUES, clue_signs
from fabula.ordering.decode import DECODERS, decode
from fabula.ordering.evidence import KINDS, time_signs
from fabula.ordering.features import BITS, pair_scores
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import tau
from fabula.ordering.mixing import fit_mix, fit_steps
from fabula.ordering.pairs import follow_scores, heads_of, opening_scores, pair_logits
from fabula.ordering.walk import Walk, best_walk
from fabula.progress import track
from fabula.text.bodies import BODIES, Body
from fabula.text.tuned import Tuned, packed, unpacked

__all__ = ["Pairwise"]

WITNESSES = ("network", "words", *KINDS, *CLUES)
STEPS = (*WITNESSES, "follow", "opening")
_RATES = {"minilm": 2e-4, "mpnet": 5e-5}

Floats = NDArray[np.floating]
Heard = tuple[Floats, Floats, Floats]  # of pairs, of what follows, of what opens


class Pairwise:
    """A transformer trained further, hashed words, times and clues; calibrated; decoded.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``decode.DECODERS``, or ``walk``; ``best`` is what did better on the development texts.
    ``reader`` is what is trained: ``minilm``, as shipped, or ``mpnet``, eight times its size.
    """

    network_: dict[str, NDArray[np.float32]]

    def __init__(
        self,
        *,
        reader: str = "minilm",
        epochs: float = 3.0,
        rate: float | None = None,
        batch: int = 1800,
        start: str | None = None,
        decoder: str = "best",
        seed: int = 0,
    ) -> None:
        self.reader = reader
        self.epochs = epochs
        self.rate = rate  # of learning; None: what suits the reader
        self.batch = batch  # word pieces, or states, in one step of training
        self.start = start  # "shipped", or the folder of a trained one, to go on from; words stay
        self.decoder = decoder
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> Pairwise:
        known = (*DECODERS, "walk")
        if argument not in known:
            raise UsageError(f"pairwise:{argument} is no decoder; take one of {', '.join(known)}")
        return cls(decoder=argument)

    def order(self, texts: Sequence[Text]) -> list[Order]:
        self._ready()
        return [self._order(text) for text in track(texts, "ordering")]

    def _order(self, text: Text) -> Order:
        return self._decoded(text.units, self.witnesses(text.units), self.decoder)

    def _decoded(self, units: Sequence[str], heard: Heard, decoder: str) -> Order:
        said, follow, opening = heard
        logits = said @ self.mix_
        before = (1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
        if decoder == "best" and self.walks_:
            decoder = "walk"
        if decoder != "walk":
            return Order(decode(before, decoder), before)
        *pairs, near, front = self.steps_
        numbers = {unit: number for number, unit in enumerate(units)}
        kinds = np.array([numbers[unit] for unit in units], dtype=np.int64)
        walk = Walk(said @ np.array(pairs), near * follow, front * opening, kinds)
        return Order(best_walk(walk), before, walk=walk)

    def witnesses(self, units: Sequence[str]) -> Heard:
        """n x n x 15: what each witness says for "i stands before j", antisymmetric.

        Then what the network says for "j stands right behind i", n x n, and "i opens", n.
        """
        distinct = list(dict.fromkeys(units))  # equal units are read once, and are truly equal
        n = len(distinct)
        if n < 2:
            m = len(units)
            return np.zeros((m, m, len(WITNESSES))), np.zeros((m, m)), np.zeros(m)
        read = self._reader.read(distinct)
        said: list[NDArray[Any]] = [
            pair_logits(self.network_, read),
            pair_scores(distinct, self.words_),
        ]
        told = [time_signs(distinct), clue_signs(distinct)]
        known = np.concatenate([*(one[:, :, None] for one in said), *told], axis=2)
        follow = follow_scores(self.network_, read)
        np.fill_diagonal(follow, 0.0)  # nothing is known of units that are equal
        number = {unit: place for place, unit in enumerate(distinct)}
        places = [number[unit] for unit in units]
        both = np.ix_(places, places)
        return known[both], follow[both], opening_scores(self.network_, read)[places]

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Pairwise:
        from fabula.ordering.models.linear import Linear
        from fabula.ordering.pair_training import train

        for text in [*items, *dev]:
            if text.gold is None:
                raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
        items = [text for text in items if len(text.units) > 1]
        dev = [text for text in dev if len(text.units) > 1]
        if not items:
            raise UsageError("no text with two or more units to train on")
        body = self._body
        if not dev:
            items, dev = keep_back(items, self.seed)
        start = None if self.start is None else _start(self.start)
        if start is not None and start.reader != self.reader:
            raise UsageError(
                f"{self.start} was trained with reader={start.reader}; set reader to the same"
            )
        if start is None:
            self.words_ = Linear(alpha=2e-5, seed=self.seed).fit(items).weights_
        else:
            self.words_ = start.words_
        network = train(
            [_in_order(text) for text in items],
            epochs=self.epochs,
            rate=_RATES[self.reader] if self.rate is None else self.rate,
            batch=self.batch,
            seed=self.seed,
            start=None if start is None else start.network_,
            body=body,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        self.network_ = unpacked(packed(network))
        self.__dict__.pop("_reader", None)
        self.calibrate(dev)
        return self

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit how much each witness counts, on texts that the witnesses were not trained on.

        And choose between pairs and steps: by steps, if that orders these texts better (tau).
        """
        rng = random.Random(self.seed)
        given, places = [], []
        for units in map(_in_order, texts):
            # Shuffled: where nothing is known, decoders leave units as they stand.
            turn = rng.sample(range(len(units)), len(units))
            given.append([units[i] for i in turn])
            places.append(np.argsort(turn).tolist())
        heard = [self.witnesses(units) for units in track(given, "calibrating")]
        said = [_put(one, order) for one, order in zip(heard, places, strict=True)]
        self.mix_ = fit_mix([pairs for pairs, _, _ in said])
        self.steps_ = fit_steps(said)
        self.walks_ = False
        reached = {
            way: mean(
                tau(order, self._decoded(units, one, way).order)
                for units, one, order in zip(given, heard, places, strict=True)
            )
            for way in ("best", "walk")
        }
        self.walks_ = reached["walk"] > reached["best"]

    @property
    def _body(self) -> Body:
        if self.reader not in BODIES:
            known = ", ".join(BODIES)
            raise UsageError(f"reader must be one of {known}, not {self.reader!r}")
        return BODIES[self.reader]

    @cached_property
    def _reader(self) -> Tuned:
        return Tuned(self.network_, self._body)

    def _ready(self) -> None:
        if not hasattr(self, "mix_"):
            shipped = _shipped()
            self.network_, self.words_ = shipped.network_, shipped.words_
            self.mix_, self.steps_, self._reader = shipped.mix_, shipped.steps_, shipped._reader
            self.walks_ = shipped.walks_

    def parameters(self) -> int:
        """How many numbers are learnt: the network's, the hashed words' and the witnesses'."""
        self._ready()
        learnt = [*self.network_.values(), self.words_, self.mix_, self.steps_]
        return sum(map(np.size, learnt))

    def save(self, folder: str | Path) -> None:
        self._ready()
        names = ("reader", "epochs", "rate", "batch", "start", "decoder", "seed")
        config = {
            "model": "ordering/pairwise",
            "mix": dict(zip(WITNESSES, self.mix_.tolist(), strict=True)),
            "steps": dict(zip(STEPS, self.steps_.tolist(), strict=True)),
            "walks": self.walks_,
            "parameters": {name: getattr(self, name) for name in names},
        }
        weights.write(folder, config, {**packed(self.network_), "words": self.words_})

    @classmethod
    def load(cls, folder: str | Path) -> Pairwise:
        with weights.reading(folder) as (config, arrays):
            model = cls(**config["parameters"])
            model.words_ = arrays.pop("words")
            if len(model.words_) != 1 << BITS:
                raise ValueError(f"{len(model.words_)} word weights, expected {1 << BITS}")
            if [*config["mix"], *config.get("steps", ())] != [*WITNESSES, *STEPS]:
                raise ValueError("it was trained with other witnesses than this version has")
            model.mix_, model.steps_ = (
                np.array(list(config[name].values())) for name in ("mix", "steps")
            )
            model.walks_ = bool(config["walks"])
            model.network_ = unpacked(arrays)
            expected = heads_of(model._body)
            if {name: model.network_[name].shape for name in expected} != expected:
                raise ValueError(f"its pair scores are not of the sizes {expected}")
        return model


@cache
def _shipped() -> Pairwise:
    return Pairwise.load(weights.shipped("ordering/pairwise"))


def _start(name: str) -> Pairwise:
    return _shipped() if name == "shipped" else Pairwise.load(name)


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]


def _put(heard: Heard, order: Sequence[int]) -> Heard:
    """The same of the units in this order."""
    pairs, follow, opening = heard
    both = np.ix_(order, order)
    return pairs[both], follow[both], opening[list(order)]
