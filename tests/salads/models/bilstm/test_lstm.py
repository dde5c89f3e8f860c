"""The numbers and the slopes of torch's own LSTM."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from fabula.salads.models.bilstm.lstm import run_lstm  # noqa: E402


def reference(lstm, words, lengths):
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        words, lengths, batch_first=True, enforce_sorted=False
    )
    outputs, (states, _) = lstm(packed)
    outputs, _ = torch.nn.utils.rnn.pad_packed_sequence(
        outputs, batch_first=True, total_length=words.shape[1]
    )
    return outputs, torch.cat([states[-2], states[-1]], dim=1)


@pytest.mark.parametrize("lengths", [[1], [3, 1, 4], [2, 5, 5, 1, 3, 2]])
def test_as_torch(lengths):
    torch.manual_seed(len(lengths))
    lstm = torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
    weights = dict(lstm.named_parameters())
    seen = []
    for how in (
        reference,
        lambda lstm, words, lengths: run_lstm(lstm, words, lengths, torch.nn.Identity()),
    ):
        torch.manual_seed(7)
        words = torch.randn(len(lengths), 6, 4, requires_grad=True)
        lstm.zero_grad()
        outputs, z = how(lstm, words, torch.tensor(lengths))
        (outputs * torch.randn(outputs.shape)).sum().add(
            (z * torch.randn(z.shape)).sum()
        ).backward()
        slopes = [weight.grad.clone() for weight in weights.values()]
        seen.append([outputs, z, words.grad, *slopes])
    for ours, theirs in zip(*seen, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_dropout_is_between_the_layers_only():
    lstm = torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
    words, lengths = torch.randn(2, 5, 4), torch.tensor([5, 2])
    calls = []

    def watched(outputs):
        calls.append(outputs.shape)
        return outputs

    run_lstm(lstm, words, lengths, watched)
    assert calls == [(2, 5, 6)]
