"""What follows from a disclosure: which limits are broken now, by how much, and what stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unspoken.assessment.leaks import limits_of
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Disclosure, Exposure
from unspoken.tables.policy import Project
from unspoken.workflows.release.disclosing import disclose
from unspoken.workflows.release.open_project import OpenProject, opened
from unspoken.workflows.release.preparing import Prepared, prepared
from unspoken.workflows.serve.standing import Standing, Standings

__all__ = ["Consequences", "disclosed"]


@dataclass(frozen=True)
class Consequences:
    """``standings``: where accounts stand for whoever knows, too; ``plan``: why the adopted plan
    shows nothing more of the rows that this is about; empty: it keeps the limits, or none is.
    """

    event: Disclosure
    number: int
    standings: tuple[Standing, ...]
    plan: str

    @property
    def broken(self) -> tuple[str, ...]:
        """In words, each limit that does not hold any more of what was given."""
        return tuple(each for standing in self.standings for each in standing.broken)

    def as_json(self) -> dict[str, Any]:
        """For the steward alone."""
        event = self.event
        return {
            "unspoken": "disclosure",
            "event": self.number,
            "attributes": list(event.attributes),
            "epochs": list(event.epochs),
            "to": list(event.readers),
            "by": event.by,
            "why": event.why,
            "standings": [standing.as_json() for standing in self.standings],
            "broken": list(self.broken),
            "plan": self.plan,
        }


def disclosed(
    project: Project | str | Path,
    attributes: Sequence[str],
    *,
    readers: Sequence[str] = (),
    epochs: Sequence[str] = (),
    by: str = "",
    why: str,
) -> Consequences:
    """Write down that attributes became known otherwise, and look at what that changes."""
    whole = opened(project)
    head, event = disclose(whole, attributes, readers=readers, epochs=epochs, by=by, why=why)
    kept = Custody.there(whole)
    assert kept is not None
    try:
        ready = prepared(OpenProject.of(whole), False, kept)
        return Consequences(
            event, head.number, tuple(Standings().of(ready, kept)), _plan(ready, kept)
        )
    except InputError as error:
        text = f"is kept as event {head.number}, but what it changes cannot be said"
        raise InputError(f"disclosed: {text}: {error}") from None


def _plan(ready: Prepared, kept: Custody) -> str:
    """Why the adopted plan breaks a limit, of rows of which nothing else was shown."""
    if ready.adopted is None:
        return ""
    project = ready.project

    def known(account: Account) -> list[Exposure]:
        audiences = (account.reaching(who, project.applications) for who in project.pools)
        return [Exposure(known=account.exposure(audience).known) for audience in audiences]

    found = kept.look(known)
    try:
        admission = ready.admission(ready.plan().mechanism, ready.adopted.limits)
        shown = [
            (admission.plan.showing(reads), [(each, limits_of(project), project.known_by(who))])
            for each, (who, reads) in zip(found, project.pools.items(), strict=True)
        ]
        broken = [admission.too_much(*given) for given in shown]
    except LimitExceeded as error:
        return str(error)
    return next(filter(None, broken), "")
