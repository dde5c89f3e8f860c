"""The language model: sums of log-probabilities that do not depend on the batch or the window."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.endings.tiny import make_tiny

from fabula.errors import DamagedFile, InputError, MissingPart, UsageError
from fabula.text import resources
from fabula.text.lm import load as causal
from fabula.text.lm.likelihood import LanguageModel

torch = pytest.importorskip("torch", reason='pip install "fabula[lm]"')
transformers = pytest.importorskip("transformers", reason='pip install "fabula[lm]"')

PAIRS = [
    ("Ann was hungry.", "She ate some bread."),
    ("", "It rained."),
    ("Ann was hungry. " * 9, "She ate some bread and went to bed, and then she slept until noon."),
    ("Ann was hungry. ", "😀 \ud800\x00"),
    ("Ann was hungry.", ""),
    ("  ", "x"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("model"))


def by_hand(folder: Path, text: str, scored: int) -> float:
    """The sum over the last ``scored`` tokens, from the plain forward pass."""
    tokenizer, model = causal.load(folder)
    ids = torch.tensor([[0, *tokenizer(text)["input_ids"]]])
    with torch.inference_mode():
        scores = model(input_ids=ids).logits.log_softmax(-1)[0, :-1]
    return float(scores.gather(1, ids[0, 1:, None])[-scored:].sum())


def totals(model: LanguageModel, pairs: list[tuple[str, str]]) -> list[float]:
    contexts, continuations = zip(*pairs, strict=True)
    return [found.total for found in model.log_likelihoods(contexts, continuations)]


def test_likelihoods_are_those_of_the_plain_forward_pass(folder: Path) -> None:
    contexts, continuations = zip(*PAIRS, strict=True)
    first, second, _, odd, empty, blank = LanguageModel(folder).log_likelihoods(
        contexts, continuations
    )
    assert first.total == pytest.approx(by_hand(folder, " ".join(PAIRS[0]), 20), abs=1e-4)
    assert (first.tokens, first.characters, first.bytes, first.cut) == (20, 19, 19, 0)
    assert second.total == pytest.approx(by_hand(folder, "It rained.", 10), abs=1e-4)
    assert second.tokens == 10
    assert (odd.characters, odd.bytes) == (4, 9) and math.isfinite(odd.total)
    assert (empty.total, empty.tokens) == (0.0, 0)
    assert blank.tokens == 1


def test_the_batch_does_not_matter(folder: Path) -> None:
    together = totals(LanguageModel(folder, batch_tokens=4096), PAIRS)
    alone = [totals(LanguageModel(folder), [pair])[0] for pair in PAIRS]
    backwards = totals(LanguageModel(folder, batch_tokens=1), PAIRS[::-1])[::-1]
    assert together == pytest.approx(alone, abs=1e-4)
    assert together == pytest.approx(backwards, abs=1e-4)
    assert together == totals(LanguageModel(folder, batch_tokens=4096), PAIRS)


def test_a_long_context_loses_its_beginning(folder: Path) -> None:
    [found] = LanguageModel(folder, window=16).log_likelihoods(["abcdefghijklmnopqrst"], ["end"])
    assert found.cut == 20 - (16 - 1 - 4)
    assert found.total == pytest.approx(by_hand(folder, "jklmnopqrst end", 4), abs=1e-4)


def test_a_long_continuation_is_scored_in_pieces(folder: Path) -> None:
    text = "x" * 21
    [found] = LanguageModel(folder, window=16).log_likelihoods([""], [text])
    by_pieces = by_hand(folder, "x" * 8, 8) + by_hand(folder, "x" * 15, 8)
    assert found.tokens == 21
    assert found.total == pytest.approx(by_pieces + by_hand(folder, "x" * 15, 5), abs=1e-4)


def test_bad_calls_and_bad_folders_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 contexts and 1 continuations"):
        LanguageModel(folder).log_likelihoods(["a", "b"], ["c"])
    with pytest.raises(UsageError, match="window is 2"):
        LanguageModel(folder, window=2).log_likelihoods(["a"], ["c"])
    with pytest.raises(InputError, match="neither a transformers model folder nor"):
        LanguageModel(tmp_path / "none").log_likelihoods(["a"], ["c"])
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such"}))
    with pytest.raises(InputError, match="cannot be read as a causal language model"):
        LanguageModel(tmp_path).log_likelihoods(["a"], ["c"])
    assert LanguageModel(folder).log_likelihoods([], []) == []


def test_missing_software_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(MissingPart, match=r'pip install "fabula\[lm\]"'):
        causal.load(tmp_path)


@pytest.fixture(scope="module")
def packaged() -> Any:
    try:
        resources.locate("smollm2")
    except (MissingPart, DamagedFile) as error:
        pytest.skip(str(error))
    pytest.importorskip("gguf", reason='pip install "fabula[lm]"')
    return LanguageModel()


@pytest.mark.slow
def test_the_packaged_model_knows_what_likely_follows(packaged: LanguageModel) -> None:
    context = "Ann had not eaten all day. When she came home she was very hungry."
    pairs = [(context, "She made herself a sandwich."), (context, "Sandwich a herself made she.")]
    likely, unlikely = totals(packaged, pairs)
    assert unlikely < likely - 10
    without, _ = totals(packaged, [("", pairs[0][1]), pairs[1]])
    assert without < likely
    assert totals(packaged, pairs[:1]) == pytest.approx([likely], abs=1e-4)
