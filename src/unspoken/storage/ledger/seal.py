"""What holds the events of a ledger together: a chain of codes under the holder's key.

    code_0 = the name of the ledger, drawn when it is made
    code_n = HMAC-SHA256(key, code_{n-1} || the n-th event, as it is kept)

The last code is the head of the chain. It is in the manifest of the event, and in a file beside the
key, which is written after the event: it may fall behind the ledger in a crash, and never runs
ahead. A ledger without a head that is recorded anywhere was edited, rolled back or replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unspoken.core.errors import InputError
from unspoken.storage.coins import MasterKey
from unspoken.storage.prf import Key

__all__ = ["CODE", "Head", "Seal", "head_file"]

PURPOSE = ("unspoken-ledger-1", "chain")
MOST = 1_000  # characters of a file that has a head
CODE = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Head:
    """How far a ledger was: the number of an event, and the code of the chain up to it."""

    number: int
    code: str

    def as_json(self) -> dict[str, Any]:
        return {"number": self.number, "head": self.code}

    def text(self) -> str:
        """As the file beside the key has it."""
        return json.dumps(self.as_json()) + "\n"

    @classmethod
    def from_json(cls, written: object, place: Path | str, within: str = "") -> Head:
        """Of a file that has one, or in its field ``within``; what is none is refused."""
        match written:
            case {"number": int(number), "head": str(code), **more}:
                if not more and 0 <= number < 2**63 and CODE.fullmatch(code):
                    return cls(number, code)
        field = f"{_wrong_field(written, within)}, so it " if within else ""
        raise InputError(
            f"{place}: {field}does not say which event of a ledger it is of; restore it from a copy"
        )


def _wrong_field(written: object, within: str) -> str:
    """What is wrong with the field ``within`` of a file, which should be a head."""
    if not isinstance(written, dict):
        return f"{within} is missing or broken"
    number, code = written.get("number"), str(written.get("head"))
    if type(number) is not int or not 0 <= number < 2**63:
        return f"{within}.number is missing or broken"
    if not CODE.fullmatch(code):
        return f"{within}.head is missing or broken"
    return f"{within} has more than number and head"


def head_file(key: Path) -> Path:
    """The file beside a key that has the head."""
    return key.with_name(f"{key.name}.head")


@dataclass(frozen=True)
class Seal:
    """The key of the chain; ``coin_key``: the fingerprint of the coin key that it is derived from.

    ``file``: where the head is kept. ``given``: the heads that manifests have.
    """

    key: Key = field(repr=False)
    coin_key: str
    file: Path
    given: Mapping[Path, Head] = field(default_factory=dict)

    @classmethod
    def of(cls, master: MasterKey, path: Path, given: Mapping[Path, Head] | None = None) -> Seal:
        """That of a coin key, in the file at ``path``."""
        return cls(master.derive(*PURPOSE), master.fingerprint, head_file(path), given or {})

    def code(self, before: str, number: int, *kept: object) -> str:
        """The code of an event, after that of the event before; empty for what is no event."""
        if not all(isinstance(part, str) for part in kept):
            return ""  # SQLite keeps anything in any column
        message = bytes.fromhex(before) + json.dumps([number, *kept]).encode()
        return self.key.code(message).hex()

    def sum(self, head: Head, rows: Iterable[Sequence[object]]) -> str:
        """A code of what was added up of the events up to a head; empty for what is no text."""
        listed = [tuple(row) for row in rows]
        if not all(isinstance(part, str) for row in listed for part in row):
            return ""
        message = json.dumps([head.code, *listed]).encode()
        return self.key.derive("account").code(message).hex()

    def request(self, *kept: object) -> str:
        """The code of what is kept of a request, that of the event it made among it."""
        return self.key.derive("request").code(json.dumps(kept).encode()).hex()

    def recorded(self) -> Iterator[tuple[Path, Head]]:
        """Every head that a file has, and which file."""
        kept = self.kept()
        if kept is not None:
            yield self.file, kept
        yield from self.given.items()

    def kept(self) -> Head | None:
        """The head beside the key; None: there never was one."""
        try:
            with open(self.file, encoding="utf-8") as file:
                return Head.from_json(json.loads(file.read(MOST)), self.file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.file}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            return Head.from_json(None, self.file)

    def broken(self, ledger: str, number: int, body: object) -> InputError:
        """What to say of the first event that is not as it was charged."""
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            used = json.loads(body)["key"]  # type: ignore[arg-type]
            if str(used).isalnum() and used != self.coin_key:
                return InputError(
                    f"{self.file.stem}: is coin key {self.coin_key}, the releases in this ledger "
                    f"used {used}; another key tosses every coin again. Restore the old key, or "
                    "start a new ledger, if nothing was ever given out under this one"
                )
        return InputError(
            f"ledger {ledger}: event {number} is not as it was charged, or one before it is gone; "
            "restore the ledger from a copy"
        )

    def refuse_lost(self, ledger: str, codes: Sequence[str], written: bool = False) -> None:
        """Refuse a ledger that has not, or not any more, had all the heads that are recorded.

        ``written``: the head beside the key is going to be.
        """
        last = len(codes) - 1
        for place, head in self.recorded():
            if [head.code] == codes[head.number : head.number + 1]:
                continue
            has = f"has only {last}" if head.number > last else "has another in its place"
            way = "restore its charge.number and charge.head, if they were changed; or move this "
            way += "file away, if it is of another project"
            if place == self.file:
                way = "if nothing was ever given out, remove the ledger, the key and this file"
            raise InputError(
                f"{place}: is of event {head.number}, and ledger {ledger} {has}: it was "
                f"rolled back, replaced, or copied before this file. Restore the one "
                f"that has it from a copy; or {way}; "
                "docs/command-line.md says what to do where there is no copy"
            )
        if last and not written and self.kept() is None:
            raise InputError(
                f"{self.file}: is not there, so nothing says whether ledger {ledger} has "
                "lost events; restore it from a copy, or write into it the `charge` of your last "
                "manifest"
            )
