"""Small joints and their curves by direct summation, and problems over them for property tests."""

import math

import numpy as np
from hypothesis import strategies as st

from benchmarks.instances import curves_of, latent_classes
from unspoken.core.numerics.arrays import Array
from unspoken.planning.bits.curves import Curves

INF = math.inf
Task = tuple[Curves, Array, Array, float]


def curves(joint: Array) -> Curves:
    """Eq. 21 for every attribute of a joint over {0,1}^n, by direct summation."""
    everything: list[tuple[float, ...]] = []
    start = []
    for i in range(joint.ndim):
        start.append(len(everything))
        q = float(joint.take(1, i).sum())
        for j in range(joint.ndim):
            for v in (0, 1):
                weight = float(joint.take(v, j).sum())
                both = q if i == j else float(joint.take(v, j).take(1, i - (j < i)).sum())
                ones = (both if i != j else both * v) / weight
                everything.append((weight, ones, 1.0 - ones, ones - q))
    q_all = [float(joint.take(1, i).sum()) for i in range(joint.ndim)]
    weight_all, a, b, gap = np.array(everything).T.copy()
    return Curves(np.array(q_all), np.array(start), weight_all, a, b, gap)


def entropy(p: Array) -> Array:
    parts = [-x * np.log(np.where(x > 0.0, x, 1.0)) for x in (p, 1.0 - p)]
    return np.asarray(parts[0] + parts[1])


def leaks(field: Curves, epsilon: Array) -> Array:
    """sum_i I_i at each row of eps, from I = H(M) - H(M | target): no formula of the library."""
    total = np.zeros(epsilon.shape[:-1])
    ends = [*field.start[1:], len(field.weight)]
    for i, (begin, end) in enumerate(zip(field.start, ends, strict=True)):
        p = -np.expm1(-epsilon[..., i])
        weight, a = field.weight[begin:end], field.a[begin:end]
        targets = round(float(weight.sum()))
        total += targets * entropy(p * field.q[i]) - (entropy(p[..., None] * a) * weight).sum(-1)
    return total


def random_joint(n: int, seed: int, concentration: float = 0.7) -> Array:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(2**n, concentration)).reshape((2,) * n) * 0.999 + 0.001 / 2**n


def one_cause(n: int, seed: int) -> Array:
    """Rarely sensitive, and then nearly all together: the case of S-shaped curves."""
    rng = np.random.default_rng(seed)
    rare, joint = rng.uniform(0.01, 0.15), np.zeros((2,) * n)
    for mass, centre in ((rare, 0.1), (1.0 - rare, 0.99)):
        ones = np.clip(rng.normal(centre, 0.05, n), 0.001, 0.999)
        part = np.ones(1)
        for one in ones:
            part = np.multiply.outer(part, [1.0 - one, one])
        joint += mass * part.reshape((2,) * n)
    return joint


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Curves, weights, caps and a limit; some without any cap, but bounded."""
    n = draw(st.integers(1, 8))
    if draw(st.booleans()):
        field = curves(one_cause(n, draw(st.integers(0, 10**6))))
    else:
        pairs = draw(st.integers(0, n * (n - 1) // 2))
        field = curves_of(latent_classes(n, pairs, draw(st.integers(0, 10**6))))
    weight = st.one_of(st.just(0.0), st.floats(0.1, 10.0), st.floats(1e-6, 1e6))
    cap = st.one_of(st.just(0.0), st.just(INF), st.floats(0.1, 10.0), st.floats(1e-6, 800.0))
    weights, caps = (np.array(draw(st.lists(x, min_size=n, max_size=n))) for x in (weight, cap))
    most = float(field.leakage(np.full(n, INF)).min()) if np.isinf(caps).any() else INF
    share = 10.0 ** draw(st.floats(-9.0, -0.01))
    return field, weights, caps, share * min(float(field.leakage(caps).sum()), most)
