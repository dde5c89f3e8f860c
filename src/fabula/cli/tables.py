"""Flags that say where a table keeps context, options and answer."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ContextOption", "GoldAsOption", "GoldOption", "IdOption", "OptionsOption"]

ContextOption = Annotated[
    str | None, typer.Option("--context", help="Column of the context, or COL,COL of its parts.")
]
OptionsOption = Annotated[
    str | None, typer.Option("--options", help="Column with a list of options, or COL,COL.")
]
GoldOption = Annotated[str | None, typer.Option("--gold", help="Column of the right answer.")]
GoldAsOption = Annotated[
    str | None,
    typer.Option(
        "--gold-as", help="index (from 0), number (from 1), letter or text; else guessed."
    ),
]
IdOption = Annotated[str | None, typer.Option("--id", help="Column of the item's id.")]
