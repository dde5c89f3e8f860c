"""The base of the pointer networks (Vinyals et al. 2015): training, beam search, saving.

A model file adds an encoder network: ``encode(batch)`` gives the decoder's inputs, keys and first
state. Training maximises the log-likelihood of the gold order. Needs torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.training import filled, keep_back, need_torch, one_thread
from fabula.errors import UsageError
from fabula.ordering.items import Order, Text
from fabula.ordering.models.pointer.data import (
    Batches,
    EncodedText,
    batches_of_equal_length,
    collate,
    encode_texts,
    trainable,
    word_table,
)
from fabula.text.segment.words import Vocabulary, split_words

__all__ = ["PointerModel"]


@dataclass(kw_only=True, eq=False, repr=False)
class PointerModel(SavedModel):
    """The base of ``lstm-ptr``, ``vlstm-ptr``, ``attorder`` and ``se-graph``.

    A model file adds parameters of its own, and the paper's values where they differ.
    """

    fitted = "weights_"
    has_words = True
    graphs: ClassVar[bool] = False  # whether the encoder takes entity graphs
    width: int = 100  # of a word vector
    hidden: int = 100
    heads: int = 1  # of the pointer
    tanh: bool = True  # in the pointer's scores
    vectors: str | None = None  # initial word vectors: a file, "glove", or None: random
    vocabulary: int = 100_000  # words at most
    rate: float = 1.0
    batch: int = 8
    beam: int = 32
    epochs: int = 100  # at most
    patience: int = 5  # epochs without a gain on the development texts after which training ends
    seed: int = 0

    @property
    def name(self) -> str:
        return self.short_name()

    def network(self, words: int) -> Any:
        raise NotImplementedError

    def optimiser(self, network: Any) -> tuple[Any, Any]:
        """The optimiser, and the schedule of its rate if there is one."""
        raise NotImplementedError

    def fit(self, items: Sequence[Text], dev: Sequence[Text] = ()) -> Self:
        """Train; without ``dev``, 5 % of the texts are kept back to know when to stop."""
        from fabula.ordering.models.pointer.training import train_pointer

        training, tuning = trainable(items), trainable(dev)
        if not training:
            raise UsageError("no text with two or more units to train on")
        if not tuning:
            training, tuning = keep_back(training, self.seed)
        words = split_words([unit for text in training for unit in text.units])
        self.vocabulary_ = Vocabulary.count(words, self.vocabulary)
        table = None
        if self.vectors is not None:
            table = word_table(self.vocabulary_, self.vectors, self.width, self.seed)
        batches = Batches(self._encode(training), self.batch, self.seed)
        self.weights_, self.curve_ = train_pointer(self, table, batches, self._encode(tuning))
        self.__dict__.pop("_built", None)
        return self

    def order(self, texts: Sequence[Text]) -> list[Order]:
        """Orders by beam search; P(i before j) is summed over the orders the search ends with."""
        network = self._network()
        encoded = self._encode(texts)
        answers: dict[int, Order] = {}
        for rows in track(list(batches_of_equal_length(encoded)), f"ordering, {self.name}"):
            orders = self.search(network, [encoded[row] for row in rows], self.beam)
            answers |= zip(rows, orders, strict=True)
        return [answers[row] for row in range(len(texts))]

    def search(self, network: Any, texts: Sequence[EncodedText], width: int) -> list[Order]:
        from fabula.ordering.models.pointer.network import beam_search

        torch = need_torch()
        batch = collate(texts)
        with torch.inference_mode(), one_thread():
            vectors, keys, start = network.encode(batch)
            orders, log_probabilities = beam_search(
                network.decoder, vectors, keys, start, batch.real, width
            )
            shares = log_probabilities.softmax(1)
        return [
            _best_order(orders[row, :, : len(text.units)].numpy(), shares[row].numpy())
            for row, text in enumerate(texts)
        ]

    def parameters(self, *, words: bool = False) -> int:
        """The number of trainable weights, without the word vectors unless ``words``."""
        torch = need_torch()
        with torch.device("meta"):  # shapes alone: nothing is allocated
            network = self.network(len(self.vocabulary_) if hasattr(self, "weights_") else 2)
        return sum(
            value.numel()
            for name, value in network.named_parameters()
            if words or name != "words.weight"
        )

    def _encode(self, texts: Sequence[Text]) -> list[EncodedText]:
        return encode_texts(texts, self.vocabulary_, graphs=self.graphs)

    def _network(self) -> Any:
        self.ensure_trained()
        if not hasattr(self, "_built"):
            network = self.network(len(self.vocabulary_))
            self._built = filled(network, self.weights_, self.name)
        return self._built

    def state(self) -> State:
        return State({"curve": self.curve_}, self.weights_, self.vocabulary_.words)

    def restore(self, state: State) -> None:
        self.curve_ = list(state.values["curve"])
        self.vocabulary_ = Vocabulary(state.words)
        self.weights_ = dict(state.arrays)


def _best_order(orders: NDArray[np.int64], shares: NDArray[np.float32]) -> Order:
    """The first order of the beam, with P(i before j) over the beam weighted by ``shares``."""
    n = orders.shape[1]
    before = np.zeros((n, n))
    for order, share in zip(orders, shares, strict=True):
        if share > 0:
            position = np.argsort(order)
            before += share * (position[:, None] < position[None, :])
    np.fill_diagonal(before, 0.5)
    return Order(tuple(orders[0].tolist()), np.clip(before, 0, 1).astype(np.float32))
