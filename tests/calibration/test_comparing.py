"""All methods side by side: sound, ordered, and what they leave is what is really learned."""

import pytest

import unsaid
from unsaid.calibration import METHODS, compare
from unsaid.calibration.comparing import COMPOSES

STICKY = unsaid.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 30)


def test_every_method_has_its_row() -> None:
    assert set(COMPOSES) == {"exact", *METHODS}
    found = compare(STICKY, limit=1.0)
    assert {row.method for row in found.rows} == set(COMPOSES)
    scales = [row.scale for row in found.rows if row.scale is not None]
    assert scales == sorted(scales)
    assert found.rows[0].method == "exact"
    for row in found.rows:
        assert row.scale is not None
        assert row.leakage is not None
        assert row.leakage <= 1.0 + 1e-12
        laplace = unsaid.Laplace(row.scale)
        told = max(own.value for own in unsaid.leakages(STICKY, laplace).values())
        assert row.leakage == pytest.approx(told, rel=1e-12)
        assert f"{row.scale:.5g}" in repr(found)
    assert found.rows[0].leakage == pytest.approx(1.0, rel=1e-6)


def test_what_a_method_does_not_know_is_said_in_its_row() -> None:
    normal = unsaid.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    found = {row["method"]: row for row in compare(normal, limit=0.5).as_rows()}
    assert found["exact"]["scale"] == pytest.approx(3.0)
    assert found["group"]["scale"] is None
    assert "bounded" in found["group"]["refused"]
