"""Numbers in words for people: percentages, factors, bits, and lists of names."""

from __future__ import annotations

import math
from collections.abc import Iterable

from unspoken.core.errors import in_rows as rows
from unspoken.core.types.bound import Bound
from unspoken.storage.coarse import up

__all__ = [
    "NBSP",
    "bits",
    "bits_of",
    "chance",
    "change",
    "digits",
    "factor",
    "limit",
    "listed",
    "measured",
    "most",
    "odds_of",
    "percent",
    "rows",
    "tells_nothing",
    "times",
]

NBSP = "\u00a0"  # a number and its unit stay on one line
# Odds that grow by less than this factor are called unchanged.
UNCHANGED = 1.0005
LARGE = 1_000_000  # odds from which a factor is shown with a power of ten


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


def unbroken(text: str) -> str:
    """With numbers that stay beside their per cent or bit."""
    return text.replace(" %", f"{NBSP}%").replace(" bit", f"{NBSP}bit")


def times(line: str) -> str:
    """With the sign that factors have here, where a line for files has a letter."""
    return line.replace("odds x ", f"odds ×{NBSP}")


def listed(names: Iterable[object], last: str = "and") -> str:
    """a, b and c."""
    words = [str(name) for name in names]
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def tells_nothing(odds: Bound) -> bool:
    """Whether no answer makes any secret noticeably more likely."""
    return not odds.odds > UNCHANGED


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
