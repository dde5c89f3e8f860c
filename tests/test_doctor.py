from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import create_autospec

import pytest

from fabula import doctor
from fabula.doctor import Finding, examine
from fabula.errors import MissingPart
from fabula.text import resources
from fabula.text.lm import likelihood as lm

JOBS = dict(doctor.JOBS)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking at everything would load every model, every time."""
    monkeypatch.setattr(doctor, "JOBS", {"counting": lambda: (6, "sheep")})
    monkeypatch.setattr(doctor, "status", lambda name: f"ready (/weights/{name})")


def found(what: str) -> Finding:
    (finding,) = [finding for finding in examine() if finding.what == what]
    return finding


def test_everything_is_looked_at() -> None:
    names = [finding.what for finding in examine()]
    assert len(set(names)) == len(names)
    assert {"python", "fabula", "cache", "counting"} <= set(names)
    assert {f"resource {name}" for name in resources.RESOURCES} <= set(names)


def test_every_extra_for_users_is_looked_at() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    extras = set(project["project"]["optional-dependencies"]) - {"bench", "docs", "dev"}
    assert set(doctor.EXTRAS.values()) == extras


def test_all_is_well() -> None:
    assert all(finding.ok for finding in examine() if finding.required)
    assert found("counting").said.endswith("sheep/s")


def test_missing_weights_fail_and_optional_ones_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "status", lambda name: f"{name} is not installed; get it with: x")
    for name, resource in resources.RESOURCES.items():
        finding = found(f"resource {name}")
        assert not finding.ok and finding.required is not resource.optional
        assert "get it with" in finding.said


def test_a_job_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def job() -> tuple[int, str]:
        raise MissingPart("minilm", "fabula resources install minilm")

    monkeypatch.setattr(doctor, "JOBS", {"encoding": job})
    finding = found("encoding")
    assert not finding.ok and finding.required
    assert finding.said.endswith("fabula resources install minilm")


def test_a_missing_extra_shows_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "EXTRAS", {"no_such_module": "web"})
    finding = found("extra web: no_such_module")
    assert not finding.ok and not finding.required
    assert finding.said == 'pip install "fabula[web]"'


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "file" / "cache"))
    finding = found("cache")
    assert not finding.ok and not finding.required
    assert "set FABULA_CACHE" in finding.said
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "new"))
    assert found("cache").ok and not list((tmp_path / "new").iterdir())


@pytest.mark.parametrize("what", JOBS)
def test_every_job_can_be_done(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The language model takes long to load and has tests of its own: here only how it is called.
    model = create_autospec(lm.LanguageModel)
    model.return_value.log_likelihoods.return_value = [SimpleNamespace(tokens=15)]
    monkeypatch.setattr(lm, "LanguageModel", model)
    count, unit = JOBS[what]()
    assert count > 0 and unit in ("sentences", "tokens")
