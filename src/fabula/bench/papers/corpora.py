"""Assign a corpus to each role of a paper: passed by path, or a packaged stand-in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from fabula.bench.papers.shape import Need
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.errors import InputError, UnknownName, UsageError
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import side_path
from fabula.types import Document

__all__ = ["STANDINS", "Corpus", "choose_corpora", "describe"]

_SAMPLE = resources.files("fabula") / "data" / "sample"
_HALF = 110  # the sample's later endings come in topical twins: a split must not part them

# Descriptions of stand-ins, shown with results.
STANDINS = {
    "sample": "48 articles written for this project",
    "sotu": "249 messages of US presidents to Congress",
    "sotu-written": "139 written messages of US presidents to Congress",
    "sotu-spoken": "110 speeches of US presidents to Congress",
    "sample-stories": "205 five-sentence stories written for this project",
    "sample-endings-1": "story endings 1 to 110 of the packaged sample",
    "sample-endings-2": "story endings 111 to 220 of the packaged sample",
    "sample-story-endings": "the packaged five-sentence stories, wrong endings from other stories",
    "packaged-chains": "event chains of the 512 documents of the shipped counts store",
    "sample-chains": "event chains extracted here from the 48 packaged articles",
    "simulated": "simulated ratings: no person has judged anything",
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus in its role. ``source`` is what was passed, or the name of a stand-in."""

    role: str
    source: str
    stands_in: bool

    @property
    def label(self) -> str:
        """A name for people: a file's name without its folder."""
        return self.source if self.stands_in else Path(self.source).name or self.source

    @property
    def identity(self) -> str:
        """Cache key: path, size and modification time, or the stand-in's name."""
        path = Path(self.source)
        if self.stands_in:
            return self.source
        sides = [path, *(side_path(path, side) for side in ("train", "dev", "test"))]
        stats = [(file.resolve(), file.stat()) for file in sides if file.exists()]
        told = [f"{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in stats]
        return " ".join(told) or self.source

    def documents(self) -> Iterator[Document]:
        """The documents; a stand-in may be a part of a packaged corpus."""
        if not self.stands_in:
            return read_documents(self.source)
        name, _, kind = self.source.partition("-")
        if name == "sotu" and kind:
            return (d for d in read_documents("sotu") if d.extra["sotu_type"] == kind)
        if self.source == "sample-stories":
            with resources.as_file(_SAMPLE / "stories.jsonl") as path:
                return iter(list(read_documents(path)))
        return read_documents(self.source)

    def endings(self) -> list[Ending]:
        """Stories with endings to choose from."""
        if not self.stands_in:
            return list(read_endings(self.source))
        if self.source == "sample-story-endings":
            from fabula.endings.build import build_endings

            stories = Corpus(self.role, "sample-stories", True).documents()
            return list(build_endings(stories))
        with resources.as_file(_SAMPLE / "endings.jsonl") as path:
            every = list(read_endings(path))
        return every[:_HALF] if self.source.endswith("-1") else every[_HALF:]


def choose_corpora(
    needs: Sequence[Need], given: Iterable[str], *, quick: bool, name: str
) -> dict[str, Corpus]:
    """The corpus of each role: what was given (``ROLE=PATH``), else under quick its stand-in.

    A bare path goes to the first role. A role that has neither is left out.
    """
    roles = {need.role: need for need in needs}
    chosen: dict[str, Corpus] = {}
    for text in given:
        role, sign, path = text.partition("=")
        if not sign or (role not in roles and Path(text).exists()):
            role, path = needs[0].role, text
        if role not in roles:
            raise UnknownName(f"corpus of {name}", role, roles)
        if not path:
            raise UsageError(f"--corpus {text}: write ROLE=PATH")
        if role in chosen:
            raise UsageError(f"--corpus {role} is given twice; a folder or a glob can be several")
        _check(path)
        chosen[role] = Corpus(role, path, False)
    for role, need in roles.items():
        if quick and role not in chosen and need.standin:
            chosen[role] = Corpus(role, need.standin, True)
    if not chosen:
        wanted = "; ".join(f"{need.role}: {need.what}" for need in needs)
        raise UsageError(
            f"{name} needs a corpus: --corpus ROLE=PATH, with ({wanted}). "
            "--quick runs on packaged text instead"
        )
    return chosen


def _check(path: str) -> None:
    """Reject a missing path before the run starts."""
    import glob

    from fabula.text.io.documents import corpora

    if path in corpora or Path(path).exists() or glob.has_magic(path):
        return
    if side_path(Path(path), "train").is_file():  # items that were split already
        return
    raise InputError("does not exist; --corpus takes ROLE=PATH", path=path)


def describe(chosen: Mapping[str, Corpus]) -> dict[str, str]:
    """Each role's corpus in words, without folders of this machine."""
    return {
        role: f"{c.label} (stand-in: {STANDINS[c.source]})" if c.stands_in else c.label
        for role, c in chosen.items()
    }
