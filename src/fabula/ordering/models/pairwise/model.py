"""Pairwise: the model that ships. Units that see each other, plus what their words say outright.

Several witnesses tell which of two units stands first: MiniLM, a larger transformer, or both, all
trained further, which read the units of a text beside each other (``text.tuned``, ``pairs``);
hashed words and openings (``features``); dates and clock times (``evidence``); introductions,
counted points, hours and weekdays (``clues``); and, if asked for, a language model that says what
goes on from what (``continuation``). Their log-odds are added with weights fitted on texts none of
them was trained on, which also calibrates the sum. The networks say as well which unit may follow
right behind which, and so does MiniLM as it is: by how alike they are (``likeness``). The order is
the one that the pairs agree with most (``decode``), or the most probable one, unit after unit
(``walk``), or the one that the pairs agree with most when every order is weighed as a whole
(``chances``): whichever orders the development texts best.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.training import keep_back
from fabula.errors import UsageError
from fabula.ordering.decoding.kemeny import DECODERS, EXACT_UP_TO, decode
from fabula.ordering.decoding.permutation_marginals import pair_marginals
from fabula.ordering.decoding.sequential_beam import sequential_beam_search
from fabula.ordering.features.adjacency_similarity import adjacency_similarity
from fabula.ordering.features.discourse_cues import CUES, cue_signs
from fabula.ordering.features.hashed import BITS, pair_scores
from fabula.ordering.features.lm_continuation import Continuation
from fabula.ordering.items import Order, OrderScores, Text
from fabula.ordering.metrics import tau
from fabula.ordering.models.pairwise.calibration import fit_chances, fit_mix, fit_steps
from fabula.ordering.models.pairwise.head import Network
from fabula.text import resources
from fabula.text.temporal.comparison import KINDS, time_signs
from fabula.text.transformer.joint_inference import packed
from fabula.text.transformer.spec import BODIES, Body

__all__ = ["Pairwise"]


_SAID = ("network", "follow", "opening")  # what each network says, in the order of ``judge``
_WAYS = ("pairs", "walk", "chances")  # the last two hear what follows what, too

Floats = NDArray[np.floating]
Reader = Network | Continuation
Heard = tuple[Floats, Floats, Floats]  # of pairs, of what follows, of what opens; by witness


class Pairwise(SavedModel):
    """A transformer trained further, hashed words, times and clues; calibrated; decoded.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``decode.DECODERS`` or a way: ``pairs``, ``walk``, ``chances``; ``best`` is the way that did
    best on the development texts. ``chances`` of more than 16 units would take too long: ``pairs``.
    ``reader`` is what is trained: ``minilm``, as shipped, ``mpnet``, with layers eight
    times as large, or ``minilm+mpnet``, each by itself. ``smollm2`` beside them, as in
    ``mpnet+smollm2``, is a language model that tells, untrained, what may be said next.
    """

    registered, fitted, ships = "ordering/pairwise", "mix_", True
    parameters_last = True
    networks_: list[Reader]

    def __init__(
        self,
        *,
        reader: str = "minilm",
        epochs: float = 3.0,
        rate: float = 2e-4,
        batch: int = 1800,
        start: str | None = None,
        decoder: str = "best",
        seed: int = 0,
    ) -> None:
        self.reader = reader
        self.epochs = epochs
        self.rate = rate  # by which MiniLM learns; MPNet by a quarter of it
        self.batch = batch  # word pieces, or states, in one step of training
        # "shipped", or the folder of a trained one, to go on from, or one a reader with commas
        # between; the words of the first stay.
        self.start = start
        self.decoder = decoder
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> Pairwise:
        known = (*DECODERS, *_WAYS)
        if argument not in known:
            raise UsageError(f"pairwise:{argument} is no decoder; take one of {', '.join(known)}")
        return cls(decoder=argument)

    def order(self, texts: Sequence[Text]) -> list[Order]:
        self.ensure_trained()
        return [self._order(text) for text in track(texts, "ordering")]

    def _order(self, text: Text) -> Order:
        way = _meant(self.way_ if self.decoder == "best" else self.decoder, len(text.units))
        return self._decoded(text.units, self.witnesses(text.units, near=way in _WAYS[1:]), way)

    def _decoded(self, units: Sequence[str], heard: Heard, way: str) -> Order:
        said, follow, _ = heard
        logits = said @ self.mix_
        before = (1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
        way = _meant(way, len(units))
        if way not in _WAYS[1:]:
            return Order(decode(before, "best" if way == "pairs" else way), before)
        learnt = self.steps_ if way == "walk" else self.chances_
        shares = np.split(learnt, np.cumsum([said.shape[2], follow.shape[2]]))
        pull, near, front = (part @ share for part, share in zip(heard, shares, strict=True))
        numbers = {unit: number for number, unit in enumerate(units)}
        kinds = np.array([numbers[unit] for unit in units], dtype=np.int64)
        scores = OrderScores(pull, near, front, kinds, joint=way == "chances")
        if not scores.joint:
            return Order(sequential_beam_search(scores), before, scores=scores)
        before = pair_marginals(scores)
        return Order(decode(before), before, scores=scores)

    def witnesses(self, units: Sequence[str], *, near: bool = True) -> Heard:
        """n x n x 15 or more: what each witness says for "i stands before j", antisymmetric.

        Then what is said for "j stands right behind i", n x n x 2 or more, and for "i opens";
        without ``near`` likeness is not asked.
        """
        distinct = list(dict.fromkeys(units))  # equal units are read once, and are truly equal
        n = len(distinct)
        if n < 2:
            m, networks = len(units), len(self.networks_)
            witnesses = len(_names(self.networks_)[0])
            sizes = [(m, m, witnesses), (m, m, networks + 1), (m, networks)]
            pairs, follow, opening = map(np.zeros, sizes)
            return pairs, follow, opening
        judged = zip(*(network.judge(distinct) for network in self.networks_), strict=True)
        pairs, follow, opening = (np.stack(one, axis=-1) for one in judged)
        alike = adjacency_similarity(distinct) if near else np.zeros((n, n), dtype=np.float32)
        follow = np.concatenate([follow, alike[:, :, None]], axis=2)
        words = pair_scores(distinct, self.words_)[:, :, None]
        known = np.concatenate([pairs, words, time_signs(distinct), cue_signs(distinct)], axis=2)
        number = {unit: place for place, unit in enumerate(distinct)}
        places = [number[unit] for unit in units]
        both = np.ix_(places, places)
        return known[both], follow[both], opening[places]

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Pairwise:
        from fabula.ordering.models.linear import Linear

        for text in [*items, *dev]:
            if text.gold is None:
                raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
        items = [text for text in items if len(text.units) > 1]
        dev = [text for text in dev if len(text.units) > 1]
        if not items:
            raise UsageError("no text with two or more units to train on")
        readers = self._readers()
        for name in readers:
            resources.locate(name)  # what is missing is said before anything is learnt
        found: dict[str, Reader] = {
            name: Continuation() for name in readers if name == Continuation.name
        }
        if not dev:
            items, dev = keep_back(items, self.seed)
        bodies = [BODIES[name] for name in readers if name in BODIES]
        started = [] if self.start is None else _started(self.start, bodies)
        if started:
            self.words_ = started[0][1]
        else:
            self.words_ = Linear(alpha=2e-5, seed=self.seed).fit(items).weights_
        trained = [network for network, _ in started]
        if self.epochs or not started:
            ordered = [_in_order(text) for text in items]
            starts = [network.weights for network in trained]
            trained = [
                self._trained(ordered, body, starts[place] if starts else None)
                for place, body in enumerate(bodies)
            ]
        found |= {network.name: network for network in trained}
        self.networks_ = [found[name] for name in readers]
        self.calibrate(dev)
        return self

    def _trained(
        self, texts: Sequence[Sequence[str]], body: Body, start: Mapping[str, Any] | None
    ) -> Network:
        from fabula.ordering.models.pairwise.training import train

        network = train(
            texts,
            epochs=self.epochs,
            rate=self.rate,
            batch=self.batch,
            seed=self.seed,
            start=start,
            body=body,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        return Network(packed(network), body)

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit how much each witness counts, on texts that the witnesses were not trained on.

        And choose the way in which these texts are ordered best (tau); of equal ones the simplest.
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
        self.chances_ = fit_chances(said)
        reached = {
            way: mean(
                tau(order, self._decoded(units, one, way).order)
                for units, one, order in zip(given, heard, places, strict=True)
            )
            for way in _WAYS
        }
        self.way_ = max(reached, key=reached.__getitem__)

    def _readers(self) -> list[str]:
        names = self.reader.split("+")
        known = [*BODIES, Continuation.name]
        if not set(names) <= set(known) or len(set(names)) < len(names):
            several = "+".join(known)
            raise UsageError(
                f"reader must be {', '.join(known)} or several of them, as {several}; "
                f"not {self.reader!r}"
            )
        return names

    def parameters(self) -> int:
        """How many numbers are learnt: the networks', the hashed words' and the witnesses'."""
        self.ensure_trained()
        learnt = [value for network in self.networks_ for value in network.weights.values()]
        learnt += [self.words_, self.mix_, self.steps_, self.chances_]
        return sum(map(np.size, learnt))

    def state(self) -> State:
        witnesses, steps = _names(self.networks_)
        values = {
            "mix": dict(zip(witnesses, self.mix_.tolist(), strict=True)),
            "steps": dict(zip(steps, self.steps_.tolist(), strict=True)),
            "chances": dict(zip(steps, self.chances_.tolist(), strict=True)),
            "way": self.way_,
        }
        arrays = {"words": self.words_}
        for place, network in enumerate(self.networks_):
            arrays |= {_stored(place, name): value for name, value in network.stored.items()}
        return State(values, arrays)

    def restore(self, state: State) -> None:
        arrays = dict(state.arrays)
        self.words_ = arrays.pop("words")
        if len(self.words_) != 1 << BITS:
            raise ValueError(f"{len(self.words_)} word weights, expected {1 << BITS}")
        self.networks_ = [
            Network(_part(arrays, place), BODIES[name]) if name in BODIES else Continuation()
            for place, name in enumerate(self._readers())
        ]
        witnesses, steps = _names(self.networks_)
        learnt = [dict(state.values[name]) for name in ("mix", "steps", "chances")]
        if [[*one] for one in learnt] != [witnesses, steps, steps]:
            raise ValueError("it was trained with other witnesses than this version has")
        self.mix_, self.steps_, self.chances_ = map(_numbers, learnt)
        self.way_ = state.values["way"]
        if self.way_ not in _WAYS:
            raise ValueError(f"it orders by {self.way_!r}, which this version does not know")


