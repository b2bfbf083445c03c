"""Compute the rows of the papers again, and write studies/README.md.

python -m studies                  every row
python -m studies p002             the rows of a paper
python -m studies p002.attack      those of a study; what is not named stays as it is on the page
python -m studies --small          small sizes: writes nothing, fails where a verdict is another
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence

from studies import data
from studies.catalogue import named
from studies.page import IMAGES, PAGE, cells, line, lines, written
from studies.row import Outcome, Row
from unspoken.core.errors import InputError
from unspoken.interfaces.images import picture_writer

Lines = dict[tuple[str, str], str]


def run(name: str, rows: Sequence[Row], small: bool, as_json: bool) -> Lines:
    """The rows of a study that could be computed, each said as soon as it is there."""
    found = Lines()
    for row in rows:
        reason = data.missing(row.needs) if row.needs else ""
        if reason:
            print(f"{name:16} {row.where}: skipped, {reason}", file=sys.stderr, flush=True)
            continue
        begin = time.perf_counter()
        outcome = row.computed(small)
        _say(name, row, outcome, time.perf_counter() - begin, as_json)
        found[row.paper, row.where] = line(name, row, outcome)
        if not small:
            for stem, chart in outcome.pictures.items():
                picture_writer(IMAGES / f"{stem}.svg")(chart)
    return found


def otherwise(found: Lines, before: Lines) -> list[str]:
    """Where a verdict is not that of the page."""
    both = (
        (key, cells(text)[5], cells(before[key])[5]) for key, text in found.items() if key in before
    )
    return [f"{' '.join(key)}: {now}; the page says {was}" for key, now, was in both if now != was]


def _say(name: str, row: Row, outcome: Outcome, seconds: float, as_json: bool) -> None:
    if as_json:
        record = {
            "study": name, "paper": row.paper, "where": row.where, "says": row.says, "how": row.how,
            "comes_out": outcome.comes_out, "verdict": outcome.verdict, "why": outcome.why,
        }  # fmt: skip
        print(json.dumps(record), flush=True)
    else:
        print(f"{name:16} {row.where}: {outcome.verdict}, {seconds:.1f} s", flush=True)
        print(f"{'':16} {outcome.comes_out}", flush=True)


def main() -> int:
    """Say each row as soon as it is there; 1 if a verdict is not that of the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAMES", help="papers or studies; default all")
    parser.add_argument("--small", action="store_true", help="a sample, in a minute or two")
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets are")
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    if chosen.data:
        os.environ[data.FOLDER] = chosen.data
    try:
        studies = named(chosen.names)
    except InputError as fault:
        parser.error(str(fault))
    faults = list[str]()
    for name, rows in studies.items():
        found = run(name, rows, chosen.small, chosen.json)
        before = PAGE.read_text("utf-8")
        if chosen.small:
            faults += otherwise(found, lines(before))
        else:
            PAGE.write_text(written(before, found), "utf-8")
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
