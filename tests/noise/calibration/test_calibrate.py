"""Calibration against its definition: the limit is kept, and a little less noise breaks it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.computed import computed
from tests.effort import examples
from tests.noise.calibration.joints import random_joint
from tests.work import count_calls
from unspoken.core.adversary import Adversary
from unspoken.core.measures import MeasureName
from unspoken.core.mechanisms import Geometric, Laplace
from unspoken.noise.calibration import Calibrated, calibrate
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.wasserstein import distance

pytestmark = pytest.mark.slow

PAIR = unspoken.Joint([[0.3, 0.15, 0.05], [0.05, 0.1, 0.35]], values=[[0, 1], [0, 0.5, 1]])
COPIES = unspoken.Joint([[0.5, 0.0], [0.0, 0.5]])
XOR = unspoken.Joint([[[0.25, 0], [0, 0.25]], [[0, 0.25], [0.25, 0]]])
STICKY = [[0.9, 0.1], [0.2, 0.8]]
TWO_KINDS = {"x0": 1.0, "x1": 2.0, "x2": 1.0, "x3": 2.0, "x4": 2.0}


def everybody(names: tuple[str, ...]):
    for target in names:
        others = [name for name in names if name != target]
        for size in range(len(names)):
            for known in itertools.combinations(others, size):
                yield unspoken.Adversary(target, knows=known)


def worst_of(belief, mechanism, knows, measure, options) -> float:
    names = belief.domain.names
    if knows == "anything":
        looking = list(everybody(names))
    else:
        known = () if knows == "nothing" else knows
        looking = [unspoken.Adversary(n, knows=known) for n in names if n not in known]
    return max(computed(belief, mechanism, own, measure, **options).value for own in looking)


@pytest.mark.parametrize(
    ("measure", "limit", "options"),
    [
        ("max-log-ratio", 1.0, {}),
        ("max-information", 0.5, {}),
        ("max-information-two-sided", 0.5, {}),
        ("relative-entropy", 0.1, {}),
        ("mutual-information", 0.05, {}),
        ("maximal-leakage", 0.3, {}),
        ("bayes-leakage", 0.1, {}),
        ("guessing", 0.1, {}),
        ("exclusion", 0.1, {}),
        ("odds", 2.0, {}),
        ("delta", 0.05, {"eps": 0.5}),
    ],
)
@pytest.mark.parametrize("knows", ["anything", "nothing", ["x0"]])
def test_any_measure(
    measure: MeasureName, limit: float, options: dict, knows: str | list[str]
) -> None:
    found = calibrate(PAIR, limit=limit, measure=measure, knows=knows, floor=False, **options)
    leak = worst_of(PAIR, found.mechanism, knows, measure, options)
    assert leak <= limit
    assert found.bound.value == pytest.approx(leak, rel=1e-9)
    if found.scale:
        less = Laplace(found.scale * (1 - 1e-6))
        assert worst_of(PAIR, less, knows, measure, options) > limit
    floored = calibrate(PAIR, limit=limit, measure=measure, knows=knows, **options)
    assert floored.scale >= found.scale * (1 - 1e-9)
    for name in PAIR.domain.names:  # each variable by itself, all else known and independent
        law = unspoken.Independent([PAIR.marginal([name])], [name], [PAIR.domain.values_of(name)])
        own = unspoken.Adversary(name)
        assert computed(law, Laplace(floored.scale), own, measure, **options).value <= limit


@pytest.mark.stress
@examples(15)
@given(st.integers(0, 2**32 - 1))
def test_least_noise(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, values = random_joint(rng)
    belief = unspoken.Joint(table, values=[v.tolist() for v in values])
    weights = rng.choice([-1.0, 0.5, 1.0, 2.0], table.ndim).tolist()
    limit = float(rng.uniform(0.2, 3.0))
    for knows in ("anything", "nothing", ["x1"]):
        found = calibrate(belief, weights, limit=limit, knows=knows, floor=False)
        assert worst_of(belief, found.mechanism, knows, "max-log-ratio", {}) <= limit
        if found.scale:
            less = Laplace(found.scale * (1 - 1e-6), weights)
            assert worst_of(belief, less, knows, "max-log-ratio", {}) > limit


def test_no_noise_at_all() -> None:
    """The difference of two copies is always 0; a copy by itself has to be hidden all the same."""
    for knows in ("anything", "nothing"):
        free = calibrate(COPIES, [1, -1], limit=1.0, knows=knows, floor=False)
        assert (free.scale, free.bound.value) == (0.0, 0.0)
        floored = calibrate(COPIES, [1, -1], limit=1.0, knows=knows)
        assert (floored.scale, floored.bound.value) == (1.0, 0.0)
    assert calibrate(PAIR, [0, 0], limit=1.0).scale == 0.0
    noisy = unspoken.Joint([[0.3, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.1]])
    assert calibrate(noisy, [0, 1], limit=1.0, knows="nothing", floor=False).scale > 0


def test_noise_from_the_data_counts_without_a_floor() -> None:
    """Many fair coins hide one another, until somebody knows them."""
    coins = unspoken.Independent([[0.5, 0.5]] * 100)
    assert calibrate(coins, limit=1.0).scale == 1.0
    assert calibrate(coins, limit=1.0, knows="nothing").scale == pytest.approx(1.0)
    assert calibrate(coins, limit=1.0, floor=False).scale == pytest.approx(1.0)
    rare = unspoken.Joint(np.full((2, 2), 0.25))
    assert calibrate(rare, limit=0.01, measure="mutual-information").scale > 0


def test_vector_queries_and_floors() -> None:
    weights = {"x0": [1.0, 0.0], "x1": [0.0, 2.0]}
    found = calibrate(PAIR, weights, limit=1.0)
    assert worst_of(PAIR, found.mechanism, "anything", "max-log-ratio", {}) <= 1.0
    assert found.scale >= 2.0
    both = calibrate(PAIR, {"x0": [1.0, 1.0], "x1": [0.0, 0.0]}, limit=1.0, knows=["x1"])
    assert both.scale == pytest.approx(2.0)
    for method in ("group", "mean", "dpm"):
        own = calibrate(PAIR, weights, limit=1.0, method=method, knows="nothing")
        assert worst_of(PAIR, own.mechanism, "nothing", "max-log-ratio", {}) <= 1.0


def test_geometric_noise() -> None:
    flu = unspoken.Exchangeable([0.1, 0.15, 0.5, 0.15, 0.1], 4)
    found = calibrate(flu, limit=1.0, noise="geometric")
    assert isinstance(found.mechanism, Geometric)
    assert found.mechanism.alpha == pytest.approx(np.exp(-1 / found.scale))
    assert worst_of(flu, found.mechanism, "anything", "max-log-ratio", {}) <= 1.0
    less = Geometric(np.exp(-1 / (found.scale * (1 - 1e-6))))
    assert worst_of(flu, less, "anything", "max-log-ratio", {}) > 1.0
    with pytest.raises(unspoken.UnspokenError, match="whole number"):
        calibrate(PAIR, limit=1.0, noise="geometric")


@pytest.mark.parametrize(
    "belief",
    [
        unspoken.Chain([0.6, 0.4], STICKY, 5),
        unspoken.Tree([-1, 0, 0, 1], [0.5, 0.5], STICKY),
        unspoken.Exchangeable([5, 1, 1, 2, 4], 4),
        unspoken.Independent([[0.2, 0.8], [0.5, 0.5]]),
        unspoken.Joint(np.arange(1, 9).reshape(2, 2, 2)),
    ],
    ids=lambda own: type(own).__name__,
)
@pytest.mark.parametrize("knows", ["anything", "nothing", ["x1"]])
def test_every_belief(belief, knows) -> None:
    """Of each the worst adversary comes up to the limit, and no further."""
    found = calibrate(belief, limit=0.8, knows=knows)
    leak = worst_of(belief, found.mechanism, knows, "max-log-ratio", {})
    assert leak <= 0.8 * (1 + 4e-16)  # that itself is rounded
    assert found.scale == pytest.approx(1 / 0.8) or leak == pytest.approx(0.8, rel=1e-9)
    names = belief.domain.names
    table = unspoken.Joint(belief.marginal(names), names, belief.domain.values)
    same = calibrate(table, limit=0.8, knows=knows).scale
    assert found.scale == pytest.approx(same, rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "noise", "weights"),
    [
        ("mutual-information", "laplace", None),
        ("mutual-information", "geometric", TWO_KINDS),
        ("relative-entropy", "laplace", TWO_KINDS),
        ("guessing", "geometric", None),
    ],
)
def test_of_a_kind_one_is_looked_at(measure, noise, weights) -> None:
    """Who knows equally many of variables that are alike learns as much: as of the same table."""
    belief = unspoken.Exchangeable(np.array([5, 1, 1, 2, 4, 3]) / 16, 5)
    found = calibrate(belief, weights, limit=0.05, measure=measure, noise=noise, floor=False)
    leak = worst_of(belief, found.mechanism, "anything", measure, {})
    assert 0.05 * (1 - 1e-9) <= leak <= 0.05
    names = belief.domain.names
    table = unspoken.Joint(belief.marginal(names), names, belief.domain.values)
    same = calibrate(table, weights, limit=0.05, measure=measure, noise=noise, floor=False)
    assert found.scale == pytest.approx(same.scale, rel=1e-9)
    assert found.bound.why == same.bound.why


def test_many_of_a_kind_are_not_all_looked_at_for_every_scale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is done with once it keeps the limit, and the least scale is no search over all."""
    looks, most = list[Adversary](), NoiseProblem.most

    def counted(self: NoiseProblem, who: Adversary, scale: float, pieces: int = 1) -> float:
        looks.append(who)
        return most(self, who, scale, pieces)

    monkeypatch.setattr(NoiseProblem, "most", counted)
    belief, answers = unspoken.Exchangeable(np.full(121, 1 / 121), 120), list[Calibrated]()
    calls = count_calls(
        lambda: answers.append(calibrate(belief, limit=0.1, measure="mutual-information"))
    )
    assert 120 <= len(looks) < 2 * 120
    assert calls < 5_000_000  # and a look is no search either: these take half of it
    (found,) = answers
    assert found.scale == pytest.approx(24.71, rel=1e-3)
    assert found.bound.why == "x0, to somebody who knows nothing else"


