"""A channel in its two parts says what the matrix says, of one draw, of several and of events."""

from __future__ import annotations

import numpy as np
import pytest

from unspoken.core.errors import InputError
from unspoken.core.types.channel import Channel


def random_law(seed: int, rows: int = 3, columns: int = 4) -> np.ndarray:
    """Rows that sum to 1, with zeros among them."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(columns, 0.5), size=rows)
    law[law < 0.05] = 0.0
    return law / law.sum(1, keepdims=True)


@pytest.mark.parametrize("seed", range(10))
def test_the_parts_are_the_matrix(seed: int) -> None:
    law = random_law(seed)
    channel = Channel.of("abcd", law)
    assert (channel.excess >= 0).all()
    assert channel.law == pytest.approx(law, abs=1e-15)
    assert np.exp(channel.log_common) == pytest.approx(law.min(axis=0), abs=1e-15)
    assert channel.excess.sum(1) == pytest.approx(channel.heads, abs=1e-15)
    assert channel.heads == pytest.approx(1 - law.min(axis=0).sum(), abs=1e-15)


@pytest.mark.parametrize("seed", range(10))
def test_two_draws_are_the_product(seed: int) -> None:
    one, other = random_law(seed), random_law(seed + 100, columns=2)
    both = Channel.of("abcd", one).beside(Channel.of("yz", other))
    assert both.outputs == tuple((y, z) for y in "abcd" for z in "yz")
    product = (one[:, :, None] * other[:, None, :]).reshape(3, -1)
    assert both.law == pytest.approx(product, abs=1e-15)
    silent = np.exp(both.log_common).sum()
    assert silent == pytest.approx(one.min(axis=0).sum() * other.min(axis=0).sum(), abs=1e-15)


def test_three_draws_name_three_outputs() -> None:
    once = Channel.of("ab", np.array([[0.5, 0.5], [0.2, 0.8]]))
    assert once.beside(once).beside(once).outputs[1] == ("a", "a", "b")


def test_what_no_float_holds_is_refused() -> None:
    rare = Channel.of("ab", np.array([[1e-200, 1.0], [0.0, 1.0]]))
    with pytest.raises(InputError, match="below 1e-304"):
        rare.beside(rare)


@pytest.mark.parametrize("seed", range(10))
def test_on_heads_is_the_law_given_heads(seed: int) -> None:
    law = random_law(seed)
    heads = Channel.of("abcd", law).on_heads()
    left = law - law.min(axis=0)
    assert heads.law == pytest.approx(left / left.sum(1, keepdims=True), abs=1e-14)
    assert heads.heads == pytest.approx(1.0)


@pytest.mark.parametrize("outputs", ["", "a", "bd", "abcd"])
def test_an_event_has_the_sum_of_its_outputs(outputs: str) -> None:
    law = random_law(3)
    event = Channel.of("abcd", law).event("seen", outputs)
    chosen = ["abcd".index(output) for output in outputs]
    assert event.outputs == ("seen",)
    assert event.law[:, 0] == pytest.approx(law[:, chosen].sum(1), abs=1e-15)
    assert event.possible.tolist() == (law[:, chosen].sum(1) > 0).tolist()


def test_samples_follow_the_rows() -> None:
    law = np.array([[0.7, 0.3, 0.0], [0.0, 0.1, 0.9]])
    drawn = Channel.of("abc", law).sample(np.repeat([0, 1], 4000), np.random.default_rng(1))
    for row in range(2):
        part = drawn[4000 * row : 4000 * (row + 1)]
        shares = [part.count(output) / 4000 for output in "abc"]
        assert shares == pytest.approx(law[row], abs=0.04)
        assert all(share == 0 for share, p in zip(shares, law[row], strict=True) if p == 0)


def test_what_a_channel_is_made_of_stays() -> None:
    """Mechanisms keep theirs between questions."""
    channel = Channel.of("ab", np.array([[0.5, 0.5], [0.25, 0.75]]))
    for part in (channel.log_common, channel.excess):
        with pytest.raises(ValueError, match="read-only"):
            part[...] = 0.0
