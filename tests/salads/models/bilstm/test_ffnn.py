from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.registry import create_model
from fabula.salads.items import Salad
from fabula.salads.metrics import clustering_accuracy
from fabula.salads.models.bilstm.data import PADDING, UNKNOWN, Pairs, Vocabulary, encode_events, pad
from fabula.salads.models.bilstm.event_pretraining import EventPairs, pretrain
from fabula.salads.models.bilstm.ffnn import FfnnBilstm, FfnnBilstmMtCtx, FfnnBilstmMtCtxPretrain
from fabula.salads.models.bilstm.model import PairClassifier
from fabula.salads.models.bilstm.network import make_network
from fabula.salads.models.unif import Unif

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

FAMILY: list[type[PairClassifier]] = [FfnnBilstm, FfnnBilstmMtCtx, FfnnBilstmMtCtxPretrain]
SMALL: dict[str, Any] = {"width": 12, "hidden": 12, "filters": 4, "rate": 0.01, "epochs": 6}

SEA = [("sail", "captain", "boat", "in", "fog"), ("sink", "boat", ""), ("anchor", "crew", "ship")]
BREAD = [
    ("bake", "baker", "loaf", "in", "oven"),
    ("knead", "baker", "dough"),
    ("rise", "dough", ""),
]


def made_up(number: int, seed: int) -> list[Salad]:
    """Salads of 8 sentences whose words say nothing and whose events tell two trades apart."""
    rng = random.Random(seed)
    salads = []
    for index in range(number):
        labels = [0] * 4 + [1] * 4
        rng.shuffle(labels)
        events = tuple(
            tuple(rng.sample((SEA, BREAD)[label], k=rng.randint(1, 2))) for label in labels
        )
        salads.append(
            Salad(f"{seed}-{index}", ("Same.",) * 8, tuple(labels), stories=2, events=events)
        )
    return salads


def accuracy(model: Any, salads: list[Salad]) -> float:
    bare = [Salad(s.id, s.sentences, stories=s.stories, events=s.events) for s in salads]
    return float(
        np.mean(
            [
                clustering_accuracy(np.array(salad.labels), np.array(grouping.labels))
                for salad, grouping in zip(salads, model.group(bare), strict=True)
            ]
        )
    )


def test_events_as_numbers() -> None:
    vocabulary = Vocabulary(("rob", "men", "bank"))
    rows = encode_events(vocabulary, [("rob", "Men", "", "in", "bank"), ("rob", "", "bank")])
    rob, men, bank = (vocabulary.numbers[word] for word in vocabulary.words)
    assert rows == [[rob, men, PADDING, UNKNOWN, bank], [rob, PADDING, bank]]
    assert encode_events(vocabulary, []) == [[PADDING]]
    table, lengths = pad([rows, encode_events(vocabulary, [])])
    assert table.shape == (2, 2, 5) and lengths.tolist() == [2, 1]
    assert table[0].tolist() == [rows[0], [*rows[1], PADDING, PADDING]]
    assert table[1].eq(PADDING).all()


def test_an_event_is_tanh_of_its_words_and_the_means_of_its_prepositions() -> None:
    net = make_network(FfnnBilstm(width=1, hidden=2), 9).eval()
    with torch.no_grad():
        net.words.weight[:, 0] = torch.arange(9.0)
        net.event.weight[:] = torch.tensor([[0.1, 0.2, 0.3, 0.01, 0.02]])
        net.event.bias.fill_(0.5)
        # verb 2, subject 3, no object, prepositions 4 and 6 with objects 5 and 8
        full = net.look(torch.tensor([[[2, 3, PADDING, 4, 5, 6, 8]]]))
        null = net.look(torch.tensor([[[PADDING] * 5]]))
    assert full.item() == pytest.approx(np.tanh(0.2 + 0.6 + 0.01 * 5 + 0.02 * 6.5 + 0.5))
    assert null.item() == pytest.approx(np.tanh(0.5))


def test_pretraining_pairs_are_of_one_story() -> None:
    salads = made_up(5, 1)
    words = [[w for e in events for w in e] for s in salads for events in s.events or ()]
    vocabulary = Vocabulary.count(words, 99)
    read = [[encode_events(vocabulary, events) for events in s.events or ()] for s in salads]
    pairs = Pairs(salads, read, 32, 0)
    sea = {vocabulary.numbers[w] for event in SEA for w in event if w and w != "in"}
    for one, other, strange in EventPairs(pairs, 0):
        assert len(one) == len(other) and len(strange) == 5 * len(one)
        for first, second in zip(one.tolist(), other.tolist(), strict=True):
            assert (first[0] in sea) == (second[0] in sea)
    torch.manual_seed(3)
    net = make_network(FfnnBilstmMtCtx(**SMALL), len(vocabulary))

    def apart() -> float:
        """Mean cosine within the trades less that between them."""
        with torch.no_grad():
            table, _ = pad([encode_events(vocabulary, SEA), encode_events(vocabulary, BREAD)])
            sea, bread = torch.nn.functional.normalize(net.look(table), dim=2)
            within = (sea @ sea.T).mean() + (bread @ bread.T).mean()
            return float(within / 2 - (sea @ bread.T).mean())

    before, lstm = apart(), net.lstm.weight_ih_l0.clone()
    pretrain(net, pairs, epochs=40, seed=0)
    assert apart() > before + 0.1  # events of one trade come together
    assert torch.equal(lstm, net.lstm.weight_ih_l0)  # and nothing else is touched


@pytest.mark.parametrize("cls", FAMILY)
def test_events_alone_tell_stories_apart(cls: type[PairClassifier], tmp_path: Path) -> None:
    model = cls(**SMALL).fit(made_up(30, 1))
    test = made_up(20, 2)
    assert accuracy(model, test) > accuracy(Unif(), test) + 0.3
    model.save(tmp_path / "model")
    loaded = create_model("salads", str(tmp_path / "model"))
    assert type(loaded) is cls and loaded.group(test) == model.group(test)


def test_sentences_without_events_are_read_first() -> None:
    model = FfnnBilstm(**{**SMALL, "epochs": 1}).fit(made_up(4, 1))
    bare = Salad("bare", ("The boat sank.", "The baker kneads the dough.", "Quiet."), stories=2)
    assert len(model.group([bare])[0].labels) == 3
