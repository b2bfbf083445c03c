"""The one pseudo-random function: AES-256 under a key that never shows itself.

One block (a key of one integer) is encrypted as it is. Longer rows go through a CBC-MAC, under
another key: all rows of a chunk at once, block by block. Their encoding (records.py) is such that
no row begins another, so this is as hard to tell from random as AES itself.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Codes, Words
from unspoken.storage.core_dumps import forbid_core_dumps
from unspoken.storage.records import Chunk, RecordKeys

__all__ = ["KEY_BYTES", "Derived", "Derives", "Key", "block_cipher", "chain", "drawn"]

KEY_BYTES = 32


class Key:
    """32 secret bytes. No text, no pickle, no error message and no core dump holds them."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        size = len(secret)
        if size != KEY_BYTES:
            del secret  # a traceback may show what functions hold
            raise InputError(f"a key has {KEY_BYTES} bytes, not {size}")
        forbid_core_dumps()
        self._secret = bytes(secret)

    def code(self, message: bytes) -> bytes:
        """HMAC-SHA256 of a message."""
        return hmac.digest(self._secret, message, "sha256")

    def derive(self, *labels: str) -> Key:
        """The key for one purpose: knowing it tells nothing of this one, nor of any other."""
        written = [label.encode() for label in labels]
        # Each label behind its length: ("a", "bc") is not ("ab", "c").
        return Key(self.code(b"".join(len(part).to_bytes(8, "little") + part for part in written)))

    def aes(self) -> algorithms.AES256:
        return algorithms.AES256(self._secret)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(secret)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and hmac.compare_digest(self._secret, other._secret)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is neither pickled nor copied: pass on the path of its file")


class Derives(Protocol):
    """What keys for single purposes are had from."""

    def derive(self, *labels: str) -> Key: ...


class Derived:
    """Keys for single purposes that were had from a key which stays at home: others are not in it,
    and cannot be had from it. It can be pickled, to be used in another process; it does not show.
    """

    def __init__(self, keys: Mapping[tuple[str, ...], Key]) -> None:
        self._secrets = {labels: key._secret for labels, key in keys.items()}

    @classmethod
    def asked(cls, home: Derives, ask: Callable[[Derives], object]) -> Derived:
        """Those that ``ask`` asks for."""
        noting = _Noting(home)
        ask(noting)
        return cls(noting.keys)

    def derive(self, *labels: str) -> Key:
        if labels not in self._secrets:
            raise InputError(
                f"key of {labels[0]}: was not taken along; run this where all keys are"
            )
        return Key(self._secrets[labels])

    def __repr__(self) -> str:
        return f"Derived({len(self._secrets)} secrets)"


class _Noting:
    """Notes which keys are asked for."""

    def __init__(self, home: Derives) -> None:
        self._home = home
        self.keys: dict[tuple[str, ...], Key] = {}

    def derive(self, *labels: str) -> Key:
        self.keys[labels] = self._home.derive(*labels)
        return self.keys[labels]


def block_cipher(key: Key) -> Callable[[Words], Words]:
    """AES-256 on blocks, an array of shape (n, 2): into a new one of the same shape."""
    # ECB is what "each block by itself" is called. Nothing is encrypted here to be read again.
    encryptor: Any = Cipher(key.aes(), modes.ECB()).encryptor()

    def encrypt(blocks: Words) -> Words:
        result = np.empty((len(blocks) + 1, 2), np.uint64)  # the cipher wants a block of room
        encryptor.update_into(_bytes(blocks), _bytes(result))
        return result[:-1]

    return encrypt


def chain(encrypt: Callable[[Words], Words], chunk: Chunk) -> Words:
    """The CBC-MAC of every row of a chunk, in the chunk's order: an array of shape (n, 2)."""
    levels = iter(chunk.levels)
    state = encrypt(next(levels))
    for level in levels:
        if len(level) >= len(state):  # one for all rows, until the first that differs
            state = encrypt(state ^ level)
        else:
            state[: len(level)] = encrypt(state[: len(level)] ^ level)
    rows = chunk.rows.stop - chunk.rows.start
    return state if len(state) == rows else np.repeat(state, rows, axis=0)


def drawn(
    encrypt: Callable[[Words], Words], records: RecordKeys
) -> Iterator[tuple[Words, slice | Codes]]:
    """The numbers of records, 128 bits for each, some after the other; and which these are."""
    for chunk in records.chunks:
        first, order = chunk.rows.start, chunk.order
        yield chain(encrypt, chunk), chunk.rows if order is None else order + first


def _bytes(blocks: Words) -> memoryview:
    return blocks.reshape(-1).view(np.uint8).data
