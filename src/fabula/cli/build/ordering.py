"""fabula build ordering"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from fabula.cli.build.common import (
    DatedSplitOption,
    LenientOption,
    NumberOption,
    PartOption,
    TargetOption,
    build_sides,
    check_items,
    write_sides,
)
from fabula.cli.build.engines import ShardOptions, finish, open_build, read_rows
from fabula.cli.common import Reply, command
from fabula.cli.inputs import SourcesArgument, parse_range

LevelOption = Annotated[
    str | None, typer.Option("--level", help="sentence or paragraph. [sentence]")
]
RecipeOption = Annotated[str | None, typer.Option("--recipe", help="The same as --level.")]
WindowOption = Annotated[
    str | None, typer.Option("--window", help="Cut texts into windows of units, such as 5-8.")
]
OpeningsOption = Annotated[
    bool, typer.Option("--openings", help="Only the first window of each document.")
]


@command
def ordering(
    sources: SourcesArgument,
    target: TargetOption,
    level: LevelOption = None,
    recipe: RecipeOption = None,
    window: WindowOption = None,
    openings: OpeningsOption = False,
    n: NumberOption = None,
    split: DatedSplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    *,
    engine: ShardOptions,
    seed: int = 0,
) -> Reply:
    """Shuffle the sentences or paragraphs of texts."""
    from collections import Counter
    from itertools import islice

    from fabula.errors import InputError, UsageError
    from fabula.ordering.build import Tally, check_window
    from fabula.ordering.steps import TEXTS, DocumentTexts
    from fabula.scale.storage import writing

    if None not in (level, recipe) and level != recipe:
        raise UsageError(f"--level {level} and --recipe {recipe} say the same thing; give one")
    level = level or recipe or "sentence"
    bounds = parse_range(window, "--window") if window else None
    how: dict[str, Any] = {"level": level, "window": bounds, "openings": openings, "seed": seed}
    meta: dict[str, Any] = {"task": "ordering", "recipe": level, "level": level, "window": window}
    meta |= {"openings": openings, "seed": seed, "source": sources, "part": part}

    def texts(side_documents: Iterable[DocumentTexts], limit: int | None) -> Iterable[Any]:
        return islice((text for document in side_documents for text in document.texts), limit)

    with writing(target) as destination:
        check_items(destination.path, split)
        check_window(level, bounds)
        options = {**how, "task": "ordering", "part": part}
        build = open_build(engine, target, sources, options, at_once=1)  # no more than --n needs
        skips, rows = read_rows(build, sources, part, lenient)
        documents = (DocumentTexts(**row) for row in build.run(TEXTS, rows, **how).rows())
        # Documents are split, not texts: the texts of one document stay on one side.
        built = build_sides(documents, lambda document: document.id, texts, n, split, seed)
        ids = Counter(row["id"] for rows in built.values() for row in rows)
        if repeated := [name for name, count in ids.items() if count > 1]:
            raise InputError(
                f"two documents have the id {repeated[0]!r}; each needs one of its own"
            )
        counted = build.tally()
        tally = Tally(counted.get("single", 0), counted.get("joined", 0))
        meta |= {"left_out": tally.single, "list_items_joined": tally.joined}
        reply = write_sides(destination.path, built, meta, split, skips, tally.report())
        return finish(build, reply, destination)


def add_to(app: typer.Typer) -> None:
    app.command("ordering")(ordering)
