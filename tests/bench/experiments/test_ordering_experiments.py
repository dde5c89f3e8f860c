"""Cross-domain, learnability, robustness: small, resumed, and from the command line."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.bench.experiments.cells import Cells, Data, Spec, read_data
from fabula.bench.experiments.cross_domain import cross_domain
from fabula.bench.experiments.learnability import learnability, summary
from fabula.bench.experiments.robustness import robustness
from fabula.cli import app
from fabula.errors import InputError, UsageError
from fabula.ordering.items import Text
from fabula.ordering.models.linear import Linear

PLACES = {
    "sea": ("A ferry left the port", "Then fog came down", "Later a horn was heard", "At last it"),
    "land": ("Once a baker woke", "Soon the oven was hot", "Afterwards bread", "Finally he slept"),
}
SPECS = [Spec("random"), Spec("linear", (("epochs", 2),))]


def made_up(name: str, number: int, seed: int) -> tuple[Text, ...]:
    rng = random.Random(seed)
    texts = []
    for index in range(number):
        units = [f"{opening} number {rng.randint(1, 99)}." for opening in PLACES[name]]
        order = rng.sample(range(4), 4)
        gold = tuple(sorted(range(4), key=order.__getitem__))
        texts.append(Text(f"{name}-{seed}-{index}", tuple(units[i] for i in order), gold))
    return tuple(texts)


def data(name: str, level: str = "sentence") -> Data:
    return Data(name, level, made_up(name, 40, 1), made_up(name, 8, 2), made_up(name, 25, 3))


def write(folder: Path, some: Data) -> Path:
    for side in ("train", "dev", "test"):
        rows = [json.dumps(text.to_row()) for text in getattr(some, side)]
        (folder / f"{some.name}.{side}.jsonl").write_text("\n".join(rows) + "\n")
    (folder / f"{some.name}.train.meta.json").write_text(json.dumps({"level": some.level}))
    return folder / f"{some.name}.jsonl"


def tau(row: dict[str, Any]) -> float:
    return float(row["metrics"]["tau"]["value"])


def fabula(*line: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in line])
    assert done.exit_code == code, done.output
    return done


def test_train_here_test_there(tmp_path: Path) -> None:
    rows = cross_domain([data("sea"), data("land")], SPECS, tmp_path)
    found = {(r["model"], r["train"], r["test"]): r for r in rows}
    assert len(found) == 8
    for name in PLACES:
        assert tau(found["linear", name, name]) > 0.95
        assert abs(tau(found["random", name, name])) < 0.4
        other = "land" if name == "sea" else "sea"
        assert tau(found["linear", name, other]) < tau(found["linear", name, name])
    assert not any(row["beats_own"] for row in rows if row["train"] == row["test"])
    assert len(list((tmp_path / "models").iterdir())) == 2  # one training serves both tests


def test_levels_do_not_mix(tmp_path: Path) -> None:
    both = [data("sea"), data("land", "paragraph")]
    rows = cross_domain(both, SPECS[:1], tmp_path)
    assert {(row["train"], row["test"]) for row in rows} == {("sea", "sea"), ("land", "land")}
    with pytest.raises(UsageError, match="have the same name"):
        cross_domain([data("sea"), data("sea")], SPECS, tmp_path)


def test_an_experiment_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[int] = []
    fit = Linear.fit

    def counted(self: Linear, items: Any, dev: Any = ()) -> Linear:
        fits.append(len(items))
        if len(fits) == 2:
            raise KeyboardInterrupt
        return fit(self, items, dev)

    monkeypatch.setattr(Linear, "fit", counted)
    options: dict[str, Any] = {"sizes": (10, 20), "draws": (1, 1)}
    with pytest.raises(KeyboardInterrupt):
        learnability(data("sea"), SPECS, tmp_path, **options)
    rows = learnability(data("sea"), SPECS, tmp_path, **options)
    assert fits == [10, 20, 20] and len(rows) == 4
    assert learnability(data("sea"), SPECS, tmp_path, **options) == rows
    assert len(fits) == 3
    # Other data or another parameter is another cell.
    learnability(data("land"), SPECS, tmp_path, **options)
    learnability(data("sea"), [Spec("linear", (("epochs", 3),))], tmp_path, **options)
    assert len(fits) == 7


def test_a_trained_model_is_measured_as_it_is(tmp_path: Path) -> None:
    sea, land = data("sea"), data("land")
    Linear(epochs=2).fit(sea.train).save(tmp_path / "own")
    own = Spec(str(tmp_path / "own"))
    (row,) = cross_domain([land], [own], tmp_path / "x")
    (trained,) = cross_domain([land], [Spec("linear", (("epochs", 2),))], tmp_path / "x")
    assert row["training_seconds"] is None and tau(row) < tau(trained)
    Linear(epochs=2).fit(land.train).save(tmp_path / "own")  # another model: another cell
    (again,) = cross_domain([land], [own], tmp_path / "x")
    assert tau(again) > tau(row)
    with pytest.raises(UsageError, match="takes no parameters"):
        Spec(own.name, (("epochs", 7),)).make(0)


def test_a_model_with_an_argument_is_trained_with_the_seed() -> None:
    model = Spec("pairwise:beam").make(5)
    assert (model.decoder, model.seed) == ("beam", 5)


def test_drawing_with_replacement_does_not_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides: list[tuple[set[str], set[str]]] = []

    def seen(self: Linear, items: Any, dev: Any = ()) -> Linear:
        sides.append(({text.id for text in items}, {text.id for text in dev}))
        return fit(self, items, dev)

    fit = Linear.fit
    monkeypatch.setattr(Linear, "fit", seen)
    whole = replace(data("sea"), dev=())
    learnability(whole, [Spec("linear")], tmp_path, sizes=(20,), draws=(3,))
    assert len(sides) == 3
    assert all(train and dev and not train & dev for train, dev in sides)


def test_small_samples_are_drawn_anew(tmp_path: Path) -> None:
    rows = learnability(data("sea"), SPECS, tmp_path, sizes=(6, 30), draws=(3, 2))
    assert len(rows) == 10
    small = [tau(row) for row in rows if row["model"] == "linear" and row["size"] == 6]
    assert len(small) == 3
    means = {(m["model"], m["size"]): m for m in summary(rows)}
    found = means["linear", 6]
    assert found["draws"] == 3
    assert found["metrics"]["tau"]["value"] == pytest.approx(sum(small) / 3)
    assert (found["metrics"]["tau"]["low"], found["metrics"]["tau"]["high"]) == (
        min(small), max(small)
    )  # fmt: skip
    more = [Spec("linear", (("epochs", n),)) for n in (1, 2)]
    rows = learnability(data("sea"), more, tmp_path, sizes=(6,), draws=(2,))
    assert [(mean["settings"], mean["draws"]) for mean in summary(rows)] == [
        ({"epochs": 1}, 2), ({"epochs": 2}, 2)
    ]  # fmt: skip
    with pytest.raises(UsageError, match="1 sizes but 2 numbers of draws"):
        learnability(data("sea"), SPECS, tmp_path, sizes=(5,), draws=(1, 1))


def test_noise_costs(tmp_path: Path) -> None:
    rows = robustness(data("sea"), SPECS, tmp_path, levels=(0.0, 1.0))
    found = {(row["model"], row["level"]): row for row in rows}
    assert tau(found["linear", 1.0]) < tau(found["linear", 0.0])
    assert found["linear", 1.0]["items"] + found["linear", 1.0]["lost"] == 25
    clean = robustness(data("sea"), SPECS, tmp_path, levels=(0.0, 1.0), clean_training=True)
    assert len(list((tmp_path / "models").iterdir())) == 2  # the clean one serves both levels
    assert [row["learnt"] for row in clean] == [0.0] * 4


def test_a_level_that_leaves_nothing_is_refused_before_training(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at 100% no test text is left"):
        robustness(data("sea"), SPECS, tmp_path / "r", kinds=("remove",))
    assert not (tmp_path / "r").exists()


def test_paragraphs_have_the_papers_wider_network() -> None:
    assert Spec("attorder").at("paragraph").settings == (("hidden", 512),)
    assert Spec("attorder", (("hidden", 64),)).at("paragraph").settings == (("hidden", 64),)
    assert Spec("attorder").at("sentence") == Spec("attorder")
    assert Spec("linear").at("paragraph") == Spec("linear")


def test_reading_what_build_writes(tmp_path: Path) -> None:
    found = read_data(write(tmp_path, data("sea", "paragraph")))
    assert (found.name, found.level, len(found.train)) == ("sea", "paragraph", 40)
    assert found.key == data("sea").key != data("land").key
    (tmp_path / "sea.dev.jsonl").unlink()
    assert read_data(tmp_path / "sea.jsonl").dev == ()
    assert read_data(write(tmp_path, replace(data("sea"), name="sea_cs.CL"))).name == "sea_cs.CL"
    with pytest.raises(InputError, match=r"nowhere\.train\.jsonl: is missing or empty"):
        read_data(tmp_path / "nowhere.jsonl")


def test_a_parameter_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="linear has no parameter 'hidden'"):
        Spec("linear", (("hidden", 3),)).make(0)
    with pytest.raises(InputError, match="cannot make this folder"):
        (tmp_path / "file").write_text("")
        Cells(tmp_path / "file" / "deep")


def test_the_commands(tmp_path: Path) -> None:
    sea, land = (write(tmp_path, data(name)) for name in PLACES)
    line = ("-m", "random", "-m", "linear", "--set", "linear.epochs=2")
    shown = fabula("experiment", "cross-domain", sea, land, *line, "-o", tmp_path / "x").stdout
    assert "sentence level" in shown and "sea" in shown
    options = ("--sizes", "8,16", "--draws", "2,1", "-o", tmp_path / "l", "--json")
    told = json.loads(fabula("experiment", "learnability", sea, *line, *options).stdout)
    assert len(told["cells"]) == 6 and len(told["means"]) == 4
    levels = ("--levels", "0,50", "-o", tmp_path / "r", "--json")
    told = json.loads(fabula("experiment", "robustness", sea, *line, *levels).stdout)
    assert [cell["level"] for cell in told["cells"]] == [0.0, 0.0, 0.5, 0.5]
    assert "sentence-WLCS-l.svg" in shown
    done = fabula("experiment", "robustness", sea, *line, "--levels", "150", "-o", "r", code=2)
    assert "per cents from 0 to 100" in done.output
    for name, figure in (("x", "sentence-tau"), ("l", "WLCS-l"), ("r", "Acc")):
        assert (tmp_path / name / f"{figure}.svg").read_text().startswith("<svg")
        assert json.loads((tmp_path / name / "results.json").read_text())


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (["-m", "linnear"], "did you mean 'linear'"),
        (["-m", "linear", "--set", "hidden=3"], "unknown parameter 'hidden'"),
        (["-m", "linear", "--set", "random.seed=3"], "'random' is not among linear"),
        (["-m", "linear", "--sizes", "many"], "--sizes takes numbers"),
        (["-m", "linear", "--sizes", "nan"], "--sizes takes numbers"),
    ],
)
def test_bad_lines(tmp_path: Path, line: list[str], problem: str) -> None:
    path = write(tmp_path, data("sea"))
    done = fabula("experiment", "learnability", path, *line, "-o", tmp_path / "l", code=2)
    assert problem in done.output
