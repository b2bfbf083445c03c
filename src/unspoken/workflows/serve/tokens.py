"""Who may ask: names with a role, each known by a token of which the holder keeps a digest only.

A token is 256 random bits, so one SHA-256 is enough: nothing shorter than trying them all finds it.
It is printed once. The file lies beside the key, for its owner only, and is written as a whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from unspoken.core.errors import InputError, unknown
from unspoken.storage.coins import fresh_name
from unspoken.tables.files import PATIENCE, PRIVATE, Partial, unfinished, writing
from unspoken.tables.policy import Project

__all__ = ["ROLES", "Role", "Token", "Tokens", "token_file"]

Role = Literal["application", "steward", "auditor"]
ROLES: tuple[Role, ...] = ("application", "steward", "auditor")
PREFIX = "unspoken_"  # by which a token that got lost is known for one
LONGEST = 200  # characters of what is presented
MARK = {"unspoken": "tokens", "format": 1}


@dataclass(frozen=True)
class Token:
    """``id``: to speak of it by; ``digest``: SHA-256 of it; times are ISO 8601, in UTC."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    id: str
    name: str
    role: Role
    digest: str = field(repr=False)
    created: str
    expires: str | None = None
    revoked: str | None = None

    def lasting(self, now: datetime) -> bool:
        """Whether it opens anything now."""
        late = self.expires is not None and datetime.fromisoformat(self.expires) <= now
        return self.revoked is None and not late

    def as_json(self) -> dict[str, Any]:
        """All but its digest."""
        said = {name: value for name, value in asdict(self).items() if name != "digest"}
        return {**said, "valid": self.lasting(datetime.now(UTC))}


_TOKENS = TypeAdapter(list[Token])


def token_file(key: Path) -> Path:
    """Where the tokens of a project with this key are."""
    return key.with_name(f"{key.name}.tokens")


@dataclass
class Tokens:
    """The tokens of a project; what is changed in their file holds at once."""

    project: Project
    _read: tuple[Any, list[Token]] = field(default=(None, []), repr=False)

    @property
    def path(self) -> Path:
        return token_file(self.project.files.key)

    def new(self, name: str, role: str, days: float | None = None) -> tuple[Token, str]:
        """One more for this name, and the token itself, which nobody can say again.

        Others of the name stay: a new one first, then the old one revoked, is a rotation.
        """
        known = _role(role)
        if role == "application" and name not in self.project.applications:
            raise unknown("token for an application", name, self.project.applications)
        if not name.strip() or len(name) > LONGEST:
            raise InputError("token: needs a name, of whom it is for")
        secret, now = f"{PREFIX}{fresh_name()}", datetime.now(UTC)
        digest = hashlib.sha256(secret.encode()).hexdigest()
        made = Token(
            id=hashlib.sha256(digest.encode()).hexdigest()[:8],
            name=name,
            role=known,
            digest=digest,
            created=now.isoformat(timespec="seconds"),
            expires=None if days is None else _after(now, days),
        )
        with self._changing() as partial:
            self._write(partial, [*self.all(), made])
        return made, secret

    def revoke(self, which: str) -> list[Token]:
        """Revoke the token with this id, or all of this name; gives those that were valid."""
        now = datetime.now(UTC)
        with self._changing() as partial:
            tokens = self.all()
            meant = [t for t in tokens if which in (t.id, t.name)]
            if not meant:
                raise unknown("token", which, dict.fromkeys(t.name for t in tokens))
            gone = [token for token in meant if token.revoked is None]
            at = now.isoformat(timespec="seconds")
            self._write(partial, [replace(t, revoked=at) if t in gone else t for t in tokens])
        return gone

    def of(self, presented: str) -> Token | None:
        """Whose token this is; None: nobody's, or not any more."""
        if len(presented) > LONGEST or not presented.isascii():
            return None
        digest = hashlib.sha256(presented.encode()).hexdigest()
        found = [t for t in self.all() if compare_digest(t.digest, digest)]
        now = datetime.now(UTC)
        return next((token for token in found if token.lasting(now)), None)

    def all(self) -> Sequence[Token]:
        """All that there ever were, read again where the file is another one."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return []
        now = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._read[0] != now:
            self._read = (now, _tokens(self.path))
        return self._read[1]

    @contextmanager
    def _changing(self) -> Iterator[Partial]:
        """One who changes it at a time."""
        with unfinished(self.path, PRIVATE, PATIENCE) as partial:
            yield partial

    def _write(self, partial: Partial, tokens: Sequence[Token]) -> None:
        body = {**MARK, "tokens": [asdict(token) for token in tokens]}
        with writing(self.path):
            partial.file.write((json.dumps(body, indent=1) + "\n").encode())
            partial.publish()


def _role(role: str) -> Role:
    for each in ROLES:
        if each == role:
            return each
    raise unknown("--role", role, ROLES)


def _after(now: datetime, days: float) -> str:
    if not 0 < days <= 36_500:
        raise InputError(f"--expires {days:g}: is in so many days, more than 0")
    return (now + timedelta(days=days)).isoformat(timespec="seconds")


def _tokens(path: Path) -> list[Token]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise InputError(
            f"{path}: is open to others (mode {mode:04o}); run: chmod 600 {shlex.quote(str(path))}"
        )
    try:
        body = json.loads(path.read_bytes())
        if not isinstance(body, dict) or not MARK.items() <= body.items():
            raise ValueError("no tokens")
        return _TOKENS.validate_json(json.dumps(body["tokens"]))
    except (ValueError, KeyError, RecursionError, ValidationError):
        raise InputError(
            f"{path}: holds no tokens; restore it from a copy, or move it away and make new ones"
        ) from None
