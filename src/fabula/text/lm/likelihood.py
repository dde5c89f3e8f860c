"""Log-likelihood of a continuation given a context, by any causal model transformers can load.

The default is the packaged SmolLM2-135M: good enough to rank continuations, too small and too
coarsely quantised for perplexities one would publish.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.progress import track
from fabula.errors import InputError, UsageError
from fabula.text import resources
from fabula.text.lm.load import load

__all__ = ["LanguageModel", "Likelihood", "start_token", "token_ids"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The log-likelihood of a continuation, and its lengths for normalisation.

    ``total`` is the natural logarithm of its probability, ``tokens``, ``characters`` and ``bytes``
    its lengths to divide by, ``cut`` how many tokens of the context did not fit.
    """

    total: float
    tokens: int
    characters: int
    bytes: int
    cut: int = 0


class _Window(NamedTuple):
    """Token ids of one forward pass, of which the last ``scored`` are scored."""

    item: int
    ids: list[int]
    scored: int


class LanguageModel:
    """Log-likelihoods of continuations, independent of what else is in the batch.

    ``model`` is a folder in transformers' form, or a ``.gguf`` file; None is the packaged model.
    A context too long for the ``window`` (in tokens) is truncated on the left. A continuation that
    fills more than half the window is scored in pieces of half a window, each after what precedes
    it. ``exact=False`` computes in bfloat16, where the processor can, what several continuations
    share (``branches``): more than twice as fast, right to about one part in a hundred.
    """

    def __init__(
        self,
        model: str | PathLike[str] | None = None,
        *,
        window: int = 1024,
        batch_tokens: int = 1024,
        exact: bool = True,
    ) -> None:
        self.model = model
        self.window = window
        self.batch_tokens = batch_tokens
        self.exact = exact

    def log_likelihoods(
        self, contexts: Sequence[str], continuations: Sequence[str]
    ) -> list[Likelihood]:
        """One ``Likelihood`` per pair. An empty context is the start of a text.

        A space is put between the two unless one of them brings its own; it is not counted in the
        lengths.
        """
        if len(contexts) != len(continuations):
            raise UsageError(
                f"{len(contexts)} contexts and {len(continuations)} continuations; "
                "they must be as many"
            )
        if self.window < 4:
            raise UsageError(f"window is {self.window}; it must hold at least 4 tokens")
        tokenizer, model = load(self.source())
        window = min(self.window, getattr(model.config, "max_position_embeddings", self.window))
        windows: list[_Window] = []
        lengths, cuts = [], []
        for item, (context, continuation) in enumerate(zip(contexts, continuations, strict=True)):
            before, after = token_ids(tokenizer, context, continuation)
            start = start_token(tokenizer, model)
            item_windows = list(_windows(item, start, before, after, window))
            windows.extend(item_windows)
            lengths.append(len(after))
            full = 1 + len(before) + item_windows[0].scored if item_windows else 0
            cuts.append(max(0, full - window))
        totals = [0.0] * len(contexts)
        if any(cuts):
            _log.info(
                "%d contexts do not fit the window; their beginnings are cut",
                sum(c > 0 for c in cuts),
            )
        for row, total in self._score(model, windows):
            totals[row.item] += total
        return [
            Likelihood(total, length, len(text), len(text.encode("utf-8", "surrogatepass")), cut)
            for total, length, text, cut in zip(totals, lengths, continuations, cuts, strict=True)
        ]

    def source(self) -> Path:
        """The model's verified folder or ``.gguf`` file."""
        if self.model is None:
            return resources.locate("smollm2")
        path = Path(self.model).resolve()
        if (path / "config.json").is_file() or (path.suffix == ".gguf" and path.is_file()):
            return path
        raise InputError("is neither a transformers model folder nor a .gguf file", path=self.model)

    def _score(self, model: Any, windows: list[_Window]) -> Iterator[tuple[_Window, float]]:
        """Each window and the log-probability of its last tokens."""
        import torch

        batches = _batches(windows, self.batch_tokens)
        for batch in track(batches, "scoring", total=len(batches)):
            # Padding is on the right, where a causal model cannot attend to it.
            ids = torch.nn.utils.rnn.pad_sequence(
                [torch.tensor(row.ids) for row in batch], batch_first=True
            )
            # Logits only where some row predicts a scored token: the vocabulary is large.
            first = min(len(row.ids) - row.scored for row in batch) - 1
            positions = torch.arange(first, ids.shape[1] - 1)
            with torch.inference_mode():
                logits = model(input_ids=ids, logits_to_keep=positions, use_cache=False).logits
                target_logits = logits.gather(2, ids[:, first + 1 :, None]).squeeze(2).double()
                scores = target_logits - logits.double().logsumexp(2)
            for row, values in zip(batch, scores, strict=True):
                end = len(row.ids) - 1 - first
                yield row, float(values[end - row.scored : end].sum())


def _batches(windows: list[_Window], max_tokens: int) -> list[list[_Window]]:
    """Batches of windows of similar length, at most ``max_tokens`` each with the padding."""
    batches: list[list[_Window]] = []
    for row in sorted(windows, key=lambda row: (-len(row.ids), row.item)):
        if not batches or len(batches[-1][0].ids) * (len(batches[-1]) + 1) > max_tokens:
            batches.append([])
        batches[-1].append(row)
    return batches


def _windows(
    item: int, start: int, before: list[int], after: list[int], window: int
) -> Iterator[_Window]:
    """The continuation in pieces of half a window, each after as much as fits of what precedes."""
    step = window // 2
    for start_at in range(0, len(after), step):
        piece = after[start_at : start_at + step]
        room = window - 1 - len(piece)
        preceding = (before + after[:start_at])[-room:]
        yield _Window(item, [start, *preceding, *piece], len(piece))


def token_ids(tokenizer: Any, context: str, continuation: str) -> tuple[list[int], list[int]]:
    """Token ids of context and continuation; the space between belongs to the continuation."""
    # These tokenizers join a space to the word after it, so it must stand with the continuation.
    bare = context.rstrip()
    between = context[len(bare) :] or ("" if continuation[:1].isspace() else " ")
    texts = (bare, (between if bare else "") + continuation if continuation else "")
    before, after = (
        # A lone surrogate is a character in Python and no text anywhere else.
        tokenizer(text.encode("utf-8", "replace").decode(), add_special_tokens=False)["input_ids"]
        for text in texts
    )
    return before, after


def start_token(tokenizer: Any, model: Any) -> int:
    """The token put before every text.

    Where there is an end-of-text token, texts were separated by it in training. That holds for chat
    models too, whose own "beginning" opens a chat (SmolLM2 finds prose less likely after it).
    """
    end_of_text = tokenizer.get_vocab().get("<|endoftext|>")
    for number in (end_of_text, tokenizer.bos_token_id, tokenizer.eos_token_id):
        if number is not None:
            return int(number)
    return int(model.config.bos_token_id or 0)
