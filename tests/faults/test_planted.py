"""The list of faults keeps up with the code: each text is there once, in tests of its package."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.faults.__main__ import FAILED, first_failed, run
from tests.faults.planted import Fault, faults, misplaced, why_not_daily

FAULTS = faults()


def test_every_fault_can_be_planted(root: Path) -> None:
    wrong = [f"{fault.name}: {why}" for fault in FAULTS for why in misplaced(fault, root)]
    assert not wrong, "the code has changed, mend tests/faults/packages:\n" + "\n".join(wrong)


def test_there_are_enough_of_them_everywhere() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 100
    assert min(Counter(fault.package for fault in FAULTS).values()) >= 1


def test_a_misplaced_fault_is_found(root: Path) -> None:
    sound = FAULTS[0]
    for wrong in (
        Fault("stranger", sound.file, "no such text", "", sound.tests),
        Fault("the same", sound.file, sound.old, sound.old, sound.tests),
        Fault("elsewhere", sound.file, sound.old, sound.new, ("tests/structure/test_words.py",)),
        Fault("nowhere", "no/such.py", sound.old, sound.new, sound.tests),
        Fault("untested", sound.file, sound.old, sound.new, ("tests/no/such.py",)),
        Fault("any of a file", sound.file, sound.old, sound.new, (sound.tests[0].split("::")[0],)),
        Fault("misnamed", sound.file, sound.old, sound.new, (f"{sound.tests[0]}_but_not_so",)),
    ):
        assert misplaced(wrong, root), wrong.name


def test_a_slow_test_catches_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "test_slow.py"
    sound = "import pytest\n\ndef test_daily(): ...\n\n@pytest.mark.slow\ndef test_slow(): ...\n"
    file.write_text(sound, "utf-8")
    assert [
        bool(why_not_daily(f"test_slow.py::test_{name}", tmp_path)) for name in ("daily", "slow")
    ] == [False, True]
    file.write_text(sound + "\npytestmark = pytest.mark.slow\n", "utf-8")
    assert "slow" in why_not_daily("test_slow.py::test_daily", tmp_path)


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
