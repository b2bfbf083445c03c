"""What changed: between two countings of a table, between two plans, and in the rows since."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from unspoken.assessment.deciding.adopting import adoptions_of
from unspoken.assessment.drift import Drift, drift
from unspoken.core.errors import InputError, UnspokenError
from unspoken.core.mechanisms import Mechanism
from unspoken.core.numerics.arrays import Array
from unspoken.storage.custody.believing import Believed
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import Adoption
from unspoken.storage.stated import stated
from unspoken.tables.learning.intervals.consistent import consistent
from unspoken.tables.learning.pinned import JOINT, Pinned
from unspoken.tables.policy import Project
from unspoken.workflows.release.preparing import Prepared, prepare

__all__ = ["Difference", "OfPlan", "difference"]


@dataclass(frozen=True)
class OfPlan:
    """``chances``: p of each attribute; ``shares``: of all rows, under the belief now."""

    chances: Mapping[str, float]
    shares: Mapping[str, float]
    adopted: Adoption | None = None

    @classmethod
    def of(cls, ready: Prepared, mechanism: Mechanism, adopted: Adoption | None = None) -> OfPlan:
        learned, chances = ready.learned, dict[str, float]()
        with suppress(UnspokenError):  # a plan for other labels says nothing of these
            chances.update(stated(mechanism, learned.belief))
        free = {
            name: 1.0 - sum(_share(learned.belief.marginal([name]), labels, mechanism.hides(name)))
            for name, labels in learned.labels.items()
            if name in chances
        }
        return cls(chances, {name: chances[name] * share for name, share in free.items()}, adopted)


@dataclass(frozen=True)
class Difference:
    """``before`` and ``now``: what was counted; ``moved``: {attribute: {label: (share before,
    share now)}}; ``apart``: half of what the tables differ by, None where their labels differ.
    ``was``, ``adopted`` and ``best``: the plan before, the one that is adopted, and the one that
    would be. ``drift``: exact, for the holder alone.
    """

    project: Project
    before: Pinned | None
    now: Pinned
    moved: Mapping[str, Mapping[str, tuple[float, float]]]
    apart: float | None
    was: OfPlan | None
    adopted: OfPlan | None
    best: OfPlan
    drift: Drift


def difference(project: Project | str | Path, against: Path | None = None) -> Difference:
    """What changed since the counting before, or since that of another belief file."""
    ready = prepare(project)
    if ready.believed is None:
        raise InputError("diff: nothing was counted yet, so nothing can have changed since")
    whole, now = ready.project, ready.believed.pinned
    kept = Custody.there(whole)
    before = Pinned.read(against) if against is not None else _earlier(kept, ready.believed)
    plans = adoptions_of(whole, kept, ready.believed)
    mechanism = ready.plan().mechanism if ready.adopted is None else ready.adopted.mechanism
    return Difference(
        project=whole,
        before=before,
        now=now,
        moved={} if before is None else _moved(before, now),
        apart=None if before is None else _apart(before, now),
        was=OfPlan.of(ready, plans[-2].mechanism, plans[-2]) if len(plans) > 1 else None,
        adopted=OfPlan.of(ready, plans[-1].mechanism, plans[-1]) if plans else None,
        best=OfPlan.of(ready, ready.new_plan().plan().mechanism),
        drift=drift(whole, ready.table, ready.believed, ready.learned, mechanism),
    )


def _earlier(kept: Custody | None, believed: Believed) -> Pinned | None:
    """The last of this table's countings before, of which the ledger has a copy."""
    digests = [event.digest for event in believed.learnings]
    for digest in digests[: digests.index(believed.pinned.digest)][::-1]:
        text = None if kept is None else kept.ledger.text(digest)
        if kept is not None and text is not None:
            found = Pinned.parse(text, kept.ledger.path)
            if {*found.labels} & {*believed.pinned.labels}:
                return found
    return None


def _moved(before: Pinned, now: Pinned) -> dict[str, dict[str, tuple[float, float]]]:
    """The share of every label that either has."""
    then, since = before.shares, now.shares
    return {
        name: {
            label: (then[name].get(label, 0.0), since[name].get(label, 0.0))
            for label in dict.fromkeys([*then[name], *since[name]])
        }
        for name in since
        if name in then
    }


def _apart(before: Pinned, now: Pinned) -> float | None:
    """The total variation between the tables, as they are with their noise."""
    if before.labels != now.labels or not {JOINT} <= {*before.tables} & {*now.tables}:
        return None
    both = [consistent(each.tables[JOINT], each.rows) / each.rows for each in (before, now)]
    return float(abs(both[0] - both[1]).sum() / 2)


def _share(law: Array, labels: tuple[str, ...], hidden: tuple[object, ...]) -> list[float]:
    return [float(p) for p, label in zip(law, labels, strict=True) if label in hidden]
