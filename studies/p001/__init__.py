"""The studies of paper 001: {name: rows}."""

from collections.abc import Mapping, Sequence

from studies.p001 import offices, planning, release, theorems
from studies.row import Row

STUDIES: Mapping[str, Sequence[Row]] = {
    "release": release.ROWS,
    "theorems": theorems.ROWS,
    "planning": planning.ROWS,
    "offices": offices.ROWS,
}
