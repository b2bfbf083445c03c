"""Random joints of many kinds: every plan within its caps, no rival above its bound."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import unspoken
from tests.effort import tries
from tests.planning.records.enumerated import objective, worst_odds
from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.planning import closure
from unspoken.planning.protection import Protection
from unspoken.planning.records.cells import Pairs
from unspoken.planning.records.certificate import upper_bound
from unspoken.planning.records.model import Model
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.records.program import Layout
from unspoken.planning.records.rounding import IntegerTable, broken, held

pytestmark = pytest.mark.stress
SEEDS = range(tries(5))


def joint(rng):
    """Of 2 to 5 attributes: dense, sparse, with rare labels, an exclusive or, or a copy."""
    sizes = tuple(rng.integers(2, 4, rng.integers(2, 5)))
    kind = rng.integers(5)
    if kind == 3:
        law = np.zeros((2, 2, 2))
        for a, b in itertools.product(range(2), repeat=2):
            law[a, b, a ^ b] = rng.uniform(0.1, 1)
        return law / law.sum()
    law = rng.dirichlet(np.ones(math.prod(sizes))).reshape(sizes)
    if kind == 1:
        law *= rng.uniform(size=sizes) < 0.5
        law.flat[0] += 0.1
    if kind == 2:
        law *= 10.0 ** rng.integers(-6, 1, (*sizes[:1], *[1] * (len(sizes) - 1)))
    if kind == 4:
        law = np.einsum("...i,ij->...ij", law, np.eye(sizes[-1]))
    return law / law.sum()


def asked(rng, law):
    """Secrets, a cap and coalitions."""
    names = [f"x{i}" for i in range(law.ndim)]
    sensitive = {
        name: sorted(rng.choice(size, rng.integers(0, size), replace=False).tolist())
        for name, size in zip(names, law.shape, strict=True)
    }
    sensitive[names[-1]] = sensitive[names[-1]] or [0]
    pools = [[n for n in names if rng.uniform() < 0.7] for _ in range(rng.integers(1, 3))]
    cap = float(rng.choice([1.3, 2.0, 4.0, 20.0]))
    return sensitive, cap, [pool for pool in pools if pool] or [names]


def events(sensitive):
    """The default ones, by hand."""
    has = {
        name: (lambda x, name=name, values=frozenset(values): x[name] in values)
        for name, values in sensitive.items() if values
    }  # fmt: skip
    found = []
    for name, values in sensitive.items():
        for value in values:
            found.append((lambda x, n=name, v=value: x[n] == v, lambda x, f=has[name]: not f(x)))
        found += [
            (lambda x, n=name, v=v: x[n] == v, lambda x, n=name, w=w: x[n] == w)
            for v, w in itertools.permutations(values, 2)
        ]
        if values:
            found.append((has[name], lambda x, f=has[name]: not f(x)))
    any_of = lambda x: any(f(x) for f in has.values())  # noqa: E731
    found.append((any_of, lambda x: not any_of(x)))
    for f, g in itertools.combinations(has.values(), 2):
        both = lambda x, f=f, g=g: f(x) and g(x)  # noqa: E731
        found.append((both, lambda x, both=both: not both(x)))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_no_answer_is_above_its_cap(seed):
    rng = np.random.default_rng(seed)
    law = joint(rng)
    sensitive, cap, pools = asked(rng, law)
    belief = unspoken.Joint(law)
    plan = unspoken.plan(
        belief, by="record", sensitive=sensitive, odds_cap=cap, coalitions=pools,
        reads=sorted({name for pool in pools for name in pool}),
    )  # fmt: skip
    for pool, event in itertools.product(pools, events(sensitive)):
        assert worst_odds(plan, belief, pool, *event) <= Fraction(cap)
    assert math.isclose(objective(plan, belief), plan.objective, rel_tol=1e-9)
    assert plan.bound.high - plan.bound.low <= 1e-5 * plan.bound.high


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_who_half_knows_the_context_exceeds_the_cap(seed):
    """Whatever weights the contexts are given, each with its own odds of the secret."""
    rng = np.random.default_rng(100 + seed)
    laws = [joint(np.random.default_rng(seed)) for _ in range(2)]
    laws[1] = rng.permutation(laws[1], axis=0)
    sensitive, cap, _ = asked(rng, laws[0])
    contexts = [(float(rng.integers(1, 9)), unspoken.Joint(law)) for law in laws]
    plan = unspoken.plan(by="record", sensitive=sensitive, odds_cap=cap, contexts=contexts)
    for share in (0.0, 0.03, 0.3, 0.8, 1.0):
        mixed = unspoken.Joint(share * contexts[0][1].table + (1 - share) * contexts[1][1].table)
        for event in events(sensitive):
            worst = worst_odds(plan, mixed, mixed.domain.names, *event)
            assert worst <= Fraction(cap) * (1 + Fraction(1, 10**12))


def laid_out(rng):
    law = joint(rng)
    sensitive, cap, pools = asked(rng, law)
    reads = sorted({name for pool in pools for name in pool})
    options = RecordOptions(reads=reads)
    protection = Protection(sensitive=sensitive, odds_cap=cap, coalitions=pools)
    problem = RecordProblem.of(unspoken.Joint(law), protection, options)
    cells = problem.cells()
    rows, sees = problem.rules(cells), problem.sees()
    layout = Layout.of(cells, Pairs.of(cells), sees, rows)
    return layout, rows, sees, layout.values(problem.prices(cells))


def value(table, layout, values):
    at = dict(zip(keys(layout.pairs), values.tolist(), strict=True))
    return sum(
        at.get(key, 0.0) * w / WHOLE
        for key, w in zip(keys(table.pairs), table.weights.tolist(), strict=True)
    )


def keys(pairs):
    return zip(pairs.cell.tolist(), pairs.pattern.tolist(), strict=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_the_solver_says_ends_within_the_caps(seed):
    """Answers that are off by little lose little; nonsense ends too, be it in silence."""
    rng = np.random.default_rng(200 + seed)
    layout, rows, sees, values = laid_out(rng)
    x = Model.of(layout, values).solve().x[: len(values)]
    best = float(x @ values)
    for off, least in ((1e-9, 1 - 1e-4), (1e-4, 0.5), (0.3, 0.0)):
        near = np.maximum(x + off * rng.normal(size=len(x)) * (x + rng.uniform() * 1e-3), 0.0)
        for shares in (near, rng.uniform(size=len(x)) * near):
            table = held(IntegerTable.of(layout.cells, layout.pairs, shares), sees, rows)
            again = Layout.over(layout.cells, table.pairs, sees, rows)
            assert not any(len(broken(table, each)) for each in again.watched)
            assert (table.weights >= 0).all()
            assert (np.add.reduceat(table.weights, table.pairs.first) == WHOLE).all()
            if shares is near:
                assert value(table, layout, values) >= least * best


@pytest.mark.parametrize("seed", SEEDS)
def test_no_rival_shows_more_than_the_bound(seed):
    """Random tables made feasible; and the bound holds for any prices, not those of the solver."""
    rng = np.random.default_rng(300 + seed)
    layout, rows, sees, values = laid_out(rng)
    model = Model.of(layout, values)
    solved = model.solve()
    upper, count = model.upper(solved), len(values)
    for _ in range(4):
        weights = rng.gamma(0.2, size=count) * (1 + 5 * (layout.pairs.shown == rng.integers(4)))
        whole = np.add.reduceat(weights, layout.pairs.first)
        shares = weights / np.maximum(whole, 1e-300)[layout.pairs.cell]
        rival = held(IntegerTable.of(layout.cells, layout.pairs, shares), sees, rows)
        assert value(rival, layout, values) <= upper
        prices = [rng.exponential(size=len(each)) for _, each in layout.stated]
        assert upper_bound(layout, values, prices) >= upper * (1 - 1e-5)
    most = np.maximum.reduceat(values, layout.pairs.first).sum()
    free = [np.zeros(len(each)) for _, each in layout.stated]
    nothing = upper_bound(layout, values, free)
    assert most <= nothing <= most * (1 + 1e-12) + 1e-300


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_one_coin_a_cell_shows_no_more(seed):
    rng = np.random.default_rng(400 + seed)
    law = joint(rng)
    sensitive, cap, _ = asked(rng, law)
    belief = unspoken.Joint(law)
    ways = {"sensitive": sensitive, "odds_cap": cap}
    cell = unspoken.plan(belief, limit_bits=None, **ways)
    withheld = closure(belief, sensitive, cap).sensitive
    closed = unspoken.plan(
        belief, limit_bits=None, sensitive=withheld, secrets=sensitive, odds_cap=cap
    )
    record = unspoken.plan(belief, by="record", events="attribute", **ways)
    assert max(cell.objective, closed.objective) <= record.bound.high + 1e-9
    assert record.floor.objective <= record.bound.high


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_no_member_of_a_box_breaks_a_cap_nor_a_rival_its_bound(seed):
    """Boxes around random joints, some of whose records are impossible; default events."""
    rng = np.random.default_rng(500 + seed)
    law = joint(rng)
    sensitive, cap, _ = asked(rng, law)
    eta = float(rng.choice([1e-3, 0.02, 0.1]))
    names = [f"x{i}" for i in range(law.ndim)]
    box = unspoken.Box(np.maximum(law - eta, 0.0), np.minimum(law + eta, 1.0), names)
    plan = unspoken.plan(box, by="record", sensitive=sensitive, odds_cap=cap)
    for _ in range(3):
        far = rng.dirichlet(np.full(law.size, 0.2)).reshape(law.shape) - law
        member = unspoken.Joint(law + far * min(1.0, eta / np.abs(far).max()))
        for event in events(sensitive):
            worst = worst_odds(plan, member, member.domain.names, *event)
            assert worst <= Fraction(cap) * (1 + Fraction(1, 10**12))
    protection = Protection(sensitive=sensitive, odds_cap=cap)
    problem = RecordProblem.of(box, protection, RecordOptions())
    cells = problem.cells()
    rows, sees = problem.rules(cells), problem.sees()
    pairs = Pairs.of(cells)
    values = Layout(cells, pairs, ()).values(problem.prices(cells))
    for _ in range(2):
        weights = rng.gamma(0.2, size=len(pairs))
        shares = weights / np.add.reduceat(weights, pairs.first)[pairs.cell]
        rival = held(IntegerTable.of(cells, pairs, shares), sees, rows)
        assert value(rival, Layout(cells, pairs, ()), values) <= plan.bound.high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "bits"), [(1109, 0.1), (1250, 0.1), (1287, 0.02), (1295, 0.02), (1814, 0.01)]
)
def test_bits_do_not_stop_at_the_first_plateau(seed, bits):
    """Lines cut one optimum after the other, while the objective stays what it is."""
    rng = np.random.default_rng(seed)
    law = joint(rng)
    sensitive, cap, pools = asked(rng, law)
    plan = unspoken.plan(
        unspoken.Joint(law), by="record", sensitive=sensitive, odds_cap=cap, coalitions=pools,
        limit_bits=bits,
    )  # fmt: skip
    assert plan.gap < 1e-5


def test_where_nothing_may_be_shown_none_of_it_is_missing():
    belief = unspoken.Joint([[2.0, 3.0], [4.0, 1.0]])
    plan = unspoken.plan(
        belief, by="record", sensitive={"x0": [0, 1], "x1": [0]}, coalitions=[["x0"]], odds_cap=20.0
    )
    assert (plan.objective, plan.bound.high, plan.gap) == (0.0, 0.0, 0.0)
