"""fabula build pairs"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.build.common import NumberOption, check_items, write_sides
from fabula.cli.common import Reply, command

SourcesArgument = Annotated[
    list[str], typer.Argument(help="Documents with topic, event and sentences (as ECB+), JSONL.")
]
OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]
ContextOption = Annotated[
    bool, typer.Option("--context", help="Add the texts of both documents to each pair.")
]


@command
def pairs(
    sources: SourcesArgument,
    output: OutputFile,
    n: NumberOption = 1000,
    context: ContextOption = False,
    seed: int = 0,
) -> Reply:
    """Make sentence pairs of documents on like events: do they mention one event?"""
    from fabula.errors import InputError
    from fabula.pairs.build import build_pairs, read_topic_documents

    check_items(output, None)
    documents = [document for source in sources for document in read_topic_documents(source)]
    built = build_pairs(documents, n=n, context=context, seed=seed)
    if not built:
        raise InputError("no two documents share a topic", path=sources[0])
    meta = {"task": "pairs", "context": context, "seed": seed, "source": sources}
    return write_sides(output, {"": [pair.to_row() for pair in built]}, meta, None, None, "")


def add_to(app: typer.Typer) -> None:
    app.command("pairs")(pairs)
