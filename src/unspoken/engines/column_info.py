"""What a column holds, and a first look at its values."""

from __future__ import annotations

from functools import partial
from typing import Any

from unspoken.engines.grouping import Ask, amounts, frequent, grouping
from unspoken.engines.opening import Opened
from unspoken.engines.sql import identifier
from unspoken.types.column import ColumnInfo, Grouping, Kind

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
    column = identifier(name)
    distinct, present, rows = _row(
        opening, name, f"SELECT count(DISTINCT {column}), count({column}), count(*) FROM {view}"
    )
    nan = infinite = 0
    if kind == "number":
        strange = [f"count(*) FILTER ({test}(CAST({column} AS DOUBLE)))" for test in STRANGE]
        nan, infinite = _row(opening, name, f"SELECT {', '.join(strange)} FROM {view}")
        distinct -= nan > 0
    quantiles: tuple[float, ...] = ()
    shares = ", ".join(str(share / SHARES) for share in range(SHARES + 1))
    if kind in ("integer", "number") and present:
        real = f"CAST({column} AS DOUBLE)"
        sample = (
            f" USING SAMPLE reservoir({EXACT} ROWS) REPEATABLE ({SEED})" if rows > EXACT else ""
        )
        query = (
            f"SELECT quantile_cont(x, [{shares}]) FROM"
            f" (SELECT {real} AS x FROM {view} WHERE isfinite({real})){sample}"
        )
        quantiles = tuple(_row(opening, name, query)[0] or ())
    values: tuple[Any, ...] = ()
    if 0 < distinct <= FEW and kind != "other":
        shown = f"CAST({column} AS {SHOWN[kind]})" if kind in SHOWN else column
        query = f"SELECT list_sort(list(DISTINCT {shown})) FROM {view} WHERE {column} IS NOT NULL"
        values = tuple(_row(opening, name, query)[0])
    middle, daily = "", False
    if kind in ("date", "time") and present:
        asked = f"quantile_disc({column}, 0.5)::VARCHAR, bool_and({column} = {column}::DATE)"
        middle, daily = _row(opening, name, f"SELECT {asked} FROM {view}")
    groups, most = _fewer(partial(_row, opening, name), view, name, kind, (distinct, rows), shares)
    return ColumnInfo(
        name, kind, distinct, rows - present, quantiles, values, nan, groups, infinite, most,
        middle, kind == "time" and daily,
    )  # fmt: skip


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
