"""Noise for sets of beliefs: the limit holds whichever of them is true."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from unspoken.core.errors import NotKnown, TooLarge
from unspoken.noise.calibration import METHODS, calibrate, composed

SHARED = unspoken.Joint([[15, 5], [10, 70]], premise="learned(100)")
APART = unspoken.Joint([[0.25, 0.25], [0.25, 0.25]])
ROWS = [(i, j) for (i, j), n in np.ndenumerate(SHARED.table) for _ in range(round(2000 * n))]
TABLE = pa.table({"x0": [i for i, _ in ROWS], "x1": [j for _, j in ROWS]})
COPIES = unspoken.Joint([[0.5, 0.0], [0.0, 0.5]])


def leak(belief: Any, scale: float, knows: str, measure: Any) -> float:
    """By views alone, for each adversary."""
    names, largest = belief.domain.names, 0.0
    for target in names:
        others = [name for name in names if name != target]
        sizes = range(len(names)) if knows == "anything" else [0]
        for known in itertools.chain(*(itertools.combinations(others, k) for k in sizes)):
            who = unspoken.Adversary(target, knows=known)
            bound = unspoken.leakage(belief, unspoken.Laplace(scale), who, measure)
            largest = max(largest, bound.value)
    return largest


@pytest.mark.slow
@pytest.mark.parametrize("knows", ["nothing", "anything"])
@pytest.mark.parametrize(
    ("measure", "limit"), [("max-log-ratio", 0.7), ("mutual-information", 0.1)]
)
@pytest.mark.parametrize("floor", [True, False])
def test_finitely_many(knows: str, measure: Any, limit: float, floor: bool) -> None:
    """As much as the one that needs most, and what it leaves is the worst of them."""
    members = [APART, COPIES, SHARED]
    options: dict[str, Any] = {"limit": limit, "measure": measure, "knows": knows, "floor": floor}
    alone = [calibrate(member, **options).scale for member in members]
    for order in ((0, 1, 2), (2, 1, 0)):
        together = calibrate(unspoken.Beliefs([members[k] for k in order]), **options)
        assert together.scale == pytest.approx(max(alone), rel=1e-10)
        assert leak(together.problem.belief, together.scale, knows, measure) <= limit * (1 + 1e-9)
        assert together.bound.value <= limit
        assert together.bound.low == pytest.approx(limit, rel=1e-7)
        assert together.bound.premise == "learned(100)"
    assert "worst of 3 beliefs" in together.bound.why


def test_of_one_belief_a_set_is_that_belief() -> None:
    assert calibrate(unspoken.Beliefs([SHARED]), limit=0.3).scale == (
        calibrate(SHARED, limit=0.3).scale
    )


@pytest.mark.slow
@pytest.mark.parametrize("knows", ["nothing", "anything"])
@pytest.mark.parametrize(
    "beliefs",
    [
        unspoken.Box.within(SHARED, 0.1),
        unspoken.Box.around(SHARED, 0.02),
        unspoken.Beliefs([unspoken.Box.within(SHARED, 0.1), COPIES]),
        unspoken.GaussianBall(unspoken.Gaussian([[1, 0.5], [0.5, 2]], [3, 3]), 0.1),
        unspoken.learn(TABLE, confidence=0.95),
        unspoken.learn(TABLE, secrets={"x0": [0], "x1": [0]}, confidence=0.95),
        unspoken.Frechet({"x0": [0.2, 0.8], "x1": [0.25, 0.75]}),
    ],
    ids=["within", "around", "mixed", "ball", "learned box", "learned intervals", "frechet"],
)
def test_sets_that_cannot_be_listed(beliefs: Any, knows: str) -> None:
    """Their views answer: the scale keeps the limit, and hardly less does not."""
    found = calibrate(beliefs, limit=0.8, knows=knows, floor=False)
    assert leak(beliefs, found.scale, knows, "max-log-ratio") <= 0.8 * (1 + 1e-12)
    assert leak(beliefs, found.scale * 0.999, knows, "max-log-ratio") > 0.8
    assert found.bound.value <= 0.8


def test_what_a_set_cannot_be_asked() -> None:
    box = unspoken.Box.within(SHARED, 0.1)
    for method in METHODS:
        with pytest.raises(NotKnown, match="needs beliefs that can be listed"):
            calibrate(box, limit=1.0, knows="nothing", method=method)
    with pytest.raises(NotKnown, match="box"):
        calibrate(box, limit=0.1, measure="mutual-information")
    wide = unspoken.Box.within(unspoken.Joint(np.full((2,) * 11, 1.0)), 0.1)
    with pytest.raises(TooLarge, match="11 variables are too many"):
        calibrate(wide, limit=1.0)


def test_methods_serve_every_member() -> None:
    both = unspoken.Beliefs([APART, SHARED])
    for method in ("mean", "dpm", "group", "wasserstein", "budget"):
        each = [
            calibrate(member, limit=0.7, knows="nothing", method=method).scale
            for member in (APART, SHARED)
        ]
        found = calibrate(both, limit=0.7, knows="nothing", method=method)
        assert found.scale == max(each)


def test_side_by_side() -> None:
    both = unspoken.Beliefs([APART, SHARED])
    rows = {row.name: row for row in unspoken.compare(both, limit=0.7).rows}
    assert rows["exact"].scale == calibrate(both, limit=0.7).scale
    assert rows["exact"].left is not None
    assert rows["exact"].left.value == pytest.approx(0.7, rel=1e-9)
    assert "set of beliefs" in rows["pearson"].refused
    boxed = {r.name: r for r in unspoken.compare(unspoken.Box.within(SHARED, 0.1), limit=0.7).rows}
    assert boxed["exact"].scale is not None
    assert "can be listed" in boxed["mean"].refused


@pytest.mark.parametrize("verb", [calibrate, unspoken.compare])
def test_what_is_no_belief_gets_one_line(verb: Any) -> None:
    for wrong in ([[0.5, 0.5]], None, 3, "joint", unspoken.Laplace(1.0)):
        with pytest.raises(
            unspoken.UnspokenError, match=f"{verb.__name__}.belief: .* is no belief"
        ):
            verb(wrong, limit=1.0)


def test_answers_about_a_set_together() -> None:
    """Whichever of them is true; listed, or an interval for every cell."""
    both = unspoken.Beliefs([APART, SHARED])
    answer = calibrate(both, limit=0.5, knows="nothing")
    told = composed([answer, answer])
    two = unspoken.Together([answer.mechanism, answer.mechanism])
    each = [unspoken.leakages(member, two).values() for member in (APART, SHARED)]
    assert told.value == pytest.approx(max(b.high for bounds in each for b in bounds), rel=1e-9)
    boxed = calibrate(unspoken.Box.within(SHARED, 0.1), limit=0.5)
    two = unspoken.Together([boxed.mechanism, boxed.mechanism])
    everybody = unspoken.worst(boxed.problem.belief, two).bound
    assert composed([boxed, boxed]).value == pytest.approx(everybody.value, rel=1e-12)
    assert everybody.value <= 1.0
