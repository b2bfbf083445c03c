"""What the page draws: a panel for each secret that was looked for, and a line for each attack."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from unspoken.storage import prose
from unspoken.workflows.audit import Attacked, Audited, AuditedFile
from unspoken.workflows.audit.judging import ClaimedBound, Reached, Verdict
from unspoken.workflows.audit.released_file import AttackedSecret
from unspoken.workflows.audit.trying import ZERO, Tried, TriedAll

__all__ = ["AttackLine", "Panel", "of_catalogue", "of_file", "of_releases"]

Unit = Literal["odds", "bits", "probability", "share"]
MOST = 3.0  # of a bound: what is beyond is drawn at the edge
FAMILIES = {
    "exclusion": "What is withheld",
    "dependence": "Noise and dependence",
    "queries": "Answers to queries",
    "mechanism": "Each mechanism",
    "records": "Noisy tables",
    "planted": "Planted faults",
    "control": "Controls",
}


@dataclass(frozen=True)
class AttackLine:
    """What an attack ``name`` reached, and both ends, in the unit of its panel; ``beside``: not on
    what is judged.
    """

    name: str
    low: float
    value: float
    high: float
    beats: bool
    beside: bool = False
    found: str = ""
    right: str = ""


@dataclass(frozen=True)
class Panel:
    """``title``: the secret, and who looks for it. ``claimed``: the bound, where one is.

    ``unit``: odds are factors, so that 1 is nothing; of all others that is 0.
    """

    title: str
    says: str
    unit: Unit
    claimed: float | None
    lines: Sequence[AttackLine]

    def number(self, number: float) -> str:
        """In words; of odds the factor, where less than none is none."""
        if self.unit == "odds":
            return prose.factor(number)
        if math.isinf(number):
            return "∞"
        return f"{number:.0%}" if self.unit == "share" else prose.digits(number)


def of_releases(found: Audited) -> list[Panel]:
    """Beside the attacks on each release the best one on naive hiding."""
    return [_released(attacked) for attacked in found.attacked]


def of_file(found: AuditedFile) -> list[Panel]:
    """Beside the attacks the best one where the truth was shuffled."""
    return [_secret(secret) for secret in found.secrets]


def of_catalogue(tried: TriedAll) -> list[Panel]:
    """A panel for each family, a line for each scenario: its best attack, as a share of the bound.

    Bounds of 0 have no shares: they stand in the table of the terminal, and in the JSON.
    """
    families = dict.fromkeys(attempt.scenario.family for attempt in tried.tried)
    panels = []
    for family in families:
        of_it = [attempt for attempt in tried.tried if attempt.scenario.family == family]
        lines = [line for attempt in of_it for line in _scenario(attempt)]
        expected = sum(attempt.as_expected for attempt in of_it)
        says = f"{expected} of {len(of_it)} scenarios came out as they were written down."
        panels.append(Panel(FAMILIES[family], says, "share", 1.0, lines))
    return [panel for panel in panels if panel.lines]


def _released(attacked: Attacked) -> Panel:
    title = f"{attacked.sought}, to {attacked.whom}"
    says = attacked.in_words().removeprefix(f"About {title}: ")
    beside = _best("naive hiding", attacked.verdict.claim, attacked.naive)
    return _panel(title, says, attacked.verdict, beside)


def _secret(secret: AttackedSecret) -> Panel:
    beside = _best("control", secret.verdict.claim, secret.control)
    says = secret.in_words().removeprefix(f"{secret.sought}: ").removeprefix(f"{secret.about}: ")
    return _panel(secret.sought, says, secret.verdict, beside)


def _panel(title: str, says: str, verdict: Verdict, beside: Iterable[AttackLine]) -> Panel:
    claim = verdict.claim
    bound = None if claim.bound is None else claim.read(claim.bound)
    lines = [_line(attack.attack, claim, attack) for attack in verdict.reached]
    says = says[:1].upper() + says[1:]
    return Panel(title, says, claim.unit, bound, [*lines, *beside])


def _line(name: str, claim: ClaimedBound, attack: Reached, beside: bool = False) -> AttackLine:
    low, high = attack.leakage.interval or (0.0, math.inf)
    low, value, high = map(claim.read, (low, attack.leakage.value, high))
    beats = claim.bound is not None and attack.beats(claim.bound)
    right = prose.percent(attack.right) if attack.flagged else ""
    found = prose.percent(attack.recovered)
    return AttackLine(name, low, value, high, beats, beside, found, right)


def _best(name: str, claim: ClaimedBound, verdict: Verdict) -> list[AttackLine]:
    return [] if verdict.best is None else [_line(name, claim, verdict.best, beside=True)]


def _scenario(attempt: Tried) -> list[AttackLine]:
    verdict, best = attempt.verdict, attempt.verdict.best
    bound = verdict.claim.bound
    if best is None or bound is None or not ZERO < bound < math.inf:
        return []
    low, high = best.leakage.interval or (0.0, math.inf)
    low, value, high = (max(0.0, end / bound) for end in (low, best.leakage.value, high))
    return [AttackLine(attempt.scenario.name, low, value, high, best.beats(bound))]
