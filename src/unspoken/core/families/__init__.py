"""Sets of beliefs, for who is not sure of one: what leaks, whichever of them is true.

Prior differential privacy is defined over a set Theta of beliefs. A set is asked like a belief and
answers with a view that holds for all its members. It has no marginal and no cloud of its own: it
is searched, for each answer, for the belief under which that answer tells most.
"""

from unspoken.core.families.ball import Ball
from unspoken.core.families.box import Box
from unspoken.core.families.family import Family
from unspoken.core.families.finite import Beliefs
from unspoken.core.families.frechet import Frechet
from unspoken.core.families.gaussian import GaussianBall
from unspoken.core.families.intervals import Intervals
from unspoken.core.families.rows import Rows
from unspoken.core.families.sides import WHOLE, Side
from unspoken.core.families.tables import TableSet

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
