"""fabula build event-tests, fabula build counts"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.build.common import PartOption, SplitOption, build_sides, check_items, write_sides
from fabula.cli.build.engines import EngineOptions, finish, open_plan, read_shards
from fabula.cli.common import Reply, command

if TYPE_CHECKING:
    from fabula.scale import Plan

ChainsArgument = Annotated[
    list[str],
    typer.Argument(help="Chain files (JSONL, Parquet, nachos ...), shards, stores, or texts."),
]
OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]
StoreFolder = Annotated[
    str, typer.Option("--output", "-o", metavar="PATH", help="Folder of the counts store.")
]
RecipeOption = Annotated[
    str, typer.Option("--recipe", help="narrative-cloze, lm-cloze or multiple-choice.")
]
PreparedOption = Annotated[
    str | None, typer.Option("--recipe", help="Prepare the chains as this recipe's tests are.")
]
NumberOption = Annotated[int | None, typer.Option("--n", min=1, help="At most this many tests.")]
OrderedOption = Annotated[
    bool | None, typer.Option("--ordered/--set", help="The hole's place is known, or a set.")
]
WhichOption = Annotated[str | None, typer.Option("--chains", help="all, or longest a document.")]
LeastOption = Annotated[int | None, typer.Option("--least", min=2, help="Events of a chain.")]
UniqueOption = Annotated[
    bool | None, typer.Option("--unique/--repeats", help="Each event once in a chain, or all.")
]
WithoutOption = Annotated[
    list[str] | None, typer.Option("--without", help="A verb to leave out, as be. Repeatable.")
]
FrequentOption = Annotated[
    int | None, typer.Option("--frequent-out", min=0, help="Leave out so many frequent events.")
]
HoleOption = Annotated[str | None, typer.Option("--hole", help="random, last or each.")]
SampleOption = Annotated[
    str | None, typer.Option("--sample", help="What --n draws from: chains or events.")
]
OptionsOption = Annotated[
    int | None, typer.Option("--options", min=0, help="Choose among so many; 0: rank all.")
]
SkipOption = Annotated[int, typer.Option("--skip", min=0, help="Events skipped in near pairs.")]
AppendOption = Annotated[bool, typer.Option("--append", help="Add to the store that is there.")]
MemoryOption = Annotated[int, typer.Option("--memory", min=16, help="Megabytes for pairs.")]


@command
def event_tests(
    sources: ChainsArgument,
    output: OutputFile,
    recipe: RecipeOption = "lm-cloze",
    n: NumberOption = None,
    ordered: OrderedOption = None,
    chains: WhichOption = None,
    least: LeastOption = None,
    unique: UniqueOption = None,
    without: WithoutOption = None,
    frequent_out: FrequentOption = None,
    hole: HoleOption = None,
    sample: SampleOption = None,
    options: OptionsOption = None,
    split: SplitOption = None,
    part: PartOption = None,
    seed: int = 0,
) -> Reply:
    """Take one event out of each chain; options change single switches of the recipe."""
    from dataclasses import asdict, replace

    from fabula.events.build import build_tests
    from fabula.events.formats.sources import chains_from, in_part
    from fabula.events.recipes import recipe_named

    check_items(output, split, dated=False)
    switches: dict[str, Any] = {
        "ordered": ordered,
        "chains": chains,
        "least": least,
        "unique": unique,
        "without": tuple(without) if without else None,
        "frequent_out": frequent_out,
        "hole": hole,
        "sample": sample,
        "options": options,
    }
    changed = {name: value for name, value in switches.items() if value is not None}
    test_recipe = replace(recipe_named(recipe), **changed)
    source_chains = in_part((chain for path in sources for chain in chains_from(path)), part)
    built = build_sides(
        source_chains,
        lambda chain: chain.document,
        lambda side_chains, limit: build_tests(side_chains, test_recipe, n=limit, seed=seed),
        n,
        split,
        seed,
    )
    meta = {"task": "events", "recipe": recipe, "switches": asdict(test_recipe), "seed": seed}
    meta |= {"source": sources, "part": part}
    return write_sides(output, built, meta, split, None, "")


@command
def counts(
    sources: ChainsArgument,
    target: StoreFolder,
    skip: SkipOption = 2,
    recipe: PreparedOption = None,
    part: PartOption = None,
    append: AppendOption = False,
    memory: MemoryOption = 512,
    *,
    engine: EngineOptions,
) -> Reply:
    """Count the events and pairs of chains into a store that models are trained from.

    A build that was stopped goes on where it was when the same command is given again.
    """
    from fabula.core.progress import track
    from fabula.events.counts.encoding import EncodedChains
    from fabula.events.counts.store_build import count_to_store
    from fabula.events.formats.sources import chains_from, holds_text, in_part, source_fingerprint
    from fabula.events.steps import NUMBERED
    from fabula.scale.storage import writing

    fingerprints = [*map(source_fingerprint, sources), str(part)]
    how: dict[str, Any] = {"source": fingerprints, "skip": skip, "recipe": recipe}
    how |= {"append": append, "memory": memory}
    texts = engine.engine is not None and any(map(holds_text, sources))
    options, what = {"known": fingerprints, "recipe": recipe}, "documents" if texts else "files"
    plan = open_plan(engine, target, sources, options, what)
    with writing(target) as destination:
        if plan is not None:
            pieces = [piece for source in sources for piece in _pieces(plan, source, part)]
            shards = plan.read(pieces, "pieces", max(1, len(pieces) // 500))
            encoded = plan.run(NUMBERED, shards, recipe=recipe, part=part)
            batches = (EncodedChains.from_row(row) for row in encoded.rows())
            store = count_to_store(destination.path, track(batches, "counting"), **how)
        else:
            source_chains = in_part(
                (chain for path in sources for chain in chains_from(path)), part
            )
            store = count_to_store(destination.path, track(source_chains, "counting chains"), **how)
        data = {
            "store": target,
            "chains": len(store),
            "documents": len(store.documents),
            "events": store.tokens,
            "event_types": store.types,
            "pairs_near": len(store.skip_bigrams),
            "pairs_whole": len(store.chain_pairs),
            "skip": skip,
            "recipe": recipe,
        }
        summary = f"{len(store):,} chains of {len(store.documents):,} documents"
        summary += f", {store.types:,} event types, {len(store.chain_pairs):,} different pairs"
        return finish(plan, Reply(data, f"{summary}: {target}"), destination)


def _pieces(plan: Plan, source: str, part: str | None) -> Iterator[dict[str, Any]]:
    """Units of work for counting: a chain file, or one shard of a shards folder.

    Texts are first turned into a shards folder of chains.
    """
    from fabula.core.files import fingerprint
    from fabula.events.formats.sources import holds_text
    from fabula.events.steps import CHAINS
    from fabula.scale.plan import SIZE
    from fabula.scale.shards import Shards, is_shards
    from fabula.scale.storage import absolute_location

    if holds_text(source):
        name = fingerprint([source])
        _, documents = read_shards(plan, [source], part, f"documents-{name}", SIZE)
        chain_shards = plan.run(CHAINS, documents, Shards(f"{plan.folder}/{name}.shards"))
        source = chain_shards.folder
    path = absolute_location(source)
    if is_shards(source):
        yield from ({"id": path, "path": path, "shard": n} for n in Shards(path).done())
    else:
        yield {"id": path, "path": path}


def add_to(app: typer.Typer) -> None:
    app.command("event-tests")(event_tests)
    app.command("counts")(counts)
