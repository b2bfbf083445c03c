"""Plans for a set of beliefs: within the limits whichever of them is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from tests.planning.enumerated import Enumerated
from tests.planning.test_values import LIMITS, grid, plan_of
from unspoken.core.errors import InputError, NotKnown, UnspokenError
from unspoken.planning import closure

HIDDEN = {"x0": (0,), "x1": (0,)}
JOINT = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]])


@given(st.integers(0, 2**32 - 1), st.sampled_from([*LIMITS[:4], {"odds_cap": 3.0, "exceed": 0.05}]))
@examples(12)
def test_two_beliefs_against_a_grid(seed: int, limits: Any) -> None:
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet(np.full(6, rng.choice([0.5, 3.0])), 2).reshape(2, 2, 3)
    both = [Enumerated(table, [(0,), (0,)]) for table in tables]
    found = plan_of(unspoken.Beliefs(map(unspoken.Joint, tables)), HIDDEN, **limits)
    assert all(e.keeps(found.p, **limits) for e in both)
    worth = np.minimum(*(e.free for e in both))
    assert found.objective == pytest.approx(float(worth @ found.p), abs=1e-14)
    points = grid(26, 2)
    for p in points[points @ worth > found.upper * (1 + 1e-9) + 1e-15]:
        assert not all(e.keeps(p, slack=-1e-9, **limits) for e in both), p
    for table in tables:
        alone = plan_of(unspoken.Joint(table), HIDDEN, weights=worth, **limits)
        assert found.objective <= alone.upper * (1 + 1e-9)


def test_variables_that_depend_in_one_belief_only() -> None:
    """Independent in one, the same in the other: each leaks of the other in one of them."""
    equal = unspoken.Joint([[0.3, 0.0], [0.0, 0.7]])
    apart = unspoken.Independent([[0.3, 0.7], [0.3, 0.7]])
    both = plan_of(unspoken.Beliefs([apart, equal]), HIDDEN, odds_cap=4.0)
    assert (1 - both.p[0]) * (1 - both.p[1]) == pytest.approx(0.25)
    assert plan_of(apart, HIDDEN, odds_cap=4.0).p == pytest.approx([0.75, 0.75])


def test_a_set_of_one_is_its_member() -> None:
    alone = unspoken.plan(JOINT, limit_bits=0.05)
    assert unspoken.plan(unspoken.Beliefs([JOINT]), limit_bits=0.05) == alone
    assert unspoken.plan(unspoken.Beliefs([JOINT, JOINT]), limit_bits=0.05).p == pytest.approx(
        alone.p, rel=1e-2
    )


def test_what_tells_too_much_by_any_belief_is_closed_and_named() -> None:
    harmless = unspoken.Joint([[0.1, 0.1], [0.4, 0.4]])
    telling = unspoken.Joint([[0.11, 0.09], [0.76, 0.04]])
    both = unspoken.Beliefs([harmless, telling])
    secret: dict[str, Any] = {"x0": [0]}
    (told,) = unspoken.plan(both, limit_bits=None, sensitive=secret).telling
    assert (told.name, told.value) == ("x1", 1)
    assert told.factor == pytest.approx(9)
    assert closure(both, secret, 4.0).added == {"x1": (1,)}


@pytest.mark.parametrize(
    ("belief", "error", "says"),
    [
        (unspoken.Box.within(JOINT, 0.1), NotKnown, r"plan for a list, Beliefs\(\[...\]\)"),
        ([[0.2, 0.1], [0.1, 0.6]], InputError, "is no belief; give a Joint"),
        (None, InputError, "is no belief; give a Joint"),
    ],
)
def test_what_cannot_be_planned_for_is_refused_in_one_line(
    belief: Any, error: type[UnspokenError], says: str
) -> None:
    with pytest.raises(error, match=says) as refused:
        unspoken.plan(belief, limit_bits=0.1)
    assert "\n" not in str(refused.value)


def test_the_account_of_bits_takes_one_belief() -> None:
    with pytest.raises(InputError, match=r'plan.account "bit" takes one belief'):
        unspoken.plan(unspoken.Beliefs([JOINT, JOINT]), limit_bits=0.1, account="bit")
