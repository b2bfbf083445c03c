"""Some hundred numbers of every kind of question, by name: what they were, they are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import unspoken
from unspoken import Adversary, Bound

# Every measure, with its options.
MEASURES: dict[str, dict[str, float]] = {
    "max-log-ratio": {},
    "max-information": {},
    "max-information-two-sided": {},
    "relative-entropy": {},
    "mutual-information": {},
    "maximal-leakage": {},
    "bayes-leakage": {},
    "guessing": {},
    "delta": {"eps": 0.3},
    "odds": {},
    "exclusion": {},
}
METHODS = ("mean", "group", "dpm", "wasserstein", "quilt", "influence", "budget", "branches")
NOISY = ("laplace", "geometric", "together")
FLU = [[0.95, 0.05], [0.3, 0.7]]

Numbers = Iterator[tuple[str, float | str]]


def beliefs() -> dict[str, unspoken.Joint]:
    """Of five kinds; a Joint each, as far as the type checker is concerned."""
    rng = np.random.default_rng(20261122)

    def joint(count: int, size: int, concentration: float = 1.0) -> unspoken.Joint:
        cells = rng.dirichlet(np.full(size**count, concentration))
        return unspoken.Joint(cells.reshape((size,) * count))

    made = {"joint3": joint(3, 2), "joint2x3": joint(2, 3), "sparse": joint(3, 2, 0.2)}
    others = {
        "independent": unspoken.Independent([[0.3, 0.7], [0.6, 0.4], [0.2, 0.8]]),
        "chain": unspoken.Chain([0.9, 0.1], FLU, length=6),
        "exchangeable": unspoken.Exchangeable([5, 3, 2, 1, 1], 4),
    }
    return {**made, **others}  # type: ignore[dict-item]


def ends(name: str, bound: Bound) -> Numbers:
    yield f"{name}.low", bound.low
    yield f"{name}.high", bound.high


def leakages(kind: str, belief: unspoken.Joint) -> Numbers:
    names = belief.domain.names
    first, last, secret = names[0], names[-1], {name: [0] for name in names}
    mechanisms = {
        "laplace": unspoken.Laplace(1.3),
        "geometric": unspoken.Geometric(0.4),
        "one-sided": unspoken.OneSided({n: 0.4 + 0.2 * i for i, n in enumerate(names)}, secret),
        "bit": unspoken.OneSided(dict.fromkeys(names, 0.4), secret, shows="bit", coins="fresh"),
        "together": unspoken.Together(
            [
                unspoken.OneSided({first: 0.7}, secret),
                unspoken.OneSided({first: 0.2}, secret),
                unspoken.RandomizedResponse(first, 1.1),
            ]
        ),
    }
    few = ("max-log-ratio", "mutual-information")
    for mechanism, release in mechanisms.items():
        for measure in MEASURES if kind in ("joint3", "joint2x3") else few:
            of_secret = measure == "odds" and mechanism in NOISY
            who = Adversary(last, secret=[0]) if of_secret else Adversary(last)
            name, options = f"leakage {kind} {mechanism} {measure}", MEASURES[measure]
            try:
                leak = unspoken.leakage(belief, release, who, measure, **options)  # type: ignore[arg-type]
            except unspoken.UnspokenError as refused:
                yield name, type(refused).__name__
            else:
                yield from ends(name, leak)
    knowing = Adversary(last, knows=[first])
    yield from ends(f"knows {kind}", unspoken.leakage(belief, unspoken.Laplace(0.8), knowing))
    yield from ends(f"worst {kind}", unspoken.worst(belief, unspoken.Laplace(0.9)).bound)
    withheld = {first: unspoken.WITHHELD}
    odds = unspoken.odds(belief, mechanisms["one-sided"], Adversary(last), withheld)
    yield from ends(f"odds {kind}", odds)


def scales(kind: str, belief: unspoken.Joint) -> Numbers:
    for knows in ("anything", "nothing"):
        scale = unspoken.calibrate(belief, limit=0.7, knows=knows).scale
        yield f"calibrate {kind} {knows}", scale
    for method in METHODS:
        try:
            scale = unspoken.calibrate(belief, limit=0.7, method=method, knows="nothing").scale
        except unspoken.UnspokenError:
            yield f"calibrate {kind} {method}", "refused"
        else:
            yield f"calibrate {kind} {method}", scale


def plans(kind: str, belief: unspoken.Joint) -> Numbers:
    names = list(belief.domain.names)
    secret = {name: [0] for name in names}
    for nats in (0.05, 0.2, None):
        bits = None if nats is None else nats / math.log(2)
        plan = unspoken.plan(belief, limit_bits=bits, sensitive=secret)
        yield f"plan {kind} {nats}", plan.objective
        yield f"plan.bound {kind} {nats}", plan.bound.high
        yield f"plan.total {kind} {nats}", plan.total
    bits = 0.1 / math.log(2)
    apart = [names[:1], names[1:]]
    plan = unspoken.plan(belief, limit_bits=bits, sensitive=secret, coalitions=apart)
    yield f"plan coalitions {kind}", plan.objective
    if kind != "joint2x3":
        plan = unspoken.plan(belief, limit_bits=bits, account="bit")
        yield f"plan bit {kind}", plan.objective
        caps = dict.fromkeys(names, 5.0)
        plan = unspoken.plan(belief, limit_bits=bits, account="bit", objective="epsilon", caps=caps)
        yield f"plan eps {kind}", plan.objective
    bits = 0.3 / math.log(2)
    plan = unspoken.plan(belief, limit_bits=bits, sensitive=secret, exceed=0.05)
    yield f"plan exceed {kind}", plan.objective


def chains_and_gaussians() -> Numbers:
    flu = unspoken.Chain([0.9, 0.1], FLU, length=365)
    yield "calibrate flu", unspoken.calibrate(flu, limit=1.0).scale
    months = unspoken.Chain([0.9, 0.1], FLU, length=60)
    yield from ends("worst flu", unspoken.worst(months, unspoken.Laplace(2.0)).bound)
    bell = gaussian()
    laplace = unspoken.Laplace(2.0)
    yield from ends("gaussian", unspoken.leakage(bell, laplace, Adversary("x0")))
    yield from ends("worst gaussian", unspoken.worst(bell, laplace).bound)
    yield "calibrate gaussian", unspoken.calibrate(bell, limit=0.5).scale
    ten = unspoken.Chain([0.9, 0.1], FLU, length=10)
    yield "temporal", unspoken.temporal(ten, 0.2).worst.high
    yield from ends("bound_from_dp", unspoken.bound_from_dp(0.5, k=3, sigma=0.7))
    yield "dp_budget", unspoken.dp_budget(0.5, k=3, sigma=0.7)


def gaussian() -> unspoken.Gaussian:
    return unspoken.Gaussian([[1, 0.5, 0.2], [0.5, 2, 0.3], [0.2, 0.3, 1.5]], [3, 3, 3])


def sets() -> Numbers:
    joint, other = unspoken.Joint([[15, 5], [10, 70]]), unspoken.Joint([[20, 5], [5, 70]])
    made = {
        "around": unspoken.Box.around(joint, 0.02),
        "within": unspoken.Box.within(joint, 0.1),
        "beliefs": unspoken.Beliefs([joint, other]),
        "gball": unspoken.GaussianBall(gaussian(), 0.1),
    }
    for kind, family in made.items():
        for scale in (0.7, 2.0):
            leak = unspoken.leakage(family, unspoken.Laplace(scale), Adversary("x0"))
            yield from ends(f"set {kind} {scale}", leak)
    two, release = unspoken.Beliefs([joint, other]), unspoken.OneSided({"x0": 0.5})
    bits = unspoken.leakage(two, release, Adversary("x1"), "mutual-information")
    yield from ends("set beliefs mi", bits)


def numbers() -> Numbers:
    for kind, belief in beliefs().items():
        yield from leakages(kind, belief)
        yield from scales(kind, belief)
        if kind in ("joint3", "sparse", "independent", "joint2x3"):
            yield from plans(kind, belief)
    yield from chains_and_gaussians()
    yield from sets()
