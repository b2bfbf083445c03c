"""A listener of one's own that speaks as much PostgreSQL as asks for a password, and notes all it
is sent.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

__all__ = ["CLEARTEXT", "MD5", "Listener", "listening"]

CLEARTEXT = b"R\0\0\0\x08\0\0\0\x03"
MD5 = b"R\0\0\0\x0c\0\0\0\x05salt"
# What a client asks before it says who it is: whether there is encryption, of either kind.
QUESTIONS = {80877103: b"N", 80877104: b"N"}


@dataclass
class Listener:
    """``port``: of all addresses of this machine. ``sent``: by every client, all together."""

    port: int
    clients: int = 0
    sent: bytearray = field(default_factory=bytearray)


@contextmanager
def listening(asks: bytes = CLEARTEXT) -> Iterator[Listener]:
    """A server without TLS that asks every client for its password in this way."""
    with socket.create_server(("0.0.0.0", 0)) as server:  # this machine by a name that is not local
        listener = Listener(server.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(server, listener, asks), daemon=True)
        thread.start()
        yield listener


def _serve(server: socket.socket, listener: Listener, asks: bytes) -> None:
    with suppress(OSError):  # the end of the test closes it
        while True:
            client, _ = server.accept()
            listener.clients += 1
            with client, suppress(OSError):
                client.settimeout(5)
                _answer(client, listener, asks)


def _answer(client: socket.socket, listener: Listener, asks: bytes) -> None:
    while received := client.recv(4096):
        listener.sent += received
        code = int.from_bytes(received[4:8], "big")
        if code in QUESTIONS:
            client.sendall(QUESTIONS[code])
        elif received[:1] != b"p":  # who it is: no message with a letter in front
            client.sendall(asks)
        else:
            return
