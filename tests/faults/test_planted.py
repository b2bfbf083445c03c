"""The list of faults keeps up with the code: every text is there once, every test is the room's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.faults.__main__ import FAILED, first_failed, run
from tests.faults.planted import Fault, faults, misplaced

FAULTS = faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault, root: Path) -> None:
    assert not misplaced(fault, root), "the code has changed: mend tests/faults/rooms"


def test_there_are_enough_of_them_everywhere() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 100
    assert min(Counter(fault.room for fault in FAULTS).values()) >= 1


def test_a_misplaced_fault_is_found(root: Path) -> None:
    sound = FAULTS[0]
    for wrong in (
        Fault("stranger", sound.file, "no such text", "", sound.tests),
        Fault("the same", sound.file, sound.old, sound.old, sound.tests),
        Fault("elsewhere", sound.file, sound.old, sound.new, ("tests/house/test_words.py",)),
        Fault("nowhere", "no/such.py", sound.old, sound.new, sound.tests),
        Fault("untested", sound.file, sound.old, sound.new, ("tests/no/such.py",)),
    ):
        assert misplaced(wrong, root), wrong.name


def test_a_long_message_hides_no_failed_test(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under CI pytest prints messages whole, however long they are."""
    monkeypatch.setenv("CI", "true")
    file = tmp_path / "test_fails.py"
    file.write_text("def test_that_fails():\n    raise AssertionError('long ' * 10_000)\n", "utf-8")
    code, said = run(root / "src", ["-p", "tests.conftest", str(file)])
    assert code == FAILED
    assert str(first_failed(said)).endswith("test_fails.py::test_that_fails")
