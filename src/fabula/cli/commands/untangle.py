"""fabula untangle"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.chat_options import DateOrderOption
from fabula.cli.common import Reply, command
from fabula.cli.inputs import (
    InputsArgument,
    OutputOption,
    StoriesOption,
    as_named,
    packaged,
    parse_lines,
    parse_stories,
)

if TYPE_CHECKING:
    from fabula.assembly.pile import Piece
    from fabula.salads import Untangled

TogetherOption = Annotated[
    list[str] | None, typer.Option("--together", help="Lines to keep in one story, such as 3,5.")
]
ApartOption = Annotated[
    list[str] | None, typer.Option("--apart", help="Lines to keep in different stories.")
]
PreviousOption = Annotated[
    Path | None, typer.Option("--previous", help="Keep the story numbers and wishes of this JSON.")
]
WhyOption = Annotated[bool, typer.Option("--why", help="Show what pulled each sentence.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="The model; best by default.")]


@command
def untangle(
    inputs: InputsArgument,
    stories: StoriesOption = "auto",
    together: TogetherOption = None,
    apart: ApartOption = None,
    previous: PreviousOption = None,
    why: WhyOption = False,
    model: ModelOption = "best",
    output: OutputOption = None,
    date_order: DateOrderOption = None,
) -> Reply:
    """Say which story each sentence belongs to, how surely, and why."""
    from fabula.assembly.pile import pieces_of, read_pile
    from fabula.assembly.solve.structure_links import pile_structure, sentence_log_odds
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text
    from fabula.core.threads import one_blas_thread
    from fabula.errors import InputError
    from fabula.salads.stories.assignment import assign_stories
    from fabula.salads.stories.constraints import Constraints

    check_output(output, [".json"])
    pile = read_pile(*map(packaged, inputs), date_order=date_order)
    pieces = pieces_of(as_named(pile, inputs))
    sentences = [piece.sentence for piece in pieces]
    if not sentences:
        raise InputError("there is no sentence in the text given")
    before, previous_wishes = _read_previous(previous) if previous else ({}, {})
    wishes = {
        "together": parse_lines(together or [], sentences, "--together"),
        "apart": parse_lines(apart or [], sentences, "--apart"),
    }
    for kind, groups in wishes.items():  # constraints of the previous run still apply
        groups += _group_indices(previous_wishes.get(kind, []), [s.text for s in sentences])
    with one_blas_thread():
        untangled = assign_stories(
            [s.text for s in sentences],
            model,
            stories=parse_stories(stories),
            constraints=Constraints(*(tuple(map(tuple, groups)) for groups in wishes.values())),
            structure=pile_structure(pieces),
            extra_log_odds=sentence_log_odds(pieces),
            previous=before,
        )
    data = _as_json(pieces, untangled, before if previous else None)
    data |= {
        kind: [[sentences[i].text for i in group] for group in groups]
        for kind, groups in wishes.items()
    }
    if output is not None:
        write_text(output, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    return Reply(data, "\n".join(_lines(data, why)))


def _read_previous(path: Path) -> tuple[dict[str, int], dict[str, list[list[str]]]]:
    """The story number of each sentence, and which were to be kept together or apart."""
    from fabula.core.safety.checked_json import parse_json
    from fabula.errors import InputError

    try:
        data = parse_json(path.read_text(encoding="utf-8"))
        numbers = {
            s["text"]: int(story["id"]) for story in data["stories"] for s in story["sentences"]
        }
        return numbers, {kind: data.get(kind) or [] for kind in ("together", "apart")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"not an answer of untangle --json ({error})", path=path) from error


def _group_indices(groups: list[list[str]], texts: list[str]) -> list[list[int]]:
    """Groups of texts as groups of sentence indices, without sentences that are gone."""
    index_of = {text: index for index, text in enumerate(texts)}
    indices = [[index_of[text] for text in group if text in index_of] for group in groups]
    return [group for group in indices if len(group) > 1]


def _as_json(
    pieces: list[Piece], untangled: Untangled, before: dict[str, int] | None
) -> dict[str, Any]:
    from fabula.assembly.account.notes import number_notes, pile_notes
    from fabula.assembly.account.titles import story_text, title_stories
    from fabula.assembly.facts.reading import read_sentences
    from fabula.salads.api import changes

    sentences = [piece.sentence for piece in pieces]
    members: dict[int, list[int]] = {}
    for index, label in enumerate(untangled.labels):
        members.setdefault(label, []).append(index)
    readings = read_sentences([sentence.text for sentence in sentences])
    stories: dict[int, list[dict[str, Any]]] = {}
    for i, (sentence, label) in enumerate(zip(sentences, untangled.labels, strict=True)):
        stories.setdefault(label, []).append(
            {
                "text": sentence.text,
                "source": sentence.source,
                "line": sentence.line,
                "document": sentence.document,
                "paragraph": sentence.paragraph,
                "probability": round(untangled.probabilities[i], 4),
                "runner_up": untangled.runner_up[i],
                "why": [
                    {
                        "source": sentences[pull.sentence].source,
                        "line": sentences[pull.sentence].line,
                        "log_odds": pull.log_odds,
                        "shared": list(pull.shared),
                    }
                    for pull in untangled.why[i]
                ],
                "moved_without": [
                    {"source": sentences[j].source, "line": sentences[j].line}
                    for j in untangled.moved_without[i]
                ]
                if untangled.moved_without
                else [],
            }
        )
    titles = title_stories([story_text(group, pieces, readings) for group in members.values()])
    data: dict[str, Any] = {
        "stories": [
            {"id": number, "title": title, "sentences": stories[number]}
            for number, title in zip(stories, titles, strict=True)
        ],
        "contradictions": [],
        "notes": [
            *pile_notes(
                [s.text for s in sentences],
                untangled.separable,
                [str(p.sentence.source or f"document {p.document + 1}") for p in pieces],
            ),
            *number_notes(untangled.numbers),
        ],
    }
    if before is not None:
        now = {s.text: label for s, label in zip(sentences, untangled.labels, strict=True)}
        data["changes"] = changes(before, now)
    return data


def _lines(data: dict[str, Any], why: bool) -> list[str]:
    lines = []
    for story in data["stories"]:
        for s in story["sentences"]:
            flat = " ".join(s["text"].split())
            lines.append(
                f"{story['id']}\t{s['source']}:{s['line']}\t{s['probability']:.2f}\t{flat}"
            )
            if why:
                lines += [
                    f"\t\t\t  pulled by line {pull['line']}"
                    + (f" (both say {', '.join(pull['shared'])})" if pull["shared"] else "")
                    for pull in s["why"]
                ]
                if s["moved_without"]:
                    line_numbers = ", ".join(
                        str(sentence["line"]) for sentence in s["moved_without"]
                    )
                    lines.append(
                        f"\t\t\t  would go to story {s['runner_up']} without {line_numbers}"
                    )
    lines += [f"# {note}" for note in data["notes"]]
    for change in data.get("changes", []):
        lines.append(f"# was in {change['was']}, is in {change['is']}: {change['text']}")
    return lines


def add_to(app: typer.Typer) -> None:
    app.command("untangle")(untangle)
