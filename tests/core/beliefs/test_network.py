"""A network is the joint table it stands for, in every answer it gives."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.networks import (
    SPRINKLER,
    WET,
    Drawn,
    known_values,
    networks,
    some_names,
    star,
)
from tests.effort import examples
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.errors import InputError, TooLarge


@given(networks(), st.data())
def test_marginals(drawn: Drawn, data: st.DataObject) -> None:
    names = some_names(data, drawn.names)
    np.testing.assert_allclose(
        drawn.network.marginal(names), drawn.joint.marginal(names), rtol=1e-13, atol=1e-300
    )


@pytest.mark.slow
@given(networks(), st.data())
def test_given_is_bayes(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    assert one.domain == other.domain
    names = some_names(data, list(one.domain.names))
    np.testing.assert_allclose(one.marginal(names), other.marginal(names), rtol=1e-12, atol=1e-300)
    name = one.domain.names[0]  # one value after the other is the same
    value = int(np.argmax(one.marginal([name])))
    further = one.given({name: value})
    at_once = drawn.network.given({**known, name: value})
    rest = further.domain.names
    np.testing.assert_allclose(further.marginal(rest), at_once.marginal(rest), rtol=1e-12)


def test_what_cannot_be_is_refused_as_by_a_joint() -> None:
    belief = Network(SPRINKLER, WET)
    known = {"rain": 1, "sprinkler": 1, "wet": 0}
    with pytest.raises(InputError) as refusal:
        belief.given(known)
    with pytest.raises(InputError, match=re.escape(str(refusal.value))):
        unspoken.Joint(belief.marginal(belief.domain.names), belief.domain.names).given(known)
    with pytest.raises(InputError, match='Did you mean "rain"'):
        belief.given({"rian": 0})
    with pytest.raises(InputError, match="value of rain"):
        belief.given({"rain": 2})
    with pytest.raises(InputError, match="there is no"):
        belief.given({"rain": 0}).given({"rain": 0})


@given(networks(), st.data())
def test_irrelevant_outputs_may_be_left_out(drawn: Drawn, data: st.DataObject) -> None:
    """What is left out is independent of the target *and* of what is left in, all together."""
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    names = list(one.domain.names)
    about, asked = some_names(data, names, least=1)[:2], some_names(data, names)
    kept = one.relevant(about, asked)
    left = [name for name in asked if name not in kept]
    assert not set(left) & set(about)
    assert [name for name in asked if name in kept] == list(kept)
    told = list(dict.fromkeys([*about, *kept]))
    both = other.marginal([*told, *left]).reshape(one.cells(told), one.cells(left))
    apart = np.outer(both.sum(1), both.sum(0))
    np.testing.assert_allclose(both, apart, rtol=1e-11, atol=1e-15)


@given(networks(), st.data())
def test_other_pairs_and_blocks_are_independent(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    pairs = one.pairs()
    for pair in itertools.combinations(one.domain.names, 2):
        if pair not in pairs:
            table = other.marginal(pair)
            np.testing.assert_allclose(
                table, np.outer(table.sum(1), table.sum(0)), rtol=1e-11, atol=1e-15
            )
    blocks = one.blocks()
    assert sorted(name for block in blocks for name in block) == sorted(one.domain.names)
    whole = other.marginal([name for block in blocks for name in block])
    product = np.ones(())
    for block in blocks:
        product = np.multiply.outer(product, other.marginal(block))
    np.testing.assert_allclose(whole, product, rtol=1e-11, atol=1e-15)


@given(networks(), st.data())
def test_a_blanket_screens_off_the_rest(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    for name in one.domain.names[:2]:
        blanket = one.blanket(name)
        assert name not in blanket
        rest = [n for n in one.domain.names if n not in (name, *blanket)]
        shape = [one.cells([name]), one.cells(blanket), one.cells(rest)]
        table = other.marginal([name, *blanket, *rest]).reshape(shape)
        own, others = table.sum(2, keepdims=True), table.sum(0, keepdims=True)
        np.testing.assert_allclose(
            table * table.sum((0, 2), keepdims=True), own * others, rtol=1e-10, atol=1e-15
        )


def test_a_collider_opens_and_a_known_chain_closes() -> None:
    table = [[0.9, 0.1], [0.2, 0.8]]
    both = [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.1, 0.9]]]
    belief = Network(
        {"A": [], "B": [], "C": ["A", "B"], "D": ["C"], "E": []},
        {"A": [0.3, 0.7], "B": [0.6, 0.4], "C": both, "D": table, "E": [0.5, 0.5]},
    )
    assert belief.pairs() == [("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")]
    assert belief.relevant(["A"], ["B", "E"]) == ()
    assert belief.relevant(["A"], ["B", "D", "E"]) == ("B", "D")
    assert belief.blanket("A") == ("B", "C")
    assert belief.blocks() == [("A", "B", "C", "D"), ("E",)]
    known = belief.given({"C": 0})
    assert known.pairs() == [("A", "B")]
    assert known.relevant(["A"], ["D"]) == ()
    assert known.blocks() == [("A", "B"), ("D",), ("E",)]
    assert belief.given({"D": 1}).pairs() == [("A", "B"), ("A", "C"), ("B", "C")]
    assert ("known", "C 0") in known.facts()
    assert ("arrows", "3") in belief.facts()


def test_samples_follow_the_law() -> None:
    rng = np.random.default_rng(3)
    belief = Network(SPRINKLER, WET)
    for one in (belief, belief.given({"wet": 0})):
        law = one.marginal(one.domain.names)
        drawn = one.sample(rng, 40_000)
        counts = np.zeros(law.shape)
        np.add.at(counts, tuple(drawn.T), 1)
        assert (counts[law == 0] == 0).all()
        deviation = (counts - 40_000 * law) / np.sqrt(40_000 * law * (1 - law) + 1e-9)
        assert np.abs(deviation[law > 0]).max() < 5


@given(networks(), st.data())
@examples(30)
def test_samples_are_possible(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    rows = one.sample(np.random.default_rng(0), 50)
    assert rows.shape == (50, len(one.domain.names))
    assert (other.marginal(one.domain.names)[tuple(rows.T)] > 0).all()


def grid(side: int) -> Drawn:
    """Every cell depends on the one above and the one on the left: tables as wide as the grid."""
    rng = np.random.default_rng(4)
    names = {(i, j): f"g{i}.{j}" for i in range(side) for j in range(side)}
    parents = {
        name: [names[p] for p in ((i - 1, j), (i, j - 1)) if p in names]
        for (i, j), name in names.items()
    }
    tables = {
        name: rng.dirichlet(np.ones(2), size=(2,) * len(own)) for name, own in parents.items()
    }
    return Drawn(parents, tables)


@pytest.mark.slow
def test_what_is_too_large_is_refused_before_it_is_tried() -> None:
    belief = grid(26).network
    last = "g25.25"
    with pytest.raises(TooLarge, match=r"the joint of g25.25 takes [\d,]+ cells .* than 8,388,608"):
        belief.marginal([last])
    with pytest.raises(TooLarge, match="clique tree"):
        belief.pair_tables()
    with pytest.raises(TooLarge, match="clique tree"):
        belief.posteriors({})
    assert not belief.knows_jointly([last])
    assert belief.marginal(["g0.0", "g1.1"]).sum() == pytest.approx(1.0)  # barren ones cost nothing
    assert belief.knows_jointly(["g0.0", "g1.1"])
    assert belief.sample(np.random.default_rng(0), 3).shape == (3, 676)
    wide = star(np.random.default_rng(0), 40).network
    assert not wide.knows_jointly(wide.domain.names)
    with pytest.raises(TooLarge, match=r"the joint of root, x0, x1, x2, \.\.\."):
        wide.marginal(wide.domain.names)


def test_rows_that_sum_to_one_are_left_alone() -> None:
    belief = Network({"A": []}, {"A": [0.1, 0.2, 0.7]})
    assert belief.marginal(["A"]).tolist() == [0.1, 0.2, 0.7]
    counted = Network({"A": [], "B": ["A"]}, {"A": [1, 3], "B": [[1, 1], [3, 1]]})
    assert counted.marginal(["B"]).tolist() == [float(Fraction(11, 16)), float(Fraction(5, 16))]


def test_values_are_named() -> None:
    belief = Network(SPRINKLER, WET, values={"rain": ["yes", "no"]}, premise="learned(7)")
    assert belief.domain.values[0] == ("yes", "no")
    assert belief.given({"rain": "yes"}).premise == "learned(7)"
    assert belief.given({"rain": "yes"}).marginal(["sprinkler"]).tolist() == [0.01, 0.99]


@pytest.mark.parametrize(
    ("parents", "tables", "says"),
    [
        ({}, {}, "network.parents: empty"),
        ({"A": ["B"], "B": ["A"]}, {"A": [[1, 0]], "B": [[1, 0]]}, "-> .* is a cycle"),
        ({"A": ["A"]}, {"A": [[1, 0], [0, 1]]}, "A -> A is a cycle"),
        ({"A": [], "B": ["a"]}, {"A": [1], "B": [[1]]}, r'parents\[B\]: there is no "a"'),
        ({"A": [], "B": ["A", "A"]}, {"A": [1], "B": [[[1]]]}, "listed twice"),
        ({"A": [], "B": "A"}, {"A": [1], "B": [[1]]}, r"write \['A'\]"),
        ({"A": [], "B": []}, {"A": [0.5, 0.5]}, "no table for B"),
        ({"A": []}, {"A": [0.5, 0.5], "C": [1.0]}, r'tables: there is no "C"'),
        ({"A": []}, {"A": [[0.5, 0.5]]}, r"tables\[A\]: shape \(1, 2\)"),
        ({"A": []}, {"A": []}, r"tables\[A\]: empty"),
        ({"A": []}, {"A": 1.0}, r"tables\[A\]: empty"),
        ({"A": []}, {"A": "one"}, r"tables\[A\]: not a table"),
        (
            {"A": [], "B": ["A"]},
            {"A": [1, 1], "B": [[1, 1], [0.5, 0.4]]},
            "B.* given A=1: sums to 0.9",
        ),
        ({"A": [], "B": ["A"]}, {"A": [1, 1], "B": [[1, 1, 1]]}, r"axes A, B need \(2, 3\)"),
        ({"A": []}, {"A": [1.5, -0.5]}, "negative"),
        ({"A": []}, {"A": [math.nan, 1.0]}, "NaN"),
    ],
)
def test_bad_networks_are_refused(parents: dict, tables: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Network(parents, tables)


def test_a_cycle_is_named_along_its_arrows() -> None:
    parents = {"A": ["C"], "B": ["A"], "C": ["B", "D"], "D": []}
    tables = {name: np.full((2,) * (1 + len(own)), 0.5) for name, own in parents.items()}
    with pytest.raises(InputError) as refusal:
        Network(parents, tables)
    walk = re.search(r"parents: (.*) is a cycle", str(refusal.value))
    assert walk is not None
    names = walk.group(1).split(" -> ")
    assert names[0] == names[-1]
    assert len(names) == 4
    assert all(a in parents[b] for a, b in itertools.pairwise(names))
