from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from tests.text.transformer.small_mpnet import small_mpnet

from fabula.core.model_store import shipped_folder
from fabula.errors import DamagedFile, UsageError
from fabula.ordering import TASK, order
from fabula.ordering.coherence import coherence
from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.decoding.permutation_marginals import permutation_marginals
from fabula.ordering.features.adjacency_similarity import adjacency_similarity
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import tau
from fabula.ordering.models.pairwise.head import Network
from fabula.ordering.models.pairwise.model import Pairwise
from fabula.registry import create_model
from fabula.text.transformer.spec import BACKBONES

STORY = [
    "Clara planted a row of beans in April.",
    "For two weeks nothing could be seen but earth.",
    "Then the first green tips came up.",
    "She tied the long shoots to poles in June.",
    "In August she picked a whole basket of beans.",
]
FLOOD = [
    "In 1911 the council of Marwick decided to build a dam.",
    "Work began in 1913 and was soon interrupted by the war.",
    "The dam was finished in 1921.",
    "It broke in the night of 3 May 1938.",
]


def shuffled(units: list[str], turn: list[int]) -> tuple[list[str], list[int]]:
    return [units[i] for i in turn], [turn.index(i) for i in range(len(units))]


@pytest.mark.parametrize("units", [STORY, FLOOD])
def test_short_accounts_come_out_nearly_in_order_however_they_came_in(units: list[str]) -> None:
    found = []
    for seed in range(3):
        turn = np.random.default_rng(seed).permutation(len(units)).tolist()
        given, right = shuffled(units, turn)
        answer = order(given, model="pairwise")
        found.append([given[i] for i in answer.order])
        assert tau(right, answer.order) > 0
    assert found[0] == found[1] == found[2]  # the order given has no say


def test_years_decide_where_nothing_else_does() -> None:
    given = ["Ada died in 1902.", "Ada died in 1899.", "Ada died in 1911."]
    answer = order(given, model="pairwise")
    assert answer.order == (1, 0, 2)
    assert min(answer.neighbours) > 0.5


def test_confidence_is_a_probability_and_equal_units_are_all_kept() -> None:
    given = ["It rained.", "It rained.", *STORY, "It rained."]
    answer = order(given, model="pairwise")
    assert sorted(answer.order) == list(range(len(given)))
    assert 0.5 <= answer.confidence <= 1
    assert all(0 <= p <= 1 for p in answer.neighbours) and len(answer.neighbours) == len(given) - 1
    assert answer.before[0, 1] == pytest.approx(0.5)
    places = [answer.order.index(unit) for unit in (0, 1, 7)]
    assert places == sorted(places)
    assert answer == order(given, model="pairwise")


@pytest.mark.parametrize("model", ["pairwise", "pairwise:walk", "pairwise:chances"])
def test_empty_units_and_strange_characters_are_units_too(model: str) -> None:
    answer = order(["", "Rain fell.", "\ud800", "   "], model=model)
    assert sorted(answer.order) == [0, 1, 2, 3]
    assert order([], model="pairwise").order == ()
    assert [found.order for found in Pairwise().order([Text("none", ())])] == [()]
    assert order([""], model="pairwise").order == (0,)


def test_a_long_paragraph_is_ordered() -> None:
    long = "The council met again to speak of the harbour and its walls. " * 60
    answer = order([long, "At last the harbour was built.", long], model="pairwise")
    assert sorted(answer.order) == [0, 1, 2]


def test_300_units_and_a_paragraph_of_20_000_words() -> None:
    """At full size, with an encoder that costs nothing: reading is tested on shorter units."""
    model = Pairwise.load(shipped_folder("ordering/pairwise"))
    (network,) = model.networks_
    assert isinstance(network, Network)
    reader = network.reader
    table = np.random.default_rng(0).normal(size=(997, 384)).astype(np.float32)

    class Quick:
        read = 0

        def run(self, ids: Sequence[int]) -> np.ndarray:
            self.read += len(ids)
            return np.asarray(table[np.array(ids) % len(table)])

    quick = Quick()
    reader.__dict__["_lower"] = quick
    many = [f"Unit {number}." for number in range(300)]
    assert sorted(order(many, model=model).order) == list(range(300))
    quick.read = 0
    long = " ".join(f"word{number % 977}" for number in range(20_000))
    assert sorted(order([long, *many[:4]], model=model).order) == [0, 1, 2, 3, 4]
    assert quick.read > 20_000  # to its last word


