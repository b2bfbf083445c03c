"""What attacks on a released table came to, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from unspoken.core.display import share
from unspoken.interfaces.attacks.page import file_page, to_write
from unspoken.interfaces.command_line.auditing import HOW, in_its_unit, left_out
from unspoken.interfaces.command_line.running import err, show
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording import as_json
from unspoken.interfaces.wording.terminal import blank, head, note, rows_of, said
from unspoken.workflows.audit import AuditedFile, audit_file
from unspoken.workflows.audit.judging import Verdict

__all__ = ["file_beaten"]

GUESSED = ("blanks of", "cells", "guessed by other cells", "by the commonest")
SOUGHT = ("secret", "prior", "best attack", "at least", "right", "control")


def file_beaten(
    release: list[Path],
    against: Path,
    keys: Sequence[str],
    in_json: bool,
    page: Path | None,
    options: Mapping[str, Any],
) -> bool:
    """Whether an attack beat the bound that was claimed. ``options``: as `audit_file` has them."""
    write = None if page is None else to_write(page)
    given = {name: value for name, value in options.items() if value is not None}
    with busy(err, "attacking the table"):
        found = audit_file(release, against, keys, **given)
    if in_json:
        show(as_json.audited("file", chance=found.chance, **found.as_json()))
    else:
        show(_file(found))
    if write is not None:
        write(file_page(found))
    return found.failed


def _file(found: AuditedFile) -> RenderableType:
    """What blanks and shown cells give away; exact counts again, and so for the holder."""
    if not found.secrets:
        nothing = "No column shows some cells and not others: --secret says what to look for."
        return Group(head(nothing), *_beside_cells(found), *_not_looked_at(found))
    guessed = [
        (
            guess.column,
            f"{guess.blanks:,}",
            share(guess.learned.value),
            share(guess.commonest.value),
        )
        for guess in found.guessed
    ]
    tried = [
        (
            secret.sought,
            share(secret.verdict.claim.prior),
            *_counted_of(secret.verdict, secret.control),
        )
        for secret in found.secrets
    ]
    lines: list[RenderableType] = [said(secret.in_words()) for secret in found.secrets]
    lines += [*_beside_cells(found), *_not_looked_at(found)]
    rows = "1 released row" if found.rows == 1 else f"{found.rows:,} released rows"
    return Group(
        head(f"{rows}, attacked, with the original at hand (for its holder)"),
        blank(),
        *((rows_of(GUESSED, guessed, GUESSED[1:]), blank()) if guessed else ()),
        rows_of(SOUGHT, tried, (SOUGHT[1], *SOUGHT[3:])),
        blank(),
        *lines,
        blank(),
        note(HOW.format(chance=found.chance)),
    )


def _beside_cells(found: AuditedFile) -> list[RenderableType]:
    """What a release has beside cells of the original."""
    lines = list[RenderableType]()
    if found.changed:
        cells = "1 cell shows" if found.changed == 1 else f"{found.changed:,} cells show"
        lines.append(said(f"{cells} another value."))
    if found.beyond:
        names = ", ".join(found.beyond)
        as_it_stands = ", and attacked as it stands" if found.secrets else ""
        lines.append(said(f"Not in the original{as_it_stands}: {names}."))
    return lines


def _not_looked_at(found: AuditedFile) -> list[RenderableType]:
    """Rows of one table that the other has not."""
    strays = left_out(found.strays)
    if not found.absent:
        return strays
    rows = "1 row" if found.absent == 1 else f"{found.absent:,} rows"
    return [said(f"In no release: {rows} of the original; --secret asks what that tells."), *strays]


def _counted_of(verdict: Verdict, control: Verdict) -> list[str]:
    """The best attack, at least what it reached, how often it is right; and of shuffled truth."""
    best, other = verdict.best, control.best
    if best is None:
        return [verdict.in_words(), "", "", ""]
    low = "" if other is None else in_its_unit(verdict.claim, other.low)
    return [best.attack, in_its_unit(verdict.claim, best.low), share(best.right), low]
