"""The paper's four models: their equations by hand, the search, and learning what can be learnt."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.ordering.models.test_models import mean_tau

from fabula.errors import DamagedFile, UsageError
from fabula.ordering import TASK
from fabula.ordering.items import Text
from fabula.ordering.models.random import Random

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

from fabula.ordering.models import attorder, lstm_ptr, se_graph, vlstm_ptr  # noqa: E402
from fabula.ordering.models.pointer import entity_graph as graphs  # noqa: E402
from fabula.ordering.models.pointer.base import PointerModel  # noqa: E402
from fabula.ordering.models.pointer.data import (  # noqa: E402
    Batches,
    EncodedText,
    collate,
    encode_texts,
    word_table,
)
from fabula.ordering.models.pointer.entity_graph import OBJECT, OTHER, SUBJECT, entity_graphs  # noqa: E402
from fabula.text.segment.words import UNKNOWN, Vocabulary  # noqa: E402

SMALL: dict[str, dict[str, Any]] = {
    "lstm-ptr": {"width": 12, "hidden": 12, "heads": 2},
    "vlstm-ptr": {"width": 12, "hidden": 16, "heads": 2, "cycles": 2, "rate": 0.01},
    "attorder": {"width": 12, "hidden": 8, "layers": 1, "attention": 2},
    "se-graph": {"width": 12, "hidden": 16, "entity": 6, "role": 4, "dropout": 0.1},
}
MODELS: dict[str, type[PointerModel]] = {
    "lstm-ptr": lstm_ptr.LstmPtr,
    "vlstm-ptr": vlstm_ptr.VlstmPtr,
    "attorder": attorder.Attorder,
    "se-graph": se_graph.SeGraph,
}
STAGES = ("first morning", "second noon", "third evening", "fourth night")
THINGS = "boat lamp ferry baker horse letter bridge garden".split()


def small(name: str, **more: Any) -> PointerModel:
    return MODELS[name](**{**SMALL[name], "epochs": 8, "beam": 6, **more})


def made_up(number: int, seed: int) -> list[Text]:
    """Texts of three or four units whose first words tell their place."""
    rng = random.Random(seed)
    texts = []
    for index in range(number):
        n = rng.choice((3, 4))
        units = [f"{stage} the {rng.choice(THINGS)} came ." for stage in STAGES[:n]]
        order = rng.sample(range(n), n)
        gold = sorted(range(n), key=order.__getitem__)
        texts.append(Text(f"{seed}-{index}", tuple(units[i] for i in order), tuple(gold)))
    return texts


@pytest.fixture(scope="module")
def trained() -> dict[str, PointerModel]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "nouns_of", _nouns)
        return {name: small(name).fit(made_up(60, 1), made_up(12, 2)) for name in MODELS}


@pytest.fixture(autouse=True)
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser takes seconds to load; it is asked for once, below."""
    monkeypatch.setattr(graphs, "nouns_of", _nouns)


def _nouns(units: set[str]) -> dict[str, dict[str, int]]:
    return {u: {word: SUBJECT for word in u.split() if word in THINGS} for u in units}


def fill(module: Any, value: float = 0.0) -> None:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(value)


# The set encoders, by hand


def numbers(*texts: tuple[tuple[int, ...], ...]) -> Any:
    return collate([EncodedText(units, tuple(range(len(units)))) for units in texts])


def read_by_torch(net: Any, words: list[int]) -> Any:
    """What torch's own LSTM gives for one unit, with the weights of the network's reader."""
    reader = net.reader
    lstm = torch.nn.LSTM(reader.input_size, reader.hidden_size, bidirectional=reader.bidirectional)
    lstm.load_state_dict(reader.state_dict())
    return lstm(net.words(torch.tensor(words))[:, None])


@torch.no_grad()
def test_lstm_ptr_reads_c_and_h_of_each_unit_in_the_order_given() -> None:
    torch.manual_seed(1)
    net = lstm_ptr.LstmPtrNetwork(small("lstm-ptr"), 9).eval()  # type: ignore[arg-type]
    units, keys, (h, c) = net.encode(numbers(((2, 3, 4), (5,)), ((6, 7),)))
    for row, place, words in ((0, 0, [2, 3, 4]), (0, 1, [5]), (1, 0, [6, 7])):
        _, (last, cell) = read_by_torch(net, words)
        assert torch.allclose(units[row, place], torch.cat([cell[0, 0], last[0, 0]]), atol=1e-6)
    outputs, (last, cell) = net.encoder(units[:1])
    assert torch.allclose(keys[0], outputs[0], atol=1e-6)
    assert torch.allclose(h[0], last[0, 0], atol=1e-6)
    assert torch.allclose(c[0], cell[0, 0], atol=1e-6)
    assert units[1, 1].eq(0).all()
    turned = net.encode(numbers(((5,), (2, 3, 4))))
    assert not torch.allclose(turned[2][0], h[:1], atol=1e-4)


