"""fabula list"""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import Reply, command

KINDS = (
    "tasks",
    "models",
    "adapters",
    "metrics",
    "recipes",
    "data",
    "corpora",
    "encoders",
    "readers",
    "probes",
)
KindArgument = Annotated[str, typer.Argument(help=", ".join(KINDS))]


@command
def list_(kind: KindArgument) -> Reply:
    """List what there is of a kind: tasks, models, metrics, probes and so on."""
    from fabula.errors import UnknownName

    if kind not in KINDS:
        raise UnknownName("kind of thing", kind, KINDS)
    names = _names(kind)
    return Reply({kind: names}, "\n".join(names))


def _names(kind: str) -> list[str]:
    from fabula import registry

    if kind == "metrics":
        from fabula.bench.scoring import with_metrics

        names = {t: with_metrics(registry.tasks.get(t)).metric_names for t in registry.tasks}
        return [f"{task}/{name}" for task, some in names.items() for name in some]
    if kind == "recipes":
        from fabula.endings.build import RECIPES as WRONG
        from fabula.events.recipes import RECIPES as CLOZES
        from fabula.ordering.build import LEVELS
        from fabula.salads.build.mix import RECIPES

        groups = {"salads": RECIPES, "ordering": LEVELS, "event-tests": CLOZES, "endings": WRONG}
        return [f"{group}/{name}" for group, names in groups.items() for name in names]
    if kind in ("data", "corpora"):
        from fabula.cli.inputs import PACKAGED
        from fabula.text.io.documents import corpora

        return [*corpora, *PACKAGED]
    if kind == "readers":
        from fabula.text.io.documents import readers

        return list(readers)
    return list(getattr(registry, kind))


def add_to(app: typer.Typer) -> None:
    app.command("list")(list_)
