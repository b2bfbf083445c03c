"""Secrets that do not change between the rows of one unit: every row tells of them anew.

Limits are for each row. Where a secret is the same in all of a unit's rows, T of them multiply its
odds by up to cap^T, though each keeps the cap. What does not change is released once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unspoken.engines.protocol import Table
from unspoken.learning.learned import Learned
from unspoken.policy import Project

__all__ = ["changing", "lasting"]

ENOUGH = 10  # units with the secret in all of several rows, and as many without: no chance

Tally = Sequence[tuple[int, int, int]]  # rows of a unit, of these secret ones, and such units


def lasting(project: Project, table: Table, learned: Learned) -> Iterator[str]:
    """Of every secret that is one in all rows of a unit or in none, what to do."""
    for name in project.protected:
        if project.attributes[name].static is not None:
            continue
        for names in _units(project):
            if _lasts(_tally(project, table, learned, name, names)):
                unit = " and ".join(names)
                yield (
                    f"{project.at('attribute', name, 'sensitive')}: is true in all rows of one "
                    f"{unit} or in none, and each row tosses a coin of its own: together they tell "
                    f"what no row may. Release {name} once, from a table with one row for each "
                    f"{unit}, or, if it may change, write static = false"
                )
                break


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


def _tally(
    project: Project, table: Table, learned: Learned, name: str, unit: Sequence[str]
) -> Tally:
    predicate = learned.labelling[name].cells.sensitive
    if predicate is None:
        return ()
    secret = replace(predicate, sql=f"({predicate.sql} IS NOT FALSE)")
    return table.tally(unit, secret, project.at("attribute", name, "sensitive"))