def test_too_many_units_and_one_string_are_refused() -> None:
    with pytest.raises(UsageError, match="up to 1000 units"):
        order(["x"] * 1001)
    with pytest.raises(UsageError, match="list of strings"):
        order("One text.")


def test_constraints_are_kept_and_contradictions_refused() -> None:
    answer = order(STORY, model="pairwise", first=4, last=0, before=[(3, 1)], blocks=[(1, 2)])
    assert (answer.order[0], answer.order[-1]) == (4, 0)
    place = [answer.order.index(i) for i in range(5)]
    assert place[3] < place[1] and abs(place[1] - place[2]) == 1
    with pytest.raises(UsageError, match="contradict"):
        order(STORY, model="pairwise", first=1, before=[(0, 1)])


def test_every_decoder_can_be_named() -> None:
    for decoder in ("kemeny", "search", "beam", "held-karp"):
        model = create_model("ordering", f"pairwise:{decoder}")
        assert model.decoder == decoder
        assert sorted(order(STORY, model=model).order) == [0, 1, 2, 3, 4]
        assert order(STORY, model="pairwise", decoder=decoder) == order(STORY, model=model)
    with pytest.raises(UsageError, match="no decoder"):
        create_model("ordering", "pairwise:fast")


def test_the_shipped_weights_can_go_unit_after_unit() -> None:
    model = create_model("ordering", "pairwise:walk")
    found = [order(units, model=model) for units in (STORY[::-1], FLOOD[::-1])]
    assert mean(tau(range(len(one.order))[::-1], one.order) for one in found) > 0
    assert all(one.scores is not None for one in found)
    kept = order(STORY, model=model, first=4, blocks=[(1, 3)])
    place = [kept.order.index(i) for i in range(5)]
    assert place[4] == 0 and abs(place[1] - place[3]) == 1


def test_the_shipped_weights_can_weigh_every_order() -> None:
    model = create_model("ordering", "pairwise:chances")
    found = [order(units, model=model) for units in (STORY[::-1], FLOOD[::-1])]
    assert mean(tau(range(len(one.order))[::-1], one.order) for one in found) > 0
    by_pairs = order(STORY, model="pairwise:pairs")
    assert not np.allclose(order(STORY, model=model).before, by_pairs.before, atol=0.01)
    assert by_pairs == order(STORY, model="pairwise")
    kept = order(STORY, model=model, first=4, blocks=[(1, 3)])
    place = [kept.order.index(i) for i in range(5)]
    assert place[4] == 0 and abs(place[1] - place[3]) == 1


def test_every_witness_has_its_part_in_the_chances() -> None:
    model = Pairwise.load(shipped_folder("ordering/pairwise"))
    model.decoder = "chances"
    model.chances_ = np.random.default_rng(0).uniform(0.1, 1.0, len(model.chances_))
    said, follow, opening = model.evidence_of(STORY)
    assert (follow[:, :, 1] == adjacency_similarity(STORY)).all()
    pull, near, front = said @ model.chances_[:-3], follow @ model.chances_[-3:-1], opening[:, 0]
    sums = permutation_marginals(pull[None], near[None], front[None] * model.chances_[-1])
    (found,) = model.order([Text("a", tuple(STORY))])
    apart = ~np.eye(5, dtype=bool)
    assert found.before[apart] == pytest.approx(sums.before[0][apart], abs=1e-5)
    assert (found.before.diagonal() == 0.5).all() and found.order == decode(found.before)


def test_equal_units_stay_as_they_stand_and_many_units_go_by_pairs() -> None:
    model = create_model("ordering", "pairwise:chances")
    twice = order([*STORY, STORY[2], STORY[2]], model=model)
    places = [twice.order.index(i) for i in (2, 5, 6)]
    assert places == sorted(places)
    assert twice.before[np.ix_([2, 5, 6], [2, 5, 6])][~np.eye(3, dtype=bool)] == pytest.approx(0.5)
    first = order([*STORY, STORY[2], STORY[2]], model=model, first=0)
    assert first.order[0] == 0 and [i for i in first.order if i in (2, 5, 6)] == [2, 5, 6]
    many = [f"On day {n} the water rose by {n} feet." for n in range(17)]
    assert order(many, model=model) == order(many, model="pairwise:pairs")
    assert Pairwise(decoder="chances").order([Text("none", ())])[0].order == ()


