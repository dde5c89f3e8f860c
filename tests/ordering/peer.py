"""py-rouge, which the paper scored with: the function behind its ROUGE-W."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

__all__ = ["rouge_w"]


def rouge_w(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """F of ROUGE-W with weight 1.2 and alpha .5, units as words."""
    rouge = _rouge()
    words = (" ".join(map(str, order)) for order in (predicted, gold))
    evaluated, reference, overlap = rouge._compute_ngrams_lcs(*([text] for text in words), 1.2)
    return float(rouge._compute_p_r_f_score(evaluated, reference, overlap, 0.5, 1.2)["f"])


def _rouge() -> Any:
    if "rouge" not in sys.modules:
        with pytest.MonkeyPatch.context() as patch:
            # It wants them for stemming and for WordNet, of which orders have no need.
            for name in ("nltk", "pkg_resources"):
                patch.setitem(sys.modules, name, ModuleType(name))
            pytest.importorskip("rouge")
    return sys.modules["rouge"].Rouge
