"""What answers with noise leave for cells is said before a plan is signed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.query.test_answers import answered
from tests.workflows.query.wards import project
from unspoken.workflows.query import refused_beside
from unspoken.workflows.release import prepare


@pytest.mark.slow
@pytest.mark.parametrize("approve", [False, True])
def test_a_release_that_answers_leave_no_room_for_is_said_to_be_refused(
    tmp_path: Path, approve: bool
) -> None:
    """Also to whoever is asked to approve its plan: before there is any."""
    path = project(tmp_path, cap=4.0, noise="0.5" if approve else '"none"')
    if approve:
        path.write_text(path.read_text().replace('by = "cell"', 'by = "cell"\napprove = true'))
    assert refused_beside(prepare(path).project) == ""  # nothing was given
    answered(path, "SELECT disease, COUNT(*) FROM wards GROUP BY disease", epsilon=1.2)
    assert "the cap is 4" in refused_beside(prepare(path).project)
