"""Beliefs learned from tables."""

from unspoken.learning.kept import Kept
from unspoken.learning.learned import Learned, learn
from unspoken.learning.plain import learn_table

__all__ = ["Kept", "Learned", "learn", "learn_table"]
