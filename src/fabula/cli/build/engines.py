"""Shared by build commands that can run on an engine: options, where steps run, the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply

if TYPE_CHECKING:
    from fabula.scale.storage import Destination

__all__ = ["EngineOptions", "ShardOptions", "finish", "identify", "open_build", "read_rows"]


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options that choose the engine."""

    engine: Annotated[
        str | None,
        typer.Option("--engine", help="native or ray: shards, by several workers. [one process]"),
    ] = None
    address: Annotated[
        str | None, typer.Option("--address", help="Of a Ray cluster; else one is started here.")
    ] = None
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Workers of the engine. [one a core]")
    ] = None
    work: Annotated[
        str | None,
        typer.Option("--work", help="Folder or URL for shards, to go on from. [beside the output]"),
    ] = None


@dataclass(frozen=True, slots=True)
class ShardOptions(EngineOptions):
    """Options that choose the engine and the shard size."""

    shard: Annotated[
        int | None,
        typer.Option("--shard", min=1, help="Documents a shard: fewer if they are long. [50]"),
    ] = None


def open_build(
    engine: EngineOptions,
    output: str,
    sources: Iterable[str],
    options: Mapping[str, Any],
    what: str = "documents",
    *,
    at_once: int | None = None,
) -> Any:
    """Where the steps of a build run: a ``Plan`` of the engine, or ``InProcess`` without one.

    Both have the same methods, so that a command says once what is done. ``at_once`` is how many
    rows a step gets in one process.
    """
    from fabula.errors import UsageError
    from fabula.scale import Engine, InProcess, Plan
    from fabula.scale.plan import SIZE

    size = engine.shard if isinstance(engine, ShardOptions) else None
    if engine.engine is None:
        if engine.address or engine.workers or engine.work or size:
            raise UsageError(
                "--address, --workers, --work and --shard are for --engine native or ray"
            )
        return InProcess(size=at_once or SIZE)
    options_json = [json.dumps(options, sort_keys=True, default=str)]
    return Plan(
        engine.work or f"{output.rstrip('/')}.work",
        identity=[*options_json, *(name for source in sources for name in identify(source))],
        engine=Engine(name=engine.engine, address=engine.address, workers=engine.workers),
        size=size or SIZE,
        what=what,
    )


def identify(source: str) -> Iterator[str]:
    """Identity of a source without reading it: names, sizes and times of its files."""
    yield source
    path = Path(source)
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            status = file.stat()
            yield f"{file} {status.st_size} {status.st_mtime_ns}"


def read_rows(
    build: Any,
    sources: list[str],
    part: str | None,
    lenient: bool = False,
    name: str = "documents",
    size: int | None = None,
) -> tuple[Any, Any]:
    """What was skipped, and the documents of a corpus as rows for the steps of a build.

    In shards unreadable documents are always counted and skipped: one must not stop a long run.
    """
    from fabula.cli.build.common import read_corpus

    skips, documents = read_corpus(sources, part, lenient or build.sharded)
    rows = build.read((document.to_row() for document in documents), name, size)
    why = f": {skips.reasons[0]}" if skips and skips.reasons else ""
    build.refuse_empty(rows, f"there is no document to be read in {', '.join(sources)}{why}")
    # Shards have been written by now, so that what was skipped is known.
    return (None if build.sharded and not skips.total else skips), rows


def finish(build: Any, reply: Reply, destination: Destination) -> Reply:
    """Add the run's report to the reply, write it next to the output, remove the shards."""
    report = build.report()
    if report is None:
        return Reply(reply.data, destination.shown(str(reply.text)))
    from fabula.core.files import write_text
    from fabula.text.io.records import meta_path

    card = meta_path(destination.path)
    path = card.with_name(card.name.replace(".meta.json", ".run.meta.json"))
    write_text(path, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    build.clear()
    return Reply(
        {**reply.data, "run": report}, destination.shown(f"{reply.text}\n{build.summary()}")
    )
