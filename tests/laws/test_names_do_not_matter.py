"""Measures are unchanged by renaming, reordering, relabelling and by splitting a value in two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.laws.draws import draws, each_family, equal, numbers
from tests.oracle import Look, Setting

pytestmark = pytest.mark.stress


def relabelled(setting: Setting, look: Look, rename: Any, recode: Any) -> tuple[Setting, Look]:
    """Every name through `rename`, every value through `recode(name, value)`."""

    def codes(values: Mapping[str, Any]) -> dict[str, Any]:
        return {rename(n): tuple(recode(n, v) for v in own) for n, own in values.items()}

    counts = {
        tuple(recode(n, v) for n, v in zip(setting.names, cell, strict=True)): count
        for cell, count in setting.counts.items()
    }
    knows: Any = tuple(rename(n) for n in look.knows)
    if isinstance(look.knows, Mapping):
        knows = {rename(n): recode(n, v) for n, v in look.knows.items()}
    return replace(
        setting,
        names=tuple(rename(n) for n in setting.names),
        values=codes(setting.values),
        counts=counts,
        epsilon={rename(n): eps for n, eps in setting.epsilon.items()},
        sensitive=codes(setting.sensitive),
        asks={rename(n): number for n, number in setting.asks.items()},
    ), Look(
        rename(look.target),
        None if look.secret is None else tuple(recode(look.target, v) for v in look.secret),
        knows,
        None if look.sees is None else tuple(rename(n) for n in look.sees),
    )


@pytest.mark.slow
@each_family
def test_new_names_and_labels(family: str) -> None:
    for _, setting, look in draws(family, 20):
        other = relabelled(setting, look, lambda n: f"{n}_new", lambda n, v: (n, str(v)))
        assert numbers(*other) == numbers(setting, look)


def reordered(setting: Setting, rng: np.random.Generator) -> Setting:
    """The variables, and the values of each, listed in another order."""
    order = [int(i) for i in rng.permutation(len(setting.names))]
    names = tuple(setting.names[i] for i in order)
    values = {
        n: tuple(setting.values[n][i] for i in rng.permutation(len(setting.values[n])))
        for n in names
    }
    by_name = {
        cell: tuple(cell[names.index(n)] for n in setting.names)
        for cell in product(*(values[n] for n in names))
    }
    counts = {cell: setting.counts[old] for cell, old in by_name.items()}
    return replace(setting, names=names, values=values, counts=counts)


@pytest.mark.slow
@each_family
def test_another_order(family: str) -> None:
    for rng, setting, look in draws(family, 21):
        equal(numbers(reordered(setting, rng), look), numbers(setting, look), (setting, look))


def split(setting: Setting, name: str, value: Any, shares: tuple[int, int]) -> Setting:
    """`value` becomes two values, told apart by a coin that depends on nothing."""
    at = setting.names.index(name)
    other = f"{value}, again"
    counts: dict[tuple[Any, ...], int] = {}
    for cell, count in setting.counts.items():
        first, second = shares if cell[at] == value else (sum(shares), 0)
        counts[cell] = count * first
        if cell[at] == value:
            counts[(*cell[:at], other, *cell[at + 1 :])] = count * second
    values = {**setting.values, name: (*setting.values[name], other)}
    cells = product(*(values[n] for n in setting.names))
    sensitive = dict(setting.sensitive)
    if value in sensitive.get(name, ()):
        sensitive[name] = (*sensitive[name], other)
    return replace(
        setting,
        values=values,
        counts={cell: counts.get(cell, 0) for cell in cells},
        sensitive=sensitive,
    )


@each_family
def test_a_value_split_in_two(family: str) -> None:
    """A seen or hidden value that falls apart by an unrelated coin tells nothing more of others."""
    for rng, setting, look in draws(family, 22):
        others = [n for n in setting.names if n != look.target and n not in look.knows]
        if others:
            name = str(rng.choice(others))
            value = setting.values[name][int(rng.integers(len(setting.values[name])))]
            wider = split(setting, name, value, (1, 3))
            equal(numbers(wider, look), numbers(setting, look), (name, value, setting, look))


@each_family
def test_a_harmless_value_of_the_target_split_in_two(family: str) -> None:
    """Values that are no secret are one class, however many there are."""
    for _, setting, look in draws(family, 23):
        secret = look.secret or setting.sensitive.get(look.target, ())
        harmless = [v for v in setting.values[look.target] if v not in secret]
        if secret and harmless:
            wider = split(setting, look.target, harmless[0], (2, 1))
            equal(numbers(wider, look), numbers(setting, look), (setting, look))
