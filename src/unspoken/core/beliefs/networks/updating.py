"""What rows of evidence say about every variable of a network, all rows and variables at once."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from unspoken.core.beliefs.networks.conditional import Conditionals
from unspoken.core.beliefs.networks.junction import calibrate, collect
from unspoken.core.beliefs.networks.potentials import Potential
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.ring import Ring, in_range

__all__ = ["pair_tables", "updated"]

# Rows are looked at together as long as their tables have this many cells or fewer.
BATCH = 2**21


def updated(
    model: Conditionals, evidence: Mapping[int, Array], rows: int
) -> tuple[dict[int, Array], Array]:
    """P(x_v | row) of each open variable, NaN where a row is impossible, and log P(row, known).

    ``evidence[v][row, x]``: the likelihood of what the row says about v.
    """
    step = max(1, BATCH // model.whole.total)
    parts = [
        _batch(model, {v: table[start : start + step] for v, table in evidence.items()})
        for start in range(0, rows, step)
    ]
    laws = {v: np.concatenate([part[v] for part, _ in parts]) for v in model.open}
    return laws, np.concatenate([log_mass for _, log_mass in parts])


def pair_tables(
    model: Conditionals, dependent: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Array]:
    """P(x_a, x_b) of every two; where they are not ``dependent``, exactly the product."""
    single = {v: law[0] for v, law in _batch(model, {})[0].items()}
    tables: dict[tuple[int, int], Array] = {}
    for group in _groups(model, dict.fromkeys(a for a, _ in dependent)):
        rows, clamped = _clamped(model, group)
        mass = np.concatenate([single[a] for a in group])[:, None]
        laws = _batch(model, clamped)[0]
        both = {b: np.where(mass > 0, mass * law, 0.0) for b, law in laws.items()}
        tables.update(((a, b), both[b][rows[a]]) for a, b in dependent if a in rows)
    return {
        (a, b): tables[a, b] if (a, b) in tables else np.multiply.outer(single[a], single[b])
        for a, b in itertools.combinations(model.open, 2)
    }


def _clamped(
    model: Conditionals, group: Sequence[int]
) -> tuple[dict[int, slice], dict[int, Array]]:
    """A row of evidence for each value of each of these: that the variable has it."""
    ends = np.cumsum([model.domain.sizes[a] for a in group]).tolist()
    rows = {a: slice(end - model.domain.sizes[a], end) for a, end in zip(group, ends, strict=True)}
    clamped = {a: np.ones((ends[-1], model.domain.sizes[a])) for a in group}
    for a in group:
        clamped[a][rows[a]] = np.eye(model.domain.sizes[a])
    return rows, clamped


def _groups(model: Conditionals, variables: Iterable[int]) -> Iterator[list[int]]:
    """Variables whose values, a row each, fit one batch; at least one."""
    most, group, rows = BATCH // model.whole.total, list[int](), 0
    for v in variables:
        rows += model.domain.sizes[v]
        if group and rows > most:
            yield group
            group, rows = [], model.domain.sizes[v]
        group.append(v)
    if group:
        yield group


def _batch(model: Conditionals, evidence: Mapping[int, Array]) -> tuple[dict[int, Array], Array]:
    def answers(ring: Ring) -> tuple[dict[int, Array], Array]:
        tree = model.whole
        likelihoods = [
            Potential.of([tree.rank[v]], table[None], ring) for v, table in evidence.items()
        ]
        whole = collect(tree, [*model.factors(tree, None, ring), *likelihoods], ring)
        return calibrate(whole, ring), whole.end.logs()[0]

    laws, log_mass = in_range(answers)
    rows = max((len(table) for table in evidence.values()), default=1)
    log_mass = np.broadcast_to(log_mass, rows)
    possible = (log_mass > -np.inf)[:, None]
    return {v: np.where(possible, law, np.nan) for v, law in laws.items()}, log_mass
