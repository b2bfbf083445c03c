"""A project's own releases attacked: every released row joined to its source, and the secret looked
for in what is shown and withheld of it.

Coins of rows are independent, so rows are trials. They come in random order: the part by which an
attack is judged is then a sample of the whole table, whose law the limits are about. Beside each
release the naive one of the same rows: sensitive cells blank, all others shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.auditing.attacks import Known
from unspoken.auditing.judging import FAMILY, Claim, Verdict, attacked
from unspoken.auditing.trials import WITHHELD_AS, Trials
from unspoken.display import Shown
from unspoken.engines.arrow import as_given, in_one, numbers
from unspoken.engines.protocol import Scan
from unspoken.errors import InputError
from unspoken.learning import Labeller
from unspoken.learning.marks.labels import Labelling
from unspoken.numerics.arrays import Array, Codes, Mask
from unspoken.numerics.coins import fresh_draws
from unspoken.policy import Project
from unspoken.releasing import Prepared, prepare
from unspoken.releasing.rows.reading import missing
from unspoken.serving.released import read

__all__ = ["Attacked", "Audited", "audit"]

ATTACKS = ("frequent", "classified", "blanks")
CODE = "unspoken label {}"  # the columns of labels, beside those of a release


@dataclass(frozen=True, repr=False)
class Attacked(Shown):
    """A secret of ``about``, looked for in what was ``reader`` given (None: all); ``naive``: the

    same attacks where sensitive cells alone are blank.
    """

    reader: str | None
    about: str
    rows: int
    verdict: Verdict
    naive: Verdict

    def as_json(self) -> dict[str, Any]:
        """Both verdicts with every attack."""
        who = {"for": self.reader, "about": self.about, "rows": self.rows}
        return {**who, **self.verdict.as_json(), "naive": self.naive.as_json()}

    def in_words(self) -> str:
        """The verdict, beside what is left of secrets where sensitive cells alone are blank."""
        who = "everybody" if self.reader is None else self.reader
        said = f"About {self.about}, to {who}: {self.verdict.in_words()}"
        best = self.naive.best
        if best is None or not best.flagged:
            return f"{said}."
        return (
            f"{said}. Had sensitive cells alone been blank, “{best.attack}” would have found "
            f"{best.recovered:.1%} of the secrets, and been right in {best.right:.1%}."
        )

    def facts(self) -> list[tuple[str, str]]:
        who = "everybody" if self.reader is None else self.reader
        return [
            ("released to", f"{who}, {self.rows:,} rows"),
            ("about", self.about),
            *self.verdict.facts(),
            ("in words", self.in_words()),
        ]


@dataclass(frozen=True, repr=False)
class Audited(Shown):
    """What attacks on the releases of a project came to."""

    project: Path
    attacked: Sequence[Attacked]
    chance: float

    @property
    def beaten(self) -> list[Attacked]:
        """Where an attack beat the limit."""
        return [attacked for attacked in self.attacked if attacked.verdict.word == "fail"]

    def facts(self) -> list[tuple[str, str]]:
        said = [(attacked.about, attacked.verdict.in_words()) for attacked in self.attacked]
        return [("project", str(self.project)), *said]


def audit(project: Project | str | Path) -> Audited:
    """Attack what was released of a project, with its source at hand: for the holder alone.

    Nothing is charged or written. Limits are declared for each row, and so is what is attacked.
    """
    ready = prepare(project)
    given = [(reader, rows) for reader, rows in _released(ready) if rows.num_rows]
    if not given:
        release = ready.project.files.release.name
        raise InputError(f"{release}: nothing is released yet; first unspoken release")
    secrets = [name for name, hidden in ready.learned.sensitive.items() if hidden]
    each = FAMILY / max(1, 2 * len(given) * len(secrets) * len(ATTACKS))
    found = [
        _attacked(ready, reader, rows, about, each) for reader, rows in given for about in secrets
    ]
    return Audited(ready.project.path, found, FAMILY)


def _released(ready: Prepared) -> Iterator[tuple[str | None, pa.Table]]:
    """To whom what was given, in random order, with the labels that the source has."""
    project, source = ready.project, None
    for reader in (*(() if project.divided else (None,)), *project.applications):
        served = project.serving(reader)
        rows, _ = read(served, served.reads, None)
        if rows is not None:
            source = _labels(ready) if source is None else source
            joined = _joined(rows, source, ready.table.keys)
            order = np.argsort(fresh_draws(joined.num_rows))
            yield reader, joined.take(pa.array(order))


def _joined(rows: pa.Table, source: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Released rows beside what the source has under their keys, in the types of the file."""
    for place, key in enumerate(keys):
        column = source.column(key).cast(rows.schema.field(key).type)
        source = source.set_column(place, key, column)
    return rows.join(source, list(keys), join_type="inner")


