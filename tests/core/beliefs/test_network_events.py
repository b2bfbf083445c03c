"""What outputs say through a network: any channels, tiny leakages, very many cells at once."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from tests.core.beliefs.networks import (
    SPRINKLER,
    WET,
    Drawn,
    chain,
    known_values,
    networks,
    some_names,
    star,
)
from tests.effort import examples
from unspoken.core.beliefs.networks import network as network_room
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.errors import TooLarge
from unspoken.core.types.channel import Channel


def channels(
    data: st.DataObject, drawn: Drawn, names: list[str], outputs: int
) -> dict[str, Channel]:
    """A one-sided or a general channel for each, showing ``outputs`` symbols."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    found = {}
    for name in names:
        law = rng.dirichlet(np.full(3, 0.7), size=drawn.tables[name].shape[-1])
        law = np.where(law < 0.1, 0.0, law) + np.array([1e-3, 0.0, 0.0])
        law = law / law.sum(1, keepdims=True)
        whole = Channel.of(range(3), law)
        found[name] = whole if outputs == 3 else whole.event("seen", [int(rng.integers(2))])
    return found


@given(networks(most=5), st.data())
def test_outputs_of_any_channel(drawn: Drawn, data: st.DataObject) -> None:
    known = known_values(data, drawn)
    one, other = drawn.network.given(known), drawn.joint.given(known)
    names = list(one.domain.names)
    keep, seen = some_names(data, names), some_names(data, names, least=1)
    shown = channels(data, drawn, seen, data.draw(st.sampled_from([1, 3])))
    mine, theirs = one.outputs(keep, shown), other.outputs(keep, shown)
    np.testing.assert_allclose(mine.prior, theirs.prior, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(mine.log_common, theirs.log_common, rtol=1e-13)
    np.testing.assert_allclose(mine.excess, theirs.excess, rtol=1e-11, atol=1e-300)
    assert mine.in_logs == theirs.in_logs


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_tiny_leakage_keeps_its_digits(epsilon: float, seed: int) -> None:
    """E[keep] by the definition, in 60 digits: no part of it may come from a difference."""
    rng = np.random.default_rng(seed)
    drawn = chain(rng, 5, 3)
    keep, seen = ["x2"], ["x0", "x1", "x3", "x4", "x2"]
    events = {
        name: unspoken.OneSided({name: epsilon}, {name: [0]})
        .channel(drawn.network.domain, name)
        .event("withheld", [unspoken.WITHHELD])
        for name in seen
    }
    told = drawn.network.outputs(keep, events)
    with mpmath.workdps(60):
        common = mpmath.exp(-mpmath.mpf(epsilon))
        table = drawn.enumerated()
        for x in range(3):
            excess = mpmath.mpf(0)
            for cell in itertools.product(range(3), range(3), [x], range(3), range(3)):
                likely = mpmath.fprod(common + (1 - common) * (value == 0) for value in cell)
                excess += mpmath.mpf(float(table[cell])) * (likely - common**5)
            assert float(told.excess[x, 0]) == pytest.approx(float(excess), rel=1e-13)


def log_odds(belief: Network, events: dict[str, Channel]) -> float:
    """The logarithm of the factor by which an event moves the odds root=0 : root=1."""
    lifts = belief.outputs(["root"], events).lifts(np.eye(2, dtype=bool))
    return float(lifts.log_lift[0, 0, 0] - lifts.log_lift[0, 0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1e-12, 0.01, 2.0, 40.0])
def test_very_many_outputs_make_one_event(epsilon: float) -> None:
    """1,000 cells withheld: by hand, every effect is told apart by its cause alone."""
    drawn = star(np.random.default_rng(5), 1000)
    belief, names = drawn.network, drawn.names[1:]
    mechanism = unspoken.OneSided(dict.fromkeys(names, epsilon))
    events = {
        name: mechanism.channel(belief.domain, name).event("silent", [unspoken.WITHHELD])
        for name in names
    }
    with mpmath.workdps(60):
        common = mpmath.exp(-mpmath.mpf(epsilon))
        logs = [
            mpmath.fsum(
                mpmath.log(common + (1 - common) * mpmath.mpf(float(drawn.tables[n][x, 0])))
                for n in names
            )
            for x in (0, 1)
        ]
        expected = float(logs[0] - logs[1])
    assert log_odds(belief, events) == pytest.approx(expected, rel=1e-11)


def test_a_release_among_very_many_silent_cells() -> None:
    drawn = star(np.random.default_rng(6), 1000)
    belief, names = drawn.network, drawn.names[1:]
    mechanism = unspoken.OneSided(dict.fromkeys(names, 0.5))
    whole = {name: mechanism.channel(belief.domain, name) for name in names}
    events = {name: own.event("silent", [unspoken.WITHHELD]) for name, own in whole.items()}
    events["x7"] = whole["x7"].event("released", [1])
    common = math.exp(-0.5)
    rows = np.stack([common + (1 - common) * drawn.tables[n][:, 0] for n in names if n != "x7"])
    logs = np.log(rows).sum(0) + np.log(drawn.tables["x7"][:, 1])
    assert log_odds(belief, events) == pytest.approx(logs[0] - logs[1], rel=1e-11)


def test_an_impossible_event_has_no_mass() -> None:
    belief = Network(SPRINKLER, WET)
    sure = {name: Channel.of([0, 1], np.eye(2)) for name in SPRINKLER}
    shown = {"rain": 1, "sprinkler": 1, "wet": 0}
    events = {name: sure[name].event("seen", [value]) for name, value in shown.items()}
    told = belief.outputs(["rain"], events)
    assert told.lifts(np.eye(2, dtype=bool)).log_mass.tolist() == [[-math.inf]]


def test_an_event_costs_less_than_the_joint_table() -> None:
    drawn = star(np.random.default_rng(0), 40)
    belief = drawn.network
    mechanism = unspoken.OneSided(dict.fromkeys(drawn.names[1:], 1.0))
    whole = {name: mechanism.channel(belief.domain, name) for name in drawn.names[1:]}
    events = {name: own.event("silent", [unspoken.WITHHELD]) for name, own in whole.items()}
    assert belief.effort(["root"], whole) == math.inf
    assert belief.effort(["root"], events) <= 16
    few = dict(itertools.islice(whole.items(), 3))
    assert belief.effort(["root"], few) == 16


def test_the_budget_holds_for_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_room, "CELLS", 4)
    drawn = star(np.random.default_rng(0), 3)
    event = {"x0": Channel.of("ab", np.array([[0.5, 0.5], [0.25, 0.75]])).event("a", "a")}
    with pytest.raises(TooLarge, match="an event of 1 outputs about root"):
        drawn.network.outputs(["root"], event)


@given(networks(most=5, least=2), st.data())
@examples(40)
def test_leakage_is_that_of_the_joint(drawn: Drawn, data: st.DataObject) -> None:
    target, *others = data.draw(st.permutations(drawn.names))
    epsilon = {name: data.draw(st.sampled_from([1e-9, 0.3, 2.0])) for name in drawn.names}
    knows = others[:1] if data.draw(st.booleans()) else []
    mechanism = unspoken.OneSided(epsilon, {name: [0] for name in drawn.names}, shows="bit")
    adversary = unspoken.Adversary(target, secret=[0], knows=knows)
    for measure in ("mutual-information", "max-log-ratio"):
        mine = unspoken.leakage(drawn.network, mechanism, adversary, measure).value
        theirs = unspoken.leakage(drawn.joint, mechanism, adversary, measure).value
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-24)
