"""Applications that a plan gives nothing while others get something, and what stands in their way.

A plan counts cells, whoever reads them: where two attributes do not go together within the limits,
the one with more to release takes all. That is said, and not mended: what is fair is for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unspoken.assessment.findings import Findings
from unspoken.assessment.held_back import chance
from unspoken.assessment.leaks import TellingAnswer, limits_of, most_telling, views
from unspoken.core.measures import MEASURES
from unspoken.core.types.domain import WITHHELD
from unspoken.planning.limits import Broken
from unspoken.storage.coarse import with_exponents

__all__ = ["Starved", "Zero", "broken_by", "starved", "zeros"]

NOTHING = 1e-4  # of all rows: less is shown as less than any number here
# How much is tried of what it reads, as eps: about 1 %, 10 % and half of its cells.
TRIED = (0.01, 0.1, 0.7)


@dataclass(frozen=True)
class Starved:
    """``withheld``: whether all it reads is sensitive or closed; if not, ``broken`` are the limits
    that break first when some of it is released beside the rest, each once.
    """

    application: str
    reads: tuple[str, ...]
    withheld: bool
    broken: Sequence[Broken]


@dataclass(frozen=True)
class Zero:
    """An attribute of which nothing is released though it has free values; the first limit that
    breaks with some of it, if one does, and the ``answer`` that breaks it. ``exceed``: the share
    of all answers that are above the cap once half of it is released, 1 where that is not known.
    """

    attribute: str
    broken: Broken | None
    answer: TellingAnswer | None
    exceed: float = 1.0


def zeros(findings: Findings) -> list[Zero]:
    """What stands in the way of each attribute that gets nothing."""
    if not findings.plan.epsilon:  # one coin a record
        return []
    hides = findings.plan.mechanism.hides
    return [
        _zero(findings, name)
        for name, share in findings.shares.items()
        if share <= NOTHING and set(findings.learned.labels[name]) > set(hides(name))
    ]


def _zero(findings: Findings, name: str) -> Zero:
    for eps in TRIED:
        epsilon = {**findings.plan.epsilon, name: eps}
        broken = broken_by(findings, epsilon)
        if broken:
            first = broken[0]
            if first.limit == "information":
                return Zero(name, first, None)
            half = broken_by(findings, {**epsilon, name: TRIED[-1]})
            above = max(
                (breach.above for breach in half if breach.limit == "odds"),
                default=1.0,
            )
            return Zero(name, first, _answer(findings, epsilon, first.target), above)
    return Zero(name, None, None)


def _answer(findings: Findings, epsilon: Mapping[str, float], target: str) -> TellingAnswer | None:
    """The most telling answer about a target of those who pool, with the rows that give it."""
    learned, tried = findings.learned, with_exponents(findings.plan.mechanism, epsilon)
    about = {target: learned.sensitive[target]}
    clouds = [
        views(learned.belief, tried, about, reads)[target]
        for reads in findings.project.pools.values()
    ]
    answer = most_telling(max(clouds, key=lambda view: MEASURES["odds"].of(view).nats))
    if answer is None:
        return None
    shown = {name: out for name, out in answer.seen.items() if out is not WITHHELD}
    return replace(answer, rows=learned.rows * chance(learned, shown))


def starved(findings: Findings) -> list[Starved]:
    """Every application that gets nothing, though not all do."""
    if not findings.plan.epsilon or max(findings.shares.values(), default=0.0) <= NOTHING:
        return []
    return [
        _of(findings, name, reads)
        for name, reads in findings.project.applications.items()
        if not any(findings.shares[attribute] > NOTHING for attribute in reads)
    ]


def _of(findings: Findings, application: str, reads: tuple[str, ...]) -> Starved:
    hides = findings.plan.mechanism.hides
    if all(set(findings.learned.labels[name]) <= set(hides(name)) for name in reads):
        return Starved(application, reads, True, ())
    tried = ({**findings.plan.epsilon, **dict.fromkeys(reads, eps)} for eps in TRIED)
    broken = (broken_by(findings, epsilon) for epsilon in tried)
    return Starved(application, reads, False, next(filter(None, broken), []))


def broken_by(findings: Findings, epsilon: Mapping[str, float]) -> list[Broken]:
    """The limits of plans that these eps would break, for those who pool: each once."""
    tried, secrets = with_exponents(findings.plan.mechanism, epsilon), findings.learned.sensitive
    limits = limits_of(findings.project.planned)
    broken = {
        (breach.target, breach.limit): breach
        for reads in findings.project.pools.values()
        for breach in limits.broken(views(findings.learned.belief, tried, secrets, reads))
    }
    places = [(target, limit) for target in secrets for limit in ("odds", "information")]
    return [broken[place] for place in places if place in broken]
