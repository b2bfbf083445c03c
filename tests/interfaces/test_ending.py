"""A signal ends a command as Ctrl-C does: nothing raw stays behind, the exit code says which."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.within import HANG, eventually
from unspoken.core.errors import InputError
from unspoken.interfaces.command_line import cli, ending
from unspoken.interfaces.command_line.running import BAD_INPUT, running

PROJECT = """\
format = 1
[source]
sql = "SELECT i AS id, 'DIAGNOSIS-' || hash(i) AS s FROM range(60000000) t(i)"
keys = ["id"]
memory = "150MB"
threads = 1
[epoch]
label = "1"
[attribute.s]
values = ["a", "b"]
sensitive = "s = 'a'"
[application.all]
reads = ["s"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
"""


def as_in_a_terminal() -> None:
    """What was started in the background, as these tests may be, ignores Ctrl-C."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def begun(folder: Path) -> subprocess.Popen[str]:
    """A command in the middle of a sort that has spilled."""
    (folder / "unspoken.toml").write_text(PROJECT)
    (folder / "tmp").mkdir()
    command = [sys.executable, "-m", "unspoken", "--quiet", "release", str(folder)]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    running = subprocess.Popen(
        command,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_in_a_terminal,
    )

    def spilled() -> bool:
        return sum(file.stat().st_size for file in (folder / "tmp").glob("*/*")) > 1 << 20

    if eventually(lambda: spilled() or running.poll() is not None) and spilled():
        return running
    running.kill()
    raise AssertionError(running.communicate()[1])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_a_signal_in_a_sort(name: str, code: int, tmp_path: Path) -> None:
    running = begun(tmp_path)
    for _ in range(1 if name == "SIGINT" else 2):  # a second one does not disturb the first
        running.send_signal(getattr(signal, name))
    _, said = running.communicate(timeout=HANG)
    assert (running.returncode, said) == (code, "interrupted\n")
    assert not list((tmp_path / "tmp").iterdir())
    assert {path.name for path in tmp_path.iterdir()} <= {"unspoken.toml", "tmp", "unspoken.key"}


READING = """\
import sys
from unspoken.interfaces.command_line.ending import heed
from unspoken.interfaces.command_line.running import running
from unspoken.tables.engines.session import session
heed()
query = "SELECT i FROM range(1000000000000) t(i) WHERE i < 500000 OR hash(i) = 0"
con = session("UTC", threads="1")
rows = con.sql(query).to_arrow_reader(1000)
def read():
    next(rows)
    print("reading", flush=True)
    return sum(1 for _ in rows)
sys.exit(running(read, False))
"""


@pytest.mark.parametrize(("name", "signals"), [("SIGINT", 1), ("SIGTERM", 2)])
def test_a_signal_while_rows_are_read(name: str, signals: int) -> None:
    """DuckDB looks for none then: the next of these rows takes hours."""
    command = [sys.executable, "-c", READING]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=as_in_a_terminal
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        time.sleep(0.2)  # wherever in its reading it is by then, the same has to come of it
        for _ in range(signals):
            reader.send_signal(getattr(signal, name))
        try:
            _, said = reader.communicate(timeout=HANG)
        finally:
            reader.kill()
    assert (reader.returncode, said) == (130, b"interrupted\n")


GOING = """\
import os, signal, sys, time
from pathlib import Path
from unspoken.interfaces.command_line import cli, ending
from unspoken.interfaces.command_line.running import running
from unspoken.tables.engines.opening import Opened
from unspoken.tables.engines.spill import Spill
ending.heed()
class Closing:
    def close(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.2)  # which the signal ends, where it is to end anything
def command():
    spill = Spill.made()
    Path(spill.folder, "rows").write_text("raw")
    opening = Opened(Closing(), Path(), spill)
    if sys.argv[1] == "during":
        del opening
        time.sleep(3600)
        return 0
    globals()["kept"] = opening
    return 0
code = running(command, False)
ending.over()
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("when", "end"), [("during", (130, "interrupted\n")), ("after", (0, ""))])
def test_a_signal_while_a_table_goes(when: str, end: tuple[int, str], tmp_path: Path) -> None:
    """What it spilled goes all the same, nothing but one line is said, and the command ends."""
    done = subprocess.run(
        [sys.executable, "-c", GOING, when],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANG,
        preexec_fn=as_in_a_terminal,
    )
    assert (done.returncode, done.stderr) == end
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("in_json", [False, True])
def test_what_fails_after_a_signal_was_interrupted(
    in_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended() -> int:
        raise InputError("source: INTERRUPT Error: Interrupted!")

    assert running(ended, in_json) == BAD_INPUT
    assert "INTERRUPT" in capsys.readouterr().err
    monkeypatch.setattr(ending, "_stopped", [signal.SIGINT])
    assert running(ended, in_json) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("where", ["heed", "_commands"])
def test_an_interrupt_before_there_is_a_command(
    where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    for name in ("heed", "over"):  # which are for the whole process, as the other one is
        monkeypatch.setattr(cli, name, lambda: None)
    monkeypatch.setattr(gc, "set_threshold", lambda _: None)
    monkeypatch.setattr(cli, where, interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.slow
def test_what_a_kill_leaves_goes_with_the_next_command(tmp_path: Path) -> None:
    running = begun(tmp_path)
    running.kill()
    running.communicate()
    assert list((tmp_path / "tmp").iterdir())
    (tmp_path / "t.csv").write_text("id,x\n1,a\n2,b\n")
    command = [sys.executable, "-m", "unspoken", "init", "t.csv", "--project", "other.toml"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert not list((tmp_path / "tmp").iterdir())
