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


def test_counts_are_found_again_from_their_shares():
    """Exactly, though shares are rounded; decimals that sum to 1 are counts of their last digit."""
    rng = np.random.default_rng(0)
    for size in (10, 10**6, 10**12):
        counts = rng.integers(0, size, (3, 4, 5))
        belief = unspoken.Joint(counts)
        for names in (["x0", "x1", "x2"], ["x2", "x0"], ["x1"], []):
            gone = tuple(axis for axis in range(3) if f"x{axis}" not in names)
            expected = counts.sum(axis=gone)
            expected = expected.T if names == ["x2", "x0"] else expected
            assert np.array_equal(belief.row_counts(names), expected)
    decimals = unspoken.Joint([[0.24, 0.16], [0.54, 0.06]]).row_counts(["x0", "x1"])
    assert (decimals / decimals.min() * 3).tolist() == [[12.0, 8.0], [27.0, 3.0]]
    assert unspoken.Joint([[0.5, 1 / 3], [1 / 6, 0.0]]).row_counts(["x0", "x1"]) is None
    assert unspoken.Joint(rng.dirichlet(np.ones(4)).reshape(2, 2)).row_counts(["x0"]) is None
    assert unspoken.Joint([[2.0**60, 1.0], [1.0, 1.0]]).row_counts(["x0"]) is None
    assert unspoken.Independent([[0.5, 0.5]]).row_counts(["x0"]) is None
