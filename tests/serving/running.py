"""The service as it runs: on a real port of this machine, in a thread."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unspoken.client import Client
from unspoken.doors.service.app import Service
from unspoken.doors.service.bounds import Bounds
from unspoken.doors.service.running import server, service
from unspoken.policy import Project
from unspoken.serving.tokens import Tokens

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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
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
    path: Path, bounds: Bounds | None = None, more: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """Serve a project while the block runs."""
    project, everybody = Project.read(path), {**WHO, **(more or {})}
    tokens = {name: Tokens(project).new(name, role)[1] for name, role in everybody.items()}
    made = service(project, bounds or Bounds(seconds=60))
    serving = server(made, "127.0.0.1", 0)
    thread = threading.Thread(target=serving.run, daemon=True)
    thread.start()
    while not serving.started:
        assert thread.is_alive()
        time.sleep(0.005)
    port = serving.servers[0].sockets[0].getsockname()[1]
    try:
        yield Running(port, tokens, made, serving)
    finally:
        serving.should_exit = True
        thread.join(30)
        assert not thread.is_alive()
