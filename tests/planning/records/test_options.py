"""What else a plan with one coin a record keeps, each held to by plain loops."""

import itertools
import json
import math
from itertools import product

import numpy as np
import pytest

import unspoken
from tests.planning.records.enumerated import answers, objective, records, shown, worst_odds
from tests.planning.records.test_properties import asked, joint
from unspoken.tables.learning.intervals import confidence

COUNTS = np.random.default_rng(7).integers(1, 60, (3, 2, 3)).astype(float)
BELIEF = unspoken.Joint(COUNTS, names="ABC")
SENSITIVE = {"A": [0, 1], "B": [1], "C": []}
EVENTS = [
    (lambda x: x["A"] == 0, lambda x: x["A"] == 2),
    (lambda x: x["A"] == 1, lambda x: x["A"] == 0),
    (lambda x: x["A"] < 2, lambda x: x["A"] == 2),
    (lambda x: x["B"] == 1, lambda x: x["B"] == 0),
    (lambda x: x["A"] < 2 or x["B"] == 1, lambda x: x["A"] == 2 and x["B"] == 0),
    (lambda x: x["A"] < 2 and x["B"] == 1, lambda x: not (x["A"] < 2 and x["B"] == 1)),
]


def planned(**more):
    options = {"odds_cap": 3.0, "sensitive": SENSITIVE, **more}
    return unspoken.plan(BELIEF, by="record", **options)


FREE = planned().objective


def caps_kept(plan, sees="ABC", cap=3.0, belief=BELIEF):
    for inside, outside in EVENTS:
        assert worst_odds(plan, belief, sees, inside, outside) <= cap


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"coalitions": [["A", "B"], ["C"]]},
        {"coalitions": [["A", "B"], ["C"]], "pooled_cap": 3.5},
        {"knows": ["C"]},
        {"floor": 1.2},
        {"unbiased": True},
        {"own_reads": True, "coalitions": [["A"], ["B", "C"]]},
        {"order": ["C", "A"]},
        {"reads": ["A", "C"]},
        {"weights": {"A": 0.5, "C": {0: 0.0, 2: 3.0}}},
        {"shares": {"one": ["A"], "two": ["B", "C"]}},
        {"limit_bits": 0.02},
        {"odds_cap": 1.0},
        {"limit_bits": {"A": 0.0}},
        {"limit_bits": 0.05, "shares": {"one": ["A"], "two": ["B", "C"]}, "unbiased": True},
    ],
    ids=str,
)
def test_what_every_plan_keeps(more):
    plan = planned(**more)
    for sees in more.get("coalitions", [more.get("reads", "ABC")]):
        caps_kept(plan, sees, more.get("odds_cap", 3.0))
    for pattern in itertools.chain(*shown(plan).values()):
        assert pattern <= set(more.get("reads", "ABC"))
    if "weights" not in more:
        assert math.isclose(objective(plan, BELIEF), plan.objective, rel_tol=1e-9, abs_tol=1e-9)
    if "coalitions" not in more and "weights" not in more:
        assert plan.objective <= FREE + 1e-9
    assert plan.objective == plan.bound.low <= plan.bound.high
    # Caps of 1 and limits of 0 leave rounding no room but silence; bits are solved in rounds.
    near = 1e-3 if "limit_bits" in more else 1e-5
    if more not in ({"odds_cap": 1.0}, {"limit_bits": {"A": 0.0}}):
        assert plan.bound.high - plan.bound.low <= near * plan.bound.high
    assert plan.epsilon == {}
    for name, bound in plan.information.items():
        limit = more.get("limit_bits", math.inf)
        assert bound.bits <= (limit.get(name, math.inf) if isinstance(limit, dict) else limit)


def test_pooled_answers_are_bounded_where_asked():
    alone, pooled = (planned(coalitions=[["A"], ["B"], ["C"]], pooled_cap=c) for c in (None, 3.5))
    caps_kept(pooled, "ABC", 3.5)
    odds = [worst_odds(alone, BELIEF, "ABC", *event) for event in EVENTS]
    assert max(odds) > 3.5
    assert pooled.objective < alone.objective


