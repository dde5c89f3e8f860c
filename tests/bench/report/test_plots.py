from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from fabula.bench.report.plots import reliability


def marks(probabilities: list[float], right: list[float]) -> int:
    picture = reliability(np.array(probabilities), np.array(right))
    assert picture == reliability(np.array(probabilities), np.array(right))
    return sum(
        node.tag.endswith(("use", "path")) for node in ElementTree.fromstring(picture).iter()
    )


def test_a_reliability_diagram_has_a_dot_for_each_bin_in_use() -> None:
    one = marks([0.95, 0.96, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0])
    three = marks([0.55, 0.75, 0.95, 1.0], [1.0, 1.0, 0.0, 1.0])
    assert three > one
