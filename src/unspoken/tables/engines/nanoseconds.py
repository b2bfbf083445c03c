"""Types that only nanoseconds have: moments with a zone, times of day.

Frames bring them where nobody meant so fine a time. As microseconds they are what other moments and
times of day are, in SQL, bins and coins; what is finer is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from unspoken.tables.engines.sql import identifier, literal

__all__ = ["NANOSECONDS", "ZONED_NS", "coarser"]

ZONED_NS = "TIMESTAMPTZ_NS"
MICROS = "epoch_ns({0}) // 1000"
COARSER = {
    ZONED_NS: f"timezone('UTC', make_timestamp({MICROS}))",
    "TIME_NS": f"CAST(TIMESTAMP '1970-01-01' + to_microseconds({MICROS}) AS TIME)",
}
NANOSECONDS = (*COARSER,)
# NULL is no number of nanoseconds, nor is infinity; hour 24 would be 0.
WHOLE = {ZONED_NS: "true", "TIME_NS": f"epoch_ns({{0}}) < {24 * 3600 * 10**9}"}


def coarser(columns: Mapping[str, str]) -> dict[str, str]:
    """{column: SQL of it in microseconds}, of those whose type has nanoseconds alone."""
    return {name: _coarser(name, kind) for name, kind in columns.items() if kind in COARSER}


def _coarser(name: str, kind: str) -> str:
    x = identifier(name)
    whole = f"epoch_ns({x}) % 1000 = 0 AND {WHOLE[kind].format(x)}"
    text = f"{name} holds what is no whole number of microseconds, or infinite; round it"
    return (
        f"CASE WHEN {x} IS NULL THEN NULL WHEN {whole} THEN {COARSER[kind].format(x)} "
        f"ELSE error({literal(text)}) END"
    )
