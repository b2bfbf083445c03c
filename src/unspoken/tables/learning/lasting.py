"""Secrets that do not change between the rows of one unit: every row tells of them anew.

Limits are for each row. Where a secret is the same in all of a unit's rows, T of them multiply its
odds by up to cap^T, though each keeps the cap. What does not change is released once. The same of
rows that have other keys in common: a weekend is one in all offices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from unspoken.tables.engines.protocol import Table, Tally
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning.learned import Learned
from unspoken.tables.policy import Project

__all__ = ["Tallies", "changing", "common", "lasting"]

ENOUGH = 10  # units with the secret in all of several rows, and as many without: no chance
MIXED = 0.05  # of groups of rows, up to which the others are said to have it in common
CHANCE = 1e-6  # that groups of rows have a secret in all or none of them, rows being independent


@dataclass(frozen=True)
class Tallies:
    """The secrets of each attribute in the rows of a unit, or of what else groups them: rows are
    grouped once for all of these.
    """

    project: Project
    table: Table
    learned: Learned
    _counted: dict[tuple[str, ...], dict[str, Tally]] = field(default_factory=dict, repr=False)

    def of(self, name: str, unit: tuple[str, ...]) -> Tally:
        """Of one attribute, where it has secrets."""
        if unit not in self._counted:
            secrets = self._secrets
            places = {self.project.at("attribute", n, "sensitive"): secrets[n] for n in secrets}
            found = self.table.tallies(unit, places)
            self._counted[unit] = dict(zip(secrets, found, strict=True))
        return self._counted[unit].get(name, ())

    @property
    def _secrets(self) -> dict[str, Expression]:
        """When each attribute's cell is one, of those of which it is not declared whether it may
        change.
        """
        found = {}
        for name in self.project.protected:
            predicate = self.learned.labelling[name].cells.sensitive
            if predicate is not None and self.project.attributes[name].static is None:
                found[name] = replace(predicate, sql=f"({predicate.sql} IS NOT FALSE)")
        return found


def lasting(tallies: Tallies) -> Iterator[str]:
    """Of every secret that is one in all rows of a unit or in none, what to do."""
    project = tallies.project
    for name in project.protected:
        if project.attributes[name].static is not None:
            continue
        for names in _units(project):
            if _lasts(tallies.of(name, names)):
                unit = " and ".join(names)
                yield (
                    f"{project.at('attribute', name, 'sensitive')}: is true in all rows of one "
                    f"{unit} or in none, and each row tosses a coin of its own: together they tell "
                    f"what no row may. Release {name} once, from a table with one row for each "
                    f"{unit}, or, if it may change, write static = false"
                )
                break


def common(tallies: Tallies) -> Iterator[str]:
    """Of every secret that rows with the same values of some keys have in common, all but a few:
    whoever groups rows by these sees it. The fewest keys; those that are refused are not said
    again.
    """
    project = tallies.project
    for name in project.protected:
        if project.attributes[name].static is not None:
            continue
        for names, but in _grouped(tallies, name):
            keys = " and ".join(names)
            yield (
                f"{project.at('attribute', name, 'sensitive')}: is true in all rows of one {keys} "
                f"or in none{but}, and each row tosses a coin of its own: whoever puts the rows of "
                f"one {keys} together sees which, whatever the limits, which are of each row. "
                f"Release {name} once, from a table with one row for each {keys}, or let nobody "
                "read it; if it may change, write static = false"
            )


def _grouped(tallies: Tallies, name: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """All keys but one; where these have it in common, each of them by itself; and but for what.
    What fewer keys group has more rows in a group, so where those are mixed these are, too.
    """
    keys, refused = tallies.project.source.keys, _units(tallies.project)

    def held(several: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
        found = {n: _in_common(tallies.of(name, n)) for n in several}
        return {names: but for names, but in found.items() if but is not None}

    if any(_lasts(tallies.of(name, names)) for names in refused):
        return
    several = held(names for names in combinations(keys, len(keys) - 1) if names)
    alone = held(dict.fromkeys((key,) for names in several for key in names if len(names) > 1))
    yield from (alone or several).items()


def changing(project: Project, table: Table) -> Iterator[str]:
    """What is declared static, and is not."""
    source = project.source
    names = [name for name, attribute in project.attributes.items() if attribute.static]
    if set(source.unit) == set(source.keys) or not names:
        return
    units, _ = table.groups(source.unit, project.at("source", "unit"))
    for name in names:
        place = project.at("attribute", name, "static")
        groups, _ = table.groups([*source.unit, name], place)
        if groups != units:
            yield (
                f"{place}: is declared, and {name} has several values in the rows of some "
                f"{' and '.join(source.unit)}; correct them, or write static = false"
            )


def _units(project: Project) -> list[tuple[str, ...]]:
    """Whose rows are looked at: the unit's; where each row is declared a unit, those of each key:

    whom a key of a record and a time is about is there several times all the same.
    """
    source = project.source
    if set(source.unit) != set(source.keys):
        return [source.unit]
    return [(key,) for key in source.keys] if len(source.keys) > 1 else []


def _lasts(tally: Tally) -> bool:
    """Whether no unit of several rows has a secret in some of them alone."""
    several = [each for each in tally if each[0] > 1]
    always = sum(units for total, secret, units in several if secret == total)
    never = sum(units for _, secret, units in several if secret == 0)
    mixed = sum(units for *_, units in several) - always - never
    return not mixed and min(always, never) >= ENOUGH


def _in_common(tally: Tally) -> str | None:
    """Whether next to all groups of several rows have a secret in all of them or in none, hardly
    by chance; and but for how many. With rows independent, each secret with s, that has at most
    the probability C(groups, mixed) prod (s^T + (1 - s)^T), over the groups of T that are not.
    """
    several = [group for group in tally if group[0] > 1]
    groups = sum(count for *_, count in several)
    mixed = sum(count for total, secret, count in several if 0 < secret < total)
    rows = sum(total * count for total, _, count in tally)
    share = sum(secret * count for _, secret, count in tally) / max(1, rows)
    always = sum(count for total, secret, count in several if secret == total)
    if mixed > MIXED * groups or mixed >= always or not 0 < share < 1:
        return None
    log, others = math.log(share), math.log1p(-share)
    logs = [
        count * float(np.logaddexp(total * log, total * others))
        for total, secret, count in several
        if secret in (0, total)
    ]
    ways = math.lgamma(groups + 1) - math.lgamma(mixed + 1) - math.lgamma(groups - mixed + 1)
    if sum(logs) + ways >= math.log(CHANCE):
        return None
    return f" (but for {mixed:,} of {groups:,})" if mixed else ""
