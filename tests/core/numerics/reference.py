"""Coins and fingerprints once more, one at a time: hashlib, hmac and AES on single blocks.

Nothing of unspoken is used here. It is what another program would have to do to get the same coins.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

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
    return _coin(master, "", (attribute, epoch), record)


def record_coin(master: bytes, digest: str, epoch: str, record: tuple[int | str, ...]) -> int:
    """Of a whole record, by the digest of the table that says what it shows."""
    return _coin(master, "record ", (digest, epoch), record)


def _coin(
    master: bytes, kind: str, labels: Sequence[str], record: tuple[int | str | datetime, ...]
) -> int:
    text = message(field(value) for value in record)
    if len(record) == 1 and isinstance(record[0], int):
        number = aes(derive(master, "unspoken-coin-1", f"{kind}block", *labels), text)
    else:
        number = cbc_mac(derive(master, "unspoken-coin-1", f"{kind}mac", *labels), text)
    return int.from_bytes(number[:8], "little")


def digest_of(table: Mapping[str, Any]) -> str:
    """Of what a file says of a suppression, but for its kind and whom it is delivered to."""
    plain = {key: table[key] for key in table if key not in ("kind", "reads")}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def shown(table: Mapping[str, Any], labels: Sequence[int | str], coin: int) -> set[str]:
    """What a coin lets out of a record with these labels: its first 62 bits against the weights."""
    names, left = table["names"], coin >> 2
    codes = [
        table["values"][name].index(label) if label in table["values"][name] else -1
        for name, label in zip(names, labels, strict=True)
    ]
    if codes in table["codes"]:
        at = table["codes"].index(codes)
        for mask, weight in zip(table["masks"][at], table["weights"][at], strict=True):
            if left < weight:
                return {name for bit, name in enumerate(names) if mask >> bit & 1}
            left -= weight
    return set()


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


def row_fingerprint_beside(
    master: bytes,
    labels: tuple[str, str],
    keys: Sequence[str],
    rows: Sequence[Mapping[str, Value]],
    empty: Mapping[str, Value],
) -> tuple[str, list[int]]:
    """The same with keys beside the columns, and what is kept of each key; labels of rows, keys."""
    names = sorted(set(empty) - set(keys))
    row_key = derive(master, "unspoken-rows-1", "row", labels[0], *names)
    beside = derive(master, "unspoken-rows-2", "row", labels[0], *names)
    of_keys = derive(master, "unspoken-rows-2", "keys", labels[1], *keys)
    shown = derive(master, "unspoken-rows-2", "shown", labels[1], *keys)
    total, kept = 0, []
    for row in rows:
        missing = sum(1 << i for i, name in enumerate(names) if row[name] is None)
        fields = [(b"n", struct.pack("<Q", missing), b"")]
        fields += [field(empty[name] if row[name] is None else row[name]) for name in names]
        value = cbc_mac(row_key, message(fields))
        key = cbc_mac(of_keys, message(field(row[name]) for name in keys))
        kept.append(int.from_bytes(aes(shown, key)[:8], "little"))
        both = bytes(a ^ b for a, b in zip(value, key, strict=True))
        total += int.from_bytes(aes(beside, both), "little")
    state = struct.pack("<Q", len(rows)) + (total % 2**128).to_bytes(16, "little")
    last = derive(master, "unspoken-rows-1", "last", labels[0], *names)
    return hmac.new(last, state, hashlib.sha256).hexdigest()[:32], kept
