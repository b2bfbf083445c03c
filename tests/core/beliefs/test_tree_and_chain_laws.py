"""Whatever a chain or a tree answers, the enumerated joint table answers the same."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.branching import drawn, some
from tests.effort import examples
from unspoken.core.beliefs import Belief
from unspoken.core.beliefs.forests import markov
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import (
    Finite,
    Geometric,
    Laplace,
    Mechanism,
    RandomizedResponse,
    Together,
)
from unspoken.core.numerics.ring import LOGS
from unspoken.core.types.channel import Channel
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.sums import Sums

KINDS = st.sampled_from(["chain", "tree"])
SEEDS = st.integers(0, 2**32 - 1)
MEASURES: Any = ("max-log-ratio", "mutual-information", "max-information", "relative-entropy")


def close(found: np.ndarray, true: np.ndarray) -> None:
    np.testing.assert_allclose(found, true, rtol=1e-10, atol=1e-14)


@pytest.mark.stress
@given(KINDS, SEEDS)
def test_marginal(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed)
    names = some(np.random.default_rng(seed), belief.domain.names, 5)
    close(belief.marginal(names), joint.marginal(names))


@pytest.mark.stress
@given(KINDS, SEEDS)
def test_given_is_bayes(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed)
    rng, names = np.random.default_rng(seed), belief.domain.names
    known = {
        name: belief.domain.values_of(name)[rng.integers(len(belief.domain.values_of(name)))]
        for name in some(rng, names, max(len(names) - 1, 0))
    }
    try:
        after = joint.given(known)
    except InputError as complaint:
        with pytest.raises(InputError, match=re.escape(str(complaint))):
            belief.given(known)
        return
    later = belief.given(known)
    assert type(later) is type(belief)
    assert (later.domain, later.premise) == (after.domain, after.premise)
    close(later.marginal(later.domain.names), after.table)
    twice = some(rng, later.domain.names, len(later.domain.names) - 1)
    told = {
        name: after.domain.values_of(name)[int(after.marginal([name]).argmax())] for name in twice
    }
    try:
        again = after.given(told)
    except InputError:
        return
    close(later.given(told).marginal(again.domain.names), again.table)


def event(rng: np.random.Generator, size: int) -> Channel:
    """The likelihood of something seen: certain, faint, silent, or ruling values out."""
    excess = (
        rng.random((size, 1)) * (rng.random((size, 1)) < 0.6) * 10.0 ** rng.choice([0, -3, -12])
    )
    common = rng.choice([0.0, 1e-9, 1.0])
    with np.errstate(divide="ignore"):
        return Channel(("seen",), np.log(np.array([common])), excess)


def parts(likelihood: Likelihood) -> tuple[np.ndarray, np.ndarray]:
    excess = likelihood.excess
    return np.exp(likelihood.log_common), np.exp(excess) if likelihood.in_logs else excess


@pytest.mark.stress
@given(KINDS, SEEDS, st.booleans())
def test_an_event(kind: str, seed: int, logs: bool) -> None:
    belief, joint = drawn(kind, seed)
    rng, names = np.random.default_rng(seed), belief.domain.names
    keep, seen = some(rng, names, 3), some(rng, names, 6, 1)
    channels = {name: event(rng, len(belief.domain.values_of(name))) for name in seen}
    true = joint.outputs(keep, channels)
    with pytest.MonkeyPatch.context() as patch:
        if logs:
            patch.setattr(markov, "with_all_digits", lambda compute: compute(LOGS))
        found = belief.outputs(keep, channels)
    close(found.prior, true.prior)
    for own, other in zip(parts(found), parts(true), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-10, atol=1e-300)
    assert belief.effort(keep, channels) <= 2 * 27 * 3


def law_of(sums: Sums) -> tuple[np.ndarray, list[np.ndarray]]:
    """The table without answers that never occur."""
    table = np.exp(sums.table) if sums.in_logs else sums.table
    points = list(sums.points)
    kept = table.ndim - len(points)
    for c in range(len(points)):
        axis = kept + c
        occurs = table.sum(tuple(a for a in range(table.ndim) if a != axis)) > 0
        # the enumeration adds floats in another order, so equal answers may come out as two
        points[c], table = points[c][occurs], table.compress(occurs, axis)
        starts = np.flatnonzero(np.diff(points[c], prepend=-math.inf) > 1e-9)
        table, points[c] = np.add.reduceat(table, starts, axis), points[c][starts]
    return table, points


@pytest.mark.stress
@given(KINDS, SEEDS, st.booleans())
def test_sums(kind: str, seed: int, logs: bool) -> None:
    belief, joint = drawn(kind, seed)
    rng, names = np.random.default_rng(seed), belief.domain.names
    weights = ([0, 1, 1, -2], [0.1, 0.2, 0.7], [0, 1, math.sqrt(2), math.pi], [1, 1000, 10**6])
    queries = [
        {name: float(rng.choice(weights[rng.integers(4)])) for name in some(rng, names, 6, 1)}
        for _ in range(rng.choice([1, 1, 2]))
    ]
    keep = some(rng, names, 3)
    with pytest.MonkeyPatch.context() as patch:
        if logs:
            patch.setattr(markov, "with_all_digits", lambda compute: compute(LOGS))
        found, points = law_of(belief.sums(keep, queries))
    true, wanted = law_of(joint.sums(keep, queries))
    for own, other in zip(points, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-14, atol=1e-17 * np.ptp(other) + 1e-15)
    close(found, true)


def independent(
    joint: unspoken.Joint, one: tuple[str, ...], other: tuple[str, ...], given: tuple[str, ...]
) -> bool:
    """Whether the one says nothing about the other once the given ones are known."""
    table = joint.marginal((*given, *one, *other))
    cells = joint.cells(given)
    table = table.reshape(cells, joint.cells(one), joint.cells(other))
    product = table.sum(2)[:, :, None] * table.sum(1)[:, None, :]
    return bool(np.allclose(table * table.sum((1, 2))[:, None, None], product, atol=1e-13))


@pytest.mark.stress
@given(KINDS, SEEDS)
def test_what_is_left_out_says_nothing(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed, most=5)
    rng, names = np.random.default_rng(seed), belief.domain.names
    about = some(rng, names, 2, 1)
    relevant = belief.relevant(about, names)
    rest = tuple(name for name in names if name not in relevant)
    assert set(about) <= set(relevant)
    assert independent(joint, relevant, rest, ())
    blocks = belief.blocks()
    assert sorted(name for block in blocks for name in block) == sorted(names)
    for block in blocks:
        assert independent(joint, block, tuple(n for n in names if n not in block), ())
    pairs = belief.pairs()
    assert set(pairs) == {(a, b) for block in blocks for a in block for b in block if a < b}
    blanket = belief.blanket(about[0])
    others = tuple(n for n in names if n not in (about[0], *blanket))
    assert independent(joint, about[:1], others, blanket)


@pytest.mark.stress
@given(KINDS, SEEDS)
def test_shields(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed, most=5)
    rng, names = np.random.default_rng(seed), belief.domain.names
    about = some(rng, names, 2, 1)
    before: set[str] = set()
    shields = list(belief.shields(about))
    for inner, boundary in shields:
        outside = tuple(n for n in names if n not in (*inner, *boundary))
        assert before < set(inner)
        assert not set(inner) & set(boundary)
        assert independent(joint, inner, outside, boundary)
        before = set(inner)
    assert set(shields[0][0]) == set(about)
    assert shields[-1][1] == ()


@pytest.mark.stress
@examples(40)
@given(KINDS, SEEDS)
def test_samples_have_the_law(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed, most=4)
    rows = 20_000
    codes = belief.sample(np.random.default_rng(seed), rows)
    count = np.zeros(belief.domain.sizes)
    np.add.at(count, tuple(codes.T), 1)
    expected = joint.marginal(belief.domain.names) * rows
    assert (count[expected == 0] == 0).all()
    assert (np.abs(count - expected) <= 6 * np.sqrt(expected) + 6).all()


@pytest.mark.stress
@given(SEEDS, st.booleans())
def test_the_sums_of_each_are_those_of_every_one(seed: int, logs: bool) -> None:
    belief, _ = drawn("chain" if seed % 2 else "tree", seed)
    rng, names = np.random.default_rng(seed), belief.domain.names
    query = {name: float(rng.integers(-1, 3)) for name in some(rng, names, 6, 1)}
    targets = some(rng, names, 6, 1)
    with pytest.MonkeyPatch.context() as patch:
        if logs:
            patch.setattr(markov, "with_all_digits", lambda compute: compute(LOGS))
        together = belief.sums_of_each(targets, [query])
        if together is not None and seed % 2 and len(names) > 1:  # the same by halves
            patch.setattr(
                markov.Markov, "each_at_once", lambda self, queries: len(self.domain.names) - 1
            )
            halved = belief.sums_of_each(targets[:1], [query])
            assert halved is not None
            tables = [
                np.exp(t) if together.in_logs else t for t in (halved.table, together.table[:1])
            ]
            np.testing.assert_allclose(
                tables[0][tables[0] > 0], tables[1][tables[1] > 0], rtol=1e-12
            )
    assert together is not None
    table = np.exp(together.table) if together.in_logs else together.table
    assert belief.sums_of_each(targets, [query, query]) is None
    for row, name in enumerate(targets):
        alone = belief.sums([name], [query])
        at = np.searchsorted(together.points[0], alone.points[0] - 1e-9)
        size = len(belief.domain.values_of(name))
        close(table[row, :size, at].T, alone.table)
        assert table[row].sum() == pytest.approx(1.0, abs=1e-12)


def mechanism(rng: np.random.Generator, belief: Belief) -> Mechanism:
    names = belief.domain.names
    seen = some(rng, names, 3, 1)
    hides = unspoken.OneSided({name: float(rng.exponential()) for name in seen}, {})
    flips = [RandomizedResponse(n, 0.7) for n in seen if len(belief.domain.values_of(n)) > 1]
    channel = Finite(seen[0], rng.dirichlet([1, 1], len(belief.domain.values_of(seen[0]))))
    adds = Laplace(float(rng.choice([0.3, 2.0, 50.0])), dict.fromkeys(some(rng, names, 5, 1), 1.0))
    counts = Geometric(0.5, {n: float(rng.integers(1, 3)) for n in some(rng, names, 5, 1)})
    kinds: list[Mechanism] = [hides, channel, adds, *flips, Together([hides, adds])]
    if all(isinstance(v, int) for values in belief.domain.values for v in values):
        kinds.append(counts)
    return kinds[rng.integers(len(kinds))]


@pytest.mark.stress
@examples(60)
@given(KINDS, SEEDS)
def test_leakages(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed, most=5)
    rng, names = np.random.default_rng(seed), belief.domain.names
    target, *known = some(rng, names, 3, 1)
    adversary = unspoken.Adversary(target, knows=known)
    if known and rng.random() < 0.5:
        cell = np.argwhere(joint.table > 0)[0]
        values = {n: joint.domain.values_of(n)[cell[joint.domain.axis(n)]] for n in known}
        adversary = unspoken.Adversary(target, knows=values)
    own, measure = mechanism(rng, belief), MEASURES[rng.integers(len(MEASURES))]
    found = unspoken.leakage(belief, own, adversary, measure)
    true = unspoken.leakage(joint, own, adversary, measure)
    assert found.low <= true.high + 1e-9
    assert true.low <= found.high + 1e-9
    assert found.high == pytest.approx(true.high, rel=1e-8, abs=1e-9)


@pytest.mark.stress
@given(KINDS, SEEDS)
def test_odds_after_an_event(kind: str, seed: int) -> None:
    belief, joint = drawn(kind, seed)
    rng, names = np.random.default_rng(seed), belief.domain.names
    target = names[rng.integers(len(names))]
    hidden = {name: [belief.domain.values_of(name)[0]] for name in names}
    own = unspoken.OneSided({name: float(rng.exponential()) for name in names}, hidden)
    outcome = dict.fromkeys(some(rng, names, 6, 1), unspoken.WITHHELD)
    adversary = unspoken.Adversary(target, secret=hidden[target])
    if len(belief.domain.values_of(target)) > 1:
        found = unspoken.odds(belief, own, adversary, outcome)
        true = unspoken.odds(joint, own, adversary, outcome)
        assert found.status == true.status
        assert found.status == "impossible" or found.value == pytest.approx(true.value, rel=1e-9)
