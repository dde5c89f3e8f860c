"""Links: which earlier message does each message answer? Conversations are what hangs together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.items import Conversation, Grouping, Message, Threading
from fabula.conversations.models.links.chat_index import ChatIndex, index_chat
from fabula.conversations.models.links.decoding import decode
from fabula.conversations.models.links.features import NAMES
from fabula.conversations.models.links.given import given_links, outside_threads
from fabula.conversations.models.links.network import (
    count_networks,
    link_probabilities,
    network_weights,
)
from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.threads import one_blas_thread
from fabula.errors import UsageError

__all__ = ["Links"]

_TRAINED_WINDOW = 60  # 99 % of antecedents; the network reads the wider window as well
_UNTIMED = 0.15  # share of training chats seen a second time without their times
_BIASES = tuple(np.arange(-1.0, 1.01, 0.1).round(1).tolist())


class Links(SavedModel):
    """Mention ranking over messages: feed-forward networks score each earlier message and "none".

    Without ``fit`` or ``load`` it uses the weights that ship with fabula, trained on #ubuntu. What
    an export tells (replies, threads) is taken as given. System lines are conversations of their
    own. ``bias_`` is added to the log-odds of starting a conversation, tuned on ``dev``. ``start``
    is the folder of a trained model to go on from, for chats that were marked in another way.
    """

    registered, fitted, ships = "conversations/links", "weights_", True
    unsaved = ("start",)
    weights_: dict[str, NDArray[Any]]

    def __init__(
        self,
        *,
        window: int = 100,
        hidden: int = 128,
        networks: int = 3,
        epochs: int = 6,
        rate: float = 2e-3,
        dropout: float = 0.2,
        start: str | None = None,
        seed: int = 0,
    ) -> None:
        self.window = window
        self.hidden = hidden
        self.networks = networks
        self.epochs = epochs
        self.rate = rate
        self.dropout = dropout
        self.start = start
        self.seed = seed

    def fit(self, items: Sequence[Conversation], dev: Sequence[Conversation] = ()) -> Links:
        from fabula.conversations.models.links.training import gather, train

        started = {} if self.start is None else type(self).load(self.start).weights_
        rng = np.random.default_rng(self.seed)
        chats = []
        for chat in items:
            spoken = chat.spoken
            if chat.labels is None:
                raise UsageError(f"chat {chat.id!r} has no labels; it cannot be trained on")
            labels = [chat.labels[i] for i in spoken]
            messages = [chat.messages[i] for i in spoken]
            for timed in (True, False) if rng.random() < _UNTIMED else (True,):
                chats += [(_index(messages, timed), labels)] if spoken else []
        if not chats:
            raise UsageError("no chat with a message to train on")
        examples = gather(chats, min(self.window, _TRAINED_WINDOW))
        self.weights_ = {
            f"{number}.{name}": array
            for number in range(self.networks)
            for name, array in train(
                examples,
                hidden=self.hidden,
                epochs=self.epochs,
                rate=self.rate,
                dropout=self.dropout,
                seed=self.seed + number,
                initial=network_weights(started, number) if started else None,
            ).items()
        }
        self.bias_ = self._tuned_bias(dev) if dev else 0.0
        return self

    def _tuned_bias(self, dev: Sequence[Conversation]) -> float:
        """The bias with the best mean of one-to-one overlap and scaled VI."""
        from fabula.conversations.metrics import one_to_one, vi_scaled

        rows = [self._probabilities([chat.messages[i] for i in chat.spoken]) for chat in dev]

        def quality(bias: float) -> float:
            answers = [
                _whole_chat(chat, decode(_biased(r, bias)))
                for chat, r in zip(dev, rows, strict=True)
            ]
            overlap = [one_to_one(c, a) for c, a in zip(dev, answers, strict=True)]
            information = [vi_scaled(c, a).total for c, a in zip(dev, answers, strict=True)]
            share = sum(s.total for s in overlap) / sum(s.count for s in overlap)
            return float(share + sum(information) / len(information))

        best: float = max(_BIASES, key=lambda bias: (quality(bias), -abs(bias)))
        return best

    @one_blas_thread()
    def thread(self, conversations: Sequence[Conversation]) -> list[Grouping]:
        self.ensure_trained()
        return [self._thread(chat) for chat in track(conversations, "threading")]

    def _thread(self, chat: Conversation) -> Threading:
        messages = [chat.messages[i] for i in chat.spoken]
        if not messages:
            return _whole_chat(chat, Threading((), (), ()))
        rows = _biased(outside_threads(messages, self._probabilities(messages)), self.bias_)
        return _whole_chat(chat, decode(rows, given_links(messages)))

    def _probabilities(self, messages: Sequence[Message]) -> NDArray[np.float32]:
        window = min(self.window, max(len(messages) - 1, 1))
        return link_probabilities(_index(messages, True), self.weights_, window)

    def parameters(self) -> int:
        self.ensure_trained()
        return sum(array.size for array in self.weights_.values())

    def state(self) -> State:
        return State(values={"bias": self.bias_, "features": list(NAMES)}, arrays=self.weights_)

    def restore(self, state: State) -> None:
        if list(state.values["features"]) != list(NAMES):
            raise ValueError("was trained on other features")
        self.bias_ = float(state.values["bias"])
        self.weights_ = dict(state.arrays)
        count_networks(self.weights_)  # raises on what is missing


def _index(messages: Sequence[Message], timed: bool) -> ChatIndex:
    return index_chat(
        [message.sender for message in messages],
        [message.text for message in messages],
        [message.time if timed else None for message in messages],
    )


def _biased(rows: NDArray[np.float32], bias: float) -> NDArray[np.float32]:
    """Probabilities with ``bias`` added to the log-odds of column 0."""
    shifted = rows.copy()
    shifted[:, 0] *= np.exp(np.float32(bias))
    return np.asarray(shifted / shifted.sum(1, keepdims=True))


def _whole_chat(chat: Conversation, spoken: Threading) -> Threading:
    """The answer for all lines: system lines get labels of their own after the conversations."""
    position = chat.spoken
    rank = {i: number for number, i in enumerate(position)}
    fresh = count(max(spoken.labels, default=-1) + 1)
    links = spoken.links or ()
    return Threading(
        tuple(
            spoken.labels[rank[i]] if i in rank else next(fresh) for i in range(len(chat.messages))
        ),
        tuple(
            spoken.probabilities[rank[i]] if i in rank else 1.0 for i in range(len(chat.messages))
        ),
        tuple(position[links[rank[i]]] if i in rank else i for i in range(len(chat.messages))),
    )
