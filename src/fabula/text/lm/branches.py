"""Log-likelihoods of several continuations of one context by sequence packing.

A context and all its continuations go through the model as one row: the attention mask lets a
continuation attend to the context and itself only, and its positions count from the end of the
context. The scores equal those of each pair alone, for about half the work when there are two.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fabula.core.progress import track
from fabula.core.training import has_halves
from fabula.errors import UsageError
from fabula.text.lm.likelihood import Likelihood, start_token, token_ids
from fabula.text.lm.load import load

if TYPE_CHECKING:
    from pathlib import Path

    from fabula.text.lm.likelihood import LanguageModel

__all__ = [
    "Pack",
    "branch_likelihoods",
    "in_batches",
    "pack_branches",
    "pack_tensors",
    "supports_packing",
]

_log = logging.getLogger(__name__)

ROW_TOKENS = 512  # of continuations in one row: beyond, masked attention costs more than rows


class Pack(NamedTuple):
    """One row of token ids: a context (with its start token) and the continuations packed after it.

    ``owners`` gives each continuation's item and its number among that item's branches.
    """

    context: list[int]
    branches: list[list[int]]
    owners: list[tuple[int, int]]

    @property
    def length(self) -> int:
        return len(self.context) + sum(len(branch) for branch in self.branches)


def branch_likelihoods(
    language_model: LanguageModel, contexts: Sequence[str], branches: Sequence[Sequence[str]]
) -> list[list[Likelihood]]:
    """For each context the ``Likelihood`` of each of its continuations."""
    if len(contexts) != len(branches):
        raise UsageError(
            f"{len(contexts)} contexts and {len(branches)} lists of continuations; "
            "they must be as many"
        )
    source = language_model.source()
    if not contexts:
        return []
    if not supports_packing(source):
        _log.info("%s scores otherwise when packed: one continuation at a time", source)
        return _score_separately(language_model, contexts, branches)
    _, model = load(source)
    likelihoods: list[list[Likelihood | None]] = [[None] * len(texts) for texts in branches]
    packs, oversized = pack_branches(language_model, contexts, branches)
    # Longer than the window: ``log_likelihoods`` truncates the context or scores in pieces.
    unpacked = [owner for owner, _, _ in oversized]
    if unpacked:
        _log.info("%d continuations do not fit the window; they are scored apart", len(unpacked))
    for pack, totals in _score(
        model, packs, language_model.batch_tokens, exact=language_model.exact
    ):
        for (item, branch), ids, total in zip(pack.owners, pack.branches, totals, strict=True):
            text = branches[item][branch]
            size = len(text.encode("utf-8", "surrogatepass"))
            likelihoods[item][branch] = Likelihood(total, len(ids), len(text), size)
    separate = language_model.log_likelihoods(
        [contexts[item] for item, _ in unpacked],
        [branches[item][branch] for item, branch in unpacked],
    )
    for (item, branch), likelihood in zip(unpacked, separate, strict=True):
        likelihoods[item][branch] = likelihood
    return [[score for score in scores if score is not None] for scores in likelihoods]


def pack_branches(
    language_model: LanguageModel, contexts: Sequence[str], branches: Sequence[Sequence[str]]
) -> tuple[list[Pack], list[tuple[tuple[int, int], list[int], list[int]]]]:
    """Packed rows, and what is too long to pack: owner, and context and branch ids, truncated."""
    tokenizer, model = load(language_model.source())
    window = min(language_model.window, getattr(model.config, "max_position_embeddings", 1 << 30))
    start = start_token(tokenizer, model)
    packs: dict[tuple[int, ...], list[Pack]] = {}
    oversized = []
    for item, (context, texts) in enumerate(zip(contexts, branches, strict=True)):
        for branch, text in enumerate(texts):
            before, after = token_ids(tokenizer, context, text)
            if len(before) + len(after) + 1 > window or 2 * len(after) > window:
                after = after[: window // 2]
                room = window - 1 - len(after)
                oversized.append(((item, branch), [start, *before[-room:]], after))
                continue
            rows = packs.setdefault((start, *before), [])
            if not rows or sum(map(len, rows[-1].branches)) + len(after) > ROW_TOKENS:
                rows.append(Pack([start, *before], [], []))
            rows[-1].branches.append(after)
            rows[-1].owners.append((item, branch))
    return [row for rows in packs.values() for row in rows], oversized


def in_batches(packs: Sequence[Pack], max_tokens: int) -> list[list[Pack]]:
    """Batches of rows of similar length, at most ``max_tokens`` each with the padding."""
    batches: list[list[Pack]] = []
    for pack in sorted(packs, key=lambda pack: (-pack.length, pack.owners)):
        if not batches or batches[-1][0].length * (len(batches[-1]) + 1) > max_tokens:
            batches.append([])
        batches[-1].append(pack)
    return batches


def _score_separately(
    language_model: LanguageModel, contexts: Sequence[str], branches: Sequence[Sequence[str]]
) -> list[list[Likelihood]]:
    pairs = [
        (context, text) for context, texts in zip(contexts, branches, strict=True) for text in texts
    ]
    likelihoods = iter(
        language_model.log_likelihoods(
            [context for context, _ in pairs], [text for _, text in pairs]
        )
    )
    return [[next(likelihoods) for _ in texts] for texts in branches]


def pack_tensors(packs: Sequence[Pack]) -> tuple[Any, Any, Any, Any]:
    """Token ids, positions, additive attention mask, and owner: -1 padding, 0 context, branch i."""
    import torch

    width = max(pack.length for pack in packs)
    ids = torch.zeros(len(packs), width, dtype=torch.long)
    positions = torch.zeros_like(ids)
    owner = torch.full_like(ids, -1)
    for row, pack in enumerate(packs):
        start = len(pack.context)
        ids[row, :start] = torch.tensor(pack.context)
        positions[row, :start] = torch.arange(start)
        owner[row, :start] = 0
        for number, branch in enumerate(pack.branches, 1):
            end = start + len(branch)
            ids[row, start:end] = torch.tensor(branch, dtype=torch.long)
            positions[row, start:end] = torch.arange(len(branch)) + len(pack.context)
            owner[row, start:end] = number
            start = end
    visible = (owner[:, None, :] == 0) | (owner[:, None, :] == owner[:, :, None])
    visible &= torch.ones(width, width, dtype=torch.bool).tril()
    visible |= torch.eye(width, dtype=torch.bool)  # a softmax over nothing would be NaN
    mask = torch.zeros(visible.shape).masked_fill(~visible, torch.finfo(torch.float32).min)
    return ids, positions, mask[:, None], owner


def _score(
    model: Any, packs: list[Pack], max_tokens: int, *, exact: bool = True
) -> Iterator[tuple[Pack, list[float]]]:
    """Each row and the log-probabilities of its continuations."""
    import torch

    halves = not exact and has_halves()
    batches = in_batches(packs, max_tokens)
    head = model.get_output_embeddings()
    for batch in track(batches, "scoring", total=len(batches)):
        ids, positions, mask, _ = pack_tensors(batch)
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=halves):
            states = model.base_model(
                input_ids=ids, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            dtype = torch.float32 if halves else torch.float64
            totals = [_totals(head, states[row], pack, dtype) for row, pack in enumerate(batch)]
        yield from zip(batch, totals, strict=True)


def _totals(head: Any, states: Any, pack: Pack, dtype: Any) -> list[float]:
    """Each continuation's log-probability from the states of one row."""
    import torch

    predicting, targets, start, last = [], [], len(pack.context), len(pack.context) - 1
    for branch in pack.branches:
        predicting += [last, *range(start, start + len(branch) - 1)][: len(branch)]
        targets += branch
        start += len(branch)
    logits = head(states[torch.tensor(predicting, dtype=torch.long)]).to(dtype)
    target_logits = logits.gather(1, torch.tensor(targets, dtype=torch.long)[:, None])[:, 0]
    log_probs = target_logits - logits.logsumexp(1)
    return [float(part.sum()) for part in log_probs.split([len(b) for b in pack.branches])]


@cache
def supports_packing(source: Path) -> bool:
    """Whether packing gives the same scores: a model may ignore masks or scale its output."""
    from fabula.text.lm.likelihood import LanguageModel

    tokenizer, model = load(source)
    context, texts = "The rain had stopped.", ["She left the house.", "It was dry again."]
    pairs = [token_ids(tokenizer, context, text) for text in texts]
    start = start_token(tokenizer, model)
    pack = Pack([start, *pairs[0][0]], [after for _, after in pairs], [(0, 0), (0, 1)])
    try:
        ((_, totals),) = _score(model, [pack], 1)
    except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return False
    plain = LanguageModel(source).log_likelihoods([context] * 2, texts)
    return all(
        abs(total - expected.total) < 1e-3 * abs(expected.total)
        for total, expected in zip(totals, plain, strict=True)
    )
