"""Chats and mails: log-odds of units in, log-odds with what whole stories say of them out.

A message says little, and a witness's mail tells one side of what happened: pair by pair such
texts are unlike most reports of their story. Two rules raise log-odds where more is known:

- A chat is compared as a whole with the stories of the documents. Where one fits, its
  conversations go there, except one that fits another story clearly, or none.
- A mail thread that is clearly like one document of a story joins it, unless the others speak
  against it.

The limits are set, not learnt: there is no collection of chats and mails with reports.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.average_linkage import linkage_clusters
from fabula.salads.models.documents.model import Documents, Unit
from fabula.salads.stories.structure import Structure

__all__ = ["with_chats", "with_mails"]

Floats = NDArray[np.float64]
Group = Sequence[int] | NDArray[np.int64]

_JOINED = 1.0  # mean log-odds given to what is joined
_CLEAR = 2.0  # log-odds at which a conversation leaves its chat's story for another
_LONG_ENOUGH = 50  # words of a conversation that are enough to judge it by
_LIKE_ONE = 1.5  # log-odds to one document of a story, and the least mean to all of them
_LEAST_MEAN = -1.0


def with_chats(
    model: Documents,
    sentences: Sequence[str],
    units: Sequence[Unit],
    structure: Structure,
    log_odds: Floats,
) -> Floats:
    """The log-odds with conversations joined to the story that their chat as a whole fits."""
    rooms = [_at(structure.rooms, unit.document) for unit in units]
    documents = [i for i, room in enumerate(rooms) if room is None]
    if not documents or len(documents) == len(units):
        return log_odds
    labels = linkage_clusters(log_odds[np.ix_(documents, documents)]).labels
    stories = [
        [documents[i] for i in np.flatnonzero(labels == k)] for k in range(int(labels.max()) + 1)
    ]
    result = log_odds.copy()
    for room in dict.fromkeys(room for room in rooms if room is not None):
        talk = [i for i, name in enumerate(rooms) if name == room]
        as_one = _fits(model, sentences, units, talk, stories)
        if as_one.max() <= 0:
            continue
        home = int(as_one.argmax())
        placed: dict[int, list[int]] = {}
        for i in talk:
            target = home
            if _words(sentences, units[i]) >= _LONG_ENOUGH:
                own = _fits(model, sentences, units, [i], stories)
                best = int(own.argmax())
                if own[best] > max(_CLEAR, own[home]):
                    target = best
                elif own[home] < _LEAST_MEAN:  # about something else
                    _part(result, [i], documents)
                    continue
            placed.setdefault(target, []).append(i)
        for target, members in placed.items():
            elsewhere = [j for k, story in enumerate(stories) if k != target for j in story]
            for i in members:
                _join(result, [i], stories[target])
                _join(result, [i], [j for j in members if j != i])
                _part(result, [i], elsewhere)
    return result


def _fits(
    model: Documents,
    sentences: Sequence[str],
    units: Sequence[Unit],
    members: Sequence[int],
    stories: Sequence[Sequence[int]],
) -> Floats:
    """Log-odds of some units, taken as one text, with each story, taken as one text."""
    groups = [
        Unit(tuple(index for i in group for index in units[i].sentences), number)
        for number, group in enumerate([members, *stories])
    ]
    return model.link_odds(sentences, groups)[0, 1:]


def with_mails(
    sentences: Sequence[str], units: Sequence[Unit], structure: Structure, log_odds: Floats
) -> Floats:
    """The log-odds with mail threads joined to a story of which one document is like them.

    The thread likest to a document is joined first. A short mail of a thread says little, so that
    the mails count by their words.
    """
    words = np.array([_words(sentences, unit) for unit in units])
    threads = [_at(structure.threads, unit.document) for unit in units]
    result = log_odds
    for _ in set(threads) - {None}:
        labels = linkage_clusters(result).labels
        groups = [np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1)]
        found = []
        for mail, members in enumerate(groups):
            if len({threads[i] for i in members}) > 1 or threads[members[0]] is None:
                continue
            for other, story in enumerate(groups):
                links = result[np.ix_(members, story)]
                mean = float(np.average(links.mean(axis=1), weights=words[members] + 1e-9))
                like_one = links.max() > _LIKE_ONE and mean > _LEAST_MEAN
                if other != mail and len(story) > 1 and like_one:
                    found.append((links.max() + mean, mail, other))
        if not found:
            break
        _, mail, other = max(found)
        result = result.copy()
        _join(result, groups[mail], groups[other])
    return result


def _join(log_odds: Floats, members: Group, story: Group) -> None:
    """Raise the log-odds between two groups, in place, to a mean of at least ``_JOINED``."""
    if len(members) and len(story):
        links = log_odds[np.ix_(np.array(members), np.array(story))]
        _set(log_odds, members, story, links + max(0.0, _JOINED - float(links.mean())))


def _part(log_odds: Floats, members: Group, others: Group) -> None:
    """Lower the log-odds between two groups, in place, to at most those of what is not joined."""
    if len(members) and len(others):
        links = log_odds[np.ix_(np.array(members), np.array(others))]
        _set(log_odds, members, others, np.minimum(links, -_JOINED))


def _set(log_odds: Floats, rows: Group, columns: Group, links: Floats) -> None:
    log_odds[np.ix_(np.array(rows), np.array(columns))] = links
    log_odds[np.ix_(np.array(columns), np.array(rows))] = links.T


def _words(sentences: Sequence[str], unit: Unit) -> int:
    return sum(len(sentences[at].split()) for at in unit.sentences)


def _at(values: Sequence[str | None], index: int) -> str | None:
    return values[index] if index < len(values) else None
