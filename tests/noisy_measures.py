"""The measures of noisy answers, each by its definition, at 50 digits (tests/noisy_oracle.py)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import mpmath

from tests.noisy_oracle import (
    DIGITS,
    NODES,
    SHARES,
    Context,
    Look,
    Number,
    Piece,
    Stretch,
    Vector,
    World,
    contexts,
)


def _ratios(context: Context, point: Vector) -> Vector:
    """P(y|s), up to a factor that depends on y alone."""
    return [w / p for w, p in zip(point, context.prior, strict=True)]


def max_log_ratio(context: Context, point: Vector) -> Number:
    ratios = _ratios(context, point)
    return mpmath.log(max(ratios) / min(ratios)) if min(ratios) else mpmath.inf


def max_information(context: Context, point: Vector) -> Number:
    return mpmath.log(max(_ratios(context, point)) / mpmath.fsum(point))


def two_sided(context: Context, point: Vector) -> Number:
    least = min(_ratios(context, point)) / mpmath.fsum(point)
    return max(max_information(context, point), -mpmath.log(least) if least else mpmath.inf)


def divergence(context: Context, point: Vector) -> Number:
    """KL of posterior and prior; times the mass."""
    total = mpmath.fsum(point)
    return mpmath.fsum(
        w * mpmath.log(w / (p * total)) for w, p in zip(point, context.prior, strict=True) if w
    )


def relative_entropy(context: Context, point: Vector) -> Number:
    return divergence(context, point) / mpmath.fsum(point)


def odds(context: Context, point: Vector) -> Number:
    each = [{c} for c, hidden in enumerate(context.secret) if hidden]
    worst = mpmath.mpf(1) if not each else mpmath.mpf(0)
    for event in [*each, set().union(*each)]:
        before = mpmath.fsum(context.prior[c] for c in event)
        yes = mpmath.fsum(point[c] for c in event)
        no = mpmath.fsum(w for c, w in enumerate(point) if c not in event)
        rest = mpmath.fsum(p for c, p in enumerate(context.prior) if c not in event)
        if before and rest:
            worst = max(worst, yes / no * rest / before if no else mpmath.inf)
        else:
            worst = max(worst, mpmath.mpf(1))
    return worst


def exclusion(context: Context, point: Vector) -> Number:
    ratios = _ratios(context, point)
    hidden = max((r for r, own in zip(ratios, context.secret, strict=True) if own), default=0)
    if not hidden:
        return mpmath.mpf(0)
    return mpmath.log(hidden / min(ratios)) if min(ratios) else mpmath.inf


def mutual_information(context: Context) -> Number:
    return mpmath.fsum(_integral(piece, context) for piece in context.pieces())


def _integral(piece: Piece, context: Context) -> Number:
    """Of the divergence; Gauss on lengths of at most 1, where the integrand is analytic far out."""
    if not isinstance(piece, Stretch):
        return divergence(context, piece)
    parts = int(piece.length) + 1
    step, total = piece.length / parts, mpmath.mpf(0)
    for part, (node, share) in itertools.product(range(parts), zip(NODES, SHARES, strict=True)):
        t = step * (part + (1 + mpmath.mpf(node)) / 2)
        ahead, behind = mpmath.exp(-t), mpmath.exp(t - piece.length)
        point = [a * ahead + b * behind for a, b in zip(piece.right, piece.left, strict=True)]
        total += divergence(context, point) * mpmath.mpf(share) * step / 4
    return total


Choice = Callable[[Vector], Vector]


def _linear(piece: Piece, forms: list[Vector], choose: Choice) -> Number:
    """The integral of sum_i choose(values)_i value_i, of the forms' values.

    ``choose`` depends on the order of the values only: between crossings every term is integrated.
    """
    if not isinstance(piece, Stretch):
        values = [mpmath.fdot(form, piece) for form in forms]
        return mpmath.fdot(choose(values), values)
    ahead = [mpmath.fdot(form, piece.right) for form in forms]
    behind = [mpmath.fdot(form, piece.left) for form in forms]
    total = mpmath.mpf(0)
    for low, high in itertools.pairwise(_crossings(ahead, behind, piece.length)):
        middle = (low + high) / 2
        fade, grow = mpmath.exp(-middle), mpmath.exp(middle - piece.length)
        chosen = choose([p * fade + q * grow for p, q in zip(ahead, behind, strict=True)])
        p, q = mpmath.fdot(chosen, ahead), mpmath.fdot(chosen, behind)
        total += p * (mpmath.exp(-low) - mpmath.exp(-high))
        total += q * (mpmath.exp(high - piece.length) - mpmath.exp(low - piece.length))
    return total / 2


def _crossings(ahead: Vector, behind: Vector, length: Number) -> list[Number]:
    """0, where (p_i - p_j) e^-t + (q_i - q_j) e^(t - length) = 0 for some i, j, and the length."""
    found = {mpmath.mpf(0), length}
    for i, j in itertools.combinations(range(len(ahead)), 2):
        p, q = ahead[i] - ahead[j], behind[i] - behind[j]
        if p * q < 0:
            t = (length + mpmath.log(-p / q)) / 2
            found |= {t} if 0 < t < length else set()
    return sorted(found)


def _largest(values: Vector) -> Vector:
    at = max(range(len(values)), key=values.__getitem__)
    return [mpmath.mpf(i == at) for i in range(len(values))]


def _ranks(values: Vector) -> Vector:
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    return [mpmath.mpf(order.index(i) + 1) for i in range(len(values))]


def _unit(context: Context, c: int, factor: Number = 1) -> Vector:
    return [mpmath.mpf(factor) if i == c else mpmath.mpf(0) for i in range(len(context.prior))]


def _mean(context: Context, forms: list[Vector], choose: Choice) -> Number:
    return mpmath.fsum(_linear(piece, forms, choose) for piece in context.pieces())


def maximal_leakage(context: Context) -> Number:
    forms = [_unit(context, c, 1 / p) for c, p in enumerate(context.prior)]
    return mpmath.log(_mean(context, forms, _largest))


def bayes_leakage(context: Context) -> Number:
    forms = [_unit(context, c) for c in range(len(context.prior))]
    return mpmath.log(_mean(context, forms, _largest) / max(context.prior))


def guessing(context: Context) -> Number:
    forms = [_unit(context, c) for c in range(len(context.prior))]
    before = mpmath.fdot(_ranks(context.prior), context.prior)
    return before - _mean(context, forms, _ranks)


def delta(context: Context, eps: float = 0.0) -> Number:
    worst, nothing = mpmath.mpf(0), [mpmath.mpf(0)] * len(context.prior)
    for a, b in itertools.permutations(range(len(context.prior)), 2):
        form = _unit(context, a, 1 / context.prior[a])
        form[b] = -mpmath.exp(eps) / context.prior[b]
        worst = max(worst, _mean(context, [nothing, form], _largest))
    return worst


SUPS: dict[str, Callable[[Context, Vector], Number]] = {
    "max-log-ratio": max_log_ratio,
    "max-information": max_information,
    "max-information-two-sided": two_sided,
    "relative-entropy": relative_entropy,
    "odds": odds,
    "exclusion": exclusion,
}
MEANS: dict[str, Callable[..., Number]] = {
    "mutual-information": mutual_information,
    "maximal-leakage": maximal_leakage,
    "bayes-leakage": bayes_leakage,
    "guessing": guessing,
    "delta": delta,
}
MEASURES = (*SUPS, *MEANS)


def measures(names: Iterable[str], world: World, look: Look, **options: float) -> dict[str, float]:
    """Each by its definition, the worst over what may be known; options are those of delta."""
    names = list(names)
    with mpmath.workdps(DIGITS):
        found: dict[str, Number] = {}
        for context in contexts(world, look):
            sups = {name: SUPS[name] for name in names if name in SUPS}
            for point in context.points() if sups else ():
                for name, f in sups.items():
                    found[name] = max(found.get(name, -mpmath.inf), f(context, point))
            for name in names:
                if name in MEANS:
                    own = MEANS[name](context, **(options if name == "delta" else {}))
                    found[name] = max(found.get(name, -mpmath.inf), own)
        return {name: _float(number) for name, number in found.items()}


def _float(number: Number) -> float:
    """What is nothing but the last of the digits is zero."""
    value = float(number)
    return 0.0 if abs(value) < 1e-40 else value
