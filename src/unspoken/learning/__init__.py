"""Beliefs learned from tables."""

from unspoken.learning.by_key import by_key
from unspoken.learning.contexts import Given, contexts_of
from unspoken.learning.counted import Cache
from unspoken.learning.doubts import Doubt, doubts, refuse_idle
from unspoken.learning.kept import Kept
from unspoken.learning.labels import Labeller, Labelling
from unspoken.learning.learned import Learned, counted_pairs
from unspoken.learning.opening import duckdb_table, table_of
from unspoken.learning.plain import learn
from unspoken.learning.unmodelled import Unmodelled

__all__ = [
    "Cache",
    "Doubt",
    "Given",
    "Kept",
    "Labeller",
    "Labelling",
    "Learned",
    "Unmodelled",
    "by_key",
    "contexts_of",
    "counted_pairs",
    "doubts",
    "duckdb_table",
    "learn",
    "refuse_idle",
    "table_of",
]
