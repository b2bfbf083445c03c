"""The master key: made once, for its owner only, and shown to nobody."""

import base64
import copy
import json
import os
import pickle
import pprint
import re
import shlex
import stat
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from unspoken.core.errors import InputError
from unspoken.storage.coins import AttributeKeys, MasterKey, attribute_keys
from unspoken.storage.prf import Key

SECRET = bytes(range(0xA0, 0xC0))
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes of files are a POSIX thing")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "unspoken.key"


def write(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def shows(text: str, secret: bytes = SECRET) -> bool:
    """Whether a text holds any 4 bytes of the secret, in a notation somebody might use."""
    flat = re.sub(r"[\s,_]|0x", "", text).lower()
    pieces = [secret[i : i + 4] for i in range(len(secret) - 3)]
    notations: list[Callable[[bytes], str]] = [
        bytes.hex,
        lambda piece: repr(piece)[2:-1],
        lambda piece: repr(list(piece))[1:-1].replace(" ", "").replace(",", ""),
        lambda piece: piece.decode("latin-1"),
    ]
    found = any(notation(piece).lower() in flat for notation in notations for piece in pieces)
    return found or base64.b64encode(secret).decode()[:8].lower() in flat


# Making one.


def test_a_new_key_can_be_read_again(path: Path) -> None:
    made = MasterKey.create(path)
    assert MasterKey.read(path) == made
    assert MasterKey.read(path).fingerprint == made.fingerprint
    assert len(path.read_bytes()) == 32
    assert made != MasterKey.create(path.with_name("other.key"))
    assert [file.name for file in sorted(path.parent.iterdir())] == ["other.key", "unspoken.key"]


@POSIX
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_key_is_for_its_owner_only(mask: int, path: Path) -> None:
    before = os.umask(mask)
    try:
        MasterKey.create(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_is_never_overwritten(path: Path) -> None:
    MasterKey.create(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="there already; a key is never overwritten"):
        MasterKey.create(path)
    assert path.read_bytes() == before


@POSIX
def test_nor_is_what_a_link_points_to(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))
    with pytest.raises(InputError, match="there already"):
        MasterKey.create(path)
    assert not path.exists()


def test_a_key_needs_a_folder(path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file"):
        MasterKey.create(path / "below" / "unspoken.key")


@POSIX
def test_file_and_folder_are_on_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_ino))
    MasterKey.create(path)
    assert synced == [path.stat().st_ino, path.parent.stat().st_ino]


def test_half_a_key_does_not_stay(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="the key was not written: No space left on device"):
        MasterKey.create(path)
    assert not path.exists()
    assert list(path.parent.iterdir()) == []


@pytest.mark.slow
@POSIX
def test_a_key_appears_whole_or_not_at_all(path: Path) -> None:
    """Killed at any line of making one, a process leaves a key or none."""
    killed = """
import os, signal, sys
from pathlib import Path
from unspoken.storage import coins
from unspoken.tables import files

def trace(frame, event, _):
    if (frame.f_code.co_name, frame.f_code.co_filename) in made:
        left[0] -= event == "line"
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

made = [("create", coins.__file__), ("created", files.__file__)]
path = Path(sys.argv[1])
for lines in range(1, 60):
    if not os.fork():
        left = [lines]
        sys.settrace(trace)
        coins.MasterKey.create(path / str(lines))
        os._exit(0)
    if os.wait()[1] == 0:
        break
"""
    subprocess.run([sys.executable, "-c", killed, str(path.parent)], check=True)
    made = [file for file in path.parent.iterdir() if not file.name.startswith(".")]
    assert 2 <= len(made) <= 10  # the last one was left alone
    assert {file.stat().st_size for file in made} == {32}
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


# Reading one.


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o620, 0o610, 0o777])
@pytest.mark.parametrize("name", ["unspoken.key", "a key; of mine.key"])
def test_a_key_open_to_others_is_refused(mode: int, name: str, path: Path) -> None:
    path = write(path.with_name(name), SECRET, mode)
    with pytest.raises(InputError) as error:
        MasterKey.read(path)
    command = f"chmod 600 {shlex.quote(str(path))}"
    assert str(error.value) == f"{path}: is open to others (mode {mode:04o}); run: {command}"
    subprocess.run(["sh", "-c", command], check=True)
    assert MasterKey.read(path) == MasterKey(SECRET)


@pytest.mark.parametrize("content", [b"", SECRET[:31], SECRET + b"\n", SECRET * 2])
def test_what_is_no_key_is_refused(content: bytes, path: Path) -> None:
    with pytest.raises(InputError, match=f"has {len(content)} bytes, a key has 32"):
        MasterKey.read(write(path, content))


