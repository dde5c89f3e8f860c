"""Stories of a corpus: candidate pairs in, a story for each document out.

Two rounds of correlation clustering: documents to cautious groups, block by block, then groups to
stories. Dates and mail threads count as they do in small piles (``salads/stories/structure``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus.facts import pack
from fabula.assembly.corpus.links.groups import Groups, Spread, group_pairs
from fabula.assembly.corpus.links.index import CorpusIndex
from fabula.assembly.corpus.links.model import CorpusLinks, CorpusMeans, Pairs
from fabula.salads.clustering.sparse_correlation import connected_blocks, sparse_clusters
from fabula.salads.stories.structure import SAME_THREAD, date_log_odds

__all__ = ["Solved", "blocks", "joined_groups", "spread_of", "structure_of_pairs"]

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]
_ROUNDS = (2.0, 1.0, 0.0)  # log-odds above the least at which groups are joined, in turn
_BIN = 2_000  # documents of small blocks that are solved together


def structure_of_pairs(index: CorpusIndex, first: Ints, second: Ints) -> NDArray[np.float64]:
    """Log-odds from mail threads and from days of publication, where both are known."""
    days = np.asarray(index.days, np.int64)
    apart = np.abs(days[first] - days[second])
    known = (days[first] > 0) & (days[second] > 0)
    gaps, inverse = np.unique(np.where(known, apart, 0), return_inverse=True)
    by_gap = np.array([date_log_odds(float(gap)) for gap in gaps.tolist()])
    threads = np.asarray(index.threads)
    same = (threads[first] >= 0) & (threads[first] == threads[second])
    return np.asarray(np.where(known, by_gap[inverse], 0.0) + SAME_THREAD * same)


def blocks(
    known: int, n: int, pairs: Pairs, log_odds: Floats, least: float
) -> Iterator[dict[str, Any]]:
    """Connected blocks of the documents from ``known`` on, counted from there, with their pairs.

    No two documents of different blocks can come into one group: nothing links them above
    ``least``. Small blocks stand together in one row.
    """
    new = pairs.first >= known  # the smaller of the two
    pairs = Pairs(pairs.first[new] - known, pairs.second[new] - known, pairs.features[:0])
    log_odds, n = log_odds[new], n - known
    strong = log_odds > least
    parts = connected_blocks(n, pairs.first[strong], pairs.second[strong])
    bin_of = np.zeros(n, np.int64)
    bins: list[list[NDArray[np.int64]]] = []
    size = _BIN
    for part in parts:
        if size + len(part) > _BIN:
            bins.append([])
            size = 0
        bins[-1].append(part)
        size += len(part)
        bin_of[part] = len(bins) - 1
    block_of = np.zeros(n, np.int64)
    for number, part in enumerate(parts):
        block_of[part] = number
    inside = block_of[pairs.first] == block_of[pairs.second]
    at = np.flatnonzero(inside)
    at = at[np.argsort(bin_of[pairs.first[at]], kind="stable")]
    ends = np.searchsorted(bin_of[pairs.first[at]], np.arange(len(bins) + 1))
    for number, members_of in enumerate(bins):
        members = np.sort(np.concatenate(members_of))
        rows = at[ends[number] : ends[number + 1]]
        yield {
            "members": pack(members.astype(np.int32)),
            "first": pack(np.searchsorted(members, pairs.first[rows]).astype(np.int32)),
            "second": pack(np.searchsorted(members, pairs.second[rows]).astype(np.int32)),
            "log_odds": pack(np.asarray(log_odds[rows], np.float64)),
        }


class Solved(NamedTuple):
    """The story (from 1) of each document, and the number of groups of the first round."""

    stories: NDArray[np.int64]
    groups: int


def joined_groups(
    model: CorpusLinks,
    index: CorpusIndex,
    groups: Ints,
    pairs: Pairs,
    log_odds: Floats,
    earlier: Ints | None = None,
    spread: Spread | None = None,
) -> Solved:
    """Groups of documents joined to stories, or to earlier ones.

    ``earlier``: the stories of the first documents of the index, which stay as they are;
    ``groups`` are of the others. Only earlier stories that some new document was compared with are
    looked at; ``spread`` is of all of them. The surest joins are made first, and the joined groups
    compared anew.
    """
    model.ensure_trained()
    earlier = np.zeros(0, np.int64) if earlier is None else np.asarray(earlier)
    known, count = len(earlier), int(groups.max(initial=-1)) + 1
    met = np.unique(earlier[pairs.first[pairs.first < known]])  # the smaller of a pair
    label = np.full(known + len(groups), -1, np.int64)
    label[known:] = groups
    looked_at = np.flatnonzero(np.isin(earlier, met))
    label[looked_at] = count + np.searchsorted(met, earlier[looked_at])
    owner = np.concatenate([np.full(count, -1), np.arange(len(met))])
    for caution in _ROUNDS:
        found = _joined_once(model, index, label, pairs, log_odds, owner, caution, spread)
        kept = np.full(int(found.max(initial=-1)) + 1, -1)
        np.maximum.at(kept, found, owner)
        label, owner = np.where(label >= 0, found[label], -1), kept
    number = {at: int(met[story]) for at, story in enumerate(owner) if story >= 0}
    following = int(earlier.max(initial=0)) + 1
    stories = np.concatenate([earlier, np.zeros(len(groups), np.int64)])
    for at, cluster in enumerate(label[known:].tolist(), known):
        if cluster not in number:
            number[cluster] = following
            following += 1
        stories[at] = number[cluster]
    return Solved(stories, count)


def _joined_once(
    model: CorpusLinks, index: CorpusIndex, label: Ints, pairs: Pairs, log_odds: Floats,
    owner: Ints, caution: float, spread: Spread | None,
) -> NDArray[np.int64]:  # fmt: skip
    """For each group the larger one it is part of now."""
    units = np.flatnonzero(label >= 0)
    bags = index.bags if len(units) == len(label) else index.bags.take(units)
    own = Groups.of(label[units], index.vectors[units], bags, len(index.idf))
    if spread is not None:
        new = Spread.of(Groups.of(*_free(index, label, owner)), len(index.idf))
        frequency = np.array(new.frequency)
        frequency[: len(spread.frequency)] += spread.frequency
        spread = Spread(spread.groups + new.groups, frequency)
    means = CorpusMeans(index.mean_words, index.mean_names, index.mean_vector)
    between = group_pairs(index, means, own, label, pairs, log_odds, spread)
    k = len(own.sizes)
    return sparse_clusters(
        k, between.first, between.second, model.between_groups(k, between),
        absent=model.group_absent_, least=model.group_least_ + caution, apart=owner,
    )  # fmt: skip


def _free(index: CorpusIndex, label: Ints, owner: Ints) -> tuple[Any, ...]:
    """Arguments of ``Groups.of`` for the groups that are no part of an earlier story."""
    units = np.flatnonzero(label >= 0)
    units = units[owner[label[units]] < 0]
    _, labels = np.unique(label[units], return_inverse=True)
    return labels, index.vectors[units], index.bags.take(units), len(index.idf)


def spread_of(index: CorpusIndex, stories: Ints) -> Spread:
    """In how many stories each term is."""
    _, labels = np.unique(stories, return_inverse=True)
    return Spread.of(Groups.of(labels, index.vectors, index.bags, len(index.idf)), len(index.idf))
