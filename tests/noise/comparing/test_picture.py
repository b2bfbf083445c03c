"""Noise against the limit: every line is drawn, and dots stand where a limit is broken."""

import itertools
from functools import cache
from typing import Any

import pytest

import unspoken
from unspoken.noise.comparing import RULES

pytestmark = pytest.mark.slow

vl_convert = pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")

REFUSED = {"bdp_gaussian", "bdp_markov", "branches", "influence", "quilt"}  # for chains, or trees
XOR = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["a", "b", "differ"])


COMPARED = unspoken.compare(XOR, limit=1.0)


@cache
def drawing() -> tuple[Any, list[tuple[int, int]]]:
    """The picture, and what was said while it was drawn."""
    told = list[tuple[int, int]]()
    return COMPARED.picture(lambda done, of: told.append((done, of))), told


def test_lines_and_dots_are_the_rows() -> None:
    drawn, told = drawing()
    points = drawn["data"]["values"]
    assert told == [(k, 7) for k in range(1, 8)]
    assert {point["rule"] for point in points} == set(RULES) - REFUSED
    limits = sorted({point["limit"] for point in points})
    assert limits == [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
    for limit in limits:
        rows = {row.name: row for row in COMPARED.at(limit).rows}
        for point in (own for own in points if own["limit"] == limit):
            row = rows[point["rule"]]
            assert point["scale"] == row.scale
            assert row.left is not None
            assert point["broken"] == (row.left.low > limit * (1 + 1e-9))
            assert point["sound"] == row.rule.sound
    assert not any(point["broken"] for point in points if point["sound"])
    assert any(point["broken"] for point in points)


def test_names_stand_apart_within_the_picture() -> None:
    drawn, _ = drawing()
    names = [layer for layer in drawn["layer"] if layer["mark"].get("align") == "left"]
    places = [layer["encoding"]["y"]["value"] for layer in names]
    assert len(names) == len(RULES) - len(REFUSED)
    assert all(b - a >= 14 for a, b in itertools.pairwise(places))
    assert min(places) >= 0
    assert max(places) <= drawn["height"]


def test_it_is_an_image() -> None:
    image = vl_convert.vegalite_to_svg(drawing()[0])
    for name in RULES:
        assert (f">{name}<" in image) == (name not in REFUSED)
