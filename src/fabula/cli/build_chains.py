"""fabula build chains"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.events_command import CorefOption, LeastOption, RuleOption
from fabula.cli.inputs import SourcesArgument

OutputFile = Annotated[
    Path, typer.Option("--output", "-o", help="JSONL, Parquet, CSV, XES or GraphML to write.")
]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many chains.")]
SplitOption = Annotated[
    str | None, typer.Option("--split", help="80/20 or 90/5/5, by document: x.train, x.test ...")
]
PartOption = Annotated[
    str | None, typer.Option("--part", help="Only documents of this part: train, dev or test.")
]
LenientOption = Annotated[bool, typer.Option("--lenient", help="Skip and count malformed rows.")]


@command
def chains(
    sources: SourcesArgument,
    output: OutputFile,
    coref: CorefOption = "sieve",
    rule: RuleOption = None,
    least: LeastOption = 2,
    n: NumberOption = None,
    split: SplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Parse texts once into chains of events, entity by entity; they stream to the file."""
    from dataclasses import asdict

    from fabula.cli.building import read_corpus
    from fabula.cli.outputs import check_output
    from fabula.events.chains import build_chains
    from fabula.events.export import FORMATS
    from fabula.events.rules import Rules
    from fabula.progress import track
    from fabula.text.coref import resolvers
    from fabula.text.parse import Parser
    from fabula.text.splits import parse_split, split_by_document

    check_output(output, FORMATS)
    rules, resolver = Rules.parse(rule or []), resolvers.get(coref)()
    shares = parse_split(split) if split else None
    skips, documents = read_corpus(sources, part, lenient)
    sides = (
        {"": documents}
        if shares is None
        else split_by_document(documents, lambda document: document.id, shares, seed)
    )
    how: dict[str, Any] = {"task": "events", "recipe": "chains", "rules": asdict(rules)}
    how |= {"coref": resolver.describe(), "parser": Parser().model, "least": least}
    how |= {"seed": seed, "source": sources, "part": part, "licence": None}
    metas, said = {}, []
    for side, some in sides.items():
        found = build_chains(track(some, "documents"), rules=rules, coref=resolver, least=least)
        number = n if n is None or shares is None else max(1, round(n * shares[side]))
        path, meta = _write(output, side, found, number, {**how, "split": split})
        metas[side] = meta
        said.append(f"{meta['items']} chains of {meta['documents']} documents written to {path}")
    text = "\n".join(said) + (f"\n{skips.report()}" if skips else "")
    return Reply({"files": metas} if split else metas[""], text)


def _write(
    output: Path, side: str, found: Any, number: int | None, meta: dict[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Write one side and its meta file, which is made while the chains go by."""
    import hashlib
    import json
    from itertools import islice

    from fabula import __version__
    from fabula.events.export import export_chains
    from fabula.files import write_text
    from fabula.text.readers.streams import split_name
    from fabula.text.records import meta_path

    stem = split_name(output)[0]
    path = output.with_name(f"{stem}.{side}{output.name[len(stem) :]}") if side else output
    digest, documents = hashlib.sha256(), set[str]()

    def seen() -> Any:
        for chain in islice(found, number):
            digest.update(repr(chain.to_row()).encode("utf-8", "surrogatepass"))
            documents.add(chain.document)
            yield chain

    count = export_chains(path, seen())
    card = {**meta, "items": count, "documents": len(documents), "version": __version__}
    card |= {"side": side} if side else {}
    card["fingerprint"] = digest.hexdigest()[:16]
    write_text(meta_path(path), json.dumps(card, ensure_ascii=False, indent=2) + "\n")
    return path, card


def add_to(parent: typer.Typer) -> None:
    parent.command("chains")(chains)
