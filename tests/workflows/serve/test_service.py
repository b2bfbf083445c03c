"""The service on a real port: who may ask what, what is refused and how, and what is never said."""

from __future__ import annotations

import io
import json
import logging
import re
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.within import HANG, eventually
from tests.workflows.serve import building
from tests.workflows.serve.running import WHO, Running, running
from unspoken.interfaces.service.bounds import Bounds
from unspoken.interfaces.service.routes import ROUTES
from unspoken.workflows.serve.tokens import Tokens, token_file

COUNT = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
DRY = {"dry_run": True}
FREE = {"sql": "SELECT COUNT(*) FROM visits"}
KNOWN = {"attributes": ["arrival"], "epochs": ["0"], "why": "a test"}  # to whom nothing is left
BODIES: dict[str, Any] = {"/v1/cells": DRY, "/v1/answers": FREE, "/v1/disclosures": KNOWN}


@pytest.fixture(scope="module")
def served(adopted: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    with running(building.copied(adopted, folder), Bounds(seconds=HANG, body=4_096)) as up:
        yield up


@pytest.mark.slow
@pytest.mark.parametrize("who", [None, *WHO])
@pytest.mark.parametrize("path", [*ROUTES, "/", "/docs", "/v1/cells/", "/v1/../health", "//health"])
def test_every_role_at_every_door(served: Running, path: str, who: str | None) -> None:
    """The table in `ROUTES` is the whole of it: what it does not open is closed."""
    route = ROUTES.get(path)
    for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
        body = BODIES.get(path, {}) if method == "POST" else None
        status, headers, said = served.send(method, path, who, body)
        if route is not None and route.roles is None:
            expected = 200 if method == route.method else 405
        elif who is None:
            expected = 401
        elif route is None:
            expected = 404
        elif method != route.method:
            expected = 405
        else:
            expected = 200 if WHO[who] in (route.roles or ()) else 403
        assert status == expected
        assert headers["cache-control"] == "no-store"
        if status != 200 and method != "HEAD":
            assert next(iter(json.loads(said))) == "error"
            assert said.count(b"\n") == 1


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic {}", "Bearer {}x", "Bearer unspoken_", "Bearer é", "{}"],
)
def test_what_is_no_token(served: Running, authorization: str) -> None:
    said = authorization.format(served.tokens["lighting"])
    status, headers, _ = served.send("GET", "/v1/catalogue", authorization=said)
    assert status == 401
    assert headers["www-authenticate"] == "Bearer"


def test_tokens_are_rotated_revoked_and_expire(served: Running) -> None:
    tokens = Tokens(served.made.curator.project)
    made, secret = tokens.new("lighting", "application", days=30)
    _, late = tokens.new("lighting", "application", days=1e-9)
    assert stat.S_IMODE(token_file(tokens.project.files.key).stat().st_mode) == 0o600
    assert secret not in token_file(tokens.project.files.key).read_text()
    assert _status(served, secret) == 200
    assert _status(served, late) == 401
    assert [token.id for token in tokens.revoke(made.id)] == [made.id]
    assert _status(served, secret) == 401
    assert _status(served, served.tokens["lighting"]) == 200  # another one of the same name
    assert tokens.revoke(made.id) == []


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[]", 422),
        (b'"x"', 422),
        (b"null", 422),
        (b"\xff\xfe", 422),
        (b"[" * 4_000, 400),
        (b"[" * 5_000, 413),
        (b'{"attributes": "arrival"}', 422),
        (b'{"attributes": [1]}', 422),
        (b'{"attributes": ["use"]}', 400),
        (b'{"where": 3}', 422),
        (b'{"where": "use = \'low\'"}', 400),
        (b'{"where": "office = 1; DROP TABLE visits"}', 400),
        (b'{"where": "office = (SELECT 1)"}', 400),
        (b'{"where": "1 = 1) OR (use = \'low\'"}', 400),
        (b'{"where": "\\ud800"}', 422),
        (b'{"where": "\\u0000"}', 400),
        (b'{"epochs": ["../../etc/passwd"]}', 400),
        (b'{"before": "true"}', 422),
        (b'{"before": 1}', 422),
        (b'{"format": "csv"}', 422),
        (b'{"more": 1}', 422),
        (b'{"where": "office / 0 = 1 AND office::DATE = 1"}', 400),
    ],
)
def test_bodies_that_are_refused(served: Running, raw: bytes, status: int) -> None:
    answered, headers, said = served.send("POST", "/v1/cells", "lighting", raw=raw)
    assert (answered, headers["content-type"]) == (status, "application/json")
    assert "error" in json.loads(said)
    assert b"Traceback" not in said


