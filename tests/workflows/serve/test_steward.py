"""The dashboard over HTTP: who gets in, what a form has to have, and that an approval is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.workflows.serve import building
from tests.workflows.serve.running import Running, running
from unspoken.interfaces.service.routes import FORM, PAGES
from unspoken.storage.ledger import Ledger
from unspoken.workflows.serve.tokens import Tokens

pytestmark = pytest.mark.slow

COUNT = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
Answered = tuple[int, dict[str, str], str]


@pytest.fixture
def up(adopted: Path, tmp_path: Path) -> Iterator[Running]:
    with running(building.copied(adopted, tmp_path)) as served:
        yield served


def sent(up: Running, method: str, path: str, cookie: str = "", **fields: str) -> Answered:
    named = {"cookie": cookie} if cookie else {}
    body = urlencode(fields).encode() if method == "POST" else None
    named |= {"content-type": FORM} if method == "POST" else {}
    status, headers, said = up.send(method, path, None, None, body, **named)
    return status, headers, said.decode()


def entered(up: Running, who: str = "anna") -> str:
    status, headers, _ = sent(up, "POST", "/dashboard/enter", token=up.tokens[who])
    assert status == 303
    assert headers["location"] == "/dashboard"
    cookie = headers["set-cookie"].lower()
    for wanted in ("httponly", "samesite=strict", "path=/dashboard"):
        assert wanted in cookie
    assert up.tokens[who] not in cookie
    return headers["set-cookie"].partition(";")[0]


def field(page: str, name: str) -> str:
    (found,) = {*re.findall(rf'name="{name}" value="([^"]*)"', page)}
    return str(found)


def events(up: Running) -> int:
    return len(Ledger(up.made.curator.project.files.ledger).decisions())


def test_nobody_but_a_steward_gets_in(up: Running) -> None:
    for path, route in PAGES.items():
        for cookie in ("", "unspoken=", "unspoken=" + "0" * 64):
            status, headers, said = sent(up, route.method, path, cookie, why="x", digest="x")
            assert status in (200, 303, 401)
            assert "visits.parquet" not in said
            if status != 303:
                assert "Token of a steward" in said
                assert "default-src 'none'" in headers["content-security-policy"]
        other = "GET" if route.method == "POST" else "POST"
        assert sent(up, other, path)[0] == 405
    for who in ("lighting", "otto", "planning"):  # an auditor approves nothing
        status, headers, _ = sent(up, "POST", "/dashboard/enter", token=up.tokens[who])
        assert (status, "set-cookie" in headers) == (401, False)
    assert events(up) == 2


def test_a_session_ends_with_its_token(up: Running) -> None:
    cookie = entered(up)
    assert "visits.parquet" in sent(up, "GET", "/dashboard", cookie)[2]
    assert "Everything that the ledger has" in sent(up, "GET", "/dashboard/history", cookie)[2]
    status, _, said = sent(up, "GET", "/v1/standings", cookie)  # for pages alone
    assert (status, "error" in said) == (401, True)
    form = field(sent(up, "GET", "/dashboard", cookie)[2], "form")
    sent(up, "POST", "/dashboard/leave", cookie, form="another")
    assert "visits.parquet" in sent(up, "GET", "/dashboard", cookie)[2]
    sent(up, "POST", "/dashboard/leave", cookie, form=form)
    assert "visits.parquet" not in sent(up, "GET", "/dashboard", cookie)[2]
    cookie = entered(up)
    Tokens(up.made.curator.project).revoke("anna")
    assert "visits.parquet" not in sent(up, "GET", "/dashboard", cookie)[2]


def test_a_plan_is_approved_by_who_looked_at_it(up: Running) -> None:
    cookie, path = entered(up), up.made.curator.project.path
    path.write_text(path.read_text().replace("odds_cap = 4.0", "odds_cap = 2.0"))
    _, _, page = sent(up, "GET", "/dashboard/plan?cap=3", cookie)
    assert "with a cap of" in page
    given = {"form": field(page, "form"), "digest": field(page, "digest"), "why": "less is told"}
    before = events(up)
    for wrong in ({"form": "x" * 64}, {"digest": "0" * 64}, {"why": " "}):
        status, _, said = sent(up, "POST", "/dashboard/approve", cookie, **{**given, **wrong})
        assert status in (403, 409)
        assert 'role="alert"' in said
    elsewhere = {"cookie": cookie, "content-type": FORM, "sec-fetch-site": "cross-site"}
    body = urlencode(given).encode()
    assert up.send("POST", "/dashboard/approve", None, None, body, **elsewhere)[0] == 403
    assert events(up) == before
    status, headers, _ = sent(up, "POST", "/dashboard/approve", cookie, **given)
    assert (status, headers["location"]) == (303, "/dashboard/plan")
    assert "nothing to approve" in sent(up, "GET", "/dashboard/plan", cookie)[2]
    assert "by anna: less is told" in sent(up, "GET", "/dashboard/history", cookie)[2]
    assert events(up) == before + 1


def test_caps_that_are_none_are_said_so(up: Running) -> None:
    cookie = entered(up)
    for cap in ("x", "0.1", "nan", "1e9", "<script>"):
        status, _, said = sent(up, "GET", f"/dashboard/plan?{urlencode({'cap': cap})}", cookie)
        assert status == 200
        assert 'role="alert">cap' in said
        assert "<script>" not in said


def test_what_is_refused_is_seen_after_a_restart(up: Running) -> None:
    folder = up.made.curator.project.path.parent
    with pytest.raises(ValueError, match="refused"):
        up.client("lighting").query(COUNT, epsilon=20.0)
    with running(folder / "unspoken.toml") as again:
        said = sent(again, "GET", "/dashboard", entered(again))[2]
    assert "<b>refused</b>" in said
    assert "lighting" in said
