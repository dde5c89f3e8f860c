from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.assembly import assemble
from fabula.assembly.corrections import corrections_text, read_corrections
from fabula.assembly.render.formats import to_json
from fabula.errors import InputError
from fabula.salads import Grouping, Salad
from fabula.salads.clustering.correlation import correlation_clusters

WORDS = "ferry mill storm bridge baker train captain river lorry school".split()


class Pairs:
    """Scores pairs by shared words: small, exact, and nothing to load."""

    whole = 300

    def pair_odds(self, salads: list[Salad]) -> list[Any]:
        return [self._odds(s.sentences) for s in salads]

    def _odds(self, sentences: tuple[str, ...]) -> Any:
        bags = [set(s.lower().strip(".").split()) & set(WORDS) for s in sentences]
        return np.array([[2.0 * len(a & b) - 1 for b in bags] for a in bags])

    def certainty(self, odds: Any, labels: Any) -> Grouping:
        return Grouping(tuple(int(label) for label in labels), (0.8,) * len(labels))

    def group(self, salads: list[Salad]) -> list[Grouping]:
        odds = self.pair_odds(salads)
        return [
            self.certainty(o, correlation_clusters(o, s.stories))
            for o, s in zip(odds, salads, strict=True)
        ]


MODEL = Pairs()
sentences = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(
    lambda words: f"The {words[0]} saw the {' and the '.join(words[1:])}."
)
piles = st.lists(sentences, min_size=3, max_size=9)


def run(pile: list[str], **options: Any) -> dict[str, Any]:
    options = {"untangler": MODEL, "orderer": "linear", **options}
    return to_json(assemble(["\n".join(pile)], **options))


def story_of(data: dict[str, Any]) -> dict[str, int]:
    return {s["id"]: story["id"] for story in data["stories"] for s in story["sentences"]}


@settings(max_examples=20, derandomize=True)
@given(piles, st.data())
def test_random_piles_with_random_corrections(pile: list[str], data: st.DataObject) -> None:
    before = now = run(pile)
    entries: list[dict[str, Any]] = []
    pins = Pins()
    for _ in range(data.draw(st.integers(2, 4), label="corrections")):
        was = story_of(now)
        entries.append(draw_correction(data, was))
        now = run(pile, corrections=saved(before, entries))
        pins.check(entries[-1], was, now)
        told = sorted(s["text"] for story in now["stories"] for s in story["sentences"])
        assert told == sorted(pile), "something was lost or doubled"
        for story in now["stories"]:
            positions = [s["position"] for s in story["sentences"]]
            assert positions == [*range(1, len(positions) + 1)]
        check_honoured(entries[-1], was, now)
    again = run(pile, corrections=saved(before, entries))
    assert json.dumps(again) == json.dumps(now), "other bytes the second time"


def draw_correction(data: st.DataObject, home: dict[str, int]) -> dict[str, Any]:
    sentence = data.draw(st.sampled_from(sorted(home)))
    numbers = sorted(set(home.values()))
    kind = data.draw(st.sampled_from(["move", "new", "join", "split", "lock", "pin"]))
    if kind == "pin":
        return {"do": "lock", "sentence": sentence}
    if kind == "new":
        return {"do": "move", "sentence": sentence, "to": "new"}
    if kind == "join":
        return {"do": "join", "stories": numbers[:2]}
    if kind == "split":
        return {"do": "split", "story": home[sentence], "sentences": [sentence]}
    if kind == "lock":
        return {"do": "lock", "story": home[sentence]}
    to = data.draw(st.sampled_from(numbers))
    entry: dict[str, Any] = {"do": "move", "sentence": sentence, "to": to}
    if others := sorted(i for i in home if home[i] == to and i != sentence):
        entry["after"] = data.draw(st.sampled_from([None, *others]))
    return entry


def check_honoured(entry: dict[str, Any], was: dict[str, int], now: dict[str, Any]) -> None:
    """The correction made last is done as it says; ``was`` are the stories before it."""
    home = story_of(now)
    if entry["do"] == "move":
        number = home[entry["sentence"]]
        if entry["to"] == "new":
            assert number not in set(was.values()) or len(was) == 1
        else:
            assert number == entry["to"]
        (story,) = (story for story in now["stories"] if story["id"] == number)
        order = [s["id"] for s in story["sentences"]]
        repeated = any(s["repeat_of"] for story in now["stories"] for s in story["sentences"])
        if "after" in entry and not repeated:
            place = order.index(entry["sentence"])
            assert (order[place - 1] if place else None) == entry["after"]
    elif entry["do"] == "join":
        assert len({home[i] for i in was if was[i] in entry["stories"]}) == 1
    elif entry["do"] == "split" and sum(n == entry["story"] for n in was.values()) > 1:
        assert home[entry["sentences"][0]] > max(was.values())
        assert entry["story"] in home.values()


