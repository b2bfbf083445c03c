"""The best release probabilities under a limit, with a certificate that none are better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unspoken.core.beliefs import Belief
from unspoken.core.display import Framed, Shown, json_number
from unspoken.core.errors import among
from unspoken.core.mechanisms import Mechanism, RecordCoin
from unspoken.core.pictures import Bar, Picture, bars
from unspoken.core.types.bound import Bound, in_words
from unspoken.core.types.domain import Value
from unspoken.core.types.premise import NONE, Premise
from unspoken.planning.bits.account import plan_bits
from unspoken.planning.chosen import Chosen
from unspoken.planning.problem import Account, By, CellOptions, Objective, ReleaseProblem
from unspoken.planning.protection import Limit, Protection
from unspoken.planning.records.binding import Binding
from unspoken.planning.records.planned import Planned
from unspoken.planning.records.planner import plan_floor, plan_records
from unspoken.planning.records.problem import RecordOptions, RecordProblem
from unspoken.planning.supports import Telling
from unspoken.planning.values import plan_values

__all__ = ["Plan", "baseline_plan", "plan"]

NOTHING = 1e-9  # of a label: an upper end below it is 0 but for rounding
LISTED = 20  # answers that hold a plan back
WORTH = 0.05  # what a plan shows more than its floor, of all that is read, to be worth a belief


@dataclass(frozen=True, repr=False)
class Plan(Framed, Shown):
    """Release probabilities that keep the limit, and how good any plan could be.

    ``p``: per variable the share of its free cells that is shown; with one coin a cell 1 - e^-eps,
    ``epsilon`` being given, with one coin a record what the table of ``mechanism`` shows, and
    ``epsilon`` is empty. ``objective``: what is reached; ``bound`` =
    [objective, what no plan within the limit exceeds]. ``total``: the leakage of the account, in
    nats, never above the limit. ``multiplier``: what one more nat of limit would add to the
    objective; NaN on the account "value", and where the cap on pooled odds binds as well.
    ``odds``: the worst any answer does to anybody's odds. On the account "value": ``information``
    is what the pooled answers tell per target, ``exceeded`` the probability of an answer above the
    odds cap where some were allowed, ``telling`` the values that break the cap by themselves.
    ``shares``: per application the shown cells of all it reads; ``share``: of all that is read.
    ``floor``: the plan with one coin a record that needs no belief; ``gain``: by how much more of
    all that is read this one shows; ``binding``: the answers that hold it back, the dearest first.
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
    mechanism: Mechanism
    exceeded: Mapping[str, float] = field(default_factory=dict)
    telling: tuple[Telling, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    share: float | None = None
    floor: Plan | None = None
    binding: tuple[Binding, ...] = ()

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
    def gain(self) -> float | None:
        """The share of all that is read by which this shows more than the floor."""
        other = None if self.floor is None else self.floor.share
        return None if self.share is None or other is None else self.share - other

    @property
    def is_floor(self) -> bool:
        """Whether no more than the floor is shown, whose cap on odds holds for every belief."""
        return self.floor is not None and self.floor.mechanism == self.mechanism

    @property
    def cap_premise(self) -> Premise:
        """What the cap on odds stands on: nothing, where no more than the floor is shown."""
        return NONE if self.is_floor else self.bound.premise

    @property
    def gap(self) -> float:
        """The share of the certified upper bound that this plan may be missing."""
        if self.unbounded or self.bound.high < NOTHING:
            return 0.0
        return (self.bound.high - self.bound.low) / self.bound.high

    def facts(self) -> list[tuple[str, str]]:
        coins = {name: f"eps {eps:<10.5g} " for name, eps in self.epsilon.items()}
        rows = [
            (name, f"{coins.get(name, '')}released {p:.2%}") for name, p in [*self.p.items()][:20]
        ]
        if len(self.p) > 20:
            rows.append(("...", f"{len(self.p) - 20} more"))
        rows += [(f"for {name}", f"{share:.2%} of all") for name, share in self.shares.items()]
        rows.append(("objective", f"{self.objective:.6g}; no plan exceeds {self.bound.high:.6g}"))
        if self.information or self.epsilon:  # of a set only odds are worked out
            rows.append(("leakage", f"{in_words(self.total, 'nat')}, account {self.account}"))
        rows.append(("worst odds", f"x {self.odds.value:.4g}: {self.odds.why}"))
        for name, share in self.exceeded.items():
            rows.append(("above the cap", f"{share:.3%} of the answers, about {name}"))
        if self.witness:
            rows.append(
                ("unbounded", f"{self.witness} keeps the limit whatever its eps; give caps")
            )
        rows += [("telling", str(telling)) for telling in self.telling[:5]]
        rows += [("held back by", str(binding)) for binding in self.binding[:3]]
        rows += self._beside_floor()
        return [*rows, ("premise", str(self.bound.premise))]

    def _beside_floor(self) -> list[tuple[str, str]]:
        """What needs no belief, and whether this is worth its premise."""
        if self.floor is None or self.share is None or self.gain is None:
            return []
        shown = f"{self.share:.2%} of all that is read; without any belief {self.floor.share:.2%}"
        poor = f"gains less than {WORTH:.0%}, so the belief is not worth it: use .floor"
        return [("shown", shown), *([("", poor)] if self.gain < WORTH else [])]

    def records(self) -> list[dict[str, Any]]:
        """A variable each: its eps, how often it is released, the bits told about it at most."""
        return [
            {
                "variable": name,
                "epsilon": self.epsilon.get(name),
                "p": p,
                "bits": self.information[name].bits if name in self.information else None,
            }
            for name, p in self.p.items()
        ]

    def plot(self) -> Picture:
        """A picture of how often each variable is released."""
        rows = [Bar(name, p, p, f"{p:.1%}") for name, p in self.p.items()]
        caption = f"worst odds x {self.odds.value:.4g}; premise: {self.bound.premise}"
        return Picture(bars(rows, "How often what is free is released", caption, "probability"))

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print; infinity is the word "inf"."""
        return {
            "epsilon": {name: json_number(epsilon) for name, epsilon in self.epsilon.items()}
            or None,
            "p": dict(self.p),
            "bound": self.bound.as_json(),
            "odds": self.odds.as_json(),
            "information": {name: bound.as_json() for name, bound in self.information.items()},
            **self._of_shares(),
        }

    def _of_shares(self) -> dict[str, Any]:
        """Of what is read how much is shown; of plans with one coin a record."""
        if self.share is None:
            return {}
        floor = {} if self.floor is None else {"floor": self.floor.share}
        held_back = [each.as_json() for each in self.binding[:LISTED]]
        return {"share": self.share, **floor, "shares": dict(self.shares), "binding": held_back}


def plan(
    belief: Belief | None = None,
    *,
    limit_bits: Limit | None = None,
    sensitive: Mapping[str, Sequence[Value]] | None = None,
    secrets: Mapping[str, Sequence[Value]] | None = None,
    objective: Objective = "released",
    weights: Mapping[str, Any] | Sequence[float] | None = None,
    caps: Mapping[str, float] | Sequence[float] | None = None,
    odds_cap: float | None = 4.0,
    exceed: float = 0.0,
    account: Account = "value",
    coalitions: Sequence[Sequence[str]] | None = None,
    by: By = "cell",
    reads: Sequence[str] | None = None,
    shares: Mapping[str, Sequence[str]] | None = None,
    events: str | Sequence[Mapping[str, Sequence[Value]]] = "default",
    contexts: Sequence[tuple[float, Belief]] | None = None,
    pooled_cap: float | None = None,
    own_reads: bool = False,
    order: Sequence[str] = (),
    floor: float | None = None,
    unbiased: bool = False,
    knows: Sequence[Any] = (),
    extends: RecordCoin | None = None,
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

    ``by``: one coin a "cell", or one a "record", whose table of what is shown may depend on all of
    it; the rest is for these. ``weights``: worth of one shown label, {name: w} or {name: {value:
    w}}, 1 unless given. ``reads``: what may be shown (default all). ``shares``: {application:
    names}: the smallest share of what one reads first, then the sum. ``events``: what the cap is
    about: "default" (each secret against each other and against none, any at all, those of two
    variables together), "attribute" (the same of single variables only), or a list of
    {name: values}, each against all else. ``contexts``: [(rows, belief), ...]: the cap holds
    whatever is known of which of them a record is from. ``pooled_cap``: for all who read anything
    together. ``knows``: holds for who knows each of these of the record, too, or, for {name:
    values}, of each whether it is one of these; of pairs ([names seen], [names known]) for who sees
    the first.
    ``own_reads``: what a coalition sees depends only on what it reads; ``order``: what is shown of
    the first of these never on later ones; ``unbiased``: how often a label is shown on nothing
    else. ``floor``: whoever knows all but one variable of a record excludes its secret by no more
    than this epsilon, whatever the belief.
    ``extends``: the coin whose answers are out: the plan is what is shown beside, by one more, and
    the cap holds for who sees both; ``floor`` of it is what is out.
    """
    among("plan.by", by, ("cell", "record"))
    protection = Protection(limit_bits, sensitive, secrets, odds_cap, coalitions)
    of_cells = CellOptions(objective, caps, exceed, account)
    of_records = RecordOptions(
        reads, shares, events, contexts, pooled_cap, own_reads, order, floor, unbiased, knows,
        extends,
    )  # fmt: skip
    if by == "record":
        of_cells.refuse()
        return _of_records(RecordProblem.of(belief, protection, of_records, weights))
    of_records.refuse()
    problem = ReleaseProblem.of(belief, protection, of_cells, weights)
    return _described(problem, plan_bits(problem) if account == "bit" else plan_values(problem))


def _of_records(problem: RecordProblem) -> Plan:
    found = plan_records(problem)
    return _of_record(found, _of_record(plan_floor(problem, found.upper)))


def baseline_plan(
    belief: Belief,
    *,
    limit_bits: Limit | None = None,
    sensitive: Mapping[str, Sequence[Value]] | None = None,
    odds_cap: float | None = 4.0,
    coalitions: Sequence[Sequence[str]] | None = None,
    weights: Mapping[str, Any] | Sequence[float] | None = None,
    **options: Any,
) -> Plan:
    """The plan whose cap on odds needs no belief: a row without a secret shows all that is read, or
    nothing, and a row with one shows nothing.

    Parameters are those of `plan` with one coin a record; ``belief`` says how much is shown, and
    limits in bits rest on it. The upper end of its bound is all that is not sensitive.
    """
    protection = Protection(limit_bits, sensitive, None, odds_cap, coalitions)
    problem = RecordProblem.of(belief, protection, RecordOptions(**options), weights)
    found = plan_floor(problem, math.inf)
    made = _of_record(replace(found, upper=found.free))
    return replace(made, floor=made)


def _of_record(found: Planned, floor: Plan | None = None) -> Plan:
    reached, premise = found.objective, found.problem.premise
    said = "certified: " if premise.certifies else "for this belief "
    why = f"reached by this plan; {said}no release of true labels or blanks within the limits, the "
    information = found.information
    return Plan(
        epsilon={},
        p=found.p,
        objective=reached,
        total=max((bound.high for bound in information.values()), default=0.0),
        bound=Bound(
            reached, max(reached, found.upper), "labels", premise,
            f"{why}same to everybody, exceeds the upper end{found.beside}",
        ),
        multiplier=found.multiplier,
        odds=found.odds,
        information=information,
        account="value",
        mechanism=found.mechanism,
        shares=found.shares,
        share=reached / found.most if found.most else 0.0,
        floor=floor,
        binding=found.binding,
    )  # fmt: skip


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
