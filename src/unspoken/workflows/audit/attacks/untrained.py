"""Attacks that need no practice: Bayes's rule, and counting what is blank."""

from __future__ import annotations

from unspoken.workflows.audit.attacks.protocol import PublicKnowledge, Scorer
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

__all__ = ["blanks", "largest", "least", "posterior", "spread"]


def posterior(known: PublicKnowledge, practice: Trials) -> Scorer | None:
    """Bayes's rule: of all scorers the one whose events tell the most, if what is known is so."""
    return known.posterior


def blanks(known: PublicKnowledge, practice: Trials) -> Scorer:
    """How many cells are withheld: of a row, or of all rows of a unit."""
    return lambda seen: (seen == WITHHELD_AS).sum(1).astype(float)


def largest(known: PublicKnowledge, practice: Trials) -> Scorer:
    """The sum of what is seen, for answers that rise with the secret."""
    return lambda seen: seen.sum(1)


def least(known: PublicKnowledge, practice: Trials) -> Scorer:
    """The same, for answers that fall with it."""
    return lambda seen: -seen.sum(1)


def spread(known: PublicKnowledge, practice: Trials) -> Scorer:
    """How much answers to one question vary, whatever their mean is."""
    return lambda seen: seen.var(1)
