"""One number for the labels of a row: that which NumPy gives their places."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unspoken.storage.rows.reading import Rules


@given(st.data(), st.lists(st.integers(1, 70), min_size=1, max_size=5))
def test_labels_are_numbered_as_their_places_are(data: Any, labels: list[int]) -> None:
    """No label, -1, has the last place of its attribute."""
    named = [
        SimpleNamespace(cells=SimpleNamespace(name=f"a{i}"), names=("x",) * count)
        for i, count in enumerate(labels)
    ]
    several: Any = tuple(named)
    codes = {
        f"a{i}": np.array(data.draw(st.lists(st.integers(-1, count - 1), min_size=9, max_size=9)))
        for i, count in enumerate(labels)
    }
    nothing: Any = None
    rules, sizes = Rules(nothing, nothing, several, {}), [count + 1 for count in labels]
    places = tuple(
        np.where(each < 0, size - 1, each) for each, size in zip(codes.values(), sizes, strict=True)
    )
    expected = np.ravel_multi_index(places, sizes)
    assert rules.combined(codes).tolist() == expected.tolist()
    assert rules.combinations == tuple(sizes)
