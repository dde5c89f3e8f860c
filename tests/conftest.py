"""For all tests: the user's cache is left alone, and chance repeats itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from fabula.core.files import cache_folder
from fabula.text.io.documents import read_documents
from fabula.types import Document

settings.register_profile("fabula", deadline=None, derandomize=True, database=None, max_examples=50)
settings.load_profile("fabula")


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for the session: a sentence is encoded once, whichever tests ask for it.

    The language model unpacked by an earlier run is used again: it takes half a minute to make.
    """
    folder = tmp_path_factory.mktemp("cache")
    unpacked = cache_folder() / "lm"
    if unpacked.is_dir():
        (folder / "lm").symlink_to(unpacked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FABULA_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def articles() -> list[Document]:
    """The packaged sample corpus."""
    return list(read_documents("sample"))
