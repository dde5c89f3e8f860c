"""Actors and events: an assembly in, GraphML, CSV, JSON-LD or FollowTheMoney text out."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as xml

from fabula.assembly.render.timeline_files import as_cell
from fabula.assembly.types import Assembly
from fabula.types import Actor, Deed, Narrative, Placed

__all__ = [
    "GRAPH_FORMATS",
    "to_actors_csv",
    "to_events_csv",
    "to_ftm",
    "to_graphml",
    "to_jsonld",
]

_DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d)?)?)?")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CERTAIN_ROLES = ("doer", "undergoer")
_SCHEMA = {"person": "Person", "organisation": "Organization"}


def _date(when: str | None) -> str | None:
    """The start of an EDTF date that is certain, as ISO 8601; None for a guess."""
    first = (when or "").split("/")[0]
    return first if _DAY.fullmatch(first) else None


def _events(assembly: Assembly) -> Iterator[tuple[str, Narrative, Placed, Deed]]:
    """Each deed with an id of its own, its story and its sentence."""
    for story in assembly.stories:
        for number, deed in enumerate(story.deeds, 1):
            yield f"s{story.id}-e{number}", story, story.sentences[deed.position - 1], deed


def _actors(assembly: Assembly) -> Iterator[tuple[str, Narrative, Actor]]:
    for story in assembly.stories:
        for number, actor in enumerate(story.actors, 1):
            yield f"s{story.id}-a{number}", story, actor


def _roles(assembly: Assembly) -> Iterator[tuple[str, str, str]]:
    """(event, actor, role): doer, undergoer, either of them perhaps, or named in the sentence."""
    actors = list(_actors(assembly))
    for event, story, _, deed in _events(assembly):
        for identifier, other, actor in actors:
            if other.id != story.id:
                continue
            names = {actor.name, *actor.aliases}
            if role := _role(deed, names):
                yield event, identifier, role
            elif deed.position in actor.positions:
                yield event, identifier, "named"


def _role(deed: Deed, names: set[str]) -> str:
    """The role of who has these names in a deed; empty if none."""
    for role, actor, words in (
        ("doer", deed.doer, deed.subject),
        ("undergoer", deed.undergoer, deed.object),
    ):
        if {actor, words} & names:
            doubtful = any(f"({name}?)" in words for name in names)
            return f"perhaps {role}" if doubtful else role
    return ""


def _label(deed: Deed) -> str:
    verb = f"not {deed.verb}" if deed.negated else deed.verb
    return " ".join(filter(None, (deed.subject, verb, deed.object)))


def to_graphml(assembly: Assembly) -> str:
    """GraphML: actors and events are nodes; an edge leads from an actor to its event."""
    root = xml.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    for key, domain in (
        ("kind", "node"), ("label", "node"), ("story", "node"), ("text", "node"), ("date", "node"),
        ("source", "node"), ("standing", "node"), ("role", "edge"),
    ):  # fmt: skip
        attributes = {"id": key, "for": domain, "attr.name": key, "attr.type": "string"}
        xml.SubElement(root, "key", attributes)
    graph = xml.SubElement(root, "graph", id="assembly", edgedefault="directed")

    def node(identifier: str, **data: object) -> None:
        element = xml.SubElement(graph, "node", id=identifier)
        _data(element, data)

    for identifier, story, actor in _actors(assembly):
        kind = actor.kind or "actor"
        node(identifier, kind=kind, label=actor.name, story=story.id)
    for identifier, story, placed, deed in _events(assembly):
        node(
            identifier, kind="event", label=_label(deed), story=story.id, date=placed.when or "",
            text=placed.sentence.text, standing=deed.standing,
            source=f"{placed.sentence.source or 'text'}:{placed.sentence.line}",
        )  # fmt: skip
    for event, actor_id, role in _roles(assembly):
        _data(xml.SubElement(graph, "edge", source=actor_id, target=event), {"role": role})
    xml.indent(root, " ")
    return xml.tostring(root, encoding="unicode") + "\n"


def _data(element: xml.Element, values: dict[str, object]) -> None:
    for key, value in values.items():
        xml.SubElement(element, "data", key=key).text = _NO_XML.sub("\ufffd", str(value))


_ACTOR_COLUMNS = (
    "id", "story", "title", "name", "kind", "aliases", "positions", "does", "undergoes",
)  # fmt: skip
_EVENT_COLUMNS = (
    "id", "story", "title", "position", "date", "verb", "subject", "object", "doer", "undergoer",
    "doer_id", "undergoer_id", "negated", "standing", "said_by", "certain", "text", "document",
    "line",
)  # fmt: skip


def to_actors_csv(assembly: Assembly) -> str:
    """CSV: a row for each actor; ``does`` and ``undergoes`` count its events."""
    counts: dict[tuple[str, str], int] = {}
    for _, actor_id, role in _roles(assembly):
        counts[actor_id, role] = counts.get((actor_id, role), 0) + 1
    return _csv(
        _ACTOR_COLUMNS,
        (
            {
                "id": identifier,
                "story": story.id,
                "title": story.title,
                "name": actor.name,
                "kind": actor.kind,
                "aliases": "; ".join(actor.aliases),
                "positions": " ".join(map(str, actor.positions)),
                "does": counts.get((identifier, "doer"), 0),
                "undergoes": counts.get((identifier, "undergoer"), 0),
            }
            for identifier, story, actor in _actors(assembly)
        ),
    )


def to_events_csv(assembly: Assembly) -> str:
    """CSV: a row for each event; ``doer_id`` and ``undergoer_id`` are ids of ``.actors.csv``."""
    parts: dict[tuple[str, str], list[str]] = {}
    for event, actor_id, role in _roles(assembly):
        parts.setdefault((event, role), []).append(actor_id)
    return _csv(
        _EVENT_COLUMNS,
        (
            {
                "id": identifier,
                "story": story.id,
                "title": story.title,
                "position": deed.position,
                "date": placed.when or "",
                **{name: getattr(deed, name) for name in ("verb", "subject", "object", "doer")},
                "undergoer": deed.undergoer,
                "doer_id": " ".join(parts.get((identifier, "doer"), [])),
                "undergoer_id": " ".join(parts.get((identifier, "undergoer"), [])),
                "negated": "yes" if deed.negated else "no",
                "standing": deed.standing,
                "said_by": deed.said_by,
                "certain": "yes" if deed.certain else "no",
                "text": placed.sentence.text,
                "document": placed.sentence.source or placed.sentence.document or "",
                "line": placed.sentence.line,
            }
            for identifier, story, placed, deed in _events(assembly)
        ),
    )


def _csv(columns: tuple[str, ...], rows: Iterable[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: as_cell(v) if isinstance(v, str) else v for k, v in row.items()})
    return out.getvalue()


def to_jsonld(assembly: Assembly) -> str:
    """JSON-LD with the words of schema.org: stories as Events that hold their events."""
    actors = {i: a for i, _, a in _actors(assembly)}
    roles: dict[str, list[str]] = {}
    for event, actor_id, role in _roles(assembly):
        if role in _CERTAIN_ROLES:
            roles.setdefault(event, []).append(actor_id)
    graph: list[dict[str, Any]] = [
        {"@id": f"#{i}", "@type": _SCHEMA.get(a.kind, "Place" if a.kind == "place" else "Thing"),
         "name": a.name, **({"alternateName": list(a.aliases)} if a.aliases else {})}
        for i, a in actors.items()
    ]  # fmt: skip
    for story in assembly.stories:
        graph.append({"@id": f"#s{story.id}", "@type": "Event", "name": story.title})
    for identifier, story, placed, deed in _events(assembly):
        entry: dict[str, Any] = {
            "@id": f"#{identifier}",
            "@type": "Event",
            "name": _label(deed),
            "description": placed.sentence.text,
            "superEvent": {"@id": f"#s{story.id}"},
        }
        if date := _date(placed.when):
            entry["startDate"] = date
        if identifier in roles:
            entry["actor"] = [{"@id": f"#{actor}"} for actor in roles[identifier]]
        graph.append(entry)
    data = {"@context": {"@vocab": "https://schema.org/"}, "@graph": graph}
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def to_ftm(assembly: Assembly) -> str:
    """FollowTheMoney entities, one JSON object a line: actors, and an Event for each deed."""
    lines = []
    names = {identifier: _key(assembly, identifier) for identifier, _, _ in _actors(assembly)}
    for identifier, _, actor in _actors(assembly):
        schema = _SCHEMA.get(actor.kind, "Address" if actor.kind == "place" else "LegalEntity")
        place = schema == "Address"
        properties = {"full" if place else "name": [actor.name]}
        if actor.aliases and not place:
            properties["alias"] = list(actor.aliases)
        lines.append({"id": names[identifier], "schema": schema, "properties": properties})
    places = {i for i, _, actor in _actors(assembly) if actor.kind == "place"}
    involved: dict[str, list[str]] = {}
    for event, actor_id, role in _roles(assembly):
        if role in _CERTAIN_ROLES and actor_id not in places:
            involved.setdefault(event, []).append(names[actor_id])
    for identifier, _, placed, deed in _events(assembly):
        properties = {"name": [_label(deed)], "description": [placed.sentence.text]}
        if date := _date(placed.when):
            properties["date"] = [date]
        if identifier in involved:
            properties["involved"] = involved[identifier]
        lines.append(
            {"id": _key(assembly, identifier), "schema": "Event", "properties": properties}
        )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _key(assembly: Assembly, identifier: str) -> str:
    """An id that two assemblies do not share unless they tell the same."""
    ids = ",".join(p.id for story in assembly.stories for p in story.sentences)
    return hashlib.sha256(f"{ids}/{identifier}".encode()).hexdigest()[:40]


GRAPH_FORMATS: dict[str, Callable[[Assembly], str]] = {
    ".graphml": to_graphml,
    ".actors.csv": to_actors_csv,
    ".events.csv": to_events_csv,
    ".jsonld": to_jsonld,
    ".ftm.json": to_ftm,
}
