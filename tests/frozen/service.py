"""What the HTTP service answers, as a process that listens on a free port of this machine."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.ipc

from tests.frozen.recorder import Recorder

__all__ = ["record_service"]

LISTENING = re.compile(r"http://127\.0\.0\.1:(\d+)")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+")  # of a line of the log
SECONDS = re.compile(r"(?<=[ =])\d+(\.\d+)?(e-?\d+)?(?= ?m?s\b)|\d+\.\d+(e-?\d+)?")
GUARD = 6_000  # looks for the port, of a hundredth of a second each, before the process is given up

CELLS, ANSWERS = "/v1/cells", "/v1/answers"
FORMS = "application/x-www-form-urlencoded"


def record_service(recorder: Recorder, applications: list[str]) -> None:
    """Ask every route, as each role and as nobody."""
    names = {**dict.fromkeys(applications, "application"), "Sue": "steward", "Al": "auditor"}
    tokens = {
        name: recorder.run(f"token new {name} --role {role}").strip()
        for name, role in names.items()
    }
    recorder.run(f"token new {applications[0]} --expires 1")
    recorder.both("token list")

    def serve() -> None:
        sys.argv = ["unspoken", "serve", ".", "--port", "0", "--rows", "1500"]
        recorder.main()

    with recorder.started("unspoken serve", serve) as (process, errors):
        try:
            port = _port(errors)
            for who, method, path, body in _requests(applications):
                name = f"{recorder.project} service: {who} {method} {path} {body}"
                for part, text in _asked(port, tokens.get(who, ""), method, path, body).items():
                    recorder.keep(f"{name} > {part}", text)
            for name, text in _dashboard(port, tokens["Sue"]):
                recorder.keep(f"{recorder.project} dashboard: {name}", text)
        finally:
            os.kill(process, signal.SIGINT)
    log = next(
        name for name in reversed(recorder.texts) if name.endswith("unspoken serve > errors")
    )
    text = LISTENING.sub("ADDRESS", MOMENT.sub("MOMENT", recorder.texts[log]))
    recorder.keep(log, SECONDS.sub("N", text))
    recorder.both(f"token revoke {applications[0]}")


def _port(errors: Path) -> int:
    for _ in range(GUARD):
        found = LISTENING.search(errors.read_text("utf-8") if errors.exists() else "")
        if found:
            return int(found[1])
        time.sleep(0.01)
    raise RuntimeError(f"the service does not listen: {errors.read_text('utf-8')}")


def _requests(applications: list[str]) -> Iterator[tuple[str, str, str, object]]:
    """Who asks, by which method, for what, and what is sent."""
    first, second = applications
    for path in ("/health", "/openapi.json", "/metrics", "/v1/catalogue", "/v1/account", "/v1/no"):
        for who in ("nobody", first, "Sue"):
            yield who, "GET", path, None
    yield first, "GET", CELLS, None
    bodies: tuple[object, ...] = (
        {"format": "jsonl", "dry_run": True}, {"format": "jsonl"}, {"format": "jsonl"},
        {"attributes": ["tariff"]}, {"attributes": ["tariff"], "format": "parquet"},
        {"where": "site = 'site 1' AND hour < 3", "format": "jsonl", "before": True},
        {"epochs": ["pm"], "format": "jsonl", "draw": 3}, {"attributes": ["no"]}, {"no": 1},
        {"where": "1 = "}, {"draw": 0}, [],
    )  # fmt: skip
    for body in bodies:
        yield first, "POST", CELLS, body
        yield second, "POST", CELLS, body
    sql = 'SELECT COUNT(*) FROM "the query" WHERE use >= 3'
    for body in (
        {"sql": sql, "dry_run": True}, {"sql": sql, "share": 0.1}, {"sql": sql, "share": 0.1},
        {"sql": sql, "epsilon": 1e9}, {"sql": "SELECT 1"}, {"sql": sql, "epsilon": -1}, {},
    ):  # fmt: skip
        yield first, "POST", ANSWERS, body
        yield second, "POST", ANSWERS, body
    disclosed = {"attributes": ["tariff"], "why": "they were told", "readers": [second]}
    yield first, "POST", "/v1/disclosures", disclosed
    yield "Sue", "POST", "/v1/disclosures", disclosed
    for path in ("/v1/standings", "/v1/refusals", "/v1/events", "/v1/events?after=2&most=1"):
        for who in ("Sue", "Al", first):
            yield who, "GET", path, None


def _asked(port: int, token: str, method: str, path: str, body: object) -> Mapping[str, str]:
    """The answer to one request: its status, its headers and its body."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    sent = None if body is None else json.dumps(body)
    if sent is not None:
        headers["content-type"] = "application/json"
    status, answered, content = _exchange(port, method, path, headers, sent)
    listed = "\n".join(f"{key}: {value}" for key, value in answered if key != "date")
    if path == "/metrics":
        content, listed = SECONDS.sub("N", content.decode()).encode(), ""
    return {"status": f"{status}\n{listed}", "body": _text(content)}


def _dashboard(port: int, token: str) -> Iterator[tuple[str, str]]:
    """Its pages before and after a steward signs in."""
    cookie: dict[str, str] = {}
    form = {"content-type": FORMS, "sec-fetch-site": "same-origin"}
    _, _, before = _exchange(port, "GET", "/dashboard", {}, None)
    yield "signed out", _text(before)
    for name, sent in (("wrong", "no"), ("right", token)):
        status, headers, page = _exchange(
            port, "POST", "/dashboard/enter", form, urlencode({"token": sent})
        )
        yield f"enter {name}", f"{status}\n{headers[1:]}\n{_text(page)}"
        found = {key: value.partition(";")[0] for key, value in headers if key == "set-cookie"}
        cookie = {"cookie": found["set-cookie"]} if found else {}
    for path in ("/dashboard", "/dashboard/plan", "/dashboard/plan?cap=6", "/dashboard/history"):
        status, _, page = _exchange(port, "GET", path, cookie, None)
        yield f"{path}", f"{status}\n{_text(page)}"
    for path in ("/dashboard/approve", "/dashboard/leave"):
        status, _, page = _exchange(port, "POST", path, {**form, **cookie}, "why=no")
        yield path, f"{status}\n{_text(page)}"


def _exchange(
    port: int, method: str, path: str, headers: Mapping[str, str], body: str | None
) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        listed = sorted((key.lower(), value) for key, value in answer.getheaders())
        return answer.status, [pair for pair in listed if pair[0] != "date"], answer.read()
    finally:
        connection.close()


def _text(content: bytes) -> str:
    """A body as text: rows of Arrow as rows."""
    if content[:4] == b"\xff\xff\xff\xff":
        table = pa.ipc.open_stream(content).read_all()
        return "\n".join([str(table.schema), *map(str, table.to_pylist())])
    return content.decode(errors="backslashreplace")
