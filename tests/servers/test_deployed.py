"""The deployment of docs/service.md, tried as it is written: nginx with TLS before a service, and
the unit as systemd reads it.
"""

from __future__ import annotations

import http.client
import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.servers.conftest import needed
from tests.servers.postgresql import free_port
from tests.within import HANG, eventually
from tests.workflows.serve import building
from tests.workflows.serve.running import Running, running
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.client import Client
from unspoken.workflows.release import adopt_plan

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
WHOLE = """
pid {folder}/pid;
error_log {folder}/error.log info;
daemon off;
{user}
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


def block(kind: str) -> str:
    """What the page shows of this kind."""
    (text,) = (part.partition("```")[0] for part in PAGE.read_text().split(f"```{kind}\n")[1:])
    return text


def certificate(folder: Path) -> None:
    """For this machine, of nobody else's."""
    made = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost"
    )
    files = ["-keyout", str(folder / "curator.key"), "-out", str(folder / "curator.pem")]
    more = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run(["openssl", *made.split(), *more, *files], check=True, capture_output=True)


@contextmanager
def proxied(up: Running, folder: Path) -> Iterator[int]:
    """The site of the page before a service: addresses and files are others, nothing else is."""
    site, port = block("nginx"), free_port()
    for old, new in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/": f"{folder}/",
        "127.0.0.1:8750": f"127.0.0.1:{up.port}",
    }.items():
        assert old in site
        site = site.replace(old, new)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(WHOLE.format(folder=folder, user=user, site=site))
    command = [
        "nginx",
        "-p",
        str(folder),
        "-c",
        str(folder / "nginx.conf"),
        "-e",
        f"{folder}/error.log",
    ]
    ran = subprocess.Popen(command)
    try:
        assert eventually(partial(_begun, ran, folder))
        yield port
    finally:
        ran.terminate()
        ran.wait(HANG)


def _begun(ran: subprocess.Popen[bytes], folder: Path) -> bool:
    assert ran.poll() is None, (folder / "error.log").read_text()
    return (folder / "pid").exists() and bool((folder / "pid").read_text())


def test_a_proxy_with_tls_stands_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed(shutil.which("nginx"), "nginx")
    needed(shutil.which("openssl"), "openssl")
    adopt_plan(path := building.project(tmp_path))
    certificate(tmp_path)
    with running(path) as up, proxied(up, tmp_path) as port:
        client = Client(f"https://127.0.0.1:{port}", up.tokens["lighting"])
        with pytest.raises(InputError, match=r"no whole answer came .*certificate"):
            client.catalogue()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "curator.pem"))
        cells = client.ask(epochs=["0"])
        assert cells.charged == ["0"]
        assert cells.rows == up.client("lighting").ask(epochs=["0"]).rows
        assert client.query("SELECT COUNT(*) FROM visits WHERE day >= 0").value == 25 * 45
        late = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
        with pytest.raises(LimitExceeded):
            client.query(late, epsilon=9.0)
        with pytest.raises(InputError, match="413"):
            client.ask(where="office = 1 OR " * 10_000 + "office = 2")
        _cookie_is_for_tls(up, port, tmp_path)
        for log in tmp_path.glob("*.log"):
            assert not [token for token in up.tokens.values() if token in log.read_text()]


def _cookie_is_for_tls(up: Running, port: int, folder: Path) -> None:
    """Whatever whoever asks says of it."""
    trusted = ssl.create_default_context(cafile=str(folder / "curator.pem"))
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=trusted, timeout=HANG)
    form = {"content-type": "application/x-www-form-urlencoded", "x-forwarded-proto": "http"}
    connection.request("POST", "/dashboard/enter", urlencode({"token": up.tokens["anna"]}), form)
    answer = connection.getresponse()
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "; Secure" in cookie
    answer.read()
    connection.request("GET", "/dashboard", headers={"cookie": cookie.partition(";")[0]})
    page = connection.getresponse()
    assert (page.status, b"visits.parquet" in page.read()) == (200, True)
    connection.close()


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd")
    unit, program = block("ini"), "/usr/local/lib/unspoken/bin/unspoken"
    assert "%h" not in unit  # in a unit of the system that is root's home, whoever User is
    assert program in unit
    (tmp_path / "unspoken.service").write_text(unit.replace(program, "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / "unspoken.service")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