def test_calibrating_takes_the_way_that_orders_the_texts_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [Text(id=str(n), units=tuple(some), gold=tuple(range(len(some))))
             for n, some in enumerate((STORY, FLOOD))]  # fmt: skip
    turns = {"pairs": -1, "walk": -1, "chances": -1}
    plain = Pairwise.decoded

    def decoded(self: Pairwise, units: list[str], heard: Any, way: str) -> Order:
        answer = plain(self, units, heard, "pairs")
        return replace(answer, order=answer.order[:: turns[way]])

    monkeypatch.setattr(Pairwise, "decoded", decoded)
    for best in turns:
        model = Pairwise.load(shipped_folder("ordering/pairwise"))
        with monkeypatch.context() as only:
            only.setitem(turns, best, 1)
            model.calibrate(texts)
        assert model.strategy_ == best


def test_a_text_in_order_is_more_coherent_than_the_same_shuffled() -> None:
    scores = [coherence(text, model="pairwise").score for text in (STORY, FLOOD)]
    backwards = [coherence(text[::-1], model="pairwise") for text in (STORY, FLOOD)]
    assert mean(scores) > 0.6 > 0.5 > mean(rated.score for rated in backwards)
    for rated in backwards:
        assert rated.moves and rated.moves[0].score > rated.score
        assert rated.best >= rated.moves[-1].score - 1e-6


