"""What these tests need beside Python. `make test-servers` runs them; else they are not collected.

What is not there is skipped, with its name; where everything has to be run it is an error.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.servers.postgresql import programs, served

if "UNSPOKEN_SERVERS" not in os.environ:
    collect_ignore_glob = ["test_*.py"]

# Quick to begin, on little memory; what it does is written down.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "false",  # as many parts as a test says
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}


def needed(there: object, what: str) -> None:
    """Without this, nothing can be tested here."""
    if not there:
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse(f"needs {what}, absent here")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL of these tests' own."""
    needed(find_spec("psycopg"), "psycopg")
    where = programs()
    needed(where, "PostgreSQL")
    assert where is not None
    with served(where) as address:
        yield address


@pytest.fixture
def schema(postgres: str) -> str:
    """A schema of the test's own, as the address of a ledger."""
    engine = sql.create_engine(postgres.replace("postgresql", "postgresql+psycopg", 1))
    with engine.begin() as connection:
        name = f"test{connection.execute(sql.text('SELECT count(*) FROM pg_namespace')).scalar()}"
        connection.execute(sql.text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"{postgres}?options=-csearch_path%3D{name}"


@pytest.fixture(scope="session")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark writes down all that it does."""
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="session")
def spark(events: Path) -> Iterator[Any]:
    """A Spark on this machine: two threads, four attempts of a task."""
    needed(find_spec("pyspark"), "pyspark")
    needed(shutil.which("java"), "Java 17")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("tests").master("local[2,4]")
    for name, value in {**SETTINGS, "spark.eventLog.dir": events.as_uri()}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
