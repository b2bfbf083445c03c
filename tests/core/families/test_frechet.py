"""Beliefs of which only some tables are known: beside linear programs, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import unspoken
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.families.vertices import vertices


def by_programs(held: unspoken.Frechet, above: Any, below: Any) -> float:
    """max <P, above> / <P, below> over the set (Charnes and Cooper: P = x / t, <x, below> = 1)."""
    rows, sums = held._rows, held._sums
    equal = np.vstack([np.column_stack([rows, -sums]), np.append(below, 0.0)])
    wanted = np.append(np.zeros(len(sums)), 1.0)
    done = linprog(np.append(-above, 0.0), A_eq=equal, b_eq=wanted, method="highs")
    return float(-done.fun)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known", [["A", "B", "C"], ["AB", "C"], ["AB", "BC", "AC"], ["AB", "BC"]])
def test_odds_are_what_linear_programs_find(seed: int, known: list[str]) -> None:
    rng = np.random.default_rng(seed)
    truth = unspoken.Joint(rng.dirichlet(np.ones(8)).reshape(2, 2, 2), "ABC")
    held = unspoken.Frechet({tuple(names): truth.marginal(list(names)) for names in known})
    mechanism = unspoken.Finite("A", [[0.7, 0.3], [0.2, 0.8]])
    who = unspoken.Adversary("C", secret=[0])
    bound = unspoken.odds(held, mechanism, who, outcome={"A": 0})
    codes = dict(zip(held.domain.names, np.indices((2, 2, 2)).reshape(3, 8), strict=True))
    kernel = np.where(codes["A"] == 0, 0.7, 0.2)
    share = float(np.asarray(truth.marginal(["C"]))[0])
    found = by_programs(held, kernel * (codes["C"] == 0), kernel * (codes["C"] == 1))
    assert bound.high == pytest.approx(found * (1 - share) / share, rel=1e-7)
    assert bound.exact
    own = unspoken.odds(truth, mechanism, who, outcome={"A": 0})
    assert own.high <= bound.high * (1 + 1e-12)


def test_all_tables_known_leave_one_belief() -> None:
    truth = unspoken.Joint([[0.1, 0.2], [0.3, 0.4]], "AB")
    held = unspoken.Frechet({("A", "B"): truth.table})
    who = unspoken.Adversary("A", secret=[0])
    for measure in ("odds", "mutual-information", "delta"):
        options: Any = {"eps": 0.1} if measure == "delta" else {}
        mechanism = unspoken.OneSided({"B": 1.0}, {"B": [0]})
        one, of_set = (
            unspoken.leakage(each, mechanism, who, measure, **options) for each in (truth, held)
        )
        assert of_set.high == pytest.approx(one.value, rel=1e-11)
        assert of_set.exact


def test_corners_of_two_laws_are_those_of_a_transport() -> None:
    """Of 3 and 3 values at most; each has at most 3 + 3 - 1 cells."""
    held = unspoken.Frechet({"A": [0.2, 0.3, 0.5], "B": [0.25, 0.35, 0.4]})
    corners = held.corners()
    assert ((corners > 0).sum(1) <= 5).all()
    assert all(held.holds(corner) for corner in corners)
    np.testing.assert_allclose(vertices(np.ones((1, 3)), np.ones(1))[0], np.eye(3))


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ({}, "name a table at least"),
        ({"A": [0.5, 0.6]}, "sums to 1.1"),
        ({"A": [[0.5, 0.5]]}, "name each axis"),
        ({("A", "B"): [[0.5, 0.0], [0.0, 0.5]], "B": [0.4, 0.6]}, "contradict"),
        ({("A", "B"): [[0.5, 0.0], [0.0, 0.5]], "B": [0.4, 0.4, 0.2]}, "2 values in one and 3 in"),
        ([{"names": ["A"]}], "each with names, table"),
    ],
)
def test_refusals(tables: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        unspoken.Frechet(tables)
    assert "\n" not in str(refused.value)


def test_too_much_is_open() -> None:
    with pytest.raises(TooLarge, match="corners to try"):
        unspoken.Frechet({name: np.full(4, 0.25) for name in "ABC"})


@pytest.mark.parametrize(
    "tables", [{1: 2}, {None: None}, {0.5: "A"}, {("A", 1): [[0.5, 0.5], [0, 0]]}, [{"names": 3}]]
)
def test_names_that_are_none(tables: Any) -> None:
    with pytest.raises(InputError, match=r"frechet\.tables: "):
        unspoken.Frechet(tables)


def test_corners_that_differ_in_rare_cells_are_two() -> None:
    """A value of mass 1e-12 may be all of one column or of the other."""
    held = unspoken.Frechet({("a",): [1 - 1e-12, 1e-12], ("b",): [0.5, 0.5]})
    assert len(held.corners()) == 2
    seen = unspoken.Finite("b", [[1.0, 0.0], [0.5, 0.5]])
    bound = unspoken.leakage(held, seen, unspoken.Adversary("a"), "max-log-ratio")
    assert bound.high == math.inf  # all of a1 in b0, which is never answered 1


def test_corners_are_off_by_no_more_than_they_say() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b, c = (rng.dirichlet(np.full(k, 0.3)) for k in (2, 3, 2))
        tables = {("a",): a, ("b",): b, ("c",): c}
        rows = np.concatenate(
            [np.eye(2).repeat(6, 1), np.tile(np.eye(3).repeat(2, 1), 2), np.tile(np.eye(2), 6)]
        )
        corners, off = vertices(rows, np.concatenate([*tables.values()]))
        assert 0 < off < 1e-13
        for corner in corners:  # exact: the same cells free, solved in rationals
            free = [Fraction(value) for value in corner.tolist()]
            for row, given in zip(
                rows.astype(int).tolist(), np.concatenate([a, b, c]), strict=True
            ):
                summed = sum(value for value, held in zip(free, row, strict=True) if held)
                assert abs(summed - Fraction(float(given))) <= len(free) * Fraction(off)
