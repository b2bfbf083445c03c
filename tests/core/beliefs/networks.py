"""Random small networks, and their joint tables by the definition: a product for every cell."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import unspoken
from unspoken.core.beliefs.networks.network import Network

LETTERS = "ABCDEFGH"
SPRINKLER = {"rain": [], "sprinkler": ["rain"], "wet": ["sprinkler", "rain"]}
WET: dict[str, list] = {
    "rain": [0.2, 0.8],
    "sprinkler": [[0.01, 0.99], [0.4, 0.6]],
    "wet": [[[0.99, 0.01], [0.9, 0.1]], [[0.8, 0.2], [0.0, 1.0]]],
}
Rng = np.random.Generator


@dataclass(frozen=True)
class Drawn:
    """What a network is made of."""

    parents: dict[str, list[str]]
    tables: dict[str, np.ndarray]

    @property
    def names(self) -> list[str]:
        return list(self.parents)

    @property
    def sizes(self) -> list[int]:
        return [self.tables[name].shape[-1] for name in self.names]

    @property
    def network(self) -> Network:
        return Network(self.parents, self.tables)

    @property
    def joint(self) -> unspoken.Joint:
        return unspoken.Joint(self.enumerated(), names=self.names)

    def enumerated(self) -> np.ndarray:
        """P(x) = product over v of P(x_v | x_parents), cell by cell."""
        table = np.zeros(self.sizes)
        for cell in itertools.product(*map(range, self.sizes)):
            value = dict(zip(self.names, cell, strict=True))
            table[cell] = math.prod(
                float(self.tables[name][tuple(value[n] for n in (*self.parents[name], name))])
                for name in self.names
            )
        return table


def laws(rng: Rng, shape: tuple[int, ...], zeros: float) -> np.ndarray:
    """Rows that sum to 1, with impossible values here and there."""
    table = rng.gamma(rng.choice([0.3, 1.0, 4.0]), size=shape) + 1e-12
    table = table * (rng.random(shape) >= zeros)
    empty = table.sum(-1) == 0
    table[empty, rng.integers(shape[-1])] = 1.0
    return table / table.sum(-1, keepdims=True)


@st.composite
def networks(draw: st.DrawFn, most: int = 6, least: int = 1) -> Drawn:
    """Up to ``most`` variables of 1 to 4 values, in an order that is not that of the arrows."""
    count = draw(st.integers(least, most))
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3, 4]), min_size=count, max_size=count))
    order = draw(st.permutations(range(count)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    zeros = draw(st.sampled_from([0.0, 0.0, 0.3, 0.6]))
    parents: dict[int, list[int]] = {}
    for place, v in enumerate(order):
        chosen = (
            draw(st.lists(st.sampled_from(order[:place]), max_size=3, unique=True)) if place else []
        )
        parents[v] = chosen
    names = LETTERS[:count]
    return Drawn(
        {names[v]: [names[u] for u in parents[v]] for v in range(count)},
        {
            names[v]: laws(rng, tuple(sizes[u] for u in (*parents[v], v)), zeros)
            for v in range(count)
        },
    )


def chain(rng: Rng, count: int, size: int = 2) -> Drawn:
    names = [f"x{i}" for i in range(count)]
    parents = {name: names[max(0, i - 1) : i] for i, name in enumerate(names)}
    return Drawn(
        parents,
        {name: laws(rng, (size,) * (1 + len(own)), 0.0) for name, own in parents.items()},
    )


def star(rng: Rng, count: int, size: int = 2) -> Drawn:
    """One cause, "root", of very many effects."""
    names = [f"x{i}" for i in range(count)]
    tables = {name: laws(rng, (size, size), 0.0) for name in names}
    return Drawn(
        {"root": [], **{name: ["root"] for name in names}},
        {"root": laws(rng, (size,), 0.0), **tables},
    )


def some_names(data: st.DataObject, names: list[str], least: int = 0) -> list[str]:
    count = data.draw(st.integers(min(least, len(names)), len(names)))
    return data.draw(st.permutations(names))[:count]


def known_values(data: st.DataObject, drawn: Drawn) -> dict[str, int]:
    """Values of some variables, not of all, that can occur together."""
    cells = np.argwhere(drawn.enumerated() > 0)
    cell = cells[data.draw(st.integers(0, len(cells) - 1))]
    names = some_names(data, drawn.names)[: len(drawn.names) - 1]
    return {name: int(cell[drawn.names.index(name)]) for name in names}
