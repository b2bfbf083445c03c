"""Closure: what tells too much by itself is withheld, too, and is no secret for that."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.effort import examples
from unspoken.core.beliefs import Belief, Independent, Joint, Pairwise
from unspoken.core.errors import InputError
from unspoken.planning import Closure, closure
from unspoken.planning.supports import telling_values

Hidden = Mapping[str, Sequence[object]]


def factor(belief: Belief, name: str, label: object, target: str, event: Sequence[object]) -> float:
    """By hand: the odds of "target is in event" after seeing the label, over those before."""
    table = belief.marginal([name, target])
    inside = np.isin(np.arange(table.shape[1]), [belief.domain.code(target, e) for e in event])
    row = table[belief.domain.code(name, label)]
    before, after = table.sum(0), row
    if not (before[inside].sum() > 0 and before[~inside].sum() > 0 and row.sum() > 0):
        return 1.0
    if after[~inside].sum() == 0:
        return math.inf
    now = after[inside].sum() / after[~inside].sum()
    return now / (before[inside].sum() / before[~inside].sum())


def worst(belief: Belief, name: str, label: object, hidden: Hidden) -> float:
    """The most a label says about any single secret value of another, or about any of them."""
    return max(
        factor(belief, name, label, target, event)
        for target in belief.domain.names
        if target != name
        for event in [*((value,) for value in hidden[target]), tuple(hidden[target]), ()]
    )


def free(belief: Belief, hidden: Hidden) -> Iterator[tuple[str, object]]:
    for name, values in zip(belief.domain.names, belief.domain.values, strict=True):
        yield from ((name, value) for value in values if value not in hidden[name])


def check(belief: Belief, declared: Hidden, cap: float, found: Closure) -> None:
    """What was closed had to be, and of what is left free nothing tells a secret too much."""
    secrets = {name: list(declared.get(name, ())) for name in belief.domain.names}
    beyond = {one for one in free(belief, secrets) if worst(belief, *one, secrets) > cap * 1.0001}
    near = {one for one in free(belief, secrets) if worst(belief, *one, secrets) > cap / 1.0001}
    added = {(told.name, told.value) for told in found.telling}
    assert beyond <= added <= near
    for told in found.telling:
        own = factor(belief, told.name, told.value, told.target, told.secret)
        assert told.factor == pytest.approx(own, rel=1e-9)
        assert told.factor == pytest.approx(worst(belief, told.name, told.value, secrets))
        mass = belief.marginal([told.name])[belief.domain.code(told.name, told.value)]
        assert told.probability == pytest.approx(mass, rel=1e-14)
        assert set(told.secret) <= set(secrets[told.target])
    factors = [told.factor for told in found.telling]
    assert factors == sorted(factors, reverse=True)
    assert all(
        worst(belief, *one, secrets) <= cap * 1.0001 for one in free(belief, found.sensitive)
    )
    for name, values in found.sensitive.items():
        assert set(values) == set(secrets[name]) | {v for n, v in added if n == name}
        order = [belief.domain.code(name, value) for value in values]
        assert order == sorted(set(order))


@examples(100)
@given(
    st.lists(st.integers(2, 4), min_size=2, max_size=3),
    st.integers(0, 10**6),
    st.sampled_from([1.3, 2.0, 4.0, 20.0]),
)
def test_closure_is_closed_and_adds_nothing_else(sizes: list[int], seed: int, cap: float) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.choice([0.7, 3.0, 30.0]), sizes)
    counts.flat[0] += 1
    belief = Joint(counts)
    hidden = {name: [0] if rng.random() < 0.7 else [] for name in belief.domain.names}
    check(belief, hidden, cap, closure(belief, hidden, cap))


OFFICE = Joint(
    [[[30, 1], [10, 9]], [[2, 1], [3, 44]]],
    names=["leave", "occupancy", "arrival"],
    values=[["early", "late"], ["low", "normal"], ["late", "on time"]],
)


def test_a_telling_value_is_closed_with_its_reason() -> None:
    """Late arrival tells low occupancy. Leaving early tells late arrival, which is no secret."""
    found = closure(OFFICE, {"occupancy": ["low"]}, 4.0)
    (late,) = found.telling
    assert (late.name, late.value) == ("arrival", "late")
    assert late.probability == pytest.approx(0.45)
    assert (late.target, late.secret) == ("occupancy", ("low",))
    assert late.factor == pytest.approx((32 / 13) / (34 / 66))
    assert factor(OFFICE, "leave", "early", "arrival", ("late",)) > 4.0
    assert found.sensitive == {"leave": (), "occupancy": ("low",), "arrival": ("late",)}
    assert found.added == {"arrival": ("late",)}


def test_what_was_closed_is_no_secret() -> None:
    """a tells b, c tells a, but c does not tell b: c stays free, and what it tells of b is held."""
    steps = np.array([[0.98, 0.02], [0.02, 0.98]])
    chain = np.einsum("a,ab,ac->abc", [0.5, 0.5], steps, [[0.86, 0.14], [0.14, 0.86]])
    belief = Joint(chain, names=["a", "b", "c"])
    found = closure(belief, {"b": [0]}, 6.0)
    assert [(t.name, t.value, t.target) for t in found.telling] == [("a", 0, "b")]
    check(belief, {"b": [0]}, 6.0, found)


@pytest.mark.slow
@examples(60)
@given(
    st.lists(st.integers(2, 3), min_size=2, max_size=3),
    st.integers(0, 10**6),
    st.sampled_from([1.5, 4.0]),
)
def test_once_closed_every_variable_can_be_released_a_little(
    sizes: list[int], seed: int, cap: float
) -> None:
    """Alone: no value shown breaks the cap, and a small p keeps what a blank tells below it."""
    belief = Joint(np.random.default_rng(seed).poisson(3.0, sizes) + 1)
    secrets = dict.fromkeys(belief.domain.names, (0,))
    closed = closure(belief, secrets, cap).sensitive
    for name in belief.domain.names:
        alone = {other: 0.0 for other in belief.domain.names if other != name}
        found = unspoken.plan(
            belief, limit_bits=None, sensitive=closed, secrets=secrets, caps=alone, odds_cap=cap
        )
        free_share = 1 - sum(
            belief.marginal([name])[belief.domain.code(name, v)] for v in closed[name]
        )
        assert found.telling == ()
        assert free_share < 1e-12 or found.p[name] > 0.01


def test_a_copy_ends_with_nothing_to_release() -> None:
    belief = Joint(np.diag([10, 20, 70]), names=["a", "b"])
    found = closure(belief, {"a": [0]}, 4.0)
    assert found.sensitive == {"a": (0,), "b": (0,)}
    assert [told.factor for told in found.telling] == [math.inf]


def test_nothing_is_closed_without_need() -> None:
    alone = Independent([[0.3, 0.7], [0.1, 0.9]])
    assert closure(alone, {"x0": [0], "x1": [0]}, 1.0).telling == ()
    assert closure(OFFICE, {}, 1.0).telling == ()
    assert closure(OFFICE, {"occupancy": ["low"]}, math.inf).sensitive == {
        "leave": (),
        "occupancy": ("low",),
        "arrival": (),
    }
    assert "no value tells too much" in repr(closure(OFFICE, {}, 4.0))


def test_only_what_is_released_is_closed() -> None:
    found = closure(OFFICE, {"occupancy": ["low"]}, 4.0, released=["leave"])
    assert found.sensitive == {"leave": (), "occupancy": ("low",), "arrival": ()}


def test_pairs_are_enough() -> None:
    names = list(OFFICE.domain.names)
    pairs = {
        (a, b): OFFICE.marginal([a, b])
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }  # fmt: skip
    belief = Pairwise([OFFICE.marginal([name]) for name in names], pairs, names=names)
    hidden = {"occupancy": [0]}
    assert closure(belief, hidden, 4.0).added == {"arrival": (0,)}


def test_the_order_of_attributes_does_not_matter() -> None:
    turned = Joint(
        OFFICE.table.transpose(2, 0, 1),
        names=["arrival", "leave", "occupancy"],
        values=[["late", "on time"], ["early", "late"], ["low", "normal"]],
    )
    for cap in (1.2, 2.0, 4.0):
        first = closure(OFFICE, {"occupancy": ["low"]}, cap)
        again = closure(turned, {"occupancy": ["low"]}, cap)
        assert {n: set(v) for n, v in first.sensitive.items()} == {
            n: set(v) for n, v in again.sensitive.items()
        }


def test_it_agrees_with_the_odds_of_a_release() -> None:
    found = closure(OFFICE, {"occupancy": ["low"]}, 4.0)
    sensitive = {"occupancy": ["low"], "leave": [], "arrival": []}
    for told in found.telling:
        seen = unspoken.odds(
            OFFICE,
            unspoken.OneSided({told.name: 1e-6}, sensitive),
            unspoken.Adversary(told.target, secret=told.secret),
            outcome={told.name: told.value},
        )
        assert seen.value == pytest.approx(told.factor, rel=1e-9)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"odds_cap": 0.5}, "closure.odds_cap: 0.5 must be 1 or more"),
        ({"odds_cap": math.nan}, "closure.odds_cap: nan must be 1 or more"),
        ({"odds_cap": 4.0, "released": ["arival"]}, 'Did you mean "arrival"?'),
        ({"odds_cap": 4.0, "sensitive": {"arival": ["late"]}}, 'Did you mean "arrival"?'),
        ({"odds_cap": 4.0, "sensitive": {"arrival": ["lat"]}}, 'Did you mean "late"?'),
    ],
)
def test_what_makes_no_sense_is_refused(given_: dict, said: str) -> None:
    with pytest.raises(InputError) as refused:
        closure(OFFICE, **{"sensitive": {}, **given_})
    assert said in str(refused.value)


def test_it_says_why() -> None:
    text = repr(closure(OFFICE, {"occupancy": ["low"]}, 4.0))
    assert "arrival late (probability 0.45): odds of occupancy low x 4.778" in text


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([2.0, 4.0]))
def test_a_plan_sees_the_same_telling_values(seed: int, cap: float) -> None:
    """A plan names the same values before closure, and none after it."""
    rng = np.random.default_rng(seed)
    belief = Joint(rng.poisson(4.0, (3, 3, 2)) + 1)
    names = belief.domain.names
    secrets = dict.fromkeys(names, (0,))
    found = closure(belief, secrets, cap)
    listed = telling_values(belief, secrets, secrets, names, cap)
    assert {(t.name, t.value) for t in found.telling} == {(t.name, t.value) for t in listed}
    assert telling_values(belief, found.sensitive, secrets, names, cap) == ()
