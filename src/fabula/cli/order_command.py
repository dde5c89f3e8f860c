"""fabula order"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import OutputOption, packaged

LEVELS = ("line", "sentence", "paragraph")
LevelOption = Annotated[str, typer.Option("--level", help="What a unit is: " + ", ".join(LEVELS))]
InputArgument = Annotated[str, typer.Argument(help="A file, or - for standard input.")]


@command
def order(
    input_: InputArgument, level: LevelOption = "sentence", output: OutputOption = None
) -> Reply:
    """Put shuffled lines, sentences or paragraphs in order."""
    from fabula.cli.outputs import check_output
    from fabula.errors import InputError, UsageError
    from fabula.files import write_text
    from fabula.ordering import order as run
    from fabula.text.documents import read_documents
    from fabula.text.sentences import split_sentences

    if level not in LEVELS:
        raise UsageError(f"--level takes {', '.join(LEVELS)}; it is {level!r}")
    check_output(output, [".json", ".txt"])
    documents = list(read_documents(packaged(input_)))
    paragraphs = [paragraph for document in documents for paragraph in document.paragraphs]
    if level == "paragraph":
        units = paragraphs
    elif level == "line":
        units = [line for p in paragraphs for line in p.splitlines() if line.strip()]
    else:
        units = [s.text for document in documents for s in split_sentences(document)]
    if not units:
        raise InputError("there is nothing to order in the text given")
    found = run(units)
    data = {
        "units": [units[i] for i in found.order],
        "order": list(found.order),
        "confidence": round(found.confidence, 4),
    }
    text = ("\n\n" if level == "paragraph" else "\n").join(units[i] for i in found.order) + "\n"
    if output is not None:
        as_json = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        write_text(output, as_json if output.suffix == ".json" else text)
    return Reply(data, text)


def add_to(app: typer.Typer) -> None:
    app.command("order")(order)
