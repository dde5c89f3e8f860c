from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.bench.evaluate import evaluate
from fabula.endings import TASK
from fabula.errors import DamagedFile, MissingPart
from fabula.text.encoders.sentence import find_encoder
from fabula.text.encoders.skip_thoughts import SkipThoughts

WORDS = ["<eos>", "UNK", "the", "cat", "sat", ".", "did", "n't"]
WIDE, UNI, BI = 3, 4, 2


def gru(prefix: str, size: int, rng: np.random.Generator) -> dict[str, Any]:
    shapes = {
        "W": (WIDE, 2 * size), "U": (size, 2 * size), "b": (2 * size,),
        "Wx": (WIDE, size), "Ux": (size, size), "bx": (size,),
    }  # fmt: skip
    return {f"{prefix}_{k}": rng.normal(size=s).astype("f4") for k, s in shapes.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    (tmp_path / "dictionary.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    for name in ("utable", "btable"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(len(WORDS), WIDE)).astype("f4"))
    np.savez(tmp_path / "uni_skip.npz", **gru("encoder", UNI, rng))
    np.savez(tmp_path / "bi_skip.npz", **gru("encoder", BI, rng), **gru("encoder_r", BI, rng))
    return tmp_path


def by_hand(words: list[str], table: Any, arrays: dict[str, Any], p: str) -> list[float]:
    """The published GRU, one number at a time."""
    n = arrays[f"{p}_Ux"].shape[0]
    h = np.zeros(n)
    for word in words:
        x = table[WORDS.index(word)].astype(float)
        gates = 1 / (1 + np.exp(-(x @ arrays[f"{p}_W"] + h @ arrays[f"{p}_U"] + arrays[f"{p}_b"])))
        r, u = gates[:n], gates[n:]
        new = np.tanh((h @ arrays[f"{p}_Ux"]) * r + x @ arrays[f"{p}_Wx"] + arrays[f"{p}_bx"])
        h = u * h + (1 - u) * new
    return list(h)


def test_vectors_are_those_of_the_published_equations(folder: Path) -> None:
    found = SkipThoughts(folder).encode(["the cat did n't sat .", "the yeti", "", "the cat didn't"])
    assert found.shape == (4, UNI + 2 * BI)
    for row, words in [
        (0, ["the", "cat", "did", "n't", "sat", "."]),
        (1, ["the", "UNK"]),
        (3, ["the", "cat", "did", "n't"]),
    ]:
        uni = dict(np.load(folder / "uni_skip.npz"))
        bi = dict(np.load(folder / "bi_skip.npz"))
        utable, btable = np.load(folder / "utable.npy"), np.load(folder / "btable.npy")
        one = np.array(by_hand(words, utable, uni, "encoder"))
        two = np.array(
            by_hand(words, btable, bi, "encoder") + by_hand(words[::-1], btable, bi, "encoder_r")
        )
        expected = np.concatenate([one / np.linalg.norm(one), two / np.linalg.norm(two)])
        np.testing.assert_allclose(found[row], expected, atol=1e-5)
    assert not found[2].any()


def test_it_is_an_encoder_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABULA_SKIP_THOUGHTS", str(folder))
    assert "accuracy" in evaluate("endings", TASK.examples(), "joint:skip-thoughts").metrics
    monkeypatch.delenv("FABULA_SKIP_THOUGHTS")
    with pytest.raises(MissingPart, match="FABULA_SKIP_THOUGHTS"):
        find_encoder("skip-thoughts")


def test_what_is_not_the_published_model_is_refused(folder: Path) -> None:
    (folder / "dictionary.txt").write_text("\n".join(WORDS * 2), encoding="utf-8")
    np.save(folder / "btable.npy", np.zeros((2, WIDE), "f4"))
    with pytest.raises(DamagedFile, match="more words than a table has rows"):
        SkipThoughts(folder).encode(["the cat"])
    (folder / "btable.npy").unlink()
    with pytest.raises(MissingPart, match=r"lacks btable\.npy.*rkiros/models/btable\.npy"):
        SkipThoughts(folder).encode(["the cat"])
