"""Events (verb, argument slot) and event chains, and their rows in JSONL and Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.core.files import atomic, write_text
from fabula.errors import InputError
from fabula.text.io.records import Record, meta_path, read_records, write_records
from fabula.text.io.streams import COMPRESSED, split_name

__all__ = [
    "Chain",
    "Event",
    "chain_from_record",
    "event_from_row",
    "read_chain_table",
    "write_chains",
]

_CHAIN_FIELDS = {"document", "entity", "events", "source"}


@dataclass(frozen=True, slots=True)
class Event:
    """A predicate and the slot its entity fills: ``Event("arrest", "obj")``.

    ``args`` is the rich form: every filled slot and the id of the entity in it, the chain's own
    entity included. Ids hold within one document. ``sentence`` counts from 0 in the document,
    ``line`` from 1 in the chain's source.

    ``modality`` is ``possible`` or ``planned`` for what is not told as done; ``reported`` is what
    somebody says, ``said_by`` who (an entity). ``certainty`` is the probability that the chain's
    entity fills the slot; ``unsure`` has the word of the text for each slot whose entity is
    doubtful: ``{"subj": "he"}``; an empty one where the text names nobody ("..., leaving her").
    """

    verb: str
    slot: str
    args: Mapping[str, str] | None = field(default=None, hash=False)
    sentence: int | None = None
    line: int | None = None
    negated: bool = False
    modality: str = ""
    reported: bool = False
    said_by: str | None = None
    certainty: float = 1.0
    unsure: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        """As the nachos files write it.

        >>> str(Event("arrest", "obj"))
        'arrest->obj'
        """
        return f"{self.verb}->{self.slot}"

    @property
    def single(self) -> Event:
        """The single-argument event alone: equal wherever the same slot of the verb is filled."""
        return Event(self.verb, self.slot)

    @property
    def standing(self) -> str:
        """certain, negated, modal, planned or reported: the first of the last four that applies.

        >>> Event("flee", "subj", modality="possible").standing
        'modal'
        """
        if self.negated:
            return "negated"
        if self.modality:
            return "modal" if self.modality == "possible" else self.modality
        return "reported" if self.reported else "certain"

    def shown(self, slot: str) -> str:
        """Who fills a slot, for a reader; a doubtful one as ``he (Bellini?)``.

        >>> Event("flee", "subj", {"subj": "Bellini"}, unsure={"subj": "he"}).shown("subj")
        'he (Bellini?)'
        """
        name = (self.args or {}).get(slot, "")
        return f"{self.unsure[slot]} ({name}?)".lstrip() if slot in self.unsure else name

    def to_row(self) -> dict[str, Any]:
        """The event as FORMATS writes it; empty optional fields are left out."""
        row: dict[str, Any] = {"verb": self.verb, "slot": self.slot}
        if self.args is not None:
            row["args"] = dict(self.args)
        if self.sentence is not None:
            row["sentence"] = self.sentence
        if self.line is not None:
            row["line"] = self.line
        if self.negated:
            row["negated"] = True
        if self.standing != "certain":
            row["standing"] = self.standing
        if self.modality:
            row["modality"] = self.modality
        if self.reported:
            row["reported"] = True
        if self.said_by is not None:
            row["said_by"] = self.said_by
        if self.certainty < 1:
            row["certainty"] = round(self.certainty, 3)
        if self.unsure:
            row["unsure"] = dict(self.unsure)
        return row


@dataclass(frozen=True, slots=True)
class Chain:
    """The events of one entity of one document, in the order of the text."""

    document: str
    entity: str
    events: tuple[Event, ...]
    source: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "document": self.document,
            "entity": self.entity,
            "events": [event.to_row() for event in self.events],
        }
        if self.source is not None:
            row["source"] = self.source
        return {**row, **self.extra}


def read_chain_table(path: str | PathLike[str]) -> Iterator[Chain]:
    """Stream the chains of a JSONL or Parquet file, one a row."""
    return (chain_from_record(record, path) for record in read_records(path))


def chain_from_record(record: Record, path: str | PathLike[str]) -> Chain:
    """The chain of one row; what is wrong with it is an error with its line."""
    row = record.data
    try:
        events = row["events"]
        if not isinstance(events, list):
            raise ValueError("'events' must be a list")
        source = row.get("source")
        if source is not None and not isinstance(source, str):
            raise ValueError(f"'source' must be a string; it is {source!r}")
        return Chain(
            document=_name(row, "document"),
            entity=_name(row, "entity"),
            events=tuple(event_from_row(event) for event in events),
            source=source,
            extra={key: value for key, value in row.items() if key not in _CHAIN_FIELDS},
        )
    except KeyError as error:
        raise InputError(f"{error} is missing", path=path, line=record.line) from error
    except ValueError as error:
        raise InputError(str(error), path=path, line=record.line) from error


def event_from_row(row: Any) -> Event:
    """An event from FORMATS' ``{"verb", "slot", ...}``; ValueError says what is wrong."""
    if not isinstance(row, Mapping):
        raise ValueError(f"an event must be an object with 'verb' and 'slot'; it is {row!r:.80}")
    verb, slot = row.get("verb"), row.get("slot")
    for key, value in (("verb", verb), ("slot", slot)):
        if not isinstance(value, str) or not value or value.isspace():
            raise ValueError(f"an event's {key!r} must be a word; it is {value!r:.80}")
    args = row.get("args")
    if args is not None:
        if not isinstance(args, Mapping):
            raise ValueError(f"'args' must map slots to entity ids; it is {args!r:.80}")
        # A Parquet struct has every row's slots in every row: those it does not fill are null.
        args = {str(key): str(value) for key, value in args.items() if value is not None}
    unsure, said_by = row.get("unsure") or {}, row.get("said_by")
    if not isinstance(unsure, Mapping):
        raise ValueError(f"'unsure' must map slots to words; it is {unsure!r:.80}")
    return Event(
        verb=str(verb),
        slot=str(slot),
        args=args,
        sentence=_count(row, "sentence", 0),
        line=_count(row, "line", 1),
        negated=_flag(row, "negated"),
        modality=_modality(row),
        reported=_flag(row, "reported"),
        said_by=None if said_by is None else str(said_by),
        certainty=_share(row, "certainty"),
        unsure={str(key): str(value) for key, value in unsure.items() if value is not None},
    )


