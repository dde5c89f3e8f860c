"""What the corpus commands share that can run on an engine: options, the plan, its report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply

if TYPE_CHECKING:
    from fabula.scale import Plan, Shards
    from fabula.scale.storage import Destination

__all__ = ["EngineOptions", "ShardOptions", "finish", "open_plan", "read_shards"]


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where the work is done."""

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
    """Where the work is done, and in how large pieces."""

    shard: Annotated[
        int | None,
        typer.Option("--shard", min=1, help="Documents a shard: fewer if they are long. [50]"),
    ] = None


def open_plan(
    place: EngineOptions,
    output: str,
    sources: Iterable[str],
    options: Mapping[str, Any],
    what: str = "documents",
) -> Plan | None:
    """The plan of a run on an engine; None when everything is to be done in this process."""
    from fabula.errors import UsageError
    from fabula.scale import Engine, Plan
    from fabula.scale.plan import SIZE

    size = place.shard if isinstance(place, ShardOptions) else None
    if place.engine is None:
        if place.address or place.workers or place.work or size:
            raise UsageError(
                "--address, --workers, --work and --shard are for --engine native or ray"
            )
        return None
    how = [json.dumps(options, sort_keys=True, default=str)]
    return Plan(
        place.work or f"{output.rstrip('/')}.work",
        identity=[*how, *(name for source in sources for name in _identify(source))],
        engine=Engine(name=place.engine, address=place.address, workers=place.workers),
        size=size or SIZE,
        what=what,
    )


def _identify(source: str) -> Iterator[str]:
    """What a source is, without reading it: names, sizes and times of its files."""
    yield source
    path = Path(source)
    some = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in some:
        if file.is_file():
            facts = file.stat()
            yield f"{file} {facts.st_size} {facts.st_mtime_ns}"


def read_shards(
    plan: Plan,
    sources: list[str],
    part: str | None,
    name: str = "documents",
    size: int | None = None,
) -> tuple[Any, Shards]:
    """The documents of a corpus as shards; what cannot be read is counted and passed over."""
    from fabula.cli.build.common import read_corpus
    from fabula.errors import InputError

    skips, found = read_corpus(sources, part, lenient=True)
    shards = plan.read((document.to_row() for document in found), name, size)
    if not shards.done():
        plan.clear()
        why = f": {skips.reasons[0]}" if skips.reasons else ""
        raise InputError(f"there is no document to be read in {', '.join(sources)}{why}")
    return (skips if skips.total else None), shards


def finish(plan: Plan | None, reply: Reply, place: Destination) -> Reply:
    """Put the report of a run into the reply and beside the output, and remove the shards."""
    if plan is None:
        return Reply(reply.data, place.shown(str(reply.text)))
    from fabula.core.files import write_text
    from fabula.text.io.records import meta_path

    report = plan.report()
    card = meta_path(place.path)
    path = card.with_name(card.name.replace(".meta.json", ".run.meta.json"))
    write_text(path, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    plan.clear()
    return Reply({**reply.data, "run": report}, place.shown(f"{reply.text}\n{plan.said()}"))
