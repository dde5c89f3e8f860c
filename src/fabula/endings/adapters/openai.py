"""OpenAI-compatible services: completions with log-probabilities, chat by letters, embeddings."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from math import exp, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.endings.adapters.http import Endpoint
from fabula.endings.answer_cache import AnswerCache
from fabula.endings.items import Ending, Scores
from fabula.endings.prompts import phrase
from fabula.errors import UnknownName, UsageError
from fabula.text.lm.likelihood import Likelihood

__all__ = ["Chat", "Completions", "Embeddings", "from_chat", "from_completions", "from_embeddings"]

_log = logging.getLogger("fabula.endings")
_ORDERS = 24  # of the options; of more than four, each is once in each place
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Service:
    """A model behind an endpoint, its answers kept by model, revision, options and text."""

    path = ""
    without_context = "empty"

    def __init__(
        self,
        url: str | Endpoint,
        model: str,
        *,
        revision: str = "",
        parallel: int = 4,
        cached: bool = True,
    ) -> None:
        self.endpoint = Endpoint(url) if isinstance(url, str) else url
        self.url = self.endpoint.url
        self.model = model
        self.revision = revision
        self.parallel = parallel
        self.cached = cached

    def ask(
        self, bodies: Sequence[dict[str, Any]], read: Callable[[dict[str, Any]], Any]
    ) -> list[Any]:
        """What ``read`` finds in the answer to each request; equal requests are sent once."""
        store = AnswerCache(f"{self.path} {self.url} {self.model}", self.revision, {})
        keys = [store.key(body) for body in bodies]
        known = store.get(bodies) if self.cached else {}
        missing = {key: body for key, body in zip(keys, bodies, strict=True) if key not in known}

        def one(pair: tuple[bytes, dict[str, Any]]) -> Any:
            key, body = pair
            answer = read(self.endpoint.post(self.path, {"model": self.model, **body}))
            if self.cached:
                store.put({key: answer})  # at once: an interrupted run has paid for it
            return answer

        with ThreadPoolExecutor(max(1, self.parallel)) as pool:
            answers = pool.map(one, missing.items())
            made = list(track(answers, f"asking {self.model}", total=len(missing)))
        known.update(zip(missing, made, strict=True))
        return [known[key] for key in keys]


class Completions(_Service):
    """The likelihood of each option, from a service that echoes a prompt with log-probabilities.

    ``by`` is one of the scores of the model ``lm``.
    """

    path = "completions"

    def __init__(self, url: str | Endpoint, model: str, *, by: str = "pmi", **more: Any) -> None:
        super().__init__(url, model, **more)
        self.by = by

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        from fabula.endings.models.lm import SCORES, combine

        if self.by not in SCORES:
            raise UnknownName("score of the language model", self.by, SCORES)
        prompts = [phrase(item) for item in items]
        pairs = [(prompt.context, option) for prompt in prompts for option in prompt.options]
        if self.by == "pmi":
            pairs += [(prompt.neutral, option) for prompt in prompts for option in prompt.options]
        found = iter(self.likelihoods(pairs))
        likely = [[next(found) for _ in item.options] for item in items]
        if self.by != "pmi":
            return combine(self.by, likely)
        return combine(self.by, likely, [[next(found) for _ in item.options] for item in items])

    def likelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[Likelihood]:
        bodies: list[dict[str, Any]] = []
        for context, option in pairs:
            # The space goes with the option, and a prompt must not be empty.
            prompt = f"{context} {option}" if context else f"\n{option}"
            bodies.append(
                {"prompt": prompt, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
            )
        answers = self.ask(bodies, self._read)
        return [
            _sum_after(answer, len(context) or 1, body["prompt"], option)
            for answer, (context, option), body in zip(answers, pairs, bodies, strict=True)
        ]

    def _read(self, answer: dict[str, Any]) -> list[list[Any]]:
        """The offset and log-probability of each token."""
        try:
            found = answer["choices"][0]["logprobs"]
            offsets, values = found["text_offset"], found["token_logprobs"]
            rows = [
                [int(at), None if value is None else float(value)]
                for at, value in zip(offsets, values, strict=True)
            ]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self.endpoint.malformed("log-probabilities of the prompt") from error
        if len(rows) < 2:
            raise self.endpoint.malformed("log-probabilities of the prompt (echo)")
        return rows


def _sum_after(rows: list[list[Any]], start: int, prompt: str, option: str) -> Likelihood:
    """The tokens that reach beyond ``start``, and not those generated after the prompt."""
    ends = [*(at for at, _ in rows[1:]), len(prompt) + 1]
    values = [
        value
        for (at, value), end in zip(rows, ends, strict=True)
        if end > start and at < len(prompt) and value is not None
    ]
    return Likelihood(sum(values), len(values), len(option), len(option.encode()))


class Chat(_Service):
    """The letter of an option, asked with the options in every order.

    A score is the share of orders in which the option was chosen, or its mean probability where
    the service gives those. An answer without a letter is no choice: ``unreadable_`` counts them.
    """

    path = "chat/completions"

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        orders = [_orders(len(item.options)) for item in items]
        bodies = [
            {
                "messages": [{"role": "user", "content": _question(item, order)}],
                "max_tokens": 8,
                "temperature": 0,
                "logprobs": True,
                "top_logprobs": 20,
            }
            for item, some in zip(items, orders, strict=True)
            for order in some
        ]
        answers = iter(self.ask(bodies, self._read))
        self.unreadable_ = 0
        found = []
        for item, some in zip(items, orders, strict=True):
            totals = [0.0] * len(item.options)
            for order in some:
                shares = _shares(next(answers), len(order))
                self.unreadable_ += shares is None
                for place, share in enumerate(shares or []):
                    totals[order[place]] += share
            found.append(tuple(total / len(some) for total in totals))
        if self.unreadable_:
            _log.info("%s gave %d answers without a letter", self.model, self.unreadable_)
        return found

    def _read(self, answer: dict[str, Any]) -> dict[str, Any]:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"]
            if text is not None and not isinstance(text, str):
                raise TypeError("content")
            first = (choice.get("logprobs") or {}).get("content") or [{}]
            top = [[str(t["token"]), float(t["logprob"])] for t in first[0].get("top_logprobs", [])]
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise self.endpoint.malformed("a message") from error
        return {"text": text or "", "top": top}


def _orders(k: int) -> list[tuple[int, ...]]:
    if k > len(_LETTERS):
        raise UsageError(f"an item has {k} options; letters end at {len(_LETTERS)}")
    if factorial(k) <= _ORDERS:
        return list(permutations(range(k)))
    return [tuple((place + turn) % k for place in range(k)) for turn in range(k)]


def _question(item: Ending, order: Sequence[int]) -> str:
    asked = {
        None: "Which of these happens next?",
        "cause": "Which of these was the cause?",
        "effect": "Which of these was the effect?",
    }[item.relation]
    lines = [f"{_LETTERS[at]}) {item.options[option]}" for at, option in enumerate(order)]
    story = " ".join(item.context)
    return "\n".join([story, "", asked, *lines, "", "Answer with one letter and nothing else."])


def _shares(answer: dict[str, Any], k: int) -> list[float] | None:
    """How much of the answer went to each place."""
    weights = [0.0] * k
    for token, value in answer["top"]:
        letter = token.strip().upper()
        if len(letter) == 1 and letter in _LETTERS[:k]:
            weights[_LETTERS.index(letter)] += exp(value)
    if sum(weights) > 0:
        return [weight / sum(weights) for weight in weights]
    match = re.search(rf"(?<![A-Za-z])([{_LETTERS[:k]}])(?![A-Za-z])", answer["text"])
    if not match:
        return None
    return [float(letter == match[1]) for letter in _LETTERS[:k]]


class Embeddings(_Service):
    """An encoder: vectors of texts."""

    path = "embeddings"

    def encode(self, sentences: Sequence[str], /) -> NDArray[np.float32]:
        if isinstance(sentences, str):
            raise UsageError("encode takes a list of strings; this is one string")
        vectors = self.ask([{"input": text or " "} for text in sentences], self._read)
        if len({len(vector) for vector in vectors}) > 1:
            raise self.endpoint.malformed("vectors of one length")
        return np.array(vectors, dtype=np.float32) if vectors else np.zeros((0, 1), np.float32)

    def _read(self, answer: dict[str, Any]) -> list[float]:
        try:
            vector = [float(number) for number in answer["data"][0]["embedding"]]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise self.endpoint.malformed("an embedding") from error
        if not vector or not np.isfinite(vector).all():
            raise self.endpoint.malformed("an embedding of numbers")
        return vector


def _parse(argument: str, allowed: Sequence[str]) -> tuple[str, str, dict[str, Any]]:
    """``URL#MODEL,NAME=VALUE``"""
    url, sign, rest = argument.partition("#")
    model, *settings = rest.split(",")
    if not sign or not model:
        raise UsageError(f"write URL#MODEL, such as http://localhost:8000/v1#llama; not {argument}")
    found: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if name not in allowed or not sign:
            raise UnknownName("setting", setting, [f"{one}=..." for one in allowed])
        found[name] = value
    return url, model, found


def from_completions(argument: str) -> Completions:
    """``completions:URL#MODEL``, with the settings ``by`` and ``revision``."""
    url, model, settings = _parse(argument, ("by", "revision"))
    return Completions(url, model, **settings)


def from_chat(argument: str) -> Chat:
    """``chat:URL#MODEL``, with the setting ``revision``."""
    url, model, settings = _parse(argument, ("revision",))
    return Chat(url, model, **settings)


def from_embeddings(argument: str) -> Any:
    """``embeddings:URL#MODEL``: ``joint`` with vectors from a service."""
    from fabula.endings.models.joint import Joint

    url, model, settings = _parse(argument, ("revision",))
    return Joint(encoder=Embeddings(url, model, **settings))
