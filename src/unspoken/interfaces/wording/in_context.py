"""What is learned by whoever knows a context of the row, for a terminal and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from unspoken.assessment.few import few
from unspoken.assessment.findings import Openly
from unspoken.assessment.in_context import InContext, worst_of
from unspoken.assessment.leaks import leakage
from unspoken.assessment.rare import FEW
from unspoken.interfaces.wording.terminal import NBSP, blank, head, note, rows_of
from unspoken.storage import prose
from unspoken.workflows.release.undeclared import LEAST, Undeclared

__all__ = ["as_json", "in_table", "of_keys", "of_keys_as_json"]

LISTED = 12  # before "and n more"
MEASURED = ("odds", "information")


def in_table(findings: Openly, entries: Sequence[InContext]) -> list[RenderableType]:
    """For each context and target the reader who learns most, the worst first."""
    worst = worst_of(entries)
    if not worst:
        return []
    names, cap = findings.called, findings.project.limits.odds_cap
    rows = [_row(entry, names, cap) for entry in worst[:LISTED]]
    more = len(worst) - LISTED
    return [
        head("To whoever knows a context, in its worst value (odds against those given the same)"),
        blank(),
        rows_of(["given", "who", "about", "odds", "rows", "bits", "without"], rows),
        *([note(f"and {more} more, with --json")] if more > 0 else []),
        blank(),
    ]


def as_json(entries: Sequence[InContext]) -> list[dict[str, Any]]:
    """Every context, reader and target, the worst first; ``without``: who knows no context."""
    leaks = leakage([entry.leak for entry in entries])
    without = leakage([entry.without for entry in entries])
    return [
        {"given": {entry.context: entry.value}, **known, "without": {k: plain[k] for k in MEASURED}}
        for entry, known, plain in zip(entries, leaks, without, strict=True)
    ]


def _row(entry: InContext, names: Mapping[str, str], cap: float) -> list[str | Text]:
    leak = entry.leak
    odds = Text(prose.odds_of(leak.odds), style="bold red" if leak.beyond(cap) else "")
    return [
        f"{entry.context} {str(entry.value).replace(' ', NBSP)}".rstrip(),
        names[leak.who],
        leak.about,
        odds,
        _rows(entry),
        prose.bits_of(leak.information, unit=False),
        prose.odds_of(entry.without.odds),
    ]


def _rows(entry: InContext) -> str:
    """How many rows give the answer with those odds."""
    answer = entry.leak.answer
    if answer is None or prose.tells_nothing(entry.leak.odds):
        return ""
    return f"<{NBSP}{FEW}" if few(answer.rows) else f"{answer.rows:,.0f}"


def of_keys(findings: Openly, entries: Sequence[Undeclared]) -> list[RenderableType]:
    """What each key, and each two, would tell beside, the most first."""
    if not entries:
        return []
    names, cap = findings.called, findings.project.limits.odds_cap
    rows = [
        (
            ", ".join(f"{key} {value}" for key, value in entry.given.items()).replace(" ", NBSP),
            names[entry.who],
            entry.about,
            Text(prose.measured(entry.odds.value), "bold red" if entry.odds.value > cap else ""),
            prose.percent(entry.share),
            prose.odds_of(entry.without.odds),
        )
        for entry in entries[:LISTED]
    ]
    return [
        blank(),
        head("What keys would tell that no context declares (for the holder, not for release)"),
        blank(),
        rows_of(["given", "who", "about", "odds", "of rows", "without"], rows),
        blank(),
        note(
            f"An estimate, of answers that {LEAST} rows or more give and that chance does not "
            "explain. To see it with the rest declare it: [context.NAME] of = SQL over the key."
        ),
    ]


def of_keys_as_json(entries: Sequence[Undeclared]) -> dict[str, Any]:
    """The same, every key and pair of keys that tells more."""
    return {
        "undeclared": [
            {
                "given": dict(entry.given),
                "who": entry.who,
                "about": entry.about,
                "odds": entry.odds.as_json(),
                "share": entry.share,
                "without": entry.without.odds.as_json(),
            }
            for entry in entries
        ]
    }
