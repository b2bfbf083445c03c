"""A project: what the holder has decided, as unspoken.toml says it."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from unspoken.core.errors import InputError, unknown
from unspoken.core.numerics.numbers import which_draw
from unspoken.core.numerics.rounding import quotient_down
from unspoken.tables.policy import checks, paths, plan_checks, query_checks
from unspoken.tables.policy.complaints import Place, quoted
from unspoken.tables.policy.declared import (
    Attribute,
    Context,
    DeclaredApplication,
    DeclaredBelief,
    DeclaredLimits,
    DeclaredPlan,
    DeclaredQuery,
    Epoch,
    Files,
    Source,
)
from unspoken.tables.policy.reading import read_text, tables_of
from unspoken.tables.policy.schema import EXACT, AttributeTable, ProjectTable

__all__ = ["Project", "project_file"]

# What the name of an application may be where it is part of the name of a file.
PLAIN = re.compile(
    r"[^\s./\\:*?\"<>|\x00-\x1f]([^/\\:*?\"<>|\x00-\x1f]*[^\s./\\:*?\"<>|\x00-\x1f])?"
)
DRAWN = re.compile(r"(^|-)draw-\d+$", re.I)  # so files of a draw are called


@dataclass(frozen=True)
class Project:
    """All of unspoken.toml, checked. ``applications`` are names and what each reads, ``terms`` what
    else is declared of them.
    """

    path: Path
    source: Source
    epoch: Epoch
    attributes: Mapping[str, Attribute]
    applications: Mapping[str, tuple[str, ...]]
    limits: DeclaredLimits
    files: Files
    belief: DeclaredBelief = field(default_factory=DeclaredBelief)
    plan: DeclaredPlan = field(default_factory=DeclaredPlan)
    query: DeclaredQuery = field(default_factory=DeclaredQuery)
    terms: Mapping[str, DeclaredApplication] = field(default_factory=dict)
    contexts: Mapping[str, Context] = field(default_factory=dict)
    place: Place = field(default=Place("unspoken.toml"), repr=False, compare=False)

    @classmethod
    def read(cls, path: str | Path) -> Project:
        """Read a project file, or the one of a folder; anything wrong is an InputError."""
        file = project_file(path)
        return cls.parse(read_text(file), file)

    @classmethod
    def parse(cls, text: str, path: str | Path = "unspoken.toml") -> Project:
        """The project that this text would be in a file at ``path``."""
        file = Path(path)
        tables, place = tables_of(text, str(path))
        modules = (checks, plan_checks, query_checks)
        wrong = [complaint for module in modules for complaint in module.complaints(tables)]
        place.refuse([*wrong, *paths.complaints(tables, file)])
        return _project(tables, place, paths.absolute(Path.cwd(), str(file)))

    @property
    def reads(self) -> tuple[str, ...]:
        """The attributes that any application reads; all attributes are targets."""
        read = {name for reads in self.applications.values() for name in reads}
        return tuple(name for name in self.attributes if name in read)

    @property
    def pools(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """What each coalition sees when its members pool what they read."""
        ordered = [
            tuple(name for name in self.applications if name in members)
            for members in self.limits.coalitions
        ]
        return {
            members: tuple(
                name
                for name in self.reads
                if any(name in self.applications[member] for member in members)
            )
            for members in ordered
        }

    def known_by(self, members: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """What these applications have of a row from elsewhere, each attribute by itself."""
        return tuple((name,) for name in sorted({n for w in members for n in self.terms[w].knows}))

    @property
    def divided(self) -> bool:
        """Whether some do not pool: no coalition has all applications."""
        return not any(set(members) >= set(self.applications) for members in self.limits.coalitions)

    def serving(self, reader: str | None, draw: int = 1) -> Project:
        """What a release to one application reads and writes; None: one for all, if all pool.

        ``draw``: each after the first has files of its own.
        """
        if which_draw(draw) > 1:
            served = self.serving(reader)
            return replace(served, files=served.files.drawn(draw))
        if reader is None:
            if self.divided:
                listed = " or ".join(f"--for {quoted(name)}" for name in self.applications)
                raise self.error(
                    "limit", "coalitions", text="not all applications pool what they get, so each "
                    f"is given a file or an answer of its own: {listed}",
                )  # fmt: skip
            return self
        if not isinstance(reader, str) or reader not in self.applications:
            raise unknown("--for", reader, self.applications)
        if not PLAIN.fullmatch(reader) or DRAWN.search(reader) or self._taken(reader):
            raise self.error(
                "application", reader, text="a file for it has its name in the name of the file, "
                "which cannot be, or would be another file; give it a plain name of its own",
            )  # fmt: skip
        files = self.files.serving(reader)
        return replace(self, applications={reader: self.applications[reader]}, files=files)

    def _taken(self, reader: str) -> bool:
        """Whether a file for this reader is one that has another purpose, in any letter case."""
        names = [name for name in self.applications if name != reader and PLAIN.fullmatch(name)]
        others = [self.files.serving(name).release for name in names]
        known = [self.path, self.source.file, self.source.database, *self.files.paths, *others]
        files = self.files.serving(reader)
        return bool(
            {str(path).casefold() for path in (files.release, files.manifest)}
            & {str(path).casefold() for path in known}
        )

    @property
    def closing_values(self) -> bool:
        """Whether values that tell too much by themselves are withheld: by cell coins that are
        planned for the observed frequencies. Others are planned with every value as it is.
        """
        return self.limits.close and self.plan.by == "cell" and not self.plans_for_set

    @property
    def plans_for_set(self) -> bool:
        """Whether plans hold for every prior in a confidence set of the counts. Around a tree there
        is none: it is asked for by name, as are the observed frequencies by `confidence = "none"`.
        """
        return self.belief.confidence is not None and self.belief.form != "tree"

    def closing(self, close: bool | None) -> Project:
        """The same with telling values withheld too, or not; None: as it says."""
        return self if close is None else replace(self, limits=replace(self.limits, close=close))

    @property
    def planned(self) -> Project:
        """The same, for whoever makes plans: with the limits that these keep to."""
        plan = self.plan
        limits = self.limits.within(plan.odds_cap, plan.limit_bits)
        return replace(self, limits=limits, plan=replace(plan, odds_cap=None, limit_bits=None))

    @property
    def protected(self) -> tuple[str, ...]:
        """The attributes that can be sensitive at all. None: then nothing is limited."""
        return tuple(a.name for a in self.attributes.values() if a.sensitive is not None)

    def at(self, *path: str | int) -> str:
        """Where a key stands, for messages: ``unspoken.toml:14 attribute.arrival.sensitive``."""
        return self.place.at(path)

    def error(self, *path: str | int, text: str) -> InputError:
        """The InputError that says this of this key, on one line."""
        return self.place.error(path, text)


def project_file(path: str | Path) -> Path:
    """The project file at this path, or in this folder."""
    given = Path(path)
    return given / "unspoken.toml" if os.path.isdir(given) else given


def _project(tables: ProjectTable, place: Place, path: Path) -> Project:
    return Project(
        path=path,
        source=_source(tables, path.parent),
        epoch=Epoch(tables.epoch.label, tables.epoch.of),
        attributes={name: _attribute(name, a) for name, a in tables.attribute.items()},
        applications={name: tuple(a.reads) for name, a in tables.application.items()},
        limits=_limits(tables),
        files=_files(tables, path.parent),
        belief=_belief(tables),
        plan=DeclaredPlan(**dict(tables.plan)),
        query=DeclaredQuery(
            tables.query.rows_per_unit,
            {name: (low, high) for name, (low, high) in tables.query.bounds.items()},
        ),
        terms={
            name: DeclaredApplication(tuple(given.knows), given.weight, given.share)
            for name, given in tables.application.items()
        },
        contexts={
            name: Context(name, given.of, given.previous, given.habit, tuple(given.edges or ()))
            for name, given in tables.context.items()
        },
        place=place,
    )


def _source(tables: ProjectTable, base: Path) -> Source:
    given = tables.source
    file = paths.is_file(tables)
    table, database = given.table, given.database
    return Source(
        table=str(paths.absolute(base, table)) if file and table else table,
        database=paths.absolute(base, database) if database else None,
        sql=given.sql,
        keys=tuple(given.keys),
        unit=tuple(given.keys if given.unit is None else given.unit),
        preferences=paths.absolute(base, given.preferences) if given.preferences else None,
        name=(f"{table} in {database}" if database else table) if table else "the query",
        timezone=given.timezone,
        memory=given.memory,
        threads=given.threads,
        nan_missing=given.nan == "missing",
        rows_per_unit=given.rows_per_unit,
        engine=given.engine,
        catalog=paths.in_catalog(tables),
    )


def _attribute(name: str, given: AttributeTable) -> Attribute:
    return Attribute(
        name=name,
        bins=None if given.bins is None else tuple(given.bins),
        values=tuple(given.values) if isinstance(given.values, list) else None,
        sensitive=given.sensitive,
        missing=given.missing,
        exact=given.values == EXACT,
        none_yet=given.none_yet,
        static=given.static,
    )


def _belief(tables: ProjectTable) -> DeclaredBelief:
    """A tree of one attribute has no pairs, and is its joint table."""
    given = tables.belief
    return DeclaredBelief(
        form=given.form if len(tables.attribute) > 1 else None,
        noise=None if given.noise == "none" else float(given.noise),
        confidence=None if given.confidence == "none" else float(given.confidence),
        history=given.history,
    )


def _limits(tables: ProjectTable) -> DeclaredLimits:
    given = tables.limit
    everybody = [list(tables.application)]
    # I(H; Y_1 .. Y_T) <= sum_t I(X_t; Y_t) for every habit H of the secrets (assessment/habits.py)
    rows, most = tables.source.rows_per_unit, given.unit_bits
    share = math.inf if most is None or rows is None else quotient_down(most, rows)
    pooled = given.odds_cap if given.pooled_cap is None else given.pooled_cap
    return DeclaredLimits(
        bits=share if given.limit_bits is None else min(given.limit_bits, share),
        odds_cap=given.odds_cap,
        cap_all=given.cap_all,
        exceed=given.exceed,
        close=given.close,
        targets={name: min(bits, share) for name, bits in given.target.items()},
        coalitions=tuple(map(tuple, given.coalitions or everybody)),
        unit_bits=given.unit_bits,
        unit_epsilon=math.inf if given.unit_epsilon is None else given.unit_epsilon,
        epoch_epsilon=math.inf if given.epoch_epsilon is None else given.epoch_epsilon,
        epoch_chain=tuple(map(tuple, given.epoch_chain or ())),
        pooled_cap=math.inf if pooled == "none" else float(pooled),
    )


def _files(tables: ProjectTable, base: Path) -> Files:
    named = {**dict(tables.secret), **paths.outputs(tables), "belief": tables.belief.file}
    database = paths.database(tables)
    if database is not None:
        named["ledger"] = f"{tables.secret.key}.ledger"
    files = {key: paths.absolute(base, name) for key, name in named.items()}
    return Files(**files, database=database)
