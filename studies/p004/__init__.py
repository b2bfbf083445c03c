"""The studies of paper 004: {name: rows}."""

from collections.abc import Mapping, Sequence

from studies.p004 import bounds, privacy
from studies.row import Row

STUDIES: Mapping[str, Sequence[Row]] = {
    "privacy": privacy.ROWS,
    "bounds": bounds.ROWS,
}
