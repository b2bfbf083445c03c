"""Applications that a plan gives nothing while others get something, and what stands in their way.

A plan counts cells, whoever reads them: where two attributes do not go together within the limits,
the one with more to release takes all. That is said, and not mended: what is fair is for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unspoken.planning.limits import Broken
from unspoken.releasing.findings import Findings
from unspoken.releasing.leaks import limits_of, views

__all__ = ["Starved", "broken_by", "starved"]

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


def starved(findings: Findings) -> list[Starved]:
    """Every application that gets nothing, though not all do."""
    if not any(share > NOTHING for share in findings.shares.values()):
        return []
    return [
        _of(findings, name, reads)
        for name, reads in findings.project.applications.items()
        if not any(findings.shares[attribute] > NOTHING for attribute in reads)
    ]


def _of(findings: Findings, application: str, reads: tuple[str, ...]) -> Starved:
    hidden = findings.plan.mechanism.sensitive or {}
    if all(set(findings.learned.labels[name]) <= set(hidden.get(name, ())) for name in reads):
        return Starved(application, reads, True, ())
    tried = ({**findings.plan.epsilon, **dict.fromkeys(reads, eps)} for eps in TRIED)
    broken = (broken_by(findings, epsilon) for epsilon in tried)
    return Starved(application, reads, False, next(filter(None, broken), []))


def broken_by(findings: Findings, epsilon: Mapping[str, float]) -> list[Broken]:
    """The limits that a release with these eps would break, for those who pool: each once."""
    tried, secrets = replace(findings.plan.mechanism, epsilon=epsilon), findings.learned.sensitive
    limits = limits_of(findings.project)
    broken = {
        (one.target, one.limit): one
        for reads in findings.project.pools.values()
        for one in limits.broken(views(findings.learned.belief, tried, secrets, reads))
    }
    places = [(target, limit) for target in secrets for limit in ("odds", "information")]
    return [broken[place] for place in places if place in broken]