def test_who_knows_an_attribute_is_bounded_too():
    plan, open_plan = planned(knows=["C"], odds_cap=1.5), planned(odds_cap=1.5)
    worst = {True: 0.0, False: 0.0}
    for value in range(3):
        for inside, outside in EVENTS:
            parts = [
                lambda x, f=f, value=value: f(x) and x["C"] == value for f in (inside, outside)
            ]
            assert worst_odds(plan, BELIEF, "ABC", *parts) <= 1.5
            worst[False] = max(worst[False], worst_odds(open_plan, BELIEF, "ABC", *parts))
    assert worst[False] > 1.5


def test_who_knows_an_attribute_by_itself_is_bounded_alone():
    """Rows for who sees A and knows C; who sees B has none, and everybody together keeps the cap"""
    pools = [["A"], ["B"]]
    asked = {"odds_cap": 1.5, "coalitions": pools, "reads": ["A", "B"]}
    plan, every_one = planned(knows=[(["A"], ["C"])], **asked), planned(knows=["C"], **asked)
    worst = dict.fromkeys("AB", 0.0)
    for value, (inside, outside), sees in product(range(3), EVENTS, "AB"):
        parts = [lambda x, f=f, value=value: f(x) and x["C"] == value for f in (inside, outside)]
        worst[sees] = max(worst[sees], worst_odds(plan, BELIEF, sees, *parts))
        assert worst_odds(every_one, BELIEF, sees, *parts) <= 1.5
        assert worst_odds(plan, BELIEF, sees, inside, outside) <= 1.5
    assert worst["A"] <= 1.5 < worst["B"]
    assert plan.objective > every_one.objective
    assert plan.odds.odds <= 1.5 * (1 + 1e-12)


def test_the_floor_holds_whatever_is_believed():
    """W(S|x) <= e^eps W(S|x') where x has a secret that x' does not."""

    def worst(plan):
        table, found = shown(plan), 0.0
        for x in records(BELIEF.domain):
            for name, secrets in SENSITIVE.items():
                for value in BELIEF.domain.values_of(name) if x[name] in secrets else ():
                    other = {**x, name: value}
                    here, there = (
                        table.get(frozenset(z.items()), {frozenset(): 1}) for z in (x, other)
                    )  # fmt: skip
                    for pattern, weight in here.items():
                        beside = there.get(pattern, 0)
                        found = max(found, math.inf if not beside and weight else
                                    float(weight / beside) if weight else 0)  # fmt: skip
        return found

    assert worst(planned(floor=1.2)) <= math.exp(1.2)
    assert worst(planned()) > math.exp(1.2)
    assert worst(planned(floor=0.3)) <= math.exp(0.3)
    rare = unspoken.Joint(COUNTS * (COUNTS > 5), names="ABC")
    assert worst(unspoken.plan(rare, by="record", sensitive=SENSITIVE, floor=1.0)) <= math.exp(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "groups"),
    [
        ({"unbiased": True}, ["A", "B", "C"]),
        ({"own_reads": True, "coalitions": [["A"], ["B", "C"]]}, [["A"], ["B", "C"]]),
        ({"own_reads": True, "reads": ["C"]}, ["C"]),
        ({"order": ["C", "A"]}, ["C", "AC"]),
    ],
    ids=str,
)
def test_what_is_shown_of_a_group_depends_on_nothing_else(more, groups):
    """Exactly, as whole numbers, for every record of the domain, seen or not."""
    for counts in (COUNTS, COUNTS * (COUNTS > 20)):
        belief = unspoken.Joint(counts, names="ABC")
        plan = unspoken.plan(belief, by="record", odds_cap=3.0, sensitive=SENSITIVE, **more)
        table = shown(plan)
        for group in groups:
            by_labels = {}
            for x in records(belief.domain):
                told = {y: w for y, w in answers(plan, x, table, group).items() if w}
                labels = tuple(x[name] for name in group)
                assert by_labels.setdefault(labels, told) == told
        assert plan.objective > 0.1
    plain = planned(**{k: v for k, v in more.items() if k in ("coalitions", "reads")})
    assert planned(**more).objective <= plain.objective + 1e-9


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"account": "bit"}, 'account "bit"'),
        ({"caps": {"A": 1.0}}, "plan.caps"),
        ({"exceed": 0.1}, "plan.exceed"),
        ({"objective": "epsilon"}, 'objective "epsilon"'),
        ({"coalitions": [["A", "B"]], "reads": ["A"]}, "plan.coalitions: B"),
        ({"shares": {"x": []}}, "reads nothing"),
        ({"weights": {"A": -1}}, "plan.weights of A"),
        ({"reads": ["A"], "weights": {"B": 1}}, "plan.weights: B"),
        ({"events": "all"}, "plan.events"),
        ({"contexts": [(0, BELIEF)]}, "plan.contexts"),
        ({"floor": -1}, "plan.floor"),
        ({"reads": []}, "nothing is read"),
        ({"coalitions": [[]]}, "nothing is read"),
    ],
)
def test_what_does_not_go_together_is_refused(more, said):
    with pytest.raises(unspoken.UnspokenError, match=said):
        planned(**more)


