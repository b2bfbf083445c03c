"""Closure: what tells too much by itself becomes sensitive, until nothing free does."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unsaid
from tests.effort import examples
from unsaid.beliefs import Belief, Independent, Joint, Pairwise
from unsaid.errors import InputError
from unsaid.learning import Closure, closure
from unsaid.planning.supports import telling_values

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
    """Every addition was needed when it was made, and nothing is left to add."""
    hidden = {name: list(declared.get(name, ())) for name in belief.domain.names}
    for round_ in found.rounds:
        beyond = {one for one in free(belief, hidden) if worst(belief, *one, hidden) > cap * 1.0001}
        near = {one for one in free(belief, hidden) if worst(belief, *one, hidden) > cap / 1.0001}
        added = {(told.attribute, told.label) for told in round_}
        assert beyond <= added <= near
        for told in round_:
            own = factor(belief, told.attribute, told.label, told.target, told.secret)
            assert told.factor == pytest.approx(own, rel=1e-9)
            assert told.factor == pytest.approx(worst(belief, told.attribute, told.label, hidden))
            mass = belief.marginal([told.attribute])
            share = mass[belief.domain.code(told.attribute, told.label)]
            assert told.share == pytest.approx(share, rel=1e-14)
            assert set(told.secret) <= set(hidden[told.target])
        assert [t.factor for t in round_] == sorted((t.factor for t in round_), reverse=True)
        for name, label in added:
            hidden[name].append(label)
    assert all(worst(belief, *one, hidden) <= cap * 1.0001 for one in free(belief, hidden))
    assert {name: set(values) for name, values in hidden.items()} == {
        name: set(values) for name, values in found.sensitive.items()
    }
    for name, values in found.sensitive.items():
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
    """Late arrival tells low occupancy; once it is a secret itself, leaving early tells it."""
    found = closure(OFFICE, {"occupancy": ["low"]}, 4.0)
    (late,), (early,) = found.rounds
    assert (late.attribute, late.label, late.share) == ("arrival", "late", 0.45)
    assert (late.target, late.secret) == ("occupancy", ("low",))
    assert late.factor == pytest.approx((32 / 13) / (34 / 66))
    assert (early.attribute, early.label, early.share) == ("leave", "early", 0.5)
    assert (early.target, early.secret) == ("arrival", ("late",))
    assert early.factor == pytest.approx((40 / 10) / (45 / 55))
    assert found.sensitive == {"leave": ("early",), "occupancy": ("low",), "arrival": ("late",)}
    assert found.added == {"arrival": ("late",), "leave": ("early",)}


def test_what_was_closed_is_a_secret_too() -> None:
    """a tells b, c tells a: with a closed, c must be."""
    steps = np.array([[0.98, 0.02], [0.02, 0.98]])
    chain = np.einsum("a,ab,ac->abc", [0.5, 0.5], steps, [[0.86, 0.14], [0.14, 0.86]])
    belief = Joint(chain, names=["a", "b", "c"])
    found = closure(belief, {"b": [0]}, 6.0)
    assert [[(t.attribute, t.label, t.target) for t in one] for one in found.rounds] == [
        [("a", 0, "b")],
        [("c", 0, "a")],
    ]
    check(belief, {"b": [0]}, 6.0, found)


def test_a_copy_ends_with_nothing_to_release() -> None:
    belief = Joint(np.diag([10, 20, 70]), names=["a", "b"])
    found = closure(belief, {"a": [0]}, 4.0)
    assert found.sensitive == {"a": (0,), "b": (0,)}
    assert [told.factor for one in found.rounds for told in one] == [math.inf]


def test_nothing_is_closed_without_need() -> None:
    alone = Independent([[0.3, 0.7], [0.1, 0.9]])
    assert closure(alone, {"x0": [0], "x1": [0]}, 1.0).rounds == ()
    assert closure(OFFICE, {}, 1.0).rounds == ()
    assert closure(OFFICE, {"occupancy": ["low"]}, math.inf).sensitive == {
        "leave": (),
        "occupancy": ("low",),
        "arrival": (),
    }
    assert "no value tells too much" in repr(closure(OFFICE, {}, 4.0))


def test_only_what_is_released_is_closed() -> None:
    found = closure(OFFICE, {"occupancy": ["low"]}, 4.0, released=["arrival"])
    assert found.sensitive == {"leave": (), "occupancy": ("low",), "arrival": ("late",)}


def test_pairs_are_enough() -> None:
    names = list(OFFICE.domain.names)
    pairs = {
        (a, b): OFFICE.marginal([a, b])
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }  # fmt: skip
    belief = Pairwise([OFFICE.marginal([name]) for name in names], pairs, names=names)
    hidden = {"occupancy": [0]}
    assert closure(belief, hidden, 4.0).added == {"arrival": (0,), "leave": (0,)}


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
    for told in found.rounds[0]:
        seen = unsaid.odds(
            OFFICE,
            unsaid.OneSided({told.attribute: 1e-6}, sensitive),
            unsaid.Adversary(told.target, secret=told.secret),
            outcome={told.attribute: told.label},
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
    assert "round 1  arrival late (45.00% of the rows): odds of occupancy low x 4.778" in text
    assert "round 2  leave early (50.00% of the rows): odds of arrival late x 4.889" in text


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([2.0, 4.0]))
def test_a_plan_sees_the_same_telling_values(seed: int, cap: float) -> None:
    """Planning lists the same values before closure, and none after it."""
    rng = np.random.default_rng(seed)
    belief = Joint(rng.poisson(4.0, (3, 3, 2)) + 1)
    names = belief.domain.names
    hidden = dict.fromkeys(names, (0,))
    found = closure(belief, hidden, cap)
    first = found.rounds[0] if found.rounds else ()
    listed = telling_values(belief, hidden, names, names, cap)
    assert {(t.attribute, t.label) for t in first} == {(t.name, t.value) for t in listed}
    for told in first:
        own = (t.factor for t in listed if (t.name, t.value) == (told.attribute, told.label))
        assert told.factor == pytest.approx(max(own), rel=1e-9)
    assert telling_values(belief, found.sensitive, names, names, cap) == ()
