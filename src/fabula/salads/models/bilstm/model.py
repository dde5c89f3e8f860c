"""BILSTM, -MT, -CTX and -MT-CTX (sections 4 and 5): the paper's neural pair classifiers.

P(same | s1, s2, d) = sigma(x1' W x2) (equation 2), with x1 = [z1; m_{1->2}; c] as the variant says:

- z: the sentence, by a 2-layer BiLSTM; the last states of its upper layer in both directions,
  concatenated, so z is as wide as the outputs e that it attends to.
- m (-MT): mutual attention, alpha_{1->2} = softmax_j(z1 . e_{2,j}),
  m_{1->2} = sum_j alpha_{1->2,j} e_{2,j}.
- c (-CTX): one convolution with max pooling (Kim 2014) over all words of the salad, in its order.

The paper gives no sizes. Here: word vectors 100, LSTM 100 each way, 50 filters each of 3, 4 and 5
words (the filters are those of the authors' code). Dropout is on the output of each LSTM layer and
on c. A batch is the pairs of one salad, as in the authors' code, so a salad is read once a batch.

Where the authors' code differs from the paper, the paper is followed: attention is by dot product
(theirs has a hidden layer, and z both layers), the sigmoid is taken once (theirs twice in the
loss), each LSTM layer has its own weights (theirs is one cell for both), padding is never read, and
the context is never cut.

What c can do is little: c stands on both sides of W, so it adds a term to each sentence and one to
the salad, but nothing that depends on s1, s2 and d together. Which of two medoids is nearer to a
sentence, c can change only by favouring one of the medoids for all sentences alike. And c is long,
a maximum over all words: from Xavier's start its terms drown the rest, and a few thousand salads
are too few to learn better. ``context=0.05`` makes it shorter (``docs/development/salads.md``).

Shapes: n sentences of up to l words, t words in all, p pairs, h the LSTM's width each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.training import filled, keep_back, need_torch
from fabula.errors import UsageError
from fabula.salads.clustering.by_name import cluster_pairs
from fabula.salads.clustering.correlation import story_log_odds
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.bilstm.data import (
    UNKNOWN,
    Numbers,
    Pairs,
    Vocabulary,
    pair_kinds,
    split_words,
)
from fabula.salads.models.bilstm.network import make_network, pair_log_odds, train_pairs

__all__ = ["Bilstm", "BilstmCtx", "BilstmMt", "BilstmMtCtx", "PairClassifier"]

Floats = NDArray[np.floating]


@dataclass(kw_only=True, eq=False, repr=False)
class PairClassifier(SavedModel):
    """Base of the pair classifiers: salads in, stories out, by clustering the pair log-odds.

    ``rate`` is the paper's; with few salads 1e-3 is practical. ``vectors`` is a file of word
    vectors, or ``glove`` for the packaged ones; they stay frozen, and their words fill the
    vocabulary up. Without it word vectors are learnt from a random start. Any clusterer of
    ``clustering.by_name`` can replace the paper's k-medoids. The score is the mean log-odds of
    both orders of a pair, in training too; ``faithful`` scores (first, second) only, so that the
    answer depends on the order of the sentences.
    """

    fitted = "weights_"
    has_words = True
    attends: ClassVar[bool] = False
    reads: ClassVar[bool] = False
    events: ClassVar[bool] = False  # reads events instead of words: ``ffnn.py``
    pretraining: ClassVar[int] = 0  # epochs of it

    width: int = 100  # of a word vector
    hidden: int = 100
    filters: int = 50  # of each of the three sizes
    vocabulary: int = 100_000
    lemmas: bool = False
    vectors: str | None = None
    dropout: float = 0.3
    rate: float = 1e-5
    batch: int = 32
    epochs: int = 100  # at most; mostly the stopping rule ends it
    patience: int = 1  # epochs without a gain after which training ends
    clusterer: str = "kmedoids"
    faithful: bool = False
    context: float = 1.0  # factor of c; 1 in the paper
    seed: int = 0

    @property
    def name(self) -> str:
        return self.short_name()

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        network = self.network()
        return [
            self._group(network, salad, numbers)
            for salad, numbers in zip(
                track(salads, "comparing sentences"), self.read(salads), strict=True
            )
        ]

    def pair_odds(self, salads: Sequence[Salad]) -> list[Floats]:
        """For each salad the n x n log-odds that two sentences are of one story, symmetric."""
        network = self.network()
        return [pair_log_odds(network, numbers) for numbers in self.read(salads)]

    def _group(self, network: Any, salad: Salad, numbers: Numbers) -> Grouping:
        return self.cluster(salad, pair_log_odds(network, numbers))

    def cluster(self, salad: Salad, odds: Floats) -> Grouping:
        """The stories of a salad from its n x n pair log-odds, by the chosen clusterer."""
        if not len(odds):
            return Grouping((), ())
        same = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))  # the clusterer's distance is 1 - same
        labels = cluster_pairs(same, salad.stories, how=self.clusterer, seed=self.seed)
        towards = story_log_odds(odds, labels)
        shares = np.exp(towards - towards.max(axis=1, keepdims=True))
        sure = shares[np.arange(len(labels)), labels] / shares.sum(axis=1)
        return Grouping(tuple(labels.tolist()), tuple(sure.tolist()))

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Self:
        """Train on pairs; without ``dev``, 5 % of the salads are kept back to know when to stop."""
        need_torch()
        for salad in [*items, *dev]:
            if salad.labels is None:
                raise UsageError(f"salad {salad.id!r} has no labels; it cannot be trained on")
        training, validating = ([s for s in salads if pair_kinds(s)] for salads in (items, dev))
        if not training:
            raise UsageError("no salad has both a pair of one story and a pair of two to train on")
        if not validating:
            training, validating = keep_back(training, self.seed)
        self.vocabulary_ = Vocabulary.count(self._words(training), self.vocabulary)
        self.vocabulary_, table = _word_table(self.vocabulary_, self)
        self.weights_, self.accuracies_ = train_pairs(
            self,
            table,
            Pairs(training, self.read(training), self.batch, self.seed),
            Pairs(validating, self.read(validating), self.batch, None),
        )
        self.__dict__.pop("_built", None)
        return self

    def _words(self, salads: Sequence[Salad]) -> list[list[str]]:
        """The words of every sentence."""
        return split_words([s for salad in salads for s in salad.sentences], lemmas=self.lemmas)

    def read(self, salads: Sequence[Salad]) -> list[Numbers]:
        """Each salad's sentences as vocabulary indices."""
        words = iter(self._words(salads))
        return [[self.vocabulary_.encode(next(words)) for _ in s.sentences] for s in salads]

    def shown(self, salad: Salad) -> list[list[str]]:
        """For each sentence the label of every position that attention weighs."""
        return self._words([salad])

    def network(self) -> Any:
        """The trained network, for inference."""
        self.ensure_trained()
        if not hasattr(self, "_built"):
            network = make_network(self, len(self.vocabulary_))
            self._built = filled(network, self.weights_, self.name)
        return self._built

    def state(self) -> State:
        return State({"accuracies": self.accuracies_}, self.weights_, self.vocabulary_.words)

    def restore(self, state: State) -> None:
        self.accuracies_ = list(state.values["accuracies"])
        self.vocabulary_ = Vocabulary(state.words)
        self.weights_ = dict(state.arrays)