def test_zeros_are_no_key(path: Path) -> None:
    with pytest.raises(InputError, match="only zeros"):
        MasterKey.read(write(path, bytes(32)))


def test_a_lost_key_is_no_new_key(path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no such key file; .* restore it"):
        MasterKey.read(path)
    assert not path.exists()


def test_a_folder_is_no_key(path: Path) -> None:
    path.mkdir(0o700)
    with pytest.raises(InputError, match="the key cannot be read"):
        MasterKey.read(path)


# Showing none.


def everything() -> list[Any]:
    master = MasterKey(SECRET)
    keys = attribute_keys(master, "a", "2026")
    return [
        master,
        Key(SECRET),
        AttributeKeys(Key(SECRET), Key(SECRET)),
        keys,
        [master],
        {1: master},
    ]


@pytest.mark.parametrize("holder", everything(), ids=lambda holder: type(holder).__name__)
@pytest.mark.parametrize(
    "way", [repr, str, ascii, format, "{}".format, "%s".__mod__, pprint.pformat, dir]
)
def test_no_text_shows_the_key(way, holder) -> None:
    assert not shows(str(way((holder,) if way == "%s".__mod__ else holder)))
    assert not hasattr(holder, "__dict__") or not shows(str(vars(holder)))


def test_the_fingerprint_is_not_the_key() -> None:
    key = MasterKey(SECRET)
    assert re.fullmatch("[0-9a-f]{16}", key.fingerprint)
    assert not shows(key.fingerprint)
    assert str(key) == "MasterKey(secret)"
    assert str(Key(SECRET)) == "Key(secret)"


@pytest.mark.parametrize("key", [MasterKey(SECRET), attribute_keys(MasterKey(SECRET), "a", "b")])
@pytest.mark.parametrize(
    "way",
    [
        *(lambda key, protocol=protocol: pickle.dumps(key, protocol) for protocol in range(6)),
        copy.copy,
        copy.deepcopy,
        json.dumps,
        bytes,
    ],
)
def test_nothing_carries_the_key_away(way, key) -> None:
    if way is copy.copy and isinstance(key, AttributeKeys):
        return  # holds the same two keys: nothing was written anywhere
    with pytest.raises(TypeError) as error:
        way(key)
    assert not shows(str(error.value))


def test_keys_compare_and_do_not_hash() -> None:
    assert MasterKey(SECRET) == MasterKey(SECRET) != MasterKey(SECRET[::-1])
    assert MasterKey(SECRET) != SECRET
    with pytest.raises(TypeError, match="unhashable"):
        hash(MasterKey(SECRET))


def whole_traceback(error: BaseException) -> str:
    """With the local variables of every function, as some programs print them."""
    found = traceback.TracebackException.from_exception(error, capture_locals=True)
    text = "".join(found.format())
    assert " = " in text, "no variable was printed"
    return text


def own_frames(error: BaseException) -> BaseException:
    """Without the frame of the test, which knows what it wrote."""
    assert error.__traceback__ is not None
    return error.with_traceback(error.__traceback__.tb_next)


@pytest.mark.parametrize(
    ("content", "mode"), [(SECRET[:31], 0o600), (SECRET + b"\n", 0o600), (SECRET, 0o644)]
)
def test_no_traceback_shows_the_key(content: bytes, mode: int, path: Path) -> None:
    write(path, content, mode)
    with pytest.raises(InputError) as error:
        MasterKey.read(path)
    assert not shows(whole_traceback(own_frames(error.value)))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_another_length_is_not_shown(length: int) -> None:
    with pytest.raises(InputError, match=f"a key has 32 bytes, not {length}") as error:
        MasterKey((SECRET * 2)[:length])
    assert not shows(whole_traceback(own_frames(error.value)))


def test_a_failed_write_shows_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "urandom", lambda size: SECRET[:size])
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError) as error:
        MasterKey.create(path)
    assert not shows(whole_traceback(own_frames(error.value)))


@dataclass
class Careless:
    secret: bytes


def test_a_planted_leak_is_found() -> None:
    leak = Careless(SECRET)
    texts = [
        repr(leak),
        SECRET.hex(),
        SECRET.hex(" ").upper(),
        str(list(SECRET)),
        str(asdict(leak)),
    ]
    assert all(map(shows, [*texts, base64.b64encode(SECRET).decode(), SECRET.decode("latin-1")]))
    assert not shows("MasterKey(secret), fingerprint 8fc894e53931a513")
