"""The answers that were given out: to whom, how far off they may be, what one record was paid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.core.mechanisms import Mechanism
from unspoken.core.types.bound import exp_or_inf
from unspoken.core.types.domain import Domain
from unspoken.storage.ledger import AnswerEvent, Ledger
from unspoken.tables.learning.intervals.noise_law import reach
from unspoken.tables.policy import Project
from unspoken.workflows.query.noise import CHANCE

__all__ = ["GivenAnswer", "given_answers", "odds_beside", "together"]


@dataclass(frozen=True)
class GivenAnswer:
    """``readers``: the applications it was given to, none named: everybody; ``rows``: how far off
    each number may be, in rows (of sums in what one row moves them by), but with ``chance``;
    ``epsilon``: for one record.
    """

    at: str
    query: str
    readers: tuple[str, ...]
    rows: int
    epsilon: float
    noise: str
    chance: float = CHANCE


def given_answers(project: Project) -> list[GivenAnswer]:
    """Each once, whoever it was given to, the first one first."""
    named, found = project.files.charged, dict[str, GivenAnswer]()
    for at, event in Ledger(named).answers() if Ledger.there(named) else []:
        answer = _given(at, event)
        before = found.get(answer.noise)
        if before is not None:
            all_ = not before.readers or not answer.readers
            readers = () if all_ else tuple(sorted({*before.readers, *answer.readers}))
            answer = replace(before, readers=readers)
        found[answer.noise] = answer
    return list(found.values())


def together(answers: Sequence[GivenAnswer]) -> float:
    """The epsilon of all for one record, as if it was in each."""
    return math.fsum(answer.epsilon for answer in answers)


def odds_beside(answers: Sequence[GivenAnswer], odds: float = 1.0) -> float:
    """The factor on odds, beside what multiplies them by so much."""
    return odds * exp_or_inf(together(answers))


def _given(at: str, event: AnswerEvent) -> GivenAnswer:
    epsilon = math.fsum(map(_epsilon, event.mechanism.drawn_anew()))
    return GivenAnswer(
        at, event.query, event.readers, reach(1, event.times, CHANCE), epsilon, event.noise
    )


def _epsilon(noise: Mechanism) -> float:
    """How far one record moves it, over the labels that it was drawn for."""
    listed = {name: list(values) for name, values in noise.about.items()}
    domain = Domain.of([len(each) for each in listed.values()], list(listed), list(listed.values()))
    return CoinsAndNoise(noise, domain).epsilon
