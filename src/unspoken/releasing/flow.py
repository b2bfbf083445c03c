"""A release on one page: plan -> check -> charge -> read -> coin -> write.

Nothing is answered before it is charged. A crash after the charge wastes it; run again, the same
coins give the same bytes and cost nothing. No file is ever half there.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.parquet as pq

from unspoken.display import Shown, json_number
from unspoken.engines.handed_in import Streams
from unspoken.engines.protocol import Table
from unspoken.errors import InputError, TooLarge
from unspoken.learning import Cache, Doubt, Learned, doubts, refuse_idle, table_of
from unspoken.ledger import Account, Release
from unspoken.mechanisms import OneSided
from unspoken.numerics.coins import ALGORITHM, MasterKey
from unspoken.numerics.files import moved, unfinished, writing
from unspoken.numerics.numbers import number
from unspoken.numerics.prf import KEY_BYTES
from unspoken.planning import Closure, Plan
from unspoken.policy import Project
from unspoken.releasing import manifest
from unspoken.releasing.admission import Admission, policy_of
from unspoken.releasing.cautions import Caution, beyond_contexts, cautions, fewer_rows
from unspoken.releasing.closing import closed_by
from unspoken.releasing.coarse import coarse, probability
from unspoken.releasing.coining import shown
from unspoken.releasing.custody import MARK, Custody, refuse_foreign
from unspoken.releasing.few import named
from unspoken.releasing.findings import Findings, best, findings, readers
from unspoken.releasing.leaks import Leak, leakage_matrix
from unspoken.releasing.manifest import Written
from unspoken.releasing.pieces import regrouped
from unspoken.releasing.reading import Part, Reading, Witness
from unspoken.releasing.results import Rehearsed, Released, Said
from unspoken.releasing.sorting import begun
from unspoken.releasing.units import Units
from unspoken.types.domain import Value
from unspoken.types.kinds import expect

__all__ = ["Prepared", "prepare", "rehearse", "release"]

GROUP = 122_880  # rows of a row group: the bytes of a release must not depend on how it was read


@dataclass(frozen=True, repr=False)
class Prepared(Shown):
    """A project with its table open and its belief learned."""

    project: Project
    table: Table
    learned: Learned
    closed: Closure
    units: Units
    doubts: tuple[Doubt, ...] = ()

    @property
    def sensitive(self) -> Mapping[str, Sequence[Value]]:
        """What is never released: as declared, and closed where the project says so."""
        return self.closed.sensitive if self.project.limits.close else self.learned.sensitive

    def facts(self) -> list[tuple[str, str]]:
        project, limits = self.project, self.project.limits
        readers = (f"{who} reads {', '.join(reads)}" for who, reads in project.applications.items())
        return [
            ("project", str(project.path)),
            ("table", f"{self.table.title}, keys {', '.join(self.table.keys)}"),
            *self.learned.facts(),
            ("applications", "; ".join(readers)),
            ("limits", f"{limits.bits:g} bit about each, odds x {limits.odds_cap:g}"),
            ("next", ".plan(), .findings(); nothing was charged"),
        ]

    def cautions(self, epsilon: Mapping[str, float] | None = None) -> tuple[Caution, ...]:
        """What has to be said beside every number; ``epsilon``: of what is released, if planned."""
        chances = {name: probability(eps) for name, eps in (epsilon or {}).items()}
        with _in_reach():
            return cautions(self.learned, self.units, self.sensitive, chances)

    @property
    def closed_names(self) -> Mapping[str, list[str]]:
        """The values that are closed, as far as they may be named."""
        added = self.closed.added if self.project.limits.close else {}
        return {
            name: named(self.project, self.learned, name, list(map(str, values)))
            for name, values in added.items()
        }

    def findings(self, curve: bool = True) -> Findings:
        with _in_reach():
            found = findings(self.project, self.learned, self.closed, curve)
        beside = self.cautions(found.plan.epsilon)
        return replace(found, cautions=beyond_contexts(self.project, found.planned_known, beside))

    def closing(self, close: bool | None) -> Prepared:
        """The same with telling values made sensitive, or not; None: as the project says."""
        if close is None:
            return self
        limits = replace(self.project.limits, close=close)
        return replace(self, project=replace(self.project, limits=limits))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the predicates of the project."""
        return tuple(map(str, self.doubts))

    def plan(self) -> Plan:
        refuse_idle(self.doubts)
        with _in_reach():
            return best(self.project, self.learned, self.sensitive)


def prepare(
    project: Project | str | Path, *, table: Streams | None = None, fresh: bool = False
) -> Prepared:
    """Open the table of a project (or of the project file at a path) and learn its belief.

    ``table``: a frame of pandas, polars or Arrow whose rows stand in for those of its source.
    ``fresh``: read the rows, though what was counted of these very files may be kept.
    """
    return _prepared(_read(project), table, fresh)


