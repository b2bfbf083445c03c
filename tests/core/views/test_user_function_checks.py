"""What a user's function returns is checked; its unit, its contexts and sets of beliefs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.core.views.test_user_functions import (
    CONCAVE,
    CONVEX,
    NEITHER,
    SOUND,
    entropy,
    holds,
    integrated,
    joint,
    noisy_view,
)
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.views import FiniteView, MembersView

TABLE = joint(1)
BELIEF = unspoken.Joint(TABLE, names=["mine", "brother"])
ABOUT = unspoken.Adversary("mine")
VIEWS: dict[str, Callable[[], Any]] = {
    "noisy": lambda: unspoken.view(BELIEF, unspoken.Laplace(1.0), ABOUT),
    "listed": lambda: unspoken.view(BELIEF, unspoken.RandomizedResponse("brother", 1.0), ABOUT),
    "of beliefs": lambda: unspoken.view(unspoken.Beliefs([BELIEF]), unspoken.Laplace(1.0), ABOUT),
}
MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "one number for all": (lambda p: p.posterior.max(), "shape ()"),
    "a constant": (lambda p: 1.0, "shape ()"),
    "over contexts": (lambda p: p.posterior.max(0), "shape (3, 2)"),
    "over outcomes": (lambda p: p.posterior.max(1), "shape (2, 2)"),
    "transposed": (lambda p: p.posterior.max(-1).T, "shape (3, 2)"),
    "flat": (lambda p: p.posterior.max(-1).ravel(), "shape (6,)"),
    "of the prior": (lambda p: p.prior.max(-1), "shape (2, 1)"),
    "too many axes": (lambda p: p.posterior[..., None], "shape (2, 3, 2, 1)"),
    "nothing": (lambda p: None, "no real numbers"),
    "words": (lambda p: p.posterior.max(-1).astype(str), "no real numbers"),
    "complex numbers": (lambda p: p.posterior.max(-1) + 1j, "no real numbers"),
    "32 bits": (lambda p: p.posterior.max(-1).astype(np.float32), "float32"),
    "relative to the batch": (lambda p: (p.posterior / p.posterior.max()).max(-1), "alone"),
    "centred on the batch": (lambda p: p.posterior[..., 0] - p.posterior[..., 0].mean(), "alone"),
    "a rank": (lambda p: p.posterior[..., 0].argsort(1).astype(float), "alone"),
}


@pytest.mark.parametrize("over", ["mean", "sup"])
@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_refused_in_one_line(name: str, kind: str, over: str) -> None:
    f, words = MISTAKES[name]
    with pytest.raises(InputError) as refused:
        getattr(VIEWS[kind](), over)(f)
    message = str(refused.value)
    assert message.isprintable()
    assert message.startswith(f"view.{over}: the function")
    assert words in message
    assert len(message) < 300


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_no_wrong_axis_fits_whatever_the_number_of_classes(classes: int) -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(classes * classes))
    view = unspoken.view(
        unspoken.Joint(table.reshape(classes, classes), names="AB"),
        unspoken.Laplace(1.0),
        unspoken.Adversary("A"),
    )
    for axis in (None, 0, 1, (0, 1), (1, 2)):

        def wrong(p: Any, axis: Any = axis) -> Any:
            return p.posterior.max(axis)

        with pytest.raises(InputError, match="returns shape"):
            view.mean(wrong)
    assert view.mean(lambda p: p.posterior.max(-1)).low > 1 / classes


def test_nan_is_refused_and_says_where() -> None:
    """0 log 0 is NaN if nobody says what it is."""
    shown = unspoken.Finite("mine", np.eye(2))
    view = unspoken.view(BELIEF, shown, ABOUT)
    with pytest.raises(InputError, match=r"NaN at the posterior \(1, 0\)"):
        view.mean(lambda p: -(p.posterior * np.log(p.posterior)).sum(-1))
    assert view.mean(CONCAVE["entropy"]).high < 1e-12


def test_infinite_values_are_values() -> None:
    shown = unspoken.view(BELIEF, unspoken.Finite("mine", np.eye(2)), ABOUT)
    assert shown.mean(lambda p: -np.log(p.posterior[..., 0])).low == math.inf
    assert shown.sup(lambda p: np.log(p.posterior[..., 0])).high == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(InputError, match="infinite both ways"):
        shown.mean(lambda p: np.log(p.posterior[..., 0]) - np.log(p.posterior[..., 1]))


def test_infinite_values_beside_a_noisy_answer() -> None:
    """The other output is seen half the time, and then tells everything."""
    half = unspoken.Finite("mine", [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    view = unspoken.view(BELIEF, unspoken.Together([unspoken.Laplace(1.0), half]), ABOUT)
    surprise = view.mean(lambda p: -np.log(p.posterior[..., 0]))
    log = view.mean(lambda p: np.log(p.posterior[..., 0]))
    assert surprise.low == surprise.high == math.inf
    assert log.low == log.high == -math.inf
    assert view.mean(CONCAVE["entropy"]).high < view.mean(CONVEX["best guess"]).high


def test_a_function_cannot_change_the_posteriors() -> None:
    def careless(p: Any) -> Any:
        p.log_lift[:] = 0.0
        return p.posterior[..., 0]

    view = unspoken.view(BELIEF, unspoken.Laplace(1.0), ABOUT)
    with pytest.raises(ValueError, match="read-only"):
        view.mean(careless)


def test_the_unit_is_the_functions_own() -> None:
    for view in (VIEWS["noisy"](), VIEWS["listed"](), VIEWS["of beliefs"]()):
        for answer in (view.mean, view.sup):
            bound = answer(CONVEX["best guess"], unit="probability")
            assert bound.unit == "probability"
            assert bound.as_json()["unit"] == "probability"
            assert "bit" not in repr(bound)
            assert answer(CONVEX["best guess"]).unit == "nat"
            with pytest.raises(InputError, match=r"view\.unit"):
                answer(CONVEX["best guess"], unit=3)


def test_a_factor_on_odds_is_not_below_0() -> None:
    view = VIEWS["noisy"]()
    factor = view.sup(lambda p: p.posterior[..., 0] / p.posterior[..., 1], unit="odds")
    assert factor.odds == factor.value
    assert factor.nats == pytest.approx(math.log(factor.value))
    with pytest.raises(InputError, match="at least 0"):
        view.mean(CONVEX["minus entropy"], unit="odds")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({**CONVEX, **CONCAVE}))
def test_of_several_contexts_the_largest_mean_counts(name: str) -> None:
    """For concave functions, too: the largest is not what the negative function's largest says."""
    f = {**CONVEX, **CONCAVE}[name]
    tables = [joint(1) * 0.4, joint(4)[::-1] * 0.6]
    belief = unspoken.Joint(np.stack(tables, axis=-1), names=["mine", "brother", "known"])
    noise = unspoken.Laplace(0.7, {"mine": 1.0, "brother": 1.0})
    view = unspoken.view(belief, noise, unspoken.Adversary("mine", knows=["known"]))
    truth = max(integrated(f, table / table.sum(), 0.7) for table in tables)
    bound = view.mean(f)
    holds(bound, truth)
    assert bound.high - bound.low <= 1e-8 * abs(truth)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SOUND))
