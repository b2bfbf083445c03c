"""What stands before every request: who asks, whether they may, and how much they may send.

Nothing of a body is read before it is known whose it is. An error that nobody thought of is a line
without its text: that may quote what was asked for.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from unspoken.core.errors import UnspokenError
from unspoken.interfaces.service.bounds import BODY_SECONDS, FORM_SECONDS, Bounds
from unspoken.interfaces.service.routes import PAGES, ROUTES, Route
from unspoken.interfaces.service.watch import LOG, Watch
from unspoken.workflows.serve.tokens import Token, Tokens

__all__ = ["DEFECT", "Gate", "wrong"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

OURS = {**ROUTES, **PAGES}
TAIL = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
DEFECT = "failed: this is a defect of the service"


class Turned(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, headers


def wrong(text: str, **more: str) -> bytes:
    """An error as it is sent: one line of JSON."""
    return json.dumps({"error": text, **more}).encode() + b"\n"


@dataclass
class Gate:
    """ASGI, around the application. ``admitted``: how many requests of each role have a slot.

    A slot is taken once the whole request has come, so whoever sends slowly holds none; no role
    takes those of another.
    """

    app: App
    tokens: Tokens
    bounds: Bounds
    watch: Watch
    admitted: Counter[str] = field(default_factory=Counter)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await _Passing(self, scope, receive, send).through()
        else:
            await send({"type": "websocket.close", "code": 1008})


class _Passing:
    """One request on its way."""

    def __init__(
        self, gate: Gate, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        self.gate, self.scope, self._receive, self._send = gate, scope, receive, send
        self.status, self.token = 0, None  # type: tuple[int, Token | None]
        self.has_slot = False
        self.path = scope["path"] if scope["path"] in OURS else "other"

    async def through(self) -> None:
        began, watch = time.monotonic(), self.gate.watch
        watch.in_flight += 1
        try:
            body = await self._let_in()
            await self.gate.app(self.scope, body, self.send)
        except Turned as turned:
            await self._turn(turned)
        except TimeoutError:  # whoever reads the answer is too slow
            LOG.warning("%s: was cut off after %g s", self.path, self.gate.bounds.seconds)
        except Exception as error:
            LOG.error("%s: %s, which is a defect", self.path, type(error).__name__)
            await self._turn(Turned(500, DEFECT))
        finally:
            watch.in_flight -= 1
            self.gate.admitted[self.role] -= self.has_slot
            who = self.token.name if self.token else "-"
            watch.ended(self.path, who, self.role, self.status, time.monotonic() - began)

    @property
    def role(self) -> str:
        return self.token.role if self.token else "nobody"

    async def _let_in(self) -> Receive:
        """Who it is, whether they may; then the body, whole; then a slot."""
        route, headers = OURS.get(self.scope["path"]), _headers(self.scope)
        if route is None or route.roles is not None:
            self.token = self._known(headers)
        if route is None:
            raise Turned(404, "path: there is no such thing to ask for; /openapi.json lists all")
        if self.scope["method"] != route.method:
            raise Turned(405, f"method: this is asked for by {route.method}", allow=route.method)
        self._may(route)
        state = self.scope.setdefault("state", {})
        state["token"] = self.token
        body = await self._body(headers, route)
        if route.takes_slot:
            self._take_slot()
            state["admitted"] = True  # its connection is not closed to make room for others

        async def receive() -> Message:
            if body:
                return body.pop()
            return await self._receive()  # that whoever asked has gone

        return receive

    def _known(self, headers: dict[str, list[str]]) -> Token:
        given = headers.get("authorization", [])
        word, _, presented = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        try:
            token = self.gate.tokens.of(presented.strip()) if word.lower() == "bearer" else None
        except UnspokenError as error:
            LOG.error("tokens: %s", error)
            token = None
        if token is None:
            raise Turned(
                401,
                "token: is missing, unknown, revoked or expired; send it as Authorization: Bearer",
                **{"www-authenticate": "Bearer"},
            )
        return token

    def _take_slot(self) -> None:
        if self.gate.admitted[self.role] >= self.gate.bounds.at_once:
            raise Turned(429, "busy: too many requests at once; ask again", **{"retry-after": "1"})
        self.gate.admitted[self.role] += 1
        self.has_slot = True

    def _may(self, route: Route) -> None:
        if route.roles is not None and (self.token is None or self.token.role not in route.roles):
            raise Turned(403, f"role: this is for {' and '.join(route.roles)} alone")

    async def _body(self, headers: dict[str, list[str]], route: Route) -> list[Message]:
        if route.method == "POST":
            kind = (headers.get("content-type") or [""])[0].partition(";")[0].strip().lower()
            if kind != route.body:
                raise Turned(415, f"content-type: send {route.body}")
        most = self.gate.bounds.body if route.method == "POST" else 0
        said = (headers.get("content-length") or ["0"])[0]
        if not said.isdigit() or int(said[:20]) > most:
            raise Turned(413, f"body: has more than {most:,} bytes")
        if not most and "transfer-encoding" in headers:
            raise Turned(413, f"body: {route.method} takes none")
        if {"content-length", "transfer-encoding"} <= {*headers}:
            raise Turned(400, "body: has two lengths, of which a proxy may take the other")
        parts, size = list[bytes](), 0
        patience = BODY_SECONDS if self.token else FORM_SECONDS
        async with asyncio.timeout(min(patience, self.gate.bounds.seconds)) as limit:
            try:
                while True:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":  # half a body may read like a whole
                        raise Turned(400, "body: broke off")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise Turned(413, f"body: has more than {most:,} bytes")
                    if not message.get("more_body"):
                        break
            except asyncio.CancelledError:
                if limit.expired():
                    raise Turned(408, "body: did not come in time") from None
                raise
        return [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            tail = [(name.encode(), value.encode()) for name, value in TAIL.items()]
            message = {**message, "headers": [*message.get("headers", ()), *tail]}
        async with asyncio.timeout(self.gate.bounds.seconds):
            await self._send(message)

    async def _turn(self, turned: Turned) -> None:
        if self.status:
            return  # it has begun: the connection is closed on a body that is too short
        body = wrong(turned.text)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            **turned.headers,
        }
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        start = {"type": "http.response.start", "status": turned.status, "headers": named}
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})


def _headers(scope: MutableMapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found
