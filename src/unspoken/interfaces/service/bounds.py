"""How much the service does for one who asks, and on which hosts it is by itself."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BODY_SECONDS", "FORM_SECONDS", "HEAD_SECONDS", "PLAIN", "Bounds"]

PLAIN = {"127.0.0.1", "::1", "localhost"}  # hosts that only this machine reaches
HEAD_SECONDS = 10.0  # for the head of a request to come, at most
BODY_SECONDS = 30.0  # for the body of a request with a valid token to come, at most
FORM_SECONDS = 5.0  # for a form of the dashboard to come, which anybody may send
WAITING = 256  # connections on which nothing is being answered


@dataclass(frozen=True)
class Bounds:
    """``body``: bytes of a request; ``rows``: of an answer; ``seconds``: for the work, and for each
    piece that is read or sent; ``at_once``: requests of each role that are worked on at once.
    """

    body: int = 65_536
    rows: int = 5_000_000
    seconds: float = 120.0
    at_once: int = 16

    @property
    def connections(self) -> int:
        """Connections at once: those of admitted requests of all three roles, and others."""
        return WAITING + 3 * self.at_once
