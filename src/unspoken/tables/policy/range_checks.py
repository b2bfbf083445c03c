"""How large the numbers of a project file may be: beyond, one is a slip, and would be found late,
by an engine that begins so many threads, or by arithmetic that overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unspoken.tables.engines.session import bytes_of
from unspoken.tables.policy.complaints import Complaint, quoted
from unspoken.tables.policy.locate import KeyPath
from unspoken.tables.policy.schema import ProjectTable

__all__ = ["LARGEST", "check_ranges"]

MOST_MEMORY = 100e12
ROWS = 1_000_000_000  # of one unit
BITS = EPSILON = 1_000_000
BOUND = 1e15  # whole numbers up to it are exact as floats
# The most that each number may be; the least of each is looked at where it is said why. A cap on
# odds may be any: a large one is how a project says that there is none.
LARGEST: Mapping[tuple[str, str], int] = {
    ("source", "threads"): 1_024,
    ("source", "rows_per_unit"): ROWS,
    ("query", "rows_per_unit"): ROWS,
    ("limit", "limit_bits"): BITS,
    ("limit", "unit_bits"): BITS,
    ("limit", "unit_epsilon"): EPSILON,
    ("limit", "epoch_epsilon"): EPSILON,
    ("plan", "limit_bits"): BITS,
    ("plan", "floor"): EPSILON,
}
WEIGHTS = 1e-6, 1_000_000  # beside 1


def check_ranges(tables: ProjectTable) -> Iterator[Complaint]:
    """No number is beyond what it may be."""
    for (section, key), most in LARGEST.items():
        yield from _above((section, key), getattr(getattr(tables, section), key), most)
    for name, bits in tables.limit.target.items():
        yield from _above(("limit", "target", name), bits, BITS)
    if bytes_of(tables.source.memory) > MOST_MEMORY:
        text = f'{quoted(tables.source.memory)} is above 100 TB. Write, for example, "2GB".'
        yield Complaint(("source", "memory"), text)
    yield from _check_weights(tables)
    for name, ends in tables.query.bounds.items():
        if any(abs(end) > BOUND for end in ends):
            text = f"are beyond {BOUND:g}. Write ends closer to zero."
            yield Complaint(("query", "bounds", name), text)


def _check_weights(tables: ProjectTable) -> Iterator[Complaint]:
    least, most = WEIGHTS
    for name, application in tables.application.items():
        path = ("application", name, "weight")
        yield from _above(path, application.weight, most)
        if 0 < application.weight < least:
            yield Complaint(path, f"is below {least:g}. Write a number from {least:g} to {most:,}.")


def _above(path: KeyPath, given: Any, most: int) -> Iterator[Complaint]:
    if isinstance(given, int | float) and given > most:
        yield Complaint(path, f"is above {most:,}. Write that or less.")
