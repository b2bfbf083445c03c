"""An address says where a ledger is; it does not say who is sent a password, nor how."""

from __future__ import annotations

import pytest
import sqlalchemy as sql

from unspoken.core.errors import InputError
from unspoken.storage.ledger.database_host import HOSTS, connection_parameters, other_hosts_allowed
from unspoken.tables.policy import paths


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (HOSTS, "PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)


def parameters(address: str) -> dict[str, str]:
    return connection_parameters(sql.make_url(address))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql:///d",
        "postgresql://u@localhost/d",
        "postgresql://u@LocalHost:5433/d",
        "postgresql://u@127.0.0.1/d",
        "postgresql://u@127.9.8.7/d",
        "postgresql://u@[::1]/d",
        "postgresql:///d?host=/run/postgresql&port=5433",
        "postgresql://u@localhost/d?options=-csearch_path%3Dledger",
    ],
)
def test_this_machine_needs_no_consent_and_is_sent_no_password_in_clear(address: str) -> None:
    told = parameters(address)
    assert told["require_auth"] == "scram-sha-256,none"
    assert (told["hostaddr"], told["gssencmode"]) == ("", "disable")
    assert "sslmode" not in told


ELSEWHERE = [
    "postgresql://u@db.example.org/d",
    "postgresql:///d?host=db.example.org",
    "postgresql://u@10.0.0.1/d",
    "postgresql://u@0.0.0.0/d",
    "postgresql://u@127.1/d",
    "postgresql://u@2130706433/d",
    "postgresql://u@localhost.example.org/d",
    "postgresql://u@localhost./d",
    "postgresql://u@[fe80::1]/d",
    "postgresql:///d?host=@abstract",
    "postgresql+asyncpg://u@db.example.org/d",
]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_another_machine_needs_consent_and_a_certificate(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"another machine\. If that is meant, say --outside"):
        parameters(address)
    with other_hosts_allowed():
        told = parameters(address)
    assert (told["sslmode"], told["require_auth"]) == ("verify-full", "scram-sha-256")
    assert (told["hostaddr"], told["gssencmode"]) == ("", "disable")
    monkeypatch.setenv(HOSTS, f"other.example.org, {told['host'].upper()}")
    assert parameters(address) == told
    monkeypatch.setenv(HOSTS, "*, example.org")
    with pytest.raises(InputError, match="another machine"):
        parameters(address)


def test_the_host_of_the_environment_is_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example.org")
    with pytest.raises(InputError, match=r"is on db\.example\.org, another machine"):
        parameters("postgresql:///d")
    assert parameters("postgresql://localhost/d")["host"] == "localhost"
    monkeypatch.setenv("PGHOST", "localhost,db.example.org")
    with pytest.raises(InputError, match="names several hosts"):
        parameters("postgresql:///d")


@pytest.mark.parametrize(
    "query",
    [
        "sslmode=disable", "sslmode=prefer", "sslmode=require", "sslmode=verify-ca",
        "sslmode=verify-full&sslmode=disable", "require_auth=password", "require_auth=none",
        "require_auth=!scram-sha-256", "channel_binding=disable", "gssencmode=require",
        "hostaddr=10.0.0.1", "service=evil", "passfile=p", "sslrootcert=evil.pem",
        "sslrootcert=system", "sslcert=c.pem", "sslkey=k.pem", "sslkeylogfile=keys",
        "sslcrl=x", "sslnegotiation=direct", "ssl_min_protocol_version=TLSv1", "dbname=host%3Devil",
        "user=u", "password=p", "krbsrvname=evil", "load_balance_hosts=random", "replication=true",
        "oauth_issuer=https://evil.example.org", "target_session_attrs=any", "SSLMODE=disable",
        "options=-csearch_path%3Da%20-csession_replication_role%3Dreplica",
        "options=-crow_security%3Doff", "port=1,2", "host=localhost&host=evil.example.org",
        "host=evil.example.org,localhost", "host=/run,evil.example.org", "connect_timeout=x",
        "application_name=a%00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("address", ["postgresql:///d", "postgresql://u@db.example.org/d"])
def test_no_parameter_weakens_it(address: str, query: str) -> None:
    with other_hosts_allowed(), pytest.raises(InputError) as refusal:
        parameters(f"{address}?{query}")
    assert "evil.pem" not in str(refusal.value)
    assert "\0" not in str(refusal.value)


def test_what_may_be_said_is_passed_on() -> None:
    query = "sslmode=verify-full&channel_binding=require&connect_timeout=5"
    with other_hosts_allowed():
        told = parameters(f"postgresql://u:p@db.example.org:99/d?{query}&application_name=a b")
    assert told == {
        "user": "u", "password": "p", "dbname": "d", "host": "db.example.org", "port": "99",
        "hostaddr": "", "sslmode": "verify-full", "channel_binding": "require",
        "require_auth": "scram-sha-256", "gssencmode": "disable", "connect_timeout": "5",
        "application_name": "a b",
    }  # fmt: skip
    assert parameters("postgresql://localhost/d?sslmode=verify-full")["sslmode"] == "verify-full"


@pytest.mark.parametrize("part", ["u%00:p@", "u:p%00@", "u:p%0a@"])
def test_nothing_ends_before_its_end(part: str) -> None:
    with other_hosts_allowed(), pytest.raises(InputError, match="holds a control character"):
        parameters(f"postgresql://{part}db.example.org/d")


def test_only_an_address_is_one() -> None:
    """What libpq would understand too, as ``host=... dbname=...``, is the name of a file here."""
    for named in ("host=db.example.org dbname=d", "postgres://u@h/d", "service=evil"):
        assert paths.SERVER.fullmatch(named) is None
