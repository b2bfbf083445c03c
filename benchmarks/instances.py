"""Planning instances of any size, drawn from a seed, with an exact joint behind them.

A hidden class Z is drawn, then every attribute on its own given Z: P(X_i=1 | Z=z) = r_iz. Each pair
table P(X_i, X_j) is then exact by mixing over Z, so the tables are realisable together. Only some
pairs count as dependent targets of each other, as a sparse belief would have it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array, Codes
from unspoken.planning.bits.curves import Curves


class Instance(NamedTuple):
    """P(X_i = not sensitive) = q[i]; tables[k] = P(X_i, X_j) with i = first[k] < j = second[k]."""

    q: Array
    first: Codes
    second: Codes
    tables: Array


def latent_classes(n: int, pairs: int, seed: int, classes: int = 5) -> Instance:
    """An instance with n attributes and as many different dependent pairs as asked."""
    rng = np.random.default_rng(seed)
    mass = rng.dirichlet(np.full(classes, 2.0))
    # Sensitive from rarely to often, and from barely to clearly dependent on the class.
    centre = rng.beta(6.0, 1.5, n)
    strength = np.exp(rng.uniform(np.log(2.0), np.log(200.0), n))
    given = rng.beta(strength * centre, strength * (1.0 - centre), (classes, n))
    given = np.clip(given, 1e-9, 1.0 - 1e-9)
    first, second = _different_pairs(n, pairs, rng)
    levels = np.stack([1.0 - given, given])  # x, class, attribute
    tables = np.einsum("z,xzk,yzk->kxy", mass, levels[:, :, first], levels[:, :, second])
    return Instance(mass @ given, first, second, tables)


def curves_of(instance: Instance) -> Curves:
    """I_i of eq. 21: attribute i itself, and every attribute of a pair with i, as targets."""
    q, n = instance.q, len(instance.q)
    self_terms = _terms(np.arange(n), np.stack([1.0 - q, np.zeros(n), np.zeros(n), q], 1))
    flat = instance.tables.reshape(-1, 4)  # P(X_i, X_j) = 00 01 10 11, and with i, j swapped
    there, back = _terms(instance.first, flat), _terms(instance.second, flat[:, [0, 2, 1, 3]])
    owner, weight, b, a, gap = map(np.concatenate, zip(self_terms, there, back, strict=True))
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n))
    return Curves(q, start, weight[order], a[order], b[order], gap[order])


def _terms(owner: Codes, table: Array) -> tuple[npt.NDArray[Any], ...]:
    """Two terms per row P00 P01 P10 P11 of (X_owner, target): owner, P(v), 1-A, A, A-q."""
    zero, one = table[:, :2], table[:, 2:]
    weight = zero + one
    # A_v - q = +- (P00 P11 - P01 P10) / P(v): the dependence itself, so weak dependence is exact.
    turn = table[:, 0] * table[:, 3] - table[:, 1] * table[:, 2]
    gap = np.stack([-turn, turn], 1) / weight
    fields = (weight, zero / weight, one / weight, gap)
    return (np.repeat(owner, 2), *(values.ravel() for values in fields))


def _different_pairs(n: int, pairs: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Pairs i < j without repeats; all of them where so many are asked for."""
    most = n * (n - 1) // 2
    if pairs >= most:
        first, second = np.triu_indices(n, 1)
        return first, second
    number = np.sort(rng.choice(most, pairs, replace=False))
    # Pair number k = second (second - 1) / 2 + first.
    second = ((1.0 + np.sqrt(1.0 + 8.0 * number)) / 2.0).astype(np.intp)
    second -= second * (second - 1) // 2 > number
    return number - second * (second - 1) // 2, second
