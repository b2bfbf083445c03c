"""Commands about what a project keeps: its ledger; all in one file, and back; what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.commands.options import AsJson, ProjectFile
from unspoken.interfaces.command_line.running import err, say, show, warn
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording import envelope
from unspoken.interfaces.wording.terminal import near

__all__ = ["backup_command", "diff_command", "ledger_command", "restore_command", "verify_command"]


def ledger_command(
    project: ProjectFile = Path(),
    verify: Annotated[
        bool, typer.Option("--verify", help="Only check that no event was changed or is gone.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write all events into this file: JSON lines."),
    ] = None,
    given: Annotated[
        Path | None, typer.Option("--import", help="Read such a file into a ledger of no events.")
    ] = None,
    in_json: AsJson = False,
) -> None:
    """What was released so far, and how much of each attribute."""
    from unspoken.interfaces.wording import as_json, history
    from unspoken.storage.custody.carrying import export_ledger, import_ledger
    from unspoken.storage.custody.custody import verified
    from unspoken.storage.ledger import Ledger
    from unspoken.tables.policy import Project

    if export is not None:
        say(f"Wrote {near(export)}, for its owner only: {_events(export_ledger(project, export))}")
    if given is not None:
        say(f"Read {near(given)}: {_events(import_ledger(project, given).number)}")
    path, checked = Project.read(project).files.charged, verified(project)
    warn(checked.warnings)
    if verify:
        found = as_json.verified(checked) if in_json else history.verified(checked)
        show(found, checked.warnings)
    elif export is None and given is None:
        held = Ledger(path)
        events = held.history(), held.decisions(), held.answers()
        shown = as_json.ledger(*events) if in_json else history.ledger(*events)
        show(shown, checked.warnings)


def verify_command(
    manifest: Annotated[
        Path, typer.Argument(help="The manifest of a release, or a folder of them.")
    ],
    project: ProjectFile = Path(),
    in_json: AsJson = False,
) -> None:
    """Make a release and its manifest again, and compare."""
    from unspoken.workflows.release.reproducing import reproduce_all

    papers = sorted(manifest.glob("*.json")) if manifest.is_dir() else [manifest]
    if not papers:
        raise InputError(f"{near(manifest)}: has no manifest in it")
    with busy(err, "releasing again, into nothing"):
        found = list(reproduce_all(papers, project))
    wrong = [(paper, each) for paper, each in found if each.differs]
    for paper, each in found:
        if not each.differs:
            say(
                f"{near(paper)}: event {each.number} gives the same {each.rows:,} rows again, to "
                f"the byte: sha256 {each.sha256}"
            )
        if each.unchecked:
            say(
                f"{near(paper)}: {', '.join(each.unchecked)} cannot be checked: the ledger has "
                "them only of releases by a later version"
            )
    if wrong:
        said = (f"{near(paper)}: is not reproduced: {'; '.join(e.differs)}" for paper, e in wrong)
        raise InputError("; ".join(said))
    if in_json:
        show(envelope.reproduced(found))


def backup_command(
    file: Annotated[Path, typer.Argument(help="The archive to write, such as unspoken.zip.")],
    project: ProjectFile = Path(),
    in_json: AsJson = False,
) -> None:
    """All there is to keep of a project, in one file."""
    from unspoken.interfaces.output_files import room_for
    from unspoken.interfaces.wording import as_json
    from unspoken.storage.custody.archive import backup

    room_for(file)
    done = backup(project, file)
    if in_json:
        show(as_json.backed_up(done))
    listed = ", ".join(dict.fromkeys(_named(name, path).name for name, path in done.kept.items()))
    say(f"Wrote {near(file)}, for its owner only: {listed}; {_events(done.events)}")
    say(
        "warning: it has the master key: whoever has the file sees through every release. Keep it "
        "as you keep the key, and make a new one after each release"
    )


def restore_command(
    file: Annotated[Path, typer.Argument(help="The archive that `backup` wrote.")],
    folder: Annotated[Path, typer.Argument(help="Where the project is to be.")] = Path(),
    outside: Annotated[
        bool,
        typer.Option("--outside", help="Also where the project file names places elsewhere."),
    ] = False,
    in_json: AsJson = False,
) -> None:
    """Put back what `backup` wrote, over nothing that is there."""
    from unspoken.interfaces.wording import as_json
    from unspoken.storage.custody.archive import restore

    done = restore(file, folder, outside)
    if in_json:
        show(as_json.restored(done))
    places = dict.fromkeys(_named(name, path) for name, path in done.written.items())
    listed = ", ".join(map(near, places))
    say(f"Restored {listed}; {_events(done.events)}, as of {done.made[:16].replace('T', ' ')} UTC")
    say(
        "warning: of what was released since then this ledger knows nothing, nor of what another "
        "copy of it releases from now on: go on in one place only"
    )


def diff_command(
    project: ProjectFile = Path(),
    against: Annotated[
        Path | None, typer.Option("--belief", help="Compare with this belief file instead.")
    ] = None,
    in_json: AsJson = False,
) -> None:
    """What changed: in the counts, in plans, and in rows since."""
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.wording import as_json, changed
    from unspoken.workflows.release import difference

    given = declared(project)
    with busy(err, "comparing"):
        found = difference(given, against)
    show(as_json.diff(found) if in_json else changed.in_words(found))


def _events(count: int) -> str:
    return "1 event" if count == 1 else f"{count} events"


def _named(name: str, path: Path) -> Path:
    """A file by itself, or the folder that has many."""
    return path.parent if "/" in name else path
