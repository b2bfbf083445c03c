"""Names beside a matrix stand on few lines, each about as long."""

from __future__ import annotations

import pytest

from unspoken.assessment.matrix import _wrapped


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("mean_occ_8_17", ["mean_occ_8_17"]),
        ("first_arrival_h", ["first_", "arrival_h"]),  # and not an h by itself
        ("lighting and planning", ["lighting and ", "planning"]),
        ("abcdefghijklmnopqrst", ["abcdefghij", "klmnopqrst"]),  # nowhere to break
        ("", []),
    ],
)
def test_a_name_is_wrapped_evenly(name: str, lines: list[str]) -> None:
    assert _wrapped(name, 14) == "\n".join(lines)
