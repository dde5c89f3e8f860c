"""fabula build"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import SourcesArgument, parse_range

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many items.")]
RecipeOption = Annotated[str, typer.Option("--recipe", help="random, same-month, same-category.")]
DocumentsOption = Annotated[str, typer.Option("--documents", help="Documents a salad: 2, or 3-5.")]
LevelOption = Annotated[str, typer.Option("--level", help="sentence or paragraph.")]
WindowOption = Annotated[
    str | None, typer.Option("--window", help="Cut texts into windows of units, such as 5-8.")
]
OpeningsOption = Annotated[
    bool, typer.Option("--openings", help="Only the first window of each document.")
]
LenientOption = Annotated[bool, typer.Option("--lenient", help="Skip and count malformed rows.")]
PartOption = Annotated[
    str | None, typer.Option("--part", help="Only documents of this part: train, dev or test.")
]

app = typer.Typer(help="Build benchmark items from any corpus.", no_args_is_help=True)


@command
def salads(
    sources: SourcesArgument,
    output: OutputFile,
    recipe: RecipeOption = "random",
    n: NumberOption = 1000,
    documents: DocumentsOption = "2",
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Mix the sentences of several documents."""
    from fabula.salads.build import build_salads, read_sources

    _check(output)
    skips, found = _read(sources, part, lenient)
    usable, short = read_sources(found)
    items = build_salads(
        usable,
        recipe=recipe,
        n=n or 1000,
        documents=parse_range(documents, "--documents"),
        seed=seed,
    )
    meta = {"task": "salads", "recipe": recipe, "seed": seed, "source": sources, "part": part}
    note = f"; {short} documents of fewer than 8 sentences not used"
    return _write(output, items, meta, skips, note)


@command
def ordering(
    sources: SourcesArgument,
    output: OutputFile,
    level: LevelOption = "sentence",
    window: WindowOption = None,
    openings: OpeningsOption = False,
    n: NumberOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Shuffle the sentences or paragraphs of texts."""
    from itertools import islice

    from fabula.ordering.build import build_texts

    _check(output)
    skips, found = _read(sources, part, lenient)
    bounds = parse_range(window, "--window") if window else None
    texts = build_texts(found, level=level, window=bounds, openings=openings, seed=seed)
    meta = {"task": "ordering", "level": level, "seed": seed, "source": sources, "part": part}
    return _write(output, islice(texts, n), meta, skips, "")


def _check(output: Path) -> None:
    from fabula.cli.outputs import check_output
    from fabula.text.readers.streams import COMPRESSED

    check_output(output, [".jsonl", *(f".jsonl{pack}" for pack in COMPRESSED), ".parquet"])


def _read(sources: list[str], part: str | None, lenient: bool) -> tuple[Any, Any]:
    from fabula.text.documents import read_documents
    from fabula.text.parts import in_part
    from fabula.text.records import Skips

    skips = Skips() if lenient else None
    documents = read_documents(*sources, lenient=skips)
    return skips, documents if part is None else in_part(documents, part)


def _write(output: Path, items: Any, meta: dict[str, Any], skips: Any, note: str) -> Reply:
    from fabula import __version__
    from fabula.files import fingerprint
    from fabula.text.records import write_records

    # The fingerprint is of what is written, so the rows are held until they are all there.
    rows = [item.to_row() for item in items]
    meta = {**meta, "items": len(rows), "version": __version__}
    meta["fingerprint"] = fingerprint(repr(row) for row in rows)
    count = write_records(output, rows, meta=meta)
    said = f"{count} items written to {output}{note}"
    return Reply(meta, said + (f"\n{skips.report()}" if skips else ""))


def add_to(parent: typer.Typer) -> None:
    app.command("salads")(salads)
    app.command("ordering")(ordering)
    parent.add_typer(app, name="build")
