"""An application that means harm: no failure, no word of what is not its own, no room taken."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from select import select
from typing import Any

import pytest

from tests.within import HANG, eventually
from tests.workflows.serve import building
from tests.workflows.serve.running import WHO, Running, running
from unspoken.interfaces.service.app import application
from unspoken.interfaces.service.bounds import Bounds
from unspoken.interfaces.service.routes import PAGES, ROUTES
from unspoken.tables.policy import Project
from unspoken.workflows.serve.tokens import Tokens

# Who may ask what. Written down a second time, so that no door opens by one line alone.
STEWARD, LOOKING = {"steward"}, {"steward", "auditor"}
DOORS: dict[tuple[str, str], set[str]] = {
    ("GET", "/health"): {"nobody", "application", *LOOKING},
    ("GET", "/openapi.json"): {"application", *LOOKING},
    ("GET", "/metrics"): LOOKING,
    ("GET", "/v1/catalogue"): {"application"},
    ("POST", "/v1/cells"): {"application"},
    ("POST", "/v1/answers"): {"application"},
    ("GET", "/v1/account"): {"application"},
    ("GET", "/v1/standings"): STEWARD,
    ("GET", "/v1/refusals"): STEWARD,
    ("POST", "/v1/disclosures"): STEWARD,
    ("GET", "/v1/events"): LOOKING,
}
WHERE = [
    "+".join(["office"] * 500) + " = 1",
    "(" * 2_000 + "office = 1" + ")" * 2_000,
    "NOT " * 1_000 + "office = 1",
    "- " * 300 + "office = 1",
    "abs(" * 300 + "office" + ")" * 300 + " = 1",
    "CASE WHEN office = 1 THEN " * 80 + "true" + " END" * 80,
    "NULL::INT[99999][99999][99999][99999] IS NULL AND office = 1",
    "office::VARCHAR::INT[99999] IS NULL",
    "office::STRUCT(x INT) IS NULL",
    f"office = {'9' * 400}",
    "office = 1e400",
    "office = 'NaN'::FLOAT",
    "office * 9223372036854775807 = 1",
    "mod(office, 0) = 1",
    "office = '\u202e1'",
    "office = 1\0",
    "office = 1; DROP TABLE visits",
    "office = 1) OR (use = 'low'",
    "\"use\" = 'low'",
    "arrival = 'late'",
    "nothing_like_it = 1",
    "to_years(office * 1000000000000) IS NULL",
    "timezone('../../etc/passwd', TIMESTAMP '2020-01-01 00:00:00') IS NULL AND office = 1",
    "regexp_matches(office::VARCHAR, '((((a{1000}){1000}){1000}){1000})')",
    "office::VARCHAR LIKE '" + "%_a" * 500 + "'",
    "year(DATE 'infinity') = office",
    'office::"../../x" = 1',
    "office = 'it''s' OR office = $$1$$",
]
QUESTIONS = [
    "(arrival = 'late') = (len(range(1000000000)) > 0)",
    "(arrival = 'late') = (list_sum(range(1000000000)) > 0)",
    "(arrival = 'late') = (NULL::INT[99999][99999][99999][99999] IS NULL)",
    "arrival = getenv('HOME')",
    "arrival = current_setting('memory_limit')",
    "arrival IN (SELECT content FROM read_text('/etc/passwd'))",
    "use = 'low'",
    "use < 'zzz' AND arrival = 'late'",  # holds for all of its values: a word about those
    "nothing_like_it = 1",
    "arrival::INT = 1",
    "error(arrival)",
]
PATHS = (str(Path(__file__).parent), "site-packages", "/tmp", ".parquet", "Traceback", "Stack")


@pytest.fixture(scope="module")
def served(adopted: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("hostile")
    with running(building.copied(adopted, folder), Bounds(seconds=HANG, rows=100, at_once=4)) as up:
        yield up


def test_no_door_that_is_not_written_down(served: Running) -> None:
    """What the application routes is the table, and this page has the table too."""
    routed = {
        (method, route.path) for route in application(served.made).app.routes  # type: ignore[attr-defined]
        for method in route.methods
    }  # fmt: skip
    assert routed == DOORS.keys() | {(route.method, path) for path, route in PAGES.items()}
    said = {
        (route.method, path): {"nobody", *WHO.values()} if route.roles is None else {*route.roles}
        for path, route in ROUTES.items()
    }
    assert said == DOORS


@pytest.mark.slow
@pytest.mark.parametrize("who", ["nobody", *WHO])
def test_every_role_at_every_door_that_is_written_down(served: Running, who: str) -> None:
    for (method, path), roles in DOORS.items():
        body = b"{}" if method == "POST" else None  # of the wrong shape where it is read at all
        token = None if who == "nobody" else who
        status = served.send(method, path, token, raw=body)[0]
        role = WHO.get(who, "nobody")
        assert (status in (401, 403)) == (role not in roles), (path, who, status)
        assert status < 500


def test_a_token_of_another_project(served: Running, adopted: Path, tmp_path: Path) -> None:
    other = Tokens(Project.read(building.copied(adopted, tmp_path)))
    _, secret = other.new("lighting", "application")
    said = f"Bearer {secret}"
    assert served.send("GET", "/v1/catalogue", authorization=said)[0] == 401


def about(served: Running, said: bytes) -> str:
    """What was answered, once nothing of the machine, of others or of other columns is in it."""
    text = said.decode()
    for word in (*PATHS, str(served.made.curator.project.path.parent), "planning"):
        assert word not in text, text
    for word in ("use.", " use", '"use, ', "low", "high"):
        assert word not in text.split("nearest")[0], text
    return text


@pytest.mark.slow
@pytest.mark.parametrize("where", WHERE, ids=range(len(WHERE)))
def test_conditions_that_mean_harm(served: Running, where: str) -> None:
    for body in ({"where": where, "dry_run": True}, {"where": where, "before": True}):
        status, _, said = served.send("POST", "/v1/cells", "lighting", body)
        assert status in (200, 400, 422), said
        about(served, said.replace(b"use = 'low'", b"").replace(b'\\"use\\"', b""))


@pytest.mark.parametrize("kind", ["INT[9]", "VARCHAR[]", "STRUCT(x INT)", "MAP(INT, INT)"])
def test_values_of_several_parts_are_not_compared(served: Running, kind: str) -> None:
    """Of INT[99999] two thousand rows take a gigabyte, whatever they hold."""
    body = {"where": f"TRY_CAST(NULL AS {kind}) IS NULL AND office = 1", "dry_run": True}
    status, _, said = served.send("POST", "/v1/cells", "lighting", body)
    assert (status, b"values of several parts" in said) == (400, True)


@pytest.mark.parametrize("where", QUESTIONS, ids=range(len(QUESTIONS)))
def test_questions_that_mean_harm(served: Running, where: str) -> None:
    sql = f"SELECT COUNT(*) FROM visits WHERE {where}"
    status, _, said = served.send("POST", "/v1/answers", "lighting", {"sql": sql, "dry_run": True})
    assert status == 400, said
    about(served, said.replace(b'\\"use\\"', b""))


@pytest.mark.parametrize("where", ["arrival = 'x'", "use = 'x'"])
def test_of_a_column_that_is_not_read_nothing_is_said(served: Running, where: str) -> None:
    """Else a condition that holds for none of its values, or for all, would be answered, free."""
    sql = f"SELECT COUNT(*) FROM visits WHERE {where}"
    status, _, said = served.send("POST", "/v1/answers", "lighting", {"sql": sql, "dry_run": True})
    assert (status == 200) == where.startswith("arrival"), said


def test_a_share_that_is_nothing(served: Running) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE arrival = 'late'"
    for share in (1e-20, 5e-324):
        body = {"sql": sql, "share": share, "dry_run": True}
        status, _, said = served.send("POST", "/v1/answers", "lighting", body)
        assert (status, json.loads(said)["error"].split()[0]) == (400, "share")


def test_more_rows_than_are_given(served: Running) -> None:
    for body in ({"where": "office >= 0"}, {"epochs": ["0"]}):
        status, _, said = served.send("POST", "/v1/cells", "lighting", body)
        assert (status, b"at most 100" in said) == (400, True)
    assert served.made.curator.account("lighting") == []


def test_a_body_of_ten_megabytes(served: Running) -> None:
    raw = b'{"where": "' + b"x" * 10_000_000 + b'"}'
    try:
        status = served.send("POST", "/v1/cells", "lighting", raw=raw)[0]
    except OSError:  # it was refused before all of it was sent
        status = 413
    assert status == 413
    assert served.send("GET", "/v1/catalogue", "lighting")[0] == 200


def test_what_takes_too_long(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps its slot and no more than that, and the slot is free once it ends."""
    going, bounds = threading.Event(), Bounds(seconds=0.2, at_once=4)
    monkeypatch.setattr(served.made.workers, "bounds", bounds)
    monkeypatch.setattr(served.made.curator, "account", lambda _who: going.wait(HANG) and [])
    try:
        for _ in range(bounds.at_once):
            status, _, said = served.send("GET", "/v1/account", "lighting")
            assert (status, b"ask again later" in said) == (408, True)
        assert served.send("GET", "/v1/catalogue", "lighting")[0] == 429
        assert served.send("GET", "/health")[0] == 200
        assert served.send("GET", "/v1/standings", "anna")[0] == 200  # by threads of the holder
    finally:
        going.set()
    monkeypatch.setattr(served.made.workers, "bounds", Bounds(seconds=HANG, at_once=4))
    assert eventually(lambda: served.send("GET", "/v1/account", "lighting")[0] == 200)


