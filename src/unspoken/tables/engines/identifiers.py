"""Texts that identify persons: e-mail addresses, telephone numbers, codes given out one by one.

A column of few values looks like them where any of its values does, and one of many where at least
half of them do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unspoken.tables.engines.rare_edges import Ask
from unspoken.tables.engines.sql import literal, name_in_sql

__all__ = ["IDENTIFIERS", "identifiers_among", "identifiers_in"]

FEW = 20  # different values of which each is looked at for itself
MOST = 10_000  # different values that are looked at
HALF = 0.5
DIGITS = "length(regexp_replace(x, '[^0-9]', '', 'g'))"

# What they are called, and which texts are so: a pattern, and at least so many digits.
IDENTIFIERS: dict[str, tuple[str, int]] = {
    "e-mail addresses": (
        r"(?i)(.*[^\s@<>,;])?[^\s@<>,;](@| ?[(\[]at[)\]] ?)[^\s@<>,;]+.*",
        0,
    ),
    "names of accounts": (r"@[A-Za-z0-9_][A-Za-z0-9_.]+", 0),
    "web addresses": (r"(?i)https?://\S+", 0),
    "IBANs": (r"[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,4})?", 8),
    "UUIDs": (r"(?i)\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", 0),
    "MAC addresses": (
        r"(?i)[0-9a-f]{2}([:-][0-9a-f]{2}){5,7}|([0-9a-f]{4}\.){2}[0-9a-f]{4}",
        0,
    ),
    "IP addresses": (r"([0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){3,7}", 2),
    "social security numbers": (
        r"[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{2}\.?[0-9]{2}\.?[0-9]{2}[- ][0-9]{3}[. ]?[0-9]{2}"
        r"|[0-9]{6}([0-9]{2})?[-+][0-9]{4}|[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"
        r"|[12] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{3} ?[0-9]{3}( ?[0-9]{2})?",
        6,
    ),
    "card numbers": (r"[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}", 13),
    "telephone numbers": (
        r".*\+[0-9][0-9 ()./-]{7,18}[0-9].*|00[0-9][0-9 ()./-]{7,18}[0-9]"
        r"|\(?0[1-9][0-9 ()./-]{6,18}[0-9]"
        r"|\(?[0-9]{3}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}",
        9,
    ),
    "long codes": (
        r"(?i)(0x)?[0-9a-f]{12,}|[0-9]{9,}|[a-z0-9_-]{20,}={0,2}|[a-z]{2,4}[-/]?[0-9]{8,}",
        6,
    ),
}


def identifiers_among(values: Sequence[str]) -> str:
    """Which identifiers some of these few texts look like, in the plural; empty if none."""
    for what, (pattern, digits) in IDENTIFIERS.items():
        for value in map(str.strip, values):
            if re.fullmatch(pattern, value) and len(re.sub("[^0-9]", "", value)) >= digits:
                return what
    return ""


def identifiers_in(ask: Ask, view: str, name: str, distinct: int) -> str:
    """Which identifiers the values of a column of text look like, in the plural; empty if none."""
    column = name_in_sql(name)
    values = f"SELECT DISTINCT trim({column}) AS x FROM {view} WHERE {column} IS NOT NULL"
    tests = [
        f"count_if(regexp_full_match(x, {literal(pattern)}) AND {DIGITS} >= {digits})"
        for pattern, digits in IDENTIFIERS.values()
    ]
    some = f"(SELECT x FROM ({values}) ORDER BY hash(x) LIMIT {MOST})"
    looked, *found = (int(str(n)) for n in ask(f"SELECT count(*), {', '.join(tests)} FROM {some}"))
    least = 1 if distinct <= FEW else HALF * looked
    return next((what for what, n in zip(IDENTIFIERS, found, strict=True) if n >= least), "")
