"""Friendships from a table to a scale of noise: arrays, and DuckDB for what is larger.

python -m benchmarks.friends                        thousands in arrays, then 6 million in a file
python -m benchmarks.friends --millions 60 --json   as many millions, one record per line
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from unspoken.noise.models.friends import Neighbour, grid
from unspoken.noise.models.friendships import Blocks, Friendships
from unspoken.noise.published.dependent_friends import dpm_friends
from unspoken.tables.friendship_files import read_friendships

USERS, FRIENDSHIPS = 6_969, 47_502  # those of paper 002
DEGREE = 24  # friends of a user on average, in the file
CITIES = ("la", "ny", "sf")


def files(folder: Path, edges: int) -> tuple[str, str]:
    """Friendships by a hash, a few users having many; and the city of everybody."""
    users = max(2, 2 * edges // DEGREE)
    with duckdb.connect() as con:
        con.execute("SET enable_progress_bar = false")
        far = f"CAST(hash(2 * i) % {users} AS INTEGER)"
        near = (
            f"CAST(floor(pow((hash(2 * i + 1) % 1000003) / 1000003.0, 1.5) * {users}) AS INTEGER)"
        )
        ends = f"SELECT {far} AS a, {near} AS b FROM range({edges}) t(i)"
        con.execute(f"COPY ({ends}) TO '{folder}/e.parquet'")
        city = f"['{CITIES[0]}', '{CITIES[1]}', '{CITIES[2]}'][1 + CAST(hash(i) % 3 AS INTEGER)]"
        con.execute(
            f"COPY (SELECT CAST(i AS INTEGER) AS u, {city} AS city FROM range({users}) t(i))"
            f" TO '{folder}/c.parquet'"
        )
    return "e.parquet", "c.parquet"


def laws() -> dict[tuple[str, str], Neighbour]:
    """The law of paper 002 in a city; friends in another city are anywhere in it."""
    own = Neighbour.by_distance(grid())
    anywhere = Neighbour.of(np.full((1, 400), 1 / 400), grid())
    return {(a, b): own if a == b else anywhere for a in CITIES for b in CITIES}


def records(millions: float, memory: str) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, USERS, (2, FRIENDSHIPS))
    begin = time.perf_counter()
    edges = Friendships.of(a, b)
    counted = time.perf_counter()
    law = Neighbour.by_distance(grid())
    scale = dpm_friends(edges, law, limit=1.0, reach=law.width).value
    yield _record("arrays, one class", FRIENDSHIPS, begin, counted, scale)
    with tempfile.TemporaryDirectory() as name:
        size = int(millions * 1e6)
        edge_file, city_file = files(Path(name), size)
        for title, given in (("DuckDB, one class", None), ("DuckDB, three classes", city_file)):
            begin = time.perf_counter()
            edges = read_friendships(edge_file, given, folder=Path(name), memory=memory)
            counted = time.perf_counter()
            models = laws() if given else law
            scale = dpm_friends(edges, models, limit=1.0, reach=law.width).value
            yield _record(title, size, begin, counted, scale)
    begin = time.perf_counter()
    largest = Blocks.of(a, b).largest
    yield _record("arrays, components", FRIENDSHIPS, begin, time.perf_counter(), float(largest))


def _record(what: str, edges: int, begin: float, counted: float, number: float) -> dict[str, Any]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    done = time.perf_counter()
    return {
        "what": what,
        "edges": edges,
        "counting, s": round(counted - begin, 3),
        "scale, s": round(done - counted, 3),
        "result": number,
        "peak, GB": round(peak, 2),
    }


def main() -> None:
    """Print every record as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=float, default=6.0, help="friendships in the file")
    parser.add_argument("--memory", default="4GB", help="what DuckDB may use before it spills")
    parser.add_argument("--json", action="store_true", help="one JSON record per line")
    chosen = parser.parse_args()
    for record in records(chosen.millions, chosen.memory):
        if chosen.json:
            print(json.dumps(record), flush=True)
        else:
            what, edges, counting, scale, result, peak = record.values()
            print(
                f"{what:22} {edges:12,} {counting:9.3f} s {scale:7.3f} s"
                f" -> {result:12.5g}, {peak:5.2f} GB",
                flush=True,
            )


if __name__ == "__main__":
    main()
