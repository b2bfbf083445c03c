"""Intervals from counts: what they leave possible is what was, as often as they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.tables.learning.intervals.confidence import Clusters, box, cells_box
from unspoken.tables.learning.intervals.noise_law import reach, reach_of_sum

EVENTS = {"x0": (0,)}


def laplace(rng: np.random.Generator, scale: float, size: Any) -> Any:
    """Discrete Laplace noise, as the difference of two geometric numbers."""
    gone = -math.expm1(-1 / scale)
    return rng.geometric(gone, size) - rng.geometric(gone, size)


def plug_in(counts: Any) -> unspoken.Joint:
    return unspoken.Joint(np.clip(counts, 1, None))


@pytest.mark.parametrize(("terms", "scale"), [(1, 8.0), (2, 0.7), (60, 8.0)])
def test_sums_of_noise_go_that_far_and_hardly_less(terms: int, scale: float) -> None:
    """The exact law: of one count in closed form, of more by convolving it."""
    a, far = math.exp(-1 / scale), 2000
    one = (1 - a) / (1 + a) * a ** np.abs(np.arange(-far, far + 1.0))
    law = one
    for _ in range(terms - 1):
        law = np.convolve(law, one, "same")
    for chance in (0.05, 1e-4):
        t = reach_of_sum(terms, scale, chance)
        tails = [law[: far - s].sum() + law[far + s + 1 :].sum() for s in (t, t - 2)]
        assert tails[0] <= chance < tails[1]


def test_all_counts_at_once() -> None:
    assert reach(1000, 8.0, 0.01) == math.ceil(8 * math.log(1000 / 0.01))


def test_exact_counts_give_clopper_and_pearson() -> None:
    """By hand: 30 and 20 of 50 rows with the event, at the chance each end has."""
    counts = np.array([[30, 20], [5, 45]])
    declared = box(counts, plug_in(counts), EVENTS, rows=100).events["x0", (0,)]
    each = 0.05 / 6  # two ends of either side, and those of P(event)
    from_scipy = pytest.importorskip("scipy.stats").beta
    assert declared.up[0] == pytest.approx(from_scipy.ppf(1 - each, 31, 20), rel=1e-9)
    assert declared.low[1] == pytest.approx(from_scipy.ppf(each, 20, 31), rel=1e-9)
    assert declared.low[0] == pytest.approx(1 - declared.up[1], abs=1e-12)  # two cells, mass 1
    assert declared.weight[0] == pytest.approx(from_scipy.ppf(each, 50, 51), rel=1e-9)


def test_noise_units_and_events_widen() -> None:
    counts = np.array([[300, 200], [50, 450]])
    belief = plug_in(counts)

    def width(events: Any = EVENTS, **asked: Any) -> float:
        declared = box(counts, belief, events, rows=1000, **asked).events["x0", (0,)]
        return float((declared.up - declared.low).max())

    plain = width()
    assert plain < width({"x0": (0,), "x1": (0,)})
    assert plain < width(scale=4.0) < width(scale=8.0)
    assert plain < width(units=Clusters(100, 10)) < width(units=Clusters(100, 10), scale=8.0)
    assert plain < width(confidence=0.99)


def test_the_premise_is_its_level() -> None:
    counts = np.array([[30, 20], [5, 45]])
    held = box(counts, plug_in(counts), EVENTS, rows=100, confidence=0.9)
    moved = unspoken.odds(
        held,
        unspoken.OneSided({"x1": 1.0}),
        unspoken.Adversary("x0", secret=[0]),
        outcome={"x1": unspoken.WITHHELD},
    )
    assert held.premise == moved.premise == "box(90 %)"
    assert moved.low > 1


def test_whatever_the_noise_did_there_is_a_set() -> None:
    """Counts that no table has: then nothing is known."""
    counts = np.array([[-400, -300], [900, 10]])
    declared = box(counts, plug_in(counts), EVENTS, rows=20, scale=1.0).events["x0", (0,)]
    assert (declared.low[:2] == 0).all()
    assert (declared.up[:2] == 1).all()


def test_what_is_refused() -> None:
    counts = np.array([[30, 20], [5, 45]])
    with pytest.raises(InputError, match="confidence: 1"):
        box(counts, plug_in(counts), EVENTS, rows=100, confidence=1.0)
    with pytest.raises(InputError, match="a row at least"):
        Clusters(3, 0)


def test_where_all_is_secret_each_value_is_an_event() -> None:
    counts = np.array([[30, 20, 10], [5, 45, 10]])
    held = box(counts, plug_in(counts), {"x0": (1, 0), "x1": (0, 1, 2)}, rows=120)
    assert {*held.events} == {("x0", (0,)), *(("x1", (value,)) for value in range(3))}
    assert held.holds(counts.ravel() / 120)


def test_without_an_event() -> None:
    counts = np.array([[30, 20], [5, 45]])
    held = cells_box(counts, plug_in(counts), rows=100)
    assert held.holds(counts.ravel() / 100)
    assert held.premise == "box(95 %)"
    wider = cells_box(counts, plug_in(counts), rows=100, units=Clusters(10, 10))
    assert (wider.ends.upper > held.ends.upper).all()


def test_ends_with_noise_and_with_units_by_hand() -> None:
    """The upper end is that of t more among the fewest rows, the lower one of t less of the most.

    Of units sums are rounded outward to whole ones, and chances are divided by e.
    """
    beta = pytest.importorskip("scipy.stats").beta
    counts = np.array([[300, 150, 50], [80, 400, 20]])
    missed, scale = 0.05, 3.0
    t = math.ceil(scale * math.log(6 / (0.1 * missed)))
    sums = reach_of_sum(3, scale, 0.1 * missed)
    declared = box(counts, plug_in(counts), EVENTS, rows=1000, scale=scale).events["x0", (0,)]
    each = 0.8 * missed / (6 + 6 + 2)
    fewest, most = 500 - sums, 500 + sums
    up = beta.isf(each, 150 + t + 1, fewest - 150 - t)
    low = beta.ppf(each, 150 - t, most - 150 + t + 1)
    assert declared.up[1] == pytest.approx(up, rel=1e-9)
    assert declared.low[1] == pytest.approx(low, rel=1e-9)

    many, units = 100 * counts, Clusters(5000, 30)
    declared = box(many, plug_in(many), EVENTS, rows=100_000, units=units).events["x0", (0,)]
    each = missed / (6 + 6 + 4) / math.e
    whole = [beta.ppf(each, 1666, 3335), beta.isf(each, 1668, 3333)]  # of 50,000 / 30
    own = [beta.ppf(each, 500, 4501), beta.isf(each, 501, 4500)]  # 15,000 / 30 is 500
    assert declared.low[1] == pytest.approx(own[0] / whole[1], rel=1e-9)
    assert declared.up[1] == pytest.approx(own[1] / whole[0], rel=1e-9)


@pytest.mark.slow
def test_pairs_of_variables_are_known_better_than_thin_cells() -> None:
    """A hundred cells and noise: what one variable says is still seen, and the truth is inside."""
    rng = np.random.default_rng(5)
    law = rng.dirichlet(np.full(120, 0.5)).reshape(2, 3, 20)
    mechanism = unspoken.OneSided({"x1": 1.0}, {"x1": [0]})
    who = unspoken.Adversary("x0", secret=[0], sees=["x1"])
    seen = {"outcome": {"x1": unspoken.WITHHELD}}
    truth = unspoken.odds(unspoken.Joint(law), mechanism, who, **seen).high
    for _ in range(10):
        counts = rng.multinomial(4000, law.ravel()) + laplace(rng, 4.0, 120)
        shape = counts.reshape(law.shape)
        held = box(shape, plug_in(shape), EVENTS, rows=4000, scale=4.0)
        assert len(held.margins) == 2
        assert held.holds(law.ravel())
        found = unspoken.odds(held, mechanism, who, **seen).high
        whole = held.events["x0", (0,)]
        ends = whole.low.reshape(law.shape), whole.up.reshape(law.shape)
        alone = unspoken.Intervals(held.centre, {("x0", (0,)): ends})
        assert truth < found < unspoken.odds(alone, mechanism, who, **seen).high
        assert found < 1.6 * truth


def test_rows_that_are_known_to_so_many_only_leave_more_possible() -> None:
    """Whatever number between the two there are, what it leaves possible is within."""
    counts = np.random.default_rng(3).integers(5, 200, (3, 4))
    belief = unspoken.Joint(counts, ["late", "use"])
    rows, events = int(counts.sum()), {"late": [belief.domain.values[0][0]]}
    wide = box(counts, belief, events, rows=rows + 40, fewest=rows - 40, scale=3.0)
    for there in (rows - 40, rows, rows + 40):
        exact = box(counts, belief, events, rows=there, scale=3.0)
        for outer, inner in zip(wide.events.values(), exact.events.values(), strict=True):
            assert (outer.low <= inner.low).all()
            assert (outer.up >= inner.up).all()
            assert outer.weight[0] <= inner.weight[0]
            assert outer.weight[1] >= inner.weight[1]
