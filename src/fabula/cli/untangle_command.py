"""fabula untangle"""

from __future__ import annotations

import json
from typing import Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import InputsArgument, OutputOption, StoriesOption, packaged, parse_stories


@command
def untangle(
    inputs: InputsArgument, stories: StoriesOption = "auto", output: OutputOption = None
) -> Reply:
    """Say which story each sentence belongs to."""
    from fabula.assembly import doubts
    from fabula.assembly.titles import title_stories
    from fabula.cli.outputs import check_output
    from fabula.errors import InputError
    from fabula.files import write_text
    from fabula.salads import untangle as run
    from fabula.text.documents import read_documents
    from fabula.text.sentences import split_sentences

    check_output(output, [".json"])
    documents = read_documents(*map(packaged, inputs))
    sentences = [s for document in documents for s in split_sentences(document)]
    if not sentences:
        raise InputError("there is no sentence in the text given")
    given = [s.text for s in sentences]
    grouping = run(given, stories=parse_stories(stories))
    found: dict[int, list[dict[str, Any]]] = {}
    for sentence, label, sure in zip(
        sentences, grouping.labels, grouping.probabilities, strict=True
    ):
        found.setdefault(label, []).append(
            {
                "text": sentence.text,
                "source": sentence.source,
                "line": sentence.line,
                "probability": round(sure, 4),
            }
        )
    titles = title_stories([[s["text"] for s in story] for story in found.values()])
    data: dict[str, Any] = {
        "stories": [
            {"id": number, "title": title, "sentences": story}
            for number, (title, story) in enumerate(zip(titles, found.values(), strict=True), 1)
        ],
        "contradictions": [],
        "notes": doubts(given, grouping),
    }
    if output is not None:
        write_text(output, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    lines = [
        f"{story['id']}\t{s['source']}:{s['line']}\t{s['probability']:.2f}\t{s['text']}"
        for story in data["stories"]
        for s in story["sentences"]
    ]
    return Reply(data, "\n".join(lines))


def add_to(app: typer.Typer) -> None:
    app.command("untangle")(untangle)
