"""Chains from CoNLL-U: the file's parse, our extraction rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike

from fabula.errors import InputError
from fabula.events.extract.chains import Extraction, entity_chains
from fabula.events.extract.extraction import extract
from fabula.events.items import Chain
from fabula.text.coref.sieve import Sieve
from fabula.text.io.streams import iter_lines, split_name
from fabula.text.parse.parsed import Parsed, has_cycle
from fabula.text.parse.universal import to_clearnlp

__all__ = ["read_conllu", "read_parses"]


@dataclass(slots=True)
class _Document:
    name: str
    words: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # of each sentence
    glued: list[bool] = field(default_factory=list)


def read_conllu(path: str | PathLike[str]) -> Iterator[Chain]:
    """The chains of each document (``# newdoc id = ...``) of a CoNLL-U file."""

    for name, parsed, lines in read_parses(path):
        found = Extraction(parsed, extract(parsed), Sieve().clusters(parsed))
        yield from entity_chains(found, name, path, None, lines, least=1)


def read_parses(path: str | PathLike[str]) -> Iterator[tuple[str, Parsed, list[int]]]:
    """Each document: its name, its parse, and the line on which each sentence begins."""
    stem = split_name(path)[0]
    document = _Document(stem)
    rows: list[tuple[int, list[str]]] = []
    number = 1
    for line, text in iter_lines(path):
        if text.startswith("#"):
            kind, _, value = text.lstrip("# ").partition("=")
            if kind.split()[:1] == ["newdoc"]:
                if document.words:
                    yield document.name, _parsed(document), document.lines
                    number += 1
                document = _Document(value.strip() or f"{stem}-{number}")
        elif text.strip():
            columns = text.split("\t")
            if len(columns) < 8:
                problem = f"{len(columns)} columns, and CoNLL-U has ten with tabs between"
                raise InputError(problem, path=path, line=line)
            if columns[0].isdecimal():  # 3-4 is a contraction, 3.1 an ellipsis: neither a token
                rows.append((line, columns))
        else:
            _add(document, rows, path)
            rows = []
    _add(document, rows, path)
    if document.words:
        yield document.name, _parsed(document), document.lines


def _add(document: _Document, rows: list[tuple[int, list[str]]], path: str | PathLike[str]) -> None:
    """Put a sentence at the end of a document."""
    if not rows:
        return
    first = len(document.words)
    token_of = {columns[0]: first + i for i, (_, columns) in enumerate(rows)}
    document.starts.append(first)
    document.lines.append(rows[0][0])
    for token, (line, columns) in enumerate(rows, first):
        _, word, lemma, upos, xpos, _, head, label = columns[:8]
        if head != "0" and head not in token_of:
            problem = f"the head {head!r} is no token of the sentence"
            raise InputError(problem, path=path, line=line)
        document.words.append(word)
        document.lemmas.append(word if lemma == "_" else lemma)
        document.tags.append(_tag(upos, xpos, columns[5], word))
        document.heads.append(token if head == "0" else token_of[head])
        document.labels.append(label)
        document.glued.append("SpaceAfter=No" in columns[-1])
    if has_cycle([head - first for head in document.heads[first:]]):
        raise InputError("the heads run in a circle", path=path, line=rows[0][0])


_PENN = {
    "NOUN": "NN", "PROPN": "NNP", "PRON": "PRP", "VERB": "VB", "AUX": "VB", "ADJ": "JJ",
    "ADV": "RB", "ADP": "IN", "DET": "DT", "CCONJ": "CC", "SCONJ": "IN", "NUM": "CD",
    "PART": "RP", "PUNCT": ".", "INTJ": "UH", "SYM": "SYM", "X": "FW",
}  # fmt: skip


def _tag(upos: str, xpos: str, features: str, word: str) -> str:
    """The Penn tag: the file's own if it has one, else what the universal one and features say."""
    if xpos not in ("_", "") and xpos.isupper():
        return xpos
    tag = _PENN.get(upos, upos)
    if upos in ("NOUN", "PROPN") and "Number=Plur" in features:
        return tag + "S"
    if upos == "PRON" and "Poss=Yes" in features:
        return "PRP$"
    if upos in ("PRON", "DET") and ("PronType=Rel" in features or "PronType=Int" in features):
        return "WDT" if word.lower() in ("which", "that") else "WP"
    if upos in ("VERB", "AUX"):
        if "VerbForm=Part" in features:
            return "VBG" if "Tense=Pres" in features else "VBN"
        if "VerbForm=Ger" in features:
            return "VBG"
        if "VerbForm=Fin" in features:
            return "VBD" if "Tense=Past" in features else "VBZ"
    if upos == "PART":
        return "TO" if word.lower() == "to" else "RB"
    return tag


def _parsed(document: _Document) -> Parsed:
    offsets = []
    pieces, at = [], 0
    for word, glued in zip(document.words, document.glued, strict=True):
        offsets.append(at)
        pieces.append(word if glued else f"{word} ")
        at += len(pieces[-1])
    text = "".join(pieces)
    heads, labels = to_clearnlp(document.words, document.tags, document.heads, document.labels)
    n = len(document.words)
    return Parsed(
        text=text, words=document.words, lemmas=document.lemmas, tags=document.tags,
        labels=labels, heads=heads, starts=document.starts, names=[""] * n, begins=[False] * n,
        offsets=offsets,
    )  # fmt: skip
