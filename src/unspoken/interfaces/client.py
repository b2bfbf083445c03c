"""Ask a service for what is released: the same verbs as in a project, from another machine.

    lighting = Client("https://curator.example", token=...)
    lighting.ask("first_arrival", where="floor = 3").to_arrow()

What is received is held against its length, its digest and its number of rows: half an answer
that reads like a whole one is an error.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import io
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from unspoken.core.errors import InputError, LimitExceeded, shown

__all__ = ["Answer", "ReleasedCells", "Client"]

TOKEN = "UNSPOKEN_TOKEN"
HERE = {"127.0.0.1", "::1", "localhost"}
BUSY = 429
TRIES = 5  # where a service is busy


@dataclass(frozen=True, repr=False)
class ReleasedCells:
    """Released cells, true or NULL. ``inclusion``: how often a cell that may be shown is, and what
    may be computed from that; ``charged``: the epochs that were charged now, none if it was free.
    """

    rows: pa.Table
    inclusion: Sequence[Mapping[str, Any]]
    charged: Sequence[str]

    def to_arrow(self) -> pa.Table:
        return self.rows

    def to_frame(self) -> Any:
        """As a pandas DataFrame."""
        from unspoken.interfaces.frames import arrow_to_frame

        return arrow_to_frame(self.rows)

    def __repr__(self) -> str:
        columns = ", ".join(map(shown, self.rows.column_names))
        charged = f"{len(self.charged):,} epochs" if self.charged else "nothing: it was free"
        return f"ReleasedCells: {self.rows.num_rows:,} rows of {columns}; charged: {charged}"


@dataclass(frozen=True)
class Answer:
    """An answer with noise: ``rows`` of the columns that ``titles`` name.

    ``error``: how far off each column may be, in 95 % of all draws; ``again``: it was drawn before,
    and so free. ``epsilon``: by which factor e^epsilon one record changes odds at most.
    """

    titles: Sequence[str]
    rows: Sequence[Sequence[Any]]
    error: Mapping[str, Sequence[float]]
    epsilon: float
    again: bool

    @property
    def value(self) -> Any:
        """The one number, of an answer that is one."""
        ((one,),) = self.rows
        return one


@dataclass(frozen=True)
class Client:
    """``url``: of the service; ``token``: None: what UNSPOKEN_TOKEN says; ``timeout``: in seconds.

    ``plain``: send the token unencrypted to another machine, all the same.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    plain: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"client: {shown(self.url)}: is no address; write https://host:port")
        if parts.scheme == "http" and parts.hostname not in HERE and not self.plain:
            raise InputError(
                f"client: http://{parts.hostname}: the token would travel as it is; take https, or "
                "say plain=True"
            )

    def ask(
        self,
        *attributes: str,
        where: str | None = None,
        epochs: Sequence[str] = (),
        before: bool = False,
        dry_run: bool = False,
        draw: int = 1,
    ) -> Any:
        """`ReleasedCells` of these attributes (none named: all read), of rows by keys and epoch.

        ``dry_run``: what it would show and charge, as plain data. ``before``: only what was given
        before, free. ``draw``: 2 tosses coins of its own for the same cells, charged anew.
        """
        asked = {
            "attributes": list(attributes),
            "epochs": list(epochs),
            "before": before,
            "dry_run": dry_run,
            **({} if where is None else {"where": where}),
            **({} if draw == 1 else {"draw": draw}),
        }
        headers, body = self._asked("POST", "/v1/cells", asked)
        return _json(body) if dry_run else _cells(headers, body)

    def query(
        self,
        sql: str,
        *,
        epsilon: float | None = None,
        share: float = 1.0,
        dry_run: bool = False,
        draw: int = 1,
    ) -> Any:
        """An `Answer` with noise to a SELECT; ``dry_run``: how far off it may be, as plain data.

        ``draw``: 2 is another answer to the same question, with noise of its own, charged anew.
        """
        asked: dict[str, Any] = {"sql": sql, "share": float(share), "dry_run": dry_run}
        if epsilon is not None:
            asked["epsilon"] = float(epsilon)
        if draw != 1:
            asked["draw"] = draw
        said = _json(self._asked("POST", "/v1/answers", asked)[1])
        if dry_run:
            return said
        return Answer(said["columns"], said["rows"], said["error"], said["epsilon"], said["again"])

    def catalogue(self) -> dict[str, Any]:
        """What may be asked for: keys, attributes, epochs."""
        return _json(self._asked("GET", "/v1/catalogue")[1])

    def account(self) -> list[dict[str, Any]]:
        """What this application was given so far."""
        return list(_json(self._asked("GET", "/v1/account")[1])["given"])

    def standings(self) -> list[dict[str, Any]]:
        """Of a steward: what every coalition has had, and may still have."""
        return list(_json(self._asked("GET", "/v1/standings")[1])["standings"])

    def units(self) -> list[dict[str, Any]]:
        """Of a steward: what answers with noise told every coalition of all rows of one unit."""
        return list(_json(self._asked("GET", "/v1/standings")[1])["units"])

    def refusals(self) -> list[dict[str, Any]]:
        """Of a steward: who was refused what, and the whole of why."""
        return list(_json(self._asked("GET", "/v1/refusals")[1])["refusals"])

    def disclosed(
        self,
        *attributes: str,
        why: str,
        epochs: Sequence[str] = (),
        readers: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Of a steward: that these became known otherwise, to ``readers`` (none: to everybody), of
        ``epochs`` (none: of all rows); gives which limits that breaks. It cannot be taken back.
        """
        said = {"attributes": list(attributes), "why": why}
        more = {"epochs": list(epochs), "readers": list(readers)}
        return _json(self._asked("POST", "/v1/disclosures", {**said, **more})[1])

    def events(self) -> dict[str, Any]:
        """Of an auditor or a steward: the ledger, all of its pages."""
        found = _json(self._asked("GET", "/v1/events")[1])
        while (after := found.get("next")) is not None:
            more = _json(self._asked("GET", f"/v1/events?after={int(after)}")[1])
            lists = {name: found[name] + more[name] for name in ("events", "answers", "decisions")}
            found = {**more, **lists}
        return found

    def _asked(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> tuple[Mapping[str, str], bytes]:
        for left in reversed(range(TRIES)):
            status, headers, received = self._sent(method, path, body)
            if status != BUSY or not left:
                break
            time.sleep(min(float(headers.get("retry-after", 1)), 5.0))
        if status == http.client.OK:
            return headers, received
        try:
            said = json.loads(received)
        except ValueError:
            said = {}
        text = str(said.get("error", f"{self.url}: answered with status {status}"))
        if "fits" in said:
            raise LimitExceeded(text, str(said["fits"]))
        raise InputError(text)

    def _sent(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        parts, token = urlsplit(self.url), self.token or os.environ.get(TOKEN, "")
        if not token:
            raise InputError(f"client: has no token; give token=, or set {TOKEN}")
        if not token.isascii() or not token.isprintable():
            raise InputError("client: the token is none: it has other than plain letters")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else (
            http.client.HTTPConnection
        )  # fmt: skip
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        try:
            connection = kind(parts.hostname or "", parts.port, timeout=self.timeout)
            try:
                sent = None if body is None else json.dumps(body).encode()
                connection.request(method, parts.path.rstrip("/") + path, sent, headers)
                answer = connection.getresponse()
                received = answer.read()
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"{self.url}: no whole answer came ({why}); ask again: what was charged is free"
            ) from None
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, received


def _json(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise InputError("client: what was answered is no JSON object; is this our service?")
    return said


def _cells(headers: Mapping[str, str], body: bytes) -> ReleasedCells:
    """The rows, once they are known to be all."""
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    if headers.get("repr-digest") != f"sha-256=:{digest}:":
        raise InputError("client: what came has another digest than what was sent; ask again")
    try:
        rows = pa.ipc.open_stream(io.BytesIO(body)).read_all()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"client: what came is no table: {shown(error)}") from None
    if str(rows.num_rows) != headers.get("unspoken-rows"):
        raise InputError(
            f"client: {rows.num_rows:,} rows came of {headers.get('unspoken-rows')}; ask again"
        )
    said = json.loads((rows.schema.metadata or {}).get(b"unspoken", b"{}"))
    return ReleasedCells(
        rows.replace_schema_metadata(None), said.get("inclusion", []), said.get("charged", [])
    )
