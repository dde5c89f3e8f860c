from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.bench.runs.fingerprints import model_weights
from fabula.errors import DamagedFile, UnknownName, UsageError
from fabula.registry import create_model
from fabula.salads.items import Salad, present
from fabula.salads.metrics import clustering_accuracy
from fabula.salads.models.bilstm import network as pairnet
from fabula.salads.models.bilstm.data import (
    PADDING,
    UNKNOWN,
    Pairs,
    Vocabulary,
    pair_kinds,
    split_words,
)
from fabula.salads.models.bilstm.model import (
    Bilstm,
    BilstmCtx,
    BilstmMt,
    BilstmMtCtx,
    PairClassifier,
)
from fabula.salads.models.bilstm.network import attention, bilinear, make_network
from fabula.salads.models.unif import Unif

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

FAMILY: list[type[PairClassifier]] = [Bilstm, BilstmMt, BilstmCtx, BilstmMtCtx]
SMALL: dict[str, Any] = {"width": 12, "hidden": 12, "filters": 4, "rate": 0.01, "epochs": 6}

SEA = "ferry harbour captain fog horn boat sailor anchor".split()
BREAD = "flour oven baker loaf dough bakery crust yeast".split()


def made_up(number: int, seed: int) -> list[Salad]:
    """Salads of 8 sentences of five words, each sentence of one of two vocabularies."""
    rng = random.Random(seed)
    salads = []
    for index in range(number):
        labels = [0] * 4 + [1] * 4
        rng.shuffle(labels)
        sentences = tuple(" ".join(rng.choices((SEA, BREAD)[label], k=5)) for label in labels)
        salads.append(Salad(f"{seed}-{index}", sentences, tuple(labels), stories=2))
    return salads


def hidden(salads: list[Salad]) -> list[Salad]:
    return [present(salad, random.Random(salad.id), {}).item for salad in salads]


def accuracy(model: Any, salads: list[Salad]) -> float:
    bare = [Salad(s.id, s.sentences, stories=s.stories) for s in salads]
    found = model.group(bare)
    return float(
        np.mean(
            [
                clustering_accuracy(np.array(salad.labels), np.array(grouping.labels))
                for salad, grouping in zip(salads, found, strict=True)
            ]
        )
    )


@pytest.fixture(scope="module")
def trained() -> dict[str, PairClassifier]:
    return {cls.short_name(): cls(**SMALL).fit(made_up(30, 1)) for cls in FAMILY}


def network(cls: type[PairClassifier], **options: Any) -> Any:
    torch.manual_seed(3)
    return make_network(cls(**{**SMALL, **options}), 9).eval()


# The equations, by hand


def test_attention_weights() -> None:
    z = torch.tensor([[1.0, 2.0]])
    e = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [9.0, 9.0]]])
    alpha = attention(z, e, torch.tensor([[True, True, False]]))
    # z . e = 1, 2 and padding: e^1 / (e^1 + e^2) = 1 / (1 + e)
    expected = [1 / (1 + np.e), np.e / (1 + np.e), 0.0]
    assert alpha[0].tolist() == pytest.approx(expected)


def test_the_bilinear_score() -> None:
    x1, x2 = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 5.0]])
    weight = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    # 1*1*3 + 1*10*5 + 2*100*3 + 2*1000*5
    assert bilinear(x1, weight, x2).tolist() == [10653.0]
    assert bilinear(x2, weight, x1).tolist() != [10653.0]


def test_a_pair_is_sentence_attention_and_context() -> None:
    net = network(BilstmMtCtx)
    e = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [5.0, 5.0]]])
    z = torch.tensor([[0.0, 0.0], [0.0, float(np.log(3.0))]])
    real = torch.tensor([[True, True], [True, False]])
    c = torch.tensor([7.0])
    first, second = torch.tensor([0]), torch.tensor([1])
    x1, x2 = net.compare((z, e, real, c), first, second)
    # Sentence 2 has one real word, e = (2, 0). Sentence 1 is attended to by weights 1/4 and 3/4.
    assert x1[0].tolist() == pytest.approx([0.0, 0.0, 2.0, 0.0, 7.0])
    assert x2[0].tolist() == pytest.approx([0.0, np.log(3.0), 0.25, 0.75, 7.0])


