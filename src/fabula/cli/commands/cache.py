"""fabula cache"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.errors import UsageError

ActionArgument = Annotated[str, typer.Argument(help="show or clear.")]


@command
def cache(action: ActionArgument = "show") -> Reply:
    """Show or clear what fabula keeps on disk and can make again."""
    from fabula.core.files import cache_folder
    from fabula.text.encoders.cache import clear, contents

    if action not in ("show", "clear"):
        raise UsageError(f"cache takes show or clear; it is {action!r}")
    folder = cache_folder()
    if action == "clear":
        freed = clear()
        return Reply({"folder": str(folder), "freed": freed}, f"freed {_size(freed)} in {folder}")
    files = contents()
    total = sum(size for _, size in files)
    lines = [
        f"{folder}: {_size(total)}",
        *(f"  {path.relative_to(folder)}: {_size(size)}" for path, size in files),
    ]
    data = {
        "folder": str(folder),
        "bytes": total,
        "files": {str(path): size for path, size in files},
    }
    return Reply(data, "\n".join(lines))


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def add_to(app: typer.Typer) -> None:
    app.command("cache")(cache)
