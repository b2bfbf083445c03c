"""The one question "who learns most?": stopping, units, what is refused, how it shows itself."""

import json
import math
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.core.searching.everyone import all_nodes
from tests.core.searching.found import attained
from unspoken.core.adversary import Adversary
from unspoken.core.errors import NotKnown
from unspoken.core.measures import MeasureName
from unspoken.core.mechanisms import Mechanism
from unspoken.core.searching.certificate import Certificate
from unspoken.core.searching.chains import Runs
from unspoken.core.searching.gaussian.worst import worst_gaussian
from unspoken.core.searching.joints import Listing
from unspoken.core.searching.search import Worst, worst

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "pdp-ip.json").read_text("utf-8"))
KINDS = {
    kind: [v for v in VECTORS["vectors"] if v["kind"] == kind] for kind in ("pdp_exact", "gaussian")
}
JOINT = unspoken.Joint(np.random.default_rng(1).dirichlet(np.ones(16)).reshape(2, 2, 2, 2))
CHAIN = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], length=6)
LAPLACE = unspoken.Laplace(2.0)
room = import_module("unspoken.core.searching.search")  # the room, not the question of that name


@pytest.mark.parametrize("vector", KINDS["pdp_exact"], ids=lambda v: v["name"])
def test_the_exact_leakages_of_the_theory(vector: dict) -> None:
    """Nobody exceeds the worst: not the vector's adversary, and somebody attains it."""
    own = vector["input"]
    law = np.array(own["counts"], float)
    values = [[float(v) for v in d] for d in own["dom"]]
    weights, scale = [float(w) for w in own["w"]], float(own["lam"])
    joint = unspoken.Joint(law, values=values)
    found = worst(joint, unspoken.Laplace(scale, weights))
    terms = [w * np.array(v) for w, v in zip(weights, values, strict=True)]
    truth = max(all_nodes(law / law.sum(), terms, 1 / scale).values())
    assert float(vector["output"]["leak"]) <= found.bound.high * (1 + 1e-9) + 1e-14
    assert found.bound.low == pytest.approx(truth, rel=1e-9, abs=1e-14)
    assert found.bound.high == pytest.approx(truth, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("vector", KINDS["gaussian"], ids=lambda v: v["name"])
def test_gaussian_variables(vector: dict) -> None:
    own, output = vector["input"], vector["output"]
    numbers = {key: np.array(own[key], float) for key in ("Sigma", "R", "w")}
    belief = unspoken.Gaussian(numbers["Sigma"], numbers["R"])
    laplace = unspoken.Laplace(float(own["lam"]), numbers["w"].tolist())
    found = worst(belief, laplace)
    wide = worst(belief, unspoken.Laplace(1e6 * float(own["lam"]), numbers["w"].tolist())).bound
    assert wide.low * 1e6 == pytest.approx(output["worst"], rel=1e-9)
    assert wide.high * 1e6 == pytest.approx(output["worst"], rel=1e-9)
    assert found.bound.low == pytest.approx(output["worst"], rel=1e-9)
    assert found.bound.high == pytest.approx(output["worst"], rel=1e-9)
    assert found.bound.low <= output["worst"] * (1 + 1e-12) <= found.bound.high * (1 + 2e-12)
    seen = unspoken.leakage(belief, laplace, attained(found))
    assert seen.value == pytest.approx(output["worst"], rel=1e-9)
    one = worst(belief, laplace, targets=["x0"])
    nodes = [leak for node, leak in output["nodes"].items() if node.startswith("0|")]
    assert one.bound.value == pytest.approx(max(nodes), rel=1e-9)


@pytest.mark.slow
def test_gaussian_variables_and_other_answers() -> None:
    """Several sums, or a mean, are asked one adversary at a time; whole noise is refused."""
    belief = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 2.0])
    both = unspoken.Laplace(2.0, [[1.0, 0.0], [1.0, 1.0]])
    who = [Adversary("x0"), Adversary("x1"), Adversary("x0", knows=["x1"])]
    who.append(Adversary("x1", knows=["x0"]))
    asked: list[tuple[Mechanism, MeasureName]] = [(both, "max-log-ratio"), (LAPLACE, "delta")]
    for mechanism, measure in asked:
        every = [unspoken.leakage(belief, mechanism, own, measure).value for own in who]
        assert worst(belief, mechanism, measure).bound.value == pytest.approx(max(every))
    with pytest.raises(unspoken.UnspokenError, match="use Laplace"):
        worst(belief, unspoken.Geometric(0.5))