class Pins:
    """What corrections have fixed: sentences stay in their stories, locked stories as they are."""

    def __init__(self) -> None:
        self.story_of: dict[str, int] = {}
        self.locked: set[int] = set()

    def check(self, entry: dict[str, Any], was: dict[str, int], now: dict[str, Any]) -> None:
        home = story_of(now)
        changed: set[int] = set()
        if entry["do"] == "move":
            changed = {was[entry["sentence"]], home[entry["sentence"]]}
            self.story_of[entry["sentence"]] = home[entry["sentence"]]
        elif entry["do"] == "join":
            changed = set(entry["stories"])
            self.story_of |= {i: min(changed) for i in was if was[i] in changed}
        elif entry["do"] == "split":
            changed = {entry["story"]}
            self.story_of |= {i: home[i] for i in entry["sentences"]}
        elif "sentence" in entry:
            self.story_of[entry["sentence"]] = was[entry["sentence"]]
        else:
            self.locked.add(entry["story"])
            self.story_of |= {i: entry["story"] for i in was if was[i] == entry["story"]}
        assert {i: home[i] for i in self.story_of} == self.story_of
        fixed = {s["id"] for story in now["stories"] for s in story["sentences"] if s["fixed"]}
        assert self.story_of.keys() <= fixed
        self.locked -= changed if entry["do"] != "lock" else set()
        for story in self.locked:
            members = {i for i in was if was[i] == story}
            assert {i for i in home if home[i] == story} == members


def saved(before: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "fabula": "corrections",
        "version": 1,
        "stories": before["base"],
        "corrections": entries,
    }


PILE = ["The ferry saw the captain.", "The captain saw the ferry.", "The mill saw the baker.",
        "The baker saw the mill.", "The ferry saw the mill."]  # fmt: skip


def test_free_sentences_follow_a_correction() -> None:
    before = run(PILE, stories=2)
    home = story_of(before)
    first, second, *_ = home
    assert home[first] == home[second]
    other = next(i for i in home if home[i] != home[first])  # two stories are asked for
    entries = [{"do": "move", "sentence": first, "to": home[other]}]
    after = story_of(run(PILE, corrections=saved(before, entries)))
    assert after[first] == home[other]
    fixed = [s for st_ in run(PILE, corrections=saved(before, entries))["stories"]
             for s in st_["sentences"] if s["id"] == first]  # fmt: skip
    assert fixed[0]["fixed"] and fixed[0]["probability"] == 1.0


def test_a_locked_story_admits_nobody() -> None:
    """Without the lock, the sentence whose companion is taken away goes to the next best story."""
    pile = [
        "The ferry saw the captain and the train.", "The captain saw the train and the ferry.",
        "The mill saw the storm and the ferry.", "The mill saw the storm and the baker.",
        "The baker saw the mill and the river.",
        "The lorry saw the school and the bridge.", "The school saw the lorry and the bridge.",
    ]  # fmt: skip
    before = run(pile, stories=3)
    assert stories_by_line(before) == [1, 1, 2, 2, 2, 3, 3]
    move = {"do": "move", "sentence": {"line": 4}, "to": 3}
    free = run(pile, corrections=saved(before, [move]))
    assert stories_by_line(free) == [1, 1, 1, 3, 2, 3, 3]
    locked = run(pile, corrections=saved(before, [{"do": "lock", "story": 1}, move]))
    assert stories_by_line(locked) == [1, 1, 2, 3, 2, 3, 3]


def stories_by_line(data: dict[str, Any]) -> list[int]:
    placed = [(s["line"], story["id"]) for story in data["stories"] for s in story["sentences"]]
    return [number for _, number in sorted(placed)]


