"""Shared by the build commands: read the corpus, split it, write the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply

__all__ = [
    "DatedSplitOption",
    "LenientOption",
    "NumberOption",
    "PartOption",
    "SplitOption",
    "TargetOption",
    "build_sides",
    "check_items",
    "check_split",
    "read_corpus",
    "write_sides",
]

TargetOption = Annotated[
    str, typer.Option("--output", "-o", metavar="PATH", help="JSONL or Parquet to write.")
]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many items.")]
SplitOption = Annotated[
    str | None, typer.Option("--split", help="80/20 or 90/5/5, by document: x.train, x.test ...")
]
DatedSplitOption = Annotated[
    str | None,
    typer.Option(
        "--split", help="80/20, 90/5/5 or date: files x.train, x.dev, x.test, by document."
    ),
]
PartOption = Annotated[
    str | None, typer.Option("--part", help="Only documents of this part: train, dev or test.")
]
LenientOption = Annotated[bool, typer.Option("--lenient", help="Skip and count malformed rows.")]


def build_sides(
    documents: Iterable[Any],
    identify: Callable[[Any], str],
    build: Callable[[Any, int | None], Iterable[Mapping[str, Any]]],
    n: int | None,
    split: str | None,
    seed: int,
) -> dict[str, list[Any]]:
    """The rows of each file to write: built within each side of the split, if there is one."""
    from fabula.text.io.splits import by_date, parse_split, split_by_date, split_by_document

    if split is None:
        return {"": list(build(documents, n))}
    shares = parse_split(split)
    if by_date(split):
        sides = split_by_date(documents, identify, _date, shares)
    else:
        sides = split_by_document(documents, identify, shares, seed)
    limit = {side: n and max(1, round(n * share)) for side, share in shares.items()}
    return {side: list(build(some, limit[side])) for side, some in sides.items()}


def _date(item: Any) -> str | None:
    """The date of a document, or of the document that an item holds."""
    date: str | None = getattr(item, "document", item).date
    return date


def check_items(output: Path, split: str | None, *, dated: bool = True) -> None:
    """Raise on an output or split that cannot work, before any work is done."""
    from fabula.cli.outputs import check_output
    from fabula.text.io.streams import COMPRESSED

    check_output(output, [".jsonl", *(f".jsonl{pack}" for pack in COMPRESSED), ".parquet"])
    check_split(split, dated=dated)


def check_split(split: str | None, *, dated: bool) -> dict[str, float] | None:
    """The share of each side; chains (not ``dated``) know no date to be split by."""
    from fabula.errors import UsageError
    from fabula.text.io.splits import by_date, parse_split

    if split is None:
        return None
    if by_date(split) and not dated:
        raise UsageError(f"--split {split}: chains have no date; split them as 80/20 or 90/5/5")
    return parse_split(split)


def read_corpus(sources: list[str], part: str | None, lenient: bool) -> tuple[Any, Any]:
    """The skipped rows of a lenient reading (None if strict), and the documents of the part."""
    from fabula.text.io.documents import read_documents
    from fabula.text.io.records import Skips
    from fabula.text.io.splits import in_part

    skips = Skips() if lenient else None
    documents = read_documents(*sources, lenient=skips)
    return skips, documents if part is None else in_part(documents, part)


def write_sides(
    output: Path,
    built: dict[str, list[Any]],
    meta: dict[str, Any],
    split: str | None,
    skips: Any,
    note: str,
) -> Reply:
    """Write one file and meta file per side; rows are complete, so no file is left partial."""
    from fabula import __version__
    from fabula.core.files import fingerprint
    from fabula.text.io.records import write_records
    from fabula.text.io.splits import side_path

    metas, lines = {}, []
    for side, rows in built.items():
        path = side_path(output, side)
        card = {**meta, "licence": None, "items": len(rows), "version": __version__}
        card |= {"split": split, "side": side} if side else {}
        card["fingerprint"] = fingerprint(repr(row) for row in rows)
        write_records(path, rows, meta=card)
        metas[side] = card
        lines.append(f"{len(rows)} items written to {path}")
    text = "\n".join(lines) + note + (f"\n{skips.report()}" if skips else "")
    return Reply({"files": metas} if split else metas[""], text)
