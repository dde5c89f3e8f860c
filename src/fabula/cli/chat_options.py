"""Options of commands that read chat exports."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DateOrderOption"]

DateOrderOption = Annotated[
    str | None,
    typer.Option(
        "--date-order",
        help="How chats write 3/4/21: dmy, mdy, ymd or ydm. [what the file says]",
    ),
]
