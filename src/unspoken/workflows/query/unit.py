"""What all answers tell of one unit, held to its limits: of all its rows, and of each epoch.

`[limit] unit_epsilon` is of all rows of a unit, whatever is believed of how they depend
(storage/ledger/streams.py). `epoch_epsilon` is of one epoch, for who believes that the state of a
unit goes from epoch to epoch by a chain. If all answers change by no more than e^(eps_t) with the
rows of a unit in epoch t, the others being what they are, what they say of epoch t is

    TPL_t = BPL_t + FPL_t - eps_t,    FPL_t = eps_t + L_F(FPL_{t+1}),    BPL_t likewise

as in `temporal`, also where one answer is of several epochs: with the past fixed, the mean over the
future is a function of the state of epoch t + 1 that moves by e^(FPL_{t+1}) at most, so its mean
over the rows of the kernel by L_F of that; and given the state the past is independent of the
future. All of it rises with every eps_t. So where each is at most the one that `temporal_budget`
says for chains of any length, no epoch is told of more than the limit, however many there will be,
asked about in whatever order; what nobody asked about only makes those beside it forget. Where one
has more (its answers are older than the limit, the chain or the coalition), it tells of those
beside it more than was reckoned with, and nothing more is answered about any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from unspoken.core.beliefs import Chain
from unspoken.core.conversion import temporal_budget
from unspoken.storage.ledger import Account, AnswerEvent, rows_of
from unspoken.tables.policy import Project

__all__ = ["SpentBefore", "share_of_epoch"]


def share_of_epoch(project: Project) -> float:
    """The epsilon that all answers together may have of one epoch; infinite: nothing limits it."""
    limits = project.limits
    if math.isinf(limits.epoch_epsilon):
        return math.inf
    return _share(limits.epoch_chain, limits.epoch_epsilon)


@cache
def _share(chain: tuple[tuple[float, ...], ...], most: float) -> float:
    return float(temporal_budget(Chain(None, chain, 2), most, any_length=True).epsilon[0])


@dataclass(frozen=True)
class SpentBefore:
    """What was told of a unit before, to each coalition that sees an answer: of ``all_rows``, and
    by ``epoch`` of those it looks at and those that were, where that is limited. None: it is not
    known.
    """

    project: Project
    all_rows: Sequence[Fraction | None]
    epoch: Sequence[Mapping[str, Fraction] | None]

    @classmethod
    def before(
        cls,
        project: Project,
        event: AnswerEvent,
        account: Account,
        audiences: Sequence[Sequence[tuple[str, ...]]],
    ) -> SpentBefore:
        """``audiences``: of each coalition, whose answers it has seen."""
        unit, streams, draw = project.source.unit, account.draws.streams, event.noise
        label = rows_of(event)
        limited = audiences if share_of_epoch(project) < math.inf else ()

        def by_epoch(audience: Sequence[tuple[str, ...]]) -> Mapping[str, Fraction] | None:
            epochs = {*event.readings, *streams.epochs(audience, label)}
            return streams.spent_of(audience, unit, label, epochs, draw)

        return cls(
            project,
            [streams.spent(each, unit, draw) for each in audiences],
            [by_epoch(each) for each in limited],
        )

    def broken(self, event: AnswerEvent) -> str | None:
        """The limit that this one beside it would break, in words."""
        return self._unknown or self._of_all(event) or self._of_one(event)

    @property
    def _unit(self) -> str:
        return " and ".join(self.project.source.unit)

    @property
    def _unknown(self) -> str | None:
        limits = self.project.limits
        held = {"unit_epsilon": limits.unit_epsilon, "epoch_epsilon": limits.epoch_epsilon}
        declared = [f"limit.{name}" for name, most in held.items() if most < math.inf]
        if not declared or None not in self.all_rows:
            return None
        return (
            f"an answer was charged before it was kept what it tells of one {self._unit}, or for "
            f"another [source] unit, so {' and '.join(declared)} cannot be held"
        )

    def _of_all(self, event: AnswerEvent) -> str | None:
        most = self.project.limits.unit_epsilon
        known = [each for each in self.all_rows if each is not None]
        total = Fraction(repr(event.unit_epsilon)) + max(known, default=Fraction(0))
        if math.isinf(most) or total <= Fraction(repr(most)):
            return None
        return (
            f"of all rows of one {self._unit} answers would tell e^{float(total):.6g}, "
            f"limit.unit_epsilon is {most:g}"
        )

    def _of_one(self, event: AnswerEvent) -> str | None:
        share, own = share_of_epoch(self.project), Fraction(repr(event.of_epoch))
        total, epoch = max(
            (
                (spent + own if epoch in event.readings else spent, epoch)
                for each in self.epoch
                for epoch, spent in (each or {}).items()
            ),
            default=(Fraction(0), ""),
        )
        if math.isinf(share) or total <= Fraction(repr(share)):
            return None
        would = "would have" if epoch in event.readings else "have"
        return (
            f"of one {self._unit} in epoch {epoch} answers {would} an epsilon of "
            f"{float(total):.6g}, and with limit.epoch_epsilon = "
            f"{self.project.limits.epoch_epsilon:g} each epoch has {share:.6g} under "
            "limit.epoch_chain"
        )
