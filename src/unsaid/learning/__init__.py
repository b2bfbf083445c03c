"""Beliefs learned from tables."""

from unsaid.learning.kept import Kept
from unsaid.learning.learned import Learned, learn
from unsaid.learning.plain import learn_table

__all__ = ["Kept", "Learned", "learn", "learn_table"]
