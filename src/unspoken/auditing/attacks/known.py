"""Attacks that need no practice: Bayes's rule, and counting what is blank."""

from __future__ import annotations

from unspoken.auditing.attacks.protocol import Known, Scorer
from unspoken.auditing.trials import WITHHELD_AS, Trials
from unspoken.numerics.arrays import Array

__all__ = ["blanks", "largest", "least", "posterior", "spread"]


def posterior(known: Known, practice: Trials) -> Scorer | None:
    """Bayes's rule: of all scorers the one whose events tell the most, if what is known is so."""
    return known.posterior


def blanks(known: Known, practice: Trials) -> Scorer | None:
    """How many cells are withheld: of a row, or of all rows of a unit."""

    def score(seen: Array) -> Array:
        counted: Array = (seen == WITHHELD_AS).sum(1).astype(float)
        return counted

    return score


def largest(known: Known, practice: Trials) -> Scorer | None:
    """The sum of what is seen, for answers that rise with the secret."""

    def score(seen: Array) -> Array:
        summed: Array = seen.sum(1)
        return summed

    return score


def least(known: Known, practice: Trials) -> Scorer | None:
    """The same, for answers that fall with it."""

    def score(seen: Array) -> Array:
        summed: Array = -seen.sum(1)
        return summed

    return score


def spread(known: Known, practice: Trials) -> Scorer | None:
    """How much answers to one question vary, whatever their mean is."""

    def score(seen: Array) -> Array:
        varied: Array = seen.var(1)
        return varied

    return score
