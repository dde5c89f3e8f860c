"""What a probe declares about itself: its name, its place on the page and how it is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabula.audit.context import AuditContext
    from fabula.audit.findings import Finding
    from fabula.audit.item_table import ItemTable

__all__ = ["Probe", "as_probe", "declare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A function from an audit's context to a ``Finding``, and how the page shows that finding.

    ``title`` heads its section (None: the finding's name); a smaller ``order`` comes first.
    ``tests`` is False for a probe that states facts: it takes no part in the correction of
    p-values. ``informative`` marks a control, whose "ok" says that nothing was tested. ``figure``
    draws an SVG of the tested items and the finding.
    """

    name: str
    run: Callable[[AuditContext], Finding]
    title: str | None = None
    order: float = math.inf
    tests: bool = True
    informative: bool = False
    figure: Callable[[ItemTable, Finding], str] | None = None

    def __call__(self, context: AuditContext) -> Finding:
        return self.run(context)


def declare(
    name: str,
    *,
    title: str | None = None,
    order: float = math.inf,
    tests: bool = True,
    informative: bool = False,
    figure: Callable[[ItemTable, Finding], str] | None = None,
) -> Callable[[Callable[[AuditContext], Finding]], Probe]:
    """Decorate a function ``(context) -> Finding`` to make it a ``Probe``."""

    def decorate(run: Callable[[AuditContext], Finding]) -> Probe:
        return Probe(
            name=name, run=run, title=title, order=order, tests=tests, informative=informative,
            figure=figure,
        )  # fmt: skip

    return decorate


def as_probe(name: str, target: Any) -> Probe:
    """The probe registered as ``name``; a plain function is one without title, order and figure."""
    return target if isinstance(target, Probe) else Probe(name=name, run=target)
