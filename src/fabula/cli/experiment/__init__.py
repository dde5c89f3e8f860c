"""fabula experiment: one command a file."""

from __future__ import annotations

import importlib

import typer

NAMES = ("cross_domain", "learnability", "robustness", "ablation", "cutoff")

app = typer.Typer(
    help="Run a paper's experiment: many trainings, one folder, resumable.", no_args_is_help=True
)


def add_to(parent: typer.Typer) -> None:
    for name in NAMES:
        importlib.import_module(f"fabula.cli.experiment.{name}").add_to(app)
    parent.add_typer(app, name="experiment")
