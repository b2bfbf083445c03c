"""What is counted and logged of requests: which, by whom, how it ended; no values and no tokens."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["LOG", "Watch"]

LOG = logging.getLogger("unspoken.service")

HELP = {
    "requests_total": ("counter", "Requests, by path, role and status."),
    "request_seconds_sum": ("counter", "Seconds that requests took, by path."),
    "rows_total": ("counter", "Rows of released cells that were given, by application."),
    "charges_total": ("counter", "Epochs and answers that were charged, by application."),
    "in_flight": ("gauge", "Requests that are being answered."),
    "up_seconds": ("gauge", "Seconds since the service was started."),
}


@dataclass
class Watch:
    """Counters for Prometheus; a line of log for each request."""

    began: float = field(default_factory=time.monotonic)
    in_flight: int = 0
    _counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        with self._lock:
            self._counts[name, tuple(sorted(labels.items()))] += amount  # type: ignore[assignment]

    def ended(self, path: str, who: str, role: str, status: int, seconds: float) -> None:
        """One request; ``path`` is one of ours, whatever was asked for."""
        self.add("requests_total", path=path, role=role, status=str(status))
        self.add("request_seconds_sum", seconds, path=path)
        LOG.info("%s %s %s %d %.3f s", path, role, who, status, seconds)

    def text(self) -> str:
        """As Prometheus reads it."""
        with self._lock:
            counts = dict(self._counts)
        counts["in_flight", ()] = self.in_flight
        counts["up_seconds", ()] = time.monotonic() - self.began  # type: ignore[assignment]
        lines = list[str]()
        for name, (kind, said) in HELP.items():
            lines += [f"# HELP unspoken_{name} {said}", f"# TYPE unspoken_{name} {kind}"]
            lines += [
                f"unspoken_{name}{_labels(labels)} {value:g}"
                for (counter, labels), value in sorted(counts.items())
                if counter == name
            ]
        return "\n".join(lines) + "\n"


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    said = ",".join(f'{name}="{_quoted(value)}"' for name, value in labels)
    return f"{{{said}}}" if said else ""


def _quoted(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
