"""The network of the BiLSTM family and its training. Needs torch and lightning.

``model.py`` says what is computed and why; shapes are named there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import Development, need_torch, one_thread, train
from fabula.salads.models.bilstm.data import PADDING, SLOTS, Batch, Numbers, Pairs, pad
from fabula.salads.models.bilstm.event_pretraining import pretrain
from fabula.salads.models.bilstm.lstm import run_lstm

if TYPE_CHECKING:
    from fabula.salads.models.bilstm.model import PairClassifier

__all__ = ["attention", "bilinear", "make_network", "pair_log_odds", "train_pairs"]

Floats = NDArray[np.floating]

_FILTER_WIDTHS = (3, 4, 5)  # words that a convolution filter of the context spans
_MIN_GAIN = 1e-5  # "less than 0.001 % accuracy improvement": then training ends
NUMBERS_AT_ONCE = 4_000_000  # numbers gathered for one block of pairs


def attention(z: Any, e: Any, real: Any) -> Any:
    """alpha = softmax_j(z . e_j) over real words: [p, 2h], [p, l, 2h], [p, l] to [p, l]."""
    return (e @ z[:, :, None])[:, :, 0].masked_fill(~real, -float("inf")).softmax(dim=1)


def bilinear(x1: Any, weight: Any, x2: Any) -> Any:
    """x1' W x2, the log-odds of equation 2: [p, x], [x, x], [p, x] to [p]."""
    return ((x1 @ weight) * x2).sum(1)


def make_network(model: PairClassifier, words: int, table: Any = None) -> Any:
    """The network of a variant; ``table`` holds word vectors that stay frozen."""
    torch = need_torch()
    nn = torch.nn

    class BilstmNetwork(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(words, model.width, padding_idx=PADDING)
            if model.events:
                self.event = nn.Linear(SLOTS * model.width, model.width)
            self.lstm = nn.LSTM(
                model.width,
                model.hidden,
                num_layers=2,
                bidirectional=True,
                batch_first=True,
            )
            size = 2 * model.hidden * (1 + model.attends)
            if model.reads:
                self.convolutions = nn.ModuleList(
                    nn.Conv1d(model.width, model.filters, width) for width in _FILTER_WIDTHS
                )
                size += model.filters * len(_FILTER_WIDTHS)
            self.dropout = nn.Dropout(model.dropout)
            self.weight = nn.Parameter(torch.empty(size, size))
            self.start()

        def start(self) -> None:
            """Xavier initialisation of each matrix; biases 0, but 1 for the forget gate."""
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
                if name.startswith("lstm.bias_ih"):  # the forget gate starts open
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
            """A salad encoded: z [n, 2h], e [n, l, 2h], the word mask [n, l], c [filters]."""
            real = torch.arange(sentences.shape[1])[None, :] < lengths[:, None]
            vectors = self.look(sentences)
            e, z = run_lstm(self.lstm, vectors, lengths, self.dropout)
            c = self.read(vectors[real]) if model.reads else None
            return self.dropout(z), self.dropout(e), real, c

        def look(self, sentences: Any) -> Any:
            """The LSTM's input vectors: words [n, l] or event words [n, l, s] to [n, l, width]."""
            vectors = self.words(sentences)
            if not model.events:
                return vectors
            there = (sentences != PADDING)[..., None].to(vectors)
            vectors = vectors * there  # [n, l, s, width]
            parts = [vectors[:, :, :3].flatten(2)]  # verb, subject, object
            for first in (3, 4):  # prepositions, their objects: the mean of those there are
                many = there[:, :, first::2].sum(2).clamp(min=1)
                parts.append(vectors[:, :, first::2].sum(2) / many)
            return self.event(torch.cat(parts, dim=2)).tanh()

        def read(self, vectors: Any) -> Any:
            """c = CNN(d): [t, width] to [3 filters]; a text of under 5 words is padded by 0."""
            missing = max(0, max(_FILTER_WIDTHS) - len(vectors))
            d = nn.functional.pad(vectors.T, (0, missing))  # [width, t]
            pooled = [convolution(d).relu().amax(1) for convolution in self.convolutions]
            return self.dropout(torch.cat(pooled)) * model.context

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

    return BilstmNetwork()


def pair_log_odds(network: Any, numbers: Numbers) -> Floats:
    """n x n log-odds; each pair is scored once, in the order of the salad."""
    torch = need_torch()
    n = len(numbers)
    odds = np.zeros((n, n))
    if n < 2:
        return odds
    sentences, lengths = pad(numbers)
    first, second = np.triu_indices(n, 1)
    step = max(1, NUMBERS_AT_ONCE // (sentences.shape[1] * network.lstm.hidden_size * 2))
    with torch.inference_mode(), one_thread():
        salad = network.encode(sentences, lengths)
        for at in range(0, len(first), step):
            i, j = first[at : at + step], second[at : at + step]
            odds[i, j] = network.score(salad, torch.from_numpy(i), torch.from_numpy(j)).numpy()
    return odds + odds.T


# Training


def train_pairs(
    model: PairClassifier, table: Any, training: Pairs, validating: Pairs
) -> tuple[dict[str, NDArray[np.float32]], list[float]]:
    """The weights of the best epoch, and the validation accuracy of every epoch.

    With ``model.pretraining`` the event vectors start from ``event_pretraining``.
    """
    torch = need_torch()

    def make() -> Any:
        network = make_network(model, len(model.vocabulary_), table)
        if model.pretraining:
            pretrain(network, training, epochs=model.pretraining, seed=model.seed)
        return network

    def loss(network: Any, batch: Batch) -> Any:
        odds = network(*batch[:4])
        return torch.nn.functional.binary_cross_entropy_with_logits(odds, batch.same)

    def optimiser(network: Any) -> Any:
        learnt = [value for value in network.parameters() if value.requires_grad]
        return torch.optim.Adam(learnt, model.rate, fused=True)

    def accuracy(network: Any) -> float:
        right, pairs = torch.tensor(0.0), 0
        for batch in validating:
            same = (network(*batch[:4]) > 0) == batch.same.bool()
            right = right + same.float().mean() * len(same)
            pairs += len(same)
        return float(right / pairs)

    trained = train(
        make,
        training,
        loss,
        optimiser,
        epochs=model.epochs,
        seed=model.seed,
        development=Development(accuracy, model.patience, _MIN_GAIN),
    )
    return trained.weights, [epoch.score or 0.0 for epoch in trained.epochs]
