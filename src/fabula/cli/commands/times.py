"""fabula times"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import InputsArgument, OutputOption, packaged

if TYPE_CHECKING:
    from fabula.text.temporal.tagger import Timex
    from fabula.types import Document

DateOption = Annotated[
    str | None,
    typer.Option("--date", help="The documents' date, YYYY-MM-DD, where they have none."),
]
StrategyOption = Annotated[
    str,
    typer.Option(
        "--strategy",
        help="Tell open dates from the document's date (news), the narrative, or auto.",
    ),
]


@command
def times(
    inputs: InputsArgument,
    date: DateOption = None,
    strategy: StrategyOption = "auto",
    output: OutputOption = None,
) -> Reply:
    """Find the time expressions of texts, with their TIMEX3 types and values.

    A TimeML file (.tml) keeps the expressions it has. -o x.tml writes one document as TimeML,
    -o x.jsonl one line per expression.
    """
    from fabula.cli.outputs import check_output, make_table
    from fabula.core.files import write_text
    from fabula.errors import UsageError

    check_output(output, [".jsonl", ".tml"])
    tagged = list(_tagged(inputs, date, strategy))
    if output is not None and output.name.endswith(".tml") and len(tagged) > 1:
        raise UsageError(f"-o {output}: TimeML holds one document, and there are {len(tagged)}")
    rows = [_row(document.id, timex) for document, times_ in tagged for timex in times_]
    if output is not None:
        write_text(output, _text(tagged, rows, tml=output.name.endswith(".tml")))
    columns = ("text", "type", "value", "role", "mod")
    table = make_table(columns, [[str(row[name] or "") for name in columns] for row in rows])
    return Reply({"times": rows}, table)


def _tagged(
    inputs: list[str], date: str | None, strategy: str
) -> list[tuple[Document, list[Timex]]]:
    """Each document with its expressions; those of TimeML files as they stand there."""
    from fabula.errors import InputError
    from fabula.text.io.documents import read_documents
    from fabula.text.times import check_date, times_of_texts

    check_date(date)
    tagged: list[tuple[Document, list[Timex]]] = []
    plain: list[Document] = []
    for name in inputs:
        if name.endswith(".tml"):
            tagged.append(_read_timeml(name))
        else:
            plain += read_documents(packaged(name))
    if not tagged and not any(document.text.strip() for document in plain):
        raise InputError("there is no sentence in the text given")
    found = times_of_texts(
        [document.text for document in plain],
        [document.date or date for document in plain],
        strategy=strategy,
    )
    return tagged + list(zip(plain, found, strict=True))


def _read_timeml(name: str) -> tuple[Document, list[Timex]]:
    from pathlib import Path

    from fabula.errors import InputError
    from fabula.text.temporal.timeml import from_timeml
    from fabula.types import Document

    try:
        xml = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=name) from error
    text, found, date = from_timeml(xml, path=name)
    return Document(name, (text,), date=date, source=name), found


def _row(document: str, timex: Timex) -> dict[str, Any]:
    return {"document": document, **timex.to_row()}


def _text(
    tagged: list[tuple[Document, list[Timex]]], rows: list[dict[str, Any]], *, tml: bool
) -> str:
    from fabula.text.temporal.timeml import to_timeml

    if not tml:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    ((document, found),) = tagged
    return to_timeml(document.text, found, name=document.id, date=document.date)


def add_to(app: typer.Typer) -> None:
    app.command("times")(times)
