"""fabula build"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli import build_chains, build_endings, build_events
from fabula.cli.building import build_sides, check_items, read_corpus, write_sides
from fabula.cli.common import Reply, command
from fabula.cli.inputs import SourcesArgument, parse_range

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many items.")]
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
PatternOption = Annotated[
    str | None, typer.Option("--pattern", help="Only categories this expression is found in.")
]
CosineOption = Annotated[bool, typer.Option("--cosine", help="Store how near the topics are.")]
EncoderOption = Annotated[str, typer.Option("--encoder", help="Of the topics: minilm, glove ...")]
FormOption = Annotated[
    str, typer.Option("--form", help="sentences, or events: with what each says happened.")
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split", help="80/20, 90/5/5 or date: files x.train, x.dev, x.test, by document."
    ),
]
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
    base: BaseOption = None,
    among: AmongOption = None,
    pool: PoolOption = None,
    n: NumberOption = 1000,
    documents: DocumentsOption = "2",
    pattern: PatternOption = None,
    cosine: CosineOption = False,
    encoder: EncoderOption = "minilm",
    form: FormOption = "sentences",
    split: SplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Mix the sentences of several documents."""
    from fabula.errors import UnknownName, UsageError
    from fabula.salads.build import RECIPES, build_salads, read_sources
    from fabula.salads.eventform import with_events
    from fabula.salads.hardest import hardest_salads
    from fabula.salads.topics import with_topics

    check_items(output, split)
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

    def build(some: Any, number: int | None) -> Iterable[Any]:
        return make(some, n=number, documents=bounds, pattern=pattern, seed=seed, **how)

    skips, found = read_corpus(sources, part, lenient)
    usable, short = read_sources(found)
    topics = encoder if cosine or recipe == "hardest" else None
    if topics:
        usable = with_topics(usable, topics)
    if form == "events":
        usable = with_events(usable)
    built = build_sides(usable, lambda source: source.document.id, build, n or 1000, split, seed)
    meta = {"task": "salads", "recipe": recipe, **how, "documents": documents, "form": form}
    meta |= {
        "pattern": pattern,
        "encoder": topics,
        "form": form,
        "seed": seed,
        "source": sources,
        "part": part,
    }
    note = f"; {short} documents of fewer than 8 sentences not used"
    return write_sides(output, built, meta, split, skips, note)


@command
def ordering(
    sources: SourcesArgument,
    output: OutputFile,
    level: LevelOption = "sentence",
    window: WindowOption = None,
    openings: OpeningsOption = False,
    n: NumberOption = None,
    split: SplitOption = None,
    part: PartOption = None,
    lenient: LenientOption = False,
    seed: int = 0,
) -> Reply:
    """Shuffle the sentences or paragraphs of texts."""
    from itertools import islice

    from fabula.ordering.build import Tally, build_texts

    check_items(output, split)
    bounds = parse_range(window, "--window") if window else None
    tally = Tally()
    how: dict[str, Any] = {"level": level, "window": bounds, "openings": openings, "seed": seed}

    def build(some: Iterable[Any], number: int | None) -> Iterable[Any]:
        return islice(build_texts(some, **how, tally=tally), number)

    skips, found = read_corpus(sources, part, lenient)
    meta: dict[str, Any] = {"task": "ordering", "recipe": level, "level": level, "window": window}
    meta |= {"openings": openings, "seed": seed, "source": sources, "part": part}
    built = build_sides(found, lambda document: document.id, build, n, split, seed)
    meta |= {"left_out": tally.single, "list_items_joined": tally.joined}
    return write_sides(output, built, meta, split, skips, tally.report())


def add_to(parent: typer.Typer) -> None:
    app.command("salads")(salads)
    app.command("ordering")(ordering)
    build_chains.add_to(app)
    build_events.add_to(app)
    build_endings.add_to(app)
    parent.add_typer(app, name="build")
