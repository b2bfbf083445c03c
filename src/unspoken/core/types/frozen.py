"""A mapping that does not change: it compares, hashes, copies and pickles."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

__all__ = ["Frozen"]

K = TypeVar("K")
V = TypeVar("V", covariant=True)


class Frozen(Mapping[K, V], Generic[K, V]):
    """A copy of what it is made from, in its order; equal to any mapping of the same items."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def items(self) -> ItemsView[K, V]:
        return self._items.items()

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)
