"""The endpoints, each a function of the curator; FastAPI says what they take, and in OpenAPI."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from unspoken.core.errors import InputError, LimitExceeded, UnspokenError
from unspoken.interfaces.service.bounds import Bounds
from unspoken.interfaces.service.gate import DEFECT, Gate, wrong
from unspoken.interfaces.service.routes import PAGES, ROUTES
from unspoken.interfaces.service.sent import FORMATS, Sent
from unspoken.interfaces.service.shapes import (
    PAGE,
    After,
    AnswerAsked,
    CellsAsked,
    Disclosed,
    Most,
    Wrong,
)
from unspoken.interfaces.service.steward import Response, Steward
from unspoken.interfaces.service.watch import LOG, Watch
from unspoken.interfaces.service.workers import Workers
from unspoken.interfaces.wording import as_json
from unspoken.interfaces.wording.querying import as_data
from unspoken.workflows.serve import Curator, Held
from unspoken.workflows.serve.sessions import Sessions
from unspoken.workflows.serve.tokens import Token, Tokens

try:
    import fastapi
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import StreamingResponse
    from starlette.exceptions import HTTPException
except ImportError:  # said when a service is asked for
    fastapi = None  # type: ignore[assignment]

__all__ = ["MISSING", "Service", "application", "require_fastapi"]

MISSING = "serve: needs FastAPI and uvicorn: pip install 'unspoken[service]'"

WRONG = (400, 401, 403, 405, 408, 409, 413, 415, 422, 429)
ENDS = ("gt", "ge", "lt", "le")  # of numbers, as pydantic calls them
ABOUT = (
    "What applications may have of a protected table, within the limits of whoever holds it. Cells "
    "are true or withheld, never made up; answers have noise. Asking again is free."
)


@dataclass
class Service:
    """What requests are answered with: work of applications never waits for a holder's threads,
    nor the other way round.
    """

    curator: Curator
    tokens: Tokens
    bounds: Bounds
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        self.workers = Workers(self.bounds)  # of applications
        self.holder_workers = Workers(self.bounds)  # of stewards and auditors

    # ------------------------------------------------------------ endpoints

    async def health(self) -> fastapi.Response:
        return _json({"status": "ok"})

    async def metrics(self) -> fastapi.Response:
        return fastapi.Response(self.watch.text(), media_type="text/plain; version=0.0.4")

    async def catalogue(self, request: fastapi.Request) -> fastapi.Response:
        who = _token(request).name
        return _json((await self.workers.finish(partial(self.curator.catalogue, who))).as_json())

    async def cells(self, asked: CellsAsked, request: fastapi.Request) -> fastapi.Response:
        who = _token(request).name
        if asked.dry_run:
            said = await self.workers.finish(partial(self.curator.rehearse, who, asked.request))
            return _json(said.as_json())
        sent = await self.workers.finish(partial(self._sent, who, asked))
        return StreamingResponse(sent.pieces(), headers=dict(sent.headers))

    def _sent(self, who: str, asked: CellsAsked) -> Sent:
        cells = self.curator.cells(who, asked.request)
        self.watch.add("rows_total", cells.rows.num_rows, application=who)
        self.watch.add("charges_total", len(cells.charged), application=who)
        return Sent.of(cells, asked.format)

    async def answers(self, asked: AnswerAsked, request: fastapi.Request) -> fastapi.Response:
        who = _token(request).name
        work = partial(
            self.curator.answer, who, asked.sql,
            epsilon=asked.epsilon, share=asked.share, dry_run=asked.dry_run, draw=asked.draw,
        )  # fmt: skip
        said = as_data(await self.workers.finish(work))
        if said.pop("event", None) is not None and not said["again"]:
            self.watch.add("charges_total", application=who)  # its number says how many others had
        return _json(said)

    async def account(self, request: fastapi.Request) -> fastapi.Response:
        who = _token(request).name
        found = await self.workers.finish(partial(self.curator.account, who))
        return _json({"application": who, "given": [entry.as_json() for entry in found]})

    async def standings(self) -> fastapi.Response:
        found = await self.holder_workers.finish(self.curator.standings)
        units = await self.holder_workers.finish(self.curator.streams)
        return _json(
            {
                "standings": [standing.as_json() for standing in found],
                "units": [stream.as_json() for stream in units],
            }
        )

    async def refusals(self) -> fastapi.Response:
        return _json({"refusals": [each.as_json() for each in self.curator.refusals]})

    async def disclosures(self, said: Disclosed, request: fastapi.Request) -> fastapi.Response:
        work = partial(
            self.curator.disclosed, said.attributes, readers=said.readers, epochs=said.epochs,
            by=_token(request).name, why=said.why,
        )  # fmt: skip
        return _json((await self.holder_workers.finish(work)).as_json())

    async def events(self, after: After = 0, most: Most = PAGE) -> fastapi.Response:
        return _json(await self.holder_workers.finish(partial(self._events, after, most)))

    def _events(self, after: int, most: int) -> dict[str, Any]:
        page, shown = self.curator.ledger.page(after, most), self.curator.shown()
        said = as_json.ledger(page.history, page.decisions, page.answers, shown)
        return {**said, "next": page.next}


def require_fastapi() -> None:
    """Refuse to serve where FastAPI, of the extra ``service``, is not installed."""
    if fastapi is None:
        raise InputError(MISSING)


def application(service: Service) -> Gate:
    """The service as an ASGI application, behind its gate."""
    require_fastapi()
    app = fastapi.FastAPI(
        title="unspoken", version="1", description=ABOUT, docs_url=None, redoc_url=None,
        openapi_url=None, redirect_slashes=False,
    )  # fmt: skip
    for path, route in ROUTES.items():
        name = path.rpartition("/")[2].removesuffix(".json")
        endpoint = partial(_described, app) if name == "openapi" else getattr(service, name)
        app.add_api_route(
            path, endpoint, methods=[route.method], name=name, response_model=None,
            responses=_responses(name, route.roles is None),
        )  # fmt: skip
    steward = Steward(service.curator, Sessions(service.tokens), service.holder_workers.finish)
    for path, route in PAGES.items():
        name = path.removeprefix("/dashboard").strip("/") or "overview"
        app.add_api_route(
            path, _paged(getattr(steward, name)), methods=[route.method], include_in_schema=False,
            response_model=None,
        )  # fmt: skip
    app.add_exception_handler(UnspokenError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    for kind in (fastapi.HTTPException, HTTPException):
        app.add_exception_handler(kind, _other)
    app.add_exception_handler(Exception, _defect)
    return Gate(app, service.tokens, service.bounds, service.watch)


def _paged(work: Callable[[Any], Awaitable[Response]]) -> Callable[..., Any]:
    """A page of the dashboard as an endpoint."""

    async def endpoint(request: fastapi.Request) -> fastapi.Response:
        page = await work(request)
        return fastapi.Response(page.text, page.status, dict(page.headers))

    return endpoint


# ---------------------------------------------------------------- errors


async def _refused(_request: Any, error: Exception) -> fastapi.Response:
    """What the library refuses, in its own words; of the holder's side it says none."""
    if isinstance(error, LimitExceeded):
        LOG.warning("refused by a limit; /v1/refusals has the whole of why")
        return _error(409, str(error), fits=error.fits)
    held = isinstance(error, Held)
    if held:
        LOG.error("held: %s; /v1/refusals has the whole of it", type(error.__cause__).__name__)
    return _error(getattr(error, "status", 409 if held else 400), str(error))