def test_gaussian() -> None:
    covariance = [[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]]
    belief = unspoken.Gaussian(covariance, [1.0, 1.0, 2.0])
    for knows in ("anything", "nothing", ["x0"]):
        found = calibrate(belief, limit=0.5, knows=knows)
        leak = worst_of(belief, found.mechanism, knows, "max-log-ratio", {})
        assert leak == pytest.approx(0.5, rel=1e-9)
        assert leak <= 0.5
    delta = calibrate(belief, limit=0.1, measure="delta", eps=0.5, knows="nothing")
    assert worst_of(belief, delta.mechanism, "nothing", "delta", {"eps": 0.5}) <= 0.1


def test_what_cannot_be_asked_is_refused() -> None:
    many = unspoken.Joint(np.full((2,) * 16, 2.0**-16))
    with pytest.raises(unspoken.UnspokenError, match='knows="nothing"'):
        calibrate(many, limit=1.0)
    assert calibrate(many, limit=1.0, method="group").scale == pytest.approx(16.0)
    refused: list[tuple[str, dict[str, Any]]] = [
        ("limit, in nat: 0", {"limit": 0}),
        ("limit, in nat: inf", {"limit": np.inf}),
        ("limit, in odds: 1 must", {"limit": 1, "measure": "odds"}),
        ('"max-log-ratio"', {"limit": 1, "measure": "max-log-rato"}),
        ("nothing", {"limit": 1, "knows": "nothin"}),
        ('no "q"', {"limit": 1, "knows": ["q"]}),
        ("nobody is left", {"limit": 1, "knows": ["x0", "x1"]}),
        ("quilt", {"limit": 1, "method": "quilts"}),
        ("needs a Chain", {"limit": 1, "method": "quilt", "knows": "nothing"}),
        (
            'bounds "max-log-ratio" only',
            {"limit": 1, "method": "mean", "measure": "odds"} | {"limit": 2},
        ),
        ("laplace", {"limit": 1, "noise": "laplac"}),
        ("takes no options", {"limit": 1, "eps": 3.0}),
    ]
    for words, options in refused:
        with pytest.raises(unspoken.UnspokenError, match=words):
            calibrate(PAIR, **options)
    chain = unspoken.Chain([0.5, 0.5], STICKY, 40)
    with pytest.raises(
        unspoken.UnspokenError, match='method "quilt" holds for those who know nothing'
    ):
        calibrate(chain, limit=1.0, method="quilt")


