"""The studies of paper 002: {name: rows}."""

from collections.abc import Mapping, Sequence

from studies.p002 import (
    affinity,
    examples,
    inference,
    locations,
    products,
    resistance,
    rules,
    settings,
)
from studies.row import Row

STUDIES: Mapping[str, Sequence[Row]] = {
    "examples": examples.ROWS,
    "rules": rules.ROWS,
    "settings": settings.ROWS,
    "affinity": affinity.ROWS,
    "products": products.ROWS,
    "locations": locations.ROWS,
    "attack": inference.ROWS,
    "resistance": resistance.ROWS,
}
