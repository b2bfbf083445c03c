"""Clouds at every p, and what no p within the limits exceeds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from unspoken.planning.frontier import LowerSet, search
from unspoken.planning.joint_law import JointLaw
from unspoken.planning.limits import Limits
from unspoken.planning.supports import worst_by_support


def drawn(rng: np.random.Generator) -> Enumerated:
    shape = tuple(int(size) for size in rng.integers(2, 4, int(rng.integers(1, 5))))
    table = rng.dirichlet(np.full(math.prod(shape), 0.5)).reshape(shape)
    hidden = [
        tuple(sorted(rng.permutation(size)[: rng.integers(1, size + 1)].tolist())) for size in shape
    ]
    return Enumerated(table, hidden)


def joint_law_of(e: Enumerated) -> JointLaw:
    belief = unspoken.Joint(e.table)
    names = belief.domain.names
    hidden = {name: tuple(own) for name, own in zip(names, e.sensitive, strict=True)}
    return JointLaw.of(belief, hidden, hidden, names)


@given(st.integers(0, 2**32 - 1))
@examples(60)
def test_a_cloud_tells_what_enumeration_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    joint = joint_law_of(e)
    p = rng.random(e.table.ndim) * (rng.random(e.table.ndim) < 0.8)
    answers = joint.at(p)
    said = e.said(p)
    cap = 1.5
    assert answers.mass.sum() == pytest.approx(1.0)
    assert answers.information == pytest.approx([told for told, *_ in said], rel=1e-9, abs=1e-14)
    worst = max(worst for _, worst, *_ in said)
    if worst > 0:
        assert answers.log_odds() == pytest.approx(math.log(worst), abs=1e-10)
    above = [mass[factor > cap].sum() for *_, factor, mass in said]
    assert answers.above(math.log(cap)) == pytest.approx(above, abs=1e-12)
    # What is necessary for an exemption never exceeds what the exemption counts.
    for event, beyond in zip(joint.events, answers.hockey_stick(math.log(cap)), strict=True):
        assert beyond <= above[event.target] + 1e-12


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@examples(40)
def test_ceilings_hold_for_every_point_of_a_box(seed: int) -> None:
    """The ceiling of a random box is above what any kept point in it reaches."""
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    joint, n = joint_law_of(e), e.table.ndim
    limits = Limits(dict.fromkeys(joint.targets, 0.1), 3.0, float(rng.choice([0, 0.05])))
    weights = rng.random(n)
    inner, outer = limits.tightened(), limits.eased()
    lower = LowerSet(
        weights,
        np.ones(n),
        lambda p: inner.excesses(joint.at(p)),
        lambda p: outer.excesses(joint.at(p)),
        None if limits.exceed else worst_by_support(joint) > outer.log_cap,
        budget=300,
    )
    found = search(lower)
    assert (limits.tightened().excesses(joint.at(found.p)) <= 0).all()
    for _ in range(60):
        p = rng.random(n) ** 3 * (rng.random(n) < 0.7)
        if limits.kept(joint.at(p)):
            assert float(weights @ p) <= found.upper * (1 + 1e-9) + 1e-15
