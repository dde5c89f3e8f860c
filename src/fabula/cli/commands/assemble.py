"""fabula assemble"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.chat_options import DateOrderOption
from fabula.cli.common import Reply, command
from fabula.cli.corpus import (
    CorpusOptions,
    assemble_to_folder,
    is_assembled,
    is_folder,
    limited,
    list_stories,
    refuse_in_corpus,
    story_of,
)
from fabula.cli.inputs import (
    SAMPLE,
    InputsArgument,
    OutputOption,
    StoriesOption,
    as_named,
    packaged,
    parse_stories,
)

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
AllOption = Annotated[
    bool, typer.Option("--all", help="Also show contradictions likelier false than true.")
]


@command
def assemble(
    inputs: InputsArgument,
    corpus: CorpusOptions,
    output: OutputOption = None,
    stories: StoriesOption = "auto",
    corrections: CorrectionsOption = None,
    previous: PreviousOption = None,
    query: QueryOption = None,
    solution: SolutionOption = None,
    date: DateOption = None,
    date_order: DateOrderOption = None,
    all_contradictions: AllOption = False,
) -> Reply:
    """Turn a pile of mixed reports into separate, ordered accounts.

    A folder as output (-o FOLDER) takes any number of documents: the stories of a whole corpus,
    each account made when it is asked for (assemble FOLDER --story 3 -o story.html).
    """
    if output is not None and is_folder(output):
        refuse_in_corpus(
            stories=stories != "auto", corrections=corrections, query=query, solution=solution,
            date=date, story=corpus.story,
        )  # fmt: skip
        given = [packaged(name) for name in inputs]
        return assemble_to_folder(given, output, corpus, date_order=date_order, previous=previous)
    if corpus.story is None and is_assembled(inputs) and output is None:
        return list_stories(inputs[0])
    from fabula.assembly import assemble as run
    from fabula.assembly.pile import read_pile
    from fabula.assembly.render.files import SUFFIXES, write_assembly
    from fabula.assembly.render.formats import to_json
    from fabula.assembly.render.terminal import to_terminal
    from fabula.assembly.score import score_assembly
    from fabula.cli.outputs import check_output
    from fabula.text.io.streams import Skips

    check_output(output, SUFFIXES)
    skips = Skips()
    pile = as_named(read_pile(*map(packaged, inputs), skips=skips, date_order=date_order), inputs)
    assembly = story_of(inputs, corpus.story) or run(
        limited(pile),
        stories=parse_stories(stories),
        corrections=corrections,
        previous=previous,
        query=query,
        date=date,
        all_contradictions=all_contradictions,
    )
    assembly = replace(assembly, notes=(*assembly.notes, *skips.notes()))
    data, score_text = to_json(assembly), ""
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
        write_assembly(assembly, output, data=data, score=score_text)
    return Reply(data, _with_footer(to_terminal(assembly), score_text, output))


def _with_footer(stories: object, score_text: str, output: Path | None) -> object:
    from rich.console import Group

    footer = (
        [score_text[0].upper() + score_text[1:]] if score_text else []
    )  # capitalize() would say "ca"
    return Group(stories, *footer, *([f"Written to {output}"] if output else []))  # type: ignore[arg-type]


def add_to(app: typer.Typer) -> None:
    app.command("assemble")(assemble)
