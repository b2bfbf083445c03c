"""The service on a port, until it is told to end; then what was begun is answered first."""

from __future__ import annotations

import logging
from contextlib import suppress

from unspoken.doors.service.app import Service, application
from unspoken.doors.service.bounds import Bounds
from unspoken.errors import InputError
from unspoken.policy import Project
from unspoken.serving import Curator
from unspoken.serving.tokens import Tokens

try:
    import uvicorn
except ImportError:  # said when a service is asked for
    uvicorn = None  # type: ignore[assignment]

__all__ = ["run", "server", "service"]

GRACE = 30  # seconds to finish what was begun


def service(project: Project, bounds: Bounds) -> Service:
    """The service of a project whose plan is adopted."""
    return Service(Curator.of(project, bounds.rows), Tokens(project), bounds)


def server(made: Service, host: str, port: int) -> uvicorn.Server:
    """On this address, once it is run."""
    app = application(made)
    if uvicorn is None:
        raise InputError("serve: needs FastAPI and uvicorn: pip install 'unspoken[service]'")
    config = uvicorn.Config(
        app, host, port, log_config=None, access_log=False, server_header=False, date_header=False,
        proxy_headers=False, timeout_keep_alive=15, timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=16_384, lifespan="off",
    )  # fmt: skip
    logging.getLogger("uvicorn.access").disabled = True  # it would log what was asked for
    return uvicorn.Server(config)


def run(made: Service, host: str, port: int) -> None:
    """Until SIGTERM, SIGINT or SIGHUP."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("unspoken").setLevel(logging.INFO)
    with suppress(KeyboardInterrupt):  # which uvicorn raises again once it has ended in good order
        server(made, host, port).run()
