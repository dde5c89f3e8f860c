"""fabula assemble"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import (
    SAMPLE,
    InputsArgument,
    OutputOption,
    StoriesOption,
    packaged,
    parse_stories,
)

if TYPE_CHECKING:
    from fabula.assembly import Assembly

SolutionOption = Annotated[
    Path | None, typer.Option("--solution", help="Score against this solution (JSON).")
]


CorrectionsOption = Annotated[
    Path | None, typer.Option("--corrections", help="Replay these corrections (JSON).")
]
PreviousOption = Annotated[
    Path | None,
    typer.Option("--previous", help="Keep the story numbers of this JSON; say what changed."),
]
QueryOption = Annotated[
    str | None, typer.Option("--query", help="Show the account in which this happens.")
]


DateOption = Annotated[
    str | None, typer.Option("--date", help="The day of writing of undated text (YYYY-MM-DD).")
]


@command
def assemble(
    inputs: InputsArgument,
    output: OutputOption = None,
    stories: StoriesOption = "auto",
    corrections: CorrectionsOption = None,
    previous: PreviousOption = None,
    query: QueryOption = None,
    solution: SolutionOption = None,
    date: DateOption = None,
) -> Reply:
    """Turn a pile of mixed reports into separate, ordered accounts."""
    from fabula.assembly import assemble as run
    from fabula.assembly.pile import read_pile
    from fabula.assembly.render import formats as render
    from fabula.assembly.render.timeline_files import TIMELINE_FORMATS
    from fabula.assembly.score import score_assembly
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text
    from fabula.text.io.streams import Skips

    check_output(output, [".html", ".json", ".md", *TIMELINE_FORMATS])
    skips = Skips()
    assembly = run(
        read_pile(*map(packaged, inputs), skips=skips),
        stories=parse_stories(stories),
        corrections=corrections,
        previous=previous,
        query=query,
        date=date,
    )
    assembly = replace(assembly, notes=(*assembly.notes, *skips.notes()))
    data, score_text = render.to_json(assembly), ""
    if solution is None and inputs == ["tangled"]:
        solution = SAMPLE / "tangled.solution.json"
    if solution is not None:
        data["score"] = score = score_assembly(assembly, solution)
        score_text = (
            f"against the solution: CA {score['CA']:.3f}, tau {score['tau']:.3f}, "
            f"{score['stories']:.0f} stories of {score['stories_right']:.0f}"
        )
        if "planted" in score:
            score_text += (
                f", {score['found']:.0f} of {score['planted']:.0f} contradictions found, "
                f"{score['false']:.0f} false"
            )
    if output is not None:
        write_text(output, _file_text(output, assembly, data, score_text))
    return Reply(data, _with_footer(render.to_terminal(assembly), score_text, output))


def _file_text(output: Path, assembly: Assembly, data: dict[str, Any], score_text: str) -> str:
    """The file by its suffix: the timeline's formats, JSON, Markdown or HTML."""
    from fabula.assembly.render import formats as render
    from fabula.assembly.render.timeline_files import TIMELINE_FORMATS

    for ending, to_text in TIMELINE_FORMATS.items():
        if output.name.endswith(ending):
            return to_text(assembly)
    suffix = output.suffix
    if suffix == ".json":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    return (
        render.to_markdown(assembly)
        if suffix == ".md"
        else render.to_html(assembly, score=score_text or None)
    )


def _with_footer(stories: object, score_text: str, output: Path | None) -> object:
    from rich.console import Group

    footer = (
        [score_text[0].upper() + score_text[1:]] if score_text else []
    )  # capitalize() would say "ca"
    return Group(stories, *footer, *([f"Written to {output}"] if output else []))  # type: ignore[arg-type]


def add_to(app: typer.Typer) -> None:
    app.command("assemble")(assemble)