def _name(row: Mapping[str, Any], key: str) -> str:
    value = row[key]
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key!r} must be a name; it is {value!r:.80}")
    return value


def _count(row: Mapping[str, Any], key: str, least: int) -> int | None:
    value = row.get(key)
    if value is not None and (type(value) is not int or value < least):
        raise ValueError(f"an event's {key!r} must be a number from {least}; it is {value!r:.80}")
    return value


def _flag(row: Mapping[str, Any], key: str) -> bool:
    value = row.get(key)
    if value not in (None, False, True):
        raise ValueError(f"an event's {key!r} must be true or false; it is {value!r:.80}")
    return bool(value)


def _modality(row: Mapping[str, Any]) -> str:
    value = row.get("modality") or ""
    if value not in ("", "possible", "planned"):
        raise ValueError(f"an event's 'modality' is possible or planned; it is {value!r:.80}")
    return str(value)


def _share(row: Mapping[str, Any], key: str) -> float:
    value = row.get(key)
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"an event's {key!r} must be between 0 and 1; it is {value!r:.80}")
    return float(value)


def write_chains(
    path: str | PathLike[str], chains: Iterable[Chain], *, meta: Mapping[str, Any] | None = None
) -> int:
    """Write chains as JSONL (also packed) or Parquet, whole or not at all; how many there were.

    Both stream: the memory used does not grow with the number of chains.
    """
    _, suffix, packed = split_name(path)
    if suffix == ".parquet" and packed not in COMPRESSED:
        with atomic(path) as beside:
            count = _write_parquet(beside, chains)
        if meta is not None:
            import json

            text = json.dumps(meta, ensure_ascii=False, indent=2, allow_nan=False)
            write_text(meta_path(path), text + "\n")
        return count
    return write_records(path, (chain.to_row() for chain in chains), meta=meta)


def _write_parquet(path: Path, chains: Iterable[Chain]) -> int:
    """One row group a few thousand chains; ``args`` is a map, since any preposition is a slot."""
    from itertools import islice

    import pyarrow as pa
    import pyarrow.parquet as parquet

    event = pa.struct(
        [
            ("verb", pa.string()),
            ("slot", pa.string()),
            ("args", pa.map_(pa.string(), pa.string())),
            ("sentence", pa.int64()),
            ("line", pa.int64()),
            ("negated", pa.bool_()),
            ("standing", pa.string()),
            ("modality", pa.string()),
            ("reported", pa.bool_()),
            ("said_by", pa.string()),
            ("certainty", pa.float64()),
            ("unsure", pa.map_(pa.string(), pa.string())),
        ]
    )
    schema = pa.schema(
        [
            ("document", pa.string()),
            ("entity", pa.string()),
            ("events", pa.list_(event)),
            ("source", pa.string()),
        ]
    )
    count, pending = 0, iter(chains)
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(pending, 4096)):
            rows = [chain.to_row() for chain in batch]
            for row in rows:
                for made in row["events"]:
                    for key in ("args", "unsure"):
                        if key in made:
                            made[key] = list(made[key].items())
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(batch)
    return count
