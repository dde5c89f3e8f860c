"""Files of an assembly: the format by the suffix of the path, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.assembly.render.docx_file import write_docx
from fabula.assembly.render.formats import to_html, to_json
from fabula.assembly.render.graph_files import GRAPH_FORMATS
from fabula.assembly.render.markdown_file import to_markdown_file
from fabula.assembly.render.timeline_files import TIMELINE_FORMATS
from fabula.assembly.types import Assembly
from fabula.core.files import atomic, write_text
from fabula.errors import UsageError

__all__ = ["SUFFIXES", "write_assembly"]


# A longer suffix stands before the shorter one it ends in: ".ftm.json" before ".json".
_TEXT: dict[str, Callable[[Assembly], str]] = {
    **TIMELINE_FORMATS,
    **GRAPH_FORMATS,
    ".md": to_markdown_file,
}
SUFFIXES = (*_TEXT, ".docx", ".html", ".json")


def write_assembly(
    assembly: Assembly,
    path: str | PathLike[str],
    *,
    data: Mapping[str, Any] | None = None,
    score: str = "",
) -> Path:
    """Write the file that the path's suffix names; ``SUFFIXES`` are those known.

    ``data`` stands in for the assembly's own JSON; ``score`` is a line on the page.
    """
    target = Path(path)
    to_text = next((to for suffix, to in _TEXT.items() if target.name.endswith(suffix)), None)
    if to_text is not None:
        write_text(target, to_text(assembly))
    elif target.suffix == ".html":
        write_text(target, to_html(assembly, score=score or None))
    elif target.suffix == ".json":
        plain = to_json(assembly) if data is None else data
        write_text(target, json.dumps(plain, ensure_ascii=False, indent=1) + "\n")
    elif target.suffix == ".docx":
        with atomic(target) as temporary:
            write_docx(assembly, temporary)
    else:
        raise UsageError(f"{target}: the name must end in {', '.join(sorted(SUFFIXES))}")
    return target
