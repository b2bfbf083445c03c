"""Beliefs learned from tables, and policies closed under what values tell of one another."""

from unsaid.learning.closure import Closure, Told, closure
from unsaid.learning.learned import Learned, learn
from unsaid.learning.plain import learn_table

__all__ = ["Closure", "Learned", "Told", "closure", "learn", "learn_table"]
