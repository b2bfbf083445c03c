"""What a belief is given: copied, checked, and never taken for something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from unspoken.core.beliefs import (
    Belief,
    Chain,
    Exchangeable,
    Gaussian,
    Independent,
    Joint,
    Network,
    Pairwise,
    Tree,
)
from unspoken.core.errors import InputError

HALF = [0.5, 0.5]
STEP = [[0.25, 0.75], [0.5, 0.5]]
Make = Callable[[np.ndarray, np.ndarray], Belief]
MAKERS: Mapping[str, Make] = {
    "chain": lambda law, step: Chain(law, step, 2),
    "chain of steps": lambda law, step: Chain(law, [step]),
    "exchangeable": lambda law, step: Exchangeable(law, 1),
    "independent": lambda law, step: Independent([law, law]),
    "joint": lambda law, step: Joint(law),
    "network": lambda law, step: Network({"x0": [], "x1": ["x0"]}, {"x0": law, "x1": step}),
    "pairwise": lambda law, step: Pairwise([law, law], {("x0", "x1"): np.diag(law)}),
    "tree": lambda law, step: Tree([-1, 0], law, step),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_nobody_changes_a_belief_from_outside(make: Make) -> None:
    law, step = np.array([0.25, 0.75]), np.array(STEP)
    belief = make(law, step)
    names = belief.domain.names
    before = belief.marginal(names).copy()
    law[:], step[:] = law[::-1].copy(), step[::-1].copy()
    for asked in (names[:1], names):
        table = belief.marginal(asked)
        if table.flags.writeable:
            table[:] = 0.0
    assert belief.marginal(names).tolist() == before.tolist()
    assert belief.marginal(names[:1]) == pytest.approx([0.25, 0.75])


def test_nobody_changes_a_pair_or_a_mean_from_outside() -> None:
    pair, mean = np.diag([0.25, 0.75]), np.array([1.0])
    known, normal = Pairwise([[1, 3], [1, 3]], {("x0", "x1"): pair}), Gaussian([[1]], [1], mean)
    pair[:], mean[:] = 0.25, 7.0
    assert known.marginal(["x0", "x1"]).tolist() == [[0.25, 0.0], [0.0, 0.75]]
    assert normal.mean.tolist() == [1.0]
    for table in (normal.mean, normal.root, known.marginal(["x0"])):
        assert not table.flags.writeable


def test_one_table_for_every_arrow_is_held_once() -> None:
    own = Tree([-1, *range(99)], HALF, np.array(STEP)).forest.laws
    assert len({id(law) for law in own[1:]}) == 1


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_variable_is_asked_for_once(make: Make) -> None:
    """Twice, some gave P(x) P(x) for what is P(x) on a diagonal."""
    name = (belief := make(np.array(HALF), np.array(STEP))).domain.names[0]
    with pytest.raises(InputError, match=f'"{name}" is asked for twice'):
        belief.marginal([name, name])
    with pytest.raises(InputError, match='there is no "z"'):
        belief.blanket("z")


def test_tables_may_come_one_by_one() -> None:
    """A generator was used up by a first look at it, and the chain had one variable."""
    one_by_one: Callable[[Any], Any] = iter
    steps = [STEP, STEP]
    assert Chain(HALF, one_by_one(steps)).domain.names == ("x0", "x1", "x2")
    tree = Tree([-1, 0, 1], HALF, one_by_one([None, *steps]))
    assert tree.marginal(["x2"]) == pytest.approx(Chain(HALF, steps).marginal(["x2"]))


def test_a_number_is_any_real_number() -> None:
    belief = Gaussian([[1, 0.5], [0.5, 1]], [1, 1])
    for value in (1, True, Fraction(1), np.float32(1), np.int64(1)):
        assert belief.given({"x0": value}).mean.tolist() == [0.5]


def test_exchangeable_names_are_looked_up() -> None:
    belief = Exchangeable([1, 1, 1], 2)
    for ask in (
        lambda: belief.marginal(["z"]),
        lambda: belief.sums(["x0"], [{"z": 1.0}]),
        lambda: belief.outputs(["z"], {}),
    ):
        with pytest.raises(InputError, match='there is no "z"'):
            ask()


BIG = [1e308, 1e308]
WRONG: Mapping[str, tuple[Callable[[], Any], str]] = {
    "huge": (lambda: Independent([BIG]), "beyond floats"),
    "huge row": (lambda: Chain(HALF, [BIG, HALF], 3), "row 0: the sum of its entries is beyond"),
    "huge case": (lambda: Network({"a": []}, {"a": BIG}), "beyond floats"),
    "no list": (lambda: Independent(3), r"independent.marginals: a list is expected"),  # type: ignore[arg-type]
    "length": (lambda: Chain(HALF, STEP, 2.5), "2.5 is no number of variables"),  # type: ignore[arg-type]
    "word": (lambda: Tree("ab", HALF, STEP), "tree.parent: a list is expected"),  # type: ignore[arg-type]
    "half": (lambda: Tree([-1, 0.5], HALF, STEP), "0.5 is no whole number"),  # type: ignore[list-item]
    "parents": (lambda: Network({"a": 3}, {"a": HALF}), "a list is expected"),  # type: ignore[dict-item]
    "mapping": (lambda: Network(["a"], {"a": HALF}), "network.parents: a mapping"),  # type: ignore[arg-type]
    "tables": (lambda: Network({"a": []}, [HALF]), "network.tables: a mapping"),  # type: ignore[arg-type]
    "pair": (
        lambda: Pairwise({"a": HALF, "b": HALF}, {"ab": np.eye(2) / 2}),  # type: ignore[dict-item]
        "key 'ab': a pair of names",
    ),
    "pairs": (lambda: Pairwise([HALF], [1]), "pairwise.tables: a mapping"),  # type: ignore[arg-type]
    "correlation": (lambda: Gaussian([[1e-300, 1e300], [1e300, 1e-300]], [1, 1]), "not positive"),
    "large": (lambda: Gaussian([[1]], [1]).given({"x0": 10**400}), "is no finite number"),
    "likelihood": (
        lambda: Network({"a": []}, {"a": HALF}).posteriors({"a": "x"}),
        "likelihoods of a: not a table of numbers",
    ),
    "complex": (
        lambda: Joint(np.array([np.complex128(0.5 + 1j), 0.5], dtype=object)),
        "not a table of numbers",
    ),
    "all known": (lambda: Joint(HALF).given({"x0": 1}), "nothing left to believe"),
    "each known": (lambda: Independent([HALF]).given({"x0": 1}), "nothing left to believe"),
    "values": (
        lambda: Chain(HALF, STEP, 3, values=[-1e308, 1e308]).sums([], [{"x0": 1.0, "x1": 1.0}]),
        'values of "x0" is too large',
    ),
    "weight": (lambda: Independent([HALF]).sums([], [{"x0": float("nan")}]), "is too large"),
}


@pytest.mark.parametrize(("make", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_in_one_line(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        make()
    assert "\n" not in str(refusal.value)