FORM = b"content-type: application/x-www-form-urlencoded\r\n"
JSON = b"content-type: application/json\r\n"


@pytest.mark.parametrize("who", [None, "lighting", "anna"])
def test_who_sends_slowly_takes_no_room(served: Running, who: str | None) -> None:
    """Of a form, which is read of anybody, as of a body: a slot is for what has come whole."""
    path = {None: b"/dashboard/enter", "lighting": b"/v1/cells", "anna": b"/v1/disclosures"}[who]
    head = b"POST " + path + b" HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n"
    token = "" if who is None else served.tokens[who]
    head += FORM if who is None else JSON + b"authorization: Bearer " + token.encode() + b"\r\n"
    watch = served.made.watch
    assert eventually(lambda: watch.in_flight == 0)
    lines = [socket.create_connection(("127.0.0.1", served.port), HANG) for _ in range(20)]
    try:
        for line in lines:
            line.sendall(head + b"\r\n{")
        assert eventually(lambda: watch.in_flight == 20 or bool(select(lines, [], [], 0)[0]))
        assert watch.in_flight == 20  # nobody was answered before all had come
        assert served.send("GET", "/health")[0] == 200
        assert served.send("GET", "/metrics", "otto")[0] == 200
        assert served.send("GET", "/v1/catalogue", "lighting")[0] == 200
        assert served.send("GET", "/v1/standings", "anna")[0] == 200
        form = f"token={served.tokens['anna']}".encode()
        signed = {"content_type": "application/x-www-form-urlencoded"}
        assert served.send("POST", "/dashboard/enter", None, raw=form, **signed)[0] == 303
    finally:
        for line in lines:
            line.close()
    assert eventually(lambda: watch.in_flight == 0)