def test_cell_plans_have_none_of_it():
    with pytest.raises(unspoken.UnspokenError, match=r'plan.reads needs by="record"'):
        unspoken.plan(BELIEF, sensitive=SENSITIVE, reads=["A"])


@pytest.mark.parametrize("cap", [1.5, 3.0])
def test_prices_are_what_a_larger_cap_adds(cap):
    """d objective / d ln cap, summed over the answers that bind."""
    plan, more = planned(odds_cap=cap), planned(odds_cap=cap * 1.0005)
    price = sum(each.price for each in plan.binding)
    added = (more.objective - plan.objective) / math.log(1.0005)
    assert price == pytest.approx(added, rel=0.02)
    assert [each.price for each in plan.binding] == sorted(
        (each.price for each in plan.binding), reverse=True
    )
    assert all(0 < each.probability <= 1 for each in plan.binding)
    assert str(plan.binding[0]) in repr(plan)
    listed = json.loads(json.dumps(plan.as_json()))["binding"]
    assert listed[0]["price"] == plan.binding[0].price
    assert listed[0]["about"] == plan.binding[0].about


@pytest.mark.slow
@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_groups_within_one_another_are_made_even_at_no_cost(seed, unbiased):
    """Making one even keeps those around it even, so that it ends at once, not in silence."""
    rng = np.random.default_rng(seed)
    table = rng.gamma(0.5, size=(*rng.integers(2, 4, 3), 2)) + 1e-9
    belief = unspoken.Joint(table / table.sum(), names="abcs")
    asked = {"order": [*"abc"], "unbiased": unbiased, "reads": [*"abc"], "odds_cap": 2.0}
    plan = unspoken.plan(belief, by="record", sensitive={"s": [1]}, **asked)
    assert plan.objective >= 0.9999 * plan.bound.high > 0


def test_a_binding_answer_says_who_gets_it_and_what_they_do_not_show():
    """How likely records get it, and of those with no secret the share that could show a name."""
    plan = planned(events=[{"A": [0]}], sensitive={**SENSITIVE, "B": []})
    table, law = shown(plan), COUNTS / COUNTS.sum()
    assert any(each.withheld for each in plan.binding)
    for each in plan.binding:
        given, others, blank = 0.0, 0.0, dict.fromkeys("ABC", 0.0)
        for x in records(BELIEF.domain):
            for pattern, weight in table[frozenset(x.items())].items():
                if {name: str(x[name]) for name in pattern} == each.as_json()["shown"]:
                    mass = float(weight) * law[tuple(x[name] for name in "ABC")]
                    given += mass
                    others += mass * (x["A"] != 0)
                    for name in {*"ABC"} - pattern:
                        blank[name] += mass * (x["A"] == 2 or name != "A") * (x["A"] != 0)
        assert each.given == pytest.approx(given, rel=1e-4)
        withheld = {name: mass / others for name, mass in blank.items() if mass}
        assert each.withheld == pytest.approx(withheld, rel=1e-4)
        for name in "ABC":
            part = 1.0 if name in each.shown else withheld.get(name, 0.0)
            assert each.costs(name) == pytest.approx(each.fixed * part, rel=1e-4)
            assert each.fixed == each.price


