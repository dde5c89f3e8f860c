"""A small MPNet of random weights, made by transformers, as the reference implementation."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabula.text import resources
from fabula.text.transformer.spec import MPNET, Backbone

BACKBONE = replace(MPNET, dimension=48, layers=4, lower_layers=2)


def small_mpnet(folder: Path, patch: pytest.MonkeyPatch) -> tuple[Backbone, Any]:
    """The backbone, located in ``folder``, and the same network in transformers."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from safetensors.torch import save_file

    minilm = resources.locate("minilm")
    shutil.copy(minilm / "tokenizer.json", folder)
    torch.manual_seed(0)
    config = transformers.MPNetConfig(
        vocab_size=30600, hidden_size=48, num_hidden_layers=4, intermediate_size=4 * 48
    )
    peer = transformers.MPNetModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for weight in peer.parameters():  # the initial weights are too small to show errors
            weight.add_(torch.randn_like(weight) * 0.2)
    save_file(peer.state_dict(), folder / "model.safetensors")
    locate = resources.locate
    patch.setattr(resources, "locate", lambda name: folder if name == "mpnet" else locate(name))
    return BACKBONE, peer