def test_training_on_a_few_texts_learns_them(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    texts = [
        Text(id=str(i), units=(f"Then {name} left.", f"One day {name} came."), gold=(1, 0))
        for i, name in enumerate(["Tom", "Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"])
    ]
    model = Pairwise(epochs=6, seed=1).fit(texts, texts)
    unseen = Text(id="new", units=("Then Hal left.", "One day Hal came."))
    (answer,) = model.order([unseen])
    assert answer.order == (1, 0)
    model.save(tmp_path)
    assert Pairwise.load(tmp_path).order([unseen]) == [answer]


def test_going_on_from_a_trained_one_keeps_its_words_and_changes_its_network() -> None:
    pytest.importorskip("torch")
    texts = [Text(id="a", units=tuple(STORY), gold=(0, 1, 2, 3, 4))]
    first = Pairwise.load(shipped_folder("ordering/pairwise"))
    then = Pairwise(epochs=1, start="shipped").fit(texts, texts)
    assert (then.words_ == first.words_).all()
    after, before = (model.networks_[0].weights["layers.5.out.weight"] for model in (then, first))
    assert 0 < np.abs(after - before).max() < 0.1


def test_texts_without_gold_or_with_one_unit_cannot_teach() -> None:
    with pytest.raises(UsageError, match="no gold order"):
        Pairwise().fit([Text(id="a", units=("x", "y"))])
    with pytest.raises(UsageError, match="two or more units"):
        Pairwise().fit([Text(id="a", units=("x",), gold=(0,))])


def test_damaged_weights_are_an_error_not_a_crash(tmp_path: Path) -> None:
    shutil.copytree(shipped_folder("ordering/pairwise"), tmp_path / "copy")
    config = tmp_path / "copy" / "config.json"
    content = json.loads(config.read_text())
    content["mix"] = {"joint": 1.0}
    config.write_text(json.dumps(content))
    with pytest.raises(DamagedFile, match="changed since it was saved"):
        Pairwise.load(tmp_path / "copy")
    for part, wrong in {
        "chances": [*content["chances"]],
        "steps": dict.fromkeys(content["steps"], float("nan")),
        "way": "by the stars",
    }.items():
        content = json.loads((shipped_folder("ordering/pairwise") / "config.json").read_text())
        config.write_text(json.dumps(content | {part: wrong}))
        with pytest.raises(DamagedFile):
            Pairwise.load(tmp_path / "copy")
        del content[part]
        config.write_text(json.dumps(content))
        with pytest.raises(DamagedFile):
            Pairwise.load(tmp_path / "copy")
    shutil.copy(shipped_folder("ordering/pairwise") / "config.json", config)
    (tmp_path / "copy" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(DamagedFile, match="not a trained model"):
        Pairwise.load(tmp_path / "copy")


def test_the_shipped_weights_are_small_and_better_than_none() -> None:
    folder = shipped_folder("ordering/pairwise")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 13e6
    examples = TASK.examples()
    blind = [Text(id=text.id, units=text.units) for text in examples]
    answers = create_model("ordering", "pairwise").order(blind)
    taus = [tau(t.gold or (), a.order) for t, a in zip(examples, answers, strict=True)]
    assert mean(taus) > 0  # a random order has 0; the bar is in benchmarks/ordering.py


def test_a_larger_reader_is_trained_from_states_that_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, _ = small_mpnet(tmp_path, monkeypatch)
    monkeypatch.setitem(BACKBONES, "mpnet", body)
    texts = [
        Text(
            id=str(number), units=tuple(f"{word} thing {number}." for word in words), gold=(0, 1, 2)
        )
        for number, words in enumerate([("First", "Then", "Finally")] * 8)
    ]
    model = Pairwise(reader="mpnet", epochs=30, rate=8e-3, seed=1).fit(texts, texts)
    assert not any(
        name.startswith(("layers.0.", "layers.1.")) for name in model.networks_[0].weights
    )
    given = Text(id="a", units=("Finally thing 3.", "First thing 3.", "Then thing 3."))
    said = model.evidence_of(given.units)[0][:, :, 0]
    assert said[1, 2] > 0 and said[1, 0] > 0 and said[2, 0] > 0  # the network alone has learnt it
    model.save(tmp_path / "saved")
    again = Pairwise.load(tmp_path / "saved")
    assert again.order([given])[0].before == pytest.approx(model.order([given])[0].before)
    with pytest.raises(UsageError, match="trained with reader=mpnet; set reader to the same"):
        Pairwise(start=str(tmp_path / "saved")).fit(texts, texts)
    with pytest.raises(UsageError, match="must be minilm, mpnet, smollm2 or several"):
        Pairwise(reader="bert").fit(texts, texts)


def test_two_trained_readers_are_heard_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, _ = small_mpnet(tmp_path, monkeypatch)
    monkeypatch.setitem(BACKBONES, "mpnet", body)
    texts = [Text(id="a", units=tuple(STORY), gold=(0, 1, 2, 3, 4))]
    Pairwise(reader="mpnet", epochs=1).fit(texts, texts).save(tmp_path / "mpnet")
    shutil.copytree(shipped_folder("ordering/pairwise"), tmp_path / "minilm")
    start = f"{tmp_path / 'minilm'},{tmp_path / 'mpnet'}"
    both = Pairwise(reader="minilm+mpnet", start=start, epochs=0.0).fit(texts, texts)
    alone = Pairwise.load(tmp_path / "mpnet")
    assert both.networks_[1].weights.keys() == alone.networks_[0].weights.keys()
    said, follow, opening = both.evidence_of(STORY)
    assert said.shape == (5, 5, 16) and follow.shape == (5, 5, 3) and opening.shape == (5, 2)
    assert (said[:, :, 1] == alone.evidence_of(STORY)[0][:, :, 0]).all()
    both.save(tmp_path / "both")
    config = json.loads((tmp_path / "both" / "config.json").read_text())
    assert list(config["mix"])[:3] == ["network", "network of mpnet", "words"]
    assert list(config["chances"]) == list(config["steps"])
    assert list(config["steps"])[-5:] == [
        "follow",
        "follow of mpnet",
        "likeness",
        "opening",
        "opening of mpnet",
    ]
    again = Pairwise.load(tmp_path / "both")
    for decoder in ("best", "walk", "chances"):
        both.decoder = again.decoder = decoder
        assert again.order(texts) == both.order(texts)
    with pytest.raises(UsageError, match=r"reader=minilm\+mpnet; set reader to the same"):
        Pairwise(reader="mpnet", start=str(tmp_path / "both")).fit(texts, texts)