def _prepared(whole: Project, frame: Streams | None, fresh: bool, keyed: bool = False) -> Prepared:
    """``keyed``: see that keys name the rows, even where they did when these were counted."""
    opened = table_of(whole, frame, checked=False)
    _refuse_sources(whole, opened)
    cache = Cache.of(whole, opened) if frame is None else None
    before = None if cache is None or fresh else cache.read()
    if keyed or before is None:
        opened.check(whole.at("source", "keys"))
    units, learned = Units.of(whole, opened), Learned.of(whole, opened, before)
    if cache is not None and before is None and learned.counted is not None:
        cache.write(learned.counted, opened)
    odd = doubts(whole, opened, learned)
    return Prepared(whole, opened, learned, closed_by(whole, learned), units, odd)


def release(
    project: Project | str | Path,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: Streams | None = None,
    fresh: bool = False,
) -> Released:
    """Release what the plan lets out; ``scale`` < 1 takes that share of every eps of the plan.

    ``reader``: the application that is given the file, with what it reads and nothing else; needed
    where not all pool what they get. ``table``, ``fresh``: as for `prepare`; the project's key,
    ledger and files are used, so that the same rows give the same bytes, wherever they come from.
    What is released is read from the table in any case, and so is its fingerprint.
    """
    asked = _Asked.of(project, scale, reader, table, fresh)
    refuse_foreign(asked.project)
    kept = Custody.made(asked.project)
    read, files = Witness.of(asked.reading, kept.master), asked.project.files
    event = asked.event(kept.master, read)
    same, said = list[int | None](), list[Said]()

    def admit(account: Account) -> None:
        asked.admission.check(event, account)
        same.append(account.number(event))
        said.append(asked.said(event, account))

    # Both files are begun before the charge: where nothing can be written, nothing is paid.
    with unfinished(files.release) as data, unfinished(files.manifest) as paper:
        parts = begun(asked.reading, read.size)
        head = kept.ledger.charge(event, admit, kept.seal)
        written = _write(asked.reading, parts, kept.master, event, data.file)
        charged, closed = kept.ledger.charged(head.number), asked.ready.closed_names
        described = manifest.described(asked.project, event, head, charged, written, closed)
        first = manifest.by_digest(files.manifest, written.sha256)
        with writing(files.manifest):
            paper.file.write(manifest.text(described).encode())
            paper.publish(first)
        with writing(files.release):
            data.publish()
        with writing(files.manifest):
            moved(first, files.manifest)
    return Released(
        path=files.release,
        manifest=files.manifest,
        rows=written.rows,
        plan=asked.plan,
        leakage=asked.leakage,
        event=event,
        again=same != [None],
        said=said[-1],
        warnings=asked.ready.warnings,
    )


def rehearse(
    project: Project | str | Path,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: Streams | None = None,
    fresh: bool = False,
) -> Rehearsed:
    """Everything up to the charge: refused like the release, but nothing is charged or written."""
    asked = _Asked.of(project, scale, reader, table, fresh)
    refuse_foreign(asked.project)
    kept = Custody.there(asked.project)
    # Before there is a key any will do: of what is read with it nothing is compared or kept.
    master = kept.master if kept else MasterKey(bytes(KEY_BYTES))
    event = asked.event(master, Witness.of(asked.reading, master))
    said = list[Said]()

    def admit(account: Account) -> None:
        asked.admission.check(event, account)
        said.append(asked.said(event, account))

    kept.ledger.look(admit, kept.seal) if kept else admit(Account.of(()))
    shows, odd = event.mechanism.exponents(), asked.ready.warnings
    return Rehearsed(shows, asked.plan, asked.leakage, said[-1], odd)


def _read(project: Project | str | Path) -> Project:
    if isinstance(project, str | Path):
        return Project.read(project)
    expect(project, Project, "project", "give a path; a frame stands beside it, as table=")
    return project


@contextmanager
def _in_reach() -> Iterator[None]:
    """A tree may have more attributes than a plan can look at together: say what to change."""
    try:
        yield
    except TooLarge as error:
        raise TooLarge(
            f"plan: {error}. In a project: fewer bins or values for what is read, or fewer "
            "attributes in `reads`"
        ) from error


def _scaled(
    plan: Plan, reads: Sequence[str], sensitive: Mapping[str, Sequence[Value]], scale: float
) -> OneSided:
    """This share of every eps of a plan, each p of three decimal places."""
    if not 0 <= scale <= 1:
        raise InputError(f"release scale {scale}: is the share of the plan to use, from 0 to 1")
    share = OneSided({name: plan.epsilon[name] for name in reads}, sensitive).scaled(scale)
    return replace(share, epsilon=coarse(share.epsilon))


