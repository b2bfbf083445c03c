"""Answers, and what they stand on, in words for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from unspoken.assessment.few import GROUP, few, named
from unspoken.assessment.findings import Findings, Openly
from unspoken.assessment.leaks import Leak, TellingAnswer
from unspoken.core.types.domain import WITHHELD
from unspoken.core.types.premise import Premise
from unspoken.storage.prose import NBSP, change, listed, odds_of, percent, rows, tells_nothing

__all__ = ["cell", "held", "labels", "premise", "premise_of_numbers", "seen", "sentence"]

LABELS = 6  # listed in a sentence before "or one of n more"


def premise(stands_on: Premise, noisy: bool = False) -> str:
    """What all numbers stand on; ``noisy``: counts that had noise."""
    if stands_on.level is not None:
        sure = percent(stands_on.level)
        return (
            f"All numbers hold for whatever belief is in a box that holds the true one in {sure}."
        )
    if stands_on.rows is None:
        return "All numbers hold for the belief that was given."
    if noisy:
        return (
            "All numbers, chances before and after among them, are computed from noisy counts of "
            f"{rows(stands_on.rows)} of this table, and hold as far as these show the truth."
        )
    return (
        f"All numbers are computed from what {rows(stands_on.rows)} of this table show of how its "
        "attributes go together, and hold as far as these show the truth."
    )


def premise_of_numbers(findings: Findings) -> str:
    """What the numbers of the page stand on; limits say themselves for which priors they hold."""
    noisy = findings.promise is not None and findings.promise.pinned
    return premise(findings.learned.belief.premise, noisy).replace("All ", "All other ", 1)


def held(findings: Findings) -> str:
    """Whether limits are held given what is known of a row by its keys."""
    given = findings.project.plan.given
    if findings.is_floor:
        return "The odds cap of this plan holds whatever is known."
    return f"The limits are held {f'given {given}, and without others' if given else 'without'}."


def labels(findings: Openly, name: str, some: Iterable[object]) -> list[str]:
    """Values of an attribute in quotes, so far as they may be named."""
    known = set(findings.learned.labels[name])
    shown = named(findings.project, findings.learned, name, [str(value) for value in some])
    whole = [label.replace(" ", NBSP) for label in shown]
    return [f"“{w}”" if label in known else label for label, w in zip(shown, whole, strict=True)]


def sentence(entry: Leak, secrets: Sequence[object]) -> str:
    """The most telling answer that ``entry.who`` can get, for people.

    ``secrets``: all sensitive labels of the target, to name them shortly.
    """
    if tells_nothing(entry.odds):
        return f"No answer makes a sensitive value of {entry.about} more likely than it was."
    if entry.answer is not None and few(entry.answer.rows):
        return (
            f"The most telling answer about {entry.about} changes the odds of a sensitive value "
            f"({odds_of(entry.odds)}); {GROUP} gives it, which is not named."
        )
    if entry.answer is None:
        return (
            f"Some answer may multiply the odds of a sensitive value of {entry.about} "
            f"({odds_of(entry.odds)}); there are too many answers to name it."
        )
    return _answered(entry, entry.answer, _secret(entry.answer.secret, secrets))


def _answered(entry: Leak, answer: TellingAnswer, secret: str) -> str:
    """Before, what is seen, after."""
    certain = math.isinf(entry.odds.odds)
    before, after = change(answer.before, answer.after)
    odds = "" if certain else f", odds {odds_of(entry.odds)},"
    return (
        f"The chance that {entry.about} is {secret} goes from {before} to "
        f"{'certainty' if certain else after}{odds} for whoever sees {seen(answer.seen)}. "
        f"Share of rows with this answer: {percent(answer.mass)}."
    )


def seen(answer: Mapping[str, object]) -> str:
    """first_arrival withheld and exits 0-1; a withheld cell says so, a value is quoted."""
    each = {name: cell(output) for name, output in answer.items()}
    hidden = [name for name, text in each.items() if text is None]
    shown = [f"{name} “{text}”" for name, text in each.items() if text is not None]
    said = [f"{listed(hidden)} withheld"] if hidden else []
    return listed([*shown, *said]) or "nothing"


def cell(output: object) -> str | None:
    """What is shown of a cell, once or by one release after another; None: it is withheld."""
    turns = output if isinstance(output, tuple) else (output,)
    if all(turn is WITHHELD for turn in turns):
        return None
    return ", then ".join("withheld" if turn is WITHHELD else str(turn) for turn in turns)


def _secret(secret: str, secrets: Sequence[object]) -> str:
    """One secret by its name, any of several as what they have in common."""
    names = [str(label) for label in secrets]
    if secret in names or len(names) < 2 or secret != " or ".join(names):
        return f"“{secret}”"
    shown = [f"“{name}”" for name in names[:LABELS]]
    more = [f"one of {len(names) - LABELS} more"] if len(names) > LABELS else []
    return f"{listed([*shown, *more], 'or')}"
