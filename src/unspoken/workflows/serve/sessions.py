"""Who has signed in: a random word in a cookie stands for a token that was presented once.

Sessions are in memory alone, so whoever starts the service again signs everybody out. Each request
looks whether the token still holds. A second word, of the session too, is in every form: a page of
somebody else, which a browser may send with the cookie, does not know it.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hmac import compare_digest

from unspoken.storage.coins import fresh_name
from unspoken.workflows.serve.tokens import Tokens

__all__ = ["COOKIE", "Session", "Sessions"]

COOKIE = "unspoken"
HOURS = 8.0
MOST = 100  # sessions at once; beyond, the oldest ends


@dataclass(frozen=True)
class Session:
    """Of the steward ``name``, by the token with this id. ``form``: the word of its forms."""

    token: str
    name: str
    form: str = field(repr=False)
    until: float

    def sent(self, word: str) -> bool:
        """Whether a form is one of this session's."""
        return compare_digest(self.form.encode(), word.encode())


@dataclass
class Sessions:
    """Those of one service, by the digests of their words."""

    tokens: Tokens
    _held: dict[str, Session] = field(default_factory=dict, repr=False)

    def begin(self, presented: str) -> str | None:
        """The word of a new session; None: the token is no steward's."""
        token = self.tokens.of(presented.strip())
        if token is None or token.role != "steward":
            return None
        while len(self._held) >= MOST:
            del self._held[next(iter(self._held))]
        word = fresh_name()
        until = time.monotonic() + 3600 * HOURS
        self._held[_digest(word)] = Session(token.id, token.name, fresh_name(), until)
        return word

    def of(self, word: str) -> Session | None:
        """The session with this word, while it lasts and its token holds."""
        session = self._held.get(_digest(word))
        if session is None:
            return None
        now = datetime.now(UTC)
        held = any(t.id == session.token and t.lasting(now) for t in self.tokens.all())
        if session.until < time.monotonic() or not held:
            self.end(word)
            return None
        return session

    def end(self, word: str) -> None:
        """Sign out."""
        self._held.pop(_digest(word), None)


def _digest(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()
