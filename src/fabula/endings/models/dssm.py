"""DSSM (Huang et al. 2013; evaluator, section 3.3): two towers over letter trigrams.

Words become ``#word#`` and their trigrams are counted. Context and ending have towers of their own,
tanh 1000 -> 300; P(ending | context) is the softmax of gamma times the cosine over the right ending
and random endings of other stories. Any stories will do: the wrong options are not looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.endings.folds import golds
from fabula.endings.items import Ending, Scores
from fabula.endings.leakage import training_marks
from fabula.endings.vectors import joint_scores
from fabula.errors import UsageError

__all__ = ["Dssm", "trigrams"]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_TOWERS = ("context", "ending")
_PARTS = ("in", "in_bias", "out", "out_bias")


def trigrams(text: str) -> list[str]:
    """The letter trigrams of each word, with ``#`` at both ends (word hashing, Huang et al. 2013).

    >>> trigrams("It is")
    ['#it', 'it#', '#is', 'is#']
    """
    marked = [f"#{word}#" for word in _WORD.findall(text.lower())]
    return [word[at : at + 3] for word in marked for at in range(len(word) - 2)]


@dataclass(kw_only=True, eq=False, repr=False)
class Dssm(SavedModel):
    """Cosine of the context tower and the ending tower. Training needs torch, scoring does not."""

    registered, fitted = "endings/dssm", "weights_"
    without_context = "others"

    hidden: int = 1000
    size: int = 300
    gamma: float = 10.0
    negatives: int = 4
    epochs: int = 10
    batch: int = 64
    rate: float = 5e-4
    least: int = 2
    seed: int = 0

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> Dssm:
        """Train on the stories with their right endings; the best epoch on ``dev``, if given."""
        rights = [item.options[g] for item, g in zip(items, golds(items), strict=True)]
        if len(set(rights)) < 2:
            raise UsageError("dssm needs stories with two different endings or more")
        contexts = [" ".join(item.context) for item in items]
        seen = Counter(gram for text in (*contexts, *rights) for gram in trigrams(text))
        kept = sorted(gram for gram, times in seen.items() if times >= self.least)
        self.vocabulary_ = {gram: index for index, gram in enumerate(kept or sorted(seen))}
        self._train(self._counts(contexts), self._counts(rights), list(dev))
        self.training_marks_ = training_marks(items, dev)
        return self

    def _train(self, contexts: Any, endings: Any, dev: list[Ending]) -> None:
        from fabula.core.training import Development, need_torch, train

        torch = need_torch()

        def make() -> Any:
            return torch.nn.ParameterList([v for _ in _TOWERS for v in self._tower(torch)])

        def loss(values: Any, batch: Any) -> Any:
            left = _project(torch, values[:4], batch[0])
            right = _project(torch, values[4:], batch[1]).reshape(len(left), -1, self.size)
            cosines = torch.nn.functional.cosine_similarity(left[:, None], right, dim=2)
            gold = torch.zeros(len(left), dtype=torch.long)
            return torch.nn.functional.cross_entropy(self.gamma * cosines, gold)

        def rounded(values: Sequence[Any]) -> dict[str, NDArray[np.float16]]:
            names = [f"{tower}.{part}" for tower in _TOWERS for part in _PARTS]
            return {n: np.asarray(v, np.float16) for n, v in zip(names, values, strict=True)}

        def share(values: Any) -> float:
            self.weights_ = rounded([value.numpy() for value in values])
            return self._share(dev)

        trained = train(
            make,
            _Batches(contexts, endings, self.batch, self.negatives, self.seed),
            loss,
            lambda values: torch.optim.Adam(values.parameters(), lr=self.rate),
            epochs=self.epochs,
            seed=self.seed,
            development=Development(share, latest=True) if dev else None,
            distributed=False,
        )
        self.weights_ = rounded(list(trained.weights.values()))

    def _tower(self, torch: Any) -> list[Any]:
        shapes = ((len(self.vocabulary_), self.hidden), (self.hidden, self.size))
        made = []
        for rows, columns in shapes:
            reach = (6 / (rows + columns)) ** 0.5
            made += [torch.empty(rows, columns).uniform_(-reach, reach), torch.zeros(columns)]
        return made

    def _share(self, items: Sequence[Ending]) -> float:
        from fabula.endings.metrics import accuracy

        scores = self.score(items)
        return sum(accuracy(i, s).total for i, s in zip(items, scores, strict=True)) / len(items)

    def _counts(self, texts: Sequence[str]) -> Any:
        from scipy import sparse

        rows, columns = [], []
        for row, text in enumerate(texts):
            indices = [self.vocabulary_[g] for g in trigrams(text) if g in self.vocabulary_]
            rows += [row] * len(indices)
            columns += indices
        ones = np.ones(len(rows), dtype=np.float32)
        shape = (len(texts), len(self.vocabulary_))
        return sparse.csr_matrix((ones, (rows, columns)), shape=shape)

    def vectors(self, texts: Sequence[str], tower: str) -> NDArray[np.float64]:
        """The texts in the space both towers share; ``tower`` is ``context`` or ``ending``."""
        part = {key: self.weights_[f"{tower}.{key}"].astype(np.float64) for key in _PARTS}
        inner = np.tanh(self._counts(texts).astype(np.float64) @ part["in"] + part["in_bias"])
        return np.asarray(np.tanh(inner @ part["out"] + part["out_bias"]))

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        self.ensure_trained()
        if not items:
            return []
        contexts = self.vectors([" ".join(item.context) for item in items], "context")
        endings = self.vectors([option for item in items for option in item.options], "ending")
        sizes = [len(item.options) for item in items]
        repeated = np.repeat(contexts, sizes, axis=0)
        flat = joint_scores(repeated, endings[:, None])[:, 0]
        return [tuple(part.tolist()) for part in np.split(flat, np.cumsum(sizes)[:-1])]

    def state(self) -> State:
        values = {"trigrams": list(self.vocabulary_), "seen": sorted(self.training_marks_)}
        return State(values, self.weights_)

    def restore(self, state: State) -> None:
        self.vocabulary_ = {gram: i for i, gram in enumerate(state.values["trigrams"])}
        self.weights_ = dict(state.arrays)
        self.training_marks_ = frozenset(state.values["seen"])
        if len(self.weights_["context.in"]) != len(self.vocabulary_):
            raise ValueError("weights and trigrams differ in number")


class _Batches:
    """Batches of contexts with their endings: the right one first, then random negatives."""

    def __init__(self, contexts: Any, endings: Any, batch: int, negatives: int, seed: int) -> None:
        self.contexts = contexts
        self.endings = endings
        self.batch = batch
        self.negatives = negatives
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return int(np.ceil(self.contexts.shape[0] / self.batch))

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        import torch

        n = self.contexts.shape[0]
        order = self.rng.permutation(n)
        for at in range(0, n, self.batch):
            rows = order[at : at + self.batch]
            others = (rows[:, None] + self.rng.integers(1, n, (len(rows), self.negatives))) % n
            chosen = np.column_stack([rows, others])
            dense = (self.contexts[rows].toarray(), self.endings[chosen.ravel()].toarray())
            yield torch.from_numpy(dense[0]), torch.from_numpy(dense[1])


def _project(torch: Any, tower: Sequence[Any], dense: Any) -> Any:
    first, first_bias, second, second_bias = tower
    return torch.tanh(torch.tanh(dense @ first + first_bias) @ second + second_bias)
