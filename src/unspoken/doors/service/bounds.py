"""How much the service does for one who asks, and on which hosts it is by itself."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PLAIN", "SLOWEST", "Bounds"]

PLAIN = {"127.0.0.1", "::1", "localhost"}  # hosts that only this machine reaches
SLOWEST = 30.0  # seconds for the head of a request to come, and for its body, at most


@dataclass(frozen=True)
class Bounds:
    """``body``: bytes of a request; ``rows``: of an answer; ``seconds``: for the work, and for each
    piece that is read or sent; ``at_once``: requests in flight.
    """

    body: int = 65_536
    rows: int = 5_000_000
    seconds: float = 120.0
    at_once: int = 16
