"""Opening a source: which files it is, and a DuckDB that can read those and do nothing else.

Everything is a view. Once it is open, DuckDB can reach no file but the named ones and those of its
own spill folder, can load no extension, and its settings are locked; databases are attached read
only. SQL of the holder's runs with these restrictions.
"""

from __future__ import annotations

import glob
import weakref
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import duckdb
import pyarrow as pa

from unspoken.core.errors import InputError
from unspoken.tables.engines.database import BASE, is_database, table_of_base, tables_of_base
from unspoken.tables.engines.files import CSV, PARQUET, File, blamed, file_at, files_at
from unspoken.tables.engines.interrupting import interruptible
from unspoken.tables.engines.relations import alone, settled, together
from unspoken.tables.engines.session import OURS, session
from unspoken.tables.engines.spill import Spill
from unspoken.tables.engines.sql import identifier, literal, read_query
from unspoken.tables.engines.syntax import reworded

__all__ = ["Opened", "opened"]

NAMED = 8  # tables of a database that a message lists
FRAME = f"{OURS} frame"  # the name of a table that is handed in


@dataclass
class Opened:
    """A DuckDB on its way from open to everything to open to the named files only.

    ``names``: of files, as the holder gives them, with what messages call them. ``shared``: whose
    cursor this is, which is open for at least as long.
    """

    con: duckdb.DuckDBPyConnection
    folder: Path
    spill: Spill
    files: list[File] = field(default_factory=list)
    frame: pa.Table | None = None
    names: list[tuple[str, str]] = field(default_factory=list)
    shared: Opened | None = None

    def __post_init__(self) -> None:
        self._end = weakref.finalize(self, _end, self.con, None if self.shared else self.spill)

    def share(self) -> Opened:
        """The same for another thread, by a session of its own."""
        return replace(self, con=self.cursor(), shared=self)

    @property
    def current_files(self) -> list[Path] | None:
        """The files that its names stand for by now; None: they do not say it, as of a database."""
        if self.frame is not None or not all(file.relation for file in self.files):
            return None
        with suppress(InputError):
            found = [files_at(self.folder, name, "", called) for name, called in self.names]
            return [file.path for files in found for file in files]
        return None

    def close(self) -> None:
        """Close DuckDB and remove what it spilled; also done when nobody needs it any more."""
        self._end()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A session of its own, for a stream; what was handed in each session has to be shown."""
        cursor = interruptible(self.con.cursor())
        if self.frame is not None:
            cursor.register(FRAME, self.frame)
        return cursor

    def hand_in(self, frame: pa.Table) -> str:
        """What stands behind FROM for a table that is in memory; nothing of it is copied."""
        self.frame = frame
        self.con.register(FRAME, frame)
        return identifier(FRAME)

    @contextmanager
    def reworded(self, where: str) -> Iterator[None]:
        """Every error as one line that begins with the place, and names the file if it is one's."""
        with reworded(where, partial(blamed, files=self.files, con=self.con)):
            yield

    def attach(self, database: str, where: str) -> None:
        """A DuckDB file, read only; its tables are found by `relation`."""
        file = file_at(self.folder, database, where)
        self.files.append(file)
        with self.reworded(where):
            path = literal(str(file.path))
            self.con.execute(f"ATTACH {path} AS {BASE} (READ_ONLY, TYPE duckdb)")

    def relation(
        self, name: tuple[str, ...], database: str | None, where: str, called: str = "",
        home: str = "source.database",
    ) -> str:  # fmt: skip
        """What stands behind FROM for a table of the database, or else for a file."""
        if database is not None:
            with self.reworded(where):
                return table_of_base(self.con, ".".join(name), Path(database).name, where)
        self.names.append((".".join(name), called))
        files = [alone(file) for file in files_at(self.folder, ".".join(name), where, called)]
        for file in files:
            if not file.path.name.lower().endswith((*PARQUET, *CSV)):
                self._refuse(file, where, home)
        self.files += files
        if len(files) == 1:
            return files[0].relation
        with self.reworded(where):
            return together(self.con, files, self.folder, where)

    def _refuse(self, file: File, where: str, home: str) -> NoReturn:
        """What is no table; of a database what it has is said."""
        if not is_database(file.path):
            raise InputError(
                f'{where}: cannot read "{file.name}"; give a .parquet or .csv (.gz) file, or '
                'database = "x.duckdb" and the name of a table'
            )
        self.attach(str(file.path), where)
        with self.reworded(where):
            names = [f'"{name}"' for name in tables_of_base(self.con)]
        tables = ", ".join(names[:NAMED]) + (", ..." if names[NAMED:] else "") or "it has none"
        raise InputError(
            f'{where}: "{file.name}" is a database; give it by {home}, and here the name of one of '
            f"its tables: {tables}"
        )

    def lock(self, where: str) -> None:
        """From here on only the named files can be read, and nothing can be written or changed."""
        paths = [str(file.path) for file in self.files if file.relation]
        allowed = ", ".join(literal(text) for path in paths for text in (path, glob.escape(path)))
        with self.reworded(where):
            self.con.execute(f"SET allowed_paths = [{allowed}]")
            self.con.execute("SET enable_external_access = false")
            self.con.execute("SET lock_configuration = true")
            self.con.execute(f"CREATE SCHEMA {OURS}")

    def view(self, name: str, query: str, where: str) -> dict[str, str]:
        """A view of our own; gives its columns with their types."""
        with self.reworded(where):
            self.con.execute(f"CREATE VIEW {OURS}.{identifier(name)} AS {query}")
            rows = self.con.execute(f"DESCRIBE {OURS}.{identifier(name)}").fetchall()
        return {row[0]: row[1] for row in rows}

    def empty(self, name: str, where: str) -> bool:
        """Whether a view of our own has no rows."""
        with self.reworded(where):
            return not self.con.execute(
                f"SELECT 1 FROM {OURS}.{identifier(name)} LIMIT 1"
            ).fetchall()

    def file_view(
        self, name: str, relation: str, where: str, texts: Collection[str] = ()
    ) -> dict[str, str]:
        """A view of a file or table; the types of a CSV are settled once, as `settled` has it."""
        with self.reworded(where):
            relation = settled(self.con, relation, texts)
        return self.view(name, f"SELECT * FROM {relation}", where)

    def query_view(self, name: str, text: str, database: str | None, where: str) -> dict[str, str]:
        """A view of a SELECT of the holder's, over views of the files or tables it names."""
        tables = read_query(self.con, text, where)
        relations = [(table, self.relation(table, database, where)) for table in tables]
        self.lock(where)
        for number, (table, relation) in enumerate(relations):
            self.file_view(f"table {number}", relation, where)
            path = ".".join(map(identifier, table))
            with self.reworded(where):
                if len(table) > 1:
                    self.con.execute(f"CREATE SCHEMA IF NOT EXISTS {identifier(table[0])}")
                self.con.execute(f'CREATE VIEW {path} AS FROM {OURS}."table {number}"')
        return self.view(name, self.con.extract_statements(text)[0].query.rstrip("; \n"), where)


@contextmanager
def opened(
    folder: Path, memory: str, timezone: str = "UTC", threads: int | None = None
) -> Iterator[Opened]:
    """A DuckDB in memory; closed again if opening the source fails.

    It spills to a folder of its own that nobody else can read and that goes when it does.
    """
    spill = Spill.made()
    more = {} if threads is None else {"threads": str(threads)}
    limits = {"memory_limit": literal(memory), "temp_directory": literal(spill.folder)}
    try:
        con = session(timezone, **limits, **more)
    except BaseException:
        spill.remove()
        raise
    opening = Opened(con, folder, spill)
    try:
        yield opening
    except BaseException:
        opening.close()
        raise


def _end(con: duckdb.DuckDBPyConnection, spill: Spill | None) -> None:
    try:
        con.close()
    finally:  # also where a signal was heard of meanwhile
        if spill is not None:
            spill.remove()