@torch.no_grad()
def test_vlstm_reads_the_weighted_mean_of_the_set() -> None:
    net = vlstm_ptr.VlstmPtrNetwork(
        vlstm_ptr.VlstmPtr(width=2, hidden=1, heads=1, cycles=1), 4
    ).eval()
    fill(net)
    units, real = torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]])
    # All scores are 0, so the first cycle reads the mean, 2. The cell's gates are all sigmoid(0)
    # but for the candidate tanh(w m): c = .5 tanh(2 w), h = .5 tanh(c).
    net.cell.weight_ih[2] = 0.25
    h, c = net.read(units, real)
    assert float(c) == pytest.approx(0.5 * np.tanh(0.5))
    assert float(h) == pytest.approx(0.5 * np.tanh(float(c)))
    # With v = 1, W1 = 1 and h = 0 the shares are softmax(tanh(1), tanh(3)).
    net.decoder.pointer.w1.weight.fill_(1.0)
    net.decoder.pointer.v.fill_(1.0)
    one, three = np.exp(np.tanh([1.0, 3.0]))
    m = (1 * one + 3 * three) / (one + three)
    assert float(net.read(units, real)[1]) == pytest.approx(0.5 * np.tanh(0.25 * m))


@torch.no_grad()
@pytest.mark.parametrize("name", ["vlstm-ptr", "attorder"])
def test_the_order_given_plays_no_part_in_a_set(name: str) -> None:
    torch.manual_seed(1)
    net = small(name).network(9).eval()
    forth = net.encode(numbers(((2, 3, 4), (5,), (6, 8))))
    back = net.encode(numbers(((6, 8), (2, 3, 4), (5,))))
    assert torch.allclose(forth[2][0], back[2][0], atol=1e-5)
    assert torch.allclose(forth[1][0, [2, 0, 1]], back[1][0], atol=1e-6)


@torch.no_grad()
def test_attorder_starts_from_the_mean_and_points_at_the_units() -> None:
    torch.manual_seed(1)
    net = attorder.AttOrderNetwork(small("attorder", layers=0), 9).eval()  # type: ignore[arg-type]
    units, keys, (h, c) = net.encode(numbers(((2, 3), (5,))))
    outputs, _ = read_by_torch(net, [2, 3])
    assert torch.allclose(units[0, 0, :8], outputs[1, 0, :8], atol=1e-6)  # forwards: the last
    assert torch.allclose(units[0, 0, 8:], outputs[0, 0, 8:], atol=1e-6)  # backwards: the first
    assert torch.equal(units, keys) and torch.equal(h, c)
    expected = torch.nn.functional.layer_norm(units[0], (16,)).mean(0)
    assert torch.allclose(h[0], expected, atol=1e-5)


