"""cross-encoder: MiniLM (or MPNet) fine-tuned to read both sentences of a pair at once.

The sequence of both sentences goes through all layers, in ONNX Runtime; a small head over the token
states gives the three probabilities of natural-language inference, and that of one event. The
embedding tables are the packaged body's own, so that what is saved are the layers and the head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.threads import core_count
from fabula.errors import UnknownName
from fabula.pairs.items import LABELS, Pair, Relation, with_answers
from fabula.pairs.models.cross_encoder.encoding import (
    Sequence2,
    calibration,
    even_labels,
    head_logits,
    pool,
    sequence_of,
    word_pieces,
)
from fabula.text.transformer.joint_inference import dequantise, quantise
from fabula.text.transformer.onnx import Session
from fabula.text.transformer.spec import BACKBONES, Backbone

__all__ = ["CrossEncoder"]

Floats = NDArray[np.float32]
_KNOWN_PAIRS = 2_000  # whose pooled states are kept: some 8 kB each


class CrossEncoder(SavedModel):
    """Pairs in, relations out; without ``fit`` or ``load`` it uses the weights that ship.

    ``body`` is the transformer to start from, ``start`` the folder of a trained model to go on
    from, ``keep`` the share of its weights that are kept in the mean with the trained ones;
    ``stop`` ends a training after so many steps; ``workers`` is the number of processes that train,
    ``checkpoint`` a file that an interrupted training goes on from.
    """

    registered, fitted, ships = "pairs/cross-encoder", "network_", True
    unsaved = ("start", "checkpoint")
    network_: Mapping[str, Floats]

    def __init__(
        self,
        *,
        body: str = "minilm",
        epochs: int = 1,
        rate: float = 1.5e-4,
        stop: int | None = None,
        workers: int = 1,
        start: str | None = None,
        keep: float = 0.0,
        checkpoint: str | None = None,
        seed: int = 0,
    ) -> None:
        self.body = body
        self.epochs = epochs
        self.rate = rate
        self.stop = stop
        self.workers = workers
        self.start = start
        self.keep = keep
        self.checkpoint = checkpoint
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> CrossEncoder:
        """``cross-encoder:mpnet``: the body to train from."""
        return cls(body=argument)

    def fit(self, items: Sequence[Pair], dev: Sequence[Pair] = ()) -> CrossEncoder:
        """Fine-tune on labelled pairs; the labels' probabilities are calibrated on ``dev``, as if
        that had as many of each label."""
        from fabula.pairs.models.cross_encoder.training import Plan, train

        start = None if self.start is None else type(self).load(self.start).network_
        checkpoint = None if self.checkpoint is None else Path(self.checkpoint)
        plan = Plan(self.epochs, self.rate, self.seed, checkpoint, self.stop, workers=self.workers)
        weights = train(with_answers(items), with_answers(dev), self._body, plan, start)
        if start is not None:
            # What was learnt of fewer pairs at last does not hide what was known (WiSE-FT,
            # Wortsman et al. 2022).
            weights = {
                name: self.keep * start[name] + (1 - self.keep) * value
                for name, value in weights.items()
            }
        # What is used is what is stored: rounded to eight bits.
        self.network_ = dequantise(quantise(weights))
        for earlier in ("_session", "_known"):  # of earlier weights
            self.__dict__.pop(earlier, None)
        labelled = [pair for pair in dev if pair.label in LABELS]
        if labelled:
            logits = self.logits([(pair.a, pair.b) for pair in labelled])["relation"]
            gold = [LABELS.index(str(pair.label)) for pair in labelled]
            sharpness, shift = calibration(logits.astype(np.float64), gold)
            weights["relation.weight"] = weights["relation.weight"] * sharpness
            weights["relation.bias"] = weights["relation.bias"] * sharpness + shift
            calibrated = dict(dequantise(quantise(weights)))
            calibrated["relation.bias"] = calibrated["relation.bias"] + even_labels(gold)
            self.network_ = dequantise(quantise(calibrated))
        return self

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        logits = self.logits([(pair.a, pair.b) for pair in pairs])
        shares = softmax(logits["relation"].astype(np.float64), axis=1)
        same = expit(logits["same"][:, 0].astype(np.float64))
        return [Relation(*map(float, [*row, s])) for row, s in zip(shares, same, strict=True)]

    def logits(self, texts: Sequence[tuple[str, str]]) -> dict[str, Floats]:
        """Logits of pairs of sentences: ``relation`` [pairs, 3] and ``same`` [pairs, 1]."""
        if not hasattr(self, self.fitted) and self.body == (shipped := self.shipped()).body:
            return shipped.logits(texts)  # whose session is built once a process
        self.ensure_trained()
        if not texts:
            return {"relation": np.zeros((0, 3), np.float32), "same": np.zeros((0, 1), np.float32)}
        pairs = list(dict.fromkeys(texts))
        rows = np.stack(self._pooled_states(pairs))
        place = {pair: row for row, pair in enumerate(pairs)}
        found = head_logits(self.network_, rows)
        index = [place[pair] for pair in texts]
        return {name: value[index] for name, value in found.items()}

    def _pooled_states(self, pairs: Sequence[tuple[str, str]]) -> list[Floats]:
        """The pooled states of different pairs; a corrected pile asks for the same ones again."""
        found = {pair: self._known[pair] for pair in pairs if pair in self._known}
        new = [pair for pair in pairs if pair not in found]
        distinct = list(dict.fromkeys(text for pair in new for text in pair))
        pieces = dict(zip(distinct, word_pieces(distinct, self._body), strict=True))
        sequences = [sequence_of(pieces[a], pieces[b], self._body) for a, b in new]
        session, second = self._session, self.network_["second"]

        def states(sequence: Sequence2) -> Floats:
            read = session.run(sequence.ids, (sequence.second, second))
            return pool(read, sequence.second)

        with ThreadPoolExecutor(core_count()) as executor:
            pooled = executor.map(states, sequences)
            computed = list(track(pooled, "comparing", total=len(sequences)))
        found.update(zip(new, computed, strict=True))
        if len(self._known) + len(new) > _KNOWN_PAIRS:
            self._known.clear()
        self._known.update(list(found.items())[-_KNOWN_PAIRS:])
        return [found[pair] for pair in pairs]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Floats]:
        """Pooled states by pair."""
        return {}

    @cached_property
    def _session(self) -> Session:
        body = self._body
        return Session(body, "int8", layers=body.layers, tuned=self.network_)

    @property
    def _body(self) -> Backbone:
        if self.body not in BACKBONES:
            raise UnknownName("transformer", self.body, BACKBONES)
        return BACKBONES[self.body]

    def state(self) -> State:
        return State(arrays=quantise(self.network_))

    def restore(self, state: State) -> None:
        self.network_ = dequantise(state.arrays)
        for name in ("second", "compare.weight", "relation.weight", "same.weight"):
            if name not in self.network_:
                raise ValueError(f"it lacks {name}")
