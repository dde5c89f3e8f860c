"""Parse memo: texts in, what was read from their parses out; each text is parsed once a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabula.core.progress import track
from fabula.text.parse.pipeline import Parser
from fabula.types import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["ParseMemo"]

T = TypeVar("T")


class ParseMemo(Generic[T]):
    """Results of ``read(doc)`` by text, at most ``capacity`` of them.

    A corrected pile or another fold reads the same sentences again. ``whole`` keeps the parser to
    one sentence a text; otherwise spaCy finds the sentences. ``shared`` are memos that read the
    same parses for later (with the same ``ner`` and ``whole``): what they want of a text is then
    there when they are asked for it.
    """

    def __init__(
        self,
        read: Callable[[Doc], T],
        *,
        capacity: int,
        ner: bool = True,
        whole: bool = False,
        label: str = "parsing",
        shared: Sequence[ParseMemo[Any]] = (),
    ) -> None:
        self.read = read
        self.capacity = capacity
        self.ner = ner
        self.whole = whole
        self.label = label
        self.shared = shared
        self._results: dict[str, T] = {}

    def __call__(self, texts: Iterable[str]) -> dict[str, T]:
        """The results by text, in the order of first mention."""
        wanted = list(dict.fromkeys(texts))
        new = self._missing(wanted)
        sources: list[str | Sequence[Sentence]]
        sources = [[Sentence(text)] for text in new] if self.whole else list(new)
        memos: list[ParseMemo[Any]] = [self, *self.shared]
        results = (
            Parser(ner=self.ner).each(lambda doc: [memo.read(doc) for memo in memos], sources)
            if new
            else iter(())
        )
        rows = list(track(results, self.label, total=len(new)))
        for number, memo in enumerate(memos):
            memo._add(new, [row[number] for row in rows])
        return {text: self._results[text] for text in wanted}

    def _missing(self, wanted: list[str]) -> list[str]:
        """The texts not yet read; all of them, where there is no room for the new ones."""
        new = [text for text in wanted if text not in self._results]
        if len(self._results) + len(new) > self.capacity:
            self._results.clear()
            return wanted
        return new

    def _add(self, texts: Sequence[str], results: Sequence[T]) -> None:
        if len(self._results) + len(texts) > self.capacity:
            self._results.clear()
        self._results.update(zip(texts, results, strict=True))
