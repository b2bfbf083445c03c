"""A Spark release in a process of its own, which is killed on the way.

python -m tests.servers.spark_alone PROJECT POINT

POINT is one of `tests.workflows.release.killed`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tests.servers.conftest import SETTINGS
from tests.workflows.release.killed import released_until


def begun() -> None:
    """The Spark of these tests."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in {**SETTINGS, "spark.eventLog.enabled": "false"}.items():
        builder = builder.config(name, value)
    builder.getOrCreate()


if __name__ == "__main__":
    begun()
    released_until(sys.argv[2], Path(sys.argv[1]))
