"""A cached folder that is built once, atomically: for conversions too slow to repeat."""

from __future__ import annotations

import atexit
import logging
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fabula.core.files import WRITING
from fabula.core.safety.ownership import damage, remove_sealed, seal

__all__ = ["built"]

_log = logging.getLogger("fabula.core")


def built(target: Path, make: Callable[[Path], None]) -> Path:
    """The folder ``target``, filled by ``make(folder)`` unless it exists.

    It is written beside the target, sealed with checksums and renamed, so it is complete or
    absent, also when two processes build it at once; one that was damaged since is built again.
    Where it cannot be written, a temporary folder is returned.
    """
    if target.is_dir():
        problem = damage(target)
        if not problem:
            return target
        _log.warning("%s; it is made again", problem)
        remove_sealed(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise FileExistsError(target)
        temporary = Path(tempfile.mkdtemp(prefix=WRITING, dir=target.parent))
    except OSError:
        temporary = Path(tempfile.mkdtemp(prefix="fabula-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        make(temporary)
        return temporary
    try:
        make(temporary)
        seal(temporary)
        temporary.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was as far a moment earlier
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target
