"""What has to be decided, for whoever signs: the box at the top of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

from unspoken.assessment.findings import Findings
from unspoken.assessment.leaks import Leak
from unspoken.interfaces.wording import starved, words
from unspoken.storage import prose
from unspoken.workflows.query import GivenAnswer

__all__ = ["Signed", "decision"]

YES = "Yes, within these limits, if what may still happen is accepted"
ONLY_IF = "Only if it may become known"
BY_ROWS = (
    "The limits keep each row by itself. What many rows tell together is beyond them, as stands "
    "above; to limit that as well, which shows less: rows_per_unit under [source] and unit_bits "
    "under [limit]."
)
REFUSED = (
    "Beside the answers with noise that were given out, a release by this plan is refused as "
    "things stand: unspoken release --dry-run says why, and what to do."
)
USELESS = 0.2  # of all cells read: a plan that lets out less is hardly worth its risk

ADOPTED = "adopted: by it everything is released"
BEST = "the best there is; not adopted yet"
DIGITS = 16  # of the SHA-256 of a project file


@dataclass(frozen=True)
class Signed:
    """When the page was made, what the ledger of the project had then, and the SHA-256 of its file;
    none if it is not there. ``answers``: those with noise that were given out; ``refused``: whether
    beside these nothing more is released by the plan.
    """

    at: datetime
    ledger: str = "nothing released so far"
    digest: str = ""
    answers: Sequence[GivenAnswer] = ()
    refused: bool = False


def decision(findings: Findings, signed: Signed) -> dict[str, Any]:
    """What goes to whom under which limits, what may still happen, and what is recommended."""
    against = [*([REFUSED] if signed.refused else []), *_against(findings)]
    accepted = [c.accepts for c in findings.cautions if c.accepts]
    red = [prose.unbroken(c.unmeasured().text) for c in findings.cautions if c.red]
    project = findings.project
    gets = [
        f"{name}: {prose.listed(reads)}, true where shown, {_shares(findings, reads)}"
        for name, reads in project.applications.items()
    ]
    boxed = [prose.unbroken(prose.times(line)) for line in findings.boxed]
    return {
        "recommended": "No" if against or red else _yes(accepted),
        "orange": bool(against or red or accepted),
        "because": [*against, *([BY_ROWS] if accepted else [])],
        "red": red,
        "gets": gets,
        "stands": [words.premise_of_numbers(findings), *boxed] if findings.planned else [],
        "risk": [
            _risk(findings),
            *(prose.unbroken(c.unmeasured().text) for c in findings.cautions if not c.red),
        ],
        "facts": [
            ("made", f"{signed.at:%Y-%m-%d %H:%M:%S %Z}".strip()),
            ("with", f"unspoken {version('unspoken')}"),
            ("project file", f"{project.path.name} {signed.digest[:DIGITS]}".strip()),
            ("plan", ADOPTED if findings.adopted else BEST),
            ("ledger", signed.ledger),
        ],
    }


def _yes(accepted: Sequence[str]) -> str:
    """With what whoever signs accepts beyond what a row may tell."""
    return f"{ONLY_IF} {prose.listed(accepted)}" if accepted else YES


def _against(findings: Findings) -> list[str]:
    """Why not."""
    if not findings.planned:
        return ["Nothing is declared sensitive: nothing would be protected."]
    reasons = []
    if not findings.plan.objective > 0:
        reasons.append("Within these limits nothing can be released.")
    elif findings.released < USELESS:
        reasons.append(
            f"Of all cells read only {prose.percent(findings.released)} would be released: hardly "
            "of use."
        )
    reasons += [
        f"{name} would get {_little(findings, name)}." for name in starved.in_words(findings)
    ]
    return reasons


def _little(findings: Findings, application: str) -> str:
    reads = findings.project.applications[application]
    return "next to nothing" if any(findings.shares[name] for name in reads) else "nothing"


def _shares(findings: Findings, reads: tuple[str, ...]) -> str:
    shares = [prose.percent(findings.shares[name]) for name in reads]
    each = " each" if len(shares) > 1 else ""
    return (
        f"{shares[0]} of the rows{each}"
        if len({*shares}) == 1
        else (f"{prose.listed(shares)} of the rows")
    )


def _risk(findings: Findings) -> str:
    """What whoever sees the most telling answer may believe, in one sentence."""
    worst: Leak | None = max(findings.planned, key=lambda entry: entry.odds.nats, default=None)
    if worst is None:
        return "Nothing is limited."
    if prose.tells_nothing(worst.odds) or not findings.plan.objective > 0:
        return "No answer makes a sensitive value noticeably more likely."
    odds = prose.odds_of(worst.odds)
    moved = ""
    if worst.answer is not None:
        before, after = prose.change(worst.answer.before, worst.answer.after)
        moved = f" (from {before} to {after})"
    return (
        "For each row, the most telling answer changes the odds of a sensitive value of "
        f"{worst.about} by {odds}{moved}, to somebody who knows no more than this table shows; "
        "what they know besides, keys among it, can add to it."
    )
