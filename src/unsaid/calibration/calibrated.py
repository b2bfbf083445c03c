"""How much noise an answer needs, so that nobody learns more of anything than a limit allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unsaid.adversary import Adversary
from unsaid.beliefs import Belief, Chain
from unsaid.calibration.adversaries import Listed, Oracle, ignorant, one
from unsaid.calibration.alone import floor_of
from unsaid.calibration.anybody import anybody
from unsaid.calibration.contexts import contexts
from unsaid.calibration.dpm import dpm, mean
from unsaid.calibration.group import budget, group
from unsaid.calibration.least import NUDGE, Found, Threat, least
from unsaid.calibration.problem import LEAST, RATIO, Problem
from unsaid.calibration.quilt import quilt
from unsaid.calibration.wasserstein import wasserstein
from unsaid.calibration.windows import Windows
from unsaid.display import Shown
from unsaid.errors import InputError, NotKnown, unknown
from unsaid.mechanisms import Geometric, Laplace
from unsaid.mechanisms.linear import Weighted
from unsaid.types.bound import Bound

__all__ = ["METHODS", "Calibrated", "calibrate"]

# Sound scales for "max-log-ratio" that need no search; all but "group" hold for those who know
# nothing else (calibration/contexts.py).
METHODS: dict[str, Callable[[Problem], float]] = {
    "budget": budget,
    "dpm": dpm,
    "group": group,
    "mean": mean,
    "quilt": quilt,
    "wasserstein": wasserstein,
}

# Chains whose sums have more cells than this, for all variables, are looked at through windows ...
LONG = {"nothing": 2**22, "anything": 2**16}
# so wide that their edges say less than this share of the limit; settled, if both ends of the
# bound are so near to each other.
FADED, SETTLED = (1e-4, 1e-9), 1e-7


@dataclass(frozen=True, repr=False)
class Calibrated(Shown):
    """``mechanism`` has noise of this ``scale``; ``bound``: what the worst adversary learns of it.

    scale 0: no noise is needed; the mechanism then has the least there is.
    """

    mechanism: Laplace | Geometric
    scale: float
    bound: Bound

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print: the scale and the bound."""
        return {"scale": self.scale, **self.bound.as_json()}

    def facts(self) -> list[tuple[str, str]]:
        return [("scale", f"{self.scale:.6g}"), *self.bound.facts()]


def calibrate(
    belief: Belief,
    weights: Weighted = None,
    *,
    limit: float,
    measure: str = RATIO,
    knows: str | Sequence[str] = "anything",
    method: str = "exact",
    floor: bool = True,
    noise: str = "laplace",
    **options: float,
) -> Calibrated:
    """The least noise on S = sum_i w_i x_i with which no variable leaks more than the limit.

    ``limit``: in the unit of the ``measure``, any of `MEASURES`; ``options`` are the measure's own.
    ``knows``: what an adversary may know beside the belief: "anything" (whichever of the other
    variables is worst), "nothing", or names. ``floor``: at least as much noise as each variable
    needs by itself (for max-log-ratio: differential privacy's scale); False lets noise from the
    data itself count, down to none at all. ``method``: "exact", or one of `METHODS`, which are
    sound and need more noise. ``noise``: "laplace", or "geometric" for whole numbers.
    """
    problem = Problem(belief, weights, limit, measure, options, noise)
    knows = _known(problem, knows)
    if method not in ("exact", *METHODS):
        raise unknown("method", method, ["exact", *METHODS])
    start = max(floor_of(problem) if floor else 0.0, LEAST[noise])
    if method == "exact":
        scale, bound = _rounded(problem, *_exact(problem, knows, start))
    else:
        scale = max(start, _by(method, problem, knows))
        why = f'method "{method}" for those who know {_words(knows)}'
        bound = Bound(0.0, limit, "nat", belief.premise, why)
    mechanism = problem.mechanism(scale)
    return Calibrated(mechanism, 0.0 if scale <= LEAST[noise] else scale, bound)


def _by(method: str, problem: Problem, knows: str | Sequence[str]) -> float:
    """The scale of one of `METHODS`, which bound log-ratios."""
    names = problem.belief.domain.names
    if problem.measure != RATIO:
        raise NotKnown(f'method "{method}": bounds "{RATIO}" only; use method="exact"')
    if not problem.belief.knows_jointly(names[:1]):
        raise NotKnown(f'method "{method}": needs bounded values, which these are not; use "exact"')
    if method == "group":
        return group(problem)
    return max(METHODS[method](part) for part in contexts(problem, knows, method))


def _exact(problem: Problem, knows: str | Sequence[str], start: float) -> tuple[float, Found]:
    """The least scale by search; who knows nothing else is looked at first, being had quickly."""
    guess, best = problem.reach / problem.limit, None
    for windows in _windows(problem, knows):
        scale, found = best = least(windows, problem.limit, start, guess)
        bound = found.bound(scale)
        if scale == start or bound.low >= (1 - SETTLED) * bound.high:
            return best
    if best is not None and _cells(problem) > LONG["nothing"]:
        return best
    threat = _threat(problem, knows)
    if isinstance(threat, Oracle):
        nobody = ignorant(problem, problem.belief.domain.names)
        start, _ = least(nobody, problem.limit, start, guess)
    return least(threat, problem.limit, start, guess)


def _rounded(problem: Problem, scale: float, found: Found) -> tuple[float, Bound]:
    """Recomputed; where rounding carries the leakage beyond the limit, a little more noise."""
    raised = NUDGE
    while (bound := found.bound(scale)).value > problem.limit:
        scale, raised = scale * (1 + raised), 2 * raised
    return scale, bound


def _windows(problem: Problem, knows: str | Sequence[str]) -> Iterator[Windows]:
    """Of long chains, narrow ones first."""
    if not isinstance(problem.belief, Chain) or knows not in LONG or not problem.fast:
        return
    if _cells(problem) > LONG[str(knows)]:
        for share in FADED:
            windows = Windows.of(problem, problem.belief, knows == "anything", share)
            if windows is not None:
                yield windows


def _cells(problem: Problem) -> float:
    """About how many numbers the laws of the sum have, for all variables."""
    sizes = problem.belief.domain.sizes
    return float(len(sizes)) * max(sizes) * (1 + sum(sizes) - len(sizes))


def _threat(problem: Problem, knows: str | Sequence[str]) -> Threat:
    names = problem.belief.domain.names
    if knows == "nothing":
        return ignorant(problem, names)
    if knows == "anything":
        return anybody(problem)
    targets = [name for name in names if name not in knows]
    return Listed(problem.limit, [one(problem, Adversary(name, knows=knows)) for name in targets])


def _known(problem: Problem, knows: str | Sequence[str]) -> str | tuple[str, ...]:
    """Checked."""
    if isinstance(knows, str):
        if knows not in ("anything", "nothing"):
            raise unknown("knows", knows, ["anything", "nothing", "a list of names"])
        return knows
    for name in knows:
        problem.belief.domain.axis(name, "calibrate.knows")
    if len(set(knows)) == len(problem.belief.domain.names):
        raise InputError("calibrate.knows: names every variable; nobody is left to protect")
    return tuple(dict.fromkeys(knows)) or "nothing"


def _words(knows: str | Sequence[str]) -> str:
    if knows == "nothing":
        return "nothing else"
    return "anything" if knows == "anything" else ", ".join(knows)
