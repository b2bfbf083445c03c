"""Coins, and the only randomness there is in a release.

A cell's coin is a keyed pseudo-random number of (record key, attribute, epoch): whoever asks,
however often and in whatever batches, meets the same coin. The cell is released where the coin is
below the attribute's threshold (core/numerics/coin_thresholds.py). The algorithm has a name, which
goes into manifests, and golden numbers, frozen in the tests; another algorithm is another name.
"""

from __future__ import annotations

import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, modes

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Words
from unspoken.storage.prf import KEY_BYTES, Derives, Key, block_cipher, drawn
from unspoken.storage.records import RecordKeys, encode_keys
from unspoken.tables.files import created

__all__ = [
    "ALGORITHM",
    "BATCH",
    "AttributeKeys",
    "Coins",
    "MasterKey",
    "attribute_keys",
    "draw",
    "encode_keys",
    "fresh_draws",
    "fresh_name",
    "record_keys",
]

ALGORITHM = "unspoken-coin-1"
BATCH = 122_880  # rows to hand over at a time, as measured; any number does


class MasterKey(Key):
    """The key every coin and every fingerprint comes from. Who has it sees through all of them."""

    __slots__ = ()

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits to know the key by, which tell nothing about it."""
        return self.code(b"unspoken key fingerprint v1")[:8].hex()

    @classmethod
    def create(cls, path: Path) -> MasterKey:
        """A new key in a new file, for its owner only. A file that is there is never touched.

        It appears whole or not at all: half a key would stand in the way of every later release.
        """
        key = cls(os.urandom(KEY_BYTES))
        try:
            with created(path) as file:
                file.write(key._secret)
        except FileExistsError:
            raise InputError(f"{path}: is there already; a key is never overwritten") from None
        except OSError as error:
            raise InputError(f"{path}: the key was not written: {error.strerror}") from None
        return key

    @classmethod
    def read(cls, path: Path) -> MasterKey:
        """The key in a file that nobody but its owner may open."""
        try:
            with open(path, "rb") as file:
                _refuse(path, os.fstat(file.fileno()))
                key = cls(file.read())
        except FileNotFoundError:
            lost = "coins cannot be tossed again without their key: restore it from a copy"
            raise InputError(f"{path}: there is no such key file; {lost}") from None
        except OSError as error:
            raise InputError(f"{path}: the key cannot be read: {error.strerror}") from None
        if key == cls(bytes(KEY_BYTES)):
            raise InputError(f"{path}: holds only zeros, no key; restore it from a copy")
        return key


def _refuse(path: Path, status: os.stat_result) -> None:
    """Refuse what cannot be a key, or is no secret, before anything of it is read."""
    mode = stat.S_IMODE(status.st_mode)
    if os.name == "posix" and mode & 0o077:
        raise InputError(
            f"{path}: is open to others (mode {mode:04o}); run: chmod 600 {shlex.quote(str(path))}"
        )
    if status.st_size != KEY_BYTES:
        raise InputError(
            f"{path}: has {status.st_size} bytes, a key has {KEY_BYTES}; restore it from a copy"
        )


@dataclass(frozen=True)
class AttributeKeys:
    """The keys of one attribute's coins in one epoch: for keys of one block, and for all others."""

    block: Key
    mac: Key


def attribute_keys(master: Derives, attribute: str, epoch: str, draw: int = 1) -> AttributeKeys:
    """Every attribute and epoch has coins of its own, and so has every draw of them."""
    words = (attribute, epoch, *_later(draw))
    return AttributeKeys(
        master.derive(ALGORITHM, "block", *words), master.derive(ALGORITHM, "mac", *words)
    )


def record_keys(master: Derives, digest: str, epoch: str, draw: int = 1) -> AttributeKeys:
    """The keys of the coins that choose what is shown of a whole record, by one table's digest.

    No attribute has them, whatever it is called: the second word is another.
    """
    words = (digest, epoch, *_later(draw))
    return AttributeKeys(
        master.derive(ALGORITHM, "record block", *words),
        master.derive(ALGORITHM, "record mac", *words),
    )


def _later(draw: int) -> tuple[str, ...]:
    """One word more than the first draw has, so that no epoch is called so."""
    return () if draw == 1 else (f"draw {draw}",)


@dataclass(frozen=True)
class Coins:
    """The coins of some records of one epoch; ``draw``: which of them are tossed."""

    master: Derives
    epoch: str
    records: RecordKeys
    draw: int = 1

    def of_attribute(self, name: str) -> Words:
        """One for each record's cell of this attribute."""
        return draw(attribute_keys(self.master, name, self.epoch, self.draw), self.records)

    def of_record(self, digest: str) -> Words:
        """One for each record, by one table's digest."""
        return draw(record_keys(self.master, digest, self.epoch, self.draw), self.records)


def draw(keys: AttributeKeys, records: RecordKeys) -> Words:
    """The coins of these records, uniform on 0 .. 2^64 - 1, in the order of the records."""
    encrypt = block_cipher(keys.block if records.one_block else keys.mac)
    coins = np.empty(len(records), np.uint64)
    for numbers, places in drawn(encrypt, records):
        coins[places] = numbers[:, 0]
    return coins


def fresh_draws(count: int) -> Words:
    """Coins nobody tosses twice: AES-CTR under a key from the operating system, used once.

    For what is charged at every request, and for tests; a release that is computed again (a retried
    task, a query read twice) tosses them anew, and so shows more than it was charged for.
    """
    stream = Cipher(Key(os.urandom(KEY_BYTES)).aes(), modes.CTR(bytes(16))).encryptor()
    coins, zeros = np.empty(count, np.uint64), bytes(8 * min(count, BATCH))
    for first in range(0, count, BATCH):
        part = coins[first : first + BATCH]
        stream.update_into(zeros[: part.nbytes], part.view(np.uint8).data)
    return coins


def fresh_name() -> str:
    """64 hexadecimal digits that nothing else is called by."""
    return os.urandom(32).hex()
