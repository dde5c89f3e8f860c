"""Pairwise: the model that ships. Units that see each other, plus what their words say outright.

Several witnesses tell which of two units stands first: two networks over MiniLM's states of all
units, one started from nothing (``joint``) and one from MiniLM's own upper layers (``upper``);
hashed words and openings (``features``); dates and clock times (``evidence``); introductions,
counted points and the hours of a day (``clues``). Their log-odds are added with weights fitted on
texts none of them was trained on, which also calibrates the sum; the order is the one that the
pairs agree with most (``decode``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula import weights
from fabula.errors import UsageError
from fabula.ordering.clues import CLUES, clue_signs
from fabula.ordering.decode import DECODERS, decode
from fabula.ordering.evidence import KINDS, time_signs
from fabula.ordering.features import BITS, pair_scores
from fabula.ordering.items import Order, Text
from fabula.ordering.joint import pair_logits
from fabula.ordering.mixing import fit_mix
from fabula.ordering.states import KEPT, unit_states
from fabula.ordering.upper import upper_logits
from fabula.progress import track
from fabula.text.minilm import DIMENSION

__all__ = ["Pairwise"]

WITNESSES = ("joint", "upper", "words", *KINDS, *CLUES)
_STATES = 2400  # of one text; a longer text keeps fewer of each unit
HIDDEN = 192  # of the upper layers' pair scores
_CHUNK = 256  # units read at once for training


class Pairwise:
    """Two networks, hashed words, times and clues; calibrated; decoded by Kemeny.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``decode.DECODERS``.
    """

    def __init__(
        self,
        *,
        width: int = 192,
        epochs: float = 2.0,
        rate: float = 1.2e-3,
        upper_epochs: float | None = None,
        upper_rate: float = 2e-4,
        batch_states: int = 1800,
        decoder: str = "best",
        seed: int = 0,
    ) -> None:
        self.width = width  # of the joint layers
        self.epochs = epochs
        self.rate = rate
        self.upper_epochs = upper_epochs  # None: as many as the joint layers
        self.upper_rate = upper_rate
        self.batch_states = batch_states  # tokens' states in one step of training
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
        states = unit_states(distinct, min(KEPT, max(2, _STATES // n)))
        said: list[NDArray[Any]] = [
            pair_logits(self.joint_, states),
            upper_logits(self.upper_, states),
            pair_scores(distinct, self.words_),
        ]
        told = [time_signs(distinct), clue_signs(distinct)]
        known = np.concatenate([*(one[:, :, None] for one in said), *told], axis=2)
        number = {unit: place for place, unit in enumerate(distinct)}
        places = [number[unit] for unit in units]
        return np.asarray(known[np.ix_(places, places)])

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Pairwise:
        from fabula.ordering.joint_training import train
        from fabula.ordering.models.linear import Linear
        from fabula.ordering.upper_training import train as train_upper

        for text in [*items, *dev]:
            if text.gold is None:
                raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
        items = [text for text in items if len(text.units) > 1]
        dev = [text for text in dev if len(text.units) > 1]
        if not items:
            raise UsageError("no text with two or more units to train on")
        if not dev:  # one in twenty is kept back; two texts are too few to keep one
            items, dev = [t for i, t in enumerate(items) if i % 20] or items, items[::20]
        self.words_ = Linear(alpha=2e-5, seed=self.seed).fit(items).weights_
        known = _read([unit for text in items for unit in text.units])
        texts = [[known[unit] for unit in _in_order(text)] for text in items]
        shared = {"batch_states": self.batch_states, "seed": self.seed}
        epochs = self.epochs if self.upper_epochs is None else self.upper_epochs
        # Rounded now as they will be saved, so that a saved model answers as the one in memory.
        self.joint_ = _rounded(
            train(texts, width=self.width, epochs=self.epochs, rate=self.rate, **shared)
        )
        self.upper_ = _rounded(
            train_upper(texts, hidden=HIDDEN, epochs=epochs, rate=self.upper_rate, **shared)
        )
        self.calibrate(dev)
        return self

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit how much each witness counts, on texts that the witnesses were not trained on."""
        said = [self.witnesses(_in_order(text)) for text in track(texts, "calibrating")]
        self.mix_ = fit_mix(said)

    def _ready(self) -> None:
        if not hasattr(self, "mix_"):
            shipped = type(self).load(weights.shipped("ordering/pairwise"))
            self.joint_, self.upper_ = shipped.joint_, shipped.upper_
            self.words_, self.mix_ = shipped.words_, shipped.mix_

    def save(self, folder: str | Path) -> None:
        self._ready()
        names = ("width", "epochs", "rate", "upper_epochs", "upper_rate", "batch_states",
                 "decoder", "seed")  # fmt: skip
        config = {
            "model": "ordering/pairwise",
            "bits": BITS,
            "mix": dict(zip(WITNESSES, self.mix_.tolist(), strict=True)),
            "parameters": {name: getattr(self, name) for name in names},
        }
        arrays = {
            f"{network}.{name}": value.astype(np.float16)
            for network, parts in (("joint", self.joint_), ("upper", self.upper_))
            for name, value in parts.items()
        }
        weights.write(folder, config, {**arrays, "words": self.words_})

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
            model.joint_, model.upper_ = _network(arrays, "joint."), _network(arrays, "upper.")
            _check_shapes(model.joint_, model.upper_, model.width)
        return model


def _network(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): value.astype(np.float32)
        for name, value in arrays.items()
        if name.startswith(prefix)
    }


def _check_shapes(joint: dict[str, Any], upper: dict[str, Any], width: int) -> None:
    first, last = (width, DIMENSION), (1, width // 2)
    if joint["inp.1.weight"].shape != first or joint["w.weight"].shape != last:
        raise ValueError(f"the joint layers are not {width} wide")
    if upper["a.weight"].shape != (HIDDEN, 2 * DIMENSION):
        raise ValueError(f"the upper layers' pair scores are not {HIDDEN} wide")


def _rounded(network: dict[str, Any]) -> dict[str, Any]:
    return {name: value.astype(np.float16).astype(np.float32) for name, value in network.items()}


def _read(units: Sequence[str]) -> dict[str, NDArray[np.float16]]:
    """Each unit's states, in half precision: a large training set must fit into memory."""
    distinct = list(dict.fromkeys(units))
    known: dict[str, NDArray[np.float16]] = {}
    for at in track(range(0, len(distinct), _CHUNK), "reading texts"):
        some = distinct[at : at + _CHUNK]
        for unit, states in zip(some, unit_states(some), strict=True):
            known[unit] = states.astype(np.float16)
    return known


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]