def _started(names: str, bodies: Sequence[Body]) -> list[tuple[Network, Floats]]:
    """For each body the network to go on from, and the words of the model it is of."""
    shipped = names == "shipped"
    folders = names.split(",")
    trained = [Pairwise.shipped()] if shipped else [Pairwise.load(name) for name in folders]
    found = [
        (network, model.words_)
        for model in trained
        for network in model.networks_
        if isinstance(network, Network)
    ]
    readers = [network.name for network, _ in found]
    if readers != [body.name for body in bodies]:
        reader = "+".join(readers)
        raise UsageError(f"{names} was trained with reader={reader}; set reader to the same")
    return found


def _names(networks: Sequence[Reader]) -> list[list[str]]:
    """What the witnesses of pairs are called, and those of steps."""
    ends = ["", *(f" of {network.name}" for network in networks[1:])]
    pairs, follow, opening = ([f"{one}{end}" for end in ends] for one in _SAID)
    witnesses = [*pairs, "words", *KINDS, *CUES]
    return [witnesses, [*witnesses, *follow, "likeness", *opening]]


def _meant(way: str, n: int) -> str:
    """The decoder for n units: above 16, exact marginals fall back to pairwise decoding."""
    return way if way != "chances" or 1 < n <= EXACT_UP_TO else "pairs"


def _numbers(learnt: Mapping[str, float]) -> Floats:
    found = np.array([*learnt.values()], dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("how much its witnesses count is not in numbers")
    return found


def _stored(place: int, name: str) -> str:
    """Under which name a network's array is kept; the first one's under its own."""
    return f"{place}/{name}" if place else name


def _part(arrays: Mapping[str, NDArray[Any]], place: int) -> dict[str, NDArray[Any]]:
    """The arrays of one network."""
    if not place:
        return {name: value for name, value in arrays.items() if "/" not in name}
    start = _stored(place, "")
    return {name[len(start) :]: value for name, value in arrays.items() if name.startswith(start)}


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]


def _put(heard: Heard, order: Sequence[int]) -> Heard:
    """The same of the units in this order."""
    pairs, follow, opening = heard
    both = np.ix_(order, order)
    return pairs[both], follow[both], opening[list(order)]