def test_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    entry = {"do": "move", "sentence": {"line": 5}, "to": 1, "position": 1}
    path.write_text(corrections_text(read_corrections({"corrections": [entry]})), "utf-8")
    data = run(PILE, corrections=path)
    assert data["stories"][0]["sentences"][0]["text"] == PILE[4]


def test_new_text_keeps_numbers_and_says_what_changed() -> None:
    before = run(PILE)
    more = [*PILE, "The river saw the school."]
    after = run(more, previous=before)
    old = story_of(before)
    assert all(story_of(after)[i] == number for i, number in old.items())
    assert (
        after["changes"]
        == [{"text": more[-1], "was": None, "is": story_of(after)[list(story_of(after))[-1]]}]
        or len(after["changes"]) == 1
    )
    gone = run(PILE[1:], previous=before)
    assert {"text": PILE[0], "was": old[next(iter(old))], "is": None} in gone["changes"]


def test_inapplicable_corrections_are_noted() -> None:
    entries = [
        {"do": "move", "sentence": "nowhere", "to": 1},
        {"do": "join", "stories": [1, 99]},
        {"do": "move", "sentence": {"line": 1}, "to": 99},
    ]
    data = run(PILE, corrections={"corrections": entries})
    notes = [note for note in data["notes"] if note.startswith("Correction ")]
    assert len(notes) == 3 and "not in this pile" in notes[0] and "no story 99" in notes[1]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"do": "burn"}, "'do' must be one of"),
        ({"do": "move", "to": 1}, "move needs sentence"),
        ({"do": "join", "stories": []}, "a list with something in it"),
        ({"do": "lock"}, "lock takes a story or a sentence"),
        ({"do": "move", "sentence": 3, "to": 1}, "a sentence is an id"),
        ({"do": "move", "sentence": "x", "to": 0}, "must be a number from 1"),
        ({"do": "join", "stories": [1], "x": 2}, "join has no x"),
        ("move", "'do' must be one of"),
        ({"do": "title", "story": 1, "title": " "}, "a title is a text"),
        ({"do": "date", "sentence": "x", "date": "yesterday"}, "a date is written"),
        ({"do": "date", "sentence": "x", "date": "2023-02-30"}, "day is out of range"),
        ({"do": "reopen", "sentences": ["x"]}, "the two sentences"),
    ],
)
def test_invalid_corrections(entry: Any, problem: str) -> None:
    with pytest.raises(InputError, match=f"correction 1: .*{problem}"):
        read_corrections({"corrections": [entry]})
    with pytest.raises(InputError, match="no list of corrections"):
        read_corrections({})


def test_titles_dates_and_notes_are_the_users() -> None:
    pile = ["The ferry left the storm.", "The captain saw the ferry.", "The mill fed the baker."]
    before = run(pile, stories=2)
    ids = {s["text"]: s["id"] for story in before["stories"] for s in story["sentences"]}
    story = story_of(before)[ids[pile[0]]]
    entries = [
        {"do": "title", "story": story, "title": " The  ferry "},
        {"do": "date", "sentence": ids[pile[0]], "date": "2024-03-05T21:00"},
        {"do": "note", "sentences": [ids[pile[1]]], "note": "ask the harbour master"},
        {"do": "title", "story": 9, "title": "none"},
    ]
    after = run(pile, stories=2, corrections=saved(before, entries))
    told = next(s for s in after["stories"] if s["id"] == story)
    assert told["title"] == "The ferry"
    assert {s["id"]: s["when"] for s in told["sentences"]}[ids[pile[0]]] == "2024-03-05T21:00"
    (row,) = after["timeline"]
    assert (row["date"], row["reason"]) == ("2024-03-05T21:00", "set by a correction")
    assert any("Correction 4 (title) was left out" in note for note in after["notes"])
    cleared = [*entries, {"do": "date", "sentence": ids[pile[0]], "date": None}]
    assert run(pile, stories=2, corrections=saved(before, cleared))["timeline"] == []


def test_a_judgement_can_be_taken_back() -> None:
    from fabula.assembly.corrections import judged_contradictions
    from fabula.assembly.pile import pieces_of

    pieces = pieces_of(["One came. Two came."])
    pair = [piece.id for piece in pieces]
    dismissed = {"do": "dismiss", "sentences": pair}
    assert judged_contradictions([dismissed], pieces) == {(0, 1): False}
    assert judged_contradictions([dismissed, {"do": "reopen", "sentences": pair}], pieces) == {}
