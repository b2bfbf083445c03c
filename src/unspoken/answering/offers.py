"""What a plan cannot give and an answer with noise can: counts of what cells never show.

Sensitive values are in no released cell, so no average of theirs comes from a release, however
many cells there are. A histogram with noise has them, at a cost that is worked out here as a query
would be charged, beside all that the plan shows; or in its place, where nothing is left beside it.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.answering.asking import Asking
from unspoken.answering.cells import Cells
from unspoken.answering.noise import Noise, least
from unspoken.answering.numbers import Number
from unspoken.answering.question import bound
from unspoken.answering.unit import share_of_epoch
from unspoken.engines.sql import name_in_sql
from unspoken.errors import LimitExceeded
from unspoken.mechanisms import Mechanism, Together
from unspoken.releasing.assessing.findings import Findings
from unspoken.releasing.assessing.leaks import limits_of
from unspoken.releasing.custody.believing import used_rows
from unspoken.releasing.deciding.judged import Judge, Planned
from unspoken.releasing.preparing import Prepared

__all__ = ["Offer", "offers"]

MOST = 5  # attributes: each takes looking at all answers a dozen times


@dataclass(frozen=True)
class Offer:
    """Counts of an attribute's values, each off by ``error`` at most but with CHANCE.

    ``beside``: what the plan shows, or in its place. ``reader``: to whom, where not all pool.
    """

    attribute: str
    query: str
    error: int
    epsilon: float
    beside: bool
    reader: str | None = None

    @property
    def command(self) -> str:
        """As a shell reads it."""
        to = "" if self.reader is None else f" --for {shlex.quote(self.reader)}"
        quoted = shlex.quote(self.query) if '"' in self.query else f'"{self.query}"'
        return f"unspoken query {quoted}{to}"

    def __str__(self) -> str:
        where = (
            "beside this plan"
            if self.beside
            else "in place of this plan (a smaller odds_cap under [plan] leaves room for both)"
        )
        return (
            f"{self.attribute}: cells never show its sensitive values; counts with noise do, "
            f"±{self.error:,} at eps {self.epsilon:.3g} for one record, {where}: {self.command}"
        )


def offers(ready: Prepared, findings: Findings) -> list[Offer]:
    """Of each attribute that somebody reads and whose sensitive values are never shown."""
    project, learned = ready.project, ready.learned
    wanted = [name for name in project.reads if learned.sensitive[name]]
    found = (_offer(ready, findings.plan.mechanism, name) for name in wanted[:MOST])
    return [offer for offer in found if offer is not None]


def _offer(ready: Prepared, planned: Mechanism, name: str) -> Offer | None:
    rule = ready.learned.labelling[name].cells
    cells = Cells(ready.project, rule, ready.table.columns[name])
    if not cells.declared:
        return None
    numbers = [Number.of([name], own) for own in np.eye(len(rule.names), dtype=np.int64)]
    stem, column = ready.project.source.stem or "", name_in_sql(name)
    table = name_in_sql(stem if stem.isidentifier() else "source")
    query = f"SELECT {column}, COUNT(*) FROM {table} GROUP BY {column}"
    most = _most(ready, query)
    for beside in (True, False):
        try:
            noise = _least(ready, [planned] if beside else [], numbers, most)
        except LimitExceeded:
            continue
        if noise.error(numbers[0]) > ready.learned.rows:
            continue  # nothing but noise
        error, reader = noise.error(numbers[0]), _reader(ready, name)
        return Offer(name, query, error, noise.epsilon, beside, reader)
    return None


def _reader(ready: Prepared, name: str) -> str | None:
    """To whom it may be given; None: to all, who pool."""
    readers = (who for who, reads in ready.project.applications.items() if name in reads)
    return next(readers) if ready.project.divided else None


def _planned(ready: Prepared, shown: Sequence[Mechanism]) -> Planned | None:
    """Whom a plan of record coins is made for, and how far it may move log-odds."""
    within = ready.project.planned
    if not shown or not shown[0].record_coins():
        return None
    return Planned(shown[0], list(within.pools.values()), limits_of(within).log_cap)


def _most(ready: Prepared, query: str) -> float:
    """The epsilon for one record that all rows of its unit may have, and those of one epoch."""
    project, limits = ready.project, ready.project.limits
    if min(limits.unit_epsilon, limits.epoch_epsilon) == math.inf:
        return math.inf
    rows = used_rows(project, ready.table, history=False)
    asking = Asking(project, ready, bound(project, rows, ready.learned, query), (), rows, None)
    each = limits.unit_epsilon / (asking.rows_per_unit or 1)
    return min(each, share_of_epoch(project) / asking.rows_per_epoch)


def _least(
    ready: Prepared, shown: Sequence[Mechanism], numbers: Sequence[Number], most: float
) -> Noise:
    """``most``: of epsilon, whatever else is left."""
    learned, limits = ready.learned, limits_of(ready.project)
    judge = Judge(
        ready.project,
        learned.belief,
        lambda: ready.beliefs,
        learned.sensitive,
        looks=False,
        planned=_planned(ready, shown),
    )

    def broken(times: float) -> str | None:
        noise = Noise(numbers, times, learned.labelling)
        if noise.epsilon > most:
            return "a unit"
        found = judge.broken(Together([*shown, noise.mechanism]), limits)
        return None if found is None else found.target

    return Noise(numbers, least(broken), learned.labelling)
