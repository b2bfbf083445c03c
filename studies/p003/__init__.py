"""The studies of paper 003: {name: rows}."""

from collections.abc import Mapping, Sequence

from studies.p003 import edges, exact, leakage
from studies.row import Row

STUDIES: Mapping[str, Sequence[Row]] = {
    "leakage": leakage.ROWS,
    "graph": edges.ROWS,
    "exact": exact.ROWS,
}
