"""What a charge costs after few events and after many.

python -m benchmarks.ledger           10 and 20,000 events, of three kinds of histories
python -m benchmarks.ledger --quick   10 and 2,000

Each line: a charge that is looked at by nobody, and one with the whole check of admission against
a belief (four attributes, of which two are read), in milliseconds of processor time, the median of
several; then how many times as long it takes after the many. The events before are put into the
ledger in one go, by charges without a lock on the disk.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import sqlalchemy as sql

from unspoken.assessment.deciding.admission import Admission
from unspoken.core.beliefs import Joint
from unspoken.core.mechanisms import OneSided
from unspoken.storage.ledger import Account, Head, Ledger, Release, Seal, head_file
from unspoken.storage.prf import Key
from unspoken.tables.policy import Project

NAMES = ("a", "b", "c", "d")
SECRETS = {"a": ("1",), "d": ("1",)}
CHARGES = 15
TEXT = """\
format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.a]
values = [0, 1]
sensitive = "a = 1"
[attribute.b]
values = [0, 1]
[attribute.c]
values = [0, 1]
[attribute.d]
values = [0, 1]
sensitive = "d = 1"
[application.one]
reads = ["b"]
[application.two]
reads = ["c"]
[limit]
limit_bits = 0.5
odds_cap = 1e6
coalitions = [["one"], ["two"]]
"""


def release(number: int, epoch: str, per_key: bool, epochs: list[str]) -> Release:
    """Number n shows an attribute of its own choice, with an eps of its own, to one of two."""
    name, reader = (("b", "one"), ("c", "two"))[number % 2]
    return Release(
        table="t.parquet", epoch=epoch, per_key=per_key,
        mechanism=OneSided({name: 1e-5 + number * 2.0**-40}, {name: ()}),
        readings={own: {name: f"{own} {name}"} for own in epochs},
        key="k", coins="c", limits={}, leakage={}, readers=(reader,),
    )  # fmt: skip


HISTORIES: dict[str, Callable[[int], Release]] = {
    "one label": lambda n: release(n, "2026", False, ["2026"]),
    "a label each": lambda n: release(n, f"label {n}", False, [f"label {n}"]),
    "a month each, of one function": lambda n: release(
        n, "substr(day, 1, 7)", True, [f"month {n}", f"month {n + 2}", f"month {n + 4}"]
    ),
}


def admission(folder: Path) -> Admission:
    table = np.random.default_rng(0).dirichlet(np.ones(16)).reshape(2, 2, 2, 2)
    (folder / "unspoken.toml").write_text(TEXT)
    belief = Joint(table, NAMES, [["0", "1"]] * 4)
    return Admission(
        Project.read(folder / "unspoken.toml"),
        belief,
        WITHHELD,
        WITHHELD,
        OneSided(dict.fromkeys(NAMES, 1.0), WITHHELD),
    )


WITHHELD = {name: SECRETS.get(name, ()) for name in NAMES}


def filled(path: Path, history: Callable[[int], Release], events: int) -> Ledger:
    """A ledger with these events, written as they are kept; then its account, made of them."""
    ledger, own = Ledger(path), seal(path)
    head, rows = ledger.verify(own), []
    for n in range(1, events + 1):
        kept = {"at": "then", "table": "t", "kind": "release", "body": history(n).to_json()}
        head = Head(n, own.code(head.code, n, *kept.values()))
        rows.append({"id": n, **kept, "code": head.code})
    own.file.write_text(head.text())
    with sql.create_engine(f"sqlite:///{path}").begin() as connection:
        columns = ", ".join(f'"{name}"' for name in rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        connection.execute(sql.text(f"INSERT INTO events ({columns}) VALUES ({values})"), rows)
    ledger.look(nothing, own)
    return ledger


def seal(path: Path) -> Seal:
    """Under a key of the events' own name."""
    return Seal(Key(bytes(range(32))), "k", head_file(path.with_name("key")))


def nothing(_account: Account) -> None:
    """A check that lets pass."""


def charged(ledger: Ledger, events: list[Release], admit: Admission | None) -> float:
    """Milliseconds of a charge."""
    times = []
    for event in events:
        start = time.process_time()
        if admit is None:
            ledger.charge(event, nothing, seal(ledger.path))
        else:
            check = partial(admit.check, event)
            ledger.charge(event, check, seal(ledger.path))
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="without the slow lines")
    many = 2_000 if parser.parse_args().quick else 20_000
    print(f"{'history':32}{'events':>8}{'charge':>9}{'with admission':>16}   (ms)")
    for name, history in HISTORIES.items():
        found = []
        for events in (10, many):
            with tempfile.TemporaryDirectory() as folder:
                ledger = filled(Path(folder) / "l.sqlite", history, events)
                fresh = map(history, itertools.count(events + 1))
                plain = charged(ledger, list(itertools.islice(fresh, CHARGES)), None)
                admit = admission(Path(folder))
                admitted = charged(ledger, list(itertools.islice(fresh, CHARGES)), admit)
                found.append((plain, admitted))
            print(f"{name:32}{events:8,}{plain:9.2f}{admitted:16.2f}", flush=True)
        ratio = [after / before for before, after in zip(*found, strict=True)]
        print(f"{'':32}{'times':>8}{ratio[0]:9.2f}{ratio[1]:16.2f}", flush=True)


if __name__ == "__main__":
    main()
