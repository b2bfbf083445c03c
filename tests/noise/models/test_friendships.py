"""Counting friends, by arrays and by DuckDB, against a loop; nobody is lost, no block crossed."""

import csv
import gzip
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.noise.models.friendships import Blocks, Friendships
from unspoken.tables.friendship_files import read_blocks, read_friendships

pytestmark = pytest.mark.slow

Rows = Counter[tuple[Any, ...]]


def rows_of(edges: Friendships) -> Rows:
    """{(own class, friends of each class): users}."""
    found: Rows = Counter()
    for own, friends, users in zip(edges.kinds, edges.friends, edges.users, strict=True):
        found[(edges.classes[own], *friends.tolist())] += int(users)
    return found


def by_hand(pairs: list[tuple[Any, Any]], classes: dict[Any, str]) -> Rows:
    kinds = sorted(set(classes.values()))
    friends: dict[Any, Counter[str]] = {user: Counter() for user in classes}
    for a, b in pairs:
        if a != b:
            friends[a][classes[b]] += 1
            friends[b][classes[a]] += 1
    return Counter((classes[u], *(own[kind] for kind in kinds)) for u, own in friends.items())


def drawn(seed: int) -> tuple[list[tuple[int, int]], dict[int, str]]:
    rng = np.random.default_rng(seed)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 30, (60, 2))]
    return pairs, {user: ["ny", "sf", "la"][user % 7 % 3] for user in range(33)}


def written(folder: Path, name: str, columns: dict[str, list[Any]]) -> str:
    pq.write_table(pa.table(columns), folder / name)
    return name


@pytest.mark.parametrize("seed", range(4))
def test_friends_of_every_class(seed: int, tmp_path: Path) -> None:
    pairs, classes = drawn(seed)
    a, b = map(list, zip(*pairs, strict=True))
    truth = by_hand(pairs, classes)
    assert rows_of(Friendships.of(a, b, classes)) == truth
    table = pa.table({"a": a, "b": b})
    assert rows_of(Friendships.of(table["a"], table["b"], classes)) == truth
    edges = written(tmp_path, "edges.parquet", {"who": a, "with whom": b})
    kinds: dict[str, list[Any]] = {"user": list(classes), "it's": list(classes.values())}
    users = written(tmp_path, "classes.parquet", kinds)
    read = read_friendships(edges, users, folder=tmp_path)
    assert rows_of(read) == truth
    assert read.classes == ("la", "ny", "sf")


def test_one_class_of_users(tmp_path: Path) -> None:
    pairs, _ = drawn(1)
    a, b = map(list, zip(*pairs, strict=True))
    (tmp_path / "edges.csv").write_text("a,b\n" + "".join(f"{x},{y}\n" for x, y in pairs))
    named = dict.fromkeys({*a, *b}, "")
    truth = by_hand(pairs, named)
    alone = truth.pop(("", 0), 0)  # whoever is a friend of nobody is in no edge
    found = rows_of(Friendships.of(a, b))
    assert found.pop(("", 0), 0) == alone
    assert found == rows_of(read_friendships("edges.csv", folder=tmp_path)) == truth
    names = [f"u{x}" for x in a], [f"u{x}" for x in b]
    assert np.array_equal(Friendships.of(*names).degrees, Friendships.of(a, b).degrees)


def test_growth_is_the_largest_over_users() -> None:
    pairs, classes = drawn(2)
    a, b = zip(*pairs, strict=True)
    edges = Friendships.of(a, b, classes)
    rho = np.random.default_rng(1).random((3, 3))
    most = max(
        sum(n * rho[edges.classes.index(row[0]), c] for c, n in enumerate(row[1:]))
        for row in by_hand(pairs, classes)
    )
    assert edges.growth(rho) == pytest.approx(most, rel=1e-14)


def test_components_are_blocks() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pairs = rng.integers(0, 40, (int(rng.integers(1, 40)), 2))
        block = {user: user for user in pairs.ravel().tolist()}
        for a, b in pairs.tolist():
            one, other = block[a], block[b]
            block = {user: one if own == other else own for user, own in block.items()}
        truth = Counter(Counter(block.values()).values())
        for found in (
            Blocks.of(pairs[:, 0], pairs[:, 1]),
            Blocks.of(pairs[:, 0], pairs[:, 1], block),
        ):
            assert dict(zip(found.sizes.tolist(), found.many.tolist(), strict=True)) == truth
            assert found.largest == max(truth)


def test_a_long_line_is_one_block() -> None:
    order = np.random.default_rng(0).permutation(3000)
    assert Blocks.of(order[:-1], order[1:]).largest == 3000


