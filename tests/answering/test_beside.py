"""What answers with noise leave for cells is said before a plan is signed."""

from __future__ import annotations

from pathlib import Path

from tests.answering.test_answers import answered
from tests.answering.wards import project
from unspoken.answering import refused_beside
from unspoken.releasing import prepare


def test_a_release_that_answers_leave_no_room_for_is_said_to_be_refused(tmp_path: Path) -> None:
    path = project(tmp_path, cap=4.0)
    assert refused_beside(prepare(path).project) == ""  # nothing was given
    answered(path, "SELECT disease, COUNT(*) FROM wards GROUP BY disease", epsilon=1.2)
    assert "the cap is 4" in refused_beside(prepare(path).project)
