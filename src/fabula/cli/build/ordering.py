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
    read_corpus,
    write_sides,
)
from fabula.cli.build.engines import ShardOptions, finish, open_plan, read_shards
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
    from collections import Counter, defaultdict
    from itertools import islice

    from fabula.errors import InputError, UsageError
    from fabula.ordering.build import Tally, build_texts, check_window
    from fabula.ordering.steps import TEXTS, Made
    from fabula.scale.storage import writing
    from fabula.types import Document

    if None not in (level, recipe) and level != recipe:
        raise UsageError(f"--level {level} and --recipe {recipe} say the same thing; give one")
    level = level or recipe or "sentence"
    bounds = parse_range(window, "--window") if window else None
    tally = Tally()
    how: dict[str, Any] = {"level": level, "window": bounds, "openings": openings, "seed": seed}
    meta: dict[str, Any] = {"task": "ordering", "recipe": level, "level": level, "window": window}
    meta |= {"openings": openings, "seed": seed, "source": sources, "part": part}

    texts_of: dict[str, list[Made]] = defaultdict(list)  # by document, where an engine made them

    def build(side_documents: Iterable[Any], limit: int | None) -> Iterable[Any]:
        texts: Iterable[Any] = build_texts(side_documents, **how, tally=tally)
        if plan is not None:
            texts = (text for document in side_documents for text in texts_of[document.id])
        return islice(texts, limit)

    with writing(target) as destination:
        check_items(destination.path, split)
        check_window(level, bounds)
        options = {**how, "task": "ordering", "part": part}
        plan = open_plan(engine, target, sources, options)
        documents: Iterable[Any]
        if plan is not None:
            skips, shards = read_shards(plan, sources, part)
            for row in plan.run(TEXTS, shards, **how).rows():
                texts_of[row["id"]].append(Made(**row))
            documents = map(Document.from_row, shards.rows())
            tally = Tally(plan.report()["single"], plan.report()["joined"])
        else:
            skips, documents = read_corpus(sources, part, lenient)
        # Documents are split, not texts: the texts of one document stay on one side.
        built = build_sides(documents, lambda document: document.id, build, n, split, seed)
        ids = Counter(row["id"] for rows in built.values() for row in rows)
        if repeated := [name for name, count in ids.items() if count > 1]:
            raise InputError(
                f"two documents have the id {repeated[0]!r}; each needs one of its own"
            )
        meta |= {"left_out": tally.single, "list_items_joined": tally.joined}
        reply = write_sides(destination.path, built, meta, split, skips, tally.report())
        return finish(plan, reply, destination)


def add_to(app: typer.Typer) -> None:
    app.command("ordering")(ordering)
