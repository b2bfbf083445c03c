"""A listed cloud, point by point against Bayes' rule over all assignments and outputs."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.views import FiniteView

NAMES, SIZES = "ABC", (2, 3, 3)
SECRET = [0, 2]


def table(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(18, 0.4)).reshape(SIZES)
    joint[1, 2] = 0.0
    return joint / joint.sum()


def channel(seed: int, rows: int) -> np.ndarray:
    law = np.random.default_rng(seed).dirichlet(np.full(3, 0.5), size=rows)
    law[law < 0.05] = 0.0
    return law / law.sum(1, keepdims=True)


def enumerated(joint: np.ndarray, laws: dict[str, np.ndarray], knows: tuple[str, ...]) -> Any:
    """{values known: {outcome: P(secret 0, secret 2, neither; outcome | known)}}."""
    cloud: Any = defaultdict(lambda: defaultdict(lambda: np.zeros(3)))
    for cell in itertools.product(*map(range, SIZES)):
        known = tuple(cell[NAMES.index(name)] for name in knows)
        group = [0, 2, 1][cell[2]]  # the value 1 is the class "not sensitive", listed last
        for outcome in itertools.product(*(range(law.shape[1]) for law in laws.values())):
            seen = zip(laws.items(), outcome, strict=True)
            mass = np.prod([law[cell[NAMES.index(name)], y] for (name, law), y in seen])
            cloud[known][outcome][group] += joint[cell] * mass
    shares = {known: sum(masses.sum() for masses in own.values()) for known, own in cloud.items()}
    return {
        known: {y: masses / shares[known] for y, masses in own.items()}
        for known, own in cloud.items()
        if shares[known] > 0
    }


def peak(after: Posteriors) -> np.ndarray:
    """A convex function of one's own: of the posterior only."""
    return np.asarray((after.posterior**2).sum(-1))


def several(after: Posteriors) -> np.ndarray:
    """Three of them: the worst counts, and it is not the same everywhere."""
    return np.asarray(after.posterior)


def values(f: Any, masses: np.ndarray) -> np.ndarray:
    q = masses / masses.sum()
    return np.array([(q**2).sum()]) if f is peak else q


CASES = [(seed, knows) for seed in range(8) for knows in ((), ("A",), ("B",), ("A", "B"))]


def asked(seed: int, knows: Any) -> tuple[FiniteView, Any]:
    laws = {"A": channel(seed, 2), "B": channel(seed + 50, 3)}
    if knows:
        laws = {name: law for name, law in laws.items() if name not in knows}
    mechanism = unspoken.Together(
        [unspoken.Finite(name, law) for name, law in laws.items()]
        or [unspoken.Finite("C", np.ones((3, 1)))]
    )
    adversary = unspoken.Adversary("C", secret=SECRET, knows=knows)
    view = unspoken.view(unspoken.Joint(table(seed), names=NAMES), mechanism, adversary)
    assert isinstance(view, FiniteView)
    return view, enumerated(table(seed), laws, knows)


@pytest.mark.parametrize(("seed", "knows"), CASES)
def test_every_point_of_the_cloud(seed: int, knows: tuple[str, ...]) -> None:
    view, truth = asked(seed, knows)
    points = {
        (
            tuple(point.known[name] for name in knows),
            tuple(point.outcome[name] for name in "AB" if name in point.outcome),
        ): point
        for point in view.outcomes()
    }
    listed = {
        (known, outcome): masses
        for known, own in truth.items()
        for outcome, masses in own.items()
        if masses.sum() > 0
    }
    assert points.keys() == listed.keys()
    for place, masses in listed.items():
        point = points[place]
        assert point.mass == pytest.approx(masses.sum(), rel=1e-12)
        posterior = list(point.posterior.values())
        assert posterior == pytest.approx(masses / masses.sum(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("seed", "knows"), CASES)
@pytest.mark.parametrize("f", [peak, several])
def test_the_largest_and_the_mean(seed: int, knows: tuple[str, ...], f: Any) -> None:
    view, truth = asked(seed, knows)
    largest = max(
        float(values(f, masses).max())
        for own in truth.values()
        for masses in own.values()
        if masses.sum() > 0
    )
    means = [
        sum(masses.sum() * values(f, masses) for masses in own.values() if masses.sum() > 0)
        for own in truth.values()
    ]
    asked_for = Functional(f) if f is several else f  # of a user's own, one number each
    assert view.sup(asked_for).value == pytest.approx(largest, rel=1e-12)
    assert view.sup(asked_for).exact
    assert view.mean(asked_for).value == pytest.approx(
        max(float(mean.max()) for mean in means), rel=1e-12
    )
    worst = view.worst(asked_for)
    assert worst is not None
    reached = values(f, np.array(list(worst.posterior.values()))).max()
    assert reached == pytest.approx(largest, rel=1e-12)


def test_what_cannot_be_seen_is_never_the_worst() -> None:
    """The first output has no mass: what f says of it does not count."""
    law = np.array([[0.0, 0.5, 0.5], [0.0, 0.4, 0.6]])
    view = unspoken.view(
        unspoken.Joint([0.5, 0.5], names="A"), unspoken.Finite("A", law), unspoken.Adversary("A")
    )

    def unmoved(after: Posteriors) -> np.ndarray:
        return np.where((after.log_lift == 0).all(-1), 100.0, 1.0)

    for bound in (view.sup(unmoved), view.mean(unmoved)):
        assert bound.exact
        assert bound.low <= 1.0 <= bound.high <= 1.0 + 1e-13
    assert [point.outcome["A"] for point in view.outcomes()] == [1, 2]


def test_revealed_and_never() -> None:
    view, _ = asked(1, ())
    told = view.revealed()
    assert told.sup(peak).value == pytest.approx(1.0)
    assert told.mean(peak).value == pytest.approx(1.0)
    assert view.never().sup(peak).status == "impossible"


def test_what_is_no_function_is_refused_in_one_line() -> None:
    view = unspoken.view(
        unspoken.Joint([[3, 1], [1, 3]]), unspoken.Laplace(1.0), unspoken.Adversary("x0")
    )
    coins = unspoken.OneSided({"x0": 1.0}, {"x0": [0]})
    for asked in (view, unspoken.view(unspoken.Joint([3, 1]), coins, unspoken.Adversary("x0"))):
        for answer in (asked.sup, asked.mean):
            with pytest.raises(unspoken.UnspokenError, match="take a function of posteriors"):
                answer({"x0": 1.0})  # type: ignore[arg-type]
