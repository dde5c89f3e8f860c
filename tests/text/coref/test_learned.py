"""The learned resolver: who is meant, how sure that is, and what it does with odd texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fabula.errors import DamagedFile
from fabula.text.coref import CERTAIN, resolve
from fabula.text.coref.learned.candidates import candidates_of
from fabula.text.coref.learned.features import FEATURES, pair_features
from fabula.text.coref.learned.network import GLOBAL_FEATURES, Scorer
from fabula.text.coref.learned.resolver import Learned, load_model
from fabula.text.coref.learned.syntax import Syntax
from fabula.text.coref.rules import join_by_rules
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def parse(text: str) -> Parsed:
    (parsed,) = Parser().each(Parsed.of, [text])
    return parsed


def meant(text: str, pronoun: str, last: bool = False) -> tuple[set[str], float]:
    """The other words of the cluster of a pronoun (the first of its kind), and its certainty."""
    parsed = parse(text)
    clusters, certainty = resolve(Learned(), parsed)
    tokens = [t for t, word in enumerate(parsed.words) if word == pronoun]
    token = tokens[-1 if last else 0]
    (cluster,) = (c for c in clusters if any(span.head == token for span in c))
    words = {parsed.words[span.head] for span in cluster if span.head != token}
    return words, certainty.get(token, 1.0)


HINES = (
    "Detective Laura Hines arrested Marco Bellini on Monday. He had hidden the stolen painting in "
    "his garage. The judge released him on bail, but he fled."
)


@pytest.mark.parametrize(
    ("text", "pronoun", "name"),
    [
        (HINES, "He", "Bellini"),
        (HINES, "him", "Bellini"),
        ("Anna Berg met Paul Lind. She gave him a book.", "She", "Berg"),
        ("Anna Berg met Paul Lind. She gave him a book.", "him", "Lind"),
        ("John and Mary bought a house. They painted it.", "They", "John"),
        ("Paul Lind lost his keys.", "his", "Lind"),
    ],
)
def test_who_is_meant(text: str, pronoun: str, name: str) -> None:
    words, _ = meant(text, pronoun)
    assert name in words


def test_no_one_is_accused_of_what_another_did() -> None:
    words, certainty = meant(HINES, "he")
    assert "Hines" not in words
    assert "Bellini" in words or certainty < CERTAIN
    assert (
        "Tavares"
        not in meant(
            "Rui Tavares spoke with the hostage taker. The hostage taker shot himself dead.",
            "himself",
        )[0]
    )


def test_arguments_of_one_verb_are_two() -> None:
    assert "Lind" not in meant("Paul Lind saw him.", "him")[0]


def test_certainty_is_a_probability_of_anaphors() -> None:
    parsed = parse(HINES)
    _, certainty = resolve(Learned(), parsed)
    assert certainty
    assert all(0 < chance <= 1 for chance in certainty.values())
    assert {parsed.tags[token] for token in certainty} <= {"PRP", "PRP$", "NN"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "He said that he saw him and she saw her before they saw them.",
        "NOTHING WAS SAID BY THE MAYOR BEFORE HE LEFT TOWN AND SHE RESIGNED",
        '"I saw him, said Ann. "He ran to her. "She saw it',
        "- apples\n- pears\n- Ann\n\nname | age\nBo | 3\nhe | 4",
        ", ".join(f"Name{n} Surname{n}" for n in range(500)) + " met. He left.",
        "he " * 600,
    ],
    ids=["empty", "mark", "pronouns", "capitals", "quotes", "lists", "names", "he"],
)
def test_odd_texts_have_clear_answers(text: str) -> None:
    parsed = parse(text)
    clusters, certainty = resolve(Learned(), parsed)
    heads = [span for cluster in clusters for span in cluster]
    assert len(heads) == len(set(heads))
    assert resolve(Learned(), parsed).clusters == clusters
    assert all(0 < chance <= 1 for chance in certainty.values())


def test_features_have_one_row_a_candidate() -> None:
    parsed = parse("Anna Berg met Eva Holm in Rome. Later she left.")
    mentions, entities, by_head = join_by_rules(parsed)
    syntax = Syntax(parsed)
    index = next(i for i, m in enumerate(mentions) if m.kind == "pronoun")
    candidates = candidates_of(parsed, syntax, mentions, entities, index)
    table = pair_features(parsed, syntax, mentions, index, candidates, {"eva": -2.0}, by_head)
    assert table.shape == (len(candidates), len(FEATURES))
    assert np.isfinite(table).all()
    assert (table[:, :GLOBAL_FEATURES] == table[0, :GLOBAL_FEATURES]).all()
    by_name = table[:, FEATURES.index("gender by name")]
    assert sorted(by_name.tolist())[-1] == 2.0


def test_a_scorer_gives_probabilities() -> None:
    rng = np.random.default_rng(0)

    def layer(name: str, rows: int, columns: int) -> dict[str, np.ndarray]:
        weight = rng.normal(size=(rows, columns)).astype(np.float32)
        return {f"{name}.weight": weight, f"{name}.bias": np.zeros(rows, np.float32)}

    weights = {
        "mean": np.zeros(16, np.float32), "deviation": np.ones(16, np.float32),
        **layer("features.0", 3, 16), **layer("features.1", 1, 3),
        **layer("none.0", 1, GLOBAL_FEATURES + 1),
    }  # fmt: skip
    scorer = Scorer([weights, weights], temperature=2.0)
    features = rng.normal(size=(2, 16)).astype(np.float32)
    alone = scorer.probabilities(features)
    assert alone.sum() == pytest.approx(1.0)
    assert len(alone) == 3
    logits = scorer.logits(features)
    assert logits == pytest.approx(Scorer([weights]).logits(features))  # the mean of two equal ones


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match="not a coreference model"):
        load_model(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"features": []}), encoding="utf-8")
    with pytest.raises(DamagedFile):
        load_model(tmp_path)
