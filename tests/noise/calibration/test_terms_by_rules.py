"""Rules for the noise of counts and histograms: what they say by hand."""

from __future__ import annotations

import pytest

import unspoken

VALUES = ("red", "green", "blue")
HISTOGRAM = {n: {w: [int(w == v) for v in VALUES] for w in VALUES} for n in "AB"}


def test_the_mean_rule_of_a_histogram() -> None:
    """2 + max over b and c of E[|e_B - e_c| | A = b], which is 2 P(B is not c | A = b), over 1."""
    step = [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]
    belief = unspoken.Chain([0.5, 0.3, 0.2], step, length=2, names="AB", values=list(VALUES))
    found = unspoken.calibrate(
        belief, terms=HISTOGRAM, limit=1.0, knows="nothing", method="mean", floor=False
    )
    ahead = 1 - 0.1
    law = [[p * row[b] for p, row in zip([0.5, 0.3, 0.2], step, strict=True)] for b in range(3)]
    behind = 1 - min(each / sum(of) for of in law for each in of)
    assert found.scale == pytest.approx(2 + 2 * max(ahead, behind))
