"""A release on one page: plan -> check -> read -> coin -> write -> charge -> publish.

The source is read once: what is read decides what is charged, so the file is written first, where
nobody sees it. It appears once it is charged; nothing is answered before. A crash after the charge
wastes it; run again, the same coins give the same bytes and cost nothing. No file is ever half
there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from unspoken.assessment.deciding.adopting import adopt, refuse_unapproved
from unspoken.core.errors import UnspokenError
from unspoken.storage.coins import BATCH, MasterKey
from unspoken.storage.custody.charges import ChargedRelease
from unspoken.storage.custody.custody import Custody, refuse_foreign
from unspoken.storage.ledger import Account, Release
from unspoken.storage.prf import KEY_BYTES
from unspoken.storage.rows.outputs import Output, lying
from unspoken.storage.rows.sorting import begun
from unspoken.storage.rows.witness import Witness
from unspoken.storage.writing.leftovers import remove_leftovers
from unspoken.storage.writing.publishing import publish, write_rows
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.files import PRIVATE, unfinished
from unspoken.tables.policy import Project
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.by_epoch import Tell, rehearse_epochs, release_epochs
from unspoken.workflows.release.drifted import drifted
from unspoken.workflows.release.open_project import OpenProject, opened
from unspoken.workflows.release.results import Rehearsed, Released, Said

__all__ = ["rehearse", "release"]


def release(
    project: Project | str | Path | OpenProject,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: ArrowStream | None = None,
    fresh: bool = False,
    epochs: Collection[str] | None = None,
    draw: int = 1,
    tell: Tell | None = None,
) -> Released:
    """Release what the plan lets out; ``scale`` < 1 takes that share of every eps of the plan.

    ``reader``: the application that is given the file, with what it reads and nothing else; needed
    where not all pool what they get. ``table``, ``fresh``: as for `prepare`; the project's key,
    ledger and files are used, so that the same rows give the same bytes, wherever they come from.
    What is released is read from the table in any case, and so is its fingerprint.
    ``epochs``: of a folder with a file for each, look at these alone; None: all that are new.
    ``draw`` 2 tosses coins of its own for the same cells, into files of its own: it is charged
    beside the first. ``tell`` hears of a release that is new and not refused, before it is charged.
    """
    remove_leftovers(project.project if isinstance(project, OpenProject) else opened(project))
    read = OpenProject.of(project, table)
    whole = read.project
    served = whole.serving(reader)  # of which all draws are looked at
    make = partial(_made, whole, served, whole.serving(reader, draw))
    asked = Asked.of(read, scale, reader, fresh, Custody.there(served), make, draw)
    with _going_on(_adopted(asked, kept := make())):
        if asked.project.files.by_epoch:
            return release_epochs(asked, kept, epochs, tell)
        return _whole(asked, kept, tell)


def _whole(asked: Asked, kept: Custody, tell: Tell | None) -> Released:
    """All rows, into one file."""
    files, reading = asked.project.files, asked.reading
    output = Output(files.release, files.manifest)
    same, said = list[int | None](), list[Said]()

    # What is written before the charge lies where nobody looks, and is for the owner alone.
    with unfinished(files.release, PRIVATE) as data, unfinished(files.manifest) as paper:
        witness = Witness(reading.rules, kept.master)
        rows = witness.watch(begun(reading, asked.kernel(kept.master, asked.released)))
        written = write_rows(reading, rows, output, data.file)
        event = asked.event(kept.master, witness.readings(), witness.rows)

        def admit(account: Account) -> None:
            asked.admission.check(event, account)
            same.append(account.number(event))
            said.append(asked.said(event, account))

        moved = drifted(asked, kept, witness, witness.counts)
        if tell is not None and kept.look(partial(_number_of, asked, event)) is None:
            tell(asked)
        head = kept.ledger.charge(event, admit, kept.seal, asked.terms)
        charged = ChargedRelease.from_ledger(kept.ledger, head.number)
        publish(output, data, paper, written, asked.described(charged, written))
    return Released(
        path=files.release,
        manifest=files.manifest,
        rows=written.rows,
        plan=asked.plan,
        leakage=asked.leakage,
        event=event,
        p=asked.p,
        again=same != [None],
        said=said[-1],
        warnings=(*asked.ready.warnings, *(moved if same == [None] else ()), *said[-1].measured),
    )


def rehearse(
    project: Project | str | Path | OpenProject,
    scale: float = 1.0,
    reader: str | None = None,
    *,
    table: ArrowStream | None = None,
    fresh: bool = False,
    draw: int = 1,
    tell: Tell | None = None,
) -> Rehearsed:
    """Everything up to the charge: refused like the release, but nothing is charged or written."""
    read = OpenProject.of(project, table)
    whole = read.project
    kept = Custody.there(whole.serving(reader))
    asked = Asked.of(read, scale, reader, fresh, kept, None, draw)
    if asked.ready.adopted is None and whole.belief.noise is not None:
        refuse_unapproved(whole)
    # Before there is a key any will do: of what is read with it nothing is compared or kept.
    master = kept.master if kept else MasterKey(bytes(KEY_BYTES))
    if asked.project.files.by_epoch:
        done = rehearse_epochs(asked, kept, master)
        if tell is not None:
            tell(asked)
        return done
    refuse_foreign(lying(asked.project.files))
    reading, witness = asked.reading, Witness(asked.reading.rules, master)
    deque(witness.watch(reading.through(asked.kernel(master), BATCH, ordered=False)), 0)
    event = asked.event(master, witness.readings(), witness.rows)
    said = list[Said]()

    def admit(account: Account) -> None:
        asked.admission.check(event, account)
        said.append(asked.said(event, account))

    kept.ledger.look(admit, kept.seal) if kept else admit(Account.of(()))
    if tell is not None:
        tell(asked)
    odd = (
        *asked.ready.warnings,
        *drifted(asked, kept, witness, witness.counts),
        *said[-1].measured,
    )
    return Rehearsed(asked.p, asked.plan, asked.leakage, said[-1], odd)


def _number_of(asked: Asked, event: Release, account: Account) -> int | None:
    """That of the event, if it was charged before; refused like the release."""
    asked.admission.check(event, account)
    return account.number(event)


def _made(whole: Project, served: Project, drawn: Project) -> Custody:
    """Once nothing else stands in the way of what is written, nor lies there of anybody."""
    Custody.there(whole)
    if not drawn.files.by_epoch:  # of a folder it is known later which files
        refuse_foreign(lying(drawn.files))
    return Custody.made(served)


def _adopted(asked: Asked, kept: Custody) -> bool:
    """The first release adopts its plan, unless somebody has to; whether this is the first."""
    ready = asked.ready
    if ready.adopted is not None or ready.believed is None:
        return False
    refuse_unapproved(ready.project)
    adopt(ready.project, kept, ready.believed, asked.plan, ready.closed)
    return True


@contextmanager
def _going_on(adopted: bool) -> Iterator[None]:
    """What a first release is refused for, once counts and plan are charged, says that they are."""
    try:
        yield
    except UnspokenError as error:
        if adopted:
            stays = "counts and plan are charged, and stay; the next release adds neither anew"
            error.args = (f"{error} ({stays})",)
        raise
