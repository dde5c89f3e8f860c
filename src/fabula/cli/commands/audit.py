"""fabula audit"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import Reply, command
from fabula.cli.tables import ContextOption, GoldAsOption, GoldOption, IdOption, OptionsOption

if TYPE_CHECKING:
    from fabula.audit import Audit

DataArgument = Annotated[str, typer.Argument(help="JSONL, JSON, CSV, TSV, Parquet, COPA's XML.")]
AgainstOption = Annotated[
    list[str], typer.Option("--against", help="Another file to look for copies in; repeatable.")
]
SliceOption = Annotated[
    list[str], typer.Option("--slice", help="A column to slice by; else all with few values.")
]
ProbeOption = Annotated[
    list[str], typer.Option("--probe", help="Only this probe (fabula list probes); repeatable.")
]
PageOption = Annotated[
    list[Path], typer.Option("--output", "-o", help="Write .html, .json or .md; repeatable.")
]
FailOption = Annotated[
    float | None,
    typer.Option("--fail-above", help="Exit 1 if more answers than this share leak, as in 0.6."),
]
FailCopiesOption = Annotated[
    float | None,
    typer.Option("--fail-duplicates", help="Exit 1 if more items than this share are copies."),
]
LimitOption = Annotated[int, typer.Option("--limit", help="Draw so many items of a longer file.")]
SampleOption = Annotated[int, typer.Option("--sample", help="Items a classifier learns from.")]
ParsedOption = Annotated[int, typer.Option("--parsed", help="Options that are parsed; 0 for none.")]

_WRITERS = (".html", ".json", ".md")


@command
def audit(
    data: DataArgument,
    against: AgainstOption = [],  # noqa: B006
    context: ContextOption = None,
    options: OptionsOption = None,
    gold: GoldOption = None,
    gold_as: GoldAsOption = None,
    id_: IdOption = None,
    slice_: SliceOption = [],  # noqa: B006
    probe: ProbeOption = [],  # noqa: B006
    output: PageOption = [],  # noqa: B006
    fail_above: FailOption = None,
    fail_duplicates: FailCopiesOption = None,
    limit: LimitOption = 200_000,
    sample: SampleOption = 20_000,
    parsed: ParsedOption = 4_000,
    seed: int = 0,
) -> Reply:
    """Does a multiple-choice data set give its answers away?"""
    from fabula.audit import audit as run
    from fabula.audit import summary
    from fabula.cli.inputs import packaged
    from fabula.cli.outputs import check_output
    from fabula.endings.formats.columns import Columns

    for path in output:
        check_output(path, _WRITERS)
    _check_share(fail_above, "--fail-above")
    _check_share(fail_duplicates, "--fail-duplicates")
    done = run(
        packaged(data),
        against=[packaged(other) for other in against],
        columns=Columns.parse(context, options, gold, gold_as, id_),
        gold_as=gold_as,
        slices=slice_,
        probes=probe or None,
        seed=seed,
        limit=limit,
        sample=sample,
        parsed=parsed,
    )
    for path in output:
        _write(path, done)
    failed = fail_above is not None and bool(done.above(fail_above))
    if fail_duplicates is not None and (not probe or "duplicates" in probe):
        failed |= (done["duplicates"].value or 0.0) > fail_duplicates
    page = next((str(path) for path in output if path.suffix == ".html"), None)
    return Reply(done.to_row(), summary(done, output=page), failed=failed)


def _check_share(value: float | None, option: str) -> None:
    from fabula.errors import UsageError

    if value is not None and not 0 <= value <= 1:
        raise UsageError(f"{option} takes a share between 0 and 1; it is {value}")


def _write(path: Path, done: Audit) -> None:
    import json

    from fabula.audit import audit_page, card
    from fabula.cli.common import without_nan
    from fabula.core.files import write_text

    if path.suffix == ".html":
        write_text(path, audit_page(done))
    elif path.suffix == ".md":
        write_text(path, card(done))
    else:
        row = without_nan(done.to_row())
        write_text(path, json.dumps(row, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def add_to(app: typer.Typer) -> None:
    app.command("audit")(audit)