def test_it_shows_itself() -> None:
    found = calibrate(PAIR, limit=1.0)
    assert "scale" in repr(found)
    assert found.as_json() == {"scale": found.scale, **found.bound.as_json()}
    assert "to somebody who knows" in repr(found)
    assert str(found.bound.premise) == "stated"
    learned = unspoken.Joint(PAIR.table, premise="learned(100)")
    assert str(calibrate(learned, limit=1.0).bound.premise) == "learned(100)"


@pytest.mark.stress
@examples(50)
@given(st.integers(0, 2**32 - 1))
def test_wasserstein_by_its_definition(seed: int) -> None:
    """W_inf is the least w with F(x) <= G(x + w) and G(x) <= F(x + w) for all x."""
    rng = np.random.default_rng(seed)
    points = np.sort(rng.choice(np.arange(20), size=rng.integers(1, 8), replace=False)) * 0.5
    one, other = (rng.dirichlet(np.full(len(points), 0.5)) for _ in range(2))

    def below(law: np.ndarray, x: float) -> float:
        return float(law[points <= x + 1e-9].sum())

    def carried(w: float) -> bool:
        pairs = ((one, other), (other, one))
        return all(below(f, x) <= below(g, x + w) + 1e-13 for f, g in pairs for x in points)

    gaps = sorted({abs(a - b) for a in points for b in points})
    wanted = next(w for w in gaps if carried(w))
    assert distance(points, one, other, 1e-12) == pytest.approx(wanted)


