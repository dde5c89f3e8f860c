"""Pairwise: the model that ships. Units that see each other, plus what their words say outright.

Several witnesses tell which of two units stands first: MiniLM, all of it trained further, which
reads the units of a text beside each other (``text.tuned``, ``pairs``); hashed words and openings
(``features``); dates and clock times (``evidence``); introductions, counted points, hours and
weekdays (``clues``). Their log-odds are added with weights fitted on texts none of them was
trained on, which also calibrates the sum; the order is the one that the pairs agree with most
(``decode``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
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
from fabula.ordering.mixing import fit_mix
from fabula.ordering.pairs import HIDDEN, pair_logits
from fabula.progress import track
from fabula.text.minilm import DIMENSION
from fabula.text.tuned import Tuned, packed, unpacked

__all__ = ["Pairwise"]

WITNESSES = ("network", "words", *KINDS, *CLUES)


class Pairwise:
    """MiniLM trained further, hashed words, times and clues; calibrated; decoded by Kemeny.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``decode.DECODERS``.
    """

    network_: dict[str, NDArray[np.float32]]

    def __init__(
        self,
        *,
        epochs: float = 3.0,
        rate: float = 2e-4,
        batch: int = 1800,
        start: str | None = None,
        decoder: str = "best",
        seed: int = 0,
    ) -> None:
        self.epochs = epochs
        self.rate = rate
        self.batch = batch  # word pieces in one step of training
        self.start = start  # "shipped", or the folder of a trained one, to go on from; words stay
        self.decoder = decoder
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> Pairwise:
        if argument not in DECODERS:
            raise UsageError(
                f"pairwise:{argument} is no decoder; take one of {', '.join(DECODERS)}"
            )
        return cls(decoder=argument)

    def order(self, texts: Sequence[Text]) -> list[Order]:
        self._ready()
        return [self._order(text) for text in track(texts, "ordering")]

    def _order(self, text: Text) -> Order:
        logits = self.witnesses(text.units) @ self.mix_
        before = (1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
        return Order(decode(before, self.decoder), before)

    def witnesses(self, units: Sequence[str]) -> NDArray[np.float64]:
        """n x n x 15: what each witness says for "i stands before j"; antisymmetric."""
        distinct = list(dict.fromkeys(units))  # equal units are read once, and are truly equal
        n = len(distinct)
        if n < 2:
            return np.zeros((len(units), len(units), len(WITNESSES)))
        said: list[NDArray[Any]] = [
            pair_logits(self.network_, self._reader.read(distinct)),
            pair_scores(distinct, self.words_),
        ]
        told = [time_signs(distinct), clue_signs(distinct)]
        known = np.concatenate([*(one[:, :, None] for one in said), *told], axis=2)
        number = {unit: place for place, unit in enumerate(distinct)}
        places = [number[unit] for unit in units]
        return np.asarray(known[np.ix_(places, places)])

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
        if not dev:
            items, dev = keep_back(items, self.seed)
        start = None if self.start is None else _start(self.start)
        if start is None:
            self.words_ = Linear(alpha=2e-5, seed=self.seed).fit(items).weights_
        else:
            self.words_ = start.words_
        network = train(
            [_in_order(text) for text in items],
            epochs=self.epochs,
            rate=self.rate,
            batch=self.batch,
            seed=self.seed,
            start=None if start is None else start.network_,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        self.network_ = unpacked(packed(network))
        self.__dict__.pop("_reader", None)
        self.calibrate(dev)
        return self

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit how much each witness counts, on texts that the witnesses were not trained on."""
        said = [self.witnesses(_in_order(text)) for text in track(texts, "calibrating")]
        self.mix_ = fit_mix(said)

    @cached_property
    def _reader(self) -> Tuned:
        return Tuned(self.network_)

    def _ready(self) -> None:
        if not hasattr(self, "mix_"):
            shipped = _shipped()
            self.network_, self.words_ = shipped.network_, shipped.words_
            self.mix_, self._reader = shipped.mix_, shipped._reader

    def parameters(self) -> int:
        """How many numbers are learnt: the network's, the hashed words' and the witnesses'."""
        self._ready()
        return sum(map(np.size, self.network_.values())) + len(self.words_) + len(self.mix_)

    def save(self, folder: str | Path) -> None:
        self._ready()
        names = ("epochs", "rate", "batch", "start", "decoder", "seed")
        config = {
            "model": "ordering/pairwise",
            "mix": dict(zip(WITNESSES, self.mix_.tolist(), strict=True)),
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
            if list(config["mix"]) != list(WITNESSES):
                raise ValueError("it was trained with other witnesses than this version has")
            model.mix_ = np.array(list(config["mix"].values()))
            model.network_ = unpacked(arrays)
            if model.network_["a.weight"].shape != (HIDDEN, 2 * DIMENSION):
                raise ValueError(f"its pair scores are not {HIDDEN} wide")
        return model


@cache
def _shipped() -> Pairwise:
    return Pairwise.load(weights.shipped("ordering/pairwise"))


def _start(name: str) -> Pairwise:
    return _shipped() if name == "shipped" else Pairwise.load(name)


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]
