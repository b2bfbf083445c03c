"""python -m tests.frozen.record FOLDER FILE [PART ...]: records what one copy of src does.

Which copy that is PYTHONPATH says. FOLDER has that copy's `examples` and `docs/cases`.
"""

from __future__ import annotations

from tests.frozen import fixed  # isort: skip  # before the library and what it imports

import json
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.frozen import numbers, projects
from tests.frozen.described import describe_signatures
from tests.frozen.recorder import Recorder

__all__ = ["main"]


def main(side: Path, file: Path, chosen: Sequence[str]) -> None:
    """Record these parts, or all, and say on standard error how long each took."""
    fixed.begin("", 0)
    import unspoken
    from unspoken import __main__ as program

    assert Path(str(unspoken.__file__)).is_relative_to(side), unspoken.__file__
    folder = side / file.stem
    folder.mkdir()
    recorder = Recorder(folder, program.main)
    parts: dict[str, Callable[[Recorder], None]] = {
        "signatures": signatures,
        "help": projects.help_texts,
        "building": projects.building,
        "visits": projects.visits,
        "meters": projects.meters,
        "mistakes": projects.mistakes,
        "cases": lambda recorder: projects.cases(recorder, side / "docs/cases"),
        "examples": lambda recorder: examples(recorder, side / "examples"),
        "numbers": numbers.record,
    }
    for name in chosen or parts:
        began = time.monotonic()
        recorder.begin(name)
        parts[name](recorder)
        print(f"{side.name}, {name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
    if failed := [name for name, text in recorder.texts.items() if "Traceback (most" in text]:
        sys.exit("\n".join(f"{name}:\n{recorder.texts[name]}" for name in failed))
    file.write_text(json.dumps(recorder.texts, indent=0), "utf-8")


def signatures(recorder: Recorder) -> None:
    """How public names are called."""
    import unspoken
    from unspoken import published

    for prefix, module in (("unspoken", unspoken), ("unspoken.published", published)):
        public = {name: getattr(module, name) for name in module.__all__}
        recorder.texts |= describe_signatures(prefix, public)


def examples(recorder: Recorder, folder: Path) -> None:
    """The scripts of the pages, each with what it prints."""
    for path in sorted(folder.glob("*.py")):
        recorder.call(path.name, partial(runpy.run_path, str(path), run_name="__main__"))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:])
