"""A query on one page: read it -> how much noise -> charge -> draw -> keep -> show.

Nothing is drawn before it is charged, and nothing is shown before it is kept. A crash wastes the
charge, or leaves it to the next who asks the same: what was drawn and not kept, nobody has seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from unspoken.core.errors import InputError, LimitExceeded, UnspokenError
from unspoken.core.numerics.numbers import number, which_draw
from unspoken.core.types.kinds import expect
from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Answered
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.policy import Project
from unspoken.workflows.query.answer import NoisyAnswer, Promised, assembled
from unspoken.workflows.query.asking import Asking
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.query.intervals import error_bars
from unspoken.workflows.query.noise import AnswerNoise, within
from unspoken.workflows.query.select import WHERE
from unspoken.workflows.release.open_project import OpenProject

__all__ = ["query"]

Tell = Callable[[Promised], None]


def query(
    project: Project | str | Path | OpenProject,
    text: str,
    reader: str | None = None,
    *,
    epsilon: float | None = None,
    share: float = 1.0,
    dry_run: bool = False,
    draw: int = 1,
    table: ArrowStream | None = None,
    fresh: bool = False,
    tell: Tell | None = None,
) -> NoisyAnswer | Promised:
    """Answer a SELECT with noise, and charge it; ``dry_run``: only say what it would be.

    ``reader``: the application that is given the answer; needed where not all pool what they get.
    ``epsilon``: how much one record may change it; None: as much as is left of the limits, or this
    ``share`` of it.
    ``tell`` hears how far off it may be before anything is charged. The same question again is the
    same answer, free; ``draw`` 2 is another, with noise of its own, charged beside the first.
    """
    expect(text, str, "query", "write a SELECT")
    epsilon = None if epsilon is None else within(epsilon)
    share, draw = _share(share), which_draw(draw)
    read = OpenProject.of(project, table)
    make = None if dry_run else partial(Custody.made, read.project)
    asking = Asking.of(read, text, reader, fresh, make)
    asking = replace(asking, epsilon=epsilon, share=share, draw=draw)
    if asking.public:
        return _public(asking, dry_run, tell)
    before = asking.before()
    if before is not None and before.answered is not None:
        charged = before.charged(asking.readers)
        if charged is not None:
            noise = asking.drawn_with(before)
            promised = asking.promised(noise, "free: it was answered before")
            if dry_run:
                return promised
            return _shown(asking, promised, before.answered, noise, charged, True)
    noise = asking.noise(before)
    promised = asking.promised(noise)
    if tell is not None:
        tell(promised)
    return promised if dry_run else _answered(asking, noise, promised)


def _share(given: float) -> float:
    share = number(given)
    if not 0 < share <= 1:
        raise InputError(f"share {share:g}: is of what is left of the limits, more than 0 up to 1")
    return share


def _public(asking: Asking, dry_run: bool, tell: Tell | None) -> NoisyAnswer | Promised:
    """What keys alone say: where there are no rows, also what they add up to."""
    promised = asking.promised(None, asking.public)
    if tell is not None:
        tell(promised)
    if dry_run:
        return promised
    exact = asking.of_keys
    if asking.question.numbers:  # of no rows
        exact = replace(exact, sums=[exact.rows] * len(asking.question.numbers))
    _, rows = assembled(asking.question, exact, exact.sums)
    counted = [each.tolist() for each in (exact.rows, *exact.sums)]
    return NoisyAnswer.of(
        promised, asking.question, rows, error_bars(asking.question, None, rows, counted)
    )


def _answered(asking: Asking, noise: AnswerNoise, promised: Promised) -> NoisyAnswer:
    """Charge it; draw once, and keep that before anybody sees it."""
    exact, kept, event = asking.exact(), asking.kept, asking.event(noise)
    asking.refuse_changed()
    if asking.epsilon is None and asking.before() is None:
        _refuse_noise_alone(noise, int(exact.rows.sum()), asking)
    head = kept.ledger.charge(event, partial(asking.admit, event), kept.seal)
    drawn_before = asking.before()
    if drawn_before is not None and drawn_before.answered is not None:
        return _shown(asking, promised, drawn_before.answered, noise, head.number, False)
    made = _drawn(asking, noise, exact, head.number)
    try:
        kept.ledger.charge(made, partial(_only_one, made), kept.seal)
    except _Kept as other:
        made = other.answered
    return _shown(asking, promised, made, noise, head.number, False)


def _refuse_noise_alone(noise: AnswerNoise, rows: int, asking: Asking) -> None:
    """Nobody who says no epsilon means to pay for what says nothing."""
    error = noise.least_error()
    if error > rows:
        limits = asking.project.limits
        units = {"unit_epsilon": limits.unit_epsilon, "epoch_epsilon": limits.epoch_epsilon}
        names = ["odds_cap", *(name for name, most in units.items() if most < math.inf)]
        raised = " or ".join(f"limit.{name}" for name in names)
        raise LimitExceeded(
            f"{WHERE}: what is left of the limits leaves noise alone (± {error:,.0f} rows of "
            f"{rows:,}), so nothing was charged. Raise {raised}, or say which epsilon; "
            "another time write a smaller odds_cap under [plan] before anything is given out",
            "what would fit is noise alone, and is drawn only where an epsilon is declared",
        )


def _drawn(asking: Asking, noise: AnswerNoise, exact: Exact, number: int) -> Answered:
    question = asking.question
    noisy = [
        two_sided_noise(sums, noise.scale(each))
        for sums, each in zip(exact.sums, question.numbers, strict=True)
    ]
    titles, rows = assembled(question, exact, noisy)
    return Answered(
        table=asking.project.source.name,
        request=asking.request,
        number=number,
        titles=titles,
        rows=rows,
        key=asking.kept.master.fingerprint,
        numbers=[each.tolist() for each in (exact.rows, *noisy)],
    )


class _Kept(UnspokenError):
    """Somebody else, who asked at the same time, was faster."""

    def __init__(self, answered: Answered) -> None:
        super().__init__("answers: drawn by somebody else")
        self.answered = answered


def _only_one(made: Answered, account: Account) -> None:
    """Of several draws for one question one is ever shown."""
    asked = account.asked(made.request)
    if asked is not None and asked.answered is not None:
        raise _Kept(asked.answered)


def _shown(
    asking: Asking, promised: Promised, answered: Answered, noise: AnswerNoise, number: int,
    again: bool,
) -> NoisyAnswer:  # fmt: skip
    question = asking.question
    errors = error_bars(question, noise, answered.rows, answered.numbers)
    return NoisyAnswer.of(promised, question, answered.rows, errors, again, number)