def _labels(ready: Prepared) -> pa.Table:
    """Keys, as a release has them, and the label of each attribute of each row."""
    table, labellings = ready.table, _labellings(ready)
    labeller = Labeller([*labellings.values()], table.columns, timezone=table.timezone)
    names = list(dict.fromkeys([*table.keys, *labeller.reads]))
    parts = []
    for batch in table.batches(Scan(names, ordered=False)):
        keys = {key: as_given(batch.column(key), table.given[key]) for key in table.keys}
        codes = {
            CODE.format(name): pa.array(column) for name, column in labeller.codes(batch).items()
        }
        parts.append(pa.table({**keys, **codes}))
    return pa.concat_tables(parts)


def _labellings(ready: Prepared) -> Mapping[str, Labelling]:
    return {name: ready.learned.labelling[name] for name in ready.project.attributes}


def _attacked(
    ready: Prepared, reader: str | None, rows: pa.Table, about: str, chance: float
) -> Attacked:
    served = ready.project.serving(reader)
    secret = _hidden(ready, rows, about)
    claim = _claim(ready.project, float(secret.mean()))
    shown, naive = _shown(served, rows), _naive(ready, served, rows)
    verdicts = [
        attacked(claim, _known(seen), Trials(seen, secret), ATTACKS, chance)
        for seen in (shown, naive)
    ]
    return Attacked(reader, about, rows.num_rows, verdicts[0], verdicts[1])


def _claim(project: Project, prior: float) -> Claim:
    """ln odds_cap, where every answer has to keep it."""
    limits = project.limits
    every = limits.exceed == 0 and limits.odds_cap < math.inf
    bound = math.log(limits.odds_cap) if every else None
    why = f"odds_cap = {limits.odds_cap:g}" if every else "no cap holds for every answer"
    return Claim("odds", bound, prior, why=why)


def _codes(rows: pa.Table, name: str) -> Codes:
    return numbers(in_one(rows.column(CODE.format(name))))


def _hidden(ready: Prepared, rows: pa.Table, name: str) -> Mask:
    """Whether the cell of each row is declared sensitive."""
    labels = ready.learned.labels[name]
    codes = [place for place, label in enumerate(labels) if label in ready.learned.sensitive[name]]
    return np.isin(_codes(rows, name), codes)


def _shown(served: Project, rows: pa.Table) -> Array:
    """[row, attribute] -> the number of what is shown; a value that is missing is shown to be."""
    return np.stack([_column(rows, name) for name in served.reads], 1)


def _column(rows: pa.Table, name: str) -> Array:
    words = in_one(rows.column(name)).dictionary_encode()
    found = numbers(words.indices.fill_null(int(WITHHELD_AS))).astype(float)
    if missing(name) in rows.column_names:
        released = in_one(rows.column(missing(name)))
        found[numbers(pc.fill_null(released, False).cast(pa.int8())) > 0] = len(words.dictionary)
    return found


def _naive(ready: Prepared, served: Project, rows: pa.Table) -> Array:
    """The same, if sensitive cells were blank and all others shown."""
    return np.stack(
        [
            np.where(_hidden(ready, rows, name), WITHHELD_AS, _codes(rows, name))
            for name in served.reads
        ],
        1,
    )


def _known(seen: Array) -> Known:
    return Known(None, tuple(max(1, int(most) + 1) for most in seen.max(0)))
