"""The best release probabilities under a limit, with a certificate that none are better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unspoken.beliefs import Belief
from unspoken.display import Framed, Shown, json_number
from unspoken.mechanisms import OneSided
from unspoken.pictures import Bar, Picture, bars
from unspoken.planning.bits.account import plan_bits
from unspoken.planning.chosen import Chosen
from unspoken.planning.problem import Account, By, Limit, Objective, ReleaseProblem
from unspoken.planning.supports import Telling
from unspoken.planning.values import plan_values
from unspoken.types.bound import Bound, in_words
from unspoken.types.domain import Value

__all__ = ["Plan", "plan"]


@dataclass(frozen=True, repr=False)
class Plan(Framed, Shown):
    """Release probabilities that keep the limit, and how good any plan could be.

    ``epsilon``, ``p``: per variable, p = 1 - e^-eps. ``objective``: what is reached; ``bound`` =
    [objective, what no plan within the limit exceeds]. ``total``: the leakage of the account, in
    nats, never above the limit. ``multiplier``: what one more nat of limit would add to the
    objective; NaN on the account "value", and where the cap on pooled odds binds as well.
    ``odds``: the worst any answer does to anybody's odds. On the account "value": ``information``
    is what the pooled answers tell per target, ``exceeded`` the probability of an answer above the
    odds cap where some were allowed, ``telling`` the values that break the cap by themselves.
    """

    epsilon: Mapping[str, float]
    p: Mapping[str, float]
    objective: float
    total: float
    bound: Bound
    multiplier: float = field(compare=False)  # NaN is not itself
    odds: Bound
    information: Mapping[str, Bound]
    account: Account
    mechanism: OneSided
    exceeded: Mapping[str, float]
    telling: tuple[Telling, ...]

    @property
    def unbounded(self) -> bool:
        return math.isinf(self.objective)

    @property
    def witness(self) -> str | None:
        """A variable whose eps may grow for ever within the limit, if there is one."""
        return (
            next((n for n, e in self.epsilon.items() if math.isinf(e)), None)
            if self.unbounded
            else None
        )

    @property
    def gap(self) -> float:
        """The share of the certified upper bound that this plan may be missing."""
        if self.unbounded or self.bound.high == 0:
            return 0.0
        return (self.bound.high - self.bound.low) / self.bound.high

    def facts(self) -> list[tuple[str, str]]:
        rows = [
            (name, f"eps {epsilon:<10.5g} released {self.p[name]:.2%}")
            for name, epsilon in list(self.epsilon.items())[:20]
        ]
        if len(self.epsilon) > 20:
            rows.append(("...", f"{len(self.epsilon) - 20} more"))
        rows.append(("objective", f"{self.objective:.6g}; no plan exceeds {self.bound.high:.6g}"))
        rows.append(("leakage", f"{in_words(self.total, 'nat')}, account {self.account}"))
        rows.append(("worst odds", f"x {self.odds.value:.4g}: {self.odds.why}"))
        for name, share in self.exceeded.items():
            rows.append(("above the cap", f"{share:.3%} of the answers, about {name}"))
        if self.witness:
            rows.append(
                ("unbounded", f"{self.witness} keeps the limit whatever its eps; give caps")
            )
        rows += [("telling", str(telling)) for telling in self.telling[:5]]
        return [*rows, ("premise", str(self.bound.premise))]

    def records(self) -> list[dict[str, Any]]:
        """A variable each: its eps, how often it is released, the bits told about it at most."""
        return [
            {
                "variable": name,
                "epsilon": epsilon,
                "p": self.p[name],
                "bits": self.information[name].bits if name in self.information else None,
            }
            for name, epsilon in self.epsilon.items()
        ]

    def plot(self) -> Picture:
        """A picture of how often each variable is released."""
        rows = [Bar(name, p, p, f"{p:.1%}") for name, p in self.p.items()]
        told = f"worst odds x {self.odds.value:.4g}; premise: {self.bound.premise}"
        return Picture(bars(rows, "How often what is free is released", told, "probability"))

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print; infinity is the word "inf"."""
        return {
            "epsilon": {name: json_number(epsilon) for name, epsilon in self.epsilon.items()},
            "p": dict(self.p),
            "bound": self.bound.as_json(),
            "odds": self.odds.as_json(),
            "information": {name: bound.as_json() for name, bound in self.information.items()},
        }


def plan(
    belief: Belief,
    *,
    limit_bits: Limit | None,
    sensitive: Mapping[str, Sequence[Value]] | None = None,
    secrets: Mapping[str, Sequence[Value]] | None = None,
    objective: Objective = "released",
    weights: Mapping[str, float] | Sequence[float] | None = None,
    caps: Mapping[str, float] | Sequence[float] | None = None,
    odds_cap: float | None = 4.0,
    exceed: float = 0.0,
    account: Account = "value",
    coalitions: Sequence[Sequence[str]] | None = None,
    by: By = "cell",
) -> Plan:
    """The most releases within a limit; for a set of beliefs, within it whichever of them is true.

    ``limit_bits``: one number, or {target: bits}; None: the odds cap only. account "value" limits,
    for every target, what the pooled released values tell of its secret; "bit" the papers' sum over
    which cells are released (eq. 21), where one number is for the whole sum. ``objective``:
    "released", sum w_i p_i with w_i = P(X_i = 1) unless ``weights`` are given, or "epsilon",
    sum w_i eps_i. ``caps``: the largest eps per variable. ``odds_cap``: no answer multiplies
    anybody's odds by more (None: no cap), but for answers of total probability ``exceed``.

    ``sensitive``: what is never released; ``secrets``: the values whose leakage is limited, all of
    them sensitive (default: all that is). ``coalitions``: the variables that each coalition sees,
    none of which pools with another (default: one that sees all). Both for account "value" only.
    ``by``: one coin a cell.
    """
    problem = ReleaseProblem.of(
        belief, limit_bits, sensitive, secrets, objective, weights, caps, odds_cap, exceed, account,
        coalitions, by,
    )  # fmt: skip
    return _described(problem, plan_bits(problem) if account == "bit" else plan_values(problem))


def _described(problem: ReleaseProblem, chosen: Chosen) -> Plan:
    reached = chosen.objective
    each = ", each coalition on its own," if len(problem.coalitions or ()) > 1 else ""
    bound = Bound(
        reached,
        max(reached, chosen.upper),
        "eps" if problem.objective == "epsilon" else "release",
        problem.belief.premise,
        f"reached by this plan; certified: no plan within the limit{each} exceeds the upper end"
        if problem.belief.premise.certifies
        else f"reached by this plan; for this belief no plan within the limit{each} exceeds the "
        "upper end",
    )
    names = problem.names
    return Plan(
        epsilon=dict(zip(names, chosen.epsilon.tolist(), strict=True)),
        p=dict(zip(names, chosen.p.tolist(), strict=True)),
        objective=reached,
        total=chosen.total,
        bound=bound,
        multiplier=chosen.multiplier,
        odds=chosen.odds,
        information=chosen.information,
        account=problem.account,
        mechanism=problem.mechanism(chosen.epsilon),
        exceeded=chosen.exceeded,
        telling=chosen.telling,
    )
