"""What the page says of how coins are tossed: one a cell, one a record, or the floor's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unspoken.assessment.best import weights
from unspoken.assessment.findings import CELLS, FLOOR, NOW, OUT, Findings
from unspoken.storage import prose

__all__ = ["coin", "in_words", "rivals"]

RECORDS = "one coin a record"
CELLS_FOR_SET = "one coin a cell, for the confidence set"
NOT_WORTH_IT = "a belief: what was found gains too little over the floor to be worth it"
ADOPTED = "the counts it was adopted by, not looked at again for this page"
LEARNED = "the observed frequencies, with no allowance for chance; rows being independent"


@dataclass(frozen=True)
class Coin:
    """``plan``: what is done; ``column``: what p is of; ``ways_out``: where nothing is released."""

    plan: str
    column: str
    ways_out: str


COINS = {
    "cell": Coin(
        plan="A cell that may be released is released with the probability below and is blank "
        "otherwise, so that a blank need not mean “sensitive”.",
        column="released with probability",
        ways_out="Raise the cap on the odds, close telling values, or read fewer attributes.",
    ),
    "record": Coin(
        plan="One coin is tossed for each row. Which of its cells it shows depends on all that the "
        "row says, by a table that is fixed beforehand; a sensitive value is never shown, and "
        "harmless ones are blank now and then, so that a blank need not mean “sensitive”. The "
        "share below is of the cells that may be released; it differs from value to value.",
        column="shown, of what may be",
        ways_out="Raise the cap on the odds, or a limit on bits if there is one.",
    ),
    FLOOR: Coin(
        plan="This plan is the floor, which needs no belief: a row with anything sensitive shows "
        "nothing, and any other shows all that is read or nothing, by one coin, so that a blank "
        "row need not mean “sensitive”.",
        column="shown, of what may be",
        ways_out="Raise the cap on the odds, or a limit on bits if there is one.",
    ),
}


def coin(findings: Findings) -> Coin:
    """How this plan's coins are."""
    return COINS[FLOOR if findings.is_floor else findings.project.plan.by]


def rivals(findings: Findings) -> list[dict[str, Any]]:
    """The floor, one coin a cell and one coin a record: what each lets out, and stands on."""
    if not findings.rivals:
        return []
    by_record = bool(findings.plan.mechanism.record_coins())
    stands = {
        FLOOR: "nothing: it holds whatever anybody believes of a row",
        CELLS: LEARNED,
        NOW: "the counts there are now: it is released once it is adopted",
        OUT: "the plan that was adopted before, which stays",
        RECORDS: _stands(findings),
        CELLS_FOR_SET: _stands(findings),
    }
    sentence = FLOOR if findings.is_floor else RECORDS if by_record else CELLS_FOR_SET
    rows = [
        {
            "name": name,
            "share": prose.percent(share),
            "stands": stands[name],
            "chosen": name == sentence,
        }
        for name, share in {**findings.rivals, sentence: findings.released}.items()
    ]
    return [*rows, *_not_worth_it(findings)]


def _stands(findings: Findings) -> str:
    """What this plan stands on, so far as it was planned again for this page."""
    held = findings.plan.bound.premise
    if held.level is not None:
        level = prose.percent(held.level)
        return f"the {level} confidence set of the counts; rows being independent"
    boxed = findings.project.belief.confidence is not None
    unseen = findings.adopted and boxed and not findings.plan.binding
    return ADOPTED if unseen else LEARNED


def _not_worth_it(findings: Findings) -> list[dict[str, Any]]:
    """One coin a record, where the floor is taken instead: at most what no release exceeds."""
    worth = set(weights(findings.project).values())
    upper = findings.plan.bound.high / len(findings.project.reads)
    if not _was_compared(findings) or len(worth) > 1 or not upper < math.inf:
        return []
    most = min(1.0, upper / worth.pop())
    row = {"name": f"{RECORDS}, at most", "share": prose.percent(most), "stands": NOT_WORTH_IT}
    return [{**row, "chosen": False}]


def in_words(findings: Findings) -> list[str]:
    """The same for a terminal; what shows more by trusting more says so."""
    if not findings.rivals:
        return []
    others = "; ".join(f"{name} {prose.percent(share)}" for name, share in findings.rivals.items())
    said = [f"Of all cells read {prose.percent(findings.released)} are shown: {others}."]
    if findings.rivals.get(CELLS, 0.0) > findings.released:
        said.append(
            "That one coin a cell shows more, since it is planned for the observed frequencies "
            "alone, with no allowance for chance."
        )
    if findings.is_floor:
        said.append(_why_baseline(findings))
    return said


def _was_compared(findings: Findings) -> bool:
    """Whether it is the baseline because the best plan by the counts shows little more."""
    project = findings.project
    for_set = findings.plan.bound.premise.level is not None or not project.plans_for_set
    return findings.is_floor and project.plan.by == "record" and for_set


def _why_baseline(findings: Findings) -> str:
    """Why the plan does not use the counts."""
    whole = "the plan is the belief-free baseline: a row is shown whole, or not at all"
    if findings.adopted or not findings.planned:
        return f"{whole[0].upper()}{whole[1:]}."
    if _was_compared(findings):
        return f"Using the counts would gain almost nothing, so {whole}."
    if findings.project.plan.by == "cell":
        less = "One coin a cell that holds for every prior in the confidence set would show less"
        return f"{less}, so {whole}."
    return f"There are too many combinations of values for a confidence set, so {whole}."
