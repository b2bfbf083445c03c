"""python -m tests.frozen.record FOLDER FILE: records what one copy of src does, into FILE.

Which copy that is PYTHONPATH says. FOLDER has that copy's `examples` and `docs/cases`.
"""

from __future__ import annotations

from tests.frozen import fixed  # isort: skip  # before the library and what it imports

import json
import os
import runpy
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.frozen import numbers, projects
from tests.frozen.described import describe_signatures
from tests.frozen.recorder import Recorder

__all__ = ["main"]


def main(side: Path, file: Path) -> None:
    """Record everything, and say on standard error how long each part took."""
    fixed.begin("", 0)
    import unspoken
    from unspoken import __main__ as program
    from unspoken import published

    public = {name: getattr(unspoken, name) for name in unspoken.__all__}
    assert Path(str(unspoken.__file__)).is_relative_to(side), unspoken.__file__
    folder = side / "work"
    folder.mkdir()
    recorder = Recorder(folder, program.main)
    recorder.texts |= describe_signatures("unspoken", public)
    recorder.texts |= describe_signatures(
        "unspoken.published", {name: getattr(published, name) for name in published.__all__}
    )
    parts: dict[str, Callable[[Recorder], None]] = {
        "help": projects.help_texts,
        "building": projects.building,
        "visits": projects.visits,
        "meters": projects.meters,
        "mistakes": projects.mistakes,
        "cases": lambda recorder: projects.cases(recorder, side / "docs/cases"),
        "examples": lambda recorder: examples(recorder, side / "examples"),
        "numbers": numbers.record,
    }
    only = os.environ.get("FROZEN_ONLY", " ".join(parts)).split()
    for name in only:
        began = time.monotonic()
        recorder.begin(name)
        parts[name](recorder)
        print(f"{name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    if failed := [name for name, text in recorder.texts.items() if "Traceback (most" in text]:
        sys.exit("\n".join(f"{name}:\n{recorder.texts[name]}" for name in failed))
    file.write_text(json.dumps(recorder.texts, indent=0), "utf-8")


def examples(recorder: Recorder, folder: Path) -> None:
    """The scripts of the pages, each with what it prints."""
    for path in sorted(folder.glob("*.py")):
        recorder.call(path.name, partial(runpy.run_path, str(path), run_name="__main__"))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
