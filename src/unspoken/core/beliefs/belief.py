"""What every belief answers: a new one gives `marginal` and `given`, the rest is derived."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs.asking import Shows
from unspoken.core.beliefs.contraction import contract
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge, quoted, shown
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.numbers import whole
from unspoken.core.numerics.ring import LEAST
from unspoken.core.numerics.rounding import Rounding
from unspoken.core.numerics.same import same, state
from unspoken.core.numerics.wide import Wide
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.premise import Premise
from unspoken.core.types.sums import Sums, Weights, factors
from unspoken.core.views import View

__all__ = [
    "A_BELIEF",
    "Belief",
    "different",
    "draws",
    "evidence",
    "impossible",
    "is_event",
    "in_short",
    "nothing_left",
]

# What to give where something else was given.
A_BELIEF = "give a Joint, Independent, Chain, Tree, Network, ..., or a set of them"
# Sums beyond this are no floats.
LARGEST = 1e300


class Belief(Shown, ABC):
    """P(X) over a domain, on a premise."""

    domain: Domain
    premise: Premise

    @property
    def candidates(self) -> tuple[Belief, ...]:
        """The beliefs that may be true: a belief is a set of one."""
        return (self,)

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        """What this adversary may come to believe; with ``outcome``, after that one event."""
        return mechanism.cloud(self, adversary, outcome)

    @abstractmethod
    def marginal(self, names: Sequence[str]) -> Array:
        """The joint table of these variables, axes in the order of ``names``."""

    def operations(self, names: Sequence[str]) -> float:
        """How many rounded operations are behind an entry of any table of these, at most.

        Common factors do not count: they cancel in every comparison. Here, as for any belief that
        says nothing else: a sum over all other cells.
        """
        return 4.0 + self.cells(self.domain.names) / self.cells(names)

    def rounding(self, names: Sequence[str]) -> Rounding:
        """The same; of a table of logarithms each may have been on these."""
        return Rounding(self.operations(names))

    def _joint(self, names: Sequence[str]) -> tuple[Array, bool]:
        """`marginal`, and whether as logarithms: where products leave the range of floats."""
        return self.marginal(names), False

    def _plain(self, names: Sequence[str]) -> Array:
        """`marginal`, refused where what is possible would become impossible."""
        table, in_logs = self._joint(names)
        if in_logs and (table[table > -np.inf] < math.log(LEAST)).any():
            raise TooLarge(
                f"joint table of {in_short(names)}: probabilities below {LEAST:g}, which no float "
                "tells from 0; merge rare values, or ask about fewer variables at once"
            )
        return self.marginal(names) if in_logs else table

    def row_counts(self, names: Sequence[str]) -> Array | None:
        """How many rows have each combination of these variables, in the order of ``names``: whole
        numbers, of which `marginal` is the rounded shares. Decimals that sum to 1 count as well, in
        units of their last digit. None where there are no counts.
        """
        return None

    @abstractmethod
    def given(self, known: Mapping[str, Value]) -> Belief:
        """The belief about the other variables once these values are known (Bayes)."""

    def knows_jointly(self, names: Sequence[str]) -> bool:
        """Whether `marginal` can answer for these names at all."""
        return True

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Those of ``names`` that may say something about ``about``."""
        return tuple(names)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of variables that may depend on one another."""
        names = self.domain.names
        return [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]

    def blocks(self) -> list[tuple[str, ...]]:
        """Groups of variables that are independent of one another, as far as this belief says."""
        return [self.domain.names]

    def blanket(self, name: str) -> tuple[str, ...]:
        """Variables that, once known, leave the rest independent of this one."""
        axis = self.domain.axis(name)
        whole = next(block for block in self.blocks() if self.domain.names[axis] in block)
        return tuple(other for other in whole if other != name)

    def alike(self) -> list[tuple[str, ...]]:
        """Groups of variables: swapping two of a group leaves this belief what it is."""
        return [(name,) for name in self.domain.names]

    @property
    def forest(self) -> Forest | None:
        """The arrows along which alone variables depend on one another, where they are a forest."""
        return None

    @property
    def steps(self) -> tuple[Array, ...] | None:
        """P(x_t+1 | x_t), where this is a series in which each depends on the one before only."""
        return None

    @property
    def ones(self) -> Wide | None:
        """How likely 0, 1, 2, ... ones are, where nothing but their number matters."""
        return None

    @property
    def covariance(self) -> Array | None:
        """Of variables that are jointly Gaussian."""
        return None

    def shields(self, about: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Growing surroundings of ``about``, as (inner, boundary): once the boundary is known, what
        lies outside tells nothing more about it. None, where no structure is known.
        """
        return iter(())

    def each_at_once(self, queries: Sequence[Weights]) -> int:
        """For so many variables `sums_of_each` has room; 0: for none, ever."""
        return 0

    def sums_of_each(self, names: Sequence[str], queries: Sequence[Weights]) -> Sums | None:
        """P(x_i, S) for each of these variables in turn, along a first axis; None: ask one by one.

        For beliefs that get all of them for little more than one.
        """
        return None

    def beside(self, names: Sequence[str], targets: Sequence[str]) -> Array:
        """P(x_target, x_name) for all of these pairs: tables[name, target, x_target, x_name].

        Different names, of as many values each, and so for targets; beside itself a variable has a
        diagonal table. For beliefs that get all of them for little more than those of one target.
        """
        tables: dict[tuple[str, str], Array] = {}
        for name, target in itertools.product(names, targets):
            if name == target:
                tables[name, target] = np.diag(self.marginal([name]))
            elif (target, name) in tables:
                tables[name, target] = tables[target, name].T
            else:
                tables[name, target] = self.marginal([target, name])
        return np.stack([np.stack([tables[name, target] for target in targets]) for name in names])

    def knowing(self, names: Sequence[str]) -> tuple[Belief, tuple[str, ...]]:
        """The belief of somebody who knows these, and those whose values matter to what it tells.

        Where values matter, every one of them is a context of its own, and the worst is looked for.
        """
        return self, tuple(names)

    def cells(self, names: Sequence[str]) -> int:
        """How many entries the joint table of these names has."""
        return math.prod(len(self.domain.values_of(name)) for name in names)

    def effort(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> float:
        """How many cells `outputs` has to fill; infinite where this belief knows too little."""
        names = list(dict.fromkeys([*keep, *channels]))
        if not self.knows_jointly(names):
            return math.inf
        shown = [
            max(self.cells([name]), len(channel.outputs)) for name, channel in channels.items()
        ]
        return self.cells(keep) * math.prod(shown)

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        """P(x_keep) and P(y | x_keep) for the local channels of the seen variables."""
        summed = [name for name in channels if name not in keep]
        table = self._plain([*keep, *summed])
        kept = {keep.index(name): channels[name] for name in channels if name in keep}
        return contract(table, len(keep), kept, [channels[name] for name in summed])

    def possible(self, events: Mapping[str, Channel]) -> bool:
        """Whether these events can all happen together (each channel shows one output)."""
        likelihood = self.outputs((), events)
        nothing = -np.inf if likelihood.in_logs else 0.0
        return bool((likelihood.log_common > -np.inf).any() or (likelihood.excess > nothing).any())

    def sums(self, keep: Sequence[str], queries: Sequence[Weights]) -> Sums:
        """P(x_keep, S_1, ..., S_q) of linear queries S_c = sum_i f_ci(x_i) (types/sums.py)."""
        summed = {name: None for weights in queries for name, w in weights.items() if w}
        names = [*keep, *(name for name in summed if name not in keep)]
        if self.cells(names) > CELLS:
            raise TooLarge(
                f"sum over {len(summed)} variables: {self.cells(names):,} combinations of values, "
                f"more than {CELLS:,}; a Chain, Tree or Independent belief can add up more"
            )
        terms = [[self._term(weights, name) for name in names] for weights in queries]
        table, in_logs = self._joint(names)
        return Sums.of(table, len(keep), terms, in_logs)

    def _term(self, weights: Weights, name: str) -> Array:
        """f_i(x_i) for each value of a variable."""
        weight, numbers = factors(self.domain, weights.get(name, 0.0), name)
        if not abs(weight) * float(np.abs(numbers).max()) < LARGEST / len(self.domain.names):
            raise InputError(f'query: weight {weight} times the values of "{name}" is too large')
        return weight * numbers

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        """``rows`` draws, a column a variable, as positions among its values (simulation only)."""
        table = self.marginal(self.domain.names)
        count = draws(rng, rows)
        flat = rng.choice(table.size, size=count, p=table.ravel())
        return np.stack(np.unravel_index(flat, table.shape), axis=1)

    def __eq__(self, other: object) -> bool:
        """Of the same kind, with the same numbers on the same premise."""
        return type(self) is type(other) and same(state(self), state(other))

    def __hash__(self) -> int:
        return hash((type(self).__name__, len(self.domain.names), self.premise))

    def facts(self) -> list[tuple[str, str]]:
        names = self.domain.names
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        return [("variables", f"{len(names)}: {shown}"), ("premise", str(self.premise))]


def different(names: Sequence[str]) -> Sequence[str]:
    """A table has one axis for a variable."""
    expect(names, Sequence, "marginal", "give a list of names")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError(f"marginal: {quoted(names)} is no list of names")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f'"{twice}" is asked for twice; name every variable once')
    return names


