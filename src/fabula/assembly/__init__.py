"""Assemble: from a pile of mixed text to separate, ordered accounts. The product's main verb."""

from fabula.assembly.api import assemble
from fabula.assembly.types import Assembly

__all__ = ["Assembly", "assemble"]
