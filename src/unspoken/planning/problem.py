"""What a holder asks of a plan, checked and with every default filled in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, among, quoted
from unspoken.core.mechanisms import OneSided
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.entropy import entropy
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.secret import Secret
from unspoken.planning.protection import TINY, Limit, Protection

__all__ = ["Account", "By", "CellOptions", "Objective", "ReleaseProblem", "by_name"]

Account = Literal["bit", "value"]
Objective = Literal["released", "epsilon"]
By = Literal["cell", "record"]

# What the account "bit" does not have, and why.
NOT_OF_BITS = {
    "exceed": "bits have no telling values",
    "secrets": "a bit tells which cells are withheld, so all that is withheld counts",
    "coalitions": "its sum is over all that is released, to whomever",
}


@dataclass(frozen=True)
class CellOptions:
    """What only plans with one coin a cell have; see `unspoken.plan`."""

    objective: Objective = "released"
    caps: Mapping[str, float] | Sequence[float] | None = None
    exceed: float = 0.0
    account: Account = "value"

    def check_words(self) -> None:
        among("plan.objective", self.objective, ("released", "epsilon"))
        among("plan.account", self.account, ("bit", "value"))
        if self.objective == "epsilon" and self.account == "value":
            raise InputError(
                'plan.objective "epsilon" needs account="bit": released values leak more'
            )

    def refuse(self) -> None:
        """For plans with one coin a record, which have no use for them."""
        among("plan.objective", self.objective, get_args(Objective))
        among("plan.account", self.account, get_args(Account))
        for what, is_given, why in (
            ('objective "epsilon"', self.objective != "released", "a table has no epsilon"),
            ("caps", self.caps is not None, "a table has no epsilon"),
            (
                "exceed",
                number(self.exceed) != 0,
                "an answer above the cap would be the one that tells",
            ),
            ('account "bit"', self.account != "value", "what is shown depends on whole records"),
        ):
            if is_given:
                raise InputError(f'plan.{what}: is for by="cell" only; {why}')


@dataclass(frozen=True)
class ReleaseProblem:
    """Maximise ``weights`` . p (or . eps) under a leakage limit, caps on eps and an odds cap."""

    belief: Belief
    sensitive: Mapping[str, tuple[Value, ...]]  # what is withheld
    secrets: Mapping[str, tuple[Value, ...]]  # of it, what nobody is to learn
    limit: Limit  # nats: of the whole account, or per target
    weights: Array
    caps: Array  # largest eps per variable
    odds_cap: float
    exceed: float
    objective: Objective
    account: Account
    coalitions: tuple[tuple[str, ...], ...] | None = None  # what each sees; None: all pool

    @classmethod
    def of(
        cls,
        belief: Belief | None,
        protection: Protection,
        asked: CellOptions,
        weights: Mapping[str, float] | Sequence[float] | None = None,
    ) -> ReleaseProblem:
        expect(belief, Belief, "plan.belief", A_BELIEF)
        belief = cast(Belief, belief)
        asked.check_words()
        cap, share, account = protection.cap, number(asked.exceed), asked.account
        if not (share == 0 or TINY <= share <= 1):
            text = f"{quoted(asked.exceed)} must be a probability: 0, or {TINY:g} to 1"
            raise InputError(f"plan.exceed: {text}")
        for what, is_given in (
            ("exceed", share > 0),
            ("secrets", protection.secrets is not None),
            ("coalitions", protection.coalitions is not None),
        ):
            if is_given and account == "bit":
                raise InputError(f'plan.{what} needs account="value": {NOT_OF_BITS[what]}')
        hidden = protection.withheld(belief)
        free = np.array([_free_share(belief, name, hidden[name]) for name in hidden])
        if account == "bit" and len(belief.candidates) > 1:
            raise InputError('plan.account "bit" takes one belief; for a set use account="value"')
        default = free if asked.objective == "released" else np.ones_like(free)
        worth = _numbers(belief, weights, default, "plan.weights")
        for name in itertools.compress(hidden, np.isinf(worth)):
            raise InputError(f"plan.weights of {name}: {math.inf} must be finite")
        if weights is not None and ((worth > 0) & ((worth < TINY) | (worth > 1 / TINY))).any():
            raise InputError(f"plan.weights: must be 0, or from {TINY:g} to {1 / TINY:g}")
        return cls(
            belief,
            hidden,
            protection.secret(belief, hidden),
            protection.limit(belief),
            worth,
            _numbers(belief, asked.caps, np.full_like(free, math.inf), "plan.caps"),
            cap,
            share,
            asked.objective,
            account,
            protection.pools(belief),
        )

    @property
    def names(self) -> tuple[str, ...]:
        return self.belief.domain.names

    def limit_about(self, belief: Belief, target: str) -> float:
        """The target's limit in nats; infinite where even telling its secret would keep it."""
        limit = self.limit.get(target, math.inf) if isinstance(self.limit, Mapping) else self.limit
        classes = Secret.of(belief.domain, target, self.secrets[target]).classes
        most = entropy(classes @ belief.marginal([target]))
        return limit if limit < most * (1 + 1e-9) else math.inf

    def mechanism(self, epsilon: Array) -> OneSided:
        chosen = dict(zip(self.names, epsilon.tolist(), strict=True))
        return OneSided(chosen, self.sensitive, shows=self.account)

    def value(self, epsilon: Array) -> float:
        """The objective: weights . eps, or weights . p with p = 1 - e^-eps."""
        reached = epsilon if self.objective == "epsilon" else -np.expm1(-epsilon)
        used = self.weights > 0
        return math.fsum((self.weights[used] * reached[used]).tolist())


def _free_share(belief: Belief, name: str, hidden: Sequence[Value]) -> float:
    """P(X = 1): the share of cells that may be released; of a set of beliefs the least."""
    shown = [value not in hidden for value in belief.domain.values_of(name)]
    return min(
        math.fsum(itertools.compress(member.marginal([name]).tolist(), shown))
        for member in belief.candidates
    )


def by_name(belief: Belief, given: Any, what: str) -> Mapping[str, Any]:
    """{name: what is said of it}, from a list in order, too."""
    if given is None or isinstance(given, Mapping):
        return given or {}
    listed, names = items(given, what), belief.domain.names
    if len(listed) != len(names):
        raise InputError(f"{what}: {len(listed)} numbers for {len(names)} variables")
    return dict(zip(names, listed, strict=True))


def _numbers(
    belief: Belief,
    given: Mapping[str, float] | Sequence[float] | None,
    default: Array,
    what: str,
) -> Array:
    """One number >= 0 for each variable, from {name: number} or a list in order."""
    numbers = default.copy()
    for name, stated in by_name(belief, given, what).items():
        axis = belief.domain.axis(name, what)
        numbers[axis] = number(stated)
        if not numbers[axis] >= 0:
            raise InputError(f"{what} of {name}: {quoted(stated)} must be 0 or more")
    return numbers