def test_of_several_beliefs_the_largest_counts(name: str) -> None:
    members = [unspoken.Joint(joint(seed), names=["mine", "brother"]) for seed in range(3)]
    view = unspoken.view(unspoken.Beliefs(members), unspoken.Laplace(0.7), ABOUT)
    assert isinstance(view, MembersView)
    each = [unspoken.view(member, unspoken.Laplace(0.7), ABOUT) for member in members]
    for over in ("mean", "sup"):
        bound = getattr(view, over)(SOUND[name], unit="thing")
        bounds = [getattr(one, over)(SOUND[name]) for one in each]
        assert bound.high == max(one.high for one in bounds)
        assert bound.low == max(one.low for one in bounds)
        assert bound.unit == "thing"
        assert "worst of 3 beliefs" in bound.why


def test_each_belief_is_examined_by_itself() -> None:
    """Convex under one belief, concave under the other: each has its right ends."""

    def bent(p: Any) -> Any:
        sign = np.where(p.prior[..., :1] > 0.5, 1.0, -1.0)
        return (sign * p.posterior**2).sum(-1)

    tables = [np.array([[0.5, 0.1], [0.1, 0.3]]), np.array([[0.3, 0.1], [0.1, 0.5]])]
    members = [unspoken.Joint(table, names=["mine", "brother"]) for table in tables]
    bound = unspoken.view(unspoken.Beliefs(members), unspoken.Laplace(0.7), ABOUT).mean(bent)
    holds(bound, max(integrated(bent, table, 0.7) for table in tables))