FAIR = {"first": ["A"], "second": ["B", "C"]}


@pytest.mark.parametrize("cap", [1.5, 2.5])
def test_prices_are_of_the_smallest_share_too_where_that_comes_first(cap):
    """It takes of the sum what it costs to be as large as a larger cap lets it be."""
    asked = {"odds_cap": cap, "shares": FAIR, "weights": {"C": 3.0}}
    plan, more = (planned(**asked | {"odds_cap": cap * f}) for f in (1, 1.0005))
    added = (more.objective - plan.objective) / math.log(1.0005)
    assert sum(each.price for each in plan.binding) == pytest.approx(added, rel=0.02)
    assert sum(each.fixed for each in plan.binding) > 1.1 * added
    assert all(each.price <= each.fixed for each in plan.binding)


def test_what_costs_in_all_is_not_said_to_add():
    """An answer of which more is only given for the smallest share."""
    plan = planned(shares=FAIR, weights={"C": 30.0})
    last = plan.binding[-1]
    assert last.price < 0
    assert str(last).endswith(
        f"1 % more cap there takes {-last.price / 100:.2g}, for a larger smallest share"
    )


@pytest.mark.slow
def test_the_price_of_bits_is_what_more_of_them_add():
    plan, more = (planned(limit_bits=bits, odds_cap=8.0) for bits in (0.05, 0.0501))
    added = (more.objective - plan.objective) / (0.0001 * math.log(2))
    assert plan.multiplier == pytest.approx(added, rel=0.05)
    assert math.isnan(planned().multiplier)


@pytest.mark.slow
def test_the_price_of_bits_is_of_the_smallest_share_too():
    """Far apart, since lines are drawn to a thousandth: the mean price between is that of the ends,
    nearly. What the smallest share takes of it is more than a tenth.
    """
    asked = {"odds_cap": 8.0, "shares": FAIR, "weights": {"C": 3.0}}
    plan, more = (planned(limit_bits=bits, **asked) for bits in (0.04, 0.12))
    added = (more.objective - plan.objective) / (0.08 * math.log(2))
    assert (plan.multiplier + more.multiplier) / 2 == pytest.approx(added, rel=0.07)


def test_views_say_the_same():
    plan = planned(coalitions=[["A", "B"], ["C"]], limit_bits=0.1)
    for name in "AB":
        told = [
            unspoken.leakage(BELIEF, plan.mechanism, unspoken.Adversary(name, sees=sees), measure)
            for sees in (["A", "B"], ["C"])
            for measure in ("odds", "mutual-information")
        ]
        assert max(told[0].value, told[2].value) <= 3.0
        bits = plan.information[name]
        most = max(told[1].high, told[3].high)
        assert bits.low <= most * (1 + 1e-9)
        assert most <= bits.high * (1 + 1e-9)


@pytest.mark.parametrize("cap", [1e4, 1e9, 1e300])
def test_a_cap_that_is_no_limit_costs_nothing(cap):
    belief = unspoken.Joint([[0.0, 0.0], [0.5, 0.5]])
    plan = unspoken.plan(belief, by="record", odds_cap=cap)
    assert plan.objective == pytest.approx(1.5, rel=2e-4)
    assert plan.floor.objective <= plan.bound.high
    assert plan.odds.value <= cap


@pytest.mark.slow
@pytest.mark.parametrize("cap", [1e300, 1.7e308])
def test_a_cap_that_is_no_limit_has_no_price_in_a_box(cap):
    counts = np.random.default_rng(0).integers(0, 30, (2, 3, 4))
    secrets = {"x0": [0], "x1": [0]}
    belief = unspoken.Joint(counts.astype(float))
    box = confidence.box(counts, belief, secrets, rows=int(counts.sum()), scale=2.0)
    plan = unspoken.plan(box, by="record", sensitive={**secrets, "x2": []}, odds_cap=cap)
    assert plan.floor.objective <= plan.objective * (1 + 1e-6)
    assert plan.objective <= plan.bound.high < math.inf


