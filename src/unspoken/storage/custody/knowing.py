"""A project with what became known otherwise: plans are made for it as for what is declared."""

from __future__ import annotations

from dataclasses import replace

from unspoken.core.errors import InputError
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Disclosure
from unspoken.tables.policy import Project

__all__ = ["disclosures_of", "with_disclosed"]


def disclosures_of(kept: Custody | None) -> list[Disclosure]:
    """Everything that became known otherwise."""
    return [] if kept is None or kept.ledger.empty else kept.look(Account.disclosures)


def with_disclosed(project: Project, kept: Custody | None) -> Project:
    """The project whose applications know what was disclosed to them of all rows.

    What is known of some epochs is held against what is shown of these, in
    assessment/deciding/admission.py.
    """
    terms = dict(project.terms)
    for event in disclosures_of(kept):
        for name in event.attributes:
            if name not in project.attributes:
                raise InputError(
                    f"attribute.{name}: became known ({event.why}), so it counts in this ledger; "
                    "declare it here too (no application needs to read it)"
                )
        stranger = any(name not in terms for name in event.readers)
        for who in terms if stranger or not event.readers else event.readers:
            if not event.epochs:
                disclosed = {*terms[who].disclosed, *event.attributes}
                terms[who] = replace(terms[who], disclosed=tuple(sorted(disclosed)))
    return replace(project, terms=terms)
