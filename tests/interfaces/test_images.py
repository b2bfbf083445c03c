"""What draws reserves more addresses than most limits leave: that is said, and nothing aborts."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
resource: Any = pytest.importorskip("resource", reason="POSIX has limits on addresses")

DRAW = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.RLIM_INFINITY))
from unspoken.core.errors import InputError
from unspoken.interfaces import images
spec = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
for draw in (images.svg, images.svg, images.png):
    try:
        print(len(draw(spec)) > 100)
    except InputError as refused:
        print(refused)
"""


def drawn(addresses: int) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(addresses)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="what is reserved was measured on Linux")
@pytest.mark.parametrize("gigabytes", [4, 40, 64])
def test_too_few_addresses_are_one_line(gigabytes: int) -> None:
    said = drawn(gigabytes * 2**30)
    assert len(said) == 3, said
    assert all("reserves 66 GB of addresses" in line for line in said)


@pytest.mark.skipif(sys.platform != "linux", reason="what is reserved was measured on Linux")
@pytest.mark.parametrize("addresses", [72 * 2**30, resource.RLIM_INFINITY])
def test_enough_addresses_draw(addresses: int) -> None:
    assert drawn(addresses) == ["True"] * 3
