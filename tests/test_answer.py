"""Every answer of a verb is a dict of JSON values, a pandas frame and an escaped table."""

from __future__ import annotations

import json
import math
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import pytest

import fabula
from fabula.answer import AnswerList, html_table
from fabula.bench.papers import reproduce
from fabula.endings import Ending
from fabula.errors import MissingPart
from fabula.ordering import Text

MARKUP = "<img src=x onerror=alert(1)>"
BRIDGE = f"The bridge at {MARKUP} fell on Monday."


def _items() -> list[Ending]:
    return [Ending(f"<b>{i}", ("He ate.",), (f"no {i}", f"yes {i}"), i % 2) for i in range(24)]


def _runs() -> list[Any]:
    items = [Text(f"<i>{n}", ("a b", "c d", f"e {n}"), (0, 2, 1)) for n in range(3)]
    return [fabula.evaluate("ordering", items, m, name=f"<i>{m}") for m in ("random", "linear")]


ANSWERS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "assemble": (
        lambda: fabula.assemble([f"{BRIDGE} Nobody was hurt.", "Mara made tea. She drank it."]),
        ["story", "title", "position", "text", "when", "probability", "source", "line"],
    ),
    "order": (
        lambda: fabula.order([f"Then it fell. {MARKUP}", "First it stood."], model="linear"),
        ["position", "unit", "text", "before_next"],
    ),
    "untangle": (
        lambda: fabula.untangle([BRIDGE, "Mara made tea.", "The tea was hot."], model="unif"),
        ["story", "index", "text", "probability", "runner_up"],
    ),
    "extract_events": (
        lambda: fabula.extract_events(f"The police arrested Jon {MARKUP}. Jon fled.", least=1),
        ["document", "entity", "verb", "slot", "args", "standing", "line", "sentence"],
    ),
    "predict_events": (
        lambda: fabula.predict_events("arrest->obj escape->subj", top=3),
        ["verb", "slot", "score", "lift", "only_frequency"],
    ),
    "times": (
        lambda: fabula.times(f"{MARKUP} It fell on Monday.", "1999-06-15"),
        ["start", "end", "text", "type", "value", "role"],
    ),
    "relate": (
        lambda: fabula.relate([(BRIDGE, "It did not fall.")], model="overlap"),
        ["a", "b", "label", "entailment", "neutral", "contradiction", "same"],
    ),
    "choose": (
        lambda: fabula.choose([("He was hungry.", [MARKUP, "He ate."])], model="constant"),
        ["id", "choice", "options", "scores"],
    ),
    "audit": (
        lambda: fabula.audit(_items(), probes=["position", "tokens"], name=MARKUP),
        ["name", "status", "value", "low", "high", "p", "finding"],
    ),
    "evaluate": (lambda: _runs()[0], ["id", "PMR", "tau", "answer"]),
    "compare": (lambda: fabula.compare(_runs()), ["metric", "first", "second", "difference"]),
}


@pytest.mark.parametrize("verb", ANSWERS)
def test_an_answer_is_a_dict_a_frame_and_a_table(verb: str) -> None:
    answer, columns = ANSWERS[verb][0](), ANSWERS[verb][1]
    data = answer.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    frame = answer.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) > 0
    assert set(columns) <= set(frame.columns)
    page = answer._repr_html_()
    assert "<img" not in page and "<b>0" not in page and "<i>r" not in page
    assert page.startswith("<div>") and page.endswith("</div>")


@pytest.mark.parametrize(
    ("answer", "column"),
    [
        (lambda: fabula.times(""), "value"),
        (lambda: fabula.order([]), "text"),
        (lambda: fabula.relate([], model="overlap"), "label"),
        (lambda: fabula.choose([], model="constant"), "choice"),
        (lambda: fabula.extract_events([]), "verb"),
    ],
)
def test_an_empty_answer_has_its_columns(answer: Callable[[], Any], column: str) -> None:
    frame = answer().to_frame()
    assert len(frame) == 0 and column in frame.columns
    assert "nothing" in answer()._repr_html_() and json.dumps(answer().to_dict())


def test_a_training_and_a_paper_are_answers_too() -> None:
    items = [Text(str(n), ("First it stood.", f"Then it fell {n}."), (0, 1)) for n in range(8)]
    frame = fabula.train("ordering/linear", items, dev=items[:4]).to_frame()
    assert len(frame) == 1 and frame["score"][0] >= 0 and frame["seconds"][0] > 0
    done = reproduce("event-cloze.table3", quick=True)
    assert json.dumps(done.to_dict()) and "event cloze" in done._repr_html_().lower()
    assert {"table", "published", "ours", "low", "high"} <= set(done.to_frame().columns)


def test_the_dict_is_what_the_command_prints() -> None:
    order = fabula.order(["Then she drank.", "Mara made tea."])
    assert order.to_dict().keys() >= {"units", "order", "confidence"}
    assert order.to_dict()["units"] == ["Mara made tea.", "Then she drank."]
    (stories,) = (fabula.untangle(["Only one."]).to_dict()["stories"],)
    assert stories[0]["sentences"][0]["text"] == "Only one."


def test_training_and_reports_from_python(tmp_path: Path) -> None:
    items = [Text(str(n), ("First it stood.", f"Then it fell {n}."), (0, 1)) for n in range(8)]
    done = fabula.train("ordering/linear", items, tmp_path / "weights", dev=items[:4])
    assert done.to_dict()["items"] == 8 and (tmp_path / "weights" / "config.json").is_file()
    assert done.development is not None and done.development[0] == "PMR"
    with pytest.raises(fabula.FabulaError, match="did you mean"):
        fabula.train("ordering/linear", items, epoch=3)
    for model in (tmp_path / "weights", "random"):
        fabula.evaluate("ordering", items, model, folder=tmp_path / "runs", force=True)
    assert len(fabula.compare(tmp_path / "runs")) == 1
    page = fabula.report(tmp_path / "runs", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


class Value(NamedTuple):
    text: str
    score: float


def test_a_list_is_still_a_list() -> None:
    found = AnswerList([Value("a", 1.0)], "values")
    assert found == [("a", 1.0)] and isinstance(found, list) and found[0].text == "a"
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()  # noqa: S301


def test_columns_beside_the_values_go_with_them_until_the_list_changes() -> None:
    found = AnswerList([Value("a", math.nan)], "values", [{"of": "x"}])
    assert found.to_dict() == {"values": [{"of": "x", "text": "a", "score": None}]}
    found.append(Value("b", 0.5))
    assert list(found.to_frame().columns) == ["text", "score"]


def test_tables_are_escaped_and_cut() -> None:
    rows = [{"<th>": "<script>alert(1)</script>", "long": "x" * 400, "none": None}] * 61
    text = html_table(rows)
    assert "<script" not in text and "&lt;script&gt;" in text and "<th><th>" not in text
    assert "x" * 301 not in text and "1 more" in text
    assert "<td>a: 1, b: 2</td><td>–</td>" in html_table([{"m": {"a": 1, "b": 2}, "n": math.nan}])


def test_without_pandas_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPart, match="pip install pandas"):
        AnswerList([], "values").to_frame()
