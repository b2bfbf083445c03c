"""Beliefs learned from tables."""

from unspoken.learning.kept import Kept
from unspoken.learning.labels import Labeller, Labelling
from unspoken.learning.learned import Learned, learn
from unspoken.learning.opening import table_of
from unspoken.learning.plain import learn_table

__all__ = ["Kept", "Labeller", "Labelling", "Learned", "learn", "learn_table", "table_of"]
