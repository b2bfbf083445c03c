"""A number for each value, whatever the values are: counts and histograms of several values.

Independently: beside each variable an indicator of each of its values, which are numbers, in one
joint table; a count of a value is the sum of its indicator.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Geometric, Laplace, from_description

WORDS = ("red", "green", "blue")
STEP = [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]
RNG = np.random.default_rng(16)
TABLE = RNG.dirichlet(np.ones(18)).reshape(3, 2, 3)
BELIEFS: dict[str, Belief] = {
    "joint": unspoken.Joint(TABLE, "ABC", [WORDS, (0, "x"), WORDS]),
    "independent": unspoken.Independent(
        [[0.2, 0.3, 0.5], [0.4, 0.6], [0.1, 0.1, 0.8]], "ABC", [WORDS, (0, "x"), WORDS]
    ),
    "chain": unspoken.Chain([0.5, 0.3, 0.2], STEP, length=3, names="ABC", values=list(WORDS)),
    "tree": unspoken.Tree(
        {"A": "B", "C": "B"}, [0.4, 0.6], {"A": STEP[:2], "C": STEP[1:]},
        values={"A": WORDS, "B": (0, "x"), "C": WORDS},
    ),
    "exchangeable": unspoken.Exchangeable([0.1, 0.4, 0.2, 0.3], 3, names="ABC"),
}  # fmt: skip
MEASURES: Any = ("max-log-ratio", "mutual-information", "bayes-leakage", "odds")


def beside_indicators(belief: Belief) -> tuple[unspoken.Joint, dict[tuple[str, Any], str]]:
    """The joint law with an indicator of every value, and what each is called."""
    names, values = list(belief.domain.names), [*belief.domain.values]
    table, called = belief.marginal(names), dict[tuple[str, Any], str]()
    for axis, name in enumerate(belief.domain.names):
        for code, value in enumerate(belief.domain.values_of(name)):
            called[name, value] = f"{name} is {value}"
            grown = np.zeros((*table.shape, 2))
            for cell in np.ndindex(*table.shape):
                grown[(*cell, int(cell[axis] == code))] = table[cell]
            table = grown
            names.append(called[name, value])
            values.append((0, 1))
    return unspoken.Joint(table, names, values), called


def both(
    belief: Belief, terms: Mapping[str, Mapping[Any, Any]], scale: float
) -> tuple[tuple[Belief, Laplace], tuple[Belief, Laplace]]:
    """The same question by terms, and by weights of indicators."""
    wide, called = beside_indicators(belief)
    weights = {called[n, v]: number for n, of in terms.items() for v, number in of.items()}
    return (belief, Laplace(scale, terms=terms)), (wide, Laplace(scale, weights))


def some_terms(belief: Belief) -> dict[str, dict[Any, float]]:
    a, b = belief.domain.values_of("A"), belief.domain.values_of("C")
    return {"A": {a[0]: 1.5, a[-1]: -0.5}, "C": {b[-1]: 2.0}}


@pytest.mark.parametrize("kind", ["joint", "chain", "exchangeable"])
@pytest.mark.parametrize("knows", [(), ("C",), ("A",)])
def test_terms_are_weights_of_indicators(kind: str, knows: tuple[str, ...]) -> None:
    belief = BELIEFS[kind]
    adversary = unspoken.Adversary("B", knows=knows)
    asked = both(belief, some_terms(belief), 1.3)
    for measure in MEASURES:
        got, truth = (
            unspoken.leakage(belief, mechanism, adversary, measure) for belief, mechanism in asked
        )
        assert got.low <= truth.high * (1 + 1e-9) + 1e-12, measure
        assert truth.low <= got.high * (1 + 1e-9) + 1e-12, measure
        assert got.high == pytest.approx(truth.high, rel=1e-6, abs=1e-10), measure


@pytest.mark.slow
@pytest.mark.parametrize("kind", BELIEFS)
def test_every_belief_adds_up_terms(kind: str) -> None:
    """As its joint table does, also of two counts at once."""
    belief = BELIEFS[kind]
    values = belief.domain.values_of("C")
    terms: Any = {"A": {v: [1, 0] for v in belief.domain.values_of("A")[1:]}}
    terms["C"] = {values[0]: [0, 1], values[1]: [0.5, 0]}
    mechanism = Laplace(0.8, terms=terms)
    table = unspoken.Joint(
        belief.marginal(belief.domain.names), belief.domain.names, belief.domain.values
    )
    adversary = unspoken.Adversary("C", knows={"B": belief.domain.values_of("B")[0]})
    for measure in MEASURES[::2]:
        got, truth = (unspoken.leakage(b, mechanism, adversary, measure) for b in (belief, table))
        assert got.high == pytest.approx(truth.high, rel=1e-4), measure


@pytest.mark.parametrize("kind", ["joint", "tree", "independent"])
def test_terms_that_are_weights(kind: str) -> None:
    """f(x) = w x: every answer as with the weights, of values that are numbers."""
    given = BELIEFS[kind]
    belief = unspoken.Joint(given.marginal(["A", "B", "C"]), "ABC", [(0, 1, 5), (-1, 1), (0, 2, 3)])
    terms = {
        n: {v: 2.0 * v for v in numbers} for n, numbers in (("A", (0, 1, 5)), ("C", (0, 2, 3)))
    }
    by_weights, by_terms = Geometric(0.5, {"A": 2, "C": 2}), Geometric(0.5, terms=terms)
    adversary = unspoken.Adversary("B", knows={"C": 2})
    for measure in MEASURES:
        one = unspoken.leakage(belief, by_weights, adversary, measure)
        assert unspoken.leakage(belief, by_terms, adversary, measure) == one
    outcome, adversary = {"answer": 7}, unspoken.Adversary("B", secret=[1], knows={"C": 2})
    assert unspoken.odds(belief, by_weights, adversary, outcome) == unspoken.odds(
        belief, by_terms, adversary, outcome
    )


def test_an_answer_has_the_terms_of_what_is_known() -> None:
    """P(answer | A, C) by hand, C = blue being known to add 2."""
    belief = BELIEFS["joint"]
    terms = {"A": {"red": 1, "green": 3}, "C": {"blue": 2}}
    alpha, answer = 0.4, 5
    got = unspoken.odds(
        belief,
        Geometric(alpha, terms=terms),
        unspoken.Adversary("A", secret=["green"], knows={"C": "blue"}),
        outcome={"answer": answer},
    )
    law = TABLE.sum(1)[:, 2]
    likelihood = alpha ** np.abs(answer - 2 - np.array([1, 3, 0]))
    after = law * likelihood / (law * likelihood).sum()
    before = law[1] / law.sum()
    truth = after[1] / (1 - after[1]) / (before / (1 - before))
    assert got.value == pytest.approx(max(truth, 1.0) if got.value >= 1 else truth)


@pytest.mark.parametrize("method", ["exact", "mean", "dpm", "group"])
def test_noise_for_a_histogram(method: str) -> None:
    """Two counts of one variable move by 2, and the limit holds when recomputed."""
    belief = BELIEFS["chain"]
    histogram = {n: {w: [int(w == v) for v in WORDS] for w in WORDS} for n in "ABC"}
    found = unspoken.calibrate(belief, terms=histogram, limit=1.0, knows="nothing", method=method)
    assert set(found.problem.reaches.values()) == {2.0}
    assert 2.0 <= found.scale <= 6.0 * (1 + 1e-9)
    for name in "ABC":
        told = unspoken.leakage(belief, found.mechanism, unspoken.Adversary(name))
        assert told.high <= 1.0 + 1e-12
    if method == "group":
        assert found.scale == pytest.approx(6.0)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "geometric"])
def test_the_least_noise_on_a_count(noise: str) -> None:
    """As by indicators, known to whoever knows the variable; and by every rule at once."""
    belief = BELIEFS["chain"]
    terms = {name: {"blue": 1} for name in "ABC"}
    found = unspoken.calibrate(belief, terms=terms, limit=0.7, knows="anything", noise=noise)
    names = "ABC"
    worst = max(
        unspoken.leakage(belief, found.mechanism, unspoken.Adversary(t, knows=k)).high
        for t in names
        for r in range(3)
        for k in itertools.combinations([n for n in names if n != t], r)
    )
    assert worst == pytest.approx(0.7, rel=1e-3)
    assert unspoken.worst(belief, found.mechanism).bound.high == pytest.approx(0.7, rel=1e-3)
    compared = unspoken.compare(belief, terms=terms, limit=0.7)
    exact = next(row for row in compared.rows if row.name == "exact")
    assert exact.scale == pytest.approx(found.scale, rel=1e-3 if noise == "laplace" else 0.1)


def test_sets_of_beliefs() -> None:
    """A box of one joint is that joint."""
    belief = unspoken.Joint(TABLE[:, 0, :] + TABLE[:, 1, :], "AC", [WORDS, WORDS])
    box = unspoken.Box(belief.table, belief.table, names="AC", values=[WORDS, WORDS])
    mechanism = Laplace(1.0, terms={"A": {"red": 1, "blue": 3}, "C": {"blue": 2}})
    for knows in ((), ("C",)):
        adversary = unspoken.Adversary("A", knows=knows)
        alone, of_box = (unspoken.leakage(b, mechanism, adversary) for b in (belief, box))
        assert of_box.high == pytest.approx(alone.high, rel=1e-9)


def test_files_and_words() -> None:
    """Keys of a table are words; other labels are in pairs."""
    by_words = from_description(
        {"kind": "laplace", "scale": 1.0, "terms": {"A": {"red": 1, "blue": [2]}}}
    )
    by_pairs = from_description(
        {"kind": "laplace", "scale": 1.0, "terms": {"A": [["red", 1], ["blue", [2]]]}}
    )
    assert by_words == by_pairs
    assert "terms" in repr(by_words)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"A": {"pink": 1}}, "laplace.terms, value of A"),
        ({"Z": {"red": 1}}, "laplace.terms"),
        ({"A": {"red": "x"}}, "must be a number"),
        ({"A": {}}, "laplace.terms of A: is empty"),
        ({"A": {"red": [1, 2], "blue": [1]}}, "laplace.terms of A: lists of lengths [1, 2]"),
        ({"A": {"red": float("nan")}}, "must be a number"),
        ({"A": 3}, "laplace.terms of A: a list is expected"),
        ({"A": [["red", 1], ["red", 2]]}, "a number for each value, once"),
        (3, "laplace.terms: a table is expected"),
        ({"C": {"red": 1}}, "laplace.terms of C: has a weight too"),
    ],
)
def test_what_is_no_term(terms: Any, said: str) -> None:
    def ask() -> unspoken.Bound:
        mechanism = Laplace(1.0, {"C": 0.0}, terms)
        return unspoken.leakage(BELIEFS["joint"], mechanism, unspoken.Adversary("A"))

    with pytest.raises(InputError) as refused:
        ask()
    assert said in str(refused.value)


def test_a_gaussian_variable_has_no_values() -> None:
    gaussian = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0], names="AB")
    with pytest.raises(InputError, match="give it a weight"):
        unspoken.leakage(gaussian, Laplace(1.0, terms={"A": {0.0: 1.0}}), unspoken.Adversary("B"))
    with pytest.raises(InputError, match="give it a weight"):
        unspoken.worst(gaussian, Laplace(1.0, terms={"A": {0.0: 1.0}}))
