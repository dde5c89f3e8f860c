from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests.endings.tiny import make_tiny

from fabula import registry
from fabula.endings.models.joint import Joint
from fabula.errors import InputError, UnknownName, UsageError
from fabula.ordering.models.linear import Linear
from fabula.registry import BEST, Registry, create_model, encoders, models, tasks
from fabula.salads.models.centred import Centred
from fabula.testing import check_model
from fabula.text import resources


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    things = Registry("thing", {"broken": "no_such_module_anywhere:thing", "root": "math:sqrt"})
    assert things.names() == ["broken", "root"] == list(things)
    assert "broken" in things and "other" not in things
    assert things.get("root")(9.0) == 3.0
    with pytest.raises(ImportError):
        things.get("broken")


def test_an_unknown_name_says_what_is_near() -> None:
    with pytest.raises(UnknownName, match=r"unknown fruit 'aple': did you mean 'apple'\?"):
        Registry("fruit", {"apple": "math:pi", "pear": "math:e"}).get("aple")


def test_a_name_is_given_once() -> None:
    things = Registry("thing", {"a": "math:pi"})
    things.register("a", "math:pi")  # the same again is no quarrel
    things.register("b", len)
    assert things.get("b") is len
    with pytest.raises(UsageError, match="thing 'a' is registered already, as math:pi"):
        things.register("a", "math:e")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    points: list[EntryPoint] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [point for point in points if point.group == group]

    monkeypatch.setattr(registry, "entry_points", entry_points)
    return points


def test_other_packages_add_names(installed: list[EntryPoint]) -> None:
    installed.append(EntryPoint("e", "math:e", "things"))
    installed.append(EntryPoint("f", "math:inf", "other things"))
    things = Registry("thing", {"pi": "math:pi"}, group="things")
    assert things.get("e") == pytest.approx(2.718, abs=0.001)
    assert things.names() == ["e", "pi"]


def test_two_packages_cannot_have_the_same_name(installed: list[EntryPoint]) -> None:
    installed.append(EntryPoint("pi", "theirs:pi", "things"))
    with pytest.raises(UsageError, match="'pi' of theirs:pi is registered already"):
        Registry("thing", {"pi": "math:pi"}, group="things").names()


def test_packages_are_not_searched_for_a_name_of_our_own(
    installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(**_: Any) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(registry, "entry_points", search)
    Registry("thing", {"pi": "math:pi"}, group="things").get("pi")


@pytest.mark.parametrize("kind", [tasks, models, encoders], ids=lambda kind: kind.kind)
def test_every_registered_name_leads_somewhere(kind: Registry) -> None:
    assert len(kind.names()) >= 3
    for name in kind:
        assert kind.get(name) is not None


def test_every_task_has_a_best_model_and_every_model_a_task() -> None:
    assert set(BEST) == set(tasks)
    assert {name.split("/")[0] for name in models} == set(tasks)
    for task, name in BEST.items():
        assert type(create_model(task, "best")) is models.get(f"{task}/{name}")


def test_a_model_by_name_and_argument() -> None:
    assert isinstance(create_model("salads", "centred"), Centred)
    tfidf = create_model("salads", "centred:tfidf")
    assert isinstance(tfidf, Centred) and tfidf.encoder == "tfidf"
    joint = create_model("endings", "joint:minilm-fp32")
    assert isinstance(joint, Joint) and joint.encoder == "minilm-fp32"
    best = create_model("endings", "best:lm")
    assert type(best) is models.get(f"endings/{BEST['endings']}") and best.lm


def test_a_model_from_its_folder(tmp_path: Path) -> None:
    Linear(seed=7).save(tmp_path / "mine")
    model = create_model("ordering", str(tmp_path / "mine"))
    assert isinstance(model, Linear) and model.seed == 7
    assert create_model("ordering", tmp_path / "mine").seed == 7
    assert create_model("ordering", model) is model  # an object is a model already
    with pytest.raises(UsageError, match="not a model of the task 'salads'"):
        create_model("salads", str(tmp_path / "mine"))


def test_a_folder_with_the_name_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Linear(seed=7).save(tmp_path / "linear")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match=r"'linear' is the registered model.* write \./linear"):
        assert create_model("ordering", "linear").seed != 7
    assert create_model("ordering", "./linear").seed == 7


@pytest.mark.parametrize("config", ["", "[]", "{}", '{"model": '])
def test_a_folder_that_is_no_model(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(InputError, match=r"config\.json: not a saved fabula model"):
        create_model("ordering", str(tmp_path))


def test_unknown_models_and_tasks() -> None:
    with pytest.raises(UnknownName, match="unknown task 'salad': did you mean 'salads'"):
        create_model("salad", "centred")
    with pytest.raises(UnknownName, match="unknown salads model 'centered': did you mean"):
        create_model("salads", "centered")
    with pytest.raises(
        UnknownName, match=r"Known: FOLDER of a trained model, answers:..., attorder, b"
    ):
        create_model("ordering", "nowhere")
    with pytest.raises(UnknownName, match="unknown ordering model"):
        create_model("ordering", "centred")  # a model of another task


def test_a_saved_model_of_an_unknown_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model": "ordering/linnear"}))
    with pytest.raises(UnknownName, match="did you mean 'ordering/linear'"):
        create_model("ordering", str(tmp_path))


def test_an_argument_to_a_model_that_takes_none() -> None:
    with pytest.raises(UsageError, match="takes no argument"):
        create_model("ordering", "random:3")


# The contract does not depend on a model's size, and these are large.
SMALL: dict[str, dict[str, Any]] = {
    "conversations/links": {"hidden": 8, "epochs": 2, "networks": 1},
    "endings/fine-tuned": {"layers": (1, 2)},
    "ordering/attorder": {"width": 16, "hidden": 8, "layers": 1, "epochs": 3},
    "ordering/lstm-ptr": {"width": 16, "hidden": 16, "epochs": 3},
    "ordering/se-graph": {"width": 16, "hidden": 16, "entity": 8, "role": 4, "epochs": 3},
    "ordering/vlstm-ptr": {"width": 16, "hidden": 16, "epochs": 3},
    "salads/documents": {"epochs": 1, "hidden": 4},
}
ASK_A_LANGUAGE_MODEL = {"endings/cogcomp", "endings/fine-tuned", "endings/lm"}


@pytest.fixture
def few_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Word vectors are an optional resource; a handful will do here."""
    words = "umbrella clouds office soaked garden door keys inside locksmith opened".split()
    lines = [f"{word} {i % 3} {i % 4} {i % 5} 1" for i, word in enumerate(words, 1)]
    (tmp_path / "few.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("FABULA_GLOVE", str(tmp_path / "few.txt"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers", reason='pip install "fabula[lm]"')
    return make_tiny(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("name", models.names())
def test_every_model_keeps_its_contract(
    name: str, few_vectors: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    task, _, model = name.partition("/")
    if name in ASK_A_LANGUAGE_MODEL:  # the packaged one takes half a minute to unpack
        folder, locate = request.getfixturevalue("tiny"), resources.locate
        monkeypatch.setattr(
            resources, "locate", lambda part: folder if part == "smollm2" else locate(part)
        )
    check_model(task, models.get(name)(**SMALL[name]) if name in SMALL else model)
