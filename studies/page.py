"""studies/README.md: a line for each row, those that were computed anew replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from studies.catalogue import STUDIES
from studies.data import HOW
from studies.row import Outcome, Row, Verdict

__all__ = ["IMAGES", "PAGE", "cells", "line", "lines", "written"]

PAGE = Path(__file__).with_name("README.md")
IMAGES = Path(__file__).with_name("images")
HEAD = "| paper | where | it says | computed by | comes out | verdict | why | command |"
DATA = "\n## Data\n"
SAID = """\
Some rows read data that is not in this repository. Put each set into a folder of its name, and name
the folder above them by `--data` or `UNSPOKEN_DATA`. Without it a row stays as it is, and a run
says so.

| folder | what |
|---|---|"""


def lines(page: str) -> dict[tuple[str, str], str]:
    """The rows of a page, by paper and place."""
    rows = [text for text in page.splitlines() if re.match(r"\| 00\d \|", text)]
    return {(cells(text)[0], cells(text)[1]): text for text in rows if len(cells(text)) == 8}


def cells(text: str) -> list[str]:
    """What stands in the cells of a row."""
    inner = re.split(r"(?<!\\)\|", text)[1:-1]
    return [cell.strip().replace("\\|", "|") for cell in inner]


def line(name: str, row: Row, outcome: Outcome) -> str:
    """A row of the page."""
    shown = [f"[picture](images/{stem}.svg)" for stem in outcome.pictures]
    parts = [
        row.paper,
        row.where,
        row.says,
        row.how,
        "; ".join([outcome.comes_out, *shown]),
        outcome.verdict.value,
        outcome.why,
        f"`python -m studies {name}`",
    ]
    return "| " + " | ".join(part.replace("|", "\\|") for part in parts) + " |"


def written(before: str, computed: Mapping[tuple[str, str], str]) -> str:
    """The page: rows as computed, or as they stood before, in the order of the catalogue.

    What stands above "Data" is written by hand.
    """
    known = {**lines(before), **computed}
    keys = [(row.paper, row.where) for rows in STUDIES.values() for row in rows]
    table = [known[key] for key in keys if key in known]
    data = [f"| `{name}` | {how} |" for name, how in HOW.items()]
    return "\n".join(
        [
            before.partition(DATA)[0] + DATA,
            SAID,
            *data,
            "\n## What came of it\n",
            *_counts(table),
            "\n## Row by row\n",
            HEAD,
            "|---" * 8 + "|",
            *table,
            "",
        ]
    )


def _counts(table: list[str]) -> list[str]:
    """How many rows of each paper have each verdict."""
    found = Counter((cells(text)[0], cells(text)[5]) for text in table)
    verdicts = [verdict.value for verdict in Verdict]
    head = [f"| paper | rows | {' | '.join(verdicts)} |", "|---" * (2 + len(verdicts)) + "|"]
    for paper in sorted({paper for paper, _ in found}):
        each = [found[paper, verdict] for verdict in verdicts]
        # No line of this table begins as those of the rows do.
        head.append(f"| paper {paper} | {sum(each)} | {' | '.join(map(str, each))} |")
    return head
