"""fabula build salads"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

RecipeOption = Annotated[
    str, typer.Option("--recipe", help="random, same-month, same-category or hardest.")
]
BaseOption = Annotated[
    str | None, typer.Option("--base", help="The recipe that hardest chooses from. [random]")
]
AmongOption = Annotated[
    str | None,
    typer.Option("--among", help="hardest of those built, or of all allowed pairs. [built]"),
]
PoolOption = Annotated[
    int | None, typer.Option("--pool", min=1, help="Salads built for hardest. [50 times --n]")
]
DocumentsOption = Annotated[str, typer.Option("--documents", help="Documents a salad: 2, or 3-5.")]
PatternOption = Annotated[
    str | None, typer.Option("--pattern", help="Only categories with these whole words: war|wars.")
]
CosineOption = Annotated[bool, typer.Option("--cosine", help="Store how near the topics are.")]
EncoderOption = Annotated[str, typer.Option("--encoder", help="Of the topics: minilm, glove ...")]
FormOption = Annotated[
    str, typer.Option("--form", help="sentences, or events: with what each says happened.")
]


@command
def salads(
    sources: SourcesArgument,
    target: TargetOption,
    recipe: RecipeOption = "random",
    base: BaseOption = None,
    among: AmongOption = None,
    pool: PoolOption = None,
    n: NumberOption = 1000,
    documents: DocumentsOption = "2",
    pattern: PatternOption = None,
    cosine: CosineOption = False,
    encoder: EncoderOption = "minilm",
    form: FormOption = "sentences",
    split: DatedSplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    *,
    engine: ShardOptions,
    seed: int = 0,
) -> Reply:
    """Mix the sentences of several documents."""
    from fabula.errors import UnknownName, UsageError
    from fabula.salads.build.hardest import hardest_salads
    from fabula.salads.build.mix import RECIPES, build_salads
    from fabula.salads.build.steps import EVENTS, SOURCES, TOPICS, source_from
    from fabula.scale.storage import writing

    if recipe not in RECIPES:
        raise UnknownName("salad recipe", recipe, RECIPES)
    if form not in ("sentences", "events"):
        raise UnknownName("form of a salad", form, ["sentences", "events"])
    if recipe != "hardest" and (base or among or pool):
        raise UsageError("--base, --among and --pool say how --recipe hardest chooses")
    how: dict[str, Any] = {"recipe": recipe}
    make: Callable[..., Iterable[Any]] = build_salads
    if recipe == "hardest":
        how = {"base": base or "random", "among": among or "built", "pool": pool}
        make = hardest_salads
    bounds = parse_range(documents, "--documents")

    def mixed(some: Any, limit: int | None) -> Iterable[Any]:
        options: dict[str, Any] = {"n": limit, "documents": bounds, "pattern": pattern}
        return (salad.to_row() for salad in make(some, **options, seed=seed, **how))

    topics = encoder if cosine or recipe == "hardest" else None
    options = {"task": "salads", "part": part, "topics": topics, "form": form}
    with writing(target) as destination:
        check_items(destination.path, split)
        build = open_build(engine, target, sources, options)
        skips, rows = read_rows(build, sources, part, lenient)
        rows = build.run(SOURCES, rows)
        rows = build.run(TOPICS, rows, encoder=topics) if topics else rows
        rows = build.run(EVENTS, rows) if form == "events" else rows
        usable = list(map(source_from, rows.rows()))
        identify = lambda source: source.document.id  # noqa: E731
        built = build_sides(usable, identify, mixed, n or 1000, split, seed)
        meta = {"task": "salads", "recipe": recipe, **how, "documents": documents, "form": form}
        meta |= {"pattern": pattern, "encoder": topics, "seed": seed}
        meta |= {"source": sources, "part": part}
        short = build.tally().get("short", 0)
        note = f"; {short} documents of fewer than 8 sentences not used"
        reply = write_sides(destination.path, built, meta, split, skips, note)
        return finish(build, reply, destination)


def add_to(app: typer.Typer) -> None:
    app.command("salads")(salads)
