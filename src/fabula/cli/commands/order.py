"""fabula order"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import OutputOption, packaged, parse_pair, parse_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabula.ordering import Order, Text
    from fabula.ordering.decoding.constraints import OrderConstraints

LEVELS = ("line", "sentence", "paragraph")
LevelOption = Annotated[str, typer.Option("--level", help="What a unit is: " + ", ".join(LEVELS))]
InputArgument = Annotated[
    str, typer.Argument(help="A file, - for standard input, or built items: each is ordered.")
]
FirstOption = Annotated[int | None, typer.Option("--first", help="This unit is the first.")]
LastOption = Annotated[int | None, typer.Option("--last", help="This unit is the last.")]
BeforeOption = Annotated[
    list[str] | None,
    typer.Option("--before", help="2,5: unit 2 stands before unit 5. Repeatable."),
]
BlockOption = Annotated[
    list[str] | None,
    typer.Option("--block", help="3-5 or 3,7: these units stand side by side. Repeatable."),
]
ModelOption = Annotated[str, typer.Option("--model", help="A model's name, best, or a folder.")]
DecoderOption = Annotated[
    str | None,
    typer.Option(
        "--decoder",
        help="best, kemeny, search, beam or held-karp. Or --model pairwise:walk, pairwise:chances.",
    ),
]
DiffOption = Annotated[bool, typer.Option("--diff", help="Say what moves where, not the text.")]
ScoreOption = Annotated[
    bool, typer.Option("--score", help="Rate the text as it stands; name the moves that help.")
]
MovesOption = Annotated[int, typer.Option("--moves", min=0, help="With --score: moves to name.")]


ByOption = Annotated[
    str,
    typer.Option("--by", help="telling: as the text stood. time: as things happened."),
]
DateOption = Annotated[
    str | None, typer.Option("--date", help="With --by time: the day of writing, YYYY-MM-DD.")
]


@command
def order(
    input_: InputArgument,
    level: LevelOption = "sentence",
    by: ByOption = "telling",
    date: DateOption = None,
    first: FirstOption = None,
    last: LastOption = None,
    before: BeforeOption = None,
    block: BlockOption = None,
    model: ModelOption = "best",
    decoder: DecoderOption = None,
    diff: DiffOption = False,
    score: ScoreOption = False,
    moves: MovesOption = 3,
    output: OutputOption = None,
) -> Reply:
    """Put shuffled lines, sentences or paragraphs in order.

    Units are counted from 1, as they stand in the input.
    """
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text
    from fabula.errors import InputError, UsageError
    from fabula.ordering import order as run
    from fabula.ordering.decoding.constraints import OrderConstraints
    from fabula.ordering.moves import describe_moves
    from fabula.text.segment.language import looks_english

    texts = _items(input_)
    if texts is not None:
        if first or last or before or block or diff or score or by != "telling":
            raise UsageError(
                "constraints, --by, --diff and --score are for one text; these are items"
            )
        return _order_items(texts, model, decoder, output)
    check_output(output, [".json", ".txt"])
    units = _units(input_, level)
    if not units:
        raise InputError("there is nothing to order in the text given")
    pairs = [parse_pair(text, "--before") for text in before or []]
    constraints = OrderConstraints.of(
        None if first is None else first - 1,
        None if last is None else last - 1,
        [(earlier - 1, later - 1) for earlier, later in pairs],
        [_block(text) for text in block or []],
    )
    more: dict[str, Any] = {}
    if by == "time" and decoder is None:
        ordered, more = _by_time(units, date, model, constraints)
    else:
        ordered = run(
            units,
            by=by,
            date=date,
            model=model,
            first=constraints.first,
            last=constraints.last,
            before=constraints.before,
            blocks=constraints.blocks,
            decoder=decoder,
        )
    data = {**_as_json(units, ordered), **more}
    text = ("\n\n" if level == "paragraph" else "\n").join(units[i] for i in ordered.order) + "\n"
    shown = text
    if score:
        data["coherence"], shown = _coherence(units, ordered, moves, constraints)
    elif diff:
        moved = describe_moves(units, ordered.order)
        data["diff"] = moved.splitlines()
        shown = moved + _confidence_line(ordered)
    if not looks_english(" ".join(units)):
        data["notes"] = ["The text does not look English; fabula reads English only."]
        typer.echo(f"# {data['notes'][0]}", err=True)
    if output is not None:
        as_json = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        write_text(output, as_json if output.suffix == ".json" else text)
    return Reply(data, shown)


def _by_time(
    units: list[str], date: str | None, model: str, constraints: OrderConstraints
) -> tuple[Order, dict[str, Any]]:
    """The order of happening; when each unit happened, and the runs of unknown order."""
    from fabula.ordering import Order
    from fabula.ordering.api import order_by_time
    from fabula.ordering.chronology.story_time import edtf_when

    chronology = order_by_time(units, date, model, constraints)
    return Order(chronology.order, chronology.before), {
        "when": [edtf_when(chronology.times[i]) for i in chronology.order],
        "source": [chronology.times[i].source or None for i in chronology.order],
        "unknown": [list(range(first, last)) for first, last in chronology.unknown],
    }


def _as_json(units: Sequence[str], ordered: Order) -> dict[str, Any]:
    return replace(ordered, units=tuple(units)).to_dict()


def _items(input_: str) -> list[Text] | None:
    """The texts of a file written by ``fabula build ordering``; None for any other file."""
    from fabula.ordering import read_texts
    from fabula.text.io.records import read_records
    from fabula.text.io.streams import split_name

    path = packaged(input_)
    if path == "-" or split_name(path)[1] not in (".jsonl", ".parquet") or not Path(path).is_file():
        return None
    first = next(read_records(path), None)
    return list(read_texts(path)) if first is not None and "units" in first.data else None


def _order_items(texts: list[Text], model: str, decoder: str | None, output: Path | None) -> Reply:
    """Order each text separately: one JSON line per text, or its units line by line."""
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text
    from fabula.core.progress import track
    from fabula.errors import UsageError
    from fabula.ordering import order as run
    from fabula.registry import create_model

    check_output(output, [".jsonl"])
    ordering_model = create_model("ordering", model)
    rows = []
    for text in track(texts, "ordering texts"):
        try:
            ordered = run(text.units, model=ordering_model, decoder=decoder)
        except UsageError as error:
            raise UsageError(f"text {text.id!r}: {error}") from error
        rows.append({"id": text.id, **_as_json(text.units, ordered)})
    if output is not None:
        write_text(output, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    shown = "\n\n".join("\n".join([f"# {row['id']}", *row["units"]]) for row in rows)
    return Reply({"texts": rows}, shown)


def _units(input_: str, level: str) -> list[str]:
    from fabula.errors import UsageError
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    if level not in LEVELS:
        raise UsageError(f"--level takes {', '.join(LEVELS)}; it is {level!r}")
    documents = list(read_documents(packaged(input_)))
    paragraphs = [paragraph for document in documents for paragraph in document.paragraphs]
    if level == "paragraph":
        return paragraphs
    if level == "line":
        return [line for p in paragraphs for line in p.splitlines() if line.strip()]
    return [s.text for document in documents for s in split_sentences(document)]


def _block(text: str) -> list[int]:
    units: list[int] = []
    for part in text.split(","):
        least, most = parse_range(part.strip(), "--block")
        units += range(least - 1, most)
    return units


def _coherence(
    units: list[str], ordered: Order, limit: int, constraints: OrderConstraints
) -> tuple[dict[str, Any], str]:
    from fabula.ordering.coherence import rate
    from fabula.ordering.moves import shorten

    rated = rate(ordered, limit, constraints)
    lines = [
        f"coherence as it stands: {rated.score:.3f} (a shuffled text has .5); "
        f"in the best order found: {rated.best:.3f}"
    ]
    current = list(range(len(units)))
    moves = []
    for move in rated.moves:
        current.insert(move.end, current.pop(move.start))
        after = current[move.end - 1] + 1 if move.end else None
        destination = f"after {after}" if after else "to the beginning"
        lines.append(
            f"move {move.unit + 1} {destination}: {move.score:.3f}  {shorten(units[move.unit])}"
        )
        moves.append({"unit": move.unit, "to": move.end, "score": round(move.score, 4)})
    if limit and not moves:
        lines.append("no single move would make it better")
    data = {"score": round(rated.score, 4), "best": round(rated.best, 4), "moves": moves}
    return data, "\n".join(lines)


def _confidence_line(ordered: Order) -> str:
    if len(ordered.order) < 2:
        return ""
    weakest = min(range(len(ordered.neighbours)), key=ordered.neighbours.__getitem__)
    earlier, later = ordered.order[weakest] + 1, ordered.order[weakest + 1] + 1
    return (
        f"\nconfidence {ordered.confidence:.2f}; least sure that {earlier} stands before {later} "
        f"({ordered.neighbours[weakest]:.2f})"
    )


def add_to(app: typer.Typer) -> None:
    app.command("order")(order)
