"""Environment of a measurement: library versions, machine, peak memory."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import fabula

__all__ = ["machine", "peak_memory_mb", "versions"]

_ALWAYS = ("numpy", "scipy")
_IF_IMPORTED = ("torch", "onnxruntime")  # asking must not load half a gigabyte


def versions() -> dict[str, str]:
    """Versions of fabula, Python and the libraries that can change a number."""
    from importlib.metadata import version

    by_name = {"fabula": fabula.__version__, "python": platform.python_version()}
    by_name |= {name: version(name) for name in _ALWAYS}
    for name in _IF_IMPORTED:
        if name in sys.modules:
            by_name[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return by_name


def machine() -> dict[str, Any]:
    """The machine a number was measured on."""
    return {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cpus": os.cpu_count(),
    }


def peak_memory_mb() -> float | None:
    """The most memory this process has held so far; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
