"""lm: the context is read once for all options; the numbers are those of reading it each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabula.endings.answer_cache import AnswerCache
from fabula.endings.items import Ending
from fabula.endings.models.lm import SCORES, Lm, combine
from fabula.endings.prompts import phrase
from fabula.errors import UnknownName, UsageError
from fabula.registry import create_model
from fabula.testing import check_model
from fabula.text.lm import branches
from fabula.text.lm.likelihood import LanguageModel, Likelihood

pytest.importorskip("transformers", reason='pip install "fabula[lm]"')
from tests.endings.tiny import make_tiny

ITEMS = [
    Ending("a", ("Ann was hungry.", "She sat down."), ("She ate.", "She flew off to the moon.")),
    Ending("b", ("Ann was hungry.", "She sat down."), ("Café.", "Yes, and no.", "Then it rained.")),
    Ending("c", (), ("It rained.", "It snowed all day long.")),
    Ending("d", ("It was late.",), ("The bus had gone.", "I slept."), relation="cause"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("model"))


def one_by_one(folder: Path, context: str, option: str) -> Likelihood:
    return LanguageModel(folder).log_likelihoods([context], [option])[0]


def test_sharing_the_context_changes_no_number(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts = ["Ann was hungry.", "", "It rained. " * 5, "Ann was hungry."]
    options = [["She ate.", "", "She flew off."], ["a", "b c d"], ["The end."], ["Later. \ud800"]]
    asked: list[int] = []

    def plain_way(reader: LanguageModel, contexts: list[str], texts: list[str]) -> list[Any]:
        asked.append(len(contexts))
        return []

    monkeypatch.setattr(LanguageModel, "log_likelihoods", plain_way)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branches, "supports_packing", lambda source: True)
        found = branches.branch_likelihoods(LanguageModel(folder), contexts, options)
    assert asked == [0]  # nothing went the plain way
    monkeypatch.undo()
    for context, some, likely in zip(contexts, options, found, strict=True):
        for option, one in zip(some, likely, strict=True):
            plain = one_by_one(folder, context, option)
            assert one.total == pytest.approx(plain.total, abs=1e-4)
            assert (one.tokens, one.characters, one.bytes, one.cut) == (
                plain.tokens,
                plain.characters,
                plain.bytes,
                plain.cut,
            )


def test_packing_is_used_only_where_scores_agree(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    branches.supports_packing.cache_clear()
    assert branches.supports_packing(folder)
    contexts, options = ["Ann sat."], [["She ate.", "She flew."]]
    shared = branches.branch_likelihoods(LanguageModel(folder), contexts, options)
    monkeypatch.setattr(branches, "supports_packing", lambda source: False)
    plain = branches.branch_likelihoods(LanguageModel(folder), contexts, options)
    assert [o.total for o in shared[0]] == pytest.approx([o.total for o in plain[0]], abs=1e-4)
    monkeypatch.undo()
    pack_tensors = branches.pack_tensors

    def unmasked(packs: list[branches.Pack]) -> tuple[Any, ...]:
        ids, positions, mask, owner = pack_tensors(packs)
        return ids, positions, mask * 0, owner

    monkeypatch.setattr(branches, "pack_tensors", unmasked)
    branches.supports_packing.cache_clear()
    assert not branches.supports_packing(folder)  # each continuation sees the other: other scores
    branches.supports_packing.cache_clear()


def test_less_exact_is_almost_the_same(folder: Path) -> None:
    contexts, options = ["Ann was hungry.", ""], [["She ate.", "", "She flew off."], ["a", "b c"]]
    exact, quick = (
        branches.branch_likelihoods(LanguageModel(folder, exact=way), contexts, options)
        for way in (True, False)
    )
    for one, other in zip(exact, quick, strict=True):
        totals = [likelihood.total for likelihood in one]
        assert [likelihood.total for likelihood in other] == pytest.approx(totals, rel=0.02)


def test_what_does_not_fit_the_window_goes_the_plain_way(folder: Path) -> None:
    reader = LanguageModel(folder, window=16)
    contexts, options = ["abcdefghijklmnopqrst", "ab"], [["end", "x" * 21], ["end"]]
    found = branches.branch_likelihoods(reader, contexts, options)
    (plain,) = LanguageModel(folder, window=16).log_likelihoods(contexts[:1], ["end"])
    assert found[0][0] == plain and plain.cut > 0
    assert found[0][1].tokens == 22
    assert found[1][0].total == pytest.approx(one_by_one(folder, "ab", "end").total, abs=1e-4)


def test_many_options_take_several_rows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Ending number {i}." for i in range(9)]
    whole = branches.branch_likelihoods(LanguageModel(folder), ["So."], [texts])
    monkeypatch.setattr(branches, "ROW_TOKENS", 40)
    parts = branches.branch_likelihoods(LanguageModel(folder, batch_tokens=64), ["So."], [texts])
    assert [o.total for o in parts[0]] == pytest.approx([o.total for o in whole[0]], abs=1e-4)


def test_bad_calls_are_named(folder: Path) -> None:
    with pytest.raises(UsageError, match="1 contexts and 2 lists"):
        branches.branch_likelihoods(LanguageModel(folder), ["a"], [["b"], ["c"]])
    assert branches.branch_likelihoods(LanguageModel(folder), [], []) == []
    with pytest.raises(UnknownName, match="unknown score of the language model 'pnl'"):
        Lm(by="pnl").score([])
    with pytest.raises(UnknownName, match="did you mean 'per-token'"):
        create_model("endings", "lm:per-tokens")


@pytest.mark.parametrize("by", SCORES)
def test_every_score_is_what_it_says(folder: Path, by: str) -> None:
    item = ITEMS[1]
    (scores,) = Lm(by=by, model=folder).score([item])
    context = " ".join(item.context)
    for option, score in zip(item.options, scores, strict=True):
        likely = one_by_one(folder, context, option)
        expected = {
            "sum": likely.total,
            "per-token": likely.total / likely.tokens,
            "per-character": likely.total / len(option),
            "per-byte": likely.total / len(option.encode()),
            "pmi": likely.total - one_by_one(folder, "", option).total,
        }[by]
        assert score == pytest.approx(expected, abs=1e-4)


def test_the_contract_and_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = create_model("endings", f"lm:sum@{folder}")
    assert (model.by, str(model.model)) == ("sum", str(folder))
    check_model("endings", Lm(model=folder), ITEMS)
    uncached = Lm(model=folder, cached=False).score(ITEMS)
    first = Lm(model=folder).score(ITEMS)
    for some, others in zip(first, uncached, strict=True):
        assert some == pytest.approx(others, abs=1e-4)
    monkeypatch.setattr("fabula.endings.models.lm.branch_likelihoods", lambda *a: 1 / len(a[1]))
    with pytest.raises(ZeroDivisionError):  # asked about nothing: everything is known
        Lm(model=folder).score(ITEMS)


def test_other_weights_are_another_model(folder: Path, tmp_path: Path) -> None:
    (one,), (other,) = (
        Lm(by="sum", model=place).score(ITEMS[:1])
        for place in (folder, make_tiny(tmp_path, seed=1))
    )
    assert one != other


def test_phrasing() -> None:
    story = phrase(ITEMS[0])
    assert story.context == "Ann was hungry. She sat down." and story.neutral == ""
    assert story.options == ITEMS[0].options
    assert phrase(ITEMS[3]) == ("It was late because", ("the bus had gone.", "I slept."), "because")
    cause = Ending("x", ("Why?",), ("I'm late.", "NASA knew.", "A dog bit me."), relation="effect")
    assert phrase(cause).options == ("I'm late.", "NASA knew.", "a dog bit me.")


def test_scores_from_likelihoods() -> None:
    likely, without = [[Likelihood(-8.0, 4, 16, 32)]], [[Likelihood(-9.0, 4, 16, 32)]]
    assert combine("sum", likely) == [(-8.0,)]
    assert combine("per-character", likely) == [(-0.5,)]
    assert combine("per-byte", likely) == [(-0.25,)]
    assert combine("pmi", likely, without) == [(1.0,)]


def test_answers_are_kept_by_model_revision_options_and_text(tmp_path: Path) -> None:
    store = AnswerCache("m", "1", {"t": 0}, folder=tmp_path)
    assert store.get(["a"]) == {}
    store.put({store.key("a"): [1.5]})
    store.put({store.key("a"): [2.5]})
    assert store.get(["a", "b"]) == {store.key("a"): [1.5]}
    for other in (("n", "1", {"t": 0}), ("m", "2", {"t": 0}), ("m", "1", {"t": 1})):
        assert AnswerCache(*other, folder=tmp_path).get(["a"]) == {}


def test_a_damaged_cache_steps_aside(tmp_path: Path) -> None:
    store = AnswerCache("m", "1", {}, folder=tmp_path)
    store.path.write_bytes(b"not a database" * 100)
    assert store.get(["a"]) == {}
    store.put({store.key("a"): 1})