def test_gaussian_time_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[object, ...]] = []

    def watched(*given: Any) -> object:
        seen.append(given)
        return worst_gaussian(*given)

    monkeypatch.setattr("unspoken.core.searching.gaussian.worst.worst_gaussian", watched)
    belief = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 2.0])
    worst(belief, LAPLACE)
    worst(belief, LAPLACE, seconds=3.0)
    assert [given[-1] for given in seen] == [10.0, 3.0]


class Stops:
    """A progress callback that is a keyboard interrupt once it was called so often."""

    def __init__(self, after: int) -> None:
        self.left, self.seen = after, [(0, 0)]

    def __call__(self, now: Certificate) -> None:
        self.seen.append((now.done, now.total))
        self.left -= 1
        if self.left <= 0:
            raise KeyboardInterrupt


SEARCHES = {
    "a chain": (CHAIN, LAPLACE, "max-log-ratio"),
    "exchangeable": (unspoken.Exchangeable([5, 1, 1, 1, 5], 4), LAPLACE, "max-log-ratio"),
    "a table": (JOINT, LAPLACE, "max-log-ratio"),
    "views": (JOINT, LAPLACE, "odds"),
    "coins": (JOINT, unspoken.RandomizedResponse("x1", 1.0), "max-information"),
}


@pytest.mark.parametrize("case", SEARCHES.values(), ids=SEARCHES)
def test_wherever_it_is_stopped_it_tells_what_holds(case: tuple) -> None:
    truth = worst(*case).bound
    whole = Stops(10**9)
    worst(*case, progress=whole)
    steps, lows = len(whole.seen) - 1, []
    assert whole.seen[-1][0] == whole.seen[-1][1]
    assert [done for done, _ in whole.seen] == sorted(done for done, _ in whole.seen)
    for after in range(1, steps + 1):
        found = worst(*case, progress=Stops(after))
        lows.append(found.bound.low)
        assert found.bound.low <= truth.low
        assert truth.high <= found.bound.high * (1 + 1e-12)
        if after < steps:
            assert found.bound.why.startswith("stopped from the keyboard: ")
        if found.bound.low > (1.0 if truth.unit == "odds" else 0.0):
            seen = unspoken.leakage(case[0], case[1], attained(found), case[2])
            assert seen.value == pytest.approx(found.bound.low, rel=1e-9)
    assert lows == sorted(lows)
    assert lows[-1] == truth.low


def test_stopped_before_anything_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Runs, "of", interrupted)
    found = worst(CHAIN, LAPLACE)
    assert (found.bound.low, found.bound.high) == (0.0, math.inf)
    assert found.adversary is None
    assert found.bound.why == "stopped from the keyboard: nothing looked at"
    assert "none found yet" in repr(found)
    assert found.as_json()["high"] == "inf"
    assert found.as_json()["adversary"] is None


def test_stopped_inside_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes while views are computed, not between two of them."""
    whole, views = Listing.view, []

    def view(self: Listing, *given: Any) -> object:
        views.append(given)
        if len(views) == 4:
            raise KeyboardInterrupt
        return whole(self, *given)

    monkeypatch.setattr(Listing, "view", view)
    found = worst(JOINT, LAPLACE, "max-information")
    assert found.bound.low > 0
    assert found.bound.high == pytest.approx(4 * 0.5)  # four variables of range 1, scale 2
    assert found.adversary is not None


def test_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(room, "monotonic", lambda: float(next(clock)))
    found = worst(JOINT, LAPLACE, "max-information", seconds=5.5)
    assert found.bound.why.startswith("stopped after 5.5 s: ")
    assert 0 < found.bound.low < found.bound.high
    clock = iter(range(1000))
    assert worst(JOINT, LAPLACE, "max-information", seconds=900).bound.exact


def test_who_can_learn_no_more_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Group bounds above the best found so far are looked at only; here the rest is next to 0."""
    looked: list[object] = []
    whole = Listing.view

    def view(self: Listing, *given: Any) -> object:
        looked.append(given)
        return whole(self, *given)

    monkeypatch.setattr(Listing, "view", view)
    found = worst(JOINT, unspoken.Laplace(2.0, [5.0, 0.1, 0.1, 0.1]), "odds")
    assert found.bound.exact
    assert attained(found).target == "x0"
    assert len(looked) < 32


SMALL = {
    "chain": CHAIN,
    "exchangeable": unspoken.Exchangeable([5, 1, 1, 1, 5], 4),
    "joint": JOINT,
    "independent": unspoken.Independent([[0.5, 0.5]] * 30),
}