@torch.no_grad()
def test_se_graph_passes_messages_as_written() -> None:
    """All of two steps again in numpy, edge by edge."""
    torch.manual_seed(1)
    layer = se_graph.GraphLayer(size=3, entity=2, role=2, width=4, steps=2)
    roles = np.array([[3, 0], [1, 2], [0, 1]])
    x, w = (
        np.random.default_rng(0).normal(size=(3, 3)),
        np.random.default_rng(1).normal(size=(2, 4)),
    )
    r = layer.roles.weight.numpy()
    linked = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])

    def sigmoid(z: Any) -> Any:
        return 1 / (1 + np.exp(-z))

    def gate(linear: Any, *parts: Any) -> Any:
        return sigmoid(linear.weight.numpy() @ np.concatenate(parts) + linear.bias.numpy())

    def gru(cell: Any, given: Any, old: Any) -> Any:
        a = cell.weight_ih.numpy() @ given + cell.bias_ih.numpy()
        b = cell.weight_hh.numpy() @ old + cell.bias_hh.numpy()
        (ar, az, an), (br, bz, bn) = np.split(a, 3), np.split(b, 3)
        z = sigmoid(az + bz)
        return z * old + (1 - z) * np.tanh(an + sigmoid(ar + br) * bn)  # z keeps the old state

    s, e, g = np.zeros((3, 3)), np.zeros((2, 2)), np.zeros(3)
    for _ in range(2):
        m_se, m_es = np.zeros((3, 4)), np.zeros((2, 5))
        for i, k in product(range(3), range(2)):
            if roles[i, k]:
                rik = r[roles[i, k]]
                m_se[i] += gate(layer.gate_entity, s[i], e[k], rik) * np.concatenate([e[k], rik])
                m_es[k] += gate(layer.gate_unit, e[k], s[i], rik) * np.concatenate([s[i], rik])
        m_ss = linked @ s
        new_s = [
            gru(layer.update_unit, np.concatenate([x[i], m_ss[i], m_se[i], g]), s[i])
            for i in range(3)
        ]
        new_e = [
            gru(layer.update_entity, np.concatenate([w[k], m_es[k], g]), e[k]) for k in range(2)
        ]
        s, e = np.array(new_s), np.array(new_e)
        g = gru(layer.update_text, np.concatenate([s.mean(0), e.sum(0) / 3]), g)
    given = [torch.tensor(value, dtype=torch.float32)[None] for value in (x, w)]
    real = torch.ones(1, 3, dtype=torch.bool)
    found_s, found_g = layer(*given, torch.tensor(roles)[None], real)
    assert found_s[0].numpy() == pytest.approx(s, abs=1e-5)
    assert found_g[0].numpy() == pytest.approx(g, abs=1e-5)
    # Padding of units and entities changes nothing.
    wide_x, wide_w = torch.nn.functional.pad(given[0], (0, 0, 0, 2)), torch.ones(1, 4, 4)
    wide_w[:, :2] = given[1]
    wide_roles = torch.nn.functional.pad(torch.tensor(roles)[None], (0, 2, 0, 2))
    wide_real = torch.nn.functional.pad(real, (0, 2))
    again_s, again_g = layer(wide_x, wide_w, wide_roles, wide_real)
    assert torch.allclose(again_s[:, :3], found_s, atol=1e-5)
    assert torch.allclose(again_g, found_g, atol=1e-5)


def test_entity_graphs_from_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the real parser
    units = (
        "The captain saw the ferry.",
        "The ferry hit a bridge near the captain.",
        "It rained.",
        "Nobody repaired the bridge, and the bridge fell.",
    )
    (graph,) = entity_graphs([Text("a", units)])
    role = {noun: graph.roles[:, k].tolist() for k, noun in enumerate(graph.entities)}
    assert role["captain"] == [SUBJECT, OTHER, 0, 0]
    assert role["ferry"] == [OBJECT, SUBJECT, 0, 0]
    assert role["bridge"] == [0, OBJECT, 0, SUBJECT]  # the highest of object and subject
    assert set(role) == {"captain", "ferry", "bridge"}
    there = torch.from_numpy(graph.roles)[None] > 0
    assert se_graph.linked_units(there, torch.float32)[0].tolist() == [
        [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]
    ]  # fmt: skip


def test_a_width_that_cannot_be_halved_is_refused() -> None:
    with pytest.raises(UsageError, match="hidden is 7; the two directions need an even number"):
        small("se-graph", hidden=7).fit(made_up(4, 1))


# Sizes


@pytest.mark.parametrize(
    ("name", "settings", "low", "high"),
    [
        ("lstm-ptr", {}, 0.39e6, 0.42e6),  # the paper's own count is 1.1 to 1.3 million
        ("vlstm-ptr", {}, 37e6, 38e6),
        ("attorder", {"layers": 2}, 7.0e6, 8.2e6),
        ("attorder", {"layers": 6}, 15.4e6, 16.6e6),
        ("se-graph", {}, 2.5e6, 8.5e6),
    ],
)
def test_the_sizes_of_the_paper(name: str, settings: Any, low: float, high: float) -> None:
    model = MODELS[name](**settings)
    assert low <= model.parameters() <= high
    assert model.parameters(words=True) > model.parameters()


# Reading


def test_batches_hold_every_text_once_shuffled_anew() -> None:
    texts = [EncodedText(((i + 2,), (i + 30,), (i + 60, 3)), (2, 0, 1)) for i in range(20)]
    batches = Batches(texts, 8, seed=0)
    assert len(batches) == 3
    orders = []
    for _ in range(2):
        words: list[int] = []
        for batch in batches:
            words += batch.words.data.tolist()
            orders += [tuple(gold) for gold in batch.gold.tolist()]
        assert sorted(words) == sorted(
            word for text in texts for unit in text.units for word in unit
        )
    assert len(orders) == 40 and len(set(orders)) > 3


def test_gold_follows_the_shuffle() -> None:
    text = EncodedText(((10,), (11,), (12,)), (2, 0, 1))  # the right order is 12 10 11
    batch = collate([text], [[1, 2, 0]])  # shown as 11 12 10
    assert batch.gold[0].tolist() == [1, 2, 0]
    packed = torch.nn.utils.rnn.pad_packed_sequence(batch.words, batch_first=True)[0]
    assert packed[:, 0].tolist() == [11, 12, 10]


