"""Chains for other programs: process-mining logs (CSV, XES) and graphs (GraphML).

An entity's chain is a case, each of its events an activity. The log is ordered; it has no clock,
since a text seldom says when. Each event has its standing and how certain it is the entity's; a
doubtful name has its question mark: "he (Bellini?)".
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from fabula.core.files import atomic
from fabula.events.items import Chain, Event, write_chains
from fabula.text.io.streams import COMPRESSED

__all__ = ["FORMATS", "export_chains"]

_COLUMNS = (
    "case", "activity", "order", "verb", "slot", "negated", "document", "entity", "sentence",
    "line", "source", "args", "standing", "certainty",
)  # fmt: skip


def export_chains(path: str | PathLike[str], chains: Iterable[Chain]) -> int:
    """Write chains in the format of the suffix, whole or not at all; how many there were."""
    writers = {".csv": _write_csv, ".xes": _write_xes, ".graphml": _write_graphml}
    writer = writers.get(Path(path).suffix.lower())
    if writer is None:
        return write_chains(path, chains)
    with atomic(path) as beside:
        return writer(beside, chains)


FORMATS = (
    ".jsonl", *(f".jsonl{pack}" for pack in COMPRESSED), ".parquet", ".csv", ".xes", ".graphml",
)  # fmt: skip


def _case_of(chain: Chain) -> str:
    return f"{chain.document}/{chain.entity}"


def _activity(event: Event) -> str:
    return f"{'not ' if event.negated else ''}{event}"


def _write_csv(path: Path, chains: Iterable[Chain]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for count, chain in enumerate(chains, 1):  # noqa: B007
            for order, event in enumerate(chain.events, 1):
                args = "; ".join(f"{slot}={event.shown(slot)}" for slot in event.args or {})
                sentence = "" if event.sentence is None else event.sentence
                writer.writerow(
                    [_case_of(chain), _activity(event), order, event.verb, event.slot,
                     "true" if event.negated else "false", chain.document, chain.entity, sentence,
                     event.line or "", chain.source or "", args, event.standing,
                     f"{event.certainty:.2f}"]
                )  # fmt: skip
    return count


class _Xml:
    """Elements written as they come; characters that XML has no way to say are replaced."""

    def __init__(self, stream: Any) -> None:
        self.out = XMLGenerator(stream, "utf-8", short_empty_elements=True)
        self.out.startDocument()

    @contextmanager
    def element(self, name: str, /, **attributes: object) -> Iterator[None]:
        self.out.ignorableWhitespace("\n")
        self.out.startElement(
            name, AttributesImpl({key: _clean(str(v)) for key, v in attributes.items()})
        )
        yield
        self.out.endElement(name)

    def empty(self, name: str, /, **attributes: object) -> None:
        with self.element(name, **attributes):
            pass

    def data(self, key: str, value: object) -> None:
        with self.element("data", key=key):
            self.out.characters(_clean(str(value)))


def _clean(text: str) -> str:
    return "".join(
        c if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text
    )


def _write_xes(path: Path, chains: Iterable[Chain]) -> int:
    """IEEE 1849: one trace a chain, named by case; ``concept:name`` is the activity."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        xml = _Xml(stream)
        with xml.element("log", **{"xes.version": "1849.2016", "xes.features": "",
                                   "xmlns": "http://www.xes-standard.org/"}):  # fmt: skip
            xml.empty("extension", name="Concept", prefix="concept",
                      uri="http://www.xes-standard.org/concept.xesext")  # fmt: skip
            with xml.element("global", scope="trace"):
                xml.empty("string", key="concept:name", value="unknown")
            with xml.element("global", scope="event"):
                xml.empty("string", key="concept:name", value="unknown")
            xml.empty("classifier", name="Activity", keys="concept:name")
            for count, chain in enumerate(chains, 1):  # noqa: B007
                with xml.element("trace"):
                    xml.empty("string", key="concept:name", value=_case_of(chain))
                    xml.empty("string", key="document", value=chain.document)
                    xml.empty("string", key="entity", value=chain.entity)
                    for order, event in enumerate(chain.events, 1):
                        with xml.element("event"):
                            xml.empty("string", key="concept:name", value=_activity(event))
                            xml.empty("int", key="order", value=order)
                            for key in ("sentence", "line"):
                                if getattr(event, key) is not None:
                                    xml.empty("int", key=key, value=getattr(event, key))
                            for slot in event.args or {}:
                                xml.empty("string", key=f"arg:{slot}", value=event.shown(slot))
                            xml.empty("string", key="standing", value=event.standing)
                            xml.empty("float", key="certainty", value=f"{event.certainty:.2f}")
        xml.out.endDocument()
    return count


def _write_graphml(path: Path, chains: Iterable[Chain]) -> int:
    """Entities and events are nodes. A slot leads from event to entity, ``next`` to what follows.

    Events of one verb occurrence that stand in several chains are nodes of their own.
    """
    count = number = 0
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        xml = _Xml(stream)
        with xml.element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns"):
            for key, domain, kind in (
                ("kind", "node", "string"), ("label", "node", "string"),
                ("document", "node", "string"), ("sentence", "node", "int"),
                ("negated", "node", "boolean"), ("standing", "node", "string"),
                ("slot", "edge", "string"), ("certainty", "edge", "double"),
            ):  # fmt: skip
                attributes = {"id": key, "for": domain, "attr.name": key, "attr.type": kind}
                xml.empty("key", **attributes)
            with xml.element("graph", id="chains", edgedefault="directed"):
                for count, chain in enumerate(chains, 1):
                    entity = f"c{count}"
                    with xml.element("node", id=entity):
                        xml.data("kind", "entity")
                        xml.data("label", chain.entity)
                        xml.data("document", chain.document)
                    before = ""
                    for event in chain.events:
                        number += 1
                        node = f"e{number}"
                        with xml.element("node", id=node):
                            xml.data("kind", "event")
                            xml.data("label", event.verb)
                            xml.data("document", chain.document)
                            if event.sentence is not None:
                                xml.data("sentence", event.sentence)
                            xml.data("negated", "true" if event.negated else "false")
                            xml.data("standing", event.standing)
                        for source, target, slot in (
                            (node, entity, event.slot), (before, node, "next"),
                        ):  # fmt: skip
                            if source:
                                with xml.element("edge", source=source, target=target):
                                    xml.data("slot", slot)
                                    if target == entity:
                                        xml.data("certainty", f"{event.certainty:.2f}")
                        before = node
        xml.out.endDocument()
    return count
