"""Probabilities so small that their products are no floats: what is possible stays possible."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from unspoken.core.beliefs import Belief, Chain, Independent, Network, Tree
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.types.channel import Channel

RARE = 1e-200
STEP = np.array([[1 - RARE, RARE], [RARE, 1 - RARE]])
NAMES = tuple(f"x{i}" for i in range(4))
START = [1 - RARE, RARE]


def _chained() -> list[Belief]:
    parents = {name: [NAMES[i - 1]] if i else [] for i, name in enumerate(NAMES)}
    tables = {name: STEP if i else START for i, name in enumerate(NAMES)}
    return [
        Chain(START, STEP, 4),
        Tree([-1, 0, 1, 2], START, STEP),
        Network(parents, tables),
    ]


def _log(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator)


def _exact(weights: Sequence[float]) -> dict[tuple[int, float], Fraction]:
    """P(x0, sum) with no rounding at all."""
    law: dict[tuple[int, float], Fraction] = {}
    for codes in itertools.product((0, 1), repeat=4):
        mass = Fraction(START[codes[0]])
        for before, after in itertools.pairwise(codes):
            mass *= Fraction(STEP[before, after])
        key = codes[0], sum(w * x for w, x in zip(weights, codes, strict=True))
        law[key] = law.get(key, Fraction(0)) + mass
    return law


@pytest.mark.parametrize("belief", _chained(), ids=lambda own: type(own).__name__)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0, 1.0), (1.0, math.pi, math.e, math.sqrt(2))])
def test_no_answer_of_a_query_is_lost(belief: Belief, weights: tuple[float, ...]) -> None:
    """An answer left out is a comparison left out: its odds may be the largest."""
    law = belief.sums(["x0"], [dict(zip(NAMES, weights, strict=True))])
    assert law.in_logs
    found = {
        (x, round(float(law.points[0][k]), 9)): float(law.table[x, k])
        for x, k in np.argwhere(law.table > -np.inf).tolist()
    }
    wanted = {(x, round(s, 9)): _log(mass) for (x, s), mass in _exact(weights).items()}
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_a_law_behind_a_rare_way_in_is_not_lost() -> None:
    """P(x2 = 1) is 1e-400, so the law of x2 by itself cannot say that it may be 1."""
    steps = [np.array([[1, 0], [1 - RARE, RARE]]), np.array([[1, 0], [0.5, 0.5]])]
    for belief in (Chain([1 - RARE, RARE], steps), Tree([-1, 0, 1], START, [None, *steps])):
        law = belief.sums([], [{"x2": 1.0}])
        assert law.points[0].tolist() == [0.0, 1.0]
        assert law.table == pytest.approx([0.0, 2 * math.log(RARE) + math.log(0.5)])


def test_independent_variables_keep_rare_answers() -> None:
    laws = [[1 - 1e-250, 1e-250], [1 - 1e-150, 1e-150], [0.5, 0.5]]
    for weights in ((1.0, 1.0, 1.0), (1.0, math.pi, math.e)):
        query = dict(zip(NAMES, weights, strict=False))
        law = Independent(laws).sums(["x0"], [query])
        (rarest,) = law.table[1, np.isclose(law.points[0], sum(weights))]
        assert law.in_logs
        assert rarest == pytest.approx(math.log(0.5) - 400 * math.log(10))


def test_independent_variables_that_are_many_keep_rare_answers() -> None:
    """Of the others only what is rarer than e^-400 may go, of the kept one nothing."""
    names = [f"x{i}" for i in range(8)]
    laws = [[1 - 1e-250, 1e-250], [1 - 1e-150, 1e-150], *[[0.5, 0.5]] * 6]
    law = Independent(laws).sums(["x0"], [dict.fromkeys(names, 1.0)])
    assert law.in_logs
    assert law.points[0].tolist() == list(range(9))
    assert law.table[1, 8] == pytest.approx(-400 * math.log(10) + 6 * math.log(0.5))
    assert law.table[1, 0] == -np.inf
    assert law.table[0, 0] == pytest.approx(6 * math.log(0.5))


@pytest.mark.parametrize(
    "belief", [*_chained(), Independent([START] * 4)], ids=lambda own: type(own).__name__
)
def test_what_no_float_tells_from_0_is_refused(belief: Belief) -> None:
    """P(x0 = 1, x1 = 0) as 0 would be a context, or a secret, that is never looked at."""
    two = Channel((0, 1), np.full(2, -np.inf), np.eye(2))
    keep = ["x0", "x2"] if isinstance(belief, Independent) else ["x0", "x1"]
    for seen in ({"x3": two}, {"x3": two.event("seen", [1])}):
        with pytest.raises(TooLarge, match=r"probabilities below 1e-300.*merge rare values"):
            belief.outputs(keep, seen)
    assert belief.outputs(["x0"], {"x0": two.event("seen", [1])}).prior.tolist() == START


def _star(root: Sequence[float]) -> Tree:
    return Tree({f"o{i}": "h" for i in range(500)}, root, [[0.9, 0.1], [0.1, 0.9]])


def test_much_evidence_for_an_impossible_value_leaves_the_others_possible() -> None:
    """The evidence says 1 by 9^500, but only 0 can be."""
    known = {f"o{i}": 1 for i in range(499)}
    later = _star([1.0, 0.0]).given(known)
    assert later.marginal(["h"]).tolist() == [1.0, 0.0]
    assert later.marginal(["o499"]) == pytest.approx([0.9, 0.1])
    with pytest.raises(InputError, match=r"o3 = 1, \.\.\.: this belief holds that impossible$"):
        Tree({f"o{i}": "h" for i in range(500)}, [1.0, 0.0], np.eye(2)).given(known)


@pytest.mark.parametrize("count", [3, 300, 330, 400])
def test_much_evidence_against_a_rare_value(count: int) -> None:
    rare = 1e-290
    later = _star([1 - rare, rare]).given({f"o{i}": 1 for i in range(count)})
    odds = Fraction(rare) / Fraction(1 - rare) * (Fraction(0.9) / Fraction(0.1)) ** count
    assert later.marginal(["h"]) == pytest.approx(
        [float(1 / (1 + odds)), float(odds / (1 + odds))], rel=1e-9, abs=0
    )
