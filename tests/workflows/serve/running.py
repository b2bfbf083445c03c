"""The service as it runs: on a real port of this machine, in a thread."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.within import HANG, eventually
from tests.workflows.serve.planted_clock import PlantedClock
from unspoken.interfaces.client import Client
from unspoken.interfaces.service import gate
from unspoken.interfaces.service import running as service_running
from unspoken.interfaces.service.app import Service
from unspoken.interfaces.service.bounds import Bounds
from unspoken.interfaces.service.running import server, service
from unspoken.tables.policy import Project
from unspoken.workflows.serve.tokens import Tokens

WHO = {
    "lighting": "application",
    "planning": "application",
    "anna": "steward",
    "otto": "auditor",
}


@dataclass(frozen=True)
class Running:
    """``tokens``: by name."""

    port: int
    tokens: dict[str, str]
    made: Service
    server: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, who: str) -> Client:
        return Client(self.url, self.tokens[who])

    def send(
        self,
        method: str,
        path: str,
        who: str | None = None,
        body: Any = None,
        raw: bytes | None = None,
        **headers: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """One request as it is, whatever it may be."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG)
        sent = raw if raw is not None else None if body is None else json.dumps(body).encode()
        named = {"content-type": "application/json"} if sent is not None else {}
        named |= {} if who is None else {"authorization": f"Bearer {self.tokens[who]}"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, sent, named)
            answer = connection.getresponse()
            given = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, given, answer.read()
        finally:
            connection.close()


@contextmanager
def running(
    path: Path,
    bounds: Bounds | None = None,
    more: Mapping[str, str] | None = None,
    clock: PlantedClock | None = None,
) -> Iterator[Running]:
    """Serve a project while the block runs; ``clock``: its time, which else is that of all.

    Unless bounds are given nothing is too slow for it: tests run on slow machines.
    """
    project, everybody = Project.read(path), {**WHO, **(more or {})}
    tokens = {name: Tokens(project).new(name, role)[1] for name, role in everybody.items()}
    made = service(project, bounds or Bounds(seconds=HANG))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "BODY_SECONDS", float(HANG))
        patch.setattr(gate, "FORM_SECONDS", float(HANG))
        patch.setattr(service_running, "HEAD_SECONDS", float(HANG))
        patch.setattr(service_running, "GRACE", HANG)
        with _serving(server(made, "127.0.0.1", 0), clock) as serving:
            port = serving.servers[0].sockets[0].getsockname()[1]
            yield Running(port, tokens, made, serving)


@contextmanager
def _serving(own: uvicorn.Server, clock: PlantedClock | None) -> Iterator[uvicorn.Server]:
    """In a thread, until the block ends."""

    work = partial(_by_the_clock, own, clock) if clock else own.run
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        assert eventually(lambda: own.started or not thread.is_alive())
        assert thread.is_alive()
        yield own
    finally:
        own.should_exit = True

        def ended() -> bool:
            if clock:
                clock.hurry()
            return not thread.is_alive()

        assert eventually(ended)


def _by_the_clock(own: uvicorn.Server, clock: PlantedClock) -> None:
    with asyncio.Runner(loop_factory=lambda: clock) as runner:
        runner.run(own.serve())
