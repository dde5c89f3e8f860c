"""Documents to items: the next sentence is the right ending, sampled sentences are wrong ones.

Wrong endings made this way are easier to tell than those people write; they are for training and
for comparing encoders on any text.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from fabula.endings.items import Ending
from fabula.errors import UnknownName, UsageError
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

__all__ = ["RECIPES", "build_endings"]

# random: endings of other stories; same-document: other sentences of the same one, which share
# its topic and people; backwards: a sentence of the context itself, told again.
RECIPES = ("random", "same-document", "backwards")


def build_endings(
    documents: Iterable[Document],
    *,
    recipe: str = "random",
    context: int = 4,
    options: int = 2,
    n: int | None = None,
    seed: int = 0,
) -> Iterator[Ending]:
    """One item a document: ``context`` sentences from its start, and the sentence after them.

    A document with fewer sentences is not used; ``same-document`` needs as many further ones as
    there are wrong options.
    """
    if recipe not in RECIPES:
        raise UnknownName("endings recipe", recipe, RECIPES)
    if context < 1 or options < 2:
        raise UsageError(f"context must be 1 or more and options 2; not {context} and {options}")
    rng = random.Random(seed)
    stories = list(_stories(documents, context, options - 1 if recipe == "same-document" else 0))
    endings = [sentences[context] for _, sentences in stories]
    if recipe == "random" and len(set(endings)) < options:
        raise UsageError(f"{len(stories)} stories are too few for {options} different endings")
    rng.shuffle(stories)
    for name, sentences in stories[:n]:
        right, pool = sentences[context], endings
        if recipe == "same-document":
            pool = sentences[context + 1 :]
        elif recipe == "backwards":
            pool = sentences[:context]
        wrong = _others(right, pool, options - 1, rng)
        if wrong is not None:
            yield _item(name, tuple(sentences[:context]), right, wrong, rng)


def _stories(
    documents: Iterable[Document], context: int, further: int
) -> Iterator[tuple[str, list[str]]]:
    for document in documents:
        sentences: list[str] = []
        for paragraph in document.paragraphs:
            sentences += [" ".join(s.text.split()) for s in split_sentences(paragraph)]
            if len(sentences) > context + max(further, 8):
                break
        if len(sentences) > context + further:
            yield document.id, sentences


def _others(right: str, pool: Sequence[str], number: int, rng: random.Random) -> list[str] | None:
    """Different sentences other than the right one, drawn at random; None if there are too few."""
    found: dict[str, None] = {}
    if len(pool) <= 4 * number + 8:
        kinds = [text for text in dict.fromkeys(pool) if text != right]
        return rng.sample(kinds, number) if len(kinds) >= number else None
    for _ in range(100 * number):
        text = rng.choice(pool)
        if text != right:
            found[text] = None
        if len(found) == number:
            return list(found)
    return None


def _item(
    name: str, context: tuple[str, ...], right: str, wrong: list[str], rng: random.Random
) -> Ending:
    options = [right, *wrong]
    rng.shuffle(options)
    return Ending(name, context, tuple(options), options.index(right))
