"""fabula build conversations"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.build.common import NumberOption, check_items, write_sides
from fabula.cli.chat_options import DateOrderOption
from fabula.cli.common import Reply, command

ExportsArgument = Annotated[
    list[str], typer.Argument(help="Chat exports: files, folders or globs.", metavar="EXPORT...")
]
OutputFile = Annotated[Path, typer.Option("--output", "-o", help="JSONL or Parquet to write.")]


@command
def conversations(
    exports: ExportsArgument,
    output: OutputFile,
    date_order: DateOrderOption = None,
    n: NumberOption = None,
) -> Reply:
    """Make chats of exports (WhatsApp, Telegram, Slack, IRC ...): who talks with whom?"""
    from fabula.conversations.build import build_conversations

    check_items(output, None)
    rows = [chat.to_row() for chat in build_conversations(exports, n=n, date_order=date_order)]
    meta = {"task": "conversations", "recipe": "export", "seed": None, "source": exports}
    return write_sides(output, {"": rows}, meta, None, None, "")


def add_to(app: typer.Typer) -> None:
    app.command("conversations")(conversations)
