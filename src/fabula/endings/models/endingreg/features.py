"""Features of an ending without its story: EndingReg's six groups.

    features = EndingFeatures(groups=("token-pos", "chars")).fit(texts)
    matrix = features.transform(texts)          # sparse, one row a text

``annotate`` does the slow part (spaCy) once; ``count`` gives the plain counts of all texts, and
``Selection`` keeps the columns a set of training rows has seen often enough, each divided by its
largest value there. For many folds over the same texts, count once and select per fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.errors import UnknownName, UsageError
from fabula.text.sentiment import compound

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from spacy.tokens import Doc

__all__ = [
    "ALL_GROUPS",
    "GROUPS",
    "Annotated",
    "Counts",
    "EndingFeatures",
    "Selection",
    "annotate",
    "check_groups",
    "count",
]

GROUPS = ("length", "sentiment", "yngve", "token-pos", "pos", "chars")  # the paper's six
# The paper does not say whether its four characters may span a space. Inside words they rank below
# the token n-grams, as in its Table 3; across words they are worth as much as those.
ALL_GROUPS = (*GROUPS, "chars-across")
_NUMBERS = ("length", "sentiment", "yngve")  # one column each, always kept
_TAGGED = frozenset({"length", "yngve", "token-pos", "pos"})
_START = "<s>"


@dataclass(frozen=True, slots=True)
class Annotated:
    """A text with what the groups asked for need: Penn tokens and tags, and Yngve's depth."""

    text: str
    tokens: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    yngve: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A row a text and a column a feature; ``columns`` says (group, name) of each."""

    matrix: csr_matrix
    columns: tuple[tuple[str, str], ...]


def check_groups(groups: Sequence[str]) -> tuple[str, ...]:
    """The groups in their own order; an unknown one, or none at all, is an error."""
    for group in groups:
        if group not in ALL_GROUPS:
            raise UnknownName("feature group", group, ALL_GROUPS)
    if not groups:
        raise UsageError("no feature group is chosen; there are " + ", ".join(ALL_GROUPS))
    return tuple(group for group in ALL_GROUPS if group in groups)


def annotate(texts: Sequence[str], groups: Sequence[str] = GROUPS) -> list[Annotated]:
    """Tag the texts if a group needs it, and parse them if Yngve's depth is wanted."""
    groups = check_groups(groups)
    if not _TAGGED & set(groups):
        return [Annotated(text) for text in texts]
    distinct = list(dict.fromkeys(texts))
    found = dict(zip(distinct, _tag(distinct, "yngve" in groups), strict=True))
    return [found[text] for text in texts]


def _tag(texts: Sequence[str], parse: bool) -> Iterator[Annotated]:
    from fabula.text.parse.pipeline import pipeline

    nlp = pipeline()
    unused = ["ner", "lemmatizer", *([] if parse else ["parser"])]
    for at in track(range(0, len(texts), 1024), "tagging"):
        with nlp.memory_zone():
            docs = nlp.pipe(texts[at : at + 1024], batch_size=256, disable=unused)
            done = [_read(doc, parse) for doc in docs]
        yield from done


def _read(doc: Doc, parse: bool) -> Annotated:
    from fabula.text.parse.complexity import project, yngve

    kept = [token for token in doc if not token.is_space]
    tokens = tuple(token.text for token in kept)
    tags = tuple(token.tag_ for token in kept)
    if not parse:
        return Annotated(doc.text, tokens, tags)
    trees = project(
        [token.text for token in doc],
        [token.tag_ for token in doc],
        [token.head.i for token in doc],
        [token.dep_ for token in doc],
    )
    return Annotated(doc.text, tokens, tags, yngve(trees))


def count(
    texts: Sequence[Annotated],
    groups: Sequence[str] = GROUPS,
    *,
    n: int = 5,
    vocabulary: dict[str, list[str]] | None = None,
) -> Counts:
    """The groups' features of each text: n-grams of 1 to ``n`` with a start mark, 4 characters.

    With a ``vocabulary`` (group -> n-grams) only its columns are counted, in its order.
    """
    from scipy import sparse

    blocks: list[Any] = []
    columns: list[tuple[str, str]] = []
    for group in check_groups(groups):
        if group in _NUMBERS:
            block, names = sparse.csr_matrix(_numbers(texts, group)[:, None]), [group]
        else:
            block, names = _grams(texts, group, n, (vocabulary or {}).get(group))
        blocks.append(block)
        columns += [(group, name) for name in names]
    return Counts(sparse.hstack(blocks, format="csr", dtype=np.float64), tuple(columns))