def test_blocks_from_files(tmp_path: Path) -> None:
    edges = written(tmp_path, "e.parquet", {"a": [1, 2, 4], "b": [2, 3, 5]})
    users = list(range(1, 8))
    block = written(tmp_path, "b.parquet", {"user": users, "block": list("xxxyyzz")})
    found = read_blocks(edges, block, folder=tmp_path)
    assert (found.sizes.tolist(), found.many.tolist()) == ([2, 3], [2, 1])
    crossed = written(tmp_path, "c.parquet", {"user": users, "block": list("xxyyyzz")})
    with pytest.raises(unspoken.UnspokenError, match="1 friendships are between two blocks"):
        read_blocks(edges, crossed, folder=tmp_path)
    short = written(tmp_path, "d.parquet", {"user": users[:4], "block": list("xxxy")})
    with pytest.raises(unspoken.UnspokenError, match="1 friendships"):
        read_blocks(edges, short, folder=tmp_path)
    with pytest.raises(unspoken.UnspokenError, match="between two blocks"):
        Blocks.of([1], [2], {1: "x", 2: "y"})


@pytest.mark.parametrize(
    ("edges", "classes", "words"),
    [
        ({"a": [1], "b": [2]}, {"u": [1], "c": ["x"]}, "have no class"),
        ({"a": [1, 8], "b": [2, 9]}, {"u": [1, 2], "c": ["x", "y"]}, "have no class"),
        ({"a": [1], "b": [2]}, {"u": [1, 2], "c": ["x", None]}, "have no class"),
        ({"a": [1], "b": [None]}, {"u": [1, 2], "c": ["x", "y"]}, "have no class"),
        ({"a": [None], "b": [2]}, None, "have no class"),
        ({"a": [1], "b": [2]}, {"u": [1, 2, 2], "c": ["x", "y", "z"]}, "2 rows"),
        ({"a": [1], "b": [2]}, {"u": [1, 2]}, "two columns are expected"),
        (
            {"a": [1], "b": [2]},
            {"u": list(range(65)), "c": [str(k) for k in range(65)]},
            "65 classes",
        ),
    ],
)
def test_nobody_is_lost(
    edges: dict[str, list[Any]], classes: dict[str, list[Any]] | None, words: str, tmp_path: Path
) -> None:
    first = written(tmp_path, "edges.parquet", edges)
    second = written(tmp_path, "classes.parquet", classes) if classes else None
    with pytest.raises(unspoken.UnspokenError, match=words):
        read_friendships(first, second, folder=tmp_path)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: Friendships.of([1, 2], [1]), "equal length"),
        (lambda: Friendships.of([1.0, np.nan], [1, 2]), "missing"),
        (lambda: Friendships.of(np.array(["a", None], object), ["b", "c"]), "missing"),
        (lambda: Friendships.of([1], [2], {1: "x"}), "1 users have none, such as 2"),
        (lambda: Friendships.of([1], [2], {"1": "x"}), "have none"),
        (lambda: Friendships.of(range(65), range(65), {k: str(k) for k in range(65)}), "merge"),
        (lambda: read_friendships("absent.parquet"), "absent.parquet"),
    ],
)
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(unspoken.UnspokenError, match=words):
        ask()


def pairs_in(file: Path) -> list[tuple[int, int]]:
    with gzip.open(file, "rt") as lines:
        return [(int(a), int(b)) for a, b in itertools.islice(csv.reader(lines), 1, None)]


def test_gowalla(shared: Path) -> None:
    """Real friendships: nearly all users are one block, so sound noise grows with n."""
    home = shared / "data" / "gowalla_capri"
    if not home.is_dir():
        pytest.skip("needs gowalla_capri, which is not among the data sets beside the checkout")
    pairs = pairs_in(home / "friends.csv.gz")
    a, b = zip(*pairs, strict=True)
    edges = Friendships.of(a, b)
    assert (len(pairs), edges.users.sum(), edges.degrees.max()) == (46_001, 5_086, 1_353)
    assert edges.users @ edges.degrees == 2 * 46_001
    assert rows_of(read_friendships(home / "friends.csv.gz")) == rows_of(edges)
    classes = {user: "abc"[user % 3] for user in {*a, *b}}
    assert rows_of(Friendships.of(a, b, classes)) == by_hand(pairs, classes)
    assert Blocks.of(a, b).largest == 5_042


def test_ego_facebook(shared: Path) -> None:
    home = shared / "data" / "ego_facebook"
    if not home.is_dir():
        pytest.skip("needs ego_facebook, which is not among the data sets beside the checkout")
    pairs = pairs_in(home / "edges.csv.gz")
    edges = read_friendships(home / "edges.csv.gz")
    assert edges.users.sum() == 4_039
    assert edges.users @ edges.degrees == 2 * 88_234
    assert edges.degrees.max() == max(Counter(itertools.chain(*pairs)).values()) == 1_045
    a, b = zip(*pairs, strict=True)
    assert Blocks.of(a, b).largest == 4_039
