"""Folders that are made once and kept: conversions too slow to repeat."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fabula.core.files import WRITING

__all__ = ["built"]


def built(place: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``place``, filled by ``make(folder)`` unless it is there already.

    It appears whole or not at all, and two processes may come at once. Where nothing can be
    written the folder is a temporary one: a cache is no reason to fail.
    """
    if place.is_dir():
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=WRITING, dir=place.parent))
    except OSError:
        beside = Path(tempfile.mkdtemp(prefix="fabula-"))
        atexit.register(shutil.rmtree, beside, ignore_errors=True)
        make(beside)
        return beside
    try:
        make(beside)
        beside.chmod(0o755)  # mkdtemp gives 0700
        beside.rename(place)
    except OSError:
        if not place.is_dir():  # else another process was as far a moment earlier
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return place