class Bilstm(PairClassifier):
    """x = z."""

    registered = "salads/bilstm"


class BilstmMt(PairClassifier):
    """x = [z; m]."""

    registered = "salads/bilstm-mt"
    attends = True


class BilstmCtx(PairClassifier):
    """x = [z; c]."""

    registered = "salads/bilstm-ctx"
    reads = True


class BilstmMtCtx(PairClassifier):
    """x = [z; m; c]."""

    registered = "salads/bilstm-mt-ctx"
    attends = reads = True


def _word_table(vocabulary: Vocabulary, model: PairClassifier) -> tuple[Vocabulary, Any]:
    """The vocabulary filled up with pretrained words, and its table of vectors (None: learnt)."""
    if model.vectors is None:
        return vocabulary, None
    from fabula.text.encoders.wordvectors import glove_encoder

    pretrained = glove_encoder(None if model.vectors == "glove" else model.vectors).vectors
    if pretrained.dimension != model.width:
        raise UsageError(
            f"width={model.width}: {model.vectors} has {pretrained.dimension} dimensions"
        )
    words = dict.fromkeys(word for word in vocabulary.words if word in pretrained)
    for word in pretrained.rows:
        if len(words) >= model.vocabulary:
            break
        words[word] = None
    filled = Vocabulary(tuple(words))
    table = np.zeros((len(filled), model.width), dtype=np.float32)  # unknown words are all 0
    table[UNKNOWN + 1 :] = pretrained.matrix[[pretrained.rows[word] for word in words]]
    return filled, table
