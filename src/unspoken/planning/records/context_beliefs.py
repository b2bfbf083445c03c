"""What the rows of a plan stand on: single beliefs, some of them, or sets given by intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from unspoken.core.beliefs import A_BELIEF, Belief, Joint
from unspoken.core.errors import InputError
from unspoken.core.families import Box, TableSet
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.numbers import number
from unspoken.core.types.kinds import expect, items
from unspoken.planning.records.boxed import Sets
from unspoken.planning.records.cells import Cells, whole_numbers
from unspoken.planning.records.conditions import Event, Rule, conditions

__all__ = ["ContextBeliefs", "contexts_of"]


@dataclass(frozen=True)
class ContextBeliefs:
    """A belief for each context."""

    beliefs: tuple[Belief, ...]

    @cached_property
    def of_sets(self) -> bool:
        """Whether rows hold for every table between two ends: then about every cell there is."""
        return any(isinstance(belief, TableSet) for belief in self.beliefs)

    @property
    def several(self) -> bool:
        """Whether rows are about more than one law."""
        alone = len(self.beliefs) == 1
        return self.of_sets or not alone or len(self.beliefs[0].candidates) > 1

    @cached_property
    def members(self) -> tuple[tuple[Belief, ...], ...]:
        """Of each context the beliefs that may be true; a set has its middle."""
        found = tuple(
            (belief.middle,) if isinstance(belief, TableSet) else belief.candidates
            for belief in self.beliefs
        )
        if len(found) > 1 and any(len(members) > 1 for members in found):
            raise InputError(
                "plan.contexts: take a single belief each, a Box or Intervals, no list of beliefs"
            )
        return found

    def tables(self, names: Sequence[str]) -> list[Array]:
        """By which worth is counted, one for each context: the mean of those that may be true.

        Counts where a single belief has them, else probabilities.
        """
        found = []
        for first, *others in self.members:
            if not others:
                found.append(exact_table(first, names))
                continue
            table = first.marginal(names)
            for other in others:
                table = table + other.marginal(names)
            found.append(table / (1 + len(others)))
        return found

    def rules(
        self, cells: Cells, events: Sequence[Event], cap: Fraction, sees: int | None = None
    ) -> list[Rule]:
        """The rows about these events, whichever of the beliefs is true."""
        if self.of_sets:
            return [*self._sets(cells).conditions(events, cap, sees)]
        found: list[Rule] = []
        alone = len(self.members) == 1
        for k, member in enumerate(self.members[0] if alone else ()):
            table = exact_table(member, cells.domain.names)[tuple(cells.codes.T)]
            weighed = replace(cells, laws=(cells.weighed(whole_numbers(table)),))
            said = "" if len(self.members[0]) == 1 else f", belief {k}"
            found += [
                replace(rule, name=rule.name + said)
                for rule in conditions(weighed, events, cap, sees)
            ]
        return found if alone else [*conditions(cells, events, cap, sees)]

    def _sets(self, cells: Cells) -> Sets:
        """Beside sets a single belief is one that has no room."""
        sets = [
            belief if isinstance(belief, TableSet) else _exact(belief) for belief in self.beliefs
        ]
        return Sets.of(sets, cells)


def exact_table(belief: Belief, names: Sequence[str]) -> Array:
    """How likely each combination of these variables is, up to a factor: as counts where the belief
    has them, since shares of counts are rounded, and an odds ratio that is exactly the cap in the
    counts may then lie above it.
    """
    counts = belief.row_counts(names)
    return belief.marginal(names) if counts is None else counts


def _exact(belief: Belief) -> Box:
    names = belief.domain.names
    return Box.around(Joint(belief.marginal(names), names, belief.domain.values), 0.0)


def contexts_of(given: Any) -> tuple[tuple[float, Belief], ...]:
    """[(number of rows, belief), ...], about the same variables."""
    if given is None:
        return ()
    hint = "plan.contexts: a list of (number of rows, belief) is expected"
    found: list[tuple[float, Belief]] = []
    for each in items(given, "plan.contexts"):
        pair = items(each, "plan.contexts")
        if len(pair) != 2 or not 0 < number(pair[0]) < math.inf:
            raise InputError(hint)
        expect(pair[1], Belief, "plan.contexts", A_BELIEF)
        found.append((number(pair[0]), pair[1]))
        if pair[1].domain != found[0][1].domain:
            raise InputError("plan.contexts: have other names or values; give all the same")
    if not found:
        raise InputError(hint)
    return tuple(found)
