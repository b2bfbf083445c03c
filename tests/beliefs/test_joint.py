"""A joint table answers by its own sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unspoken

TABLE = np.random.default_rng(4).dirichlet(np.full(24, 0.5)).reshape(2, 3, 4)
VALUES: list[list] = [["n", "y"], [1, 2, 3], [0, 1, 2, 3]]
JOINT = unspoken.Joint(TABLE, names="ABC", values=VALUES)


@pytest.mark.parametrize("names", [p for k in range(4) for p in itertools.permutations("ABC", k)])
def test_marginals_have_their_axes_in_the_order_asked_for(names: tuple[str, ...]) -> None:
    letters = "".join(names)
    assert JOINT.marginal(names) == pytest.approx(np.einsum(f"ABC->{letters}", TABLE))


@pytest.mark.parametrize("known", [{"A": "y"}, {"B": 3}, {"C": 0, "A": "n"}, {}])
def test_given_is_bayes(known: dict) -> None:
    rest = JOINT.given(known)
    index = tuple(
        own.index(known[name]) if name in known else slice(None)
        for name, own in zip("ABC", VALUES, strict=True)
    )
    assert rest.domain.names == tuple(name for name in "ABC" if name not in known)
    assert rest.table == pytest.approx(TABLE[index] / TABLE[index].sum(), rel=1e-14)
    assert rest.premise == JOINT.premise


def test_counts_are_normalised_and_nobody_can_change_them() -> None:
    counts = np.array([[3, 1], [0, 4]])
    belief = unspoken.Joint(counts)
    counts[0, 0] = 100
    assert belief.table.tolist() == [[0.375, 0.125], [0.0, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        belief.table[0, 0] = 1.0


def test_samples_are_draws_of_the_table() -> None:
    drawn = JOINT.sample(np.random.default_rng(1), 20_000)
    shares = np.zeros(TABLE.shape)
    np.add.at(shares, tuple(drawn.T), 1 / 20_000)
    assert shares == pytest.approx(TABLE, abs=0.02)
