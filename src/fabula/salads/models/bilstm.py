"""BILSTM, -MT, -CTX and -MT-CTX (sections 4 and 5): the paper's neural pair classifiers.

P(same | s1, s2, d) = sigma(x1' W x2) (equation 2), with x1 = [z1; m_{1->2}; c] as the variant says:

- z: the sentence, by a 2-layer BiLSTM; the last state of its upper layer forwards beside that
  backwards, so z is as wide as the outputs e that it attends to.
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
sentence, c can change only by favouring one of the medoids for all sentences alike.

Shapes: n sentences of up to l words, t words in all, p pairs, h the LSTM's width each way.
"""

from __future__ import annotations

import json
import logging
import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fabula.errors import DamagedFile, InputError, MissingPart, UsageError
from fabula.files import atomic, write_text
from fabula.progress import track
from fabula.salads.clusterers import cluster_pairs
from fabula.salads.correlation import story_log_odds
from fabula.salads.items import Grouping, Salad
from fabula.salads.words import (
    PADDING,
    UNKNOWN,
    Batch,
    Numbers,
    Pairs,
    Vocabulary,
    pad,
    pair_kinds,
    split_words,
)

__all__ = ["Bilstm", "BilstmCtx", "BilstmMt", "BilstmMtCtx", "attention", "bilinear"]

Floats = NDArray[np.floating]

_WIDTHS = (3, 4, 5)  # words that a filter of the context reader spans
_GAIN = 1e-5  # "less than 0.001 % accuracy improvement": then training ends
_AT_ONCE = 4_000_000  # numbers gathered for one block of pairs