def test_word_vectors_start_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("boat 1 2\nlamp 3 4\n")
    vocabulary = Vocabulary(("lamp", "unheard", "boat"))
    table = word_table(vocabulary, str(path), 3, 0)
    assert table.shape == (5, 3) and table[0].tolist() == [0, 0, 0]
    assert table[2, :2].tolist() == [3, 4] and table[4, :2].tolist() == [1, 2]
    assert table[UNKNOWN].any() and table[3].any() and table[2, 2] != 0
    with pytest.raises(UsageError, match="has 2 dimensions; set width"):
        word_table(vocabulary, str(path), 1, 0)
    model = small("lstm-ptr", width=3, vectors=str(path), epochs=1).fit(made_up(4, 1))
    assert len(model.curve_) == 1  # and it can be trained from there


def test_words_seen_once_share_the_vector_of_the_unknown() -> None:
    vocabulary = Vocabulary.count([["boat", "sank"], ["boat", "left"]], 10)
    (text,) = encode_texts([Text("a", ("sank boat", ""))], vocabulary)
    assert text.units == ((UNKNOWN, 2), (UNKNOWN,))


# Learning


@pytest.mark.parametrize("name", MODELS)
def test_an_order_that_can_be_learnt_is_learnt(trained: dict[str, PointerModel], name: str) -> None:
    unseen = made_up(40, 3)
    floor = mean_tau(Random(), unseen)
    assert mean_tau(trained[name], unseen) > max(0.8, floor + 0.5)


@pytest.mark.parametrize("name", MODELS)
def test_what_is_learnt_is_kept(
    trained: dict[str, PointerModel], name: str, tmp_path: Path
) -> None:
    model = trained[name]
    model.save(tmp_path / "m")
    back = type(model).load(tmp_path / "m")
    texts = made_up(5, 4)
    assert back.order(texts) == model.order(texts)
    assert back.curve_ == model.curve_ and back.parameters() == model.parameters()
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    assert config["model"] == f"ordering/{name}"
    assert {"loss", "tau", "PMR", "Acc", "WLCS-l", "seconds"} == set(config["curve"][0])


def test_training_repeats() -> None:
    one, two = (small("lstm-ptr", epochs=2).fit(made_up(20, 1)) for _ in range(2))
    assert all(np.array_equal(one.weights_[name], two.weights_[name]) for name in one.weights_)
    other = small("lstm-ptr", epochs=2, seed=1).fit(made_up(20, 1))
    assert not np.array_equal(one.weights_["words.weight"], other.weights_["words.weight"])


def test_training_stops_when_nothing_is_gained() -> None:
    model = small("vlstm-ptr", epochs=50, patience=2, rate=0.0).fit(made_up(8, 1), made_up(4, 2))
    assert len(model.curve_) == 3


@pytest.mark.parametrize("name", MODELS)
def test_odd_texts(trained: dict[str, PointerModel], name: str) -> None:
    odd = [
        Text("one", ("Only this.",)),
        Text("equal", ("Same.", "Same.", "Same.")),
        Text("empty", ("", " ", "...")),
        Text("long", (" ".join(["first morning"] * 2000), "second noon the boat came .")),
        Text("many", tuple(f"{STAGES[i % 4]} the boat came {i} ." for i in range(60))),
    ]
    for text, answer in zip(odd, trained[name].order(odd), strict=True):
        TASK.check(text, answer)
        assert np.isfinite(answer.before).all()
        off = ~np.eye(len(text.units), dtype=bool)
        assert (answer.before + answer.before.T)[off] == pytest.approx(1, abs=1e-5)
    assert trained[name].order([]) == []


def test_what_cannot_be_used(tmp_path: Path, trained: dict[str, PointerModel]) -> None:
    with pytest.raises(UsageError, match="attorder is not trained"):
        small("attorder").order([Text("a", ("One.", "Two."))])
    with pytest.raises(UsageError, match="text 'a' has no gold order"):
        small("attorder").fit([Text("a", ("One.", "Two."))])
    with pytest.raises(UsageError, match="no text with two or more units"):
        small("attorder").fit([Text("a", ("One.",), (0,))])
    trained["attorder"].save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["parameters"]["hidden"] = 4
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "checksums.json").unlink()
    with pytest.raises(DamagedFile, match="do not fit"):
        type(trained["attorder"]).load(tmp_path).order(made_up(1, 1))
