"""Sets of beliefs, for who is not sure of one: what leaks, whichever of them is true.

Prior differential privacy is defined over a set Theta of beliefs. A set is asked like a belief and
answers with a view that holds for all its members. It has no marginal and no cloud of its own: it
is searched, for each answer, for the belief under which that answer tells most.
"""

from unspoken.families.ball import Ball
from unspoken.families.box import Box
from unspoken.families.family import Family
from unspoken.families.finite import Beliefs
from unspoken.families.frechet import Frechet
from unspoken.families.gaussian import GaussianBall
from unspoken.families.intervals import Intervals
from unspoken.families.rows import Rows
from unspoken.families.sides import WHOLE, Side
from unspoken.families.tables import TableSet

__all__ = [
    "FAMILIES",
    "WHOLE",
    "Ball",
    "Beliefs",
    "Box",
    "Family",
    "Frechet",
    "GaussianBall",
    "Intervals",
    "Rows",
    "Side",
    "TableSet",
]

# Those that files can write down.
FAMILIES: dict[str, type[Family]] = {
    "beliefs": Beliefs,
    "box": Box,
    "frechet": Frechet,
    "intervals": Intervals,
    "rows": Rows,
}
