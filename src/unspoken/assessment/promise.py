"""What a plan promises of the odds of a secret, and for which priors: one sentence, everywhere.

The cap on odds holds for any prior (the baseline), for those in a confidence set of the counts, or
for the observed frequencies alone; every sentence here says which. Counts with noise of eps are all
that a plan knows of the table. Who knows every other row exactly learns of the last one from the
counts too, and

    P(plan, y | x) = P(plan | x) P(y | x, plan),    P(plan | x) / P(plan | x') <= e^eps,

so that both together come to cap e^eps; every further counting of the same rows multiplies again.
In nats they tell u - 1 - log u more on average, u = eps / (1 - e^-eps). Of rows that were not
counted nothing is told: learned from history, the cap holds for who knows every other row, too.

Limits in bits are averages, and no set is around these: they rest on the observed frequencies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unspoken.core.errors import LimitExceeded
from unspoken.core.types.bound import exp_or_inf
from unspoken.core.types.premise import Premise
from unspoken.planning import Plan
from unspoken.storage.coarse import up
from unspoken.storage.custody.believing import Countings
from unspoken.storage.ledger import Learning
from unspoken.storage.prose import listed
from unspoken.tables.policy import Project

__all__ = ["Promise", "limits_in_bits", "priors_in_words"]

OBSERVED = Premise.learned(0)  # of how many rows does not matter here
SLACK = 1e-9  # of a product of roundings


@dataclass(frozen=True)
class Promise:
    """``epsilon``: of all countings of rows that are released; infinite where one was exact.

    ``pinned``: whether anything was counted yet. ``premise``: for which priors the cap holds.
    ``exceed``: the chance of answers that may be above it. ``in_bits``: the limits on averages, in
    words; empty if there are none.
    """

    cap: float
    epsilon: float
    pinned: bool
    history: bool
    premise: Premise
    exceed: float = 0.0
    in_bits: str = ""

    @classmethod
    def of(cls, project: Project, countings: Countings, pinned: bool) -> Promise:
        """Of all countings there were, whatever the noise is now; before this table's: with it."""
        history, noise = project.belief.history, project.belief.noise
        learnings = countings.learnings
        spent = max(_spent(learnings, each) for each in {history, *(e.history for e in learnings)})
        if not pinned and history is None:
            spent += math.inf if noise is None else noise
        if any(each != history for each in countings.exact):  # "": all rows
            spent = math.inf
        cap, declared = project.limits.odds_cap, project.limits.cap_all
        if declared is not None:
            cap = min(cap, max(1.0, declared * math.exp(-spent)))
        return cls(
            cap,
            spent,
            pinned,
            history is not None,
            planned_premise(project),
            project.limits.exceed,
            limits_in_bits(project.limits.bits, project.limits.targets),
        )

    def of_plan(self, plan: Plan) -> Promise:
        """The promise of this plan, which may hold for more priors than was asked for."""
        return replace(self, premise=plan.cap_premise)

    def of_adopted(self, project: Project, limits: Mapping[str, Any]) -> Promise:
        """Of a plan that was adopted under these ``limits``: lower ones of now do not bind what is
        out. Limits in bits that were others for single attributes are not promised.
        """
        now, targets = project.limits, limits.get("target", {})
        bits = max(now.bits, float(limits.get("limit_bits", math.inf)))
        same = dict(targets) == dict(now.targets)
        cap = max(self.cap, float(limits["odds_cap"]))
        in_bits = limits_in_bits(bits, targets) if same else ""
        return replace(self, cap=cap, in_bits=in_bits)

    @property
    def cap_all(self) -> float:
        """The most that answer and counts multiply the odds of who knows all else by."""
        return self.cap * exp_or_inf(self.epsilon)

    def capped(self, project: Project) -> Project:
        """The project with the cap that plans must keep."""
        return replace(project, limits=project.limits.within(self.cap, None))

    def refuse_broken(self, project: Project) -> None:
        """Where counts alone tell more than the limit for who knows all else, no plan keeps it."""
        declared = project.limits.cap_all
        if declared is not None and self.cap_all > declared * (1 + SLACK):
            raise LimitExceeded(
                f"limit.cap_all: is {declared:g}, and the noise of eps {self.epsilon:g} alone "
                f"multiplies odds by {up(self.cap_all, 3):g}, for who knows every other row; raise "
                "it, or count with less [belief] noise, or learn from history"
            )

    def lines(self) -> tuple[str, ...]:
        """Full sentences, each with its premise."""
        observed = self.premise if self.premise.kind == "learned" else OBSERVED
        but = ""
        if self.exceed and self.premise.kind == "learned":
            rare = f"answers of total probability {self.exceed:g}"
            but = f", but for {rare}, which may give a secret away"
        capped = (
            "No answer multiplies the odds of a sensitive value of its row by more than "
            f"{self.cap:g}{but} ({self._with_all_other_rows()}), {priors_in_words(self.premise)}, "
            "if rows are independent."
        )
        if not self.in_bits:
            return (capped,)
        told = f"On average answers tell at most {self.in_bits}"
        return capped, f"{told}, {priors_in_words(observed)}."

    def _with_all_other_rows(self) -> str:
        """The same for an attacker who knows all of the table but one row."""
        knowing = "for a recipient who knows every other row exactly"
        if self.history and self.epsilon == 0:
            return f"also {knowing}: the released rows were not counted"
        if math.isinf(self.epsilon):
            return f'{knowing} without limit: counts are exact, or were, by [belief] noise = "none"'
        noise = f"noise of eps {self.epsilon:g} on the counts"
        return f"{up(self.cap_all, 3):g} {knowing}: {noise}"

    def facts(self) -> list[tuple[str, str]]:
        """As named facts."""
        return [("promise", line) for line in self.lines()]


def planned_premise(project: Project) -> Premise:
    """For which priors plans of a project hold, at least: where it asks for a confidence set that
    there is not, the plan is the baseline, which holds for any.
    """
    level = project.belief.confidence
    if level is not None and project.plans_for_set:
        return Premise.box(level)
    return Premise.learned(0, "tree") if project.belief.form == "tree" else OBSERVED


def limits_in_bits(bits: float, targets: Mapping[str, float]) -> str:
    """The limits on averages; empty if there are none."""
    single = listed(f"{own:g} bit about {name}" for name, own in targets.items())
    every = f"{bits:g} bit about each attribute" if bits < math.inf else ""
    return f"{every} ({single})" if every and single else every or single


def priors_in_words(premise: Premise) -> str:
    """For which priors something holds."""
    if premise.kind == "none":
        return "whatever a recipient believes beforehand"
    if premise.kind == "box":
        level = f"{100 * (premise.level or 0):.15g} %"
        return f"for every prior in the {level} confidence set of the counts"
    if premise.kind == "stated":
        return "for the prior that was stated"
    if premise.form == "tree":
        return (
            "for the tree of the strongest pairs as prior, with no allowance for what it leaves out"
        )
    return "for the observed frequencies as prior, with no allowance for chance"


def _spent(learnings: Sequence[Learning], history: str | None) -> float:
    """The eps of all countings of rows that are released while this is history.

    Countings of that history had none of them; of any other, they may have had every one.
    """
    others = [event for event in learnings if history is None or event.history != history]
    return math.fsum(event.epsilon for event in others)
