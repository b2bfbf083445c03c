"""Intervals with margins: sets about some of the variables, which hold as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import InputError

pytestmark = pytest.mark.slow

EVENT = ("x0", (0,))
SHOWN = unspoken.OneSided({"x1": 1.0, "x2": 0.5}, {"x0": [0], "x1": [0], "x2": [1]})


def around(table: Any, wide: float) -> tuple[Any, Any]:
    """Between so much less and so much more, given x0 = 0 and given that it is not."""
    law = table / table.sum(tuple(range(1, table.ndim)), keepdims=True)
    return law * (1 - wide), np.minimum(law * (1 + wide), 1.0)


def made(law: Any, known: list[str]) -> unspoken.Intervals:
    joint = unspoken.Joint(law)
    margins = []
    for name in known:
        table = np.asarray(joint.marginal(["x0", name]))
        own = unspoken.Joint(table, ["x0", name])
        margins.append(unspoken.Intervals(own, {EVENT: around(table, 0.05)}))
    return unspoken.Intervals(joint, {EVENT: around(law, 0.6)}, margins=margins)


@pytest.mark.parametrize("seed", range(4))
def test_they_answer_what_is_about_their_variables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.ones(12)).reshape(2, 3, 2)
    truth, plain, held = unspoken.Joint(law), made(law, []), made(law, ["x1"])
    assert held.holds(law.ravel())
    who: Any
    for who in (
        unspoken.Adversary("x0", secret=[0], sees=["x1"]),
        unspoken.Adversary("x0", secret=[0], sees=["x2"]),
        unspoken.Adversary("x0", secret=[0]),
        unspoken.Adversary("x0", sees=["x1"]),
    ):
        for measure in ("odds", "mutual-information"):
            true, narrow, wide = (
                unspoken.leakage(each, SHOWN, who, measure) for each in (truth, held, plain)
            )
            assert true.high <= narrow.high * (1 + 1e-12)
            assert narrow.low <= narrow.high <= wide.high * (1 + 1e-12)
            if who.sees == ("x1",):
                assert narrow.high < 0.9 * wide.high


def test_a_table_has_to_agree_with_them_too() -> None:
    law = np.full((2, 2, 2), 0.125)
    moved = law + 0.03 * np.array([[1, 1], [-1, -1]])
    assert made(law, []).holds(moved.ravel())
    assert not made(law, ["x1"]).holds(moved.ravel())


def test_margins_about_something_else_are_refused() -> None:
    law = np.full((2, 2, 2), 0.125)
    other = unspoken.Joint([[0.25, 0.25], [0.25, 0.25]], ["x0", "x1"], [["a", "b"], [0, 1]])
    margin = unspoken.Intervals(other, {("x0", ("a",)): around(other.table, 0.1)})
    with pytest.raises(InputError, match="have other values"):
        unspoken.Intervals(unspoken.Joint(law), {EVENT: around(law, 0.1)}, margins=[margin])


def test_a_margin_is_a_set() -> None:
    law = np.full((2, 2, 2), 0.125)
    wrong: Any = [None]
    with pytest.raises(InputError, match=r"intervals\.margins: None is no intervals; give a list"):
        unspoken.Intervals(unspoken.Joint(law), {EVENT: around(law, 0.1)}, margins=wrong)
