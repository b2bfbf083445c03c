"""A file that is copied while charges fall has each that somebody was told of, or is refused.

What copies does not know of SQLite's locks: a slow copy has pages of before a charge beside pages
of after it, and a journal that is copied later belongs to another charge.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from pathlib import Path

import pytest

from tests.effort import KILLS
from tests.forked import FORKED
from tests.storage.ledger.charging import charge_on, told, under
from tests.within import HANG, eventually
from unspoken.core.errors import InputError
from unspoken.storage.ledger import Ledger

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX"),
]

LEDGER, JOURNAL, HEAD = "l.sqlite", "l.sqlite-journal", "key.head"
# The head first, as it was when the copy began; else it may be ahead of the ledger, and it is said.
ORDERS = [[HEAD, LEDGER], [HEAD, JOURNAL, LEDGER], [HEAD, LEDGER, JOURNAL], [LEDGER, HEAD]]


@contextmanager
def charging(folder: Path, processes: BaseContext = FORKED) -> Iterator[int]:
    """A process charges all the time, until killed at no particular moment; gives its number."""
    child = processes.Process(  # type: ignore[attr-defined]
        target=charge_on, args=(folder / LEDGER, folder, "x")
    )
    child.start()
    assert child.pid is not None
    assert eventually(lambda: len(told(folder)) >= 5)
    try:
        yield child.pid
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.join(HANG)


def slowly(source: Path, to: Path, pause: random.Random) -> None:
    """Page by page, as over a busy network."""
    with open(source, "rb") as read, open(to, "wb") as written:
        while page := read.read(4096):
            written.write(page)
            if pause.random() < 0.2:
                time.sleep(pause.expovariate(100))


def copied(folder: Path, to: Path, names: list[str], pause: random.Random | None) -> None:
    to.mkdir()
    for name in names:
        if (folder / name).exists():
            try:
                if pause:
                    slowly(folder / name, to / name, pause)
                else:
                    shutil.copy(folder / name, to / name)
            except FileNotFoundError:  # a journal that is gone since
                pass


def holds(folder: Path, answered: dict[int, str]) -> bool:
    """Whether a copy is taken for whole; one that is has what was answered before it was made."""
    try:
        ledger = Ledger(folder / LEDGER)
        ledger.verify(under(folder))
    except InputError:
        return False
    events = dict(enumerate((event.epoch for event in ledger.events()), start=1))
    assert answered.items() <= events.items()
    return True


@pytest.mark.stress
@pytest.mark.parametrize("slow", [False, True])
def test_a_copy_made_while_charges_fall_is_never_short(slow: bool, tmp_path: Path) -> None:
    moments, folder = random.Random(5), tmp_path / "here"
    folder.mkdir()
    Ledger(folder / LEDGER)
    with charging(folder):
        for number in range(KILLS):
            time.sleep(moments.expovariate(50))
            answered, to = told(folder), tmp_path / f"copy {number}"
            copied(folder, to, moments.choice(ORDERS), moments if slow else None)
            holds(to, answered)
    # The journal of a charge that was broken off: with it there is all that was told, without it
    # there may be half a charge.
    copied(folder, tmp_path / "with it", [HEAD, LEDGER, JOURNAL], None)
    assert holds(tmp_path / "with it", told(folder))
    copied(folder, tmp_path / "without", [HEAD, LEDGER], None)
    holds(tmp_path / "without", told(folder))


@pytest.mark.stress
def test_a_copy_of_one_moment_is_whole(tmp_path: Path) -> None:
    """Whoever charges stands still meanwhile, in the middle of a charge or between two of them."""
    moments, folder = random.Random(6), tmp_path / "here"
    folder.mkdir()
    Ledger(folder / LEDGER)
    # A child of this process, not of a server of processes: it can be waited for until it stands.
    with charging(folder, multiprocessing.get_context("spawn")) as process:
        for number in range(KILLS):
            time.sleep(moments.expovariate(50))
            os.kill(process, signal.SIGSTOP)
            os.waitpid(process, os.WUNTRACED)
            answered, to = told(folder), tmp_path / f"copy {number}"
            copied(folder, to, [HEAD, LEDGER, JOURNAL], None)
            os.kill(process, signal.SIGCONT)
            assert holds(to, answered)
