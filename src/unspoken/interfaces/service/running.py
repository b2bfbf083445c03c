"""The service on a port, until it is told to end; then what was begun is answered first."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

from unspoken.core.errors import InputError
from unspoken.interfaces.service.app import MISSING, Service, application, require_fastapi
from unspoken.interfaces.service.bounds import HEAD_SECONDS, Bounds
from unspoken.tables.policy import Project
from unspoken.workflows.serve import Curator
from unspoken.workflows.serve.tokens import Tokens

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:  # said when a service is asked for
    uvicorn = None  # type: ignore[assignment]
    H11Protocol = object  # type: ignore[assignment, misc]

__all__ = ["Punctual", "listening", "require_service_extra", "run", "server", "service"]

ORDER = count()  # of what connections wait for
GRACE = 30  # seconds to finish what was begun
BACKLOG = 512  # connections that the system keeps, and that are taken in one go


class Punctual(H11Protocol):
    """A connection that is closed on whoever does not say in time what is asked for.

    The gate bounds how long a body takes, of requests that it lets in; what comes before, and what
    is left of a body that nobody reads, never reaches it. ``seconds``: for the head of a request,
    from the connection or, after an answer, from its first byte; in between keep-alive holds.

    ``most``: connections at once. Beyond, one whose request has no slot makes room: the oldest of
    the address that has most of them, so whoever opens many closes their own.
    """

    def __init__(self, seconds: float, most: int, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.seconds, self.most = seconds, most
        self._late: asyncio.TimerHandle | None = None
        self.began = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        self._make_room()

    @property
    def is_idle(self) -> bool:
        """Whether nothing that was admitted is being answered here."""
        working = self.cycle is not None and not self.cycle.response_complete
        return not (working and self.scope["state"].get("admitted"))

    def _make_room(self) -> None:
        """Close one connection where there are more than there may be."""
        everybody = [each for each in self.connections if not each.transport.is_closing()]
        idle = [each for each in everybody if isinstance(each, Punctual) and each.is_idle]
        if len(everybody) > self.most and idle:
            crowds = Counter(each.client and each.client[0] for each in idle)
            last = max(idle, key=lambda each: (crowds[each.client and each.client[0]], -each.began))
            last.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()  # the gate has it
        elif self._late is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self.began = next(ORDER)
        self._late = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def require_service_extra() -> None:
    """Refuse, before the project is opened, to serve where the extra ``service`` is missing."""
    require_fastapi()
    if uvicorn is None:
        raise InputError(MISSING)


def service(project: Project, bounds: Bounds) -> Service:
    """The service of a project whose plan is adopted."""
    return Service(Curator.of(project, bounds.rows), Tokens(project), bounds)


def server(made: Service, host: str, port: int) -> uvicorn.Server:
    """On this address, once it is run."""
    require_service_extra()
    app = application(made)
    punctual: Any = partial(
        Punctual, min(HEAD_SECONDS, made.bounds.seconds), made.bounds.connections
    )
    config = uvicorn.Config(
        app, host, port, http=punctual, ws="none", log_config=None, access_log=False,
        server_header=False, date_header=False, proxy_headers=False, timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE, h11_max_incomplete_event_size=16_384, backlog=BACKLOG,
        lifespan="off",
    )  # fmt: skip
    logging.getLogger("uvicorn.access").disabled = True  # it would log what was asked for
    return uvicorn.Server(config)


def listening(host: str, port: int) -> socket.socket:
    """Where others reach it from now on; they wait until it is run. Port 0: any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = str(error.strerror).split(" (")[0]  # Python says the address too
        raise InputError(
            f"serve: cannot listen on {host}, port {port}: {why}; end what listens "
            "there, or choose another --port or --host"
        ) from None


def run(made: Service, own: socket.socket) -> None:
    """Until SIGTERM, SIGINT or SIGHUP."""
    host, port, *_ = own.getsockname()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("unspoken").setLevel(logging.INFO)
    with suppress(KeyboardInterrupt):  # which uvicorn raises again once it has ended in good order
        server(made, host, port).run(sockets=[own])