def test_a_belief_that_keeps_its_laws_is_the_same_belief() -> None:
    chain = unspoken.Chain([0.6, 0.4], STICKY, 4)
    keeping, mechanism = NoiseProblem(chain, None, 1.0).worked_out_once, Laplace(2.0)
    for knows in ((), ("x1",), {"x1": 1}):
        adversary = unspoken.Adversary("x2", knows=knows)
        for measure in ("max-log-ratio", "mutual-information"):
            leak = computed(keeping, mechanism, adversary, measure).value
            assert leak == computed(chain, mechanism, adversary, measure).value
    query = [{"x0": 1.0}]
    assert keeping.sums(["x2"], query) is keeping.sums(["x2"], query)
    assert keeping.sums(["x2"], query) is not keeping.sums(["x1"], query)
    assert keeping.given({"x1": 1}) is keeping.given({"x1": 1})
    assert keeping.given({"x1": 1}) is not keeping.given({"x1": 0})
    assert keeping.knowing(["x1"]) is keeping.knowing(["x1"])
    assert chain.sums(["x2"], query) is not chain.sums(["x2"], query)  # which is left alone
    assert keeping.steps is chain.steps


@pytest.mark.parametrize("known", [["x6"], ["x2", "x9"], ["x0", "x11"]])
def test_those_who_know_some_of_a_chain_are_looked_at_together(known: list[str]) -> None:
    """One law of all sums for each value of what is known; the same as one after the other."""
    steps = [[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.2, 0.8]]] * 5 + [[[0.5, 0.5], [0.9, 0.1]]]
    chain, weights = unspoken.Chain([0.4, 0.6], steps), [1.0, 2.0, -1.0] * 4
    found = calibrate(chain, weights, limit=0.8, knows=known, floor=False)
    told = {
        name: computed(chain, found.mechanism, unspoken.Adversary(name, knows=known)).value
        for name in chain.domain.names
        if name not in known
    }
    assert max(told.values()) == pytest.approx(found.bound.value, rel=1e-12)
    assert found.bound.value == pytest.approx(0.8, rel=1e-9)
    assert found.bound.value <= 0.8
    assert f"{max(told, key=told.__getitem__)}, to somebody who knows" in found.bound.why
