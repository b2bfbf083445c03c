"""Numbers and answers in words for people: percentages, factors, sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from unspoken.releasing.assessing.coarse import up
from unspoken.releasing.assessing.few import GROUP, few, named
from unspoken.releasing.assessing.findings import Findings, Openly
from unspoken.releasing.assessing.leaks import Leak, TellingAnswer
from unspoken.types.bound import Bound
from unspoken.types.domain import WITHHELD
from unspoken.types.premise import Premise

__all__ = [
    "NBSP",
    "bits",
    "bits_of",
    "cell",
    "chance",
    "change",
    "digits",
    "factor",
    "held",
    "labels",
    "limit",
    "listed",
    "measured",
    "most",
    "odds_of",
    "percent",
    "premise",
    "readers",
    "rows",
    "seen",
    "sentence",
    "stands",
    "tells_nothing",
]

NBSP = "\u00a0"  # a number and its unit stay on one line
# Odds that grow by less than this factor are called unchanged.
UNCHANGED = 1.0005
LARGE = 1_000_000  # odds from which a factor is shown with a power of ten
LABELS = 6  # listed in a sentence before "or one of n more"


def digits(x: float, wanted: int = 2) -> str:
    """At least so many significant digits, never an exponent: 0.0031, 0.31, 31, 3,100."""
    if x == 0:
        return "0"
    rounded = float(f"{x:.{wanted - 1}e}")
    places = max(0, wanted - 1 - math.floor(math.log10(abs(rounded))))
    return f"{x:,.{places}f}"


def percent(share: float) -> str:
    """A share as people say it; never 0 % or 100 % of what is merely close to it."""
    if share <= 0:
        return f"0{NBSP}%"
    if share >= 1:
        return f"100{NBSP}%"
    if share < 0.0001:
        return f"<{NBSP}0.01{NBSP}%"
    if share > 0.9995:
        return f">{NBSP}99.9{NBSP}%"
    return f"{digits(100 * share) if share < 0.1 else _tenths(100 * share)}{NBSP}%"


def change(before: float, after: float) -> tuple[str, str]:
    """Two shares as words that differ: a third digit where two are the same."""
    both = (percent(before), percent(after))
    if both[0] != both[1] or not 0 < before < 1:
        return both
    return (f"{digits(100 * before, 3)}{NBSP}%", f"{digits(100 * after, 3)}{NBSP}%")


def factor(odds: float, least: int = 0) -> str:
    """A factor on odds: × 1, × 3.4, × 120, × ∞; at ``least`` so many places."""
    if math.isnan(odds):
        return "–"
    if math.isinf(odds):
        return f"×{NBSP}∞"
    if odds >= LARGE:
        shown, _, power = f"{odds:.1e}".partition("e+")
        return f"×{NBSP}{shown.removesuffix('.0')}·10^{int(power)}"
    places = max(least, _places(odds))
    shown = f"{odds:,.{places}f}"
    return f"×{NBSP}{shown.rstrip('0').rstrip('.') if places else shown}"


def most(odds: float) -> str:
    """The same without its sign and never less than it is, where no more is promised."""
    return factor(up(odds, 3 if odds < 2 else 2)).removeprefix(f"×{NBSP}")


def measured(odds: float) -> str:
    """A factor on odds that was computed, never less than it is: × 1.04, × 3.5, × 16,000."""
    return f"×{NBSP}{most(odds)}" if not math.isnan(odds) else "–"


def bits(number: float, unit: bool = True) -> str:
    """An amount of information: 0 bit, 0.013 bit, 0.43 bit, 1.2 bit."""
    if math.isnan(number):
        return "–"
    shown = f"<{NBSP}0.0001" if 0 < number < 0.0001 else digits(number)
    return f"{shown}{NBSP}bit" if unit else shown


def limit(number: float) -> str:
    """A limit in bits, as it was set: 0.05 bit."""
    return f"{number:g}{NBSP}bit"


def odds_of(bound: Bound) -> str:
    """The sound end of a factor on odds, said to be an upper end where it is not exact."""
    return _at_most(bound) + measured(bound.odds)


def bits_of(bound: Bound, unit: bool = True) -> str:
    """The sound end of an amount of information, likewise."""
    return _at_most(bound) + bits(up(max(0.0, bound.bits)), unit)


def chance(p: float) -> str:
    """How often a cell that may be released is."""
    if p == 1:
        return "always"
    if p < 0.001 or p > 0.9995:
        return percent(p)
    return f"{100 * p:.1f}{NBSP}%"  # plans have three decimal places


def rows(count: int) -> str:
    """30,000 rows."""
    return f"{count:,} row{'' if count == 1 else 's'}"


def listed(names: Iterable[object], last: str = "and") -> str:
    """a, b and c."""
    words = [str(name) for name in names]
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def premise(stands_on: Premise) -> str:
    """What all numbers stand on."""
    if stands_on.level is not None:
        sure = percent(stands_on.level)
        return (
            f"All numbers hold for whatever belief is in a box that holds the true one in {sure}."
        )
    if stands_on.rows is None:
        return "All numbers hold for the belief that was given."
    return (
        f"All numbers are computed from what {rows(stands_on.rows)} of this table show of how its "
        "attributes go together, and hold as far as these show the truth."
    )


def stands(findings: Findings) -> str:
    """What the limits stand on, where that is less than what the numbers do; and these."""
    numbers, held = premise(findings.learned.belief.premise), findings.plan.bound.premise
    if findings.is_floor:
        return f"The cap holds whatever anybody believes, since the plan is the floor. {numbers}"
    if findings.project.plan.by == "cell" or held.level is None:
        return numbers
    level = str(held).replace(" %", f"{NBSP}%")
    return (
        f"The cap holds for every belief that the counts leave possible ({level}), rows being "
        f"independent. {numbers}"
    )


def held(findings: Findings) -> str:
    """Whether limits are held given what is known of a row by its keys."""
    given = findings.project.plan.given
    if findings.is_floor:
        return "The odds cap of this plan holds whatever is known."
    return f"The limits are held {f'given {given}, and without others' if given else 'without'}."


def labels(findings: Openly, name: str, some: Iterable[object]) -> list[str]:
    """Values of an attribute in quotes, so far as they may be named."""
    known = set(findings.learned.labels[name])
    shown = named(findings.project, findings.learned, name, [str(value) for value in some])
    whole = [label.replace(" ", NBSP) for label in shown]
    return [f"“{w}”" if label in known else label for label, w in zip(shown, whole, strict=True)]


def readers(findings: Openly) -> dict[str, str]:
    """Everybody who reads, by a short name: all applications together are "all pooled"."""
    names = {entry.who: entry.who for entry in findings.everything}
    everybody = " + ".join(findings.project.applications)
    if everybody in names and len(findings.project.applications) > 1 and "all pooled" not in names:
        names |= {
            who: f"all pooled{who.removeprefix(everybody)}"
            for who in names
            if who == everybody or who.startswith(f"{everybody}, ")
        }
    return names


def tells_nothing(entry: Leak) -> bool:
    """Whether no answer makes any secret noticeably more likely."""
    return not entry.odds.odds > UNCHANGED


def sentence(entry: Leak, secrets: Sequence[object]) -> str:
    """The most telling answer that ``entry.who`` can get, for people.

    ``secrets``: all sensitive labels of the target, to name them shortly.
    """
    if tells_nothing(entry):
        return f"No answer makes a sensitive value of {entry.about} more likely than it was."
    if entry.answer is not None and few(entry.answer.rows):
        return (
            f"The most telling answer about {entry.about} changes the odds of a sensitive value "
            f"({odds_of(entry.odds)}); {GROUP} gives it, which is not named."
        )
    if entry.answer is None:
        return (
            f"Some answer may multiply the odds of a sensitive value of {entry.about} "
            f"({odds_of(entry.odds)}); there are too many answers to name it."
        )
    return _answered(entry, entry.answer, _secret(entry.answer.secret, secrets))


def _answered(entry: Leak, answer: TellingAnswer, secret: str) -> str:
    """Before, what is seen, after."""
    certain = math.isinf(entry.odds.odds)
    before, after = change(answer.before, answer.after)
    odds = "" if certain else f", odds {odds_of(entry.odds)},"
    return (
        f"The chance that {entry.about} is {secret} goes from {before} to "
        f"{'certainty' if certain else after}{odds} for whoever sees {seen(answer.seen)}. "
        f"Share of rows with this answer: {percent(answer.mass)}."
    )


def seen(answer: Mapping[str, object]) -> str:
    """first_arrival withheld and exits 0-1; a withheld cell says so, a value is quoted."""
    each = {name: cell(output) for name, output in answer.items()}
    hidden = [name for name, text in each.items() if text is None]
    shown = [f"{name} “{text}”" for name, text in each.items() if text is not None]
    said = [f"{listed(hidden)} withheld"] if hidden else []
    return listed([*shown, *said]) or "nothing"


def cell(output: object) -> str | None:
    """What is shown of a cell, once or by one release after another; None: it is withheld."""
    turns = output if isinstance(output, tuple) else (output,)
    if all(turn is WITHHELD for turn in turns):
        return None
    return ", then ".join("withheld" if turn is WITHHELD else str(turn) for turn in turns)


def _secret(secret: str, secrets: Sequence[object]) -> str:
    """One secret by its name, any of several as what they have in common."""
    names = [str(label) for label in secrets]
    if secret in names or len(names) < 2 or secret != " or ".join(names):
        return f"“{secret}”"
    shown = [f"“{name}”" for name in names[:LABELS]]
    more = [f"one of {len(names) - LABELS} more"] if len(names) > LABELS else []
    return f"{listed([*shown, *more], 'or')}"


def _places(odds: float) -> int:
    """The places that a factor is shown with: two digits or more."""
    if odds < LARGE:
        return 2 if odds < 2 else 1 if odds < 9.95 else 0
    return 1 - math.floor(math.log10(odds))


def _at_most(bound: Bound) -> str:
    near = bound.exact or math.isclose(bound.low, bound.high, rel_tol=5e-3, abs_tol=1e-6)
    return "" if near else f"≤{NBSP}"


def _tenths(share: float) -> str:
    """Whole per cent, but tenths near 100, where they are what matters."""
    return f"{share:.1f}" if share > 99 else f"{share:.0f}"
