"""The belief file: what was counted of a table, once, with noise, and is used from then on.

Everything that leaves the holder is computed from it. Rows are public: two tables are neighbours if
they differ in what one row holds (or all rows of one unit, where their number is declared). One row
more here and one less there change a table of counts by 2, so with t tables, each with discrete
Laplace noise of its own,

    sensitivity = 2 t (rows of a unit),    scale = sensitivity / eps

(and 2 more for a context made of the row before, once.py),

and whoever knows every other row learns of the last one by a factor of e^eps at most, from all that
is ever computed from the file. Labels are those that the rules make possible, not those that rows
have (possible.py); values that a project does not list are those of the table, taken to be public.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Counts
from unspoken.noise.discrete_laplace import scale_of
from unspoken.tables.learning.counts.contexts import ContextCounts
from unspoken.tables.learning.counts.counted import streamed, unstreamed
from unspoken.tables.learning.counts.pairs import PairCounts
from unspoken.tables.learning.intervals.confidence import Clusters
from unspoken.tables.learning.intervals.consistent import consistent
from unspoken.tables.learning.intervals.noise_law import reach, reach_of_sum
from unspoken.tables.learning.learned import Learned, learned_joint, learned_tree
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.policy import Project

__all__ = ["FORMAT", "JOINT", "Pinned", "of_pair", "rules"]

FORMAT = 1
MARK = {"unspoken": "belief", "format": FORMAT}
JOINT = "joint"
UNSURE = 0.05  # the chance that noise goes further than is allowed for
# What reading a file raises that was not written here.
DAMAGED = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
    pa.ArrowException,
)  # fmt: skip


@dataclass(frozen=True)
class Pinned:
    """``tables``: counts by label, {"joint": [label of each attribute]} and, of each of the
    ``contexts``, [its value, label of each attribute]; or, of a tree, a table for every two
    attributes. ``labels``: how those of each attribute are found. ``values``: what
    columns have, where the project does not list it. ``rules``: of the project, as it was.
    ``units``: whose rows these are, where one has several; their number is public, as keys are.
    """

    rows: int
    rules: Mapping[str, Any]
    labels: Mapping[str, Mapping[str, Any]]
    contexts: Mapping[str, Sequence[str]]
    values: Mapping[str, pa.Array] = field(compare=False)
    tables: Mapping[str, Counts] = field(compare=False)
    epsilon: float
    sensitivity: int
    learned: str
    units: Clusters | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            **MARK,
            "learned": self.learned,
            "rows": self.rows,
            **({} if self.units is None else {"units": asdict(self.units)}),
            "noise": {"epsilon": self.epsilon, "sensitivity": self.sensitivity},
            "rules": self.rules,
            "labels": self.labels,
            "contexts": {name: list(values) for name, values in self.contexts.items()},
            "values": {name: streamed(values) for name, values in self.values.items()},
            "tables": {
                name: {"shape": list(counts.shape), "counts": counts.ravel().tolist()}
                for name, counts in self.tables.items()
            },
        }

    def text(self) -> str:
        """As the file holds it."""
        return json.dumps(self.as_json(), sort_keys=True, allow_nan=False) + "\n"

    @cached_property
    def digest(self) -> str:
        """Of the file, as an event in the ledger has it."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    @property
    def possible(self) -> int:
        """How many combinations of labels some row may have, as far as the counts say; of a tree,
        of the two attributes that have most.
        """
        off = reach(1, scale_of(self.sensitivity, self.epsilon), UNSURE)
        tables = [t for title, t in self.tables.items() if title not in self.contexts]
        return max((int((counts + off > 0).sum()) for counts in tables), default=0)

    def at_least(self, name: str, labels: Sequence[str]) -> int:
        """How many rows have one of these labels of an attribute: more, but for a chance."""
        names = [str(rule["name"]) for rule in self.rules["attributes"]]
        title, axis = JOINT, names.index(name)
        if JOINT not in self.tables:
            title, axis = next(
                (of_pair(*both), both.index(name))
                for both in combinations(names, 2)
                if name in both
            )
        codes = [self.labels[name]["names"].index(label) for label in labels]
        held = self.tables[title].take(codes, axis)
        off = reach_of_sum(held.size, scale_of(self.sensitivity, self.epsilon), UNSURE)
        return int(held.sum()) - off

    @property
    def shares(self) -> dict[str, dict[str, float]]:
        """Of all rows, those with each label of each attribute."""
        names = [str(rule["name"]) for rule in self.rules["attributes"]]
        tables = {tuple(names): JOINT}
        if JOINT not in self.tables:
            tables = {both: of_pair(*both) for both in combinations(names, 2)}
        found: dict[str, dict[str, float]] = {}
        for axes, title in tables.items():
            rows = consistent(self.tables[title], self.rows) / self.rows
            for axis, name in enumerate(axes):
                law = rows.sum(tuple(k for k in range(rows.ndim) if k != axis)).tolist()
                found.setdefault(name, dict(zip(self.labels[name]["names"], law, strict=True)))
        return found

    @classmethod
    def read(cls, path: Path) -> Pinned:
        """That of a file; what is none is refused."""
        try:
            return cls.parse(path.read_bytes(), path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None

    @classmethod
    def parse(cls, text: str | bytes, path: Path) -> Pinned:
        """That of a text, which is in the file at ``path``."""
        try:
            held = json.loads(text)
            if {**held, **MARK} != held:
                raise ValueError
            found = cls(
                rows=int(held["rows"]),
                rules=held["rules"],
                labels=held["labels"],
                contexts=held["contexts"],
                values={name: unstreamed(text) for name, text in held["values"].items()},
                tables={
                    name: np.array(table["counts"], np.int64).reshape(table["shape"])
                    for name, table in held["tables"].items()
                },
                epsilon=float(held["noise"]["epsilon"]),
                sensitivity=int(held["noise"]["sensitivity"]),
                learned=str(held["learned"]),
                units=Clusters(**held["units"]) if "units" in held else None,
            )
            found.text()  # what cannot be written never was a belief file
        except DAMAGED:
            raise InputError(
                f"{path}: is no belief file, or a damaged one; restore it from a copy, or move it "
                "away"
            ) from None
        return found

    def belief(self, project: Project, cells: Sequence[CellRule]) -> Learned:
        """The belief that these counts are, and how its labels are found in rows."""
        labels = [_labelling(rule, self.labels[rule.name]) for rule in cells]
        tables = {name: consistent(counts, self.rows) for name, counts in self.tables.items()}
        if JOINT in tables:
            learned = learned_joint(project, labels, tables[JOINT])
            scale = scale_of(self.sensitivity, self.epsilon)
            given = {
                name: ContextCounts(
                    name, tuple(values), tables[name], learned.labels, self.tables[name], scale
                )
                for name, values in self.contexts.items()
            }
            return replace(learned, contexts=given)
        names = [rule.name for rule in cells]
        pairs = {  # by name: a file has its tables in the order of their titles
            (i, j): tables[of_pair(names[i], names[j])]
            for i, j in combinations(range(len(names)), 2)
        }
        return learned_tree(project, labels, PairCounts.of(pairs, len(labels)))


def of_pair(first: str, second: str) -> str:
    """What the table of two attributes of a tree is called."""
    return f"{first} and {second}"


def rules(project: Project) -> dict[str, Any]:
    """What a project says that decides what is counted, as plain data."""
    return {
        "keys": list(project.source.keys),
        "timezone": project.source.timezone,
        "form": project.belief.form or JOINT,
        "history": project.belief.history,
        "contexts": {name: repr(context) for name, context in project.contexts.items()},
        "attributes": [
            {
                "name": name,
                "bins": None if rule.bins is None else list(map(str, rule.bins)),
                "values": None if rule.values is None else list(map(str, rule.values)),
                "exact": rule.exact,
                "sensitive": rule.sensitive,
                "missing": rule.missing,
            }
            for name, rule in project.attributes.items()
        ],
    }


def _labelling(cells: CellRule, held: Mapping[str, Any]) -> Labelling:
    if len(held["code"]) != cells.marks:
        raise InputError(
            f"attribute.{cells.name}: has other values than those that were counted; restore the "
            "belief file from a copy"
        )
    return Labelling(
        cells,
        tuple(held["names"]),
        tuple(held["sensitive"]),
        tuple(held["split"]),
        tuple(held["code"]),
    )