async def _invalid(_request: Any, error: Exception) -> fastapi.Response:
    """Where a body is not as it has to be; what it has there is not said again."""
    faults: list[dict[str, Any]] = getattr(error, "errors", list)()[:3]
    where = [".".join(str(part) for part in fault["loc"][:3])[:100] for fault in faults]
    kinds = [_kind(fault) for fault in faults]
    said = [f"{at}: {kind}" for at, kind in zip(where, kinds, strict=True)]
    return _error(422, "; ".join(said) or "body: is not as it has to be")


def _kind(fault: Mapping[str, Any]) -> str:
    """What is wrong, with the end that a number is beyond."""
    if fault["type"] == "extra_forbidden":
        return "is not taken here; /openapi.json lists what is"
    ends = [f"{value:g}" for key, value in fault.get("ctx", {}).items() if key in ENDS]
    return " ".join([str(fault["type"]).replace("_", " "), *ends])


async def _other(_request: Any, error: Exception) -> fastapi.Response:
    return _error(min(499, getattr(error, "status_code", 400)), "body: cannot be read as JSON")


async def _defect(_request: Any, _what: Exception) -> fastapi.Response:
    """What nobody thought of: the gate logs of what kind it is."""
    return _error(500, DEFECT)


def _error(status: int, text: str, **more: str) -> fastapi.Response:
    return fastapi.Response(wrong(text, **more), status, media_type="application/json")


# ---------------------------------------------------------------- words


def _json(said: Mapping[str, Any]) -> fastapi.Response:
    body = json.dumps(said, allow_nan=False, default=str) + "\n"
    return fastapi.Response(body, media_type="application/json")


def _token(request: fastapi.Request) -> Token:
    found: Token = request.state.token
    return found


async def _described(app: fastapi.FastAPI) -> fastapi.Response:
    described = app.openapi()
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    described["security"] = [{"token": []}]
    described["paths"]["/health"]["get"]["security"] = []
    return _json(described)


def _responses(name: str, public: bool) -> dict[int | str, dict[str, Any]]:
    media: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
    if name == "cells":
        media |= {kind: {} for kind, _ in FORMATS.values()}
    if name == "metrics":
        media = {"text/plain": {"schema": {"type": "string"}}}
    found: dict[int | str, dict[str, Any]] = {
        200: {"description": "as it was asked for", "content": media}
    }
    if not public:
        wrong = {"application/json": {"schema": Wrong.model_json_schema()}}
        found |= {status: {"description": "why not", "content": wrong} for status in WRONG}
    return found