@pytest.mark.parametrize("belief", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("scale", [1e5, 1e9])
def test_a_tiny_leakage_has_all_its_digits(belief: unspoken.Joint, scale: float) -> None:
    """So wide noise is linear: a thousand times the noise is a thousandth of the leakage."""
    found = worst(belief, unspoken.Laplace(scale))
    near = unspoken.leakage(belief, unspoken.Laplace(scale), attained(found)).value
    assert found.bound.low == pytest.approx(near, rel=1e-12)
    wide = unspoken.leakage(belief, unspoken.Laplace(1000 * scale), attained(found)).value
    assert found.bound.low == pytest.approx(1000 * wide, rel=1e-3)
    assert found.bound.low < found.bound.high < found.bound.low + 1e-12


def test_views_that_are_bounded_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where views give intervals the ends are those of everybody, within the group bound."""
    exact = worst(JOINT, LAPLACE, "max-information").bound.value
    whole = room.SearchProblem.ends

    def ends(self: Any, view: Any) -> Any:
        return [(0.5 * low, 1.25 * high) for low, high in whole(self, view)]

    monkeypatch.setattr(room.SearchProblem, "ends", ends)
    found = worst(JOINT, LAPLACE, "max-information").bound
    assert found.low == pytest.approx(0.5 * exact)
    assert exact <= found.high == pytest.approx(1.25 * exact)


def test_the_unit_is_the_measures() -> None:
    odds, nats = worst(JOINT, LAPLACE, "odds").bound, worst(JOINT, LAPLACE).bound
    assert odds.unit == "odds"
    assert odds.nats == pytest.approx(nats.value, rel=1e-9)
    delta = worst(unspoken.Joint([[0.4, 0.1], [0.1, 0.4]]), LAPLACE, "delta", eps=0.2).bound
    assert delta.unit == "probability"
    assert (
        delta.value < worst(unspoken.Joint([[0.4, 0.1], [0.1, 0.4]]), LAPLACE, "delta").bound.value
    )


def test_nothing_to_learn_is_attained_by_anybody() -> None:
    same = unspoken.Joint(np.diag([0.5, 0.5]))
    found = worst(same, unspoken.Laplace(1.0, [0.0, 0.0]))
    assert (found.bound.low, found.bound.high) == (0.0, 0.0)
    silent = unspoken.Laplace(1.0, [0.0, 0.0])
    assert unspoken.leakage(same, silent, attained(found)).value == 0.0
    alone = worst(unspoken.Independent([[1.0], [1.0]]), LAPLACE)
    assert alone.bound.value == 0.0


def test_premises_are_kept() -> None:
    learned = unspoken.Joint([[4, 1], [1, 4]], premise="learned(10)")
    assert worst(learned, LAPLACE).bound.premise == "learned(10)"


def test_how_it_shows_itself() -> None:
    found = worst(unspoken.Independent([[0.5, 0.5]] * 12), LAPLACE)
    assert isinstance(found, Worst)
    lines = repr(found).splitlines()
    assert lines[0] == "Worst"
    assert lines[1].split() == ["about", "x0"]
    assert lines[2].split(None, 1)[1] == "x1, x2, x3, x4, x5, x6, x7, x8, ... (11)"
    assert "exactly  0.5 nat" in repr(found)
    assert found.as_json()["adversary"] == {
        "target": "x0",
        "knows": [f"x{k}" for k in range(1, 12)],
    }
    assert found.bound.low <= 0.5 <= found.as_json()["value"] < 0.5 + 1e-12


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"measure": "max-log-ration"}, 'Did you mean "max-log-ratio"'),
        ({"targets": "x0"}, r"write \['x0'\]"),
        ({"targets": []}, "is empty"),
        ({"targets": ["y0"]}, 'worst.targets: there is no "y0"'),
        ({"seconds": 0}, "0 is no time to search"),
        ({"seconds": math.nan}, "nan is no time to search"),
        ({"eps": 0.5, "measure": "odds"}, 'takes no options; leave out "eps"'),
    ],
)
def test_what_is_refused(options: dict, complaint: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=complaint):
        worst(JOINT, LAPLACE, **options)


def test_coins_of_records_are_not_searched() -> None:
    """Searches leave out what is shown of known variables, which a coin of records ties to all."""
    coin = unspoken.Suppression({(0, 0): {("x0",): 2**61}}, ["x0", "x1"], [[0, 1]] * 2, {})
    for mechanism in (coin, unspoken.Together([coin, unspoken.Laplace(1.0)])):
        with pytest.raises(NotKnown, match=r'worst: does not search what is shown.*"odds"'):
            unspoken.worst(JOINT, mechanism)
