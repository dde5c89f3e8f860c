"""The pointer decoder of the four models: additive attention, likelihood, beam search. Needs torch.

At step t an LSTM reads the vector of the unit chosen last; every unit not chosen yet is scored by
    score_i = v . tanh(W1 key_i + W2 h_t + b)
and the softmax of the scores is the probability that it comes next (Vinyals et al. 2015). The
scores of several heads are averaged. The paper prints equation 4 without a tanh; then W2 h_t adds
the same to every score, which the softmax cancels: the choice would not depend on the units chosen
so far. ``tanh=False`` is there to show that.

Shapes: B texts, N units, S units in all, T steps, K beams, D the state's width.
"""

from __future__ import annotations

from typing import Any

from fabula.core.training import need_torch

torch = need_torch()
nn = torch.nn

__all__ = ["Decoder", "Pointer", "beam_search", "embed", "nll", "spread"]

_NEVER = float("-inf")


def embed(words: Any, packed: Any, dropout: Any = None) -> Any:
    """A packed sequence of vocabulary indices to one of word vectors, without padding."""
    vectors = words(packed.data)
    return packed._replace(data=vectors if dropout is None else dropout(vectors))


def spread(units: Any, real: Any) -> Any:
    """[S, D] to [B, N, D], zero where a text has no unit."""
    out = units.new_zeros((*real.shape, units.shape[1]))
    out[real] = units
    return out


class Pointer(nn.Module):  # type: ignore[misc, name-defined]
    """Scores of keys [B, N, keys] seen from states [B, T, state]: [B, T, N]."""

    def __init__(self, keys: int, state: int, hidden: int, heads: int, tanh: bool = True) -> None:
        super().__init__()
        self.heads = heads
        self.tanh = tanh
        self.w1 = nn.Linear(keys, heads * hidden)
        self.w2 = nn.Linear(state, heads * hidden, bias=False)
        self.v = nn.Parameter(torch.empty(heads, hidden))
        nn.init.uniform_(self.v, -(hidden**-0.5), hidden**-0.5)

    def prepare(self, keys: Any) -> Any:
        """W1 key + b of every head, once for all steps: [B, N, heads, hidden]."""
        return self.w1(keys).unflatten(-1, (self.heads, -1))

    def forward(self, prepared: Any, state: Any) -> Any:
        return self.scores(prepared, self.w2(state))

    def scores(self, prepared: Any, asked: Any) -> Any:
        """Scores [B, T, N] from prepared keys and W2 state, [B, T, heads x hidden]."""
        asked = asked.unflatten(-1, (self.heads, -1))
        total = 0
        for head in range(self.heads):  # one by one: [B, T, N, hidden] may be large
            mixed = prepared[:, None, :, head] + asked[:, :, None, head]
            total = total + (mixed.tanh() if self.tanh else mixed) @ self.v[head]
        return total / self.heads


class Decoder(nn.Module):  # type: ignore[misc, name-defined]
    """``ends``: the end is a member of the set that can be pointed to, with a key that is learnt.

    Since a text ends when all its units are placed, no answer points there, and after the last
    unit there is nothing else to point to: in training it is one more wrong answer at every step.
    """

    def __init__(self, *, inputs: int, state: int, pointer: Pointer, ends: int = 0) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, state, batch_first=True)
        self.pointer = pointer
        self.end = nn.Parameter(torch.randn(ends) * 0.1) if ends else None

    def prepare(self, keys: Any) -> Any:
        if self.end is not None:
            last = self.end.expand(len(keys), 1, -1)
            keys = torch.cat([keys, last], dim=1)
        return self.pointer.prepare(keys)

    def teach(self, vectors: Any, prepared: Any, start: Any, gold: Any, real: Any) -> Any:
        """log P(unit i at step t | gold so far), [B, T, N or N + 1]."""
        index = gold[:, :-1, None].expand(-1, -1, vectors.shape[2])
        before = nn.functional.pad(vectors.gather(1, index), (0, 0, 1, 0))  # at first nothing
        states, _ = self.lstm(before, tuple(part[None] for part in start))
        scores = self.pointer(prepared, states)
        steps = torch.arange(gold.shape[1])
        chosen = gold.argsort(1)[:, None, :] < steps[None, :, None]  # [B, T, N]
        barred = chosen | ~real[:, None, :]
        barred = barred & real[:, :, None]  # past the end of a text nothing is asked
        if self.end is not None:
            barred = nn.functional.pad(barred, (0, 1))
        return scores.masked_fill(barred, _NEVER).log_softmax(2)


def nll(log_probs: Any, gold: Any, real: Any) -> Any:
    """-log P(gold order), the mean over texts."""
    right = log_probs.gather(2, gold[:, :, None])[:, :, 0]
    return -(right * real).sum() / len(gold)


def beam_search(
    decoder: Decoder, vectors: Any, keys: Any, start: Any, real: Any, width: int
) -> tuple[Any, Any]:
    """The best orders [B, K, N] and their log-probabilities [B, K], best first.

    Orders that do not exist (fewer than K) have the log-probability minus infinity.
    """
    batch, most = real.shape
    prepared = decoder.prepare(keys)
    total = torch.full((batch, width), _NEVER)
    total[:, 0] = 0.0
    orders = torch.zeros((batch, width, most), dtype=torch.long)
    open_ = real[:, None, :].expand(-1, width, -1).clone()
    state = tuple(part[:, None].expand(-1, width, -1).reshape(1, batch * width, -1)
                  for part in start)  # fmt: skip
    inputs = torch.zeros((batch * width, 1, vectors.shape[2]))
    rows = torch.arange(batch)[:, None]
    for step in range(most):
        output, state = decoder.lstm(inputs, state)
        scores = decoder.pointer(prepared, output.reshape(batch, width, -1))[:, :, :most]
        log_probs = scores.masked_fill(~open_, _NEVER).log_softmax(2)
        going = real[:, step]  # a text that has ended keeps its beams as they are
        log_probs = log_probs.masked_fill(~open_, _NEVER)
        stay = torch.full_like(log_probs, _NEVER)
        stay[:, :, step] = 0.0
        log_probs = torch.where(going[:, None, None], log_probs, stay)
        total, best = (total[:, :, None] + log_probs).flatten(1).topk(width, dim=1)
        parent, unit = best // most, best % most
        orders, open_ = orders[rows, parent], open_[rows, parent]
        orders[:, :, step] = unit
        open_ = open_.scatter(2, unit[:, :, None], False)
        flat = (rows * width + parent).flatten()
        state = tuple(part[:, flat] for part in state)
        inputs = vectors[rows, unit].reshape(batch * width, 1, -1)
    return orders, total
