"""The leakage curves against the definition of mutual information, and digit by digit."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from unspoken.core.numerics.entropy import h
from unspoken.planning.bits.curves import ERROR, Curves

DIGITS = 700  # 1 - e^-eps at eps = 1e-280 needs them
TOLERANCE = 1e-14
EPSILON = (0.0, 1e-280, 1e-15, 1e-9, 1e-3, 0.3, 1.0, 2.5, 7.0, 35.0, 50.0, 700.0, 800.0, np.inf)


def curves(*attributes: list[tuple[float, ...]]) -> Curves:
    """Curves from one list per attribute: (q,), then its terms (weight, a, b, gap)."""
    terms = [term for attribute in attributes for term in attribute[1:]]
    lengths = [len(attribute) - 1 for attribute in attributes]
    start = np.cumsum([0, *lengths[:-1]])
    return Curves(np.array([a[0][0] for a in attributes]), start, *np.array(terms).T.copy())


def itself(q: float) -> list[tuple[float, ...]]:
    """The two values of X_i: X_i = 0 and X_i = 1."""
    return [(1.0 - q, 0.0, 1.0, -q), (q, 1.0, 0.0, 1.0 - q)]


def independent(q: float) -> list[tuple[float, ...]]:
    return [(q,), *itself(q)]


def dependent(q: float, gap: float, one: float = 0.375) -> list[tuple[float, ...]]:
    """A second attribute, 1 with probability `one`: P(X_i=1) is q + gap then, so that E[A] = q."""
    other = -gap * one / (1.0 - one)
    pair = ((one, gap), (1.0 - one, other))
    return independent(q) + [(w, max(q + g, 0.0), max(1.0 - q - g, 0.0), g) for w, g in pair]


FAMILIES = {
    "independent": [independent(q) for q in (0.5, 0.01, 0.99, 1e-9, 1.0 - 1e-9, 1.0 - 2.0**-50)],
    "dependent": [dependent(0.5, 0.3), dependent(0.05, 0.08), dependent(0.98, 0.0199)],
    "weakly": [dependent(0.5, 1e-6), dependent(0.95, 1e-6), dependent(0.3, 1e-13)],
    "certain": [dependent(0.5, 0.5), dependent(0.25, 0.375), dependent(0.375, 0.625)],
}


def digits(field: Curves, i: int, epsilon: float) -> tuple[mpf, mpf, mpf]:
    """I, I', I'' of attribute i at the very floats given, from the gap form of eq. 21."""
    s = mpmath.exp(-mpf(epsilon)) if epsilon < np.inf else mpf(0)
    p, q = 1 - s, mpf(float(field.q[i]))
    total = [mpf(0)] * 3
    for t in np.flatnonzero(field.owner == i):
        w, a, b, gap = (mpf(float(x[t])) for x in (field.weight, field.a, field.b, field.gap))
        outside, withheld = 1 - p * q, b + a * s
        x = s / outside - 1 if b == 0 else -p * gap / outside
        rest = mpf(1) if x == -1 else (1 + x) * mpmath.log(1 + x) - x
        free = q * ((1 + gap / q) * mpmath.log(1 + gap / q) - gap / q) if gap != -q else q
        steep = mpmath.inf if x == -1 else -gap * mpmath.log(1 + x) / outside - q * rest
        bend = mpmath.inf if withheld == 0 else gap**2 / withheld / outside**2
        parts = (p * free + outside * rest, free + steep, bend)
        total = [old + w * part for old, part in zip(total, parts, strict=True)]
    return total[0], total[1], total[2]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILON)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_digit(family: str, epsilon: float) -> None:
    field = curves(*FAMILIES[family])
    jet = field.jet(np.full(field.n, epsilon))
    with mpmath.workdps(DIGITS):
        for i in range(field.n):
            for name, got, want in zip(jet._fields, jet, digits(field, i, epsilon), strict=True):
                if want > 1e307:
                    assert got[i] > 1e307, (name, i)
                else:
                    assert abs(mpf(float(got[i])) - want) <= TOLERANCE * want, (name, i)


def information(joint: dict[tuple[int, int], Fraction], epsilon: float) -> mpf:
    """I(V; M) for M = 1 with probability p where X = 1, by its definition: cell by cell."""
    s = mpmath.exp(-mpf(epsilon))
    cells: dict[tuple[int, int], mpf] = {}
    for (x, v), mass in joint.items():
        mass = mpf(mass.numerator) / mass.denominator
        cells[v, 0] = cells.get((v, 0), mpf(0)) + mass * (s if x else 1)
        cells[v, 1] = cells.get((v, 1), mpf(0)) + mass * ((1 - s) if x else 0)
    value = {v: sum(c for (w, _), c in cells.items() if w == v) for v, _ in cells}
    bit = {m: sum(c for (_, k), c in cells.items() if k == m) for _, m in cells}
    return sum(c * mpmath.log(c / value[v] / bit[m]) for (v, m), c in cells.items() if c > 0)


