"""What is left of a case when some of its documents are taken out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fabula.web.store import Store

__all__ = ["finish_removal", "without_documents"]

_JOINT = ("accept", "dismiss", "reopen", "note")  # said of all their sentences together
_OF_ACTORS = ("join-actors", "rename-actor", "split-actor")


def without_documents(pile: Mapping[str, Any], documents: set[str]) -> dict[str, Any]:
    """The fields of a pile that stay: nothing in them is, or is said of, text of the documents.

    ``numbers`` are the stories of the sentences that stay, so that they keep their numbers.
    """
    told = [(story, sentence) for story in _stories(pile) for sentence in story["sentences"]]
    stay = {sentence["id"] for _, sentence in told if _stays(sentence, documents)}
    names = _renumbered([sentence["id"] for _, sentence in told], stay)
    names |= {sentence["text"]: sentence["text"] for _, sentence in told if sentence["id"] in stay}
    numbers = {names[sentence["id"]]: story["id"] for story, sentence in told
               if sentence["id"] in stay}  # fmt: skip
    base = {
        number: [names[sentence] for sentence in ids if sentence in names]
        for number, ids in (pile["base"] or {}).items()
    }
    people = {
        actor["name"]
        for story in _stories(pile)
        for actor in story["actors"]
        if any(story["sentences"][place - 1]["id"] in stay for place in actor["positions"])
    }

    def left(entries: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
        return [kept for entry in entries or () if (kept := _without(entry, names, people))]

    return {
        "numbers": numbers,
        "base": {number: ids for number, ids in base.items() if ids} or None,
        "corrections": left(pile["corrections"]),
        "undone": left(pile["undone"]),
    }


def finish_removal(store: Store, pile: str, upload: str) -> None:
    """Remove the file whose text is gone from the store; at the next start, if this is cut off."""
    (store.folder / "piles" / pile / upload).unlink(missing_ok=True)
    store.set("pile", pile, removing=None)


def _stories(pile: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list((pile["result"] or {"stories": []})["stories"])


def _stays(sentence: Mapping[str, Any], documents: set[str]) -> bool:
    """Whether another document has the sentence too, word for word."""
    copies = [c["document"] for c in sentence["also_in"] if c["text"] == sentence["text"]]
    return any(name not in documents for name in (sentence["document"], *copies))


def _renumbered(ids: Iterable[str], stay: set[str]) -> dict[str, str]:
    """The ids of what stays; of sentences with the same words the first has no number.

    >>> sorted(_renumbered(["ab", "ab-2", "cd"], {"ab-2", "cd"}).items())
    [('ab-2', 'ab'), ('cd', 'cd')]
    """
    counts: dict[str, int] = {}
    names = {}
    for own in sorted(ids, key=lambda own: int(own.partition("-")[2] or 1)):
        if own in stay:
            stem = own.partition("-")[0]
            counts[stem] = counts.get(stem, 0) + 1
            names[own] = stem if counts[stem] == 1 else f"{stem}-{counts[stem]}"
    return names


def _without(
    entry: Mapping[str, Any], names: Mapping[str, str], people: set[str]
) -> dict[str, Any] | None:
    """A correction without the sentences and people that are gone; None where nothing is left."""
    left = {key: value for key, value in entry.items() if key != "text"}
    if entry["do"] in _OF_ACTORS:
        said = {*entry.get("actors", ()), *(entry[k] for k in ("actor", "name") if k in entry)}
        if not said & people:
            return None
    if isinstance(entry.get("sentence"), str):
        if entry["sentence"] not in names:
            return None
        left["sentence"] = names[entry["sentence"]]
    if isinstance(entry.get("after"), str):
        left["after"] = names.get(entry["after"])
        if left["after"] is None:  # else it would go first
            del left["after"]
    if "sentences" in entry:
        known = [name for name in entry["sentences"] if not isinstance(name, str) or name in names]
        if not known or (entry["do"] in _JOINT and len(known) < len(entry["sentences"])):
            return None
        left["sentences"] = [names[name] if isinstance(name, str) else name for name in known]
    return left