def test_two_answers_at_once_have_the_ends_of_a_concave_function() -> None:
    """What is left of the entropy is the prior's without what is told."""
    both = unspoken.Together([unspoken.Laplace(1.0), unspoken.Laplace(2.0, {"mine": 1.0})])
    view = unspoken.view(BELIEF, both, ABOUT)
    left, told = (
        view.mean(CONCAVE["entropy"]),
        unspoken.leakage(BELIEF, both, ABOUT, "mutual-information"),
    )
    prior = entropy(TABLE.sum(1))
    assert prior - told.high <= left.high
    assert left.low <= prior - told.low
    assert left.low < left.high <= left.low + 1e-3
    with pytest.raises(InputError, match="concave, and where it is largest"):
        view.sup(CONCAVE["away from 0.4"])


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("name", sorted(SOUND))
def test_rounding_is_no_reason_to_refuse(name: str, scale: float) -> None:
    """Posteriors so near to the prior that a function's own rounding is as large as its bend."""
    bound = noisy_view(TABLE, scale).mean(SOUND[name])
    prior = noisy_view(TABLE, 1e9).mean(SOUND[name]).value
    assert bound.low <= bound.high
    assert bound.value == pytest.approx(prior, rel=2 / scale, abs=2 / scale**0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SOUND))
@pytest.mark.parametrize("scale", [0.002, 0.003])
def test_probabilities_below_floats_are_no_reason_to_refuse(name: str, scale: float) -> None:
    belief = unspoken.Joint(TABLE, names=["mine", "brother"])
    view = unspoken.view(belief, unspoken.Laplace(scale), ABOUT)
    assert view.mean(SOUND[name]).low <= view.mean(SOUND[name]).high


def test_a_square_written_out_is_convex_whatever_it_cancels() -> None:
    def written_out(p: Any) -> Any:
        products = (p.posterior * p.prior).sum(-1)
        return (p.posterior**2).sum(-1) - 2 * products + (p.prior**2).sum(-1)

    for scale in (1e4, 1e5, 1e6, 1e7):
        assert abs(noisy_view(TABLE, scale).mean(written_out).high) < 1e-8


def test_whole_answers_are_listed_and_take_any_function() -> None:
    counts = unspoken.view(BELIEF, unspoken.Geometric(0.5), ABOUT)
    assert isinstance(counts, FiniteView)
    points = counts.outcomes()
    for f in NEITHER.values():
        mean = math.fsum(p.mass * float(f(_posterior(p))) for p in points)
        holds(counts.mean(f), mean, 1e-12)
        holds(counts.sup(f), max(float(f(_posterior(p))) for p in points), 1e-12)


def _posterior(point: Any) -> Any:
    class Alone:
        prior = np.array(list(point.prior.values()))
        posterior = np.array(list(point.posterior.values()))

    return Alone


def test_contexts_do_not_hide_outcomes_from_any_function() -> None:
    """Answers that a context cannot have without noise are mixtures, and count all the same."""
    belief = unspoken.Joint(
        np.array([[[0.2, 0.0], [0.0, 0.45]], [[0.0, 0.05], [0.3, 0.0]]]), names=["a", "b", "known"]
    )
    noise = unspoken.Geometric(0.6, {"a": 3, "b": 2})
    view = unspoken.view(belief, noise, unspoken.Adversary("a", knows=["known"]))
    assert isinstance(view, FiniteView)
    f = CONCAVE["entropy"]
    largest = max(float(f(_posterior(point))) for point in view.outcomes())
    holds(view.sup(f), largest, 1e-12)


