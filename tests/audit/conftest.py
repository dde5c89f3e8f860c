"""The fixtures of the audit's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.audit.toy import make

from fabula.endings.items import Ending


@pytest.fixture(scope="session")
def items() -> Callable[..., list[Ending]]:
    return make
