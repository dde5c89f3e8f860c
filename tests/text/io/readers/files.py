"""Files made for a test, read, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabula.errors import InputError
from fabula.text.io.documents import read_documents
from fabula.types import Document


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path | str, **options: Any) -> list[Document]:
    return list(read_documents(path, **options))


def refused(path: Path | str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)
