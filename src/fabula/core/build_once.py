"""A cached folder that is built once, atomically: for conversions too slow to repeat."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fabula.core.files import WRITING

__all__ = ["built"]


def built(target: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``target``, filled by ``make(folder)`` unless it exists.

    It is written beside the target and renamed, so it is complete or absent, also when two
    processes build it at once. Where it cannot be written, a temporary folder is returned.
    """
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=WRITING, dir=target.parent))
    except OSError:
        temporary = Path(tempfile.mkdtemp(prefix="fabula-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        make(temporary)
        return temporary
    try:
        make(temporary)
        temporary.chmod(0o755)  # mkdtemp gives 0700
        temporary.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was as far a moment earlier
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target