def test_the_context_is_the_strongest_window_of_each_filter() -> None:
    net = network(BilstmCtx, width=1, filters=1)
    with torch.no_grad():
        for convolution in net.convolutions:
            convolution.weight.fill_(1.0)
            convolution.bias.fill_(-1.0)
    words = torch.tensor([[1.0], [2.0], [-5.0], [3.0], [4.0], [1.0]])
    # The largest sums of 3, 4 and 5 neighbours, less one; nothing below zero.
    assert net.read(words).tolist() == [7.0, 3.0, 4.0]
    assert net.read(-words).tolist() == [1.0, 0.0, 0.0]
    # A text of two words is filled up by nothing.
    assert net.read(words[:2]).tolist() == [2.0, 2.0, 2.0]


def test_a_sentence_is_the_last_states_of_the_upper_layer() -> None:
    net = network(Bilstm)
    z, e, _, c = net.encode(torch.tensor([[2, 3, 4], [5, 6, PADDING]]), torch.tensor([3, 2]))
    assert z.shape == (2, 24) and e.shape == (2, 3, 24) and c is None
    for row, last in ((0, 2), (1, 1)):
        assert torch.equal(z[row, :12], e[row, last, :12])  # forwards: at the last real word
        assert torch.equal(z[row, 12:], e[row, 0, 12:])  # backwards: at the first


def test_xavier_start() -> None:
    net = network(BilstmMtCtx)
    size = 2 * 24 + 3 * 4
    assert net.weight.shape == (size, size)
    assert 0.9 < net.weight.abs().max() / (3 / size) ** 0.5 <= 1  # the root of 6 / (in + out)
    assert net.lstm.bias_ih_l0[12:24].eq(1).all() and net.lstm.bias_hh_l0.eq(0).all()
    assert net.words.weight[PADDING].eq(0).all()


@pytest.mark.parametrize("cls", FAMILY)
def test_padding_does_not_change_a_score(cls: type[PairClassifier]) -> None:
    net = network(cls)
    words, lengths = torch.tensor([[2, 3, 4], [5, 6, PADDING]]), torch.tensor([3, 2])
    wide = torch.cat([words, torch.full((2, 40), PADDING)], dim=1)
    first, second = torch.tensor([0]), torch.tensor([1])
    with torch.no_grad():
        net.words.weight[PADDING] = 5.0  # were it read, it would be seen
        assert torch.allclose(
            net(words, lengths, first, second), net(wide, lengths, first, second), atol=1e-6
        )


@pytest.mark.parametrize("cls", FAMILY)
def test_the_score_is_symmetric_unless_faithful(cls: type[PairClassifier]) -> None:
    words, lengths = torch.tensor([[2, 3, 4], [5, 6, PADDING]]), torch.tensor([3, 2])
    one, other = torch.tensor([0]), torch.tensor([1])
    with torch.no_grad():
        net = network(cls)
        assert net(words, lengths, one, other) == pytest.approx(net(words, lengths, other, one))
        asked = network(cls, faithful=True)
        forwards = asked(words, lengths, one, other)
        backwards = asked(words, lengths, other, one)
        assert forwards != pytest.approx(backwards)
        assert (forwards + backwards) / 2 == pytest.approx(net(words, lengths, one, other))


def test_the_context_cannot_reorder_pairs_with_one_sentence() -> None:
    """Nothing depends on both sentences and the context: the module's note, as numbers."""
    net = network(BilstmCtx)
    z, real = torch.randn(4, 24), torch.ones(4, 1, dtype=torch.bool)

    def interaction(c: Any) -> float:
        first, second = torch.tensor([0, 1, 0, 1]), torch.tensor([2, 3, 3, 2])
        with torch.no_grad():
            a, b, x, y = net.score((z, z[:, None], real, c), first, second).tolist()
        return float(a + b - x - y)

    assert interaction(torch.randn(12)) == pytest.approx(interaction(torch.zeros(12)), abs=1e-5)


# Training


def test_the_context_may_be_made_quieter() -> None:
    words = torch.randn(7, SMALL["width"])
    loud, quiet = (network(BilstmCtx, context=weight) for weight in (1.0, 0.1))
    quiet.load_state_dict(loud.state_dict())
    assert torch.allclose(quiet.read(words), loud.read(words) / 10)


