"""fabula build endings"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.build.common import (
    DatedSplitOption,
    LenientOption,
    NumberOption,
    PartOption,
    build_sides,
    check_items,
    read_corpus,
    write_sides,
)
from fabula.cli.common import Reply, command
from fabula.cli.inputs import SourcesArgument

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]
RecipeOption = Annotated[
    str, typer.Option("--recipe", help="Wrong endings: random, same-document or backwards.")
]
ContextOption = Annotated[int, typer.Option("--context", min=1, help="Sentences of context.")]
OptionsOption = Annotated[int, typer.Option("--options", min=2, help="Endings to choose from.")]


@command
def endings(
    sources: SourcesArgument,
    output: OutputFile,
    recipe: RecipeOption = "random",
    context: ContextOption = 4,
    options: OptionsOption = 2,
    n: NumberOption = None,
    split: DatedSplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Make ending items of stories: which sentence comes next?"""
    from fabula.endings.build import build_endings

    check_items(output, split)

    def build(side_documents: Iterable[Any], limit: int | None) -> Iterable[Any]:
        items = build_endings(
            side_documents, recipe=recipe, context=context, options=options, n=limit, seed=seed
        )
        return (item.to_row() for item in items)

    skips, documents = read_corpus(sources, part, lenient)
    built = build_sides(documents, lambda document: document.id, build, n, split, seed)
    meta = {"task": "endings", "recipe": recipe, "context": context, "options": options}
    meta |= {"seed": seed, "source": sources, "part": part}
    return write_sides(output, built, meta, split, skips, "")


def add_to(app: typer.Typer) -> None:
    app.command("endings")(endings)
