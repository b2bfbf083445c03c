"""To adopt a plan: from then on releases show it, and no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from unspoken.assessment.deciding.adopting import adopt
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.planning import Plan
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Release, tossing
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.policy import Project
from unspoken.tables.policy.complaints import quoted
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.open_project import OpenProject
from unspoken.workflows.release.preparing import Prepared, learn_project

__all__ = ["adopt_plan"]


def adopt_plan(
    project: Project | str | Path | OpenProject,
    *,
    by: str = "",
    why: str = "",
    extend: bool = False,
    table: ArrowStream | None = None,
    fresh: bool = False,
) -> Prepared:
    """Adopt the best plan for what is declared now: from now on releases show that, and no more.

    What was released before stays charged. ``by``, ``why``: kept in the ledger. ``extend``: keep
    the adopted plan, and show more beside what it has shown of the same records.
    """
    found = learn_project(project, table=table, fresh=fresh)
    ready = found.extending() if extend else found.new_plan()
    if ready.believed is None:
        raise InputError(
            "plan: with exact counts every release plans anew, and nothing can be adopted; give "
            "[belief] a noise"
        )
    kept = Custody.made(ready.project)
    chosen = ready.plan()
    if extend:
        _refuse_unreleasable(ready, chosen, kept)
    adopted = adopt(ready.project, kept, ready.believed, chosen, ready.closed, by, why)
    return replace(ready, adopted=adopted)


def _refuse_unreleasable(ready: Prepared, chosen: Plan, kept: Custody) -> None:
    """An extension adds to what each reader has: some may have had more than they read by now."""
    for reader in ready.project.applications if ready.project.divided else (None,):
        served = ready.project.serving(reader)
        asked = Asked(served, ready, reader, 1.0, chosen, chosen.mechanism, ())

        def admit(account: Account, asked: Asked = asked) -> None:
            event = _of_all_epochs(asked.event(kept.master, {}, 0), account)
            admission = asked.admission
            broken = admission.too_much(event.mechanism, admission.before(event, account))
            if broken:
                who = "everybody" if asked.reader is None else quoted(asked.reader)
                raise LimitExceeded(
                    f"plan --extend: could not be released to {who}: {broken}, with what they were "
                    "given before; let them read what they read then, or extend nothing and adopt "
                    "a plan for new epochs"
                )

        kept.look(admit)


def _of_all_epochs(event: Release, account: Account) -> Release:
    """The same, of every epoch that anybody was given under these coins."""
    given = account.parts(tossing(event)).values()
    epochs = {
        epoch: parts[0].readings for by_epoch in given for epoch, parts in by_epoch.items() if parts
    }
    return replace(event, readings=epochs)
