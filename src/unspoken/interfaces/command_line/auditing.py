"""What attacks came to: on a project's own releases, or on the catalogue."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group, RenderableType

from unspoken.interfaces.attacks.page import catalogue_page, releases_page, to_write
from unspoken.interfaces.command_line.running import err, show
from unspoken.interfaces.command_line.waiting import busy
from unspoken.interfaces.wording import as_json
from unspoken.interfaces.wording.terminal import NBSP, Prose, blank, head, note, rows_of, said
from unspoken.storage import prose
from unspoken.tables.policy import Project
from unspoken.workflows.audit import Audited, audit
from unspoken.workflows.audit.judging import ClaimedBound, Verdict
from unspoken.workflows.audit.scenario import EXPECTED, catalogue
from unspoken.workflows.audit.strays import Strays
from unspoken.workflows.audit.trying import Tried, TriedAll, try_all

__all__ = ["HOW", "catalogue_beaten", "in_its_unit", "left_out", "releases_beaten"]

COLUMNS = ("scenario", "best attack", "bound", "reached", "of it")
NUMBERS = COLUMNS[2:]
HOW = (
    "Odds are factors (of it: of their logarithm), and so is how much oftener a guess is right; "
    "bits are means, delta is a probability. Each attack chose its event by some trials and was "
    "counted by others; with all but a chance of {chance:g} the truth is between the ends of every "
    "one. An attack beats a bound only if its lower end is above; a share a little over 100% is "
    "chance."
)


def catalogue_beaten(in_json: bool, page: Path | None) -> bool:
    """Whether anything came out otherwise than it was written down; ``page``: a file for all."""
    write = None if page is None else to_write(page)
    with busy(err, "attacking") as tell:
        tried = try_all(catalogue(), np.random.default_rng(), tell=tell)
    show(_as_json(tried) if in_json else _in_words(tried))
    if write is not None:
        write(catalogue_page(tried))
    return bool(tried.otherwise)


def releases_beaten(project: Project, in_json: bool, page: Path | None) -> bool:
    """Whether an attack beat a limit."""
    write = None if page is None else to_write(page)
    with busy(err, "attacking what was released"):
        found = audit(project)
    if in_json:
        releases = [attacked.as_json() for attacked in found.attacked]
        strays = [stray.as_json() for stray in found.strays]
        promise = [*found.promise]
        show(
            as_json.audited(
                "releases",
                chance=found.chance,
                promise=promise,
                releases=releases,
                strays=strays,
            )
        )
    else:
        show(_releases(found))
    if write is not None:
        write(releases_page(found))
    return found.failed


def _releases(found: Audited) -> RenderableType:
    """Of each release and secret a row; then in words. For the holder: these are exact counts."""
    if not found.attacked:
        nothing = "no row of it is in the source" if found.strays else "nothing is sensitive"
        return Group(head(f"There is nothing to look for: {nothing}."), *left_out(found.strays))
    columns = ("about", "released to", *COLUMNS[1:])
    rows = [
        (attacked.sought, attacked.whom, *_counted(attacked.verdict)) for attacked in found.attacked
    ]
    return Group(
        head("What was released, attacked, with the source at hand (for the holder)"),
        blank(),
        rows_of(columns, rows, NUMBERS),
        blank(),
        note(" ".join(found.promise)),
        blank(),
        *(said(attacked.in_words()) for attacked in found.attacked),
        *left_out(found.strays),
        blank(),
        note(HOW.format(chance=found.chance)),
    )


def left_out(strays: Sequence[Strays]) -> list[RenderableType]:
    """Rows that were not attacked, loudly."""
    return [Prose(f"! {stray.in_words()}", "  ", "bold red") for stray in strays]


def _in_words(all_of_them: TriedAll) -> RenderableType:
    tried = all_of_them.tried
    kept = [attempt for attempt in tried if attempt.scenario.expect != "broken"]
    broken = [attempt for attempt in tried if attempt.scenario.expect == "broken"]
    return Group(
        head(f"Bounds of this library, attacked ({len(kept)} scenarios)"),
        blank(),
        _table(kept),
        blank(),
        head(f"Naive releases and planted faults, attacked ({len(broken)} scenarios)"),
        blank(),
        _table(broken),
        blank(),
        note(HOW.format(chance=all_of_them.chance)),
        blank(),
        *_said(kept, broken),
    )


def _table(tried: Sequence[Tried]) -> RenderableType:
    return rows_of(
        COLUMNS, [(attempt.scenario.name, *_counted(attempt.verdict)) for attempt in tried], NUMBERS
    )


def _counted(verdict: Verdict) -> list[str]:
    """The best attack, the bound, what was reached, and how much of the bound that is."""
    claim, best = verdict.claim, verdict.best
    if best is None:
        return [verdict.in_words(), "", "", ""]
    _, high = best.leakage.interval or (0.0, math.inf)
    reached = in_its_unit(claim, best.leakage.value)
    if math.isinf(high):
        reached = f">{NBSP}{in_its_unit(claim, best.low)}"
    if claim.bound is None:
        return [best.attack, "none", reached, ""]
    share = "beaten" if verdict.word == "fail" else f"{verdict.share:.0%}"
    return [best.attack, in_its_unit(claim, claim.bound), reached, share]


def in_its_unit(claim: ClaimedBound, leaked: float) -> str:
    """What was claimed or reached, as plans and releases say it: odds, bits, or a probability."""
    number = claim.read(leaked)
    if claim.unit == "odds":
        return prose.factor(number)
    if claim.unit == "bits":
        return "∞" if math.isinf(number) else prose.bits(number)
    return "∞" if math.isinf(number) else prose.digits(number)


def _said(kept: Sequence[Tried], broken: Sequence[Tried]) -> list[RenderableType]:
    """The verdict; what came out otherwise than was written down beforehand, loudly."""
    passed = [attempt for attempt in kept if attempt.verdict.word == "pass"]
    beaten = [attempt for attempt in broken if attempt.verdict.word == "fail"]
    lines = [
        f"No attack here beat the bound in {len(passed)} of {len(kept)} scenarios. Of releases "
        f"that are naive or have a planted fault, {len(beaten)} of {len(broken)} were found out."
    ]
    other = [attempt for attempt in (*kept, *broken) if not attempt.as_expected]
    red = [
        Prose(
            f"! {attempt.scenario.name}: expected was that {EXPECTED[attempt.scenario.expect]}; "
            f"{attempt.verdict.in_words()}.",
            "  ",
            "bold red",
        )
        for attempt in other
    ]
    return [*map(Prose, lines), *red]


def _as_json(tried: TriedAll) -> dict[str, Any]:
    return as_json.audited(
        "catalogue",
        chance=tried.chance,
        scenarios=[_one(attempt) for attempt in tried.tried],
        otherwise=[attempt.scenario.name for attempt in tried.otherwise],
    )


def _one(attempt: Tried) -> dict[str, Any]:
    return {
        "scenario": attempt.scenario.name,
        "released": attempt.scenario.about,
        "expected": attempt.scenario.expect,
        "as_expected": attempt.as_expected,
        **attempt.verdict.as_json(),
    }
