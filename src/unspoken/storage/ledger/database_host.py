"""Which database a ledger may be in, and how it is connected to: every command does it this way.

The address is the project file's, which may be somebody else's; the password (``PGPASSWORD``,
``~/.pgpass``) is the holder's. So the address does not decide who is sent it:

- Another machine needs the holder's consent, and proves by its certificate which one it is.
- No server is sent the password itself. It is proved to be known (SCRAM), or, on this machine, not
  asked for at all (peer, trust).
- An address may have no parameter that could weaken this.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sql

from unspoken.core.errors import InputError

__all__ = ["HOSTS", "connection_parameters", "host_of", "other_hosts_allowed"]

# The variable in which the holder lists the machines that a ledger may be on.
HOSTS = "UNSPOKEN_LEDGER_HOSTS"
PROOF = "scram-sha-256"
_NUMBER = "[0-9]{1,9}", "a whole number"
# The parameters of libpq that an address may have: a pattern of the value, and words for it.
ALLOWED: Mapping[str, tuple[str, str]] = {
    "host": (".+", "one host"),
    "port": _NUMBER,
    "options": (r"-c ?search_path=\w+", "-csearch_path%3DNAME"),
    "application_name": (".*", "one text"),
    "connect_timeout": _NUMBER,
    "keepalives": _NUMBER,
    "keepalives_idle": _NUMBER,
    "keepalives_interval": _NUMBER,
    "keepalives_count": _NUMBER,
    "tcp_user_timeout": _NUMBER,
    "sslmode": ("verify-full", "verify-full"),
    "channel_binding": ("require", "require"),
    "require_auth": (PROOF, PROOF),
}
LOCAL = {"require_auth": f"{PROOF},none"}
ELSEWHERE = {"require_auth": PROOF, "sslmode": "verify-full"}

_consents = list[object]()


@contextmanager
def other_hosts_allowed() -> Iterator[None]:
    """Within it, a ledger may be on any machine that an address names, in all threads."""
    _consents.append(None)
    try:
        yield
    finally:
        _consents.pop()


def host_of(url: sql.URL) -> str:
    """The host that an address names; as PGHOST says where it names none; "" is the local socket.

    A service file says nothing of it.
    """
    named = [url.host or "", *url.normalized_query.get("host", ())]
    hosts = ",".join(filter(None, named)) or os.environ.get("PGHOST", "")
    if "," in hosts:
        raise InputError("names several hosts; write one")
    return hosts


def connection_parameters(url: sql.URL) -> dict[str, str]:
    """All that libpq is told of whom to connect to, and how.

    An InputError, which does not say whose address this is, where it asks for what it may not, or
    for a machine that nobody consented to.
    """
    parts = {
        "user": url.username,
        "password": url.password,
        "dbname": url.database,
        "port": url.port,
    }
    told = {name: str(value) for name, value in parts.items() if value is not None}
    told = {**_parameters(url), **told, "host": host_of(url)}
    if not all(map(str.isprintable, told.values())):  # libpq would read no further than a zero
        raise InputError("holds a control character; write another address")
    secure = ELSEWHERE
    if _is_local(told["host"]):
        secure = LOCAL | {name: told[name] for name in ELSEWHERE if name in told}
    elif not _is_allowed(told["host"]):
        raise InputError(
            f"is on {told['host']}, another machine. If that is meant, say --outside, or list the "
            f"host in {HOSTS}"
        )
    # An empty hostaddr, or PGHOSTADDR would be connected to in place of the host. No encryption by
    # GSSAPI, which would stand in place of TLS.
    return {**told, "hostaddr": "", "gssencmode": "disable", **secure}


def _parameters(url: sql.URL) -> dict[str, str]:
    """Those behind the question mark, each once and harmless."""
    found = dict[str, str]()
    for name, value in url.query.items():
        if name not in ALLOWED:
            raise InputError(
                f"has the parameter {name}, and an address may have these: {', '.join(ALLOWED)}. "
                "Say others by libpq's environment variables, such as PGSSLROOTCERT"
            )
        pattern, words = ALLOWED[name]
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise InputError(f"has a {name} that it cannot have; write {words}, or leave it out")
        found[name] = value
    return found


def _is_local(host: str) -> bool:
    """Whether nothing sent to it leaves this machine: a socket, or a loopback address.

    An abstract socket (``@name``) is none: psycopg takes it for the name of a machine.
    """
    if not host or host.startswith("/") or host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_allowed(host: str) -> bool:
    named = {name.strip().lower() for name in os.environ.get(HOSTS, "").split(",")}
    return bool(_consents) or host.lower() in named
