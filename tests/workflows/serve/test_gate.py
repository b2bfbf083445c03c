"""The gate by itself: who is slow to send or to read is cut off, and a defect says nothing."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from tests.within import HANG
from tests.workflows.serve.running import WHO
from unspoken.interfaces.service.bounds import BODY_SECONDS, FORM_SECONDS, Bounds
from unspoken.interfaces.service.gate import App, Gate, Receive, Send
from unspoken.interfaces.service.watch import Watch
from unspoken.tables.policy import Project
from unspoken.workflows.serve.tokens import Tokens

Sent = list[MutableMapping[str, Any]]


def passing(app: App, folder: Path, receive: Receive, slow: bool = False) -> Sent:
    """What is sent of one request for cells."""
    tokens, sent = Tokens(Project.read(folder / "unspoken.toml")), Sent()
    _, secret = tokens.new("lighting", "application")
    headers = {"content-type": "application/json", "authorization": f"Bearer {secret}"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/cells",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def send(message: MutableMapping[str, Any]) -> None:
        if slow and sent:
            await asyncio.Event().wait()  # which nobody sets
        sent.append(message)

    gate = Gate(app, tokens, Bounds(seconds=0.05), Watch())
    asyncio.run(gate(scope, receive, send))
    assert gate.watch.in_flight == 0
    return sent


async def whole() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b"{}", "more_body": False}


async def empty() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def never() -> MutableMapping[str, Any]:
    await asyncio.Event().wait()  # which nobody sets
    raise AssertionError


class Counting:
    """What comes never, and how often somebody waited for it."""

    def __init__(self) -> None:
        self.waits = 0

    async def __call__(self) -> MutableMapping[str, Any]:
        self.waits += 1
        return await never()


async def giving(_scope: Any, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x", "more_body": True})
    await send({"type": "http.response.body", "body": b"y"})


async def broken(_scope: Any, _receive: Receive, _send: Send) -> None:
    raise KeyError("a secret")


async def half(_scope: Any, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise KeyError("a secret")


def test_a_body_that_does_not_come(path: Path) -> None:
    start, body = passing(giving, path.parent, never)
    assert start["status"] == 408
    assert "did not come" in json.loads(body["body"])["error"]


def test_what_has_no_body_is_not_waited_for(path: Path) -> None:
    tokens, sent, coming = Tokens(Project.read(path)), Sent(), Counting()
    headers = [(b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "method": "GET", "path": "/health", "headers": headers}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Gate(giving, tokens, Bounds(), Watch())(scope, coming, send))
    assert (sent[0]["status"], coming.waits) == (413, 0)


def test_forms_of_anybody_have_less_time_than_bodies_of_who_is_known() -> None:
    assert FORM_SECONDS < BODY_SECONDS


def test_a_reader_that_does_not_read(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (start,) = passing(giving, path.parent, whole, slow=True)
    assert start["status"] == 200
    assert "cut off" in caplog.text


def test_an_answer_that_is_still_being_sent_keeps_its_slot(path: Path) -> None:
    """The work for it is done; its role has no other slot, and other roles have theirs."""
    tokens = Tokens(Project.read(path))
    gate = Gate(giving, tokens, Bounds(seconds=HANG, at_once=1), Watch())
    who = {name: tokens.new(name, WHO[name])[1] for name in ("lighting", "anna")}

    async def status(way: str, name: str = "lighting") -> int:
        return int((await ask(way, name, asyncio.Event()))[0]["status"])

    async def ask(
        way: str, name: str, begun: asyncio.Event, reads: asyncio.Event | None = None
    ) -> Sent:
        sent = Sent()

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)
            begun.set()
            if reads is not None:
                await reads.wait()

        headers = [(b"authorization", f"Bearer {who[name]}".encode())]
        scope = {"type": "http", "method": "GET", "path": way, "headers": headers}
        await gate(scope, empty, send)
        return sent

    async def all_of_it() -> None:
        begun, reads = asyncio.Event(), asyncio.Event()
        stalled = asyncio.create_task(ask("/v1/catalogue", "lighting", begun, reads))
        await begun.wait()
        assert await status("/v1/catalogue") == 429
        assert await status("/health") == 200
        assert await status("/v1/standings", "anna") == 200
        reads.set()
        assert (await stalled)[0]["status"] == 200
        assert await status("/v1/catalogue") == 200

    asyncio.run(asyncio.wait_for(all_of_it(), HANG))


@pytest.mark.parametrize("app", [broken, half])
def test_a_defect_is_a_line_without_words_of_its_own(
    app: App, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        start, *rest = passing(app, path.parent, whole)
    assert start["status"] == (500 if app is broken else 200)
    assert b"secret" not in b"".join(each["body"] for each in rest)
    assert "secret" not in caplog.text
    assert "KeyError" in caplog.text
