"""What a holder asks of a plan, checked and with every default filled in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from unspoken.beliefs import A_BELIEF, Belief
from unspoken.errors import InputError, among
from unspoken.mechanisms import OneSided
from unspoken.numerics.arrays import Array
from unspoken.numerics.entropy import entropy
from unspoken.numerics.numbers import number
from unspoken.types.bound import LOG2
from unspoken.types.domain import Value
from unspoken.types.kinds import expect, items, labels
from unspoken.types.secret import Secret

__all__ = [
    "Account",
    "By",
    "Limit",
    "Objective",
    "ReleaseProblem",
    "by_name",
    "coalitions_of",
    "hidden_values",
    "limit_in_nats",
    "odds_limit",
    "secret_values",
]

Account = Literal["bit", "value"]
Objective = Literal["released", "epsilon"]
Limit = float | Mapping[str, float]
By = Literal["cell", "record"]

# What the account "bit" does not have, and why.
NOT_OF_BITS = {
    "exceed": "bits have no telling values",
    "secrets": "a bit tells which cells are withheld, so all that is withheld counts",
    "coalitions": "its sum is over all that is released, to whomever",
}
TINY = 1e-100  # the least number that counts: quotients of two have to be floats


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
        limit_bits: Limit | None,
        sensitive: Mapping[str, Sequence[Value]] | None,
        secrets: Mapping[str, Sequence[Value]] | None,
        objective: str,
        weights: Mapping[str, float] | Sequence[float] | None,
        caps: Mapping[str, float] | Sequence[float] | None,
        odds_cap: float | None,
        exceed: float,
        account: str,
        coalitions: Sequence[Sequence[str]] | None = None,
        by: str = "cell",
    ) -> ReleaseProblem:
        expect(belief, Belief, "plan.belief", A_BELIEF)
        belief = cast(Belief, belief)
        _check_words(objective, account, by)
        cap, share = odds_limit(odds_cap), number(exceed)
        if not (share == 0 or TINY <= share <= 1):
            raise InputError(f"plan.exceed: {exceed} must be a probability: 0, or {TINY:g} to 1")
        needs_values = {"exceed": share > 0, "secrets": secrets is not None}
        for what, is_given in {**needs_values, "coalitions": coalitions is not None}.items():
            if is_given and account == "bit":
                raise InputError(f'plan.{what} needs account="value": {NOT_OF_BITS[what]}')
        hidden = hidden_values(belief, sensitive)
        free = np.array([_free_share(belief, name, hidden[name]) for name in hidden])
        if account == "bit" and len(belief.candidates) > 1:
            raise InputError('plan.account "bit" takes one belief; for a set use account="value"')
        default = free if objective == "released" else np.ones_like(free)
        worth = _numbers(belief, weights, default, "plan.weights")
        for name in itertools.compress(hidden, np.isinf(worth)):
            raise InputError(f"plan.weights of {name}: {math.inf} must be finite")
        if weights is not None and ((worth > 0) & ((worth < TINY) | (worth > 1 / TINY))).any():
            raise InputError(f"plan.weights: must be 0, or from {TINY:g} to {1 / TINY:g}")
        return cls(
            belief,
            hidden,
            hidden if secrets is None else secret_values(belief, secrets, hidden),
            limit_in_nats(belief, limit_bits),
            worth,
            _numbers(belief, caps, np.full_like(free, math.inf), "plan.caps"),
            cap,
            share,
            objective,  # type: ignore[arg-type]
            account,  # type: ignore[arg-type]
            coalitions_of(belief, coalitions),
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


def _check_words(objective: str, account: str, by: str) -> None:
    among("plan.by", by, ("cell", "record"))
    among("plan.objective", objective, ("released", "epsilon"))
    among("plan.account", account, ("bit", "value"))
    if objective == "epsilon" and account == "value":
        raise InputError('plan.objective "epsilon" needs account="bit": released values leak more')


def odds_limit(given: float | None, where: str = "plan.odds_cap") -> float:
    """A factor on odds; infinite where there is none."""
    cap = math.inf if given is None else number(given)
    if not cap >= 1:
        raise InputError(f"{where}: {given} must be 1 or more (a factor on odds), or None")
    return cap


def hidden_values(
    belief: Belief, sensitive: Mapping[str, Sequence[Value]] | None
) -> dict[str, tuple[Value, ...]]:
    """The sensitive values of every variable; by default the first value of a binary one, where
    somebody has stated which is first: in what is learned it is the least of those that occur.
    """
    if sensitive is not None:
        expect(sensitive, Mapping, "plan.sensitive", "give {name: values}")
    elif belief.premise.kind == "learned":
        name, first = belief.domain.names[0], belief.domain.values[0][0]
        raise InputError(
            f"plan.sensitive: this belief is learned, so no value is a secret until you say which, "
            f"for example sensitive={{{name!r}: [{first!r}]}}"
        )
    for name in sensitive or ():
        belief.domain.axis(name, "plan.sensitive")
    hidden: dict[str, tuple[Value, ...]] = {}
    for name, values in zip(belief.domain.names, belief.domain.values, strict=True):
        if sensitive is None and len(values) != 2:
            raise InputError(
                f"plan.sensitive: {name} has {len(values)} values; say which are sensitive, "
                f'sensitive={{"{name}": [...]}}'
            )
        given = values[:1] if sensitive is None else sensitive.get(name, ())
        chosen = labels(given, f"plan.sensitive of {name}")
        for value in chosen:
            belief.domain.code(name, value, "plan.sensitive")
        hidden[name] = tuple(dict.fromkeys(chosen))
    return hidden


def secret_values(
    belief: Belief,
    secrets: Mapping[str, Sequence[Value]],
    hidden: Mapping[str, Sequence[Value]],
) -> dict[str, tuple[Value, ...]]:
    """The secrets of every variable, which are all withheld."""
    expect(secrets, Mapping, "plan.secrets", "give {name: values}")
    named = {name: labels(values, f"plan.secrets of {name}") for name, values in secrets.items()}
    for name, values in named.items():
        belief.domain.axis(name, "plan.secrets")
        for value in values:
            belief.domain.code(name, value, "plan.secrets")
            if value not in hidden[name]:
                raise InputError(
                    f"plan.secrets: {name} {value} may be released, so it is no secret; make it "
                    "sensitive too"
                )
    return {name: tuple(dict.fromkeys(named.get(name, ()))) for name in hidden}


def coalitions_of(
    belief: Belief, coalitions: Sequence[Sequence[str]] | None
) -> tuple[tuple[str, ...], ...] | None:
    """The names that each of them sees."""
    if coalitions is None:
        return None
    where = "plan.coalitions"
    shown = tuple(items(sees, where) for sees in items(coalitions, where))
    for name in itertools.chain(*shown):
        belief.domain.axis(name, where)
    return shown


def _free_share(belief: Belief, name: str, hidden: Sequence[Value]) -> float:
    """P(X = 1): the share of cells that may be released; of a set of beliefs the least."""
    shown = [value not in hidden for value in belief.domain.values_of(name)]
    return min(
        math.fsum(itertools.compress(member.marginal([name]).tolist(), shown))
        for member in belief.candidates
    )


def limit_in_nats(belief: Belief, limit_bits: Limit | None) -> Limit:
    """In nats; without a limit infinite."""
    if limit_bits is None:
        return math.inf
    if not isinstance(limit_bits, Mapping):
        return _nats(limit_bits, "plan.limit_bits")
    for name in limit_bits:
        belief.domain.axis(name, "plan.limit_bits")
    return {name: _nats(bits, f"plan.limit_bits of {name}") for name, bits in limit_bits.items()}


def _nats(bits: float, what: str) -> float:
    if not (number(bits) == 0 or number(bits) >= TINY):
        raise InputError(f"{what}: {bits!r} must be a number of bits: 0, or {TINY:g} or more")
    return abs(number(bits)) * LOG2  # -0.0 is 0: what is above it is +inf times it, not -inf times


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
            raise InputError(f"{what} of {name}: {stated!r} must be 0 or more")
    return numbers
