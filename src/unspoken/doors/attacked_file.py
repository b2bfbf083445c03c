"""What attacks on a released table came to, whoever made it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType

from unspoken.auditing import AuditedFile, audit_file
from unspoken.auditing.judging import Verdict
from unspoken.doors import as_json
from unspoken.doors.auditing import HOW
from unspoken.doors.running import err, show
from unspoken.doors.starting import columns_listed
from unspoken.doors.terminal import NBSP, blank, head, note, rows_of, said
from unspoken.doors.waiting import busy

__all__ = ["file_beaten"]

GUESSED = ("blanks of", "cells", "guessed by other cells", "by the commonest")
SOUGHT = ("secret", "prior", "best attack", "nats", "right", "control")


def file_beaten(
    release: list[Path],
    against: Path,
    keys: str,
    secret: str | None,
    odds_cap: float | None,
    in_json: bool,
) -> bool:
    """Whether an attack beat the bound that was claimed."""
    with busy(err, "attacking the table"):
        found = audit_file(release, against, columns_listed(keys), secret, odds_cap)
    if in_json:
        show(as_json.audited("file", chance=found.chance, **found.as_json()))
    else:
        show(_file(found))
    return bool(found.beaten)


def _file(found: AuditedFile) -> RenderableType:
    """What blanks and shown cells give away; exact counts again, and so for the holder."""
    if not found.secrets:
        return head("No cell is blank that the original has: there is nothing to look for.")
    guessed = [
        (
            guess.column,
            f"{guess.blanks:,}",
            f"{guess.learned.value:.1%}",
            f"{guess.commonest.value:.1%}",
        )
        for guess in found.guessed
    ]
    tried = [
        (
            secret.about,
            f"{secret.verdict.claim.prior:.1%}",
            *_counted_of(secret.verdict, secret.control),
        )
        for secret in found.secrets
    ]
    lines: list[RenderableType] = [said(secret.in_words()) for secret in found.secrets]
    if found.changed:
        lines.append(said(f"{found.changed:,} cells show another value."))
    return Group(
        head(f"{found.rows:,} released rows, attacked, with the original at hand (for its holder)"),
        blank(),
        rows_of(GUESSED, guessed, GUESSED[1:]),
        blank(),
        rows_of(SOUGHT, tried, (SOUGHT[1], *SOUGHT[3:])),
        blank(),
        *lines,
        blank(),
        note(HOW.format(chance=found.chance)),
    )


def _counted_of(verdict: Verdict, control: Verdict) -> list[str]:
    """The best attack, in nats, how often it is right, and the same with the truth shuffled."""
    best, other = verdict.best, control.best
    if best is None:
        return [verdict.in_words(), "", "", ""]
    low = "" if other is None else f"{max(0.0, other.low):.3f}"
    return [best.attack, f">{NBSP}{max(0.0, best.low):.3f}", f"{best.right:.1%}", low]
