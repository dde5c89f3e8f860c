"""fabula build event-tests, fabula build counts"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.build.common import PartOption, SplitOption, build_sides, check_items, write_sides
from fabula.cli.build.engines import EngineOptions, finish, open_build, read_rows
from fabula.cli.common import Reply, command

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

    def tests(side_chains: Iterable[Any], limit: int | None) -> Iterable[Any]:
        return (t.to_row() for t in build_tests(side_chains, test_recipe, n=limit, seed=seed))

    built = build_sides(source_chains, lambda chain: chain.document, tests, n, split, seed)
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
    from fabula.events.formats.sources import holds_text, source_fingerprint
    from fabula.events.steps import NUMBERED
    from fabula.scale.storage import writing

    fingerprints = [*map(source_fingerprint, sources), str(part)]
    how: dict[str, Any] = {"source": fingerprints, "skip": skip, "recipe": recipe}
    how |= {"append": append, "memory": memory}
    what = "documents" if any(map(holds_text, sources)) else "files"
    options = {"known": fingerprints, "recipe": recipe}
    build = open_build(engine, target, sources, options, what)
    with writing(target) as destination:
        pieces = (piece for source in sources for piece in _pieces(build, source, part))
        rows = build.read(pieces, "pieces", most=500)
        encoded = build.run(NUMBERED, rows, recipe=recipe, part=part)
        batches = (EncodedChains.from_row(row) for row in encoded.rows())
        store = count_to_store(destination.path, track(batches, "counting"), **how)
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
        return finish(build, Reply(data, f"{summary}: {target}"), destination)


def _pieces(build: Any, source: str, part: str | None) -> Any:
    """Units of work for counting: a chain file, or one shard of a shards folder.

    Of texts the chains are made first.
    """
    from fabula.core.files import fingerprint
    from fabula.events.formats.sources import holds_text
    from fabula.events.steps import CHAINS
    from fabula.scale.plan import SIZE

    if not holds_text(source):
        return build.refer(source)
    name = fingerprint([source])
    _, documents = read_rows(build, [source], part, name=f"documents-{name}", size=SIZE)
    return build.refer(build.run(CHAINS, documents, f"{name}.shards"))


def add_to(app: typer.Typer) -> None:
    app.command("event-tests")(event_tests)
    app.command("counts")(counts)
