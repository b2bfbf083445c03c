"""Who is sent the password of a ledger's database: nobody that an address names by itself."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sql

from tests.servers.conftest import needed
from tests.servers.listening import CLEARTEXT, MD5, listening
from tests.storage.test_archive import changed
from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.interfaces.command_line import cli
from unspoken.storage.custody.archive import backup, restore
from unspoken.storage.ledger import Ledger
from unspoken.storage.ledger.database_host import HOSTS, other_hosts_allowed
from unspoken.workflows.release import release

PASSWORD = "geheim"
AWAY = "0.0.0.0"  # this machine, by an address that is no loopback


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (HOSTS, "PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGSSLROOTCERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


def project(folder: Path, host: str, port: int, query: str = "") -> Path:
    table = pa.table({"id": range(40), "a": [n % 2 for n in range(40)]})
    path = small(folder, table, {"a": {"values": [0, 1], "sensitive": "a = 1"}}, key=None)
    address = f"postgresql://u@{host}:{port}/d{query}"
    path.write_text(f'{path.read_text()}\n[secret]\nledger = "{address}"\n')
    return path


MANIFEST = '{"unspoken": "release", "charge": {}, "release": {}, "readings": {}}'
# Words, parted by |; P is the project, F its folder.
COMMANDS = (
    "learn|P", "leak|P", "plan|P", "release|P", "report|P", "ledger|P", "ledger|P|--verify",
    "ledger|P|--export|F/out", "query|SELECT COUNT(*) FROM days|P", "diff|P", "backup|F/b.zip|P",
    "verify|F/m.json|P", "disclosed|a|--project|P|--why|x|--by|y", "audit|P", "serve|P|--port|0",
    "release|P|--dry-run",
)  # fmt: skip


@pytest.mark.parametrize("query", ["", "?sslmode=disable", "?require_auth=password"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_goes_where_a_project_says(
    command: str, query: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with listening() as listener:
        path = project(tmp_path, AWAY, listener.port, query)
        (tmp_path / "m.json").write_text(MANIFEST)
        named = command.replace("F/", f"{tmp_path}/").split("|")
        words = [str(path) if word == "P" else word for word in named]
        assert cli.run(words) == 2
    assert listener.clients == 0
    assert "another machine" in (said := capfd.readouterr().err) or "that it cannot have" in said


@pytest.mark.parametrize("asks", [CLEARTEXT, MD5])
@pytest.mark.parametrize(
    ("host", "outside"), [(AWAY, ["--outside"]), ("127.0.0.1", []), ("localhost", ["--outside"])]
)
def test_no_password_is_told_who_asks_for_it(
    host: str, outside: list[str], asks: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in clear, nor hashed; without TLS another machine is not even told who asks."""
    with listening(asks) as listener:
        path = project(tmp_path, host, listener.port)
        assert cli.run(["release", str(path), *outside]) == 2
    assert listener.clients
    assert PASSWORD.encode() not in listener.sent
    assert b"md5" not in listener.sent
    assert (b"user\0u" in listener.sent) == (host != AWAY)
    said = capfd.readouterr().err
    assert "cannot be used" in said
    assert said.count("\n") == 1


def test_a_backup_of_somebody_else_goes_nowhere(tmp_path: Path) -> None:
    """And nothing of it is written."""
    (tmp_path / "old").mkdir()
    table = pa.table({"id": range(40), "a": [n % 2 for n in range(40)]})
    path = small(tmp_path / "old", table, {"a": {"values": [0, 1], "sensitive": "a = 1"}}, key=None)
    release(path)
    backup(path, packed := tmp_path / "b.zip")
    with zipfile.ZipFile(packed) as archive:
        text = archive.read("project").decode()
    with listening() as listener:
        address = f"postgresql://u@{AWAY}:{listener.port}/d"
        changed(packed, "project", f'{text}\n[secret]\nledger = "{address}"\n'.encode())
        with pytest.raises(InputError, match=r"another machine\. If that is meant, say --outside"):
            restore(packed, tmp_path / "new")
        assert listener.clients == 0
        assert not list((tmp_path / "new").glob("*"))
        with pytest.raises(InputError, match="does not support SSL"):
            restore(packed, tmp_path / "new", outside=True)
        assert listener.clients == 1
        assert PASSWORD.encode() not in listener.sent
        assert not list((tmp_path / "new").glob("*"))


