"""fabula doctor"""

from __future__ import annotations

import typer

from fabula.cli.common import Reply, command


@command
def doctor() -> Reply:
    """Say what is installed, what is missing and how to get it, and how fast it runs here."""
    from dataclasses import asdict

    from fabula.cli.outputs import make_table
    from fabula.doctor import examine

    findings = examine()
    rows = [[f.what, "ok" if f.ok else "MISSING" if f.required else "-", f.said] for f in findings]
    failed = any(f.required and not f.ok for f in findings)
    data = {"ok": not failed, "findings": [asdict(finding) for finding in findings]}
    return Reply(data, make_table(["what", "", "found"], rows), failed=failed)


def add_to(app: typer.Typer) -> None:
    app.command("doctor")(doctor)
