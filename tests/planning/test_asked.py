"""What is asked of a plan: whatever is no answer to a question gets one line that says what is."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

import unspoken

pytestmark = pytest.mark.slow

JOINT = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]])
STRANGE: list[Any] = [
    "x", b"x", 3, -1, 1j, math.nan, True, None, object(), [1], [["x0"]], [None, None], [[["x"]]],
    {1: 2}, {"zz": 1}, {"x0": "a"}, {"x0": [9]}, {"x0": None}, {"x0": [[0]]}, {("x0",): 1},
]  # fmt: skip


@pytest.mark.parametrize("asked", inspect.signature(unspoken.plan).parameters)
@pytest.mark.parametrize("by", ["cell", "record"])
def test_strange_things_are_planned_with_or_refused_in_one_line(asked: str, by: str) -> None:
    complaints = []
    for strange in STRANGE:
        arguments = {"belief": JOINT, "limit_bits": 0.1, "by": by, asked: strange}
        try:
            unspoken.plan(**arguments)
        except unspoken.UnspokenError as error:
            complaints.append(str(error))
    assert len(complaints) >= 12
    assert [text for text in complaints if "\n" in text] == []