def test_a_number_beyond_its_end_is_told_the_end(served: Running) -> None:
    body = b'{"sql": "SELECT count(*) FROM visits", "epsilon": -1, "share": 2}'
    status, _, said = served.send("POST", "/v1/answers", "lighting", raw=body)
    assert status == 422
    named = {"body.epsilon: greater than 0", "body.share: less than equal 1"}
    assert named == {*json.loads(said)["error"].split("; ")}


def test_a_word_that_is_not_known_is_told_where_the_others_are(served: Running) -> None:
    status, _, said = served.send("POST", "/v1/cells", "lighting", raw=b'{"attributez": ["a"]}')
    wanted = "body.attributez: is not taken here; /openapi.json lists what is"
    assert (status, json.loads(said)["error"]) == (422, wanted)


@pytest.mark.parametrize(
    "body",
    [
        {"sql": COUNT, "epsilon": True},
        {"sql": COUNT, "epsilon": "1"},
        {"sql": COUNT, "share": 0},
        {"sql": COUNT, "draw": 0},
        {"sql": COUNT, "draw": 1_000_001},
        {"sql": COUNT, "draw": True},
        {"sql": COUNT, "draw": 1.5},
        {"sql": COUNT, "epsilon": 1e400},
        {"sql": COUNT, "share": float("nan")},
        {"sql": 5},
        {},
        {"sql": "SELECT arrival FROM visits"},
        {"sql": "SELECT COUNT(*) FROM 'unspoken.key'"},
        {"sql": "SELECT COUNT(*) FROM read_csv('/etc/passwd')"},
        {"sql": "SELECT COUNT(*) FILTER (WHERE use = 'low') FROM visits"},
        {"sql": "SELECT COUNT(*) FROM visits GROUP BY lpad(day::TEXT, 9999999, 'x')"},
        {"sql": "COPY visits TO 'x'"},
    ],
)
def test_questions_that_are_refused(served: Running, body: Any) -> None:
    status, _, said = served.send("POST", "/v1/answers", "lighting", body)
    assert status in (400, 422)
    assert str(served.made.curator.project.path.parent).encode() not in said


def test_only_json_is_read_and_only_once_it_is_known_whose(served: Running) -> None:
    assert served.send("POST", "/v1/cells", "lighting", raw=b"{}", content_type="text/x")[0] == 415
    big = {"content_length": "99999999999"}
    assert served.send("POST", "/v1/cells", None, raw=b"", **big)[0] == 401
    assert served.send("POST", "/v1/cells", "lighting", raw=b"", **big)[0] == 413
    assert served.send("GET", "/v1/catalogue", "lighting", raw=b"{}")[0] == 413


def test_a_body_without_a_length_is_counted(served: Running) -> None:
    token = served.tokens["lighting"]
    with socket.create_connection(("127.0.0.1", served.port), HANG) as line:
        line.sendall(
            b"POST /v1/cells HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"transfer-encoding: chunked\r\nauthorization: Bearer " + token.encode() + b"\r\n\r\n"
        )
        line.sendall(b"1000\r\n" + b" " * 4096 + b"\r\n" + b"10\r\n" + b" " * 16 + b"\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 413")


def _head(served: Running, *lengths: bytes) -> bytes:
    token = served.tokens["lighting"].encode()
    lines = [b"host: x", b"content-type: application/json", b"authorization: Bearer " + token]
    return b"\r\n".join([b"POST /v1/cells HTTP/1.1", *lines, *lengths, b"", b""])


def test_a_body_of_two_lengths_is_not_read(served: Running) -> None:
    """A proxy may take the one, and what it passes on as the next request be part of this."""
    with socket.create_connection(("127.0.0.1", served.port), HANG) as line:
        line.sendall(_head(served, b"transfer-encoding: chunked", b"content-length: 5"))
        line.sendall(b"2\r\n{}\r\n0\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 400")


