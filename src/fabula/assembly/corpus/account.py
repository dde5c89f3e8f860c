"""The account of one story of a corpus, made when it is asked for: parsing is done here alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.api import assemble
from fabula.assembly.corpus import store
from fabula.assembly.types import Assembly
from fabula.types import Document

__all__ = ["MOST_DOCUMENTS", "story_account"]

MOST_DOCUMENTS = 150  # of an account; of a larger story the most central ones


def story_account(folder: str | Path, story: int) -> Assembly:
    """The documents of a story as one account, as ``assemble`` makes it of a small pile."""
    documents, units = store.documents_of(folder, story)
    notes = [f"This is story {story} of {Path(folder).name}."]
    if len(documents) > MOST_DOCUMENTS:
        notes.append(
            f"The story has {len(documents):,} documents; the account is of the "
            f"{MOST_DOCUMENTS} that are nearest to its centre. documents.parquet has them all."
        )
        documents = _central(documents, store.vectors_of(folder, units))
    assembly = assemble(documents, stories=1)
    return replace(assembly, notes=(*notes, *assembly.notes))


def _central(documents: Sequence[Document], vectors: NDArray[np.float32]) -> list[Document]:
    nearest = np.argsort(-(vectors @ vectors.mean(axis=0)), kind="stable")[:MOST_DOCUMENTS]
    return [documents[i] for i in sorted(nearest.tolist())]
