"""What "assemble" does with a whole corpus: a folder as output, or a folder of stories as input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.build.engines import EngineOptions, identify
from fabula.cli.common import Reply
from fabula.errors import UsageError

if TYPE_CHECKING:
    from fabula.types import Document

__all__ = [
    "CorpusOptions",
    "assemble_to_folder",
    "is_assembled",
    "is_folder",
    "limited",
    "list_stories",
    "refuse_in_corpus",
    "story_of",
]

MOST_DOCUMENTS = 2_000  # distinct ones of a pile: every two of them are compared
_LISTED = 20


@dataclass(frozen=True, slots=True)
class CorpusOptions(EngineOptions):
    """Options of a corpus: the engine, and the story of a folder to give an account of."""

    story: Annotated[
        int | None,
        typer.Option("--story", min=1, help="Of an assembled corpus: the account of this story."),
    ] = None


def is_folder(output: Path | None) -> bool:
    """Whether an output is to be a folder: it is one, or its name has no suffix."""
    return output is not None and (output.is_dir() or not output.suffix)


def assemble_to_folder(
    inputs: Sequence[str],
    output: Path,
    options: CorpusOptions,
    *,
    date_order: str | None = None,
    previous: Path | None = None,
) -> Reply:
    """Assemble any number of documents into a folder."""
    from importlib.util import find_spec

    from fabula.assembly.corpus.api import assemble_corpus
    from fabula.assembly.corpus.store import is_corpus
    from fabula.assembly.pile import read_pile
    from fabula.scale import Engine
    from fabula.text.io.streams import Skips

    for name in inputs:
        if is_corpus(name):
            raise UsageError(
                f"{name} is an assembled corpus; give new documents with --previous {name}"
            )
    skips = Skips()
    name = options.engine or ("native" if find_spec("daft") else "serial")
    engine = Engine(name=name, address=options.address, workers=options.workers)
    engine.check()
    before = [] if previous is None else [f"previous {previous.resolve()}"]
    answer = assemble_corpus(
        read_pile(*inputs, skips=skips, date_order=date_order),
        output,
        engine=engine,
        work=options.work,
        identity=[*before, *(part for source in inputs for part in identify(source))],
        previous=previous,
        notes=skips.notes,
    )
    return Reply(dict(answer.report), answer.summary())


def list_stories(folder: str) -> Reply:
    """The largest stories of an assembled corpus."""
    from fabula.assembly.corpus.store import read_marker, read_stories
    from fabula.cli.outputs import make_table

    marker, stories = read_marker(folder), read_stories(folder)
    rows = [
        [
            str(s["story"]),
            str(s["documents"]),
            s["first_date"] or "",
            s["last_date"] or "",
            s["title"],
        ]
        for s in stories[:_LISTED]
    ]
    title = f"{folder}: {marker['documents']:,} documents, {len(stories):,} stories; the largest"
    table = make_table(["story", "documents", "first", "last", "title"], rows, title)
    return Reply({"folder": folder, "stories": stories}, table)


def limited(documents: Iterator[Document]) -> Iterator[Document]:
    """The documents; an error where there are more than a pile can hold.

    Messages of chats and copies of a text are not counted.
    """
    seen: set[int] = set()
    for document in documents:
        if not document.extra.get("chat"):
            seen.add(hash(document.paragraphs))
        if len(seen) > MOST_DOCUMENTS:
            raise UsageError(
                f"there are more than {MOST_DOCUMENTS:,} documents, which is a corpus: "
                "name a folder for its stories, such as -o stories"
            )
        yield document


def refuse_in_corpus(**given: Any) -> None:
    """Raise on options of small piles that a corpus does not take."""
    for name, value in given.items():
        if value:
            raise UsageError(f"--{name} is not for a folder as output (-o FOLDER)")


def is_assembled(inputs: Sequence[str]) -> bool:
    """Whether the one input is a folder of an assembled corpus."""
    from fabula.assembly.corpus.store import is_corpus

    return len(inputs) == 1 and is_corpus(inputs[0])


def story_of(inputs: Sequence[str], story: int | None) -> Any:
    """The account of a story of the corpus given; None where the input is no corpus."""
    if story is None:
        return None
    if not is_assembled(inputs):
        raise UsageError("--story takes one folder of an assembled corpus as the input")
    from fabula.assembly.corpus.account import story_account

    return story_account(inputs[0], story)
