"""Lifts are what Bayes' rule gives, on plain numbers and on logarithms, with all their digits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from unspoken.core.types.likelihood import AT_HAND, LITTLE, Likelihood

SINGLE = np.eye(3, dtype=bool)
MERGED = np.array([[True, False, False], [False, True, True]])


def random_likelihood(seed: int) -> Likelihood:
    """Two known values, three of the target, four outcomes; P(keep, y) = P(keep) c + E."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(6, 0.7)).reshape(2, 3)
    common = rng.dirichlet(np.ones(5))[:4] * rng.integers(0, 2, 4)
    heads = rng.dirichlet(np.full(4, 0.4), size=(2, 3)) * (1 - common.sum())
    with np.errstate(divide="ignore"):
        return Likelihood(prior, np.log(common), prior[..., None] * heads, in_logs=False)


def in_logs(law: Likelihood) -> Likelihood:
    with np.errstate(divide="ignore"):
        return Likelihood(law.prior, law.log_common, np.log(law.excess), in_logs=True)


def by_bayes(law: Likelihood, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P(s | k), P(y | k) and P(y | k, s) / P(y | k)."""
    joint = law.prior[..., None] * np.exp(law.log_common) + law.excess  # [k, x, y]
    merged = np.einsum("sx,kxy->ksy", classes.astype(float), joint)
    prior = law.prior @ classes.T
    context = prior.sum(1, keepdims=True)
    mass = merged.sum(1) / context
    return prior / context, mass, merged / prior[..., None] / mass[:, None, :]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("classes", [SINGLE, MERGED])
@pytest.mark.parametrize("form", [lambda law: law, in_logs])
def test_lifts_by_bayes(seed: int, classes: np.ndarray, form) -> None:
    law = random_likelihood(seed)
    prior, mass, lift = by_bayes(law, classes)
    lifts = form(law).lifts(classes)
    assert lifts.prior == pytest.approx(prior, rel=1e-13)
    assert lifts.mass == pytest.approx(mass, rel=1e-13)
    assert np.exp(np.moveaxis(lifts.log_lift, 2, 1)) == pytest.approx(lift, rel=1e-12)


@pytest.mark.parametrize("d", [1e-3, 1e-9, 1e-15, 1e-200])
@pytest.mark.parametrize("rare", [0.5, 1e-3, 1e-12])
def test_a_tiny_leakage_keeps_its_digits(d: float, rare: float) -> None:
    """Two outcomes; the secret (of probability ``rare``) makes the first likelier by d."""
    prior = np.array([rare, 1 - rare])
    common = np.array([0.5, 0.5 - d])
    excess = prior[:, None] * np.array([[d, 0.0], [0.0, d]])
    lifts = Likelihood(prior, np.log(common), excess, in_logs=False).lifts(SINGLE[:2, :2])
    p, e = Fraction(float(prior[0])), Fraction(d)
    q = Fraction(float(prior[1]))
    mean = (Fraction(0.5) * (p + q) + e * p) / (p + q)
    for s, told in enumerate([e, Fraction(0)]):
        truth = (Fraction(0.5) + told) / mean - 1
        assert np.expm1(lifts.log_lift[0, 0, s]) == pytest.approx(float(truth), rel=1e-12)


def test_classes_that_cannot_be_tell_nothing() -> None:
    law = Likelihood(
        np.array([[0.0, 0.4, 0.6], [0.0, 0.0, 0.0]]),
        np.array([-np.inf, -np.inf]),
        np.array([[[0.0, 0.0], [0.4, 0.0], [0.6, 0.0]], np.zeros((3, 2))]),
        in_logs=False,
    )
    assert law.possible.tolist() == [True, False]
    lifts = law.lifts(SINGLE)
    assert lifts.log_lift.shape == (1, 2, 3)
    assert (lifts.log_lift == 0).all()
    assert lifts.mass[0].tolist() == [1.0, 0.0]


def test_told_the_class_itself() -> None:
    lifts = random_likelihood(1).lifts(SINGLE).revealed()
    assert lifts.mass == pytest.approx(lifts.prior, rel=1e-14)
    for s in range(3):
        posterior = lifts.prior * np.exp(lifts.log_lift[:, s])
        assert posterior == pytest.approx(np.tile(np.eye(3)[s], (2, 1)), abs=1e-14)


@pytest.mark.parametrize("at_hand", [1, AT_HAND])
@pytest.mark.parametrize("seed", range(12))
def test_divergences_without_log_lifts(
    seed: int, at_hand: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sum_s P(s) r log r by plain lifts is what the log lifts say, and takes none of them; class by
    class, or all at once.
    """
    monkeypatch.setattr("unspoken.core.types.likelihood.AT_HAND", at_hand)
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.full(40, 0.2), 3)  # some rows have next to nothing somewhere
    matrix[:, 0] *= rng.integers(0, 2, 3)
    if seed == 11:
        matrix[0], matrix[1:, -1] = 0.0, 0.0
        matrix[0, -1] = 1.0  # lifts of 0
    prior, common = rng.dirichlet(np.ones(3)), matrix.min(0)
    with np.errstate(divide="ignore"):
        law = Likelihood(prior, np.log(common), prior[:, None] * (matrix - common), in_logs=False)
    lifts = law.lifts(SINGLE)
    found = lifts.divergences
    assert "log_lift" not in vars(lifts)
    finite = np.maximum(lifts.log_lift, -1e3)  # 0 log 0 = 0
    truth = (prior * np.exp(finite) * finite).sum(-1)
    if found is None:
        assert truth.min() < LITTLE * 1.01 or not matrix.sum(0).all()
        return
    assert found == pytest.approx(truth, rel=1e-12)
    exact = np.abs(np.expm1(lifts.log_lift)).max(-1)
    assert lifts.source.furthest == pytest.approx(exact, rel=1e-11)


def test_divergences_that_need_the_log_lifts() -> None:
    """Of next to nothing, of what is impossible and of logarithms plain lifts say nothing."""
    prior, silent = np.full(3, 1 / 3), np.log(np.array([0.5, 0.5 - 1e-3]))
    little = prior[:, None] * np.array([[1e-3, 0.0], [0.0, 1e-3], [0.0, 1e-3]])
    laws = [Likelihood(prior, silent, little, in_logs=False), in_logs(random_likelihood(1))]
    never = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    laws.append(Likelihood(never.sum(1) / 2, np.full(2, -np.inf), never / 2, in_logs=False))
    assert [law.lifts(SINGLE).divergences for law in laws] == [None] * 3
    assert laws[0].lifts(SINGLE).revealed().divergences is None
