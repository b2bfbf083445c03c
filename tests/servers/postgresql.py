"""A PostgreSQL of one's own, on the loopback, for as long as it is needed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.within import HANG, eventually

__all__ = ["free_port", "programs", "served"]


def free_port() -> int:
    """A port of the loopback that nothing listens on."""
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return int(own.getsockname()[1])


def programs() -> Path | None:
    """The folder with `initdb` and `postgres`, the newest there are; None: there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.parts[-3])
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


@contextmanager
def served(where: Path) -> Iterator[str]:
    """Its address; ``where``: its programs. initdb refuses root."""
    folder, port = Path(tempfile.mkdtemp(prefix="pg")), free_port()
    user: dict[str, Any] = {"user": "postgres"} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(folder, "postgres")
    quiet: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, **user}
    try:
        options = ["-D", "data", "-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--locale=C"]
        subprocess.run([str(where / "initdb"), *options], check=True, **quiet)
        options = f"-D data -h 127.0.0.1 -p {port} -k {folder}".split()
        with open(folder / "log", "wb") as log:
            server = subprocess.Popen([str(where / "postgres"), *options], stderr=log, **quiet)
        try:
            _await(server, where, folder, port)
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            server.send_signal(signal.SIGINT)  # fast: ends what is connected
            server.wait(HANG)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _await(server: subprocess.Popen[bytes], where: Path, folder: Path, port: int) -> None:
    """Until it takes connections."""
    ready = [str(where / "pg_isready"), *f"-q -h 127.0.0.1 -p {port}".split()]

    def takes() -> bool:
        assert server.poll() is None, (folder / "log").read_text()
        return subprocess.run(ready, check=False).returncode == 0

    assert eventually(takes)
