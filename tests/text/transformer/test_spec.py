from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.text.transformer.small_mpnet import small_mpnet

from fabula.text.transformer import spec
from fabula.text.transformer.joint_inference import CrossSentenceEncoder
from fabula.text.transformer.onnx import Session
from fabula.text.transformer.spec import BACKBONES, MINILM, Backbone, relative_position_buckets

UNITS = [
    "Rain fell on the harbour all night.",
    "The mill stood under water by the morning, and nobody could say when the road to the upper "
    "village would open again, or who had left the gate of the weir unlocked in such a storm.",
    "Why?",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Backbone, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        yield small_mpnet(tmp_path_factory.mktemp("mpnet"), patch)


def test_a_body_has_all_its_layers_under_our_names() -> None:
    weights = MINILM.weights()
    assert weights["layers.5.qkv.weight"].shape == (3 * 384, 384)
    assert weights["positions"].shape == (512, 384) and "near" not in weights
    assert {name.split(".")[1] for name in weights if "layers." in name} == set("012345")
    assert list(BACKBONES) == ["minilm", "mpnet"]


def test_relative_position_buckets_are_those_of_mpnet() -> None:
    torch = pytest.importorskip("torch")
    modeling = pytest.importorskip("transformers.models.mpnet.modeling_mpnet")
    places = np.arange(400)
    between = torch.from_numpy(places[None, :] - places[:, None])
    theirs = modeling.MPNetEncoder.relative_position_bucket(between, num_buckets=32)
    assert (relative_position_buckets(places, places) == theirs.numpy()).all()


def test_mpnet_is_read_as_its_own_library_reads_it(small: tuple[Backbone, Any]) -> None:
    import torch

    backbone, peer = small
    session = Session(backbone, "fp32")
    for unit in UNITS:
        ids = backbone.tokenizer().encode(unit).ids
        with torch.no_grad():
            mean = peer(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
        assert session.run(ids, output="vector") == pytest.approx(
            mean / np.linalg.norm(mean), abs=1e-4
        )


def test_numpy_and_torch_agree_on_cross_sentence_layers(small: tuple[Backbone, Any]) -> None:
    import torch

    from fabula.text.transformer.joint_training import encoder_class, prepare

    backbone, _ = small
    given = prepare(UNITS, backbone)
    assert [np.shape(states) for states in given] == [(10, 48), (16, 48), (4, 48)]
    net = encoder_class(backbone=backbone)().eval()
    assert all(name.split(".")[1] in "23" for name, _ in net.named_parameters())
    with torch.no_grad():
        both = net.encode([given, given[:2]]).numpy()
    encoder = CrossSentenceEncoder(
        {name: value.detach().numpy() for name, value in net.named_parameters()}, backbone
    )
    assert both[0] == pytest.approx(encoder.encode(UNITS), abs=0.02)  # states were float16
    assert both[1, :2] == pytest.approx(encoder.encode(UNITS[:2]), abs=0.02)
    assert both[0, :2] != pytest.approx(both[1, :2], abs=0.1)  # units attend to each other


def test_token_ids_are_remembered_and_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["The quay at Ansby.", "", "A lone \ud800 surrogate.", "The quay at Ansby."]
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    direct = [encoding.ids for encoding in MINILM.tokenizer().encode_batch(clean)]
    assert MINILM.token_ids(texts) == direct
    monkeypatch.setattr(spec, "REMEMBERED_TEXTS", 2)
    assert MINILM.token_ids([*texts, "Another one."])[:4] == direct
    assert MINILM.token_ids([]) == []
