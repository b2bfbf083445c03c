"""What is not answered with noise leaves nothing behind: no belief, no key, no ledger."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.query.test_answers import DISEASES
from tests.workflows.query.wards import project
from unspoken.core.errors import InputError
from unspoken.workflows.query import query


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("SELECT nothing, COUNT(*) FROM wards GROUP BY nothing", {}),
        (DISEASES, {"epsilon": -1.0}),
        (DISEASES, {"share": 2.0}),
        (DISEASES, {"draw": 0}),
        ("SELECT person, COUNT(*) FROM wards GROUP BY person", {}),
    ],
)
def test_rows_are_counted_for_what_noise_answers_alone(
    text: str, given: dict[str, Any], tmp_path: Path
) -> None:
    """A slip in a question pins no belief, nor does one that the keys answer."""
    path = project(tmp_path, noise="0.5")
    with suppress(InputError):
        query(path, text, **given)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["unspoken.toml", "wards.parquet"]
    query(path, DISEASES)
    assert (tmp_path / "belief.json").exists()
