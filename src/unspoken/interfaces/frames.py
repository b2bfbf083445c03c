"""Data frames: the one place that opens pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unspoken.core.errors import InputError

try:
    import pandas
except ImportError:  # said when a frame is asked for
    pandas = None

__all__ = ["arrow_to_frame", "frame", "opened"]


def frame(records: Sequence[dict[str, Any]]) -> Any:
    """A DataFrame with a row for each record."""
    return opened().DataFrame.from_records(list(records))


def arrow_to_frame(table: Any) -> Any:
    """An Arrow table as a DataFrame."""
    opened()
    return table.to_pandas()


def opened() -> Any:
    """pandas, or one line that says how to get it."""
    if pandas is None:
        raise InputError("to_frame: makes a pandas DataFrame: pip install pandas")
    return pandas
