"""Chains from CoreNLP's JSON: its parse and, where it is there, its coreference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from fabula.errors import InputError
from fabula.events.extract.chains import Extraction, entity_chains
from fabula.events.extract.extraction import extract
from fabula.events.items import Chain, chain_from_record
from fabula.text.coref import Span
from fabula.text.coref.adapters import head_of
from fabula.text.coref.sieve import Sieve
from fabula.text.io.records import read_records
from fabula.text.io.streams import split_name
from fabula.text.parse.parsed import Parsed, has_cycle
from fabula.text.parse.universal import to_clearnlp

__all__ = ["read_corenlp"]

_BEST = ("basicDependencies", "basic-dependencies")


def read_corenlp(path: str | PathLike[str]) -> Iterator[Chain]:
    """The chains of CoreNLP's answer, or of an array of them; also chains that are plain JSON."""

    stem = split_name(path)[0]
    for number, record in enumerate(read_records(path), 1):
        row = record.data
        if "events" in row:
            yield chain_from_record(record, path)
            continue
        try:
            parsed = _parsed(row)
            theirs = _clusters(row.get("corefs"), parsed)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            problem = f"not CoreNLP's JSON with a dependency parse ({reason})"
            raise InputError(problem, path=path, line=record.line) from error
        name = str(row.get("docId") or (stem if number == 1 else f"{stem}-{number}"))
        clusters = theirs if theirs is not None else Sieve().clusters(parsed)
        yield from entity_chains(Extraction(parsed, extract(parsed), clusters), name, path, least=1)


def _parsed(row: Mapping[str, Any]) -> Parsed:
    words, lemmas, tags, labels, names = (
        list[str](),
        list[str](),
        list[str](),
        list[str](),
        list[str](),
    )
    heads, starts, begins, offsets = list[int](), list[int](), list[bool](), list[int]()
    at = 0
    for sentence in row["sentences"]:
        first = len(words)
        starts.append(first)
        for token in sentence["tokens"]:
            kind = {"LOCATION": "LOC", "ORGANIZATION": "ORG", "COUNTRY": "GPE", "CITY": "GPE",
                    "STATE_OR_PROVINCE": "GPE", "NATIONALITY": "NORP"}.get(
                        token.get("ner", "O"), token.get("ner", "O"))  # fmt: skip
            kind = "" if kind == "O" else kind
            begins.append(bool(kind) and (not names or names[-1] != kind))
            names.append(kind)
            words.append(token["word"])
            lemmas.append(token.get("lemma", token["word"]))
            tags.append(token["pos"])
            offsets.append(at)
            at += len(token["word"]) + 1
        count = len(words) - first
        if not count:
            starts.pop()
            continue
        local_heads, local_labels = list(range(first, len(words))), ["dep"] * count
        for edge in _edges(sentence):
            token, governor = int(edge["dependent"]) - 1, int(edge["governor"]) - 1
            if not 0 <= token < count or governor >= count:
                raise ValueError("a dependency names a token that is not there")
            local_heads[token] = first + (token if governor < 0 else governor)
            local_labels[token] = edge["dep"] if edge["dep"] != "ROOT" else "root"
        heads += local_heads
        labels += local_labels
    if has_cycle(heads):
        raise ValueError("the heads run in a circle")
    heads, labels = to_clearnlp(words, tags, heads, labels)
    return Parsed(
        text=" ".join(words),
        words=words,
        lemmas=lemmas,
        tags=tags,
        labels=labels,
        heads=heads,
        starts=starts,
        names=names,
        begins=begins,
        offsets=offsets,
    )


def _edges(sentence: Mapping[str, Any]) -> Any:
    for key in _BEST:
        if key in sentence:
            return sentence[key]
    raise KeyError("basicDependencies")


def _clusters(corefs: Any, parsed: Parsed) -> list[tuple[Span, ...]] | None:
    if not corefs:
        return None
    clusters = []
    for mentions in corefs.values():
        spans = []
        for mention in mentions:
            base = parsed.starts[int(mention["sentNum"]) - 1]
            start, end = base + int(mention["startIndex"]) - 1, base + int(mention["endIndex"]) - 1
            if not 0 <= start < end <= len(parsed):
                raise ValueError("a mention lies outside its sentence")
            spans.append(Span(start, end, head_of(parsed, start, end)))
        clusters.append(tuple(sorted(spans)))
    return clusters
