"""A release says by which counts its shares are: of the rows themselves they are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.conftest import Run
from unspoken.core.types.premise import Premise
from unspoken.interfaces.wording import words

pytestmark = pytest.mark.slow

BY_COUNTS = "By the noisy counts; of the rows themselves more or less may be shown."


@pytest.mark.parametrize(("by", "said"), [("record", True), ("cell", False)])
def test_shares_of_record_coins_are_said_to_be_by_noisy_counts(
    by: str, said: bool, run: Run, edited: Path
) -> None:
    text = edited.read_text()
    assert 'by = "cell"' in text
    edited.write_text(text.replace('by = "cell"', f'by = "{by}"'))
    before = run("release", "--dry-run")
    assert BY_COUNTS not in before.out  # nothing is counted yet, and that is said
    done = run("release")
    assert done.code == 0, done.err
    assert (BY_COUNTS in done.out) == said  # one coin a cell has this very chance
    assert (BY_COUNTS in run("release", "--dry-run").out) == said


def test_a_page_says_where_counts_had_noise() -> None:
    of_rows = Premise.learned(300)
    assert "noisy counts of 300 rows" in words.premise(of_rows, noisy=True)
    assert "noisy" not in words.premise(of_rows)
