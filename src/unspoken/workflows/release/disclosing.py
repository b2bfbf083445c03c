"""What became known otherwise than by releases: kept in the ledger, and counted from then on.

A breach, or somebody who was made to tell, shows nothing that this project released. It changes who
looks: whoever knows an attribute of a row is another adversary, to whom the same releases may tell
more. So limits hold from then on for who knows, as for who does not; what was given is judged anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from unspoken.core.errors import InputError, unknown
from unspoken.storage.custody.believing import used_rows
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Account, Disclosure, Head, Ledger
from unspoken.storage.rows.reading import Epochs
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning import table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release.asked import coined_by

__all__ = ["disclose", "epochs_of"]


def disclose(
    project: Project,
    attributes: Sequence[str],
    *,
    readers: Sequence[str] = (),
    epochs: Sequence[str] = (),
    by: str = "",
    why: str,
) -> tuple[Head, Disclosure]:
    """Write down that these attributes became known to ``readers`` (none named: to everybody), of
    the rows of these ``epochs`` (none named: of all, of any time). It cannot be taken back.
    """
    _refuse_unknown("disclosed", attributes, project.attributes)
    _refuse_unknown("disclosed, to", readers, project.applications)
    if not attributes or not why.strip():
        raise InputError("disclosed: name at least one attribute, and say why, for who asks later")
    kept = Custody.there(project)
    if kept is None:
        raise InputError(
            "disclosed: there is no ledger yet, so nothing was released; write what applications "
            "know into the project file, [application.NAME] knows"
        )
    if epochs:
        _refuse_unknown("disclosed, epoch", epochs, epochs_of(project, kept.ledger))
    event = Disclosure(
        table=project.source.name,
        attributes=tuple(sorted({*attributes})),
        epoch=coined_by(project),
        per_key=project.epoch.of is not None,
        epochs=tuple(sorted({*epochs})),
        readers=tuple(sorted({*readers})),
        key=kept.master.fingerprint,
        by=by,
        why=why.strip(),
    )
    return kept.ledger.charge(event, _anything, kept.seal), event


def epochs_of(project: Project, ledger: Ledger) -> set[str]:
    """Those that the table has rows of, or anything was released of."""
    known = {epoch for event in ledger.events() for epoch in event.readings}
    if project.epoch.of is None:
        return known | {project.epoch.label or ""}
    rows = used_rows(project, table_of(project, None, checked=False), history=False)
    naming = Epochs.of(project, rows)
    for batch in rows.batches(Scan(list(rows.keys), ordered=False)):
        known |= naming.rows(batch)[0].keys()
    return known


def _anything(_account: Account) -> None:
    """What became known is known, whatever was charged before."""


def _refuse_unknown(where: str, names: Iterable[str], there: Collection[str]) -> None:
    for name in names:
        if name not in there:
            raise unknown(where, name, sorted(there))
