"""Several answers: what they tell together, and where their limits say so by themselves.

Leakages do not add up. What adds up is how far one variable moves all the noisy answers,

    D_i = sum over answers t of |w_ti| R_i / sigma_t,

and with it every rule that looks at an answer through that alone: all answers are one vector query
of noise 1 whose weights are w_t / sigma_t. Limits of rules that are linear in 1 / sigma then add up
(mean and dpm: theory of DDP, S2; bdp_gaussian; influence; group); those of scales that were
searched do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError, NotKnown, TooLarge, UnspokenError
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Together
from unspoken.core.mechanisms.linear import divided, written
from unspoken.core.numerics.roots import least_scale
from unspoken.core.numerics.rounding import sum_up
from unspoken.core.questions import views_of_each
from unspoken.core.searching import worst
from unspoken.core.types.bound import Bound
from unspoken.noise.calibration.calibrated import Calibrated
from unspoken.noise.calibration.knowledge import Knows, whom
from unspoken.noise.calibration.problem import RATIO, NoiseProblem
from unspoken.noise.calibration.rules.methods import FOR_EVERYBODY, METHODS, by_method

__all__ = ["composed", "parallel", "sequential"]

ADDITIVE = ("bdp_gaussian", "dpm", "group", "influence", "mean")

# Why limits of the other methods are not added up: the theorems that fail, and where.
NOT_ADDITIVE = {
    "bdp_markov": (
        "each limit has what transitions are charged; epsilons add up, and it is added once"
    ),
    "branches": (
        "of 20 bits that are 1 in half of all cases or, if another one is 0, in one of 100, two "
        "sums of limit 1 each tell 2.05 about that other one"
    ),
    "budget": (
        "Theorem 6 of paper 004 is false for a given sigma: of 6 variables with sigma 0.1 one "
        "answer at epsilon 0.5 keeps 1.25, two leak 3.74; epsilons add up, and are converted once"
    ),
    "quilt": "each limit has quilts of its own, and only answers with the same quilts add up",
    **dict.fromkeys(
        ("exact", "wasserstein"),
        "Theorem 3 of paper 002 is false for them: of three bits that are an xor, two sums of "
        "limit 1 each leak 2.34",
    ),
}
VECTOR = "calibrate them as one vector query, {name: [w of the first, w of the second, ...]}"
WAY_OUT = f"ask composed(answers) what they tell, or {VECTOR}"


def sequential(answers: Sequence[Calibrated]) -> Bound:
    """The sum of the limits, where the methods that found the scales are additive."""
    belief, knows = _asked(answers, "sequential")
    for answer in answers:
        if answer.method not in ADDITIVE:
            why = NOT_ADDITIVE[answer.method]
            raise NotKnown(
                f'sequential: limits of method "{answer.method}" do not add up: {why}; {WAY_OUT}'
            )
    total = reduce(sum_up, (answer.problem.limit for answer in answers))
    why = f"limits of {len(answers)} answers added up, for those who know {whom(knows)}"
    return Bound(0.0, total, "nat", belief.premise, why)


def parallel(answers: Sequence[Calibrated]) -> Bound:
    """The largest of the limits, where no two answers speak of one independent block."""
    belief, knows = _asked(answers, "parallel")
    block = {name: k for k, names in enumerate(belief.blocks()) for name in names}
    taken = dict[int, int]()
    for t, answer in enumerate(answers):
        for name in (name for name, reach in answer.problem.reaches.items() if reach):
            if taken.setdefault(block[name], t) != t:
                raise NotKnown(
                    f"parallel: answers {taken[block[name]]} and {t} speak of variables that "
                    f"depend on one another ({name} is one). Theorem 4 of paper 002 is false "
                    f"there: D2 = D1, one noisy answer about each, leak twice the limit; {WAY_OUT}"
                )
    most = max(answer.problem.limit for answer in answers)
    why = (
        f"the largest limit of {len(answers)} answers, about blocks that are independent of one "
        f"another, for those who know {whom(knows)}"
    )
    return Bound(0.0, most, "nat", belief.premise, why)


def composed(answers: Sequence[Calibrated]) -> Bound:
    """What the answers tell together: exactly, or where that is too much by the best sound rule."""
    belief, knows = _asked(answers, "composed")
    low, bounds = 0.0, list[tuple[float, str]]()
    refused: UnspokenError | None = None
    try:
        joint = _joint(belief, Together([answer.mechanism for answer in answers]), knows)
        low, bounds = joint.low, [(joint.high, joint.why)]
        if joint.exact:
            return joint
    except (NotKnown, TooLarge) as error:
        refused = error
    bounds += by_rules(answers, knows)
    if not bounds:
        kind = TooLarge if isinstance(refused, TooLarge) else NotKnown
        raise kind(f"composed: {refused}; or {VECTOR}") from None
    high, why = min(bounds)
    return Bound(min(low, high), high, "nat", belief.premise, why)


def _joint(belief: Belief, mechanism: Together, knows: Knows) -> Bound:
    if knows == "anything":
        return worst(belief, mechanism).bound
    ratio, names = MEASURES[RATIO], belief.domain.names
    if knows == "nothing":
        views = views_of_each(belief, mechanism, ratio, names)
    else:
        people = (Adversary(name, knows=knows) for name in names if name not in knows)
        views = (mechanism.view(belief, person) for person in people)
    ends = (ratio.rounded(view).outward() for view in views)
    return max(ends, key=lambda bound: bound.high)


def by_rules(answers: Sequence[Calibrated], knows: Knows) -> list[tuple[float, str]]:
    """For every rule the least limit that needs no more than the noise there is."""
    if any(not answer.scale and answer.problem.reach for answer in answers):
        return []
    belief = answers[0].problem.belief
    queries = [
        {name: divided(w, answer.scale) for name, w in query.items()}
        for answer in answers
        if answer.scale  # the others move with nothing
        for query in answer.problem.queries
    ]
    weights = written(belief.domain, queries, belief.domain.names)
    together, limits = NoiseProblem(belief, weights, 1.0), list[tuple[float, str]]()
    for method in METHODS:

        def scale(limit: float, method: str = method) -> float:
            return by_method(method, replace(together, limit=limit), knows)

        with suppress(NotKnown, TooLarge):
            why = f'method "{method}" for all answers, for those who know {whom(knows)}'
            low = together.reach
            limits.append((least_scale(scale, 1.0, low, 2 * low) if low else low, why))
    return limits


def _asked(answers: Sequence[Calibrated], where: str) -> tuple[Belief, Knows]:
    """The belief they share, and whom they are safe from."""
    _check(answers, where)
    first = answers[0].problem.belief
    if any(answer.problem.belief is not first for answer in answers):
        raise InputError(f"{where}: the answers were calibrated for different beliefs")
    if any(answer.problem.measure != RATIO for answer in answers):
        raise NotKnown(
            f'{where}: limits on "{RATIO}" only; of others ask the mechanism Together([...])'
        )
    some = [answer.knows for answer in answers if answer.method not in FOR_EVERYBODY]
    some = some or [answers[0].knows]
    if len({knows if isinstance(knows, str) else frozenset(knows) for knows in some}) > 1:
        raise InputError(f"{where}: the answers are for those who know different things")
    return first, some[0]


def _check(answers: object, where: str) -> None:
    given = list(answers) if isinstance(answers, Sequence) else []
    if not given or not all(isinstance(answer, Calibrated) for answer in given):
        raise InputError(f"{where}: give a list of answers, as calibrate returns them")
