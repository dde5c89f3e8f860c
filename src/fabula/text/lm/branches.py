"""Several continuations of one context, the context read once.

A context and all its continuations go through the model as one row: a continuation sees the
context and itself, not its neighbours, and counts its positions from the end of the context. The
numbers are those of scoring each pair alone, for about half the work when there are two.
"""

from __future__ import annotations

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

__all__ = ["Pack", "branch_likelihoods", "in_batches", "pack_tensors", "packed"]

_ROW = 512  # tokens of continuations in one row: beyond, attention to nothing costs more


class Pack(NamedTuple):
    """One row: a context (with its start) and the continuations after it, by item and place."""

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
    if not contexts or not _shares(source):
        return _one_by_one(language_model, contexts, branches)
    _, model = load(source)
    found: list[list[Likelihood | None]] = [[None] * len(some) for some in branches]
    packs, long = packed(language_model, contexts, branches)
    alone = [owner for owner, _, _ in long]  # cut or in pieces: the plain way knows how
    for pack, totals in _score(
        model, packs, language_model.batch_tokens, exact=language_model.exact
    ):
        for (item, place), ids, total in zip(pack.owners, pack.branches, totals, strict=True):
            text = branches[item][place]
            size = len(text.encode("utf-8", "surrogatepass"))
            found[item][place] = Likelihood(total, len(ids), len(text), size)
    rest = language_model.log_likelihoods(
        [contexts[item] for item, _ in alone], [branches[item][place] for item, place in alone]
    )
    for (item, place), likelihood in zip(alone, rest, strict=True):
        found[item][place] = likelihood
    return [[one for one in some if one is not None] for some in found]


def packed(
    language_model: LanguageModel, contexts: Sequence[str], branches: Sequence[Sequence[str]]
) -> tuple[list[Pack], list[tuple[tuple[int, int], list[int], list[int]]]]:
    """Rows to read, and what does not fit the window: whose it is, and its tokens cut to fit."""
    tokenizer, model = load(language_model.source())
    window = min(language_model.window, getattr(model.config, "max_position_embeddings", 1 << 30))
    start = start_token(tokenizer, model)
    packs: dict[tuple[int, ...], list[Pack]] = {}
    long = []
    for item, (context, some) in enumerate(zip(contexts, branches, strict=True)):
        for place, text in enumerate(some):
            before, after = token_ids(tokenizer, context, text)
            if len(before) + len(after) + 1 > window or 2 * len(after) > window:
                after = after[: window // 2]
                room = window - 1 - len(after)
                long.append(((item, place), [start, *before[-room:]], after))
                continue
            rows = packs.setdefault((start, *before), [])
            if not rows or sum(map(len, rows[-1].branches)) + len(after) > _ROW:
                rows.append(Pack([start, *before], [], []))
            rows[-1].branches.append(after)
            rows[-1].owners.append((item, place))
    return [row for rows in packs.values() for row in rows], long


def in_batches(packs: Sequence[Pack], most: int) -> list[list[Pack]]:
    """Rows of like length together, at most ``most`` tokens a batch with the padding."""
    batches: list[list[Pack]] = []
    for pack in sorted(packs, key=lambda pack: (-pack.length, pack.owners)):
        if not batches or batches[-1][0].length * (len(batches[-1]) + 1) > most:
            batches.append([])
        batches[-1].append(pack)
    return batches


def _one_by_one(
    language_model: LanguageModel, contexts: Sequence[str], branches: Sequence[Sequence[str]]
) -> list[list[Likelihood]]:
    pairs = [(c, text) for c, some in zip(contexts, branches, strict=True) for text in some]
    likelihoods = iter(
        language_model.log_likelihoods([c for c, _ in pairs], [text for _, text in pairs])
    )
    return [[next(likelihoods) for _ in some] for some in branches]


def pack_tensors(packs: Sequence[Pack]) -> tuple[Any, Any, Any, Any]:
    """Token ids, positions, additive mask, and whose token each is (-1 padding, 0 the context)."""
    import torch

    width = max(pack.length for pack in packs)
    ids = torch.zeros(len(packs), width, dtype=torch.long)
    positions = torch.zeros_like(ids)
    owner = torch.full_like(ids, -1)
    for row, pack in enumerate(packs):
        at = len(pack.context)
        ids[row, :at] = torch.tensor(pack.context)
        positions[row, :at] = torch.arange(at)
        owner[row, :at] = 0
        for number, branch in enumerate(pack.branches, 1):
            end = at + len(branch)
            ids[row, at:end] = torch.tensor(branch, dtype=torch.long)
            positions[row, at:end] = torch.arange(len(branch)) + len(pack.context)
            owner[row, at:end] = number
            at = end
    seen = (owner[:, None, :] == 0) | (owner[:, None, :] == owner[:, :, None])
    seen &= torch.ones(width, width, dtype=torch.bool).tril()
    seen |= torch.eye(width, dtype=torch.bool)  # padding looks at itself: nothing is not a number
    mask = torch.zeros(seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)
    return ids, positions, mask[:, None], owner


def _score(
    model: Any, packs: list[Pack], most: int, *, exact: bool = True
) -> Iterator[tuple[Pack, list[float]]]:
    import torch

    halves = not exact and has_halves()
    batches = in_batches(packs, most)
    head = model.get_output_embeddings()
    for batch in track(batches, "scoring", total=len(batches)):
        ids, positions, mask, _ = pack_tensors(batch)
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=halves):
            states = model.base_model(
                input_ids=ids, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            kind = torch.float32 if halves else torch.float64
            totals = [_totals(head, states[row], pack, kind) for row, pack in enumerate(batch)]
        yield from zip(batch, totals, strict=True)


def _totals(head: Any, states: Any, pack: Pack, kind: Any) -> list[float]:
    """Each continuation's log-probability from the states of one row."""
    import torch

    before, target, at, last = [], [], len(pack.context), len(pack.context) - 1
    for branch in pack.branches:
        before += [last, *range(at, at + len(branch) - 1)][: len(branch)]
        target += branch
        at += len(branch)
    logits = head(states[torch.tensor(before, dtype=torch.long)]).to(kind)
    chosen = logits.gather(1, torch.tensor(target, dtype=torch.long)[:, None])[:, 0]
    sure = (chosen - logits.logsumexp(1)).split([len(branch) for branch in pack.branches])
    return [float(one.sum()) for one in sure]


@cache
def _shares(source: Path) -> bool:
    """Whether the numbers come out the same: a model may ignore masks or scale its output."""
    from fabula.text.lm.likelihood import LanguageModel

    tokenizer, model = load(source)
    context, texts = "The rain had stopped.", ["She left the house.", "It was dry again."]
    pairs = [token_ids(tokenizer, context, text) for text in texts]
    start = start_token(tokenizer, model)
    pack = Pack([start, *pairs[0][0]], [after for _, after in pairs], [(0, 0), (0, 1)])
    try:
        ((_, ours),) = _score(model, [pack], 1)
    except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return False
    plain = LanguageModel(source).log_likelihoods([context] * 2, texts)
    return all(abs(a - b.total) < 1e-3 * abs(b.total) for a, b in zip(ours, plain, strict=True))