def evidence(known: Mapping[str, Value]) -> Mapping[str, Value]:
    """What is known, which has to be {name: value}."""
    expect(known, Mapping, "given", "say what is known, {name: value}")
    return known


def draws(rng: np.random.Generator, rows: int) -> int:
    """How many rows to draw, by a generator that somebody has seeded."""
    if not hasattr(rng, "bit_generator"):  # as generators of NumPy have
        raise InputError("sample.rng: give numpy.random.default_rng(seed)")
    count = whole("sample.rows", rows, "rows")
    if count > CELLS:
        raise TooLarge(f"sample: {count:,} rows, more than {CELLS:,}; draw them in parts")
    return count


def in_short(names: Iterable[object]) -> str:
    """The first few of them."""
    listed = [shown(name) for name in items(names, "names")]
    return ", ".join(listed[:4]) + (", ..." if len(listed) > 4 else "") or "nothing"


def nothing_left() -> InputError:
    """What `given` refuses where no variable is left."""
    return InputError("given: every variable is known, so there is nothing left to believe")


def is_event(channels: Mapping[str, Channel]) -> bool:
    """Whether one output of each is asked about: no table over many outputs is needed."""
    return bool(channels) and all(len(channel.outputs) == 1 for channel in channels.values())


def impossible(known: Mapping[str, Value]) -> InputError:
    """What `given` refuses."""
    values = in_short(f"{name} = {quoted(value)}" for name, value in known.items())
    return InputError(f"given {values}: this belief holds that impossible")