def test_pairs_are_balanced_and_drawn_anew() -> None:
    salads = made_up(3, 5)
    vocabulary = Vocabulary(tuple(SEA + BREAD))
    read = [[vocabulary.encode(words) for words in split_words(s.sentences)] for s in salads]
    pairs = Pairs(salads, read, 16, 0)
    epochs = [list(pairs), list(pairs)]
    for batch in epochs[0]:
        assert batch.same.tolist() == [1.0] * 8 + [0.0] * 8
        assert (batch.first != batch.second).all()
    assert any(not torch.equal(a.first, b.first) for a, b in zip(*epochs, strict=True))
    fixed = Pairs(salads, read, 16, None)
    for one, other in zip(fixed, fixed, strict=True):
        assert torch.equal(one.first, other.first) and torch.equal(one.sentences, other.sentences)


def test_a_sentence_of_both_sources_is_of_one_story_with_either() -> None:
    salad = Salad("a", ("x", "y", "z"), (0, 1, 0), also={2: (1,)})
    assert pair_kinds(salad) == ([(0, 2), (1, 2)], [(0, 1)])


@pytest.mark.parametrize("cls", FAMILY)
def test_training_gains_and_beats_unif(
    trained: dict[str, PairClassifier], cls: type[PairClassifier]
) -> None:
    unseen = made_up(20, 2)
    start = cls(**{**SMALL, "epochs": 0}).fit(made_up(30, 1))
    assert start.accuracies_ == []
    after = accuracy(trained[cls.short_name()], unseen)
    assert after > accuracy(start, unseen)
    assert after > accuracy(Unif(), unseen) + 0.2


def test_training_stops_when_an_epoch_gains_nothing() -> None:
    model = Bilstm(**{**SMALL, "epochs": 50}).fit(made_up(12, 1), made_up(4, 2))
    *before, last = model.accuracies_
    assert len(model.accuracies_) < 50
    assert last - max(before) < 1e-5
    assert all(b - a >= 1e-5 for a, b in pairwise(before))


def test_the_same_seed_gives_the_same_weights() -> None:
    salads = made_up(6, 1)
    options = {**SMALL, "epochs": 2}
    state = torch.random.get_rng_state()
    one, other = BilstmMtCtx(**options).fit(salads), BilstmMtCtx(**options).fit(salads)
    third = BilstmMtCtx(**options, seed=1).fit(salads)
    assert torch.equal(state, torch.random.get_rng_state())  # nobody else's draws are disturbed
    assert all(np.array_equal(one.weights_[name], other.weights_[name]) for name in one.weights_)
    assert not np.array_equal(one.weights_["weight"], third.weights_["weight"])


def test_word_vectors_are_kept_and_fill_the_vocabulary(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = {word: rng.normal(size=12).round(3) for word in [*SEA, "unheard-of", "beyond"]}
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in rows.items()]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(lines) + "\n")
    options = {**SMALL, "epochs": 1, "vectors": str(path), "vocabulary": len(SEA) + 1}
    model = Bilstm(**options).fit(made_up(6, 1))
    assert model.vocabulary_.words[-1] == "unheard-of" and "beyond" not in model.vocabulary_.words
    assert set(model.vocabulary_.words[:-1]) == set(SEA)
    table = model.weights_["words.weight"]
    for word, number in model.vocabulary_.numbers.items():
        assert table[number] == pytest.approx(rows[word], abs=1e-5)
    with pytest.raises(UsageError, match=r"width=5: .* has 12 dimensions"):
        Bilstm(**{**options, "width": 5}).fit(made_up(6, 1))


def test_nothing_to_train_on() -> None:
    with pytest.raises(UsageError, match="salad 'a' has no labels"):
        Bilstm().fit([Salad("a", ("x", "y"))])
    with pytest.raises(UsageError, match="no salad has both"):
        Bilstm().fit([Salad("a", ("x", "y"), (0, 0))])
    with pytest.raises(UsageError, match="no salad has both"):
        Bilstm().fit([])


# Use


def test_an_untrained_model_says_how_to_train_it() -> None:
    model = create_model("salads", "bilstm-mt")
    with pytest.raises(UsageError, match="fabula train salads/bilstm-mt FILE -o FOLDER"):
        model.group(hidden(made_up(1, 1)))
    assert model_weights(model) is None


