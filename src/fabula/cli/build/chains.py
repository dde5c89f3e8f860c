"""fabula build chains"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.build.common import LenientOption, PartOption, SplitOption, check_split
from fabula.cli.build.engines import ShardOptions, finish, open_build, read_rows
from fabula.cli.common import Reply, command
from fabula.cli.inputs import CorefOption, LeastOption, RuleOption, SourcesArgument
from fabula.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabula.events.items import Chain

OutputFile = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="JSONL, Parquet, CSV, XES or GraphML to write; with --engine also a folder x.shards.",
    ),
]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many chains.")]


@command
def chains(
    sources: SourcesArgument,
    target: OutputFile,
    coref: CorefOption = "best",
    rule: RuleOption = None,
    least: LeastOption = 2,
    n: NumberOption = None,
    split: SplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    *,
    engine: ShardOptions,
    seed: int = 0,
) -> Reply:
    """Parse texts once into chains of events, entity by entity; they stream to the file."""
    from dataclasses import asdict

    from fabula.cli.outputs import check_output
    from fabula.events.extract.rules import ExtractionRules
    from fabula.events.formats.export import FORMATS
    from fabula.events.steps import CHAINS
    from fabula.scale.storage import writing
    from fabula.text.coref import resolvers
    from fabula.text.parse.pipeline import Parser

    rules, resolver = ExtractionRules.parse(rule or []), resolvers.get(coref)()
    shares = check_split(split, dated=False)
    how: dict[str, Any] = {"task": "events", "recipe": "chains", "rules": asdict(rules)}
    how |= {"coref": resolver.describe(), "parser": Parser().model, "least": least}
    how |= {"seed": seed, "source": sources, "part": part, "licence": None}
    options = {key: how[key] for key in ("rules", "coref", "parser", "least", "part")}
    build = open_build(engine, target, sources, options)
    step_options = {"rules": asdict(rules), "coref": coref, "least": least}
    if target.rstrip("/").endswith(".shards"):
        if not build.sharded or n or split:
            raise UsageError(f"-o {target}: shards are for --engine, without --n and --split")
        return _to_shards(build, target, how, step_options)
    with writing(target) as destination:
        check_output(destination.path, FORMATS)
        skips, documents = read_rows(build, sources, part, lenient)
        made = build.run(CHAINS, documents, **step_options)
        made = made if shares is None else build.keep(made)  # each side reads it
        metas, lines = {}, []
        for side in shares or {"": 1.0}:
            chains = _side(made, side, shares, seed)
            number = n if n is None or shares is None else max(1, round(n * shares[side]))
            path, meta = _write(destination.path, side, chains, number, {**how, "split": split})
            metas[side] = meta
            lines.append(
                f"{meta['items']} chains of {meta['documents']} documents written to {path}"
            )
        text = "\n".join(lines) + (f"\n{skips.report()}" if skips else "")
        return finish(build, Reply({"files": metas} if split else metas[""], text), destination)


def _side(made: Any, side: str, shares: dict[str, float] | None, seed: int) -> Iterator[Chain]:
    """The chains of the documents on one side of a split, or all."""
    from fabula.events.items import chain_from_record
    from fabula.text.io.records import Record
    from fabula.text.io.splits import side_of

    for number, row in enumerate(made.rows(), 1):
        if shares is None or side_of(row["document"], shares, seed) == side:
            yield chain_from_record(Record(number, row), "chains")


def _to_shards(build: Any, target: str, how: dict[str, Any], options: dict[str, Any]) -> Reply:
    """Write the chains as shards, which ``build counts`` reads in parallel."""
    from fabula.events.steps import CHAINS
    from fabula.scale.shards import Shards
    from fabula.scale.storage import absolute_location, writing

    skips, documents = read_rows(build, how["source"], how["part"])
    made = build.run(CHAINS, documents, Shards(absolute_location(target)), **options)
    count = build.tally()["chains"]
    text = f"{count} chains in shards: {made.folder}"
    text += f"\n{skips.report()}" if skips else ""
    with writing(target.rstrip("/")) as destination:
        return finish(
            build, Reply({**how, "items": count, "shards": made.folder}, text), destination
        )


def _write(
    output: Path, side: str, chains: Any, number: int | None, meta: dict[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Write one side and its meta file; hash and documents are collected while streaming."""
    import hashlib
    import json
    from itertools import islice

    from fabula import __version__
    from fabula.core.files import write_text
    from fabula.events.formats.export import export_chains
    from fabula.text.io.records import meta_path
    from fabula.text.io.splits import side_path

    path = side_path(output, side)
    digest, documents = hashlib.sha256(), set[str]()

    def hashed() -> Any:
        for chain in islice(chains, number):
            digest.update(repr(chain.to_row()).encode("utf-8", "surrogatepass"))
            documents.add(chain.document)
            yield chain

    count = export_chains(path, hashed())
    card = {**meta, "items": count, "documents": len(documents), "version": __version__}
    card |= {"side": side} if side else {}
    card["fingerprint"] = digest.hexdigest()[:16]
    write_text(meta_path(path), json.dumps(card, ensure_ascii=False, indent=2) + "\n")
    return path, card


def add_to(parent: typer.Typer) -> None:
    parent.command("chains")(chains)
