"""Whether the rows that are let out are still like those that were counted: for the steward alone.

Rows are looked at after each charge, and looks are many. The k-th has a chance of
LEVEL / (k (k + 1)) to find what is not there, so all together one of LEVEL at most, however long it
goes on. One alarm is raised for each counting: it stands until the table is counted again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from unspoken.assessment.drift import LEVEL, Drifted, apart
from unspoken.core.errors import UnspokenError
from unspoken.storage.custody.custody import Custody
from unspoken.tables.engines.protocol import Table
from unspoken.workflows.release.preparing import Prepared
from unspoken.workflows.serve.notices import Notice, Notices

__all__ = ["Watching"]


@dataclass
class Watching:
    """``looks``: how many there have been; no fewer than since anything was released."""

    looks: int | None = None

    def look(self, ready: Prepared, kept: Custody, table: Table, epochs: Collection[str]) -> None:
        """At the rows of these epochs; what differs is said once."""
        if ready.believed is None:
            return
        alarms, digest = Notices.alarms(ready.project), ready.believed.pinned.digest
        if any(each.what == digest for each in alarms.latest()):
            return
        if self.looks is None:  # each look before had an event of its own
            self.looks = kept.ledger.releases()
        self.looks += 1
        level = LEVEL / (self.looks * (self.looks + 1))
        try:
            found = apart(ready.project, table, ready.believed, ready.learned, level, epochs=epochs)
            why = _said(found[0], epochs) if found else ""
        except UnspokenError as error:
            why = f"whether rows have changed cannot be told: {error}"
        if why:
            alarms.add(Notice.now("drift", "", digest, why))


def _said(found: Drifted, epochs: Collection[str]) -> str:
    """Which labels differ most, and from what to what."""
    labels = " and ".join(f"{name} {label}" for name, label in found.labels.items())
    (a, b), (c, d) = found.then, found.since
    return (
        f"{labels}: {a:.0%} to {b:.0%} of the rows that were counted, {c:.0%} to {d:.0%} of those "
        f"of {', '.join(sorted(epochs)[-3:])}"
    )
