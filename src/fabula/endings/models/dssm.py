"""DSSM (Huang et al. 2013; evaluator, section 3.3): two towers over letter trigrams.

Words become ``#word#`` and their trigrams are counted. Context and ending have towers of their own,
tanh 1000 -> 300; P(ending | context) is the softmax of gamma times the cosine over the right ending
and random endings of other stories. Any stories will do: the wrong options are not looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
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
    """
    >>> trigrams("It is")
    ['#it', 'it#', '#is', 'is#']
    """
    marked = [f"#{word}#" for word in _WORD.findall(text.lower())]
    return [word[at : at + 3] for word in marked for at in range(len(word) - 2)]


class Dssm(SavedModel):
    """Needs torch to train and none to score."""

    registered, fitted = "endings/dssm", "weights_"
    without_context = "others"

    def __init__(
        self,
        *,
        hidden: int = 1000,
        size: int = 300,
        gamma: float = 10.0,
        negatives: int = 4,
        epochs: int = 10,
        batch: int = 64,
        rate: float = 5e-4,
        least: int = 2,
        seed: int = 0,
    ) -> None:
        self.hidden = hidden
        self.size = size
        self.gamma = gamma
        self.negatives = negatives
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.least = least
        self.seed = seed

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> Dssm:
        """Train on the stories with their right endings; the best epoch on ``dev``, if given."""
        rights = [item.options[g] for item, g in zip(items, golds(items), strict=True)]
        if len(set(rights)) < 2:
            raise UsageError("dssm needs stories with two different endings or more")
        contexts = [" ".join(item.context) for item in items]
        seen = Counter(gram for text in (*contexts, *rights) for gram in trigrams(text))
        kept = sorted(gram for gram, times in seen.items() if times >= self.least)
        self.vocabulary_ = {gram: place for place, gram in enumerate(kept or sorted(seen))}
        self._train(self._counts(contexts), self._counts(rights), list(dev))
        self.training_marks_ = training_marks(items, dev)
        return self

    def _train(self, contexts: Any, endings: Any, dev: list[Ending]) -> None:
        from fabula.core.training import need_torch, one_thread

        torch = need_torch()
        rng = np.random.default_rng(self.seed)
        n, best = contexts.shape[0], -1.0
        with one_thread():
            torch.manual_seed(self.seed)
            towers = {name: self._tower(torch) for name in _TOWERS}
            values = [value for tower in towers.values() for value in tower]
            optimiser = torch.optim.Adam(values, lr=self.rate)
            for epoch in range(self.epochs):
                order = rng.permutation(n)
                starts = range(0, n, self.batch)
                for at in track(starts, f"training, epoch {epoch + 1} of {self.epochs}"):
                    some = order[at : at + self.batch]
                    # The right ending first, then those of stories drawn at random.
                    others = (some[:, None] + rng.integers(1, n, (len(some), self.negatives))) % n
                    chosen = np.column_stack([some, others])
                    left = self._project(torch, towers["context"], contexts[some])
                    right = self._project(torch, towers["ending"], endings[chosen.ravel()])
                    right = right.reshape(len(some), -1, self.size)
                    cosines = torch.nn.functional.cosine_similarity(left[:, None], right, dim=2)
                    loss = torch.nn.functional.cross_entropy(
                        self.gamma * cosines, torch.zeros(len(some), dtype=torch.long)
                    )
                    optimiser.zero_grad()
                    loss.backward()
                    optimiser.step()
                found = {
                    f"{name}.{part}": value.detach().numpy().astype(np.float16)
                    for name, tower in towers.items()
                    for part, value in zip(_PARTS, tower, strict=True)
                }
                kept = getattr(self, "weights_", None)
                self.weights_ = found
                share = self._share(dev) if dev else float(epoch)
                if share < best and kept is not None:
                    self.weights_ = kept
                best = max(best, share)

    def _tower(self, torch: Any) -> list[Any]:
        shapes = ((len(self.vocabulary_), self.hidden), (self.hidden, self.size))
        made = []
        for rows, columns in shapes:
            reach = (6 / (rows + columns)) ** 0.5
            made += [torch.empty(rows, columns).uniform_(-reach, reach), torch.zeros(columns)]
        return [value.requires_grad_() for value in made]

    def _project(self, torch: Any, tower: Sequence[Any], counts: Any) -> Any:
        first, first_bias, second, second_bias = tower
        dense = torch.from_numpy(counts.toarray())
        return torch.tanh(torch.tanh(dense @ first + first_bias) @ second + second_bias)

    def _share(self, items: Sequence[Ending]) -> float:
        from fabula.endings.metrics import accuracy

        scores = self.score(items)
        return sum(accuracy(i, s).total for i, s in zip(items, scores, strict=True)) / len(items)

    def _counts(self, texts: Sequence[str]) -> Any:
        from scipy import sparse

        rows, columns = [], []
        for row, text in enumerate(texts):
            known = [self.vocabulary_[g] for g in trigrams(text) if g in self.vocabulary_]
            rows += [row] * len(known)
            columns += known
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
