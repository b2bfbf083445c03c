"""Where the service listens, and what is said if it cannot."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.within import HANG
from unspoken.core.errors import InputError
from unspoken.interfaces.service.running import listening
from unspoken.workflows.serve import Curator, Held


def test_any_port_that_is_free_is_a_port_that_answers() -> None:
    with listening("127.0.0.1", 0) as own:
        host, port = own.getsockname()
        with socket.create_connection((host, port), timeout=HANG):
            pass


def test_a_port_that_is_taken_is_named_in_one_line() -> None:
    with listening("127.0.0.1", 0) as own:
        port = own.getsockname()[1]
        with pytest.raises(InputError) as error:
            listening("127.0.0.1", port)
    said = f"serve: cannot listen on 127.0.0.1, port {port}: Address already in use; end what"
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


def test_a_host_that_is_none() -> None:
    with pytest.raises(InputError, match=r"cannot listen on no\.such\.host\.invalid, port 0"):
        listening("no.such.host.invalid", 0)


def test_a_catalogue_tells_nothing_of_the_holders_side(path: Path) -> None:
    """As cells do not: the steward is told."""
    curator = Curator.of(path)
    (path.parent / "visits.parquet").write_bytes(b"half a file")
    with pytest.raises(Held):
        curator.catalogue("planning")
    (notice,) = curator.refusals
    assert notice.what == "catalogue"
    assert "visits.parquet" in notice.why