NOBODY = "127.0.0.9"  # where no database listens


@pytest.mark.parametrize("by", ["variables", "service file"])
def test_no_variable_sends_it_elsewhere(
    by: str, postgres: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as listener:
        if by == "variables":
            monkeypatch.setenv("PGHOSTADDR", NOBODY)
        else:
            said = f"host={AWAY}\nhostaddr={NOBODY}\nport={listener.port}\nsslmode=disable"
            (tmp_path / "services").write_text(f"[evil]\n{said}\nrequire_auth=password\n")
            monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
            monkeypatch.setenv("PGSERVICE", "evil")
        monkeypatch.setenv("PGPORT", str(listener.port))
        monkeypatch.setenv("PGSSLMODE", "disable")
        monkeypatch.setenv("PGREQUIREAUTH", "password")
        assert Ledger(schema).empty
        with pytest.raises(InputError, match="cannot be used"):
            Ledger("postgresql:///d?host=/nowhere")
        name = postgres.rpartition("/")[0].replace("127.0.0.1", "localhost")
        with pytest.raises(InputError, match="cannot be used"):
            Ledger(f"{name}/host={AWAY} port={listener.port}".replace(" ", "%20"))
    assert listener.clients == 0


@pytest.fixture
def secured(postgres: str, tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """The address, at a host, of a database that takes a password by SCRAM over TLS alone."""
    needed(shutil.which("openssl"), "openssl")
    engine = sql.create_engine(postgres.replace("postgresql", "postgresql+psycopg", 1))

    def run(*statements: str) -> str:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            return [str(connection.exec_driver_sql(s).scalar_one()) for s in statements][-1]

    data = Path(run("SHOW data_directory"))
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=db"
    files = ["-keyout", str(data / "server.key"), "-out", str(data / "server.crt")]
    more = ["-addext", f"subjectAltName=IP:{AWAY}"]
    subprocess.run(["openssl", *made.split(), *more, *files], check=True, capture_output=True)
    status = data.stat()
    for name in ("server.key", "server.crt"):
        (data / name).chmod(0o600)
        with contextlib.suppress(PermissionError):
            shutil.chown(data / name, status.st_uid, status.st_gid)
    shutil.copy(data / "server.crt", tmp_path / "root.crt")
    usual = (data / "pg_hba.conf").read_text()
    (data / "pg_hba.conf").write_text(f"hostssl all u 127.0.0.1/32 scram-sha-256\n{usual}")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in (
            f"CREATE ROLE u SUPERUSER LOGIN PASSWORD '{PASSWORD}'",
            "ALTER SYSTEM SET ssl = on",
            "SELECT pg_reload_conf()",
        ):
            connection.exec_driver_sql(statement)
    try:
        port = sql.make_url(postgres).port
        yield lambda host: f"postgresql://u@{host}:{port}/postgres"
    finally:
        (data / "pg_hba.conf").write_text(usual)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("DROP OWNED BY u")
            connection.exec_driver_sql("DROP ROLE u")
            connection.exec_driver_sql("ALTER SYSTEM RESET ssl")
            connection.exec_driver_sql("SELECT pg_reload_conf()")
        engine.dispose()


def test_a_machine_with_its_certificate_is_one(
    secured: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By consent for one command, or in the environment; with another certificate, it is not."""
    with other_hosts_allowed(), pytest.raises(InputError, match="root certificate"):
        Ledger(secured(AWAY))
    monkeypatch.setenv("PGSSLROOTCERT", str(tmp_path / "root.crt"))
    with pytest.raises(InputError, match="another machine"):
        Ledger(secured(AWAY))
    with other_hosts_allowed():
        assert Ledger(secured(AWAY)).empty
    monkeypatch.setenv(HOSTS, AWAY)
    assert Ledger(secured(AWAY)).empty
    monkeypatch.setenv("PGPASSWORD", "another")
    with pytest.raises(InputError, match="password authentication failed"):
        Ledger(secured(AWAY))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with pytest.raises(InputError, match="server certificate for"):
        Ledger(f"{secured('127.0.0.1')}?sslmode=verify-full")