def test_what_is_lost_by_making_groups_alike_is_said():
    rng = np.random.default_rng(1002)
    law = joint(rng)
    sensitive, cap, _ = asked(rng, law)
    names = [f"x{i}" for i in range(law.ndim)]
    pools = [names[k : k + 2] for k in range(law.ndim - 1)]
    plan = unspoken.plan(
        unspoken.Joint(law), by="record", sensitive=sensitive, odds_cap=cap, coalitions=pools,
        own_reads=True, unbiased=True,
    )  # fmt: skip
    assert (plan.gap > 0.05) == ("lost" in plan.bound.why)


def test_what_nobody_sees_is_not_shown():
    plan = planned(coalitions=[["A"], ["A", "C"]])
    assert {*plan.p} == {"A", "C"}
    assert all(pattern <= {"A", "C"} for own in shown(plan).values() for pattern in own)


def test_where_nothing_is_secret_all_is_shown():
    plan = planned(secrets={}, sensitive={"A": [0], "B": [], "C": []})
    assert plan.p == pytest.approx({"A": 1, "B": 1, "C": 1})
    assert plan.floor.objective == pytest.approx(plan.objective)


@pytest.mark.slow
def test_mending_what_is_told_of_rare_records_costs_the_others_nothing():
    """The first label of A is known, and nearly never there."""
    rng = np.random.default_rng(1548)
    law = (
        rng.dirichlet(np.ones(12), 2).reshape(2, 3, 2, 2) * np.array([1e-7, 1])[:, None, None, None]
    )
    belief = unspoken.Joint(law / law.sum(), names="ABCD")
    sensitive = {"A": [], "B": [0, 2], "C": [], "D": [1]}
    plan = unspoken.plan(
        belief, by="record", sensitive=sensitive, odds_cap=1.3, knows=["A"], limit_bits=0.01,
        coalitions=[["A", "B", "C"], ["B", "C", "D"]],
    )  # fmt: skip
    assert plan.gap < 1e-3


def test_bits_of_a_label_that_never_occurs():
    law = np.array([[0.0, 0.0], [0.3, 0.2], [0.1, 0.4]])
    belief = unspoken.Joint(law, names="AB")
    plan = unspoken.plan(belief, by="record", sensitive={"A": [0, 1], "B": []}, limit_bits=0.02)
    assert plan.information["A"].bits <= 0.02
    assert plan.gap < 1e-5


def test_what_is_certain_before_any_answer_is_no_row_of_a_set():
    """Where C = 0 there is no A = 1: who knows C is sure of A = 0, whatever is shown."""
    law = np.array([[0.3, 0.2], [0.0, 0.5]])
    box = unspoken.Box.within(unspoken.Joint(law, names="AC"), 0.05)
    for known in ({"knows": ["C"]}, {"knows": [(["A"], ["C"])]}, {"events": [{"A": [0, 1]}]}):
        plan = unspoken.plan(box, by="record", sensitive={"A": [0]}, odds_cap=3.0, **known)
        assert plan.share > 0


@pytest.mark.parametrize("more", [{"unbiased": True}, {"order": ["A"]}])
def test_a_name_of_which_all_is_sensitive_is_in_no_row_of_what_is_alike(more):
    plan = planned(sensitive={"A": [0, 1, 2]}, **more)
    assert plan.p["A"] == 0
    assert plan.p["B"] > 0.3


def test_where_all_is_about_what_is_known_beside_nothing_is_made_quieter():
    belief = unspoken.Joint([[3.0, 0.0], [1.0, 0.0]], "AB", [["u", "v"], ["free", "secret"]])
    plan = unspoken.plan(belief, by="record", sensitive={"B": ["secret"]}, floor=0.7)
    assert plan.odds.odds <= 4
    assert plan.share > 0.3
