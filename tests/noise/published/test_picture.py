"""The picture of the graph: a plain description, which a renderer takes as it is."""

import json
from functools import lru_cache

import numpy as np
import pytest

import unspoken
from unspoken.noise.published import Graph, graph, picture

pytestmark = pytest.mark.slow


@lru_cache
def of(n: int) -> Graph:
    table = np.random.default_rng(n).dirichlet(np.full(2**n, 0.4)).reshape((2,) * n)
    return graph(unspoken.Joint(table), [1.0] * n, 1.0)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_tile_for_every_adversary(n: int) -> None:
    found = of(n)
    tiles = picture(found)["data"]["values"]
    nodes = found.nodes()
    assert len(tiles) == len(nodes) == n * 2 ** (n - 1)
    assert [tile["exact"] for tile in tiles] == [node.exact.value for node in nodes]
    assert [tile["short"] for tile in tiles] == [node.falls_short for node in nodes]


def test_tiles_do_not_overlap() -> None:
    tiles = picture(of(4))["data"]["values"]
    for one in tiles:
        assert one["left"] < one["right"]
        assert one["low"] < one["foot"] < one["high"]
        own = [t for t in tiles if t["low"] == one["low"] and t is not one]
        assert all(
            t["right"] <= one["left"] + 1e-9 or t["left"] >= one["right"] - 1e-9 for t in own
        )


def test_numbers_are_written_while_there_is_room() -> None:
    written = [len(picture(of(n))["layer"]) for n in (4, 5)]
    assert written[0] > written[1]


def test_beyond_eight_variables_the_layers_are_drawn() -> None:
    found = of(9)
    bands, lines = (layer["data"]["values"] for layer in picture(found)["layer"])
    assert [band["unknown"] for band in bands] == list(range(9))
    assert max(band["most"] for band in bands) == found.exact.worst()[0]
    assert len(lines) == 27


@pytest.mark.parametrize("n", [2, 5, 9])
def test_a_renderer_takes_it(n: int) -> None:
    vl_convert = pytest.importorskip(
        "vl_convert", reason="needs the extra `report`: vl-convert-python"
    )
    described = picture(of(n))
    assert json.loads(json.dumps(described)) == described
    image = vl_convert.vegalite_to_svg(described, allowed_base_urls=[])
    assert image.startswith("<svg")
    assert "Worst adversary" in image
    assert image.count("<path") > n
