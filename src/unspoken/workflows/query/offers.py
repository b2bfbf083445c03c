"""What a plan cannot give and an answer with noise can: counts of what cells never show.

Sensitive values are in no released cell, so no average of theirs comes from a release, however
many cells there are. A histogram with noise has them, at a cost that is worked out here as a query
would be charged, beside all that was given out and the plan shows; or in the place of the plan,
where nothing is left beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from unspoken.assessment.deciding.judged import PlannedCoins
from unspoken.assessment.findings import Findings
from unspoken.assessment.leaks import limits_of
from unspoken.core.errors import LimitExceeded
from unspoken.core.mechanisms import Mechanism
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.custody import Custody
from unspoken.tables.engines.sql import name_in_sql
from unspoken.workflows.query.asking import Asking
from unspoken.workflows.query.attribute_cells import AttributeCells
from unspoken.workflows.query.noise import EPSILONS, AnswerNoise, by_epsilon, coarse
from unspoken.workflows.query.question import bound
from unspoken.workflows.query.shell import command
from unspoken.workflows.release.preparing import Prepared

__all__ = ["Offer", "asking_of", "least_beside", "offers", "shown_beside", "undeclared_values"]

DIGITS = 4  # of an epsilon
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

    def __str__(self) -> str:
        where = (
            "beside this plan"
            if self.beside
            else "in place of this plan (a smaller odds_cap under [plan] leaves room for both)"
        )
        return (
            f"{self.attribute}: cells never show its sensitive values; counts with noise do, "
            f"±{self.error:,} at eps {self.epsilon:.3g} for one record, {where}: "
            f"{command(self.query, self.reader, _short(self.epsilon) if self.beside else None)}"
        )


def offers(ready: Prepared, findings: Findings) -> list[Offer]:
    """Of each attribute that somebody reads and whose sensitive values are never shown."""
    project, learned = ready.project, ready.learned
    kept = Custody.there(project)
    wanted = [name for name in project.reads if learned.sensitive[name]][:MOST]
    asked = [asking for name in wanted if (asking := asking_of(ready, name, kept)) is not None]
    # What was given out differs from epoch to epoch; before anything was, they are alike.
    epochs = asked[0].epochs if asked and kept is not None else [""]
    found = (_offer(asking, findings.plan.mechanism, epochs) for asking in asked)
    return [offer for offer in found if offer is not None]


def undeclared_values(ready: Prepared) -> list[str]:
    """Why nothing is offered of attributes of which nobody said what values there are, and what to
    write: before the table is counted that is free.
    """
    hidden = (name for name in ready.project.reads if ready.learned.sensitive[name])
    cells = [each for name in hidden if not (each := _cells(ready, name)).declared]
    return [
        f"{each.name}: cells never show its sensitive values; counts with noise do, where its "
        f"values are declared: {each.to_declare}"
        for each in cells[:MOST]
    ]


def _cells(ready: Prepared, name: str) -> AttributeCells:
    return AttributeCells(
        ready.project, ready.learned.labelling[name].cells, ready.table.columns[name]
    )


def asking_of(
    ready: Prepared, name: str, kept: Custody | None, reader: str | None = None
) -> Asking | None:
    """For a histogram of its cells; None: there are values that nobody declared. ``reader``: to
    whom, where not all pool; None: whoever reads it first.
    """
    project, learned = ready.project, ready.learned
    if not _cells(ready, name).declared:
        return None
    stem, column = project.source.stem or "", name_in_sql(name)
    table = name_in_sql(stem if stem.isidentifier() else "source")
    query = f"SELECT {column}, COUNT(*) FROM {table} GROUP BY {column}"
    rows = used_rows(project, ready.table, history=False)
    question = bound(project, rows, learned, query)
    readers = (reader,) if reader is not None and project.divided else _readers(ready, name)
    return Asking(project, ready, question, readers, rows, kept)


def _offer(asking: Asking, planned: Mechanism, epochs: Collection[str]) -> Offer | None:
    ready, (name,) = asking.ready, asking.question.names
    if asking.before() is not None:
        return None  # asked again it is the answer that there is, with the noise of that
    for shown in ([planned.showing(shown_beside(asking))], []):
        try:
            # Coins of records of other plans are not looked at: minutes less, and never too little
            # noise. Those of cells are, or they would count as if they used up the cap.
            noise = least_beside(asking, shown, epochs, looks=not planned.record_coins())
        except LimitExceeded:
            continue
        noise = _declared(noise) if shown else noise
        error, reader = noise.error(noise.numbers[0]), next(iter(asking.readers), None)
        if error > ready.learned.rows:
            continue  # nothing but noise
        return Offer(name, asking.question.text, error, noise.epsilon, bool(shown), reader)
    return None


def least_beside(
    asking: Asking, shown: Sequence[Mechanism], epochs: Collection[str], looks: bool = True
) -> AnswerNoise:
    """The least noise beside what a plan shows; refused where none is enough."""
    kept = _planned(asking.ready, shown) or asking.admission.kept
    admission = replace(asking.admission, kept=kept, looks=looks)
    return asking.least_beside(shown, epochs, admission)


def _declared(noise: AnswerNoise) -> AnswerNoise:
    """With an epsilon of few digits, and no more of it, as a command declares it: asked without one
    before the plan is released, a question would have the plan's part as well.
    """
    if noise.epsilon < EPSILONS[0]:
        return noise
    return replace(noise, times=by_epsilon(noise.numbers, _short(coarse(noise.epsilon, DIGITS))))


def _short(epsilon: float) -> float:
    return float(f"{epsilon:.{DIGITS}g}")


def _readers(ready: Prepared, name: str) -> tuple[str, ...]:
    """To whom it may be given; empty: to all, who pool."""
    readers = (who for who, reads in ready.project.applications.items() if name in reads)
    return (next(readers),) if ready.project.divided else ()


def shown_beside(asking: Asking) -> list[str]:
    """What whoever is given it is shown of the plan: all that their coalitions see."""
    project, readers = asking.project, asking.readers
    pools = (reads for who, reads in project.pools.items() if not readers or {*readers} & {*who})
    return [*dict.fromkeys(name for reads in pools for name in reads)]


def _planned(ready: Prepared, shown: Sequence[Mechanism]) -> PlannedCoins | None:
    """Whom a plan of record coins is made for, and how far it may move log-odds."""
    within = ready.project.planned
    if not shown or not shown[0].record_coins():
        return None
    return PlannedCoins(shown[0], list(within.pools.values()), limits_of(within).log_cap)
