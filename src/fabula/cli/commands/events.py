"""fabula events"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import (
    CorefOption,
    InputsArgument,
    LeastOption,
    OutputOption,
    RuleOption,
    packaged,
)

if TYPE_CHECKING:
    from fabula.events.extract.chains import DocumentEvents
    from fabula.events.items import Chain

_WIDTH = 80


@command
def events(
    inputs: InputsArgument,
    output: OutputOption = None,
    coref: CorefOption = "best",
    rule: RuleOption = None,
    least: LeastOption = 2,
) -> Reply:
    """Show who did what, entity by entity, with the lines that say so."""
    from fabula.cli.outputs import check_output
    from fabula.core.progress import track
    from fabula.events.extract.chains import read_events
    from fabula.events.extract.rules import ExtractionRules
    from fabula.events.formats.export import FORMATS
    from fabula.text.coref import resolvers
    from fabula.text.io.documents import read_documents

    check_output(output, FORMATS)
    rules, resolver = ExtractionRules.parse(rule or []), resolvers.get(coref)()
    documents = track(read_documents(*map(packaged, inputs)), "documents")
    documents_read = _checked(read_events(documents, rules=rules, coref=resolver, least=least))
    if output is not None:
        return _write(output, documents_read)
    return Reply({"chains": [], "events": 0, "notes": []}, pieces=_pieces(documents_read))


def _checked(documents: Iterable[DocumentEvents]) -> Iterator[DocumentEvents]:
    """Pass documents through; raises at the end if none had a sentence."""
    from fabula.errors import InputError

    any_sentence = False
    for document in documents:
        any_sentence = any_sentence or bool(document.sentences)
        yield document
    if not any_sentence:
        raise InputError("there is no sentence in the text given")


def _write(output: Path, documents: Iterable[DocumentEvents]) -> Reply:
    """Stream the chains to the file; returns the count and the notes."""
    from fabula.events.formats.export import export_chains

    data: dict[str, Any] = {"output": str(output), "events": 0, "notes": []}

    def chains() -> Iterator[Chain]:
        for document in documents:
            data["events"] += document.verbs
            data["notes"] += document.notes
            yield from document.chains

    data["written"] = export_chains(output, chains())
    lines = [f"{data['written']} chains written to {output}", *_notes(data["notes"])]
    return Reply(data, "\n".join(lines))


def _pieces(documents: Iterator[DocumentEvents]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One document after another, shown as soon as it is read; headed if there are several."""
    first = list(islice(documents, 2))
    for document in chain(first, documents):
        lines = [*_lines(document, len(first) > 1), *_notes(document.notes)]
        data = {
            "chains": [entity_chain.to_row() for entity_chain in document.chains],
            "events": document.verbs,
            "notes": list(document.notes),
        }
        yield "\n".join(lines), data


def _notes(notes: Iterable[str]) -> list[str]:
    return [f"# {note}" for note in notes]


def _lines(document: DocumentEvents, several: bool) -> list[str]:
    """A document as text lines: each entity, then its events with their source sentences."""
    lines = [document.document, "=" * min(len(document.document), _WIDTH), ""] if several else []
    if not document.chains and document.verbs:
        lines += [f"{document.verbs} events, and nobody takes part in two of them.", ""]
    for entity_chain in document.chains:
        count = len(entity_chain.events)
        lines.append(f"{entity_chain.entity} ({count} event{'s' if count > 1 else ''})")
        for event in entity_chain.events:
            lines += _event_lines(event, entity_chain.entity, document)
        lines.append("")
    return lines


def _event_lines(event: Any, entity: str, document: DocumentEvents) -> list[str]:
    sentence = document.sentences[event.sentence]
    quoted = f"line {sentence.line}: {' '.join(sentence.text.split())}"
    return [
        *textwrap.wrap(
            _phrase(event, entity), _WIDTH, initial_indent="  ", subsequent_indent="      "
        ),
        textwrap.shorten(quoted, _WIDTH - 6, placeholder=" ...").join(["      ", ""]),
    ]


def _phrase(event: Any, entity: str) -> str:
    """``the police arrest JON in Rome``: the event in one line, the entity in capitals."""
    shown = {
        slot: name.upper()
        if slot == event.slot and name == entity and slot not in event.unsure
        else event.shown(slot)
        for slot, name in (event.args or {}).items()
    }
    verb = event.verb.replace("_", " ")
    words = [shown.get("subj") or shown.get("agent") or "somebody"]
    if "subj" not in shown and "agent" not in shown and not ({"obj", "nsubjpass"} & shown.keys()):
        words = ["..."]
    words += ["did not", verb] if event.negated else [verb]
    words += [shown[slot] for slot in ("iobj", "obj", "nsubjpass") if slot in shown]
    for slot, name in shown.items():
        if slot.startswith("prep"):
            words += [slot.removeprefix("prep").strip("_").replace("_", " "), name]
    phrase = " ".join(word for word in words if word)
    standing = event.modality or ("reported" if event.reported else "")
    if event.reported:
        standing = f"says {event.said_by}" if event.said_by else "reported"
        standing = f"{event.modality}, {standing}" if event.modality else standing
    return f"{phrase} [{standing}]" if standing else phrase


def add_to(app: typer.Typer) -> None:
    app.command("events")(events)
