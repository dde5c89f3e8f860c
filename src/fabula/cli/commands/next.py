"""fabula next"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply, command

if TYPE_CHECKING:
    from fabula.events.api import Expectation
    from fabula.events.items import Chain

ChainsArgument = Annotated[
    list[str], typer.Argument(help="Chain files, or - for JSONL; VERB->SLOT words are a chain.")
]
TopOption = Annotated[int, typer.Option("--top", min=1, help="Predictions for each chain.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="A name, a folder, or best.")]
HoleOption = Annotated[
    int | None, typer.Option("--hole", min=0, help="Known events before the missing one. [all]")
]


@command
def next_(
    chains: ChainsArgument,
    top: TopOption = 10,
    model: ModelOption = "best",
    hole: HoleOption = None,
) -> Reply:
    """Say which event likely follows each chain, or is missing at a place in it."""
    from fabula.errors import InputError
    from fabula.events.api import predict_events
    from fabula.registry import create_model

    chosen = create_model("events", model)
    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for chain in _read(chains):
        if not chain.events:
            continue
        expectation = predict_events(chain, hole=hole, top=top, model=chosen)
        data.append(_as_json(chain, expectation))
        lines += [*_lines(chain, expectation), ""]
    if not data:
        raise InputError("there is no chain to go on from", path=chains[0])
    return Reply({"model": model, "chains": data}, "\n".join(lines))


def _read(sources: list[str]) -> Any:
    from fabula.events.formats.sources import chains_from
    from fabula.events.items import Chain, Event

    if all("->" in source for source in sources):  # a chain typed as it is
        words = [word.partition("->") for source in sources for word in source.split()]
        yield Chain("given", "X", tuple(Event(verb, slot) for verb, _, slot in words))
        return
    for source in sources:
        yield from chains_from(source)


def _as_json(chain: Chain, expectation: Expectation) -> dict[str, Any]:
    return {
        "document": chain.document,
        "entity": chain.entity,
        "events": [str(event) for event in chain.events],
        "predictions": [
            {
                "event": expected.event.to_row(),
                "score": expected.score,
                "lift": expected.lift,
                "only_frequency": expected.only_frequency,
                "support": list(expected.support),
            }
            for expected in expectation.events
        ],
        "warning": expectation.warning,
    }


def _lines(chain: Chain, expectation: Expectation) -> list[str]:
    context = " ".join(map(str, chain.events))
    lines = [f"{chain.document}, {chain.entity}: {context} ..."]
    width = max((len(str(expected.event)) for expected in expectation.events), default=0)
    for expected in expectation.events:
        why = "; ".join(expected.support)
        note = "only frequency" if expected.only_frequency else f"lift {expected.lift:.1f}"
        shown = str(expected.event).ljust(width)
        lines.append(f"  {expected.score:9.3f}  {shown}  {note}" + (f"  [{why}]" if why else ""))
    return [*lines, *([f"# {expectation.warning}"] if expectation.warning else [])]


def add_to(app: typer.Typer) -> None:
    app.command("next")(next_)
