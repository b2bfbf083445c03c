"""What holds a plan of record coins back: the answers whose cap binds, the limits on bits that are
reached, and what would help those that get next to nothing. What would help is planned again, not
guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from unspoken.assessment.best import Best, evaluated, shares, weights
from unspoken.assessment.few import few, rows_of_label
from unspoken.assessment.merging import merged
from unspoken.core.types.bound import LOG2
from unspoken.core.types.channel import Output
from unspoken.planning import Plan
from unspoken.planning.records.binding import Binding
from unspoken.planning.records.conditions import between
from unspoken.tables.learning import Learned
from unspoken.tables.learning.intervals.given_sets import values_of_sets
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project
from unspoken.tables.policy.declared import DeclaredApplication

__all__ = ["HeldBack", "OnAverage", "Poor", "chance", "held_back", "on_average", "poor"]

LARGER = 1.1  # how much larger a cap is taken to be
LEAST = 5e-4  # of all that is read: an answer that costs less is not worth a line
MOST = 5  # answers
POOR = 0.02  # of all rows: an attribute that is shown in fewer is said to get next to nothing
TRIED = 3  # attributes for which all is planned again with labels of theirs merged, the poorest
CAP, ALONE, FLOOR = "an odds_cap twice as large", "if nothing else were read", "by the floor"
BITS, OUT = "limits on bits twice as large", "by what is out already"
REACHED, SILENCED = 0.99, 0.9  # of a limit on bits; by the floor, which is silenced in steps


@dataclass(frozen=True)
class HeldBack:
    """``shown``: the labels of an answer that may not be given more often, None where few rows have
    them; ``rows``: how many have them; ``given``: how many get it; ``gain``: of all that is read,
    to first order, what a cap a tenth larger on it alone would add.
    """

    about: str
    shown: Mapping[str, Output] | None
    rows: float
    given: float
    gain: float


@dataclass(frozen=True)
class OnAverage:
    """The targets of whose limit on bits nothing is left; ``gain``: of all that is read, to first
    order, what limits a tenth larger would add, where that is known, and else not a number.
    """

    about: tuple[str, ...]
    gain: float


@dataclass(frozen=True)
class Poor:
    """An attribute of which next to nothing is shown; the answer that costs it most, with it or in
    its place, if one binds; and its share of all rows with each remedy.
    """

    attribute: str
    share: float
    answer: HeldBack | None
    remedies: Mapping[str, float]


def held_back(project: Project, learned: Learned, chosen: Plan) -> list[HeldBack]:
    """The dearest answers first."""
    found = [_held(project, learned, each) for each in chosen.binding]
    return [each for each in found if each.gain >= LEAST][:MOST]


def on_average(project: Project, chosen: Plan) -> OnAverage | None:
    """The limits on bits that bind, if any do; of the multiplier only where it is known."""
    limits, price = project.planned.limits, chosen.multiplier
    if not price > 0 and not math.isnan(price):
        return None
    part = REACHED if price > 0 else SILENCED
    reached = {
        name: limits.about(name) * LOG2
        for name, told in chosen.information.items()
        if limits.about(name) < math.inf and told.bits >= part * limits.about(name)
    }
    if not reached:
        return None
    gain = (LARGER - 1) * min(reached.values()) * price / sum(weights(project).values())
    return OnAverage(tuple(reached), gain)


def poor(
    project: Project,
    made: Best,
    chosen: Plan,
    shown: Mapping[str, float],
    pinned: Pinned | None = None,
) -> list[Poor]:
    """The attributes of which next to nothing is shown though something might be, the poorest
    first; ``shown``: of all rows; ``pinned``: the counts, if they have noise.
    """
    learned, hidden = made.learned, made.learned.sensitive
    names = [
        name
        for name in sorted(shown, key=shown.__getitem__)
        if shown[name] < POOR and set(learned.labels[name]) > set(map(str, hidden.get(name, ())))
    ]
    if not names or not project.protected:
        return []
    within, tried = project.planned, names[:TRIED]
    larger = replace(within, limits=within.limits.capped(2 * within.limits.odds_cap))
    more = made.shares(larger)
    bits = made.shares(within, 2.0) if on_average(project, chosen) is not None else None
    least = {} if chosen.floor is None else shares(
        project, learned, evaluated(project, learned, chosen.floor)
    )  # fmt: skip
    kept = FLOOR if made.extends is None else OUT
    return [
        Poor(
            name,
            shown[name],
            _dearest(project, learned, chosen, name),
            {
                CAP: more[name],
                **({} if bits is None else {BITS: bits[name]}),
                **(_anew(project, made, pinned, name, name in tried)),
                **({kept: least[name]} if least else {}),
            },
        )
        for name in names
    ]


def _anew(
    project: Project, made: Best, pinned: Pinned | None, name: str, merging: bool
) -> dict[str, float]:
    """What is shown of an attribute by itself, or with labels merged; not beside what is out, which
    was read with others, and by its labels.
    """
    if made.extends is not None:
        return {}
    alone = {ALONE: made.shares(_alone(project, name))[name]}
    return alone | (_merged(project, made.learned, pinned, name) if merging else {})


def _dearest(project: Project, learned: Learned, chosen: Plan, name: str) -> HeldBack | None:
    """The answer that costs an attribute most: with it, or which is given in its place."""
    dearest = max(chosen.binding, key=lambda each: each.costs(name), default=None)
    if dearest is None or not (dearest.costs(name) or chosen.is_floor):
        return None
    return _held(project, learned, dearest)


def chance(learned: Learned, shown: Mapping[str, Output]) -> float:
    """How likely a row has all these values."""
    if not shown:
        return 1.0
    table, domain = learned.belief.marginal([*shown]), learned.belief.domain
    return float(table[tuple(domain.code(name, value) for name, value in shown.items())])


def _held(project: Project, learned: Learned, binding: Binding) -> HeldBack:
    rows = learned.rows * chance(learned, binding.shown)
    gain = math.log(LARGER) * binding.price / sum(weights(project).values())
    rare = few(rows) or _names_few(project, learned, binding.about)
    given = learned.rows * binding.given
    about = _in_contexts(project, learned, binding)
    return HeldBack(about, None if rare else binding.shown, rows, given, gain)


def _in_contexts(project: Project, learned: Learned, binding: Binding) -> str:
    """The event with the values of the context that plans hold given, in place of their numbers."""
    name, numbers = project.plan.given, binding.contexts
    if name is None or not numbers:
        return binding.about
    event = binding.about.removesuffix(between("", numbers))
    level = project.belief.confidence
    values = values_of_sets(learned.contexts[name], learned.secrets, level)
    called = [values[k] for k in numbers]
    return f"{event}, {name} {' or '.join(called)}"


def _names_few(project: Project, learned: Learned, about: str) -> bool:
    """Whether an event may be called by a label that few rows have, and no project file lists."""
    found = [
        name
        for name, rule in project.attributes.items()
        if rule.exact or not (rule.bins or rule.values)
    ]
    return any(
        str(label) in about and few(rows_of_label(learned, name, label))
        for name in found
        for label in learned.labels[name]
    )


def _merged(
    project: Project, learned: Learned, pinned: Pinned | None, name: str
) -> dict[str, float]:
    """What is shown of an attribute with two of its labels merged, where that can be."""
    found = merged(project, learned, pinned, name)
    if found is None:
        return {}
    return {found.called: Best(found.learned, found.beliefs).shares(project)[name]}


def _alone(project: Project, name: str) -> Project:
    """As if one application read this attribute, and nobody anything else."""
    return replace(
        project,
        applications={name: (name,)},
        terms={name: DeclaredApplication()},
        limits=replace(project.limits, coalitions=((name,),)),
    )
