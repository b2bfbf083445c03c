"""Who sees less learns less: every measure falls when a release is coarsened on its way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.laws.draws import SILENT, at_most, draws, each_family, equal, numbers
from tests.oracle import Setting

GUESSES = ("bayes-leakage", "guessing")

pytestmark = [pytest.mark.slow, pytest.mark.stress]


@each_family
def test_a_smaller_release_probability(family: str) -> None:
    """p' < p is the first release, then withheld with probability 1 - p'/p."""
    for rng, setting, look in draws(family, 10):
        name = str(rng.choice(list(setting.epsilon)))
        less = rng.choice([0.0, 0.5, 0.99]) * min(setting.epsilon[name], 60.0)
        smaller = replace(setting, epsilon={**setting.epsilon, name: less})
        at_most(numbers(smaller, look), numbers(setting, look), (name, less, setting, look))


@each_family
def test_fewer_outputs(family: str) -> None:
    """A smaller coalition, seen by the same adversary with the same knowledge."""
    for rng, setting, look in draws(family, 11):
        sees = tuple(setting.epsilon) if look.sees is None else look.sees
        if sees:
            fewer = tuple(n for n in sees if n != rng.choice(sees))
            at_most(
                numbers(setting, replace(look, sees=fewer)), numbers(setting, look), (setting, look)
            )


@each_family
def test_only_the_bit(family: str) -> None:
    """Whether something was released is a function of what was released."""
    for _, setting, look in draws(family, 12):
        bit, value = (numbers(replace(setting, shows=shows), look) for shows in ("bit", "value"))
        at_most(bit, value, (setting, look))


@each_family
def test_fewer_requests(family: str) -> None:
    for _, setting, look in draws(family, 13):
        fresh = replace(setting, coins="fresh", asks=dict.fromkeys(setting.epsilon, 3))
        at_most(numbers(replace(fresh, asks={}), look), numbers(fresh, look), (setting, look))


@each_family
def test_requests_multiply_epsilon_or_nothing(family: str) -> None:
    """n fresh coins are one coin at n times epsilon; n readings of a persistent coin are one."""
    for rng, setting, look in draws(family, 14):
        asks = {name: int(rng.integers(1, 6)) for name in setting.epsilon}
        many = {name: eps * asks[name] for name, eps in setting.epsilon.items()}
        once = replace(setting, coins="persistent", asks={})
        equal(numbers(replace(once, asks=asks), look), numbers(once, look))
        fresh = replace(setting, coins="fresh", asks=asks)
        equal(numbers(fresh, look), numbers(replace(once, epsilon=many), look), (setting, look))


@each_family
def test_a_coarser_secret(family: str) -> None:
    """All secret values in one class: whoever asks less about the target learns less of it.

    Guesses are another matter: of a coarser secret an answer may improve them by more.
    """
    for _, setting, look in draws(family, 15):
        secret = look.secret or setting.sensitive.get(look.target, ())
        if secret and len(secret) < len(setting.values[look.target]):
            merged = merge(setting, look.target, secret)
            coarse = numbers(merged, replace(look, secret=(secret[0],)))
            fine = numbers(blind(setting, look.target), replace(look, secret=tuple(secret)))
            for name in GUESSES:
                del coarse[name]
            at_most(coarse, fine, (setting, look))


def blind(setting: Setting, name: str) -> Setting:
    """The same mechanism without the output of `name`; nobody else's output changes."""
    return replace(setting, epsilon={**setting.epsilon, name: 0.0})


def merge(setting: Setting, name: str, values: Any) -> Setting:
    """The same data, these values of `name` (whose output is blind) written as the first one."""
    at = setting.names.index(name)
    counts = dict.fromkeys(setting.counts, 0)
    for cell, count in setting.counts.items():
        seen = values[0] if cell[at] in values else cell[at]
        counts[(*cell[:at], seen, *cell[at + 1 :])] += count
    return replace(blind(setting, name), counts=counts)


@each_family
def test_a_constant_channel(family: str) -> None:
    """No release, nothing seen, or everything sensitive: nothing is learnt."""
    for _, setting, look in draws(family, 16):
        off = replace(setting, epsilon=dict.fromkeys(setting.epsilon, 0.0))
        hidden = {name: setting.values[name] for name in setting.epsilon}
        equal(numbers(off, look), SILENT, (setting, look))
        equal(numbers(setting, replace(look, sees=())), SILENT, (setting, look))
        closed = replace(
            look, secret=look.secret or tuple(setting.sensitive.get(look.target, ())) or None
        )
        all_hidden = replace(setting, sensitive={**setting.sensitive, **hidden})
        equal(numbers(all_hidden, closed), SILENT, (setting, closed))


def test_independent_variables_say_nothing() -> None:
    for _, setting, look in draws("independent", 17):
        sees = tuple(name for name in setting.epsilon if name != look.target)
        equal(numbers(setting, replace(look, sees=sees)), SILENT, (setting, look))


def test_a_variable_with_an_independent_output_changes_nothing() -> None:
    for family in ("dirichlet", "sparse"):
        for rng, setting, look in draws(family, 18):
            marginal = {"u": 3, "v": 5}
            counts = {
                (*cell, z): k * w for cell, k in setting.counts.items() for z, w in marginal.items()
            }
            wider = replace(
                setting,
                names=(*setting.names, "Z"),
                values={**setting.values, "Z": ("u", "v")},
                counts=counts,
                epsilon={**setting.epsilon, "Z": float(rng.uniform(0.1, 3))},
                sensitive={**setting.sensitive, "Z": ("u",)},
            )
            more = None if look.sees is None else (*look.sees, "Z")
            equal(numbers(wider, replace(look, sees=more)), numbers(setting, look), (setting, look))
