"""Parse memo: texts in, what was read from their parses out; each text is parsed once a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

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
    one sentence a text; otherwise spaCy finds the sentences.
    """

    def __init__(
        self,
        read: Callable[[Doc], T],
        *,
        capacity: int,
        ner: bool = True,
        whole: bool = False,
        label: str = "parsing",
    ) -> None:
        self.read = read
        self.capacity = capacity
        self.ner = ner
        self.whole = whole
        self.label = label
        self._results: dict[str, T] = {}

    def __call__(self, texts: Iterable[str]) -> dict[str, T]:
        """The results by text, in the order of first mention."""
        wanted = list(dict.fromkeys(texts))
        new = [text for text in wanted if text not in self._results]
        if len(self._results) + len(new) > self.capacity:
            self._results.clear()
            new = wanted
        sources: list[str | Sequence[Sentence]]
        sources = [[Sentence(text)] for text in new] if self.whole else list(new)
        results = Parser(ner=self.ner).each(self.read, sources) if new else iter(())
        parsed = dict(zip(new, track(results, self.label, total=len(new)), strict=True))
        self._results.update(parsed)
        return {text: self._results[text] for text in wanted}
