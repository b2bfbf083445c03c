"""Coins and fingerprints once more, one at a time: hashlib, hmac and AES on single blocks.

Nothing of unspoken is used here. It is what another program would have to do to get the same coins.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

Value = int | str | float | bool | Decimal | datetime | None
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def derive(master: bytes, *labels: str) -> bytes:
    message = b""
    for label in labels:
        message += struct.pack("<Q", len(label.encode("utf-8"))) + label.encode("utf-8")
    return hmac.new(master, message, hashlib.sha256).digest()


def key_fingerprint(master: bytes) -> str:
    return hmac.new(master, b"unspoken key fingerprint v1", hashlib.sha256).hexdigest()[:16]


def aes(key: bytes, block: bytes) -> bytes:
    assert (len(key), len(block)) == (32, 16)
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(block) + encryptor.finalize()


def padded(text: bytes, size: int) -> bytes:
    return text + bytes(-len(text) % size)


def field(value: Value) -> tuple[bytes, bytes, bytes]:
    """Letter, word and text of one value that is not missing."""
    if isinstance(value, bool):
        return b"b", struct.pack("<q", value), b""
    if isinstance(value, int):
        return b"i", struct.pack("<q", value), b""
    if isinstance(value, float):
        return b"f", struct.pack("<d", math.nan if math.isnan(value) else value + 0.0), b""
    if isinstance(value, str):
        text = value.encode("utf-8")
        return b"t", struct.pack("<Q", len(text)), text
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return b"m", struct.pack("<q", (moment - EPOCH) // timedelta(microseconds=1)), b""
    text = str(value).encode("utf-8")
    return b"o", struct.pack("<Q", len(text)), text


def message(fields: Iterable[tuple[bytes, bytes, bytes]]) -> bytes:
    """Number of columns, kinds, words; text: each filled up."""
    kinds, words, texts = (b"".join(parts) for parts in zip(*fields, strict=True))
    head = padded(bytes([len(kinds)]) + kinds, 8) + words
    return padded(head, 16) + padded(texts, 16)


def cbc_mac(key: bytes, text: bytes) -> bytes:
    state = bytes(16)
    for start in range(0, len(text), 16):
        block = text[start : start + 16]
        state = aes(key, bytes(a ^ b for a, b in zip(state, block, strict=True)))
    return state


def coin(
    master: bytes, attribute: str, epoch: str, record: tuple[int | str | datetime, ...]
) -> int:
    text = message(field(value) for value in record)
    if len(record) == 1 and isinstance(record[0], int):
        number = aes(derive(master, "unspoken-coin-1", "block", attribute, epoch), text)
    else:
        number = cbc_mac(derive(master, "unspoken-coin-1", "mac", attribute, epoch), text)
    return int.from_bytes(number[:8], "little")


def row_fingerprint(
    master: bytes, label: str, rows: Sequence[Mapping[str, Value]], empty: Mapping[str, Value]
) -> str:
    """``empty``: a value of the kind of each column that stands for a missing one."""
    names = sorted(empty)
    row_key = derive(master, "unspoken-rows-1", "row", label, *names)
    total = 0
    for row in rows:
        missing = sum(1 << i for i, name in enumerate(names) if row[name] is None)
        fields = [(b"n", struct.pack("<Q", missing), b"")]
        for name in names:
            fields.append(field(empty[name] if row[name] is None else row[name]))
        total += int.from_bytes(cbc_mac(row_key, message(fields)), "little")
    state = struct.pack("<Q", len(rows)) + (total % 2**128).to_bytes(16, "little")
    last = derive(master, "unspoken-rows-1", "last", label, *names)
    return hmac.new(last, state, hashlib.sha256).hexdigest()[:32]
