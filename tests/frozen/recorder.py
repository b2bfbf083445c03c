"""Runs commands and functions one by one, each in a process of its own, and keeps what they did."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.frozen import fixed
from tests.frozen.described import describe_content

__all__ = ["Recorder"]

PROGRESS = re.compile(rb"^.* \.\.\. \([\d,]+ s\)\n", re.MULTILINE)  # written every ten seconds


class Recorder:
    """Records into ``texts``: {name: text}.

    ``folder``: where commands run and write. ``main``: the program `unspoken`. Every step is a fork
    of this process, in which the library is imported and nothing of it was used yet.
    """

    def __init__(self, folder: Path, main: Callable[[], None]) -> None:
        self.folder, self.main = folder, main
        self.texts: dict[str, str] = {}
        self.steps = 0
        self.project = ""
        self._seen: dict[str, bytes] = {}

    def begin(self, project: str) -> None:
        """Start a project, in a folder of its own."""
        self.project, self._seen = project, {}
        self.place.mkdir()

    @property
    def place(self) -> Path:
        """The folder of the project, in which commands run."""
        return self.folder / self.project

    def run(self, command: str) -> str:
        """Run one command line of `unspoken`; its standard output."""
        arguments = shlex.split(command)

        def work() -> None:
            sys.argv = ["unspoken", *arguments]
            self.main()

        return self.call(f"unspoken {command}", work)

    def both(self, command: str) -> None:
        """The command with tables, and with ``--json``."""
        self.run(command)
        self.run(f"{command} --json")

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a project file as a user does."""
        path = self.place / file
        text = path.read_text("utf-8")
        assert old in text, (file, old)
        path.write_text(text.replace(old, new), "utf-8")

    def call(self, name: str, work: Callable[[], object]) -> str:
        """Run a function in a process of its own; its standard output."""
        with self.started(name, work):
            pass
        return self.texts[f"{self._name(name)} > output"]

    @contextlib.contextmanager
    def started(self, name: str, work: Callable[[], object]) -> Iterator[tuple[int, Path]]:
        """The same, waited for at the end of the block: its number and its standard error."""
        self.steps += 1
        title = self._name(name)
        output, errors = (self.folder / f"{kind}.txt" for kind in ("output", "errors"))
        child = os.fork()
        if not child:
            _work(self.place, output, errors, title, self.steps, work)
        try:
            yield child, errors
        finally:
            _, status = os.waitpid(child, 0)
        self.keep(f"{title} > exit code", str(os.waitstatus_to_exitcode(status)))
        self.keep(f"{title} > output", output.read_bytes())
        self.keep(f"{title} > errors", PROGRESS.sub(b"", errors.read_bytes()))
        self._keep_files(title)

    def keep(self, name: str, content: bytes | str) -> None:
        """Keep a text, in which the folder of this side has a neutral name."""
        text = content if isinstance(content, str) else content.decode(errors="backslashreplace")
        self.texts[name] = text.replace(str(self.folder), "/FOLDER")

    def _name(self, name: str) -> str:
        return f"{self.project} {self.steps:03d}: {name}"

    def _keep_files(self, title: str) -> None:
        """Every file of the project that is new or changed since the last step."""
        root = self.place
        files = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
        for file, path in sorted(files.items()):
            content = path.read_bytes()
            if self._seen.get(file) != content:
                self._seen[file] = content
                mode = f"{path.stat().st_mode & 0o777:o}"
                self.keep(f"{title} > {file}", f"mode {mode}\n{describe_content(content)}")
        for file in sorted(set(self._seen) - set(files)):
            del self._seen[file]
            self.keep(f"{title} > {file}", "removed")


def _work(
    folder: Path, output: Path, errors: Path, title: str, step: int, work: Callable[[], object]
) -> None:
    """What the new process does, to its end."""
    code = 0
    try:
        os.chdir(folder)
        for number, path in ((1, output), (2, errors)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        fixed.begin(title, step)
        work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
