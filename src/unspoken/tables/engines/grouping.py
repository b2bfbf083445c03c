"""Fewer values of a column that has too many: SQL that a holder may take, and how many it gives.

Text that writes numbers, with a decimal comma or a currency, becomes these; dates and times become
periods; codes, which begin alike where they mean alike, their beginnings;
whole numbers lose their last digits, which is the same of codes; of other text the most frequent
values stay.
"""

from __future__ import annotations

from unspoken.tables.column import FEW_ROWS, Grouping, Kind
from unspoken.tables.engines.rare_edges import Ask, rare_edges
from unspoken.tables.engines.sql import literal, name_in_sql

__all__ = ["MOST", "amounts", "frequent", "grouping"]

MOST = 20  # groups
FREQUENT = 9  # values that stay by themselves, beside "other"
LONGEST = 12  # letters of a code
DIGITS = 6  # that a whole number loses, at most
# Numbers as people write them: how, and which letters are none of them; a comma is then the point.
# One before three digits each is for thousands, and such numbers do not begin with 0.
SIGN, MONEY = r"\s*[-+]?([€$£]\s*)?", r"\s*([€$£%]|EUR|CHF|USD)?\s*"
WRITTEN = (
    (rf"{SIGN}(\d+|[1-9]\d{{0,2}}(,\d{{3}})+)(\.\d+)?{MONEY}", "[^0-9.+-]"),
    (rf"{SIGN}(\d+|[1-9]\d{{0,2}}([.'\s\x{{A0}}\x{{202F}}]\d{{3}})+)(,\d+)?{MONEY}", "[^0-9,+-]"),
)
LOOKED = 1000  # rows that are looked at first
TELLING = ".*(,|[€$£%]|EUR|CHF|USD).*"  # of what is no code
CODE = "[A-Za-z0-9][A-Za-z0-9._/-]*"

# From the finest on: how a period is written, and what it is called.
PERIODS = (
    ("strftime({}, '%Y-%m-%d')", "day"),
    ("strftime({}, '%Y-%m')", "month"),
    ("strftime({}, '%Y')", "year"),
    ("concat(strftime({}, '%Y')[1:3], '0s')", "decade"),
)

HOURS = (("hour({})", "hour"), ("hour({}) // 3 * 3", "three hours"))


def grouping(ask: Ask, view: str, name: str, kind: Kind) -> Grouping | None:
    """How a column may be grouped; None: no way is known."""
    if kind in ("date", "time"):
        return _first_of(ask, view, [(sql.format(name_in_sql(name)), by) for sql, by in PERIODS])
    if kind == "clock":
        return _first_of(ask, view, [(sql.format(name_in_sql(name)), by) for sql, by in HOURS])
    if kind == "integer":
        return _leading(ask, view, name)
    if kind != "text":
        return None
    return _codes(ask, view, name) or frequent(ask, view, name)


def amounts(ask: Ask, view: str, name: str, shares: str) -> Grouping | None:
    """Of text that writes numbers in a way that SQL does not: as these; None: it does not."""
    column = name_in_sql(name)
    all_like = ", ".join(
        f"bool_and(regexp_full_match({column}, {literal(like)}))" for like, _ in WRITTEN
    )
    telling = f"bool_or(regexp_full_match({column}, {literal(TELLING)}))"
    asked = f"SELECT {all_like}, {telling}, count(DISTINCT {column}) FROM"
    some = f"(SELECT {column} FROM {view} WHERE {column} IS NOT NULL LIMIT {LOOKED})"
    if not any(ask(f"{asked} {some}")[: len(WRITTEN)]):  # of most text a few rows say so
        return None
    *likes, tells, groups = ask(f"{asked} {view}")
    other = next((rest for like, (_, rest) in zip(likes, WRITTEN, strict=True) if like), None)
    if other is None or not tells:
        return None
    sql = f"replace(regexp_replace({column}, '{other}', '', 'g'), ',', '.')::DOUBLE"
    (quantiles,) = ask(f"SELECT quantile_cont({sql}, [{shares}]) FROM {view}")
    known: tuple[float, ...] = tuple(quantiles or ())  # type: ignore[arg-type]
    rare = rare_edges(ask, view, sql, known)
    return Grouping(sql, "number", int(str(groups)), known, rare)


def _first_of(ask: Ask, view: str, ways: list[tuple[str, str]]) -> Grouping | None:
    """The first that gives few groups, and more than one."""
    for sql, by in ways:
        (groups,) = ask(f"SELECT count(DISTINCT {sql}) FROM {view}")
        if 1 < int(str(groups)) <= MOST:
            return Grouping(sql, by, int(str(groups)))
    return None


def _leading(ask: Ask, view: str, name: str) -> Grouping | None:
    """Counted from behind, as a code that begins with 0 is a shorter number."""
    column = name_in_sql(name)
    ways = [f"{column} // {10**digits}" for digits in range(1, DIGITS + 1)]
    counts = ", ".join(f"count(DISTINCT {sql})" for sql in ways)
    least, *found = (int(str(x)) for x in ask(f"SELECT min({column}), {counts} FROM {view}"))
    for digits, (sql, groups) in enumerate(zip(ways, found, strict=True), start=1):
        if least >= 0 and 1 < groups <= MOST:
            last = f"the last {digits} digits" if digits > 1 else "the last digit"
            return Grouping(sql, f"all but {last}", groups)
    return None


def _codes(ask: Ask, view: str, name: str) -> Grouping | None:
    column = name_in_sql(name)
    like, longest = ask(
        f"SELECT bool_and(regexp_full_match({column}, {literal(CODE)}) AND"
        f" regexp_matches({column}, '[0-9]')), max(length({column})) FROM {view}"
    )
    if not like or int(str(longest)) > LONGEST:
        return None
    lengths = range(min(4, int(str(longest)) - 1), 0, -1)
    beginnings = [
        (f"left({column}, {n})", f"the first {n} letters" if n > 1 else "the first letter")
        for n in lengths
    ]
    return _first_of(ask, view, beginnings)


def frequent(ask: Ask, view: str, name: str, whole: bool = False) -> Grouping | None:
    """The most frequent values stay, as far as FEW_ROWS rows or more have them; None: none is so
    frequent. ``whole``: they are whole numbers, which become text.
    """
    column = name_in_sql(name)
    (values,) = ask(
        f"SELECT list(x) FROM (SELECT {column} AS x FROM {view} WHERE {column} IS NOT NULL"
        f" GROUP BY {column} HAVING count(*) >= {FEW_ROWS}"
        f" ORDER BY count(*) DESC, {column} LIMIT {FREQUENT})"
    )
    if not values:
        return None
    kept = ", ".join(str(v) if whole else literal(str(v)) for v in values)  # type: ignore[attr-defined]
    itself = f"{column}::VARCHAR" if whole else column
    # A missing value stays missing.
    sql = f"CASE WHEN {column} IN ({kept}) OR {column} IS NULL THEN {itself} ELSE 'other' END"
    return Grouping(sql, "the most frequent", len(values) + 1)  # type: ignore[arg-type]
