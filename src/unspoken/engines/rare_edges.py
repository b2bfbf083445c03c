"""Round numbers that no bin may begin at, since few rows have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unspoken.numerics.round_edges import round_edges
from unspoken.types.column import FEW_ROWS

__all__ = ["Ask", "rare_edges"]

Ask = Callable[[str], tuple[object, ...]]  # the first row of a query


def rare_edges(
    ask: Ask, view: str, number: str, quantiles: Sequence[float], whole: bool = False
) -> frozenset[float]:
    """Numbers that would be edges, but that some rows have, and fewer than FEW_ROWS: such an edge
    could be the value of one person. ``number``: SQL over the rows of the view.
    """
    rare = frozenset[float]()
    while edges := round_edges(quantiles, whole, rare):
        counts = ", ".join(f"count_if({number} = {edge!r}::DOUBLE)" for edge in edges)
        found = [int(str(n)) for n in ask(f"SELECT {counts} FROM {view}")]
        few = {edge for edge, n in zip(edges, found, strict=True) if 0 < n < FEW_ROWS}
        if not few:
            break
        rare |= few
    return rare
