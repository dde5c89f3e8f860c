"""fabula split"""

from __future__ import annotations

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import InputsArgument, packaged


@command
def split(inputs: InputsArgument) -> Reply:
    """Split text into sentences, each with its file and line."""
    from dataclasses import asdict

    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    documents = read_documents(*map(packaged, inputs))
    sentences = [s for document in documents for s in split_sentences(document)]
    lines = [f"{s.source}:{s.line}\t{' '.join(s.text.split())}" for s in sentences]
    return Reply({"sentences": [asdict(s) for s in sentences]}, "\n".join(lines))


def add_to(app: typer.Typer) -> None:
    app.command("split")(split)
