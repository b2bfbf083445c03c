"""The concave envelope is one, and its relaxation bounds at any price."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.planning.joints import Task, curves, one_cause, tasks
from unspoken.planning.bits.envelope import Envelope, envelope
from unspoken.planning.bits.items import Items
from unspoken.planning.bits.maximise import maximise
from unspoken.planning.bits.objective_curves import ObjectiveCurves
from unspoken.planning.bits.relaxation import bound, relax, rest


def is_envelope(field: ObjectiveCurves, env: Envelope) -> bool:
    """Convex on [lo, knee], then nowhere below the chord, and no steeper before than on it."""
    right = bool(((env.lo <= env.knee) & (env.knee <= env.hi)).all())
    turn = (env.at_hi - env.at_knee) - field.jet(env.knee).slope * (env.hi - env.knee)
    right &= bool((turn >= -1e-9 * env.at_hi)[env.knee > env.lo].all())
    slope = np.zeros(field.n)
    for share in np.linspace(0.0, 1.0, 41):
        chord = env.at_knee + share * (env.at_hi - env.at_knee)
        curve = field.curves.leakage(env.knee + share * (env.hi - env.knee))
        before, slope = slope, field.jet(env.lo + share * (env.knee - env.lo)).slope
        right &= bool(((curve >= chord * (1.0 - 1e-12)) & (before <= slope * (1.0 + 1e-9))).all())
    return right


# Intervals that end below 1e-270 are nothing to planning/bits/maximise.py, no envelope's concern.
SHARES = st.one_of(st.just(0.0), st.floats(1e-200, 1.0))


@pytest.mark.slow
@given(tasks(), SHARES, SHARES)
def test_the_envelope_is_one(task: Task, one: float, two: float) -> None:
    field, _, caps, _ = task
    varies = np.flatnonzero(field.curvature_at_zero > 0.0)
    by, caps = ObjectiveCurves(field.take(varies), "epsilon"), np.minimum(caps[varies], 700.0)
    lo, hi = (np.asarray(x * caps) for x in sorted((one, two)))
    assert is_envelope(by, envelope(by, lo, hi))


@pytest.mark.parametrize("moved", [-0.1, 0.1])
def test_a_knee_in_a_wrong_place_is_noticed(moved: float) -> None:
    field = ObjectiveCurves(curves(one_cause(6, 4)), "epsilon")
    env = envelope(field, np.zeros(6), np.ones(6))
    assert is_envelope(field, env)
    inside = (env.knee > 0.2) & (env.knee < 0.8)
    assert inside.sum() == 4
    knee = env.knee + np.where(inside, moved, 0.0)
    assert not is_envelope(field, env._replace(knee=knee, at_knee=field.curves.leakage(knee)))


@pytest.mark.slow
@given(tasks(), st.floats(-6.0, 6.0), st.integers(0, 99))
def test_any_price_certifies(task: Task, log_price: float, seed: int) -> None:
    """Weak duality: the bound at a bad price is loose, never wrong."""
    field, weights, caps, limit = task
    keep = np.flatnonzero((field.curvature_at_zero > 0.0) & (weights > 0.0) & (caps > 0.0))
    items = Items.of(ObjectiveCurves(field.take(keep), "epsilon"), weights[keep], caps[keep], limit)
    smooth, env = items.smooth, items.root
    now = rest(smooth, env, math.exp(log_price))
    most = bound(smooth, env, items.weights, limit, now)
    rng = np.random.default_rng(seed)
    for sparse in (0.0, 0.7):
        point = items.ends * rng.uniform(0.0, 1.0, len(keep)) * (rng.random(len(keep)) >= sparse)
        while items.curves.curves.total(point) > limit:
            point = 0.7 * point
        assert items.gain(point) <= most
    solution = maximise("epsilon", field, weights, caps, limit)
    assert items.gain(solution.epsilon[keep]) <= most


@pytest.mark.parametrize("share", [1e-4, 0.03, 0.2, 0.7])
@pytest.mark.parametrize("seed", range(4))
def test_the_relaxation_meets_the_limit(seed: int, share: float) -> None:
    """Its point is the optimum if no item is off its curve; else that item is moved to fit."""
    field, rng = curves(one_cause(6, seed)), np.random.default_rng(seed)
    weights, caps = rng.uniform(0.2, 2.0, 6), rng.uniform(0.3, 5.0, 6)
    limit = share * float(field.leakage(caps).sum())
    items = Items.of(ObjectiveCurves(field, "epsilon"), weights, caps, limit)
    found = relax(items.smooth, items.root, weights, limit)
    assert found is not None
    at, _ = found
    assert float(at.leakage.sum()) <= limit * (1.0 + 1e-9)
    point = items.completed(items.root, at)
    assert field.total(point) == pytest.approx(limit, rel=1e-12)
    if at.partial is None:
        assert items.gain(point) == pytest.approx(at.upper, rel=1e-11)
