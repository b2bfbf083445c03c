"""Round numbers that no bin may begin at, since few rows have them, or the bin would have few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from unspoken.tables.column import FEW_ROWS
from unspoken.tables.round_edges import round_edges

__all__ = ["Ask", "rare_edges"]

Ask = Callable[[str], tuple[object, ...]]  # the first row of a query


def rare_edges(
    ask: Ask, view: str, number: str, quantiles: Sequence[float], whole: bool = False
) -> frozenset[float]:
    """Numbers that would be edges, but that some rows have, and fewer than FEW_ROWS: such an edge
    could be the value of one person; or beside which a bin would have fewer than FEW_ROWS rows.
    ``number``: SQL over the rows of the view.
    """
    rare = frozenset[float]()
    while edges := round_edges(quantiles, whole, rare):
        counts = ", ".join(f"count_if({number} = {edge!r}::DOUBLE)" for edge in edges)
        found = [int(str(n)) for n in ask(f"SELECT {counts} FROM {view}")]
        few = {edge for edge, n in zip(edges, found, strict=True) if 0 < n < FEW_ROWS}
        few = few or _beside_few(ask, view, number, edges)
        if not few:
            break
        rare |= few
    return rare


def _beside_few(ask: Ask, view: str, number: str, edges: Sequence[float]) -> set[float]:
    """The upper edge of the first bin of fewer than FEW_ROWS finite numbers, of the last bin the
    lower one; empty if each bin has as many.
    """
    ends = [*(f"{edge!r}::DOUBLE" for edge in edges), "'infinity'::DOUBLE"]
    below = ", ".join(f"count_if({number} > '-infinity'::DOUBLE AND {number} < {e})" for e in ends)
    counts = [0, *(int(str(n)) for n in ask(f"SELECT {below} FROM {view}"))]
    small = (k for k, (low, high) in enumerate(pairwise(counts)) if high - low < FEW_ROWS)
    return {edges[min(k, len(edges) - 1)] for k in [*small][:1]}
