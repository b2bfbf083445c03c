"""What is done with whatever a call has made: it is asked and shown, and its methods called."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import unspoken
from tests.laws.mutations import COINS, NOISE, WRONG
from tests.laws.valid_calls import joint
from unspoken.core.beliefs import Belief
from unspoken.core.display import Framed, Shown
from unspoken.core.errors import UnspokenError
from unspoken.core.families import Family
from unspoken.core.mechanisms import Mechanism
from unspoken.core.views.finite import FiniteView
from unspoken.core.views.noisy import NoisyView

__all__ = ["bounds_in", "called", "used"]

# Methods that are called from outside, with arguments that may be right; of others nobody knows.
FITTING: dict[str, list[Any]] = {
    "names": [["A"], ["A", "B"], ["x0"], [], "A", ["zz"]],
    "known": [{"A": 0}, {"x0": 0}, {"B": 1}, {}, {"A": 9}],
    "limit": [1.0, 0.1, -1, "1"],
    "step": [0, 1, -1, 99],
    "share": [0.5, 0, 1, 2, -1],
    "name": ["A", "B", "x0", "zz"],
    "target": ["A", "B", "x0"],
    "knows": [["A"], [], ["B"], ["zz"]],
    "forgets": ["A", ["B"], []],
    "k": [0, 1, 2],
    "f": [lambda after: np.asarray(after).max(-1), lambda after: 1.0, lambda after: np.zeros(99)],
    "eta": [0.1, 0, -1],
    "path": ["nowhere/picture.svg", "picture.jpg", ""],
    "rng": [np.random.default_rng(1)],
    "rows": [0, 2, -1],
    "domain": [joint().domain],
}
METHODS: tuple[tuple[type | tuple[type, ...], tuple[str, ...]], ...] = (
    (Belief, ("marginal", "given", "sample", "pairs", "blocks")),
    (Mechanism, ("scaled", "exponents", "describe")),
    ((FiniteView, NoisyView), ("sup", "mean", "outcomes", "worst")),
    (unspoken.Compared, ("at", "as_json", "records")),
    (unspoken.Calibrated, ("as_json",)),
    (Framed, ("records", "as_json")),
)


def used(made: Any) -> None:
    """Ask about what was made."""
    adversary = unspoken.Adversary("B")
    if isinstance(made, Belief | Family):
        name = made.domain.names[-1]
        coins = unspoken.OneSided({name: 1.0}, {name: made.domain.values[-1][:1]})
        for mechanism in (NOISE, coins):
            with suppress(UnspokenError):  # what it cannot answer it refuses by name
                unspoken.leakage(made, mechanism, unspoken.Adversary(name))
    elif isinstance(made, unspoken.Adversary):
        unspoken.leakage(joint(), COINS, made)
    elif hasattr(made, "sensitive_values"):
        unspoken.leakage(joint(), made, adversary)
    repr(made)
    for bound in bounds_in(made):
        assert bound.status != "ok" or bound.low <= bound.high, f"low > high: {bound!r}"
    if isinstance(made, Shown):
        made._repr_html_()
        assert len(repr(made)) < 20_000, "a page-long repr"


def called(made: Any, rng: random.Random) -> Any:
    """One method of it, with arguments that may be right or wrong; None if it has none."""
    names = [name for kind, methods in METHODS if isinstance(made, kind) for name in methods]
    names += [n for n in ("at", "node", "edge", "chain", "fast", "corollary") if hasattr(made, n)]
    if not names:
        return copy.copy(made)
    method = getattr(made, rng.choice(sorted(set(names))))
    if isinstance(method, property) or not callable(method):
        return method
    arguments = {
        name: rng.choice(FITTING.get(name, [])) if rng.random() < 0.6 and name in FITTING
        else rng.choice(WRONG)()
        for name, parameter in inspect.signature(method).parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        and (parameter.default is parameter.empty or rng.random() < 0.5)
    }  # fmt: skip
    if callable(arguments.get("f")) and arguments["f"] not in FITTING["f"]:
        return None  # what a function of somebody else raises is for them
    return method(**arguments)


def bounds_in(made: Any, depth: int = 3) -> Iterator[unspoken.Bound]:
    """The bounds that a result has, or holds."""
    if isinstance(made, unspoken.Bound):
        yield made
    elif depth and isinstance(made, dict):
        for each in made.values():
            yield from bounds_in(each, depth - 1)
    elif depth and isinstance(made, list | tuple):
        for each in made[:20]:
            yield from bounds_in(each, depth - 1)
    elif depth and hasattr(made, "__dataclass_fields__"):
        for name in made.__dataclass_fields__:
            yield from bounds_in(getattr(made, name), depth - 1)
