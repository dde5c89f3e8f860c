"""fabula split"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import InputsArgument, packaged


@command
def split(inputs: InputsArgument) -> Reply:
    """Split text into sentences, each with its file and line."""
    from dataclasses import asdict

    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    def pieces() -> Iterator[tuple[str, dict[str, Any]]]:
        """A document at a time, so that a corpus of any size passes through."""
        for document in read_documents(*map(packaged, inputs)):
            sentences = split_sentences(document)
            lines = [f"{s.source}:{s.line}\t{' '.join(s.text.split())}" for s in sentences]
            if sentences:
                yield "\n".join(lines), {"sentences": [asdict(s) for s in sentences]}

    return Reply({"sentences": []}, pieces=pieces())


def add_to(app: typer.Typer) -> None:
    app.command("split")(split)
