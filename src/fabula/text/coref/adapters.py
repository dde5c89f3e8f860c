"""Other people's coreference, behind our two methods. Nothing is imported until it is asked for.

None of these is a dependency of fabula; each says how to install it when it is missing. They
answer in characters or in lines of their own; ``_spans`` brings that back to our tokens.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.errors import InputError, MissingPart
from fabula.text.coref import Span
from fabula.text.parse.parsed import Parsed

__all__ = ["Coreferee", "FastCoref", "Nobody", "Xrenner", "conll_lines", "head_of"]

# It cannot be installed with today's setuptools, nor with what it says it depends on.
XRENNER = (
    "pip install 'setuptools<80' wheel && pip install --no-build-isolation --no-deps xrenner"
    " && pip install xmltodict depedit six numpy"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nobody:
    """No coreference at all: every noun or pronoun is an entity of its own."""

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        from fabula.text.coref.mentions import find_mentions

        found = (mention for mention in find_mentions(parsed) if mention.kind != "group")
        return [(Span(mention.start, mention.end, mention.head),) for mention in found]

    def describe(self) -> str:
        return "no coreference"


@dataclass(slots=True, kw_only=True)
class FastCoref:
    """fastcoref (Otmazgin et al. 2022): a neural model, fetched by that package on first use."""

    device: str = "cpu"
    model: Any = field(default=None)  # anything with fastcoref's predict(texts=...)

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        if not parsed.words:
            return []
        answer = self._model().predict(texts=[parsed.text])[0]
        found = answer.get_clusters(as_strings=False)
        return _from_characters(parsed, found)

    def describe(self) -> str:
        return "fastcoref"

    def _model(self) -> Any:
        if self.model is None:
            try:
                from fastcoref import FCoref  # type: ignore[import-not-found]
            except ImportError as error:
                raise MissingPart("fastcoref", "pip install fastcoref") from error
            self.model = FCoref(device=self.device)
        return self.model


@dataclass(slots=True, kw_only=True)
class Coreferee:
    """coreferee (Hudson 2021): a spaCy component; it parses the text once more itself."""

    pipeline: str = "en_core_web_md"
    model: Any = field(default=None)  # a spaCy pipeline with coreferee in it

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        if not parsed.words:
            return []
        doc = self._model()(parsed.text)
        found = []
        for chain in doc._.coref_chains:
            # A mention is the places of its tokens: several for "Ann and Bo".
            mentions = []
            for mention in chain.mentions:
                tokens = [doc[place] for place in mention.token_indexes]
                end = tokens[-1].idx + len(tokens[-1].text)
                mentions.append((tokens[0].idx, end))
            found.append(mentions)
        return _from_characters(parsed, found)

    def describe(self) -> str:
        return f"coreferee on {self.pipeline}"

    def _model(self) -> Any:
        if self.model is None:
            install = "pip install coreferee && python -m coreferee install en"
            try:
                import coreferee  # type: ignore[import-not-found]  # noqa: F401
                import spacy

                self.model = spacy.load(self.pipeline)
                self.model.add_pipe("coreferee")
            except (ImportError, OSError) as error:
                raise MissingPart("coreferee", install) from error
        return self.model


@dataclass(slots=True, kw_only=True)
class Xrenner:
    """xrenner (Zeldes & Zhang 2016): rules over a dependency parse, which we hand to it.

    Without its classifiers, which need a scikit-learn and an xgboost of 2019. Its English rules
    were written for Universal Dependencies and read our labels less well.
    """

    language: str = "eng"
    model: Any = field(default=None)  # anything with xrenner's analyze(lines, "sgml")

    def clusters(self, parsed: Parsed) -> list[tuple[Span, ...]]:
        if not parsed.words:
            return []
        try:
            answer = self._model().analyze(conll_lines(parsed), "conll")
        except MissingPart:
            raise
        except Exception as error:
            raise InputError(f"xrenner could not read the parse ({error})") from error
        return _from_brackets(parsed, str(answer))

    def describe(self) -> str:
        return f"xrenner, {self.language}"

    def _model(self) -> Any:
        if self.model is None:
            try:
                from xrenner import Xrenner as Theirs  # type: ignore[import-not-found]
            except ImportError as error:
                raise MissingPart("xrenner", XRENNER) from error
            self.model = Theirs(model=self.language, rule_based=True, no_seq=True)
        return self.model


def conll_lines(parsed: Parsed) -> str:
    """The parse in ten columns, a blank line after each sentence; heads count from 1."""
    lines = []
    for start, end in parsed.bounds():
        for token in range(start, end):
            head = parsed.heads[token]
            place = 0 if head == token else head - start + 1
            word = "".join(parsed.words[token].split()) or "_"
            lemma = "".join(parsed.lemmas[token].split()) or "_"
            tag = parsed.tags[token] or "_"
            label = parsed.labels[token].lower() or "dep"
            columns = (token - start + 1, word, lemma, tag, tag, "_", place, label, "_", "_")
            lines.append("\t".join(map(str, columns)))
        lines.append("")
    return "\n".join(lines) + "\n"


def _from_characters(
    parsed: Parsed, clusters: Iterable[Iterable[Sequence[int]]]
) -> list[tuple[Span, ...]]:
    """Clusters of ``(start, end)`` in the text as clusters of token spans."""
    ends = [at + len(word) for at, word in zip(parsed.offsets, parsed.words, strict=True)]
    found = []
    for cluster in clusters:
        spans = []
        for start, end, *_ in cluster:
            first = max(0, bisect_right(parsed.offsets, start) - 1)
            if ends[first] <= start:
                first += 1
            last = bisect_left(parsed.offsets, end)
            if first < last:
                spans.append(Span(first, last, head_of(parsed, first, last)))
        if spans:
            found.append(tuple(sorted(set(spans))))
    return found


def head_of(parsed: Parsed, start: int, end: int) -> int:
    """The token of a span whose own head lies outside it."""
    for token in range(start, end):
        head = parsed.heads[token]
        if head == token or not start <= head < end:
            return token
    return start


def _from_brackets(parsed: Parsed, answer: str) -> list[tuple[Span, ...]]:
    """CoNLL's last column, ``(3``, ``3)``, ``(3)|(4``: which entities open and close where."""
    groups: dict[str, list[Span]] = {}
    opened: dict[str, list[int]] = {}
    token = 0
    for line in answer.splitlines():
        columns = line.split("\t")
        if len(columns) < 3 or line.startswith("#"):
            continue
        if token >= len(parsed):
            raise InputError("xrenner answered with more tokens than it was given")
        for mark in columns[-1].split("|"):
            name = mark.strip("()")
            if not name or name == "_":
                continue
            if mark.startswith("("):
                opened.setdefault(name, []).append(token)
            if mark.endswith(")") and opened.get(name):
                start = opened[name].pop()
                head = head_of(parsed, start, token + 1)
                groups.setdefault(name, []).append(Span(start, token + 1, head))
        token += 1
    return [tuple(sorted(spans)) for spans in groups.values()]