@pytest.mark.parametrize("epsilon", [1e-6, 0.7, 4.0, 60.0])
@pytest.mark.parametrize("counts", [(7, 2, 3, 20), (1, 0, 5, 9), (4, 4, 4, 5), (3, 9, 0, 1)])
def test_it_is_the_mutual_information(counts: tuple[int, ...], epsilon: float) -> None:
    """Eq. 21 for one pair: what M_i says about X_i and about X_j; the slope is its derivative."""
    whole = sum(counts)
    joint = {(k // 2, k % 2): Fraction(c, whole) for k, c in enumerate(counts)}
    q = joint[1, 0] + joint[1, 1]
    attribute: list[tuple[float, ...]] = [(float(q),), *itself(float(q))]
    for v in (0, 1):
        weight = joint[0, v] + joint[1, v]
        a = joint[1, v] / weight
        attribute.append((float(weight), float(a), float(1 - a), float(a - q)))
    field = curves(attribute)
    own = {(0, 0): 1 - q, (1, 1): q}

    def truth(eps: mpf) -> mpf:
        return information(own, eps) + information(joint, eps)

    with mpmath.workdps(60):
        want, per_epsilon = truth(mpf(epsilon)), mpmath.diff(truth, mpf(epsilon))
        slope = per_epsilon * mpmath.exp(mpf(epsilon))  # dp = e^-eps d eps
        at = np.array([epsilon])
        assert field.leakage(at)[0] == pytest.approx(float(want), rel=2e-14)
        assert field.jet(at).slope[0] == pytest.approx(float(slope), rel=1e-12)


def test_a_dropped_self_term_is_noticed() -> None:
    """Releasing X_i for certain says all of X_i: I_i(inf) >= H(X_i). Without its self-terms not."""
    whole, q = dependent(0.6, 0.2), 0.6
    entropy = -q * np.log(q) - (1.0 - q) * np.log(1.0 - q)
    sure = np.array([np.inf])
    assert curves(whole).leakage(sure)[0] >= entropy
    assert np.isinf(curves(whole).jet(sure).slope[0])
    faulty = curves([whole[0], *whole[3:]])
    assert faulty.leakage(sure)[0] < entropy
    assert np.isfinite(faulty.jet(sure).slope[0])


@pytest.mark.parametrize("q", [0.0, 1.0])
@pytest.mark.parametrize("epsilon", EPSILON)
def test_a_constant_bit_leaks_nothing(q: float, epsilon: float) -> None:
    constant = [(q,), *itself(q), (0.4, q, 1.0 - q, 0.0), (0.6, q, 1.0 - q, 0.0)]
    field = curves(constant, independent(0.5))
    jet = field.jet(np.full(2, epsilon))
    assert (jet.leakage[0], jet.slope[0], jet.curvature[0]) == (0.0, 0.0, 0.0)
    assert epsilon == 0.0 or jet.leakage[1] > 0.0


def test_impossible_values_are_passed_over() -> None:
    """A value that never occurs has weight 0 and whatever else: it changes nothing."""
    with_it = [*dependent(0.5, 0.2), (0.0, 1.0, 0.0, 0.5)]
    at = np.array([1.0])
    assert curves(with_it).leakage(at) == curves(dependent(0.5, 0.2)).leakage(at)
    assert curves(with_it).jet(np.array([np.inf])).slope == np.inf


@given(
    st.lists(st.floats(1e-6, 1.0 - 1e-6), min_size=1, max_size=5),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 40.0),
    st.floats(0.0, 40.0),
)
def test_it_rises_convexly(qs: list[float], tilt: float, one: float, two: float) -> None:
    """I, I' and I'' never fall, so I''(0) is the least curvature and I'(0) the least slope."""
    field = curves(*[dependent(q, 0.6 * tilt * min(q, 1.0 - q)) for q in qs])
    low, high = (field.jet(np.full(field.n, x)) for x in sorted((one, two)))
    zero = field.jet(np.zeros(field.n))
    for before, after in ((zero, low), (low, high)):
        for less, more in zip(before, after, strict=True):
            assert (less <= more * (1.0 + ERROR)).all()
    assert zero.slope == pytest.approx(field.slope_at_zero, rel=ERROR)
    assert zero.curvature == pytest.approx(field.curvature_at_zero, rel=ERROR)


def test_take_gives_the_same_curves() -> None:
    field = curves(*FAMILIES["independent"], *FAMILIES["dependent"], *FAMILIES["weakly"])
    epsilon = np.linspace(0.1, 3.0, field.n)
    for index in (np.array([3, 7, 1]), np.arange(field.n)[::-1], np.arange(0), epsilon > 1.0):
        part = field.take(index)
        assert np.array_equal(part.leakage(epsilon[index]), field.leakage(epsilon)[index])
        assert np.array_equal(part.slope_at_zero, field.slope_at_zero[index])
        assert np.array_equal(part.take(np.arange(part.n)).start, part.start)


def test_a_total_is_rounded_up() -> None:
    field = curves(*[independent(q) for q in np.linspace(0.01, 0.99, 99)])
    epsilon = np.full(field.n, 0.9)
    with mpmath.workdps(50):
        truth = sum(digits(field, i, 0.9)[0] for i in range(field.n))
        assert truth < field.total(epsilon) < truth * (1 + 2 * mpf(ERROR))
    assert field.total(epsilon) >= field.leakage(epsilon).sum() * (1.0 + 0.9 * ERROR)
    assert field.total(np.zeros(field.n)) == 0.0


def test_h() -> None:
    scale = 10.0 ** np.arange(-150.0, 200.0, 0.37)
    x = np.concatenate([scale, -scale[scale < 1.0], np.linspace(-1.0, 1.0, 801)[1:]])
    with mpmath.workdps(400):
        for at, got in zip(x.tolist(), h(x).tolist(), strict=True):
            grown = 1 + mpf(at)
            want = grown * mpmath.log(grown) - mpf(at) if grown > 0 else mpf(1)
            assert abs(mpf(got) - want) <= 4e-15 * want, at
    assert h(np.array([-1.0, -1.0 - 2.0**-52])).tolist() == [1.0, 1.0]