class PairClassifier:
    """What the four have in common. ``rate`` is the paper's; with few salads 1e-3 is practical.

    ``vectors`` is a file of word vectors, or ``glove`` for the packaged ones; they are then kept
    as they are, and words of theirs fill the vocabulary up. Else they are learnt, from a random
    start. Any clusterer of ``clusterers.py`` can take the place of the paper's k-medoids. The
    score is the mean log-odds of both orders of a pair, in training too; ``faithful`` scores
    (first, second) only, which lets the answer depend on the order of the sentences.
    """

    name: ClassVar[str]
    attends: ClassVar[bool] = False
    reads: ClassVar[bool] = False

    def __init__(
        self,
        *,
        width: int = 100,
        hidden: int = 100,
        filters: int = 50,
        vocabulary: int = 100_000,
        lemmas: bool = False,
        vectors: str | None = None,
        dropout: float = 0.3,
        rate: float = 1e-5,
        batch: int = 32,
        epochs: int = 100,
        patience: int = 1,
        clusterer: str = "kmedoids",
        faithful: bool = False,
        seed: int = 0,
    ) -> None:
        self.width = width  # of a word vector
        self.hidden = hidden
        self.filters = filters  # of each of the three sizes
        self.vocabulary = vocabulary
        self.lemmas = lemmas
        self.vectors = vectors
        self.dropout = dropout
        self.rate = rate
        self.batch = batch
        self.epochs = epochs  # at most; mostly the stopping rule ends it
        self.patience = patience  # epochs without a gain after which training ends
        self.clusterer = clusterer
        self.faithful = faithful
        self.seed = seed

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        network = self._network()
        read = _read(salads, self.vocabulary_, self.lemmas)
        return [
            self._group(network, salad, numbers)
            for salad, numbers in zip(track(salads, "comparing sentences"), read, strict=True)
        ]

    def pair_odds(self, salads: Sequence[Salad]) -> list[Floats]:
        """For each salad the n x n log-odds that two sentences are of one story, symmetric."""
        network = self._network()
        return [_odds(network, numbers) for numbers in _read(salads, self.vocabulary_, self.lemmas)]

    def _group(self, network: Any, salad: Salad, numbers: Numbers) -> Grouping:
        if not numbers:
            return Grouping((), ())
        odds = _odds(network, numbers)
        same = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))  # the clusterer's distance is 1 - same
        labels = cluster_pairs(same, salad.stories, how=self.clusterer, seed=self.seed)
        towards = story_log_odds(odds, labels)
        shares = np.exp(towards - towards.max(axis=1, keepdims=True))
        sure = shares[np.arange(len(labels)), labels] / shares.sum(axis=1)
        return Grouping(tuple(labels.tolist()), tuple(sure.tolist()))

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Self:
        """Train on pairs; without ``dev``, 5 % of the salads are kept back to know when to stop."""
        _torch()
        for salad in [*items, *dev]:
            if salad.labels is None:
                raise UsageError(f"salad {salad.id!r} has no labels; it cannot be trained on")
        rng = random.Random(self.seed)
        training, validating = (
            [s for s in items if pair_kinds(s)],
            [s for s in dev if pair_kinds(s)],
        )
        if not training:
            raise UsageError("no salad has both a pair of one story and a pair of two to train on")
        if not validating:
            kept = set(rng.sample(range(len(training)), max(1, len(training) // 20)))
            validating = [training[i] for i in sorted(kept)]
            rest = [salad for i, salad in enumerate(training) if i not in kept]
            training = rest or training  # a single salad has to do for both
        words = split_words([s for salad in training for s in salad.sentences], lemmas=self.lemmas)
        self.vocabulary_ = Vocabulary.count(words, self.vocabulary)
        self.vocabulary_, table = _word_table(self.vocabulary_, self)
        self.weights_, self.accuracies_ = _train(
            self,
            table,
            Pairs(training, _read(training, self.vocabulary_, self.lemmas), self.batch, self.seed),
            Pairs(validating, _read(validating, self.vocabulary_, self.lemmas), self.batch, None),
        )
        self.__dict__.pop("_built", None)
        return self

    def _network(self) -> Any:
        self._ready()
        if not hasattr(self, "_built"):
            torch = _torch()
            network = _make_network(self, len(self.vocabulary_))
            state = {name: torch.from_numpy(value) for name, value in self.weights_.items()}
            try:
                network.load_state_dict(state)
            except RuntimeError as error:
                raise DamagedFile(f"{self.name}: the weights do not fit: {error}") from error
            self._built = network.eval()
        return self._built

    def _ready(self) -> None:
        if not hasattr(self, "weights_"):
            raise UsageError(
                f"{self.name} is not trained; train it with "
                f"'fabula train salads/{self.name} SALADS -o FOLDER' and use FOLDER as the model"
            )

    def save(self, folder: str | Path) -> None:
        from safetensors.numpy import save_file

        self._ready()
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make this folder ({error.strerror})", path=path) from error
        with atomic(path / "weights.safetensors") as beside:
            save_file(self.weights_, beside)
        words = json.dumps(self.vocabulary_.words, ensure_ascii=False, indent=0)
        write_text(path / "vocabulary.json", words + "\n")
        config = {
            "model": f"salads/{self.name}",
            "parameters": {key: getattr(self, key) for key in _PARAMETERS},
            "accuracies": self.accuracies_,
        }
        write_text(path / "config.json", json.dumps(config, indent=1) + "\n")

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = Path(folder)
        try:
            config = json.loads((path / "config.json").read_text(encoding="utf-8"))
            model = cls(**config["parameters"])
            model.accuracies_ = list(config["accuracies"])
            words = json.loads((path / "vocabulary.json").read_text(encoding="utf-8"))
            model.vocabulary_ = Vocabulary(tuple(words))
            model.weights_ = load_file(path / "weights.safetensors")
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise DamagedFile(f"{path}: {error}; train again") from error
        return model


_PARAMETERS = tuple(PairClassifier.__init__.__kwdefaults__ or ())


class Bilstm(PairClassifier):
    """x = z."""

    name = "bilstm"


class BilstmMt(PairClassifier):
    """x = [z; m]."""

    name = "bilstm-mt"
    attends = True


class BilstmCtx(PairClassifier):
    """x = [z; c]."""

    name = "bilstm-ctx"
    reads = True


class BilstmMtCtx(PairClassifier):
    """x = [z; m; c]."""

    name = "bilstm-mt-ctx"
    attends = reads = True


# The equations


def attention(z: Any, e: Any, real: Any) -> Any:
    """alpha = softmax_j(z . e_j) over real words: [p, 2h], [p, l, 2h], [p, l] to [p, l]."""
    return (e @ z[:, :, None])[:, :, 0].masked_fill(~real, -float("inf")).softmax(dim=1)


def bilinear(x1: Any, weight: Any, x2: Any) -> Any:
    """x1' W x2, the log-odds of equation 2: [p, x], [x, x], [p, x] to [p]."""
    return ((x1 @ weight) * x2).sum(1)


def _make_network(model: PairClassifier, words: int, table: Any = None) -> Any:
    """The network of a variant; ``table`` holds word vectors that are not to be learnt."""
    torch = _torch()
    nn = torch.nn

    class Network(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
            self.lstm = nn.LSTM(
                model.width,
                model.hidden,
                num_layers=2,
                bidirectional=True,
                batch_first=True,
                dropout=model.dropout,
            )
            size = 2 * model.hidden * (1 + model.attends)
            if model.reads:
                self.convolutions = nn.ModuleList(
                    nn.Conv1d(model.width, model.filters, width) for width in _WIDTHS
                )
                size += model.filters * len(_WIDTHS)
            self.dropout = nn.Dropout(model.dropout)
            self.weight = nn.Parameter(torch.empty(size, size))
            self.start()

        def start(self) -> None:
            """Xavier: each matrix keeps the spread of what it reads; all else is 0."""
            for name, value in self.named_parameters():
                if name == "words.weight":  # one word is read at a time
                    bound = (6 / (1 + model.width)) ** 0.5
                    nn.init.uniform_(value, -bound, bound)
                elif name.startswith("lstm.weight"):
                    for gate in value.chunk(4):
                        nn.init.xavier_uniform_(gate)
                elif value.dim() > 1:
                    nn.init.xavier_uniform_(value)
                else:
                    nn.init.zeros_(value)
                if name.startswith("lstm.bias_ih"):  # nothing is forgotten at first
                    nn.init.ones_(value[model.hidden : 2 * model.hidden])
            with torch.no_grad():
                self.words.weight[PADDING] = 0
                if table is not None:
                    self.words.weight.copy_(torch.from_numpy(table))
                    self.words.weight.requires_grad_(False)

        def forward(self, sentences: Any, lengths: Any, first: Any, second: Any) -> Any:
            """Log-odds of p pairs of one salad: [n, l], [n], [p], [p] to [p]."""
            return self.score(self.encode(sentences, lengths), first, second)

        def score(self, salad: Any, first: Any, second: Any) -> Any:
            """Equation 2, of one order of a pair or the mean of both."""
            x1, x2 = self.compare(salad, first, second)
            odds = bilinear(x1, self.weight, x2)
            return odds if model.faithful else (odds + bilinear(x2, self.weight, x1)) / 2

        def encode(self, sentences: Any, lengths: Any) -> Any:
            """A salad read: z [n, 2h], e [n, l, 2h], which words are real [n, l], c [filters]."""
            real = torch.arange(sentences.shape[1])[None, :] < lengths[:, None]
            vectors = self.words(sentences)  # [n, l, width]
            packed = nn.utils.rnn.pack_padded_sequence(
                vectors, lengths, batch_first=True, enforce_sorted=False
            )
            outputs, (states, _) = self.lstm(packed)
            e, _ = nn.utils.rnn.pad_packed_sequence(
                outputs, batch_first=True, total_length=sentences.shape[1]
            )
            z = torch.cat([states[-2], states[-1]], dim=1)  # upper layer: forwards, backwards
            c = self.read(vectors[real]) if model.reads else None
            return self.dropout(z), self.dropout(e), real, c

        def read(self, vectors: Any) -> Any:
            """c = CNN(d): [t, width] to [3 filters]; a text of under 5 words is filled up by 0."""
            missing = max(0, max(_WIDTHS) - len(vectors))
            d = nn.functional.pad(vectors.T, (0, missing))  # [width, t]
            pooled = [convolution(d).relu().amax(1) for convolution in self.convolutions]
            return self.dropout(torch.cat(pooled))

        def compare(self, salad: Any, first: Any, second: Any) -> Any:
            """x1 and x2 of p pairs, [p, x] each."""
            z, e, real, c = salad
            parts1, parts2 = [z[first]], [z[second]]
            if model.attends:
                alpha12 = attention(z[first], e[second], real[second])
                alpha21 = attention(z[second], e[first], real[first])
                parts1.append((alpha12[:, None, :] @ e[second])[:, 0])  # m_{1->2}
                parts2.append((alpha21[:, None, :] @ e[first])[:, 0])  # m_{2->1}
            if model.reads:
                parts1.append(c.expand(len(first), -1))
                parts2.append(c.expand(len(first), -1))
            return torch.cat(parts1, dim=1), torch.cat(parts2, dim=1)

    return Network()


def _odds(network: Any, numbers: Numbers) -> Floats:
    """n x n log-odds; a pair is scored once, the sentence that stands first first."""
    torch = _torch()
    n = len(numbers)
    odds = np.zeros((n, n))
    if n < 2:
        return odds
    sentences, lengths = pad(numbers)
    first, second = np.triu_indices(n, 1)
    step = max(1, _AT_ONCE // (sentences.shape[1] * network.lstm.hidden_size * 2))
    with torch.inference_mode(), _one_thread():
        salad = network.encode(sentences, lengths)
        for at in range(0, len(first), step):
            i, j = first[at : at + step], second[at : at + step]
            odds[i, j] = network.score(salad, torch.from_numpy(i), torch.from_numpy(j)).numpy()
    return odds + odds.T


# Training


def _train(
    model: PairClassifier, table: Any, training: Pairs, validating: Pairs
) -> tuple[dict[str, NDArray[np.float32]], list[float]]:
    """The weights of the best epoch, and the validation accuracy of every epoch."""
    torch, lightning = _torch(), _lightning()
    from lightning.pytorch.callbacks import EarlyStopping

    class Learner(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            words = len(model.vocabulary_)
            self.network = _make_network(model, words, table)
            self.accuracies: list[float] = []
            self.best = self.weights()

        def weights(self) -> dict[str, NDArray[np.float32]]:
            state = self.network.state_dict()
            return {name: np.array(value.numpy()) for name, value in state.items()}

        def training_step(self, batch: Batch, index: int) -> Any:
            odds = self.network(*batch[:4])
            return torch.nn.functional.binary_cross_entropy_with_logits(odds, batch.same)

        def validation_step(self, batch: Batch, index: int) -> None:
            right = (self.network(*batch[:4]) > 0) == batch.same.bool()
            self.log("accuracy", right.float().mean(), on_epoch=True, batch_size=len(right))

        def on_validation_epoch_end(self) -> None:
            accuracy = float(self.trainer.callback_metrics["accuracy"])
            if accuracy > max(self.accuracies, default=0.0):
                self.best = self.weights()
            self.accuracies.append(accuracy)

        def configure_optimizers(self) -> Any:
            learnt = [value for value in self.parameters() if value.requires_grad]
            return torch.optim.Adam(learnt, model.rate, fused=True)

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    stop = EarlyStopping("accuracy", mode="max", min_delta=_GAIN, patience=model.patience)
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]), _one_thread():
        # Lightning suggests worker processes for loading; the data is in memory already.
        warnings.simplefilter("ignore")
        torch.manual_seed(model.seed)
        learner = Learner()
        trainer = lightning.Trainer(
            max_epochs=model.epochs,
            accelerator="cpu",
            callbacks=[stop],
            logger=False,
            enable_checkpointing=False,
            enable_model_summary=False,
            enable_progress_bar=False,
            num_sanity_val_steps=0,
        )
        trainer.fit(learner, training, validating)
    return learner.best, learner.accuracies


def _word_table(vocabulary: Vocabulary, model: PairClassifier) -> tuple[Vocabulary, Any]:
    """With word vectors given: the vocabulary filled up by theirs, and the table of them all."""
    if model.vectors is None:
        return vocabulary, None
    from fabula.text.vectors import glove_encoder

    known = glove_encoder(None if model.vectors == "glove" else model.vectors).vectors
    if known.dimension != model.width:
        raise UsageError(f"width={model.width}: {model.vectors} has {known.dimension} dimensions")
    words = dict.fromkeys(word for word in vocabulary.words if word in known)
    for word in known.rows:
        if len(words) >= model.vocabulary:
            break
        words[word] = None
    filled = Vocabulary(tuple(words))
    table = np.zeros((len(filled), model.width), dtype=np.float32)  # unknown words are all 0
    table[UNKNOWN + 1 :] = known.matrix[[known.rows[word] for word in words]]
    return filled, table


# Small parts


def _read(salads: Sequence[Salad], vocabulary: Vocabulary, lemmas: bool) -> list[Numbers]:
    words = iter(split_words([s for salad in salads for s in salad.sentences], lemmas=lemmas))
    return [[vocabulary.encode(next(words)) for _ in salad.sentences] for salad in salads]


@contextmanager
def _one_thread() -> Iterator[None]:
    """An LSTM goes word by word over small matrices: threads would mostly wait for each other."""
    torch = _torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingPart("torch", 'pip install "fabula[train]"') from error
    return torch


def _lightning() -> Any:
    try:
        import lightning
    except ImportError as error:
        raise MissingPart("lightning", 'pip install "fabula[train]"') from error
    return lightning
