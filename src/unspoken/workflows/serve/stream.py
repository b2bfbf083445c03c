"""What answers with noise told every coalition of all rows of a unit, and what they still may."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from unspoken.core.display import json_number
from unspoken.core.types.bound import exp_or_inf
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, rows_by
from unspoken.tables.policy import Project
from unspoken.workflows.query.unit import share_of_epoch
from unspoken.workflows.release.asked import coined_by

__all__ = ["UNKNOWN", "FullestEpoch", "Stream", "streams"]

UNKNOWN = "some answer is of an older version, or was charged for another [source] unit"


@dataclass(frozen=True)
class FullestEpoch:
    """The epoch of which most was ``spent``, of the ``share`` that each has (`epoch_epsilon`, which
    is ``limit``); no ``name``: nothing was answered yet.
    """

    name: str
    spent: Fraction
    share: float
    limit: float

    @property
    def left(self) -> Fraction:
        """Of its share, below 0 where that is less by now."""
        return Fraction(repr(self.share)) - self.spent

    def as_json(self) -> dict[str, Any]:
        """For the steward alone."""
        return {
            "epoch_epsilon": json_number(self.limit),
            "share_of_epoch": self.share,
            "fullest_epoch": self.name,
            "spent_of_it": float(self.spent),
            "left_of_it": float(max(self.left, Fraction(0))),
        }


@dataclass(frozen=True)
class Stream:
    """All answers that a coalition was given, over all epochs (`[limit] unit_epsilon`).

    ``spent``: of each draw its epsilon times the rows of one ``unit`` that enter, added up; None:
    of some answer that is not known. By e^that the odds of anything about a unit may have grown.
    ``fullest``: the epoch of which most is told; None: epochs have no limit, or it is not known.
    """

    coalition: tuple[str, ...]
    unit: tuple[str, ...]
    limit: float
    spent: Fraction | None
    fullest: FullestEpoch | None = None

    @property
    def left(self) -> Fraction | None:
        """Of the limit, as it is written; below 0 where that was lowered since. None: it is not
        known, or nothing limits it.
        """
        if self.spent is None or math.isinf(self.limit):
            return None
        return Fraction(repr(self.limit)) - self.spent

    @property
    def share(self) -> float | None:
        """Of the limit what is spent, as far as there is a limit."""
        if self.spent is None or self.left is None:
            return None
        return float(self.spent / (self.spent + self.left)) if self.left > 0 else 1.0

    @property
    def odds(self) -> float | None:
        """By what the odds of anything about one unit may have grown."""
        return None if self.spent is None else exp_or_inf(float(self.spent))

    def as_json(self) -> dict[str, Any]:
        """For the steward alone."""
        spent = {} if self.spent is None else {"spent": float(self.spent)}
        return {
            "coalition": list(self.coalition),
            "unit": list(self.unit),
            "unit_epsilon": json_number(self.limit),
            **spent,
            **({} if self.left is None else {"left": float(max(self.left, Fraction(0)))}),
            **({} if self.fullest is None else self.fullest.as_json()),
            **({} if spent else {"why": UNKNOWN}),
        }


def streams(project: Project, kept: Custody) -> list[Stream]:
    """Of every coalition; none where nothing was answered and nothing limits it."""
    unit, limits = project.source.unit, project.limits

    def of(account: Account, coalition: tuple[str, ...]) -> Stream:
        audience = account.reaching(coalition, project.applications)
        spent = account.draws.streams.spent(audience, unit)
        fullest = _fullest(project, account, audience)
        return Stream(coalition, unit, limits.unit_epsilon, spent, fullest)

    found = kept.look(lambda account: [of(account, coalition) for coalition in project.pools])
    answered = any(each.spent != 0 for each in found)
    limited = min(limits.unit_epsilon, limits.epoch_epsilon) < math.inf
    return found if answered or limited else []


def _fullest(
    project: Project, account: Account, audience: Collection[Sequence[str]]
) -> FullestEpoch | None:
    """Of all that anything was answered about; without any those by other labels count, too."""
    share, streams = share_of_epoch(project), account.draws.streams
    label = rows_by(coined_by(project), True)
    if math.isinf(share):
        return None
    epochs = streams.epochs(audience, label) or [""]
    spent = streams.spent_of(audience, project.source.unit, label, epochs)
    if spent is None:
        return None
    most = max(epochs, key=lambda epoch: spent[epoch])
    return FullestEpoch(most, spent[most], share, project.limits.epoch_epsilon)
