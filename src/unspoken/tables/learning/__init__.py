"""Beliefs learned from tables."""

from typing import TYPE_CHECKING

from unspoken.core.lending import lending

if TYPE_CHECKING:  # for those who read without running; tests/structure holds it equal to HOMES
    from unspoken.tables.learning.counts.contexts import ContextCounts as ContextCounts
    from unspoken.tables.learning.counts.contexts import contexts_of as contexts_of
    from unspoken.tables.learning.counts.counted import Cache as Cache
    from unspoken.tables.learning.doubts import Doubt as Doubt
    from unspoken.tables.learning.doubts import refuse_idle as refuse_idle
    from unspoken.tables.learning.learned import Learned as Learned
    from unspoken.tables.learning.learned import counted_pairs as counted_pairs
    from unspoken.tables.learning.marks.labels import Labeller as Labeller
    from unspoken.tables.learning.marks.labels import Labelling as Labelling
    from unspoken.tables.learning.plain import learn as learn
    from unspoken.tables.learning.project_table import duckdb_table as duckdb_table
    from unspoken.tables.learning.project_table import table_of as table_of
    from unspoken.tables.learning.trees.kept import KeptLinks as KeptLinks

# Where each name lives.
HOMES = {
    "counts.contexts": ["ContextCounts", "contexts_of"],
    "counts.counted": ["Cache"],
    "doubts": ["Doubt", "refuse_idle"],
    "trees.kept": ["KeptLinks"],
    "marks.labels": ["Labeller", "Labelling"],
    "learned": ["Learned", "counted_pairs"],
    "project_table": ["duckdb_table", "table_of"],
    "plain": ["learn"],
}

__getattr__ = lending(__name__, HOMES)
__all__ = sorted(name for names in HOMES.values() for name in names)