@dataclass(frozen=True)
class _Asked:
    """A release as it is asked for. ``project``: what of it is served; ``mechanism``: what is shown
    to all.
    """

    project: Project
    ready: Prepared
    reader: str | None
    scale: float
    plan: Plan
    mechanism: OneSided
    leakage: Sequence[Leak]

    @classmethod
    def of(
        cls,
        project: Project | str | Path,
        scale: float,
        reader: str | None,
        table: Streams | None,
        fresh: bool,
    ) -> _Asked:
        whole = _read(project)
        share = number(scale)
        served, ready = whole.serving(reader), _prepared(whole, table, fresh, keyed=True)
        _refuse_sources(served, ready.table)
        plan = ready.plan()
        mechanism, learned = _scaled(plan, whole.reads, ready.sensitive, share), ready.learned
        leaks = leakage_matrix(learned.belief, mechanism, readers(whole, reader), learned.sensitive)
        return cls(served, ready, reader, share, plan, mechanism, leaks)

    def said(self, event: Release, account: Account) -> Said:
        """What is said of the release: declared limits, not what was measured."""
        beside = self.ready.cautions(self.mechanism.epsilon)
        cautions = (*map(Caution.unmeasured, beside), *fewer_rows(event, account))
        return Said(self.ready.project, self.admission.together(event, account), cautions)

    @property
    def reading(self) -> Reading:
        ready = self.ready
        return Reading(self.project, ready.table, ready.learned, ready.sensitive)

    @property
    def admission(self) -> Admission:
        """Held against the limits of the whole project, whoever is served."""
        ready, learned = self.ready, self.ready.learned
        return Admission(
            ready.project,
            learned.belief,
            ready.sensitive,
            learned.sensitive,
            self.plan.epsilon,
            self.scale,
        )

    def event(self, master: MasterKey, read: Witness) -> Release:
        """What the ledger is to keep of it, as it was ``read``."""
        ready, whole = self.ready, self.ready.project
        epoch, limits, keys = whole.epoch, whole.limits, ready.table.keys
        return Release(
            table=whole.source.name,
            epoch=_coined_by(whole),
            per_key=epoch.of is not None,
            mechanism=OneSided(
                {name: self.mechanism.epsilon[name] for name in self.project.reads},
                {name: ready.sensitive[name] for name in self.project.reads},
            ),
            readings=read.readings(),
            key=master.fingerprint,
            coins=ALGORITHM,
            limits=_declared(whole),
            leakage={"told": manifest.leakage(self.leakage)},
            closed={name: [str(v) for v in values] for name, values in ready.closed.added.items()}
            if limits.close
            else {},
            policy={name: policy_of(whole, name) for name in self.project.reads},
            readers=() if self.reader is None else (self.reader,),
            keys=keys if len(keys) > 1 else (),
            rows=ready.learned.rows,
        )


def _refuse_sources(project: Project, table: Table) -> None:
    """What is read is never written over: a query names files that the project does not."""
    read = {os.path.realpath(path) for path in table.files}
    for path in astuple(project.files):
        if os.path.realpath(path) in read:
            raise InputError(
                f"{path}: is read by this project, so it cannot be written too; name another file"
            )


def _coined_by(project: Project) -> str:
    """What names epochs, and so coins: the label, or the function of keys in its time zone."""
    epoch, zone = project.epoch, project.source.timezone
    if epoch.of is None:
        return epoch.label or ""
    return epoch.of if zone == "UTC" else f"{epoch.of} ({zone})"


def _declared(project: Project) -> dict[str, Any]:
    """The limits as an event keeps them."""
    limits = project.limits
    return {
        "limit_bits": limits.bits,
        "odds_cap": json_number(limits.odds_cap),
        "exceed": limits.exceed,
        "target": dict(limits.targets),
        **({"coalitions": [list(members) for members in project.pools]} if project.divided else {}),
    }


def _write(
    reading: Reading, parts: Iterator[Part], master: MasterKey, event: Release, file: BinaryIO
) -> Written:
    """Write the release in row groups of one size, whatever batches come."""
    files, rows = reading.project.files, 0
    witness = Witness(reading, master)
    batches = shown(reading, witness.watch(parts), master, event.mechanism.exponents())
    first = next(batches, None)
    if first is None:
        raise _changed(reading)
    with writing(files.release):
        with pq.ParquetWriter(file, first.schema, store_schema=False) as writer:
            writer.add_key_value_metadata(MARK)
            for group in regrouped(itertools.chain([first], batches), GROUP):
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
        if witness.readings() != event.readings:
            raise _changed(reading)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    return Written(rows, digest, {field.name: str(field.type) for field in first.schema})


def _changed(reading: Reading) -> InputError:
    return InputError(
        f"{reading.project.source.name}: changed while it was read; nothing was released. "
        "The charge stands; release again when nobody writes to the table"
    )
