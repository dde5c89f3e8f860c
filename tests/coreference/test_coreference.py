"""The coreference task: files read, gold hidden, answers scored as the reference scorers do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fabula.bench.evaluate import evaluate
from fabula.coreference import TASK, Passage, Question, Resolution, read_passages
from fabula.coreference.metrics import score_many
from fabula.errors import InputError, UsageError
from fabula.registry import create_model
from fabula.testing import check_model

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
ROW = "t-1\tIda met Jon and he left.\the\t16\tIda\t0\tFALSE\tJon\t8\tTRUE\thttp://x/Jon\n"
CONLL = """#begin document (tale); part 000
tale\t0\t0\tJon\t_\t_\t_\t_\t_\t_\t_\t_\t(1
tale\t0\t1\tHale\t_\t_\t_\t_\t_\t_\t_\t_\t1)
tale\t0\t2\tcame\t_\t_\t_\t_\t_\t_\t_\t_\t_

tale\t0\t0\tHe\t_\t_\t_\t_\t_\t_\t_\t_\t(1)
tale\t0\t1\tsat\t_\t_\t_\t_\t_\t_\t_\t_\t_
#end document
"""


def gap_file(folder: Path, *rows: str) -> Path:
    path = folder / "gap.tsv"
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


def test_a_gap_file_gives_its_question_and_no_url(tmp_path: Path) -> None:
    (passage,) = read_passages(gap_file(tmp_path, ROW))
    assert passage.question == Question((16, 18), ((0, 3), (8, 11)), (False, True))
    assert "http" not in repr(passage)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (ROW.replace("\t16\t", "\t15\t"), "gap.tsv:2: Pronoun 'he' does not stand at character 15"),
        (ROW.replace("\t16\t", "\tx\t"), "must be a number"),
        (ROW.replace("TRUE", "maybe"), "must be TRUE or FALSE"),
        ("t-1\tonly\n", "has 2 columns, the header 11"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        list(read_passages(gap_file(tmp_path, row)))


def test_a_conll_file_gives_tokens_sentences_and_clusters(tmp_path: Path) -> None:
    path = tmp_path / "tale.conll"
    path.write_text(CONLL, encoding="utf-8")
    (passage,) = read_passages(path)
    assert passage.text == "Jon Hale came He sat"
    assert passage.sentences == (0, 3)
    assert passage.clusters == (((0, 8), (14, 16)),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (CONLL.replace("1)\n", "_\n", 1), "the entity 1 is opened and never closed"),
        (CONLL.replace("(1\n", "_\n", 1), "tale.conll:3: the entity 1 is closed and was never"),
        (CONLL.replace("#begin document (tale); part 000\n", ""), "stands before '#begin"),
        ("#begin document (x)\nword\n", "has 1 columns"),
    ],
)
def test_bad_brackets_are_named(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "tale.conll"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_passages(path))


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.tsv"):
        read_passages(tmp_path / "a.txt")


def test_gold_and_the_order_of_names_are_hidden() -> None:
    item = TASK.examples()[0]
    views = [TASK.present(item, random.Random(seed), {}) for seed in range(8)]
    assert {view.item.question.gold for view in views if view.item.question} == {None}
    assert len({view.item.question.names for view in views if view.item.question}) == 2
    for view in views:
        assert view.item.question is not None
        names = tuple(float(name == (0, 8)) for name in view.item.question.names)
        assert view.restore(Resolution(names=names)).names == (1.0, 0.0)


class Clusterer:
    """Answers with clusters alone: the names meant follow from them."""

    def resolve(self, passages: list[Passage]) -> list[Resolution]:
        return [Resolution((((0, 9), (30, 33)), ((13, 22),))) for _ in passages]


def test_a_question_is_answered_from_clusters() -> None:
    (answer,) = TASK.call(Clusterer(), TASK.examples()[:1])
    assert answer.names == (1.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Resolution((((0, 99),),), (0.0, 0.0)), "not in the text"),
        (Resolution((((0, 3),), ((0, 3),)), (0.0, 0.0)), "in two clusters"),
        (Resolution((), (1.0,)), "2 names are asked for"),
        (Resolution((), (1.0, 3.0)), "between 0 and 1"),
    ],
)
def test_a_bad_answer_is_refused(answer: Resolution, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        TASK.check(TASK.examples()[0], answer)


def question(name: str, pronoun: str, gold: tuple[bool, bool]) -> Passage:
    text = f"Ann met Eve and {pronoun} left."
    return Passage(name, text, question=Question((16, 19), ((0, 3), (8, 11)), gold))


def test_gap_scores_pool_names_and_genders() -> None:
    items = [
        question("a", "she", (True, False)),
        question("b", "she", (False, True)),
        question("c", "him", (True, False)),
        question("d", "him", (False, False)),
    ]
    names = [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.9)]
    answers = [Resolution(names=given) for given in names]
    scores = score_many(items, answers, ["F1", "F1_masculine", "F1_feminine", "bias"])
    value = {name: total.sum() / count.sum() for name, (total, count) in scores.items()}
    assert value["F1"] == pytest.approx(2 * 2 / (4 + 2 + 1))  # 2 right, 2 wrong, 1 missed
    assert value["F1_feminine"] == pytest.approx(2 / 4)
    assert value["F1_masculine"] == pytest.approx(2 / 3)
    assert value["bias"] == pytest.approx((2 / 4) / (2 / 3))


def test_cluster_scores_are_pooled_over_documents() -> None:
    """Worked by hand: key {a,b,c}, {d,e}; answers {a,b}, {c,d}; one document, then a second."""
    a, b, c, d, e = ((k, k + 1) for k in range(5))
    first = Passage("x", "abcde", clusters=((a, b, c), (d, e)))
    second = Passage("y", "abcde", clusters=((a, b),))
    answers = [Resolution(((a, b), (c, d), (e,))), Resolution(((a, b),))]
    scores = score_many([first, second], answers, ["MUC", "B3", "CEAF", "CoNLL"])
    value = {name: total.sum() / count.sum() for name, (total, count) in scores.items()}
    recall, precision = (1 + 1) / (3 + 1), (1 + 1) / (2 + 1)
    muc = 2 * recall * precision / (recall + precision)
    b3_recall = (2 * 2 / 3 + 1 / 3 + 1 / 2 + 0 + 2) / 7
    b3_precision = (2 + 1 / 2 + 1 / 2 + 2) / 6
    b3 = 2 * b3_recall * b3_precision / (b3_recall + b3_precision)
    ceaf = 2 * (4 / 5 + 2 / 4 + 1) / (3 + 3)
    assert value["MUC"] == pytest.approx(muc)
    assert value["B3"] == pytest.approx(b3)
    assert value["CEAF"] == pytest.approx(ceaf)
    assert value["CoNLL"] == pytest.approx((muc + b3 + ceaf) / 3)


def test_a_file_is_scored_by_what_it_has_gold_for(tmp_path: Path) -> None:
    other = ROW.replace("t-1", "t-2").replace("and he", "& she").replace("\the\t", "\tshe\t")
    run = evaluate(
        "coreference", gap_file(tmp_path, ROW, other.replace("\t16", "\t14")), Clusterless()
    )
    assert list(run.metrics) == ["F1", "F1_masculine", "F1_feminine", "bias"]
    assert run.metrics["F1"].value == 1.0
    path = tmp_path / "tale.conll"
    path.write_text(CONLL, encoding="utf-8")
    run = evaluate("coreference", path, Clusterless(), folder=tmp_path / "runs")
    assert list(run.metrics) == ["MUC", "B3", "CEAF", "CoNLL"]
    assert run.metrics["CoNLL"].value == pytest.approx(1.0)


class Clusterless:
    def resolve(self, passages: list[Passage]) -> list[Resolution]:
        return [
            Resolution(names=tuple(float(p.text[s:e] == "Jon") for s, e in p.question.names))
            if p.question
            else Resolution((((0, 8), (14, 16)),))
            for p in passages
        ]


@pytest.mark.parametrize("name", ["sieve", "parallelism", "best"])
def test_models_keep_the_contract_and_solve_the_easy_ones(name: str) -> None:
    check_model("coreference", name)
    run = evaluate("coreference", TASK.examples(), create_model("coreference", name))
    assert run.metrics["F1"].value == 1.0
    assert run.metrics["CoNLL"].value == pytest.approx(1.0)


def test_things_can_be_left_out_of_the_answer() -> None:
    assert not create_model("coreference", "learned:entities").things
    with pytest.raises(UsageError, match="'entities'"):
        create_model("coreference", "learned:others")


def test_a_model_without_resolve_is_refused() -> None:
    with pytest.raises(UsageError, match="has no method 'resolve'"):
        TASK.call(object(), TASK.examples())


def test_any_resolver_is_a_model() -> None:
    model = create_model("coreference", "resolver:none")
    (answer,) = TASK.call(model, TASK.examples()[:1])
    assert answer.names == (0.0, 0.0)
