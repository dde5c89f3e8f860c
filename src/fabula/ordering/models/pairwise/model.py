"""Pairwise, the ordering model that ships: a calibrated log-linear mix of pair evidence, decoded.

Features of "i before j": one or more fine-tuned cross-sentence encoders (``head``), hashed words
(``features.hashed``), dates and clock times (``text.temporal``), discourse cues
(``features.discourse_cues``), optionally a language model (``features.lm_continuation``). Their
log-odds are added with non-negative weights fitted on held-out texts (``calibration``). The
networks also score "j right after i" and "i opens"; so does MiniLM's cosine similarity the former.

Three decoding strategies, the best on the development texts (Kendall's tau) being kept:
``pairs``: the Kemeny order of the pair probabilities (``decoding.kemeny``);
``walk``: the most probable sequence of next-unit choices (``decoding.sequential_beam``);
``chances``: the Kemeny order of the pair marginals over all permutations
(``decoding.permutation_marginals``).
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
from fabula.ordering.features.moment_signs import KINDS, time_signs
from fabula.ordering.items import Order, OrderScores, Text
from fabula.ordering.metrics import tau
from fabula.ordering.models.pairwise.calibration import fit_chances, fit_mix, fit_steps
from fabula.ordering.models.pairwise.head import Network
from fabula.text import resources
from fabula.text.transformer.joint_inference import quantise
from fabula.text.transformer.spec import BACKBONES, Backbone

__all__ = ["Pairwise"]


_HEADS = ("network", "follow", "opening")  # names of each network's scores, in ``judge``'s order
_STRATEGIES = ("pairs", "walk", "chances")  # the last two use adjacency and opening scores, too

Floats = NDArray[np.floating]
Reader = Network | Continuation
# Scores by feature (last axis): "i before j", "j right after i", "i opens".
Evidence = tuple[Floats, Floats, Floats]


class Pairwise(SavedModel):
    """Texts in, orders out: calibrated pair evidence, decoded.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula. ``decoder`` is one of
    ``kemeny.DECODERS`` or a strategy: ``pairs``, ``walk``, ``chances``; ``best`` is the strategy
    that did best on the development texts. Above 16 units ``chances`` falls back to ``pairs``.
    ``reader`` names the encoders: ``minilm``, as shipped, ``mpnet``, with layers eight times as
    large, or ``minilm+mpnet``, trained separately. ``smollm2`` beside them, as in
    ``mpnet+smollm2``, is a language model used as it is.
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
        self.rate = rate  # MiniLM's learning rate; MPNet's is a quarter of it
        self.batch = batch  # word pieces, or states, in one training step
        # Weights to start from: "shipped", or the folder of a trained model, or comma-separated
        # folders, one for each encoder; the hashed words of the first are kept.
        self.start = start
        self.decoder = decoder
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> Pairwise:
        decoders = (*DECODERS, *_STRATEGIES)
        if argument not in decoders:
            raise UsageError(
                f"pairwise:{argument} is no decoder; take one of {', '.join(decoders)}"
            )
        return cls(decoder=argument)

    def order(self, texts: Sequence[Text]) -> list[Order]:
        self.ensure_trained()
        return [self._order(text) for text in track(texts, "ordering")]

    def _order(self, text: Text) -> Order:
        strategy = self.strategy_ if self.decoder == "best" else self.decoder
        strategy = _feasible_strategy(strategy, len(text.units))
        evidence = self.evidence_of(text.units, near=strategy in _STRATEGIES[1:])
        return self.decoded(text.units, evidence, strategy)

    def decoded(self, units: Sequence[str], evidence: Evidence, strategy: str) -> Order:
        """The order that a strategy makes of the evidence."""
        pairs, follow, _ = evidence
        logits = pairs @ self.mix_
        before = (1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
        strategy = _feasible_strategy(strategy, len(units))
        if strategy not in _STRATEGIES[1:]:
            return Order(decode(before, "best" if strategy == "pairs" else strategy), before)
        weights = self.steps_ if strategy == "walk" else self.chances_
        shares = np.split(weights, np.cumsum([pairs.shape[2], follow.shape[2]]))
        before_scores, after_scores, opening_scores = (
            part @ share for part, share in zip(evidence, shares, strict=True)
        )
        last_index = {unit: index for index, unit in enumerate(units)}  # the same for equal units
        kinds = np.array([last_index[unit] for unit in units], dtype=np.int64)
        scores = OrderScores(
            before_scores, after_scores, opening_scores, kinds, joint=strategy == "chances"
        )
        if not scores.joint:
            return Order(sequential_beam_search(scores), before, scores=scores)
        before = pair_marginals(scores)
        return Order(decode(before), before, scores=scores)

    def evidence_of(self, units: Sequence[str], *, near: bool = True) -> Evidence:
        """The scores of each feature for "i before j", n x n x 15 or more, antisymmetric.

        Then for "j right after i", n x n x 2 or more, and for "i opens", n x 1 or more; without
        ``near`` the adjacency similarity is not computed and left at 0.
        """
        distinct = list(dict.fromkeys(units))  # equal units are read once, and are truly equal
        n = len(distinct)
        if n < 2:
            m, networks = len(units), len(self.networks_)
            features = len(_names(self.networks_)[0])
            sizes = [(m, m, features), (m, m, networks + 1), (m, networks)]
            pairs, follow, opening = map(np.zeros, sizes)
            return pairs, follow, opening
        judged = zip(*(network.judge(distinct) for network in self.networks_), strict=True)
        pairs, follow, opening = (np.stack(scores, axis=-1) for scores in judged)
        similarity = adjacency_similarity(distinct) if near else np.zeros((n, n), dtype=np.float32)
        follow = np.concatenate([follow, similarity[:, :, None]], axis=2)
        hashed = pair_scores(distinct, self.words_)[:, :, None]
        pair_evidence = np.concatenate(
            [pairs, hashed, time_signs(distinct), cue_signs(distinct)], axis=2
        )
        index = {unit: i for i, unit in enumerate(distinct)}
        rows = [index[unit] for unit in units]
        both = np.ix_(rows, rows)
        return pair_evidence[both], follow[both], opening[rows]

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
            resources.locate(name)  # a missing model file is reported before any training
        by_name: dict[str, Reader] = {
            name: Continuation() for name in readers if name == Continuation.name
        }
        if not dev:
            items, dev = keep_back(items, self.seed)
        backbones = [BACKBONES[name] for name in readers if name in BACKBONES]
        started = [] if self.start is None else _starting_networks(self.start, backbones)
        if started:
            self.words_ = started[0][1]
        else:
            self.words_ = Linear(alpha=2e-5, seed=self.seed).fit(items).weights_
        trained = [network for network, _ in started]
        if self.epochs or not started:
            ordered = [_in_order(text) for text in items]
            starts = [network.weights for network in trained]
            trained = [
                self._trained(ordered, backbone, starts[index] if starts else None)
                for index, backbone in enumerate(backbones)
            ]
        by_name |= {network.name: network for network in trained}
        self.networks_ = [by_name[name] for name in readers]
        self.calibrate(dev)
        return self

    def _trained(
        self, texts: Sequence[Sequence[str]], backbone: Backbone, start: Mapping[str, Any] | None
    ) -> Network:
        from fabula.ordering.models.pairwise.training import train

        network = train(
            texts,
            epochs=self.epochs,
            rate=self.rate,
            batch=self.batch,
            seed=self.seed,
            start=start,
            backbone=backbone,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        return Network(quantise(network), backbone)

    def calibrate(self, texts: Sequence[Text]) -> None:
        """Fit the weights of the features, on texts that the features were not trained on.

        Then choose the decoding strategy with the best mean tau on them; of equals the simplest.
        """
        rng = random.Random(self.seed)
        shuffled, gold_orders = [], []
        for units in map(_in_order, texts):
            # Shuffled: without evidence decoders keep the given order, which must not be the gold.
            permutation = rng.sample(range(len(units)), len(units))
            shuffled.append([units[i] for i in permutation])
            gold_orders.append(np.argsort(permutation).tolist())
        evidence = [self.evidence_of(units) for units in track(shuffled, "calibrating")]
        ordered = list(map(_permuted, evidence, gold_orders))
        self.mix_ = fit_mix([pairs for pairs, _, _ in ordered])
        self.steps_ = fit_steps(ordered)
        self.chances_ = fit_chances(ordered)
        taus = {
            strategy: mean(
                tau(order, self.decoded(units, of_text, strategy).order)
                for units, of_text, order in zip(shuffled, evidence, gold_orders, strict=True)
            )
            for strategy in _STRATEGIES
        }
        self.strategy_ = max(taus, key=taus.__getitem__)

    def _readers(self) -> list[str]:
        names = self.reader.split("+")
        choices = [*BACKBONES, Continuation.name]
        if not set(names) <= set(choices) or len(set(names)) < len(names):
            several = "+".join(choices)
            raise UsageError(
                f"reader must be {', '.join(choices)} or several of them, as {several}; "
                f"not {self.reader!r}"
            )
        return names

    def parameters(self) -> int:
        """The number of learnt weights: of the networks, the hashed words and the features."""
        self.ensure_trained()
        learnt = [value for network in self.networks_ for value in network.weights.values()]
        learnt += [self.words_, self.mix_, self.steps_, self.chances_]
        return sum(map(np.size, learnt))

    def state(self) -> State:
        features, steps = _names(self.networks_)
        values = {
            "mix": dict(zip(features, self.mix_.tolist(), strict=True)),
            "steps": dict(zip(steps, self.steps_.tolist(), strict=True)),
            "chances": dict(zip(steps, self.chances_.tolist(), strict=True)),
            "way": self.strategy_,
        }
        arrays = {"words": self.words_}
        for index, network in enumerate(self.networks_):
            arrays |= {_array_name(index, name): value for name, value in network.stored.items()}
        return State(values, arrays)

    def restore(self, state: State) -> None:
        arrays = dict(state.arrays)
        self.words_ = arrays.pop("words")
        if len(self.words_) != 1 << BITS:
            raise ValueError(f"{len(self.words_)} word weights, expected {1 << BITS}")
        self.networks_ = [
            Network(_network_arrays(arrays, index), BACKBONES[name])
            if name in BACKBONES
            else Continuation()
            for index, name in enumerate(self._readers())
        ]
        features, steps = _names(self.networks_)
        learnt = [dict(state.values[name]) for name in ("mix", "steps", "chances")]
        if [[*weights] for weights in learnt] != [features, steps, steps]:
            raise ValueError("it was trained with other features than this version has")
        self.mix_, self.steps_, self.chances_ = map(_finite_weights, learnt)
        self.strategy_ = state.values["way"]
        if self.strategy_ not in _STRATEGIES:
            raise ValueError(f"it orders by {self.strategy_!r}, which this version does not know")


def _starting_networks(names: str, backbones: Sequence[Backbone]) -> list[tuple[Network, Floats]]:
    """For each encoder the network to start from, and the hashed-word weights of its model."""
    shipped = names == "shipped"
    folders = names.split(",")
    trained = [Pairwise.shipped()] if shipped else [Pairwise.load(name) for name in folders]
    networks = [
        (network, model.words_)
        for model in trained
        for network in model.networks_
        if isinstance(network, Network)
    ]
    readers = [network.name for network, _ in networks]
    if readers != [backbone.name for backbone in backbones]:
        reader = "+".join(readers)
        raise UsageError(f"{names} was trained with reader={reader}; set reader to the same")
    return networks


def _names(networks: Sequence[Reader]) -> list[list[str]]:
    """The names of the pair features, and of all features (pairs, adjacency, opening)."""
    suffixes = ["", *(f" of {network.name}" for network in networks[1:])]
    pairs, follow, opening = ([f"{head}{suffix}" for suffix in suffixes] for head in _HEADS)
    features = [*pairs, "words", *KINDS, *CUES]
    return [features, [*features, *follow, "likeness", *opening]]


def _feasible_strategy(strategy: str, n: int) -> str:
    """The decoder for n units: above 16, exact marginals fall back to pairwise decoding."""
    return strategy if strategy != "chances" or 1 < n <= EXACT_UP_TO else "pairs"


def _finite_weights(learnt: Mapping[str, float]) -> Floats:
    """The stored weights of features as an array; ``ValueError`` unless all are finite."""
    weights = np.array([*learnt.values()], dtype=np.float64)
    if not np.isfinite(weights).all():
        raise ValueError("how much its features count is not in numbers")
    return weights


def _array_name(index: int, name: str) -> str:
    """The stored name of a network's array: ``index/name``, without prefix for the first."""
    return f"{index}/{name}" if index else name


def _network_arrays(arrays: Mapping[str, NDArray[Any]], index: int) -> dict[str, NDArray[Any]]:
    """The stored arrays of the network at ``index``, under their own names."""
    if not index:
        return {name: value for name, value in arrays.items() if "/" not in name}
    prefix = _array_name(index, "")
    return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}


def _in_order(text: Text) -> list[str]:
    return [text.units[g] for g in text.gold or ()]


def _permuted(evidence: Evidence, order: Sequence[int]) -> Evidence:
    """Evidence about the same units, with the units put into ``order``."""
    pairs, follow, opening = evidence
    both = np.ix_(order, order)
    return pairs[both], follow[both], opening[list(order)]
