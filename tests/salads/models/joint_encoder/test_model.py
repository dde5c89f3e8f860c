"""The reader: sentences of a salad read beside each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabula.errors import DamagedFile, UsageError
from fabula.salads.items import Salad
from fabula.salads.models.joint_encoder.head import FIRST, same_logits
from fabula.salads.models.joint_encoder.model import Reader
from fabula.text.transformer.joint_inference import CrossSentenceEncoder, dequantise
from fabula.text.transformer.spec import MINILM

SALADS = [
    Salad(
        id=str(number),
        sentences=(
            f"The ferry left the harbour at {number} in thick fog.",
            f"Flour dust hung in bakery {number} at dawn.",
            "The captain sounded the horn of the ferry.",
            "The baker pulled the loaves from the oven.",
            "A small boat drifted across her bow.",
        ),
        labels=(0, 1, 0, 1, 0),
        stories=2,
    )
    for number in range(4)
]


@pytest.fixture(scope="module")
def tiny() -> Reader:
    """Trained for one step: what it says is MiniLM's likeness, hardly changed."""
    pytest.importorskip("torch")
    return Reader(epochs=0.1, rate=1e-5).fit(SALADS, SALADS[:1])


def test_before_training_it_is_as_good_as_the_likeness_of_sentences(tiny: Reader) -> None:
    found = tiny.group([Salad("a", SALADS[0].sentences, stories=2)])[0]
    assert len(set(found.labels)) == 2
    assert found.labels[0] == found.labels[2] and found.labels[1] == found.labels[3]
    assert all(0.5 <= sure <= 1 for sure in found.probabilities)


@pytest.mark.parametrize("see", [-5.0, 0.5])
def test_numpy_and_torch_agree(see: float) -> None:
    torch = pytest.importorskip("torch")
    from fabula.salads.models.joint_encoder.training import network
    from fabula.text.transformer.joint_training import encode

    net = network().eval()
    with torch.no_grad():
        for layer in list(net.layers.values())[MINILM.lower_layers :]:
            layer.see[::2] = see  # some heads look at others more than the rest do
    texts = [SALADS[0].sentences, SALADS[0].sentences[:3]]
    with torch.no_grad():
        theirs = net([encode(text) for text in texts]).numpy()
    names = {name: value.detach().numpy() for name, value in net.named_parameters()}
    for number, text in enumerate(texts):
        ours = same_logits(names, CrossSentenceEncoder(names).encode(text))
        off = ~np.eye(len(text), dtype=bool)
        part = theirs[number, : len(text), : len(text)]
        assert ours[off] == pytest.approx(part[off], abs=0.5)  # the lower layers are 8-bit


def test_layers_that_stay_are_not_stored(tiny: Reader, tmp_path: Path) -> None:
    tiny.save(tmp_path / "mine")
    assert not any(name.startswith(f"layers.{FIRST - 1}.") for name in tiny.network_)
    assert any(name.startswith(f"layers.{FIRST}.") for name in tiny.network_)
    again = Reader.load(tmp_path / "mine")
    sentences = SALADS[1].sentences
    assert (again.logits(sentences) == tiny.logits(sentences)).all()
    assert again.group(SALADS) == tiny.group(SALADS)


def test_order_and_repeats_do_not_matter(tiny: Reader) -> None:
    sentences = [*SALADS[0].sentences, SALADS[0].sentences[0]]
    said = tiny.logits(sentences)
    assert said == pytest.approx(said.T, abs=1e-4)
    assert said[0, 1:5] == pytest.approx(said[5, 1:5])
    turned = [4, 2, 0, 5, 1, 3]
    assert tiny.logits([sentences[i] for i in turned]) == pytest.approx(
        said[np.ix_(turned, turned)], abs=1e-3
    )
    assert tiny.logits([]).shape == (0, 0)
    assert tiny.group([Salad("none", ())])[0].labels == ()


def test_what_it_refuses(tiny: Reader, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no labels"):
        Reader().fit([Salad("a", ("One.", "Two."))])
    tiny.save(tmp_path / "mine")
    (tmp_path / "mine" / "weights.safetensors").write_bytes(b"short")
    (tmp_path / "mine" / "checksums.json").unlink()
    with pytest.raises(DamagedFile, match="not a trained model"):
        Reader.load(tmp_path / "mine")


def test_stored_numbers_are_read_as_they_are_used(tiny: Reader) -> None:
    from fabula.text.transformer.joint_inference import quantise

    again = dequantise(quantise(tiny.network_))
    assert all(np.allclose(again[name], value, atol=1e-3) for name, value in tiny.network_.items())
