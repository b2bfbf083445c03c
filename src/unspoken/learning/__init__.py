"""Beliefs learned from tables."""

from unspoken.learning.kept import Kept
from unspoken.learning.labels import Labeller, Labelling
from unspoken.learning.learned import Learned
from unspoken.learning.opening import table_of
from unspoken.learning.plain import learn

__all__ = ["Kept", "Labeller", "Labelling", "Learned", "learn", "table_of"]
