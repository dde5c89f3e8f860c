"""What all commands share: options, errors, exit codes, and how an answer is shown."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from fabula.answer import without_nan
from fabula.core.safety.terminal import escape_json, escape_terminal, escaping_console
from fabula.errors import FabulaError

__all__ = [
    "GROUP_SETTINGS",
    "DebugOption",
    "JsonOption",
    "QuietOption",
    "Reply",
    "SeedOption",
    "command",
    "version_option",
    "without_nan",
]

GROUP_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers: ``data`` for programs (--json), ``text`` for people.

    ``text`` is a string or anything rich can print; None prints nothing. ``failed`` is a check
    that did not pass: everything is shown as usual, and the exit code is 1. ``pieces`` are an
    answer that is shown while it is made: text, and what it adds to the lists and sums of ``data``.
    """

    data: Any
    text: Any = None
    failed: bool = False
    pieces: Iterable[tuple[str, Mapping[str, Any]]] = ()


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

_SHARED = {
    "json_": (JsonOption, False),
    "seed": (SeedOption, 0),
    "quiet": (QuietOption, False),
    "debug": (DebugOption, False),
}


def command(function: Callable[..., Reply]) -> Callable[..., None]:
    """Make a command of a function that returns a ``Reply``.

    Adds the options every command has, turns expected errors into one line on standard error and
    an exit code, and prints the reply. A function that wants the seed just has a ``seed``; one that
    has a parameter whose type is a dataclass of options takes those options, as one value.
    """
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    own = [
        parameter
        for p in inspect.signature(function).parameters.values()
        for parameter in (
            _options(groups[p.name]) if p.name in groups else [p.replace(annotation=hints[p.name])]
        )
    ]
    wants_seed = any(p.name == "seed" for p in own)
    own = [p for p in own if p.name != "seed"]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
        for name, (hint, default) in _SHARED.items()
    ]
    named = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]

    @functools.wraps(function)
    def run(**arguments: Any) -> None:
        as_json, quiet = arguments.pop("json_"), arguments.pop("quiet")
        debug, seed = arguments.pop("debug"), arguments.pop("seed")
        if wants_seed:
            arguments["seed"] = seed
        for name, group in groups.items():
            arguments[name] = group(**{f.name: arguments.pop(f.name) for f in fields(group)})
        reply = _call(function, arguments, show_progress=not quiet, debug=debug, as_json=as_json)
        _show(reply, as_json=as_json, quiet=quiet)
        if reply.failed:
            raise typer.Exit(1)

    run.__signature__ = inspect.Signature([*named, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in [*named, *shared]}
    return run


def _options(group: Any) -> list[inspect.Parameter]:
    """The fields of a dataclass as parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            f.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[f.name], default=f.default
        )
        for f in fields(group)
    ]


def _call(
    function: Callable[..., Reply],
    arguments: dict[str, Any],
    *,
    show_progress: bool,
    debug: bool,
    as_json: bool,
) -> Reply:
    from fabula.core.progress import shown

    try:
        with shown(show_progress):
            reply = function(**arguments)
            for text, more in reply.pieces:
                if not as_json:
                    typer.echo(escape_terminal(text))
                    continue
                for key, value in more.items():
                    reply.data[key] += value
            return reply
    except BrokenPipeError:  # "fabula ... | head" is a fine thing to do
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Reply({})
    except FabulaError as error:
        if debug:
            raise
        typer.echo(f"fabula: {escape_terminal(str(error))}", err=True)
        raise typer.Exit(error.exit_code) from None
    except (MemoryError, RecursionError) as error:
        if debug:
            raise
        what = "memory" if isinstance(error, MemoryError) else "room for a nest this deep"
        typer.echo(f"fabula: there is not enough {what} for this input", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("fabula: stopped", err=True)
        raise typer.Exit(130) from None


def _show(reply: Reply, *, as_json: bool, quiet: bool) -> None:
    try:
        if as_json:
            strict = without_nan(reply.data)
            text = json.dumps(strict, ensure_ascii=False, indent=1, allow_nan=False)
            typer.echo(escape_json(text))
        elif isinstance(reply.text, str):
            typer.echo(escape_terminal(reply.text.rstrip("\n")))
        elif reply.text is not None and not quiet:
            # Piped output is wider than most terminals, unless COLUMNS says how wide it may be.
            width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
            escaping_console(width=width, soft_wrap=False).print(reply.text)
        sys.stdout.flush()
    except BrokenPipeError:  # "fabula ... | head" is a fine thing to do
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(wanted: bool) -> None:
    if wanted:
        from fabula import __version__

        typer.echo(f"fabula {__version__}")
        raise typer.Exit


def version_option(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Recover what happened from messy text, and measure how well any model can."""
