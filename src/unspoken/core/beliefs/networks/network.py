"""A belief given as a Bayesian network: every variable's law given its parents."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import (
    Belief,
    different,
    draws,
    evidence,
    impossible,
    in_short,
    is_event,
)
from unspoken.core.beliefs.networks.bif import read_bif
from unspoken.core.beliefs.networks.conditional import Conditionals, Values
from unspoken.core.beliefs.networks.elimination import neighbours
from unspoken.core.beliefs.networks.junction import collect, eliminate
from unspoken.core.beliefs.networks.potentials import Potential
from unspoken.core.beliefs.networks.updating import pair_tables, updated
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.numerics.ring import RANGE, OutOfRange, Ring, in_range
from unspoken.core.numerics.rounding import beside_one
from unspoken.core.numerics.tables import table_of
from unspoken.core.types.channel import Channel
from unspoken.core.types.domain import Value
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.premise import Premise

__all__ = ["Network", "Updated"]


class Updated(NamedTuple):
    """What rows of evidence say: each variable's law (rows, d), NaN where the row is impossible.

    ``log_evidence``: the logarithm of P(what the row says), row by row.
    """

    laws: dict[str, Array]
    log_evidence: Array


class Network(Belief):
    """``parents``: {name: its parents}; ``tables``: {name: table with axes (parents ..., own)}.

    Costs what its clique tree does, however many variables there are; what would cost too much is
    refused before anything is computed.
    """

    def __init__(
        self,
        parents: Mapping[str, Sequence[str]],
        tables: Mapping[str, npt.ArrayLike],
        values: Values = None,
        premise: Premise | str = "stated",
    ) -> None:
        self._hold(Conditionals.of(parents, tables, values), Premise.of(premise))

    @classmethod
    def read(cls, path: str | Path, premise: Premise | str = "stated") -> Network:
        """From a BIF file; no digit is lost."""
        parsed = read_bif(path)
        return cls(parsed.parents, parsed.tables, parsed.values, premise)

    def _hold(self, model: Conditionals, premise: Premise) -> None:
        self.model, self.premise = model, premise
        self.domain = model.domain.without(model.domain.names[v] for v in model.known)

    def operations(self, names: Sequence[str]) -> float:
        """Each law is rounded once, off by what its rows' sums are off 1, multiplied in two parts
        and summed; the logarithm of what is known is off by u of itself.
        """
        laws = math.fsum(8.0 + 2.0 * (law.shape[-1] + beside_one(law)) for law in self.model.laws)
        if not self.model.known:
            return 8.0 + laws
        near = self._log_known > -RANGE / 2
        return 8.0 + 2.0 * laws - 4.0 * (self._log_known if near else -RANGE)

    def marginal(self, names: Sequence[str]) -> Array:
        return self._normal(self._joint_with_known(names))

    def _joint(self, names: Sequence[str]) -> tuple[Array, bool]:
        whole = self._joint_with_known(names)
        logs: Array = whole.logs()[0, 0]
        if self.model.known:
            logs = logs - np.logaddexp.reduce(logs.ravel())
        if _least(logs) < -RANGE:
            return logs, True
        return self._normal(whole), False

    def _normal(self, whole: Potential) -> Array:
        return whole.normal() if self.model.known else whole.plain()[0, 0]

    def _joint_with_known(self, names: Sequence[str]) -> Potential:
        """Their joint table, times the probability of what is known."""
        kept = self._numbers(different(names))
        tree = self.model.tree(kept)
        _affords(tree.largest, f"the joint of {in_short(names)}")
        return in_range(lambda ring: eliminate(tree, self.model.factors(tree, kept, ring), ring))

    def given(self, known: Mapping[str, Value]) -> Network:
        codes = [self.domain.code(name, value, "given") for name, value in evidence(known).items()]
        numbers = dict(zip(self._numbers(known), codes, strict=True))
        later = Network.__new__(Network)
        later._hold(replace(self.model, known={**self.model.known, **numbers}), self.premise)
        if later._log_known == -math.inf:
            raise impossible(known)
        return later

    @cached_property
    def _log_known(self) -> float:
        """log P(what is known)."""
        tree = self.model.tree()
        _affords(tree.largest, "the probability of what is known")
        mass = in_range(
            lambda ring: eliminate(tree, self.model.factors(tree, (), ring), ring).logs()
        )
        return float(mass[0, 0])

    def knows_jointly(self, names: Sequence[str]) -> bool:
        """Whether their joint table can be had within the budget."""
        few = self.cells(names) <= CELLS
        return few and self.model.tree(self._numbers(names)).largest <= CELLS

    def relevant(self, about: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Those not d-separated from ``about``, given noisy outputs of all of ``names``."""
        sources, shown = self._numbers(about), self._numbers(names)
        reached = self.model.dag.reach(sources, self.model.known, [*sources, *shown])
        return tuple(name for name, v in zip(names, shown, strict=True) if v in reached)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that are not d-separated."""
        name = self.model.domain.names
        return [(name[a], name[b]) for a, b in self._dependent]

    def blanket(self, name: str) -> tuple[str, ...]:
        """The Markov blanket: given these, the others say nothing about ``name``."""
        return self._named(neighbours(self.model.scopes())[self._numbers([name])[0]])

    def blocks(self) -> list[tuple[str, ...]]:
        """The connected components: different ones are independent of each other."""
        links, waiting = neighbours(self.model.scopes()), dict.fromkeys(self.model.open)
        blocks = []
        while waiting:
            block: set[int] = set()
            beside = [next(iter(waiting))]
            while beside:
                v = beside.pop()
                beside.extend(links[v] - block)
                block.add(v)
            for v in block:
                del waiting[v]
            blocks.append(self._named(block))
        return blocks

    def effort(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> float:
        """One event is summed out a variable at a time; several outputs need the joint table."""
        if not is_event(channels):
            return super().effort(keep, channels)
        return 2 * self.model.tree(self._numbers(keep), self._numbers(channels)).largest

    def outputs(self, keep: Sequence[str], channels: Mapping[str, Channel]) -> Likelihood:
        """One event takes no joint table, however many are seen (networks/potentials.py)."""
        if not is_event(channels):
            return super().outputs(keep, channels)
        kept, shown = self._numbers(keep), self._numbers(channels)
        tree = self.model.tree(kept, shown)
        _affords(2 * tree.largest, f"an event of {len(shown)} outputs about {in_short(keep)}")
        log_common = np.sum([channel.log_common for channel in channels.values()], axis=0)

        def excess(ring: Ring) -> tuple[Array, bool]:
            laws = self.model.factors(tree, [*kept, *shown], ring)
            ranked = zip((tree.rank[v] for v in shown), channels.values(), strict=True)
            whole = eliminate(
                tree, [*laws, *(_likelihood(r, channel, ring) for r, channel in ranked)], ring
            )
            logs = whole.logs()[1, 0] - self._log_known
            if min(_least(logs), _least(log_common)) < -RANGE:
                return logs[..., None], True
            near = self._log_known > -RANGE / 2
            plain = whole.plain()[1, 0] * math.exp(-self._log_known) if near else np.exp(logs)
            return plain[..., None], False

        return Likelihood(self._plain(keep), log_common, *in_range(excess))

    def posteriors(self, likelihoods: Mapping[str, npt.ArrayLike]) -> Updated:
        """The law of every variable, for many rows of evidence at once.

        ``likelihoods[name][row, x]`` = P(what this row says | x), hard or soft; variables without
        an entry were not seen.
        """
        evidence = {name: self._rows(name, table) for name, table in likelihoods.items()}
        counts = {len(table) for table in evidence.values()} or {1}
        if len(counts) > 1:
            raise InputError(f"likelihoods: some have {min(counts)} rows, others {max(counts)}")
        _affords(self.model.whole.total, "the clique tree")
        numbered = dict(zip(self._numbers(evidence), evidence.values(), strict=True))
        laws, log_mass = updated(self.model, numbered, counts.pop())
        named = {name: laws[v] for name, v in zip(self.domain.names, self.model.open, strict=True)}
        return Updated(named, log_mass - self._log_known)

    def pair_tables(self) -> dict[tuple[str, str], Array]:
        """The joint table of every two variables; exactly a product where they are d-separated."""
        _affords(self.model.whole.total, "the clique tree")
        name = self.model.domain.names
        tables = pair_tables(self.model, self._dependent)
        return {(name[a], name[b]): table for (a, b), table in tables.items()}

    def sample(self, rng: np.random.Generator, rows: int) -> Codes:
        """Parents first; once values are known, in the reverse of the order of elimination."""
        rows = draws(rng, rows)
        codes = np.zeros((rows, len(self.model.laws)), dtype=np.intp)
        for before, v, law in self._in_turn():
            steps = np.cumsum(law[tuple(codes[:, u] for u in before)], axis=-1)
            drawn = rng.random((rows, 1)) * steps[..., -1:] >= steps
            codes[:, v] = drawn.sum(-1)
        return codes[:, self.model.open]

    def facts(self) -> list[tuple[str, str]]:
        model = self.model
        rows = [*super().facts(), ("arrows", str(sum(map(len, model.dag.parents))))]
        known = [
            f"{model.domain.names[v]} {model.domain.values[v][x]}" for v, x in model.known.items()
        ]
        return [*rows, ("known", ", ".join(known))] if known else rows

    def _in_turn(self) -> Iterator[tuple[Sequence[int], int, Array]]:
        """(variables drawn before, variable, weights with axes before ..., own)."""
        model = self.model
        if not model.known:
            yield from ((model.dag.parents[v], v, model.laws[v]) for v in model.dag.order)
            return
        _affords(model.whole.total, "the clique tree")
        tree = model.whole
        whole = in_range(lambda ring: collect(tree, model.factors(tree, None, ring), ring))
        for table in reversed(whole.tables):
            drawn, *before = (tree.order[r] for r in table.scope)
            yield before, drawn, np.moveaxis(table.shares(0), 0, -1)

    @cached_property
    def _dependent(self) -> list[tuple[int, int]]:
        model = self.model
        reach = {v: model.dag.reach([v], model.known, ()) for v in model.open}
        return [(a, b) for a, b in itertools.combinations(model.open, 2) if b in reach[a]]

    def _numbers(self, names: Iterable[str]) -> list[int]:
        """Their numbers in the model, which also counts what is known."""
        return [self.model.open[self.domain.axis(name)] for name in names]

    def _named(self, numbers: Collection[int]) -> tuple[str, ...]:
        return tuple(self.model.domain.names[v] for v in sorted(numbers))

    def _rows(self, name: str, table: npt.ArrayLike) -> Array:
        size = len(self.domain.values_of(name, "likelihoods"))
        rows = table_of(table, f"likelihoods of {name}")
        if rows.ndim != 2 or rows.shape[1] != size or not len(rows):
            raise InputError(
                f"likelihoods of {name}: shape {rows.shape}, but it takes rows of {size} numbers"
            )
        if not (np.isfinite(rows) & (rows >= 0)).all():
            raise InputError(f"likelihoods of {name}: every entry is a finite number of 0 or more")
        return rows


def _likelihood(rank: int, channel: Channel, ring: Ring) -> Potential:
    """The likelihood of one output in its two parts."""
    common = np.full(len(channel.excess), channel.log_common[0])
    excess = channel.excess[:, 0]
    if ring.in_logs:
        with np.errstate(divide="ignore"):
            parts = np.stack([common, np.log(excess)])
        return Potential((rank,), parts[:, None], ring)
    if common[0] > -np.inf and common[0] < -RANGE:
        raise OutOfRange
    return Potential.of([rank], np.stack([np.exp(common), excess])[:, None], ring)


def _least(logs: Array) -> float:
    return float(logs.min(where=logs > -np.inf, initial=0.0))


def _affords(cells: int, what: str) -> None:
    if cells > CELLS:
        raise TooLarge(
            f"network: {what} takes {cells:,} cells at once, more than {CELLS:,}; ask about fewer "
            "variables, or take arrows out"
        )
