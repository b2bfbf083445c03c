"""Processes that charge a ledger, wherever it is, and say what they were told."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.effort import CHARGES
from tests.forked import FORKED
from tests.storage.ledger.histories import event
from tests.within import HANG, eventually, wait_for_locks
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Account, Ledger, Seal, head_file
from unspoken.storage.prf import Key

__all__ = ["TIMES", "Where", "at_once", "charge_on", "kept_whatever_is_killed"]
__all__ += ["told", "under"]

TIMES = -(-2 * CHARGES // 64)  # so often each of 64 asks, and half of that fits
Where = Path | str
EACH = 1 / 64


def under(folder: Path) -> Seal:
    """A key that is always the same, with its head in this folder."""
    return Seal(Key(bytes(range(32))), "k", head_file(folder / "key"))


def at_most(total: float) -> Callable[[Account], None]:
    def check(account: Account) -> None:
        shown = account.exposure(account.readers()).exponents().get("a", 0.0)
        if shown + EACH > total:
            raise LimitExceeded("full")

    return check


def _threads(where: Where, folder: Path, who: str, count: int, times: int, total: float) -> None:
    """So many threads charge so often; what each was told is a line of a file."""
    wait_for_locks()
    ledger, own, check = Ledger(where), under(folder), at_most(total)
    told = os.open(folder / f"told {who}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def charge(thread: int) -> None:
        for number in range(times):
            label = f"{who}.{thread}.{number}"
            try:
                head = ledger.charge(event(label, a=EACH), check, own)
            except LimitExceeded:
                return
            os.write(told, f"{head.number} {label}\n".encode())

    threads = [threading.Thread(target=charge, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def charge_on(where: Where, folder: Path, who: str) -> None:
    """Until killed."""
    _threads(where, folder, who, 3, 1_000_000, 1e9)


def told(folder: Path) -> dict[int, str]:
    """Every event that anybody was told is charged; nobody is told of another's."""
    lines = [line for file in folder.glob("told *") for line in file.read_text().splitlines()]
    found = {int(number): label for number, label in (line.split() for line in lines)}
    assert len(found) == len(lines)
    return found


def at_once(where: Where, folder: Path, processes: int, threads: int, times: int) -> int:
    """Clients charge at once, half of what they ask for fits; gives how many charges there are."""
    asked = processes * threads * times
    fits = asked // 2
    children = [
        FORKED.Process(target=_threads, args=(where, folder, str(n), threads, times, fits * EACH))
        for n in range(processes)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()  # of very many charges it takes long; pytest ends what hangs
    assert [child.exitcode for child in children] == [0] * processes
    ledger = Ledger(where)
    assert ledger.verify(under(folder)) == under(folder).kept()
    events = {n: one.epoch for n, one in enumerate(ledger.events(), start=1)}
    assert told(folder) == events
    assert len(events) == fits
    return fits


def kept_whatever_is_killed(where: Where, folder: Path, kills: int, part: int = 0) -> None:
    """Never less is charged than was told, and what is there is what its events say."""
    moments, own = random.Random(17 + part), under(folder)
    Ledger(where).charge(event("first", a=EACH), at_most(1e9), own)
    for number in range(kills):
        child = FORKED.Process(target=charge_on, args=(where, folder, f"{number}"))
        child.start()
        # Once something is told of; later also before the first charge is.
        assert eventually(partial(_tells, folder / f"told {number}", not number))
        time.sleep(moments.expovariate(1 / 0.05))
        with suppress(ProcessLookupError):
            os.kill(child.pid or 0, signal.SIGKILL)
        child.join(HANG)
        _holds(where, folder, own)
    assert told(folder)


def _tells(told: Path, anything: bool) -> bool:
    return told.exists() and (not anything or told.stat().st_size > 0)


def _holds(where: Where, folder: Path, own: Seal) -> None:
    ledger, found = Ledger(where), list[dict[str, float]]()
    assert eventually(lambda: _verified(ledger, own))
    kept, head = own.kept(), ledger.verify(own)
    assert kept is not None
    assert kept.number <= head.number
    events = ledger.events()
    ledger.look(lambda a: found.append(a.exposure(a.readers()).exponents()), own)
    assert found == [Account.of(events).exposure([()]).exponents()]
    for number, label in told(folder).items():
        assert events[number - 1].epoch == label


def _verified(ledger: Ledger, own: Seal) -> bool:
    """Not before a server has noticed that its client is gone."""
    try:
        ledger.verify(own)
    except InputError:
        return False
    return True