@pytest.mark.parametrize("cls", FAMILY)
def test_saved_and_loaded(
    trained: dict[str, PairClassifier], cls: type[PairClassifier], tmp_path: Path
) -> None:
    model, salads = trained[cls.short_name()], hidden(made_up(3, 4))
    model.save(tmp_path / "mine")
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        "checksums.json",
        "config.json",
        "vocabulary.json",
        "weights.safetensors",
    }
    loaded = create_model("salads", str(tmp_path / "mine"))
    assert type(loaded) is cls and loaded.hidden == 12
    assert loaded.group(salads) == model.group(salads)
    assert model_weights(loaded) == model_weights(model)


def test_a_damaged_folder(trained: dict[str, PairClassifier], tmp_path: Path) -> None:
    trained["bilstm"].save(tmp_path)
    words = json.loads((tmp_path / "vocabulary.json").read_text())
    (tmp_path / "vocabulary.json").write_text(json.dumps(words[:-1]))
    (tmp_path / "checksums.json").unlink()
    with pytest.raises(DamagedFile, match="do not fit"):
        Bilstm.load(tmp_path).group(hidden(made_up(1, 1)))
    (tmp_path / "weights.safetensors").write_bytes(b"short")
    with pytest.raises(DamagedFile, match="train it again"):
        Bilstm.load(tmp_path)


@pytest.mark.parametrize("cls", FAMILY)
def test_pair_odds_are_the_network_on_every_pair(
    trained: dict[str, PairClassifier], cls: type[PairClassifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, salads = trained[cls.short_name()], hidden(made_up(2, 4))
    whole = model.pair_odds(salads)
    monkeypatch.setattr(pairnet, "NUMBERS_AT_ONCE", 1)  # pair by pair
    for odds, again in zip(whole, model.pair_odds(salads), strict=True):
        assert odds.shape == (8, 8) and np.array_equal(odds, odds.T)
        assert odds == pytest.approx(again, abs=1e-5)


def test_any_clusterer_and_odd_salads(trained: dict[str, PairClassifier]) -> None:
    model = trained["bilstm-mt-ctx"]
    assert model.group([]) == []
    odd = [
        Salad("one", ("The ferry.",)),
        Salad("none", (), stories=2),
        Salad("unknown", ("...", "¿?", "Nothing known here."), stories=2),
        Salad("empty lines", ("", " "), stories=2),
    ]
    assert [len(grouping.labels) for grouping in model.group(odd)] == [1, 0, 3, 2]
    unseen = made_up(10, 3)
    try:
        for name in ("correlation", "hac", "kmedoids-exact", "spectral"):
            model.clusterer = name
            assert accuracy(model, unseen) > 0.7
        model.clusterer = "correlation"
        unknown = [Salad(s.id, s.sentences) for s in unseen]
        assert all(grouping.stories >= 1 for grouping in model.group(unknown))
        model.clusterer = "kmediods"
        with pytest.raises(UnknownName, match="did you mean 'kmedoids'"):
            model.group(unknown)
    finally:
        model.clusterer = "kmedoids"


def test_the_module_needs_torch_only_when_used() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from fabula.salads.models.bilstm.model import Bilstm\n"
        "from fabula.salads.items import Salad\n"
        "from fabula.errors import MissingPart\n"
        "try:\n"
        "    Bilstm().fit([Salad('a', ('x', 'y', 'z'), (0, 0, 1))])\n"
        "except MissingPart as error:\n"
        "    assert 'fabula[train]' in str(error)\n"
        "else:\n"
        "    raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Words


def test_words_are_counted_once_a_sentence_and_ranked() -> None:
    sentences = [["b", "a", "a"], ["b", "a", "a"], ["b", "c"], ["d", "c"]]
    vocabulary = Vocabulary.count(sentences, 2)
    assert vocabulary.words == ("a", "b") and len(vocabulary) == 4
    assert vocabulary.encode(["b", "x", "a"]) == [3, UNKNOWN, 2]
    assert vocabulary.encode([]) == [UNKNOWN]


def test_lemmas_are_an_option() -> None:
    pytest.importorskip("spacy")
    assert split_words(["The prisoners were shot."], lemmas=True) == [
        ["the", "prisoner", "be", "shoot", "."]
    ]
    assert split_words(["The prisoners’ well-known dogs."]) == [
        ["the", "prisoners", "'", "well-known", "dogs", "."]
    ]