def test_a_continuous_belief_has_no_posteriors_to_give() -> None:
    bell = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    view = unspoken.view(bell, unspoken.Laplace(1.0), unspoken.Adversary("x0"))
    for answer in (view.mean, view.sup, view.worst):
        with pytest.raises(NotKnown, match="max-log-ratio"):
            answer(CONVEX["best guess"])


def test_sets_that_cannot_be_listed_say_what_to_give() -> None:
    box = unspoken.Box.within(BELIEF, 0.1)
    view = unspoken.view(box, unspoken.RandomizedResponse("brother", 1.0), ABOUT)
    for answer in (view.mean, view.sup):
        with pytest.raises(NotKnown, match="Beliefs"):
            answer(CONCAVE["entropy"], unit="nat")


def test_the_worst_outcome_of_a_concave_function_is_not_listed() -> None:
    view = noisy_view(TABLE, 1.0)
    assert view.worst(CONVEX["best guess"]) is not None
    with pytest.raises(InputError, match="ask for sup"):
        view.worst(CONCAVE["Bayes error"])


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.5625, 0.6])
def test_a_function_that_jumps_is_refused_where_outcomes_are_not_listed(threshold: float) -> None:
    """A step on a point that is checked looked like rounding; the mean came out as exactly 1."""
    chain = unspoken.Chain([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], length=200)
    coins = unspoken.OneSided(dict.fromkeys(chain.domain.names, 1.0))
    family = unspoken.Joint([[8, 2], [2, 8]], names=["mine", "brother"])
    views = [
        unspoken.view(chain, coins, unspoken.Adversary("x100")),
        unspoken.view(family, unspoken.Laplace(1.0, {"brother": 1.0}), unspoken.Adversary("mine")),
    ]
    for view in views:
        for f in (
            lambda p: p.posterior[..., 0] >= threshold,
            lambda p: 1.0 * (p.posterior[..., 1] > threshold),
            lambda p: 2 * p.posterior.argmax(-1) + (p.posterior[..., 0] >= threshold),
        ):
            with pytest.raises(InputError, match=r"jumps at the posterior|neither convex"):
                view.mean(f)


def test_a_jump_at_an_outcome_leaves_both_values_possible() -> None:
    """The last digits decide which: the ends hold both, and are not called exact."""
    chain = unspoken.Chain([0.5, 0.5], [[0.8, 0.2], [0.2, 0.8]], length=5)
    names = chain.domain.names
    answers = [unspoken.Finite(x, [[0.75, 0.25], [0.25, 0.75]]) for x in names if x != names[2]]
    view = unspoken.view(chain, unspoken.Together(answers), unspoken.Adversary(names[2]))
    bound = view.mean(lambda p: p.posterior[..., 0] >= 0.5)
    assert 0 <= bound.low <= 0.6125125 <= bound.high <= 1  # by enumeration in fractions
    assert not bound.exact


@pytest.mark.parametrize(
    "f",
    [
        lambda p: p.posterior**2,
        lambda p: [[1.0], [2.0, 3.0]],
        lambda p: np.ma.masked_less(p.posterior.max(-1), 0.7),
        lambda p: None,
    ],
)
def test_what_is_not_one_number_each_is_refused(f: Any) -> None:
    family = unspoken.Joint([[8, 2], [2, 8]], names=["mine", "brother"])
    for mechanism in (unspoken.Laplace(1.0), unspoken.RandomizedResponse("brother", 1.3)):
        view = unspoken.view(family, mechanism, unspoken.Adversary("mine"))
        with pytest.raises(InputError, match="one number for each posterior"):
            view.mean(f)


@pytest.mark.parametrize("unit", ["a\nb", "", " ", "x" * 100])
def test_a_unit_is_a_word(unit: str) -> None:
    family = unspoken.Joint([[8, 2], [2, 8]], names=["mine", "brother"])
    view = unspoken.view(family, unspoken.Laplace(1.0), unspoken.Adversary("mine"))
    with pytest.raises(InputError, match=r"view\.unit"):
        view.mean(lambda p: p.posterior.max(-1), unit=unit)
