"""What a column holds, and a first look at its values."""

from __future__ import annotations

from functools import partial
from typing import Any

from unspoken.tables.column import FEW_ROWS, ColumnInfo, Grouping, Kind
from unspoken.tables.engines.grouping import amounts, frequent, grouping
from unspoken.tables.engines.identifiers import identifiers_in
from unspoken.tables.engines.opening import Opened
from unspoken.tables.engines.rare_edges import Ask, rare_edges
from unspoken.tables.engines.sql import identifier

__all__ = ["FEW", "ZONED", "column_info", "kind_of"]

FEW = 20  # values of a column that are listed one by one
SHARES = 20  # quantiles at every twentieth
EXACT = 10_000_000  # rows beyond which quantiles come from a sample: they are only a suggestion
SEED = 1
STRANGE = ("isnan", "isinf")

ZONED = "TIMESTAMP WITH TIME ZONE"
SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
KINDS: dict[str, Kind] = {
    **{kind: "integer" for signed in SIGNED for kind in (signed, f"U{signed}")},
    "FLOAT": "number",
    "DOUBLE": "number",
    "DECIMAL": "number",
    "VARCHAR": "text",
    "ENUM": "text",
    "DATE": "date",
    "BOOLEAN": "boolean",
    "TIMESTAMP": "time",
    **{f"TIMESTAMP_{unit}": "time" for unit in ("S", "MS", "NS")},
    **dict.fromkeys((ZONED, "TIMESTAMPTZ_NS"), "time"),
    **dict.fromkeys(("TIME", "TIME_NS"), "clock"),
}


def kind_of(type_name: str) -> Kind:
    """The kind of a DuckDB type: DECIMAL(4,1) is a number, INTEGER[] none of the named."""
    if type_name.endswith("]"):
        return "other"
    return KINDS.get(type_name.partition("(")[0], "other")


def column_info(opening: Opened, view: str, name: str, kind: Kind) -> ColumnInfo:
    """Count the different and the missing values of a column; list them where they are few."""
    column, ask = identifier(name), partial(_row, opening, name)
    asked = f"SELECT count(DISTINCT {column}), count({column}), count(*) FROM {view}"
    distinct, present, rows = (int(str(n)) for n in ask(asked))
    nan = infinite = 0
    if kind == "number":
        strange = [f"count(*) FILTER ({test}(CAST({column} AS DOUBLE)))" for test in STRANGE]
        nan, infinite = (int(str(n)) for n in ask(f"SELECT {', '.join(strange)} FROM {view}"))
        distinct -= nan > 0
    shares = ", ".join(str(share / SHARES) for share in range(SHARES + 1))
    numeric = kind in ("integer", "number") and present
    quantiles = _quantiles(ask, view, column, shares, rows) if numeric else ()
    values = _common(ask, view, column, kind) if distinct <= FEW and kind != "other" else ()
    dated = kind in ("date", "time") and present
    months, daily = _calendar(ask, view, column) if dated else ((), False)
    groups, most = _fewer(ask, view, name, kind, (distinct, rows), shares)
    like = identifiers_in(ask, view, name, distinct) if kind == "text" and present else ""
    rare = rare_edges(ask, view, column, quantiles, kind == "integer")
    return ColumnInfo(
        name, kind, distinct, rows - present, quantiles, values, nan, groups, infinite, most,
        months, kind == "time" and daily, like, rare,
    )  # fmt: skip


def _quantiles(ask: Ask, view: str, column: str, shares: str, rows: int) -> tuple[float, ...]:
    """Those of finite numbers, at these shares."""
    real = f"CAST({column} AS DOUBLE)"
    sample = f" USING SAMPLE reservoir({EXACT} ROWS) REPEATABLE ({SEED})" if rows > EXACT else ""
    query = (
        f"SELECT quantile_cont(x, [{shares}]) FROM"
        f" (SELECT {real} AS x FROM {view} WHERE isfinite({real})){sample}"
    )
    return tuple(ask(query)[0] or ())  # type: ignore[arg-type]


def _common(ask: Ask, view: str, column: str, kind: Kind) -> tuple[Any, ...]:
    """The values of FEW_ROWS rows or more, sorted."""
    shown = f"CAST({column} AS {SHOWN[kind]})" if kind in SHOWN else column
    common = (
        f"SELECT {shown} AS x FROM {view} WHERE {column} IS NOT NULL"
        f" GROUP BY ALL HAVING count(*) >= {FEW_ROWS}"
    )
    return tuple(ask(f"SELECT list_sort(list(x)) FROM ({common})")[0] or ())  # type: ignore[arg-type]


def _calendar(ask: Ask, view: str, column: str) -> tuple[tuple[str, ...], bool]:
    """The months of the first, the middle and the last, and whether all are days."""
    ends = (f"min({column})", f"quantile_disc({column}, 0.5)", f"max({column})")
    months = ", ".join(f"strftime({end}, '%Y-%m')" for end in ends)
    *found, daily = ask(f"SELECT {months}, bool_and({column} = {column}::DATE) FROM {view}")
    return tuple(map(str, found)), bool(daily)


def _fewer(
    ask: Ask, view: str, name: str, kind: Kind, counts: tuple[int, int], shares: str
) -> tuple[Grouping | None, Grouping | None]:
    """How a column that has too many values may have fewer; ``counts``: its values, and rows."""
    distinct, rows = counts
    if kind == "text" and distinct > FEW and (written := amounts(ask, view, name, shares)):
        return written, None
    # Of text that nearly each row has its own of, no group says anything.
    if FEW < distinct < rows / 2 or (distinct > FEW and kind in ("date", "time", "clock")):
        most = frequent(ask, view, name, whole=True) if kind == "integer" else None
        return grouping(ask, view, name, kind), most
    return None, None


SHOWN = {"date": "VARCHAR", "time": "VARCHAR", "clock": "VARCHAR", "number": "DOUBLE"}


def _row(opening: Opened, name: str, query: str) -> tuple[Any, ...]:
    with opening.reworded(f"column {name}"):
        return opening.con.execute(query).fetchone() or ()
