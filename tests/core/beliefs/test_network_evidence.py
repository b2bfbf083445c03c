"""Many rows of evidence at once, pair tables among them, and evidence beyond the floats."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.beliefs.networks import (
    SPRINKLER,
    WET,
    Drawn,
    chain,
    known_values,
    networks,
    some_names,
)
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.errors import InputError


@given(networks())
def test_pair_tables(drawn: Drawn) -> None:
    network, joint = drawn.network, drawn.joint
    tables = network.pair_tables()
    assert list(tables) == list(itertools.combinations(drawn.names, 2))
    for pair, table in tables.items():
        np.testing.assert_allclose(table, joint.marginal(pair), rtol=1e-12, atol=1e-300)


@given(networks(least=2), st.data())
def test_pair_tables_once_values_are_known(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    for pair, table in one.pair_tables().items():
        np.testing.assert_allclose(table, other.marginal(pair), rtol=1e-11, atol=1e-300)


@given(networks(), st.data())
def test_many_rows_of_evidence(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    names = list(one.domain.names)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    seen = some_names(data, names)
    rows = data.draw(st.integers(1, 4)) if seen else 1
    told = {}
    for name in seen:
        size = one.cells([name])
        hard = np.eye(size)[rng.integers(size, size=rows)]
        told[name] = np.where(rng.random((rows, 1)) < 0.5, hard, rng.random((rows, size)))
    updated = one.posteriors(told)
    for row in range(rows):
        table = other.marginal(names)
        for axis, name in enumerate(names):
            likely = told[name][row] if name in told else np.ones(one.cells([name]))
            table = table * likely.reshape([-1 if i == axis else 1 for i in range(len(names))])
        mass = table.sum()
        if mass == 0:
            assert updated.log_evidence[row] == -math.inf
            assert all(np.isnan(updated.laws[name][row]).all() for name in names)
            continue
        assert math.exp(updated.log_evidence[row]) == pytest.approx(mass, rel=1e-11)
        for axis, name in enumerate(names):
            gone = tuple(i for i in range(len(names)) if i != axis)
            np.testing.assert_allclose(
                updated.laws[name][row], table.sum(gone) / mass, rtol=1e-11, atol=1e-300
            )


def test_rows_are_the_same_in_any_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    drawn = chain(rng, 8, 3)
    told = {name: rng.random((50, 3)) for name in drawn.names[::2]}
    once, pairs = drawn.network.posteriors(told), drawn.network.pair_tables()
    monkeypatch.setattr("unspoken.core.beliefs.networks.updating.BATCH", 1)
    again, others = drawn.network.posteriors(told), drawn.network.pair_tables()
    np.testing.assert_allclose(once.log_evidence, again.log_evidence, rtol=1e-13)
    assert all(np.allclose(once.laws[n], again.laws[n], rtol=1e-13) for n in drawn.names)
    assert all(np.allclose(pairs[pair], others[pair], rtol=1e-14) for pair in pairs)


def forward_backward(drawn: Drawn, told: dict[str, np.ndarray]) -> tuple[list[float], mpmath.mpf]:
    """P(x0 = 0 | row) and log P(row) of a binary chain, in 60 digits."""
    with mpmath.workdps(60):
        after = [mpmath.mpf(1), mpmath.mpf(1)]
        for name in reversed(drawn.names[1:]):
            likely = [mpmath.mpf(float(x)) for x in told[name][0]]
            table = drawn.tables[name]
            after = [
                mpmath.fsum(mpmath.mpf(float(table[x, y])) * likely[y] * after[y] for y in (0, 1))
                for x in (0, 1)
            ]
        first = [
            mpmath.mpf(float(drawn.tables["x0"][x]))
            * mpmath.mpf(float(told["x0"][0, x]))
            * after[x]
            for x in (0, 1)
        ]
        mass = first[0] + first[1]
        return [float(part / mass) for part in first], mpmath.log(mass)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-200])
def test_a_thousand_variables_of_evidence_do_not_underflow(scale: float) -> None:
    rng = np.random.default_rng(2)
    drawn = chain(rng, 1000)
    told = {name: scale * rng.random((1, 2)) for name in drawn.names}
    updated = drawn.network.posteriors(told)
    first, log_mass = forward_backward(drawn, told)
    np.testing.assert_allclose(updated.laws["x0"][0], first, rtol=1e-11)
    assert updated.log_evidence[0] == pytest.approx(float(log_mass), rel=1e-12)
    assert float(log_mass) < -600


@pytest.mark.slow
def test_evidence_that_swings_beyond_the_floats_and_back() -> None:
    """500 effects speak for one cause by 10 to 1 each, 500 for the other: even odds, not 0 or 1."""
    names = [f"x{i}" for i in range(1000)]
    tables = {name: [[0.91, 0.09], [0.09, 0.91]] for name in names}
    belief = Network(
        {"root": [], **{name: ["root"] for name in names}}, {"root": [0.3, 0.7], **tables}
    )
    told = {name: [[1.0, 0.0]] if i < 500 else [[0.0, 1.0]] for i, name in enumerate(names)}
    updated = belief.posteriors(told)
    assert updated.laws["root"][0] == pytest.approx([0.3, 0.7], rel=1e-10)
    expected = 500 * (math.log(0.91) + math.log(0.09))
    assert updated.log_evidence[0] == pytest.approx(expected, rel=1e-12)
    known = belief.given({name: int(told[name][0][1]) for name in names})
    assert known.marginal(["root"]) == pytest.approx([0.3, 0.7], rel=1e-10)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"rian": [[1.0, 0.0]]}, 'Did you mean "rain"'),
        ({"rain": [1.0, 0.0]}, "takes rows of 2 numbers"),
        ({"rain": [[1.0, 0.0, 0.0]]}, "takes rows of 2 numbers"),
        ({"rain": np.zeros((0, 2))}, "takes rows of 2 numbers"),
        ({"rain": [[1.0, -0.5]]}, "finite number of 0 or more"),
        ({"rain": [[1.0, math.inf]]}, "finite number of 0 or more"),
        ({"rain": [[1.0, 0.0]], "wet": np.ones((2, 2))}, "some have 1 rows, others 2"),
    ],
)
def test_bad_evidence_is_refused(told: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Network(SPRINKLER, WET).posteriors(told)