def test_half_a_body_that_reads_like_a_whole_one_charges_nothing(
    served: Running, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(served.made.curator.history())
    with caplog.at_level("INFO", "unspoken.service"):
        with socket.create_connection(("127.0.0.1", served.port), HANG) as line:
            line.sendall(_head(served, b"content-length: 9") + b"{}")
        assert eventually(lambda: "/v1/cells application lighting 400" in caplog.text)
    assert len(served.made.curator.history()) == before


@pytest.mark.slow
def test_cells_in_every_format(served: Running) -> None:
    asked = {"where": "office < 2", "epochs": ["1"]}
    bodies = {
        form: served.send("POST", "/v1/cells", "lighting", {**asked, "format": form})
        for form in ("arrow", "parquet", "jsonl")
    }
    assert {status for status, _, _ in bodies.values()} == {200}
    for _, headers, body in bodies.values():
        assert int(headers["content-length"]) == len(body)
        assert headers["unspoken-rows"] == "30"
    table = pa.ipc.open_stream(bodies["arrow"][2]).read_all()
    assert pq.read_table(io.BytesIO(bodies["parquet"][2])).to_pylist() == table.to_pylist()
    head, *lines = bodies["jsonl"][2].decode().splitlines()
    assert [json.loads(line) for line in lines] == table.to_pylist()
    assert json.loads(head)["unspoken"]["inclusion"][0]["epochs"] == ["1"]
    assert {*table["arrival"].to_pylist()} == {"early", None}


def test_nothing_is_logged_or_counted_that_somebody_asked(
    served: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        secret = served.tokens["lighting"]
        served.send("GET", f"/v1/{secret}?token={secret}", "lighting")
        served.send("GET", "/v1/catalogue", authorization=f"Bearer x{secret}")
        served.send("POST", "/v1/cells", "lighting", {"where": "day = 1 OR use = 'zzz'"})
        served.send("POST", "/v1/answers", "lighting", {"sql": COUNT, "epsilon": 7.5})
        said = served.send("GET", "/metrics", "otto")[2].decode()
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "/v1/cells" in logged
    for word in (secret, secret.removeprefix("unspoken_"), "zzz", "late", "arrival"):
        assert word not in logged
        assert word not in said
    assert "Traceback" not in caplog.text


def test_metrics_are_what_prometheus_reads(served: Running) -> None:
    said = served.send("GET", "/metrics", "anna")[2].decode()
    line = re.compile(r"(# (HELP|TYPE) .*|unspoken_\w+(\{(\w+=\"[^\"]*\",?)*\})? [-+0-9.e]+)")
    assert all(line.fullmatch(each) for each in said.splitlines())


def test_described_as_it_is(served: Running) -> None:
    said = json.loads(served.send("GET", "/openapi.json", "lighting")[2])
    assert said["paths"].keys() == ROUTES.keys()
    assert said["security"] == [{"token": []}]


def test_too_much_at_once_is_refused_and_answered_later(served: Running) -> None:
    slots = served.made.workers.slots
    taken = 0
    while slots.acquire(blocking=False):
        taken += 1
    try:
        status, _, said = served.send("GET", "/v1/catalogue", "lighting")
        assert (status, b"busy" in said) == (429, True)
        assert served.send("GET", "/health")[0] == 200
    finally:
        slots.release(taken)
    assert served.send("GET", "/v1/catalogue", "lighting")[0] == 200


WORDS = st.one_of(
    st.text(max_size=30), st.integers(), st.floats(allow_nan=True), st.booleans(), st.none(),
    st.lists(st.text(max_size=5), max_size=3),
    st.sampled_from(["office = 1", "day", "arrival = 'late'", "0", "arrow", "1 OR 1", "'", '"']),
)  # fmt: skip
ASKED = st.dictionaries(
    st.sampled_from(
        ["attributes", "where", "epochs", "before", "format", "sql", "epsilon", "share", "x"]
    ),
    WORDS,
    max_size=4,
)


@given(ASKED, st.sampled_from(["/v1/cells", "/v1/answers"]))
@settings(max_examples=40)
def test_whatever_is_sent_the_answer_is_no_failure(
    served: Running, asked: dict[str, Any], path: str
) -> None:
    raw = json.dumps({**asked, "dry_run": True}).encode()
    status, _, said = served.send("POST", path, "lighting", raw=raw)
    assert status < 500, said
    assert status == 200 or "error" in json.loads(said)


def _status(served: Running, token: str) -> int:
    return served.send("GET", "/v1/account", authorization=f"Bearer {token}")[0]
