"""Pairwise: the model that ships. Units that see each other, plus what their words say outright.

Three witnesses tell which of two units stands first: the joint layers over MiniLM's states of all
units (``joint``), hashed words and openings (``features``), and dates and clock times
(``evidence``). Their log-odds are added with weights fitted on texts none of them was trained on,
which also calibrates the sum; the order is the one that the pairs agree with most (``decode``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula import weights
from fabula.errors import UsageError
from fabula.ordering.decode import DECODERS, decode
from fabula.ordering.evidence import KINDS, time_signs
from fabula.ordering.features import BITS, pair_scores
from fabula.ordering.items import Order, Text
from fabula.ordering.joint import pair_logits
from fabula.ordering.mixing import fit_mix
from fabula.ordering.states import KEPT, unit_states
from fabula.progress import track

__all__ = ["Pairwise"]

WITNESSES = ("joint", "words", *KINDS)
_STATES = 4800  # of one text; a longer text keeps fewer of each unit


class Pairwise:
    """Joint layers, hashed words and times; calibrated; decoded by Kemeny.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``decode.DECODERS``.
    """

    def __init__(
        self,
        *,
        width: int = 192,
        epochs: float = 2.0,
        rate: float = 1.2e-3,
        batch_states: int = 1800,
        decoder: str = "best",
        seed: int = 0,
    ) -> None:
        self.width = width
        self.epochs = epochs
        self.rate = rate
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
        """n x n x 8: what each witness says for "i stands before j"; antisymmetric."""
        distinct = list(dict.fromkeys(units))  # equal units are read once, and are truly equal
        n = len(distinct)
        if n < 2:
            return np.zeros((len(units), len(units), len(WITNESSES)))
        states = unit_states(distinct, min(KEPT, max(2, _STATES // n)))
        joint = pair_logits(self.joint_, states)[:, :, None]
        words = pair_scores(distinct, self.words_)[:, :, None]
        known = np.concatenate([joint, words, time_signs(distinct)], axis=2)
        number = {unit: place for place, unit in enumerate(distinct)}
        places = [number[unit] for unit in units]
        return np.asarray(known[np.ix_(places, places)])

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Pairwise:
        from fabula.ordering.joint_training import train
        from fabula.ordering.models.linear import Linear

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
        states = [
            [part.astype(np.float16) for part in unit_states(_in_order(text))]
            for text in track(items, "reading texts")
        ]
        trained = train(
            states,
            width=self.width,
            epochs=self.epochs,
            rate=self.rate,
            batch_states=self.batch_states,
            seed=self.seed,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        self.joint_ = {
            name: value.astype(np.float16).astype(np.float32) for name, value in trained.items()
        }
        self.calibrate(dev)
        return self

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit how much each witness counts, on texts that the witnesses were not trained on."""
        said = [self.witnesses(_in_order(text)) for text in track(texts, "calibrating")]
        self.mix_ = fit_mix(said)

    def _ready(self) -> None:
        if not hasattr(self, "mix_"):
            shipped = type(self).load(weights.shipped("ordering/pairwise"))
            self.joint_, self.words_ = shipped.joint_, shipped.words_
            self.mix_ = shipped.mix_

    def save(self, folder: str | Path) -> None:
        self._ready()
        names = ("width", "epochs", "rate", "batch_states", "decoder", "seed")
        config = {
            "model": "ordering/pairwise",
            "bits": BITS,
            "mix": dict(zip(WITNESSES, self.mix_.tolist(), strict=True)),
            "parameters": {name: getattr(self, name) for name in names},
        }
        arrays = {f"joint.{name}": value.astype(np.float16) for name, value in self.joint_.items()}
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
            model.joint_ = {
                name.removeprefix("joint."): value.astype(np.float32)
                for name, value in arrays.items()
            }
            _check_joint(model.joint_, model.width)
        return model


def _check_joint(joint: dict[str, Any], width: int) -> None:
    if joint["inp.1.weight"].shape != (width, 384) or joint["w.weight"].shape != (1, width // 2):
        raise ValueError(f"the joint layers are not {width} wide")


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]
