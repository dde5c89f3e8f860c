"""Audit: does a multiple-choice data set give its answers away?

Each probe is one file with one function ``(context) -> Finding``; ``fabula.registry.probes``
has their names, and other packages add theirs by entry points of the group ``fabula.probes``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from fabula.audit.findings import Check, Example, Finding
from fabula.audit.page.html import audit_page
from fabula.audit.page.text import card, summary
from fabula.audit.run import Audit, audit

__all__ = ["Audit", "Check", "Example", "Finding", "audit", "audit_page", "card", "summary"]


class _Verb(ModuleType):
    """``fabula.audit(...)`` works whether or not this package was imported before by its name."""

    def __call__(self, *arguments: Any, **options: Any) -> Audit:
        return audit(*arguments, **options)


sys.modules[__name__].__class__ = _Verb
