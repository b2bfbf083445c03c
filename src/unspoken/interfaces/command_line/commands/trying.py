"""The commands that need no project: a case by itself, attacks, a demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group

from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.commands.options import AsJson
from unspoken.interfaces.command_line.running import REFUSED, err, out, say, show
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording.terminal import facts, near

__all__ = ["audit_command", "case_command", "demo_command"]


def case_command(
    file: Annotated[Path, typer.Argument(help="A case file, TOML or JSON.")],
    drawn: Annotated[
        Path | None,
        typer.Option("--picture", help="Draw what is compared, noise against limit: .png or .svg."),
    ] = None,
    in_json: AsJson = False,
) -> None:
    """Answer a case file: a belief, a mechanism, an adversary."""
    from unspoken.interfaces.case import Case
    from unspoken.interfaces.output_files import to_draw
    from unspoken.interfaces.wording import as_json

    case = Case.read(file)
    if drawn is not None and not case.compares:
        raise InputError(
            f"{file}: --picture draws what `compare = {{limit = ...}}` in [ask] asks for"
        )
    write = None if drawn is None else to_draw(drawn)
    with busy(err, "looking at every answer") as tell:
        answers = case.answer(tell)
        if write is not None and answers.compared is not None:
            write(answers.compared.picture(lambda k, n: tell(f"drawing, {k} of {n} limits")))
    show(as_json.case(answers) if in_json else Group(*facts(str(answers))))
    if drawn is not None:
        say(f"Wrote {near(drawn)}")


def audit_command(
    project: Annotated[
        Path | None,
        typer.Argument(help="The project whose releases are attacked; without any: --catalogue."),
    ] = None,
    of_catalogue: Annotated[
        bool, typer.Option("--catalogue", help="Attack the catalogue's scenarios instead.")
    ] = False,
    release: Annotated[
        list[Path] | None,
        typer.Option(help="Attack this released table; given again: what several show, pooled."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="The original of --release, which the holder has.")
    ] = None,
    keys: Annotated[
        str | None, typer.Option(help="The columns that name a row of both, as office,day.")
    ] = None,
    secret: Annotated[
        str | None, typer.Option(help="A condition on the original, such as \"x = 'a'\".")
    ] = None,
    odds_cap: Annotated[
        float | None, typer.Option(help="By how much --release is said to multiply odds.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Whose rows they are: some of --keys, as office.")
    ] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="SQL over --keys: what may be known of a row.")
    ] = None,
    previous: Annotated[
        list[str] | None, typer.Option(help="A column known of the row before of its --unit.")
    ] = None,
    unit_bits: Annotated[
        float | None, typer.Option(help="What all rows of a --unit are said to tell at most.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write it as a page with pictures, too: .html.")
    ] = None,
    in_json: AsJson = False,
) -> None:
    """Attack: what attackers really get, beside each bound claimed."""
    from unspoken.interfaces.command_line.attacked_file import file_beaten
    from unspoken.interfaces.command_line.auditing import catalogue_beaten, releases_beaten
    from unspoken.interfaces.command_line.projects import declared
    from unspoken.interfaces.command_line.starting import columns_listed
    from unspoken.tables.policy import project_file

    if project is not None and of_catalogue:
        raise InputError("--catalogue: is of no project; give one or the other")
    known = (secret, odds_cap, unit, context or None, previous or None, unit_bits)
    if (release or None, against, keys, *known) != (None,) * 9:
        if not release or against is None or keys is None or project or of_catalogue:
            raise InputError("--release: needs --against and --keys beside it, and no project")
        given = {"secret": secret, "odds_cap": odds_cap, "unit_bits": unit_bits}
        around = {
            "unit": None if unit is None else columns_listed(unit, "--unit"),
            "context": context,
            "previous": previous,
        }
        options = {**given, **around}
        beaten = file_beaten(release, against, columns_listed(keys), in_json, page, options)
    elif project is not None or (not of_catalogue and project_file(Path()).is_file()):
        beaten = releases_beaten(declared(project or Path()), in_json, page)
    else:
        beaten = catalogue_beaten(in_json, page)
    if page is not None:
        say(f"Wrote {near(page)}")
    if beaten:
        raise typer.Exit(REFUSED)


def demo_command(
    folder: Annotated[Path, typer.Argument(help="Where to write the demo.")] = Path("demo"),
    offices: Annotated[int, typer.Option(min=20, help="How many offices.")] = 120,
    days: Annotated[int, typer.Option(min=20, help="How many working days.")] = 250,
) -> None:
    """A simulated building of offices, from its table to a report."""
    from unspoken.interfaces.command_line.demo import demonstrate

    demonstrate(folder, offices, days, out)