def _numbers(texts: Sequence[Annotated], group: str) -> NDArray[np.float64]:
    if group == "sentiment":
        return compound([text.text for text in texts])
    if group == "length":
        return np.array([len(text.tokens) for text in texts], dtype=float)
    return np.array([text.yngve for text in texts], dtype=float)


def _grams(
    texts: Sequence[Annotated], group: str, n: int, vocabulary: Sequence[str] | None
) -> tuple[Any, list[str]]:
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer

    if vocabulary is not None and not vocabulary:  # scikit-learn knows no empty one
        return sparse.csr_matrix((len(texts), 0)), []
    reader = CountVectorizer(
        analyzer=lambda text: list(_READERS[group](text, n)),
        vocabulary=None if vocabulary is None else {gram: i for i, gram in enumerate(vocabulary)},
    )
    if vocabulary is not None:
        return reader.transform(texts), list(vocabulary)
    try:
        matrix = reader.fit_transform(texts)
    except ValueError:  # no text has a single n-gram
        return sparse.csr_matrix((len(texts), 0)), []
    return matrix, reader.get_feature_names_out().tolist()


def _sequence_grams(words: Sequence[str], n: int) -> Iterator[str]:
    marked = [_START, *words]
    for length in range(1, n + 1):
        for at in range(length == 1, len(marked) - length + 1):  # the mark alone says nothing
            yield " ".join(marked[at : at + length])


def _token_pos(text: Annotated, n: int) -> Iterator[str]:
    pairs = zip(text.tokens, text.tags, strict=True)
    return _sequence_grams([f"{token}/{tag}" for token, tag in pairs], n)


def _pos(text: Annotated, n: int) -> Iterator[str]:
    return _sequence_grams(text.tags, n)


def _chars(text: Annotated, n: int) -> Iterator[str]:
    return (word[at : at + 4] for word in text.text.split() for at in range(len(word) - 3))


def _chars_across(text: Annotated, n: int) -> Iterator[str]:
    return (text.text[at : at + 4] for at in range(len(text.text) - 3))


_READERS = {"token-pos": _token_pos, "pos": _pos, "chars": _chars, "chars-across": _chars_across}


class Selection:
    """The columns seen ``least`` times or more in training rows, divided by their maximum there."""

    def __init__(self, *, least: int = 5) -> None:
        self.least = least

    def fit(self, counts: Counts, rows: NDArray[Any] | None = None) -> Selection:
        matrix = counts.matrix if rows is None else counts.matrix[rows]
        totals = np.asarray(matrix.sum(axis=0)).ravel()
        numbers = np.array([group in _NUMBERS for group, _ in counts.columns], dtype=bool)
        self.kept_ = np.flatnonzero(numbers | (totals >= self.least))
        largest = np.asarray(abs(matrix[:, self.kept_]).max(axis=0).todense()).ravel()
        self.scale_ = 1.0 / np.where(largest > 0, largest, 1.0)
        return self

    def transform(self, counts: Counts, rows: NDArray[Any] | None = None) -> csr_matrix:
        matrix = counts.matrix if rows is None else counts.matrix[rows]
        return matrix[:, self.kept_].multiply(self.scale_).tocsr()


class EndingFeatures:
    """The six groups as one transformer, in scikit-learn's manner: texts in, sparse matrix out."""

    def __init__(self, *, groups: Sequence[str] = GROUPS, n: int = 5, least: int = 5) -> None:
        self.groups = groups
        self.n = n
        self.least = least

    def fit(self, texts: Sequence[str]) -> EndingFeatures:
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Sequence[str]) -> csr_matrix:
        counts = count(annotate(texts, self.groups), self.groups, n=self.n)
        chosen = Selection(least=self.least).fit(counts)
        self.columns_ = tuple(counts.columns[i] for i in chosen.kept_)
        self.scale_ = chosen.scale_
        return chosen.transform(counts)

    def transform(self, texts: Sequence[str]) -> csr_matrix:
        if not hasattr(self, "columns_"):
            raise UsageError("the features have seen no training texts; call fit first")
        vocabulary: dict[str, list[str]] = {group: [] for group in self.groups}
        for group, name in self.columns_:
            vocabulary[group].append(name)
        counts = count(annotate(texts, self.groups), self.groups, n=self.n, vocabulary=vocabulary)
        return counts.matrix.multiply(self.scale_).tocsr()