@pytest.mark.slow
def test_tokens_are_in_nothing_that_is_said_or_kept(
    served: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """Each token in every place that a request has, by each who may ask; and what comes back."""
    folder, said = served.made.curator.project.path.parent, list[str]()
    with caplog.at_level(logging.DEBUG):
        for who, secret in served.tokens.items():
            for (method, path), _ in DOORS.items():
                body: Any = {secret: secret, "where": f"office = '{secret}'", "sql": secret}
                raw = json.dumps(body).encode() if method == "POST" else None
                for target in (path, f"{path}?token={secret}", f"{path}/{secret}"):
                    answer = served.send(method, target, who, raw=raw, x_token=secret)
                    said.append(repr(answer[1]))
                    said.append(answer[2].decode().replace(f'"body.{secret}', ""))
            for field in ("where", "epochs", "attributes"):
                value: Any = secret if field == "where" else [secret]
                answer = served.send("POST", "/v1/cells", who, {field: value})
                said.append(repr(answer[1]))
            served.send("GET", "/v1/account", authorization=f"Bearer {secret} {secret}")
            served.send("POST", "/dashboard/enter", raw=f"token={secret}".encode())
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for secret in served.tokens.values():
        for word in (secret, secret.removeprefix("unspoken_")):
            assert word not in caplog.text
            assert not any(word.encode() in each for each in kept)
    for who, secret in served.tokens.items():
        echoed = [each for each in said if secret in each and '"error"' not in each]
        assert echoed == [], who


def test_a_refusal_says_nothing_of_others(served: Running) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE arrival = 'late'"
    body = {"sql": sql, "epsilon": 20.0}
    status, _, said = served.send("POST", "/v1/answers", "lighting", body)
    assert status == 409
    answered = json.loads(said)
    assert answered.keys() == {"error", "fits"}
    for word in ("planning", "odds", "bit", "cap", "event", "arrival", "given", "released"):
        assert word not in answered["error"].replace(answered["fits"], ""), word
    (first, *_) = json.loads(served.send("GET", "/v1/refusals", "anna")[2])["refusals"][-1:]
    assert "the cap is 4" in first["why"]  # the whole of it, for the steward alone


def test_events_come_in_pages(adopted: Path, tmp_path: Path) -> None:
    with running(building.copied(adopted, tmp_path)) as up:
        for epoch in ("0", "1"):
            assert up.send("POST", "/v1/cells", "lighting", {"epochs": [epoch]})[0] == 200
        whole = json.loads(up.send("GET", "/v1/events", "otto")[2])
        assert whole["next"] is None
        parts, after = dict[str, list[Any]](), 0
        while after is not None:
            page = json.loads(up.send("GET", f"/v1/events?after={after}&most=1", "otto")[2])
            lists = {name: page[name] for name in ("events", "answers", "decisions")}
            assert sum(map(len, lists.values())) <= 1
            assert page["exposure"] == whole["exposure"]
            for name, some in lists.items():
                parts[name] = parts.get(name, []) + some
            after = page["next"]
        assert parts == {name: whole[name] for name in parts}
        assert (len(parts["events"]), len(parts["decisions"])) == (2, 2)
        assert up.client("otto").events() == whole
        for wrong in ("after=-1", "after=x", "most=0", "most=1001", f"after={1 << 63}"):
            assert up.send("GET", f"/v1/events?{wrong}", "otto")[0] == 422
