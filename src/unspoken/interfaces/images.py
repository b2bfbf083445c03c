"""Images of pictures that Vega-Lite describes: the one place that opens vl-convert."""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from unspoken.core.errors import InputError, printable
from unspoken.core.pictures.looks import Chart
from unspoken.tables.files import atomically

try:
    import resource
except ImportError:  # not POSIX: there is no such limit
    resource = None  # type: ignore[assignment]
try:
    import vl_convert
except ImportError:  # said when an image is asked for
    vl_convert = None  # type: ignore[assignment]

__all__ = ["KINDS", "MISSING", "opened", "picture_writer", "png", "svg"]

# The engine of vl-convert (V8) reserves so many bytes of addresses, though it uses few of them, and
# ends the process where it cannot: 64.3 GiB at its most, of which it keeps 32.8.
RESERVED = 66 * 2**30
MISSING = "pictures and the report need an extra: pip install 'unspoken[report]'"


def svg(described: Chart) -> str:
    """The picture as text that browsers draw."""
    opened()
    image: str = vl_convert.vegalite_to_svg(_shown(described), allowed_base_urls=[])
    return image


def png(described: Chart) -> bytes:
    """The picture in pixels, two for each of its own."""
    opened()
    image: bytes = vl_convert.vegalite_to_png(_shown(described), scale=2.0, allowed_base_urls=[])
    return image


def _shown(described: Chart) -> Chart:
    """The same with its texts as they show: of an ESC, vl-convert ends the process."""
    shown: Chart = json.loads(json.dumps(described), object_hook=_texts)
    return shown


def _texts(part: Chart) -> Chart:
    return {name: _text(each) for name, each in part.items()}


def _text(part: Any) -> Any:
    if isinstance(part, str):
        return printable(part)
    return [*map(_text, part)] if isinstance(part, list) else part


KINDS: Mapping[str, Callable[[Chart], bytes]] = {
    ".png": png,
    ".svg": lambda described: svg(described).encode(),
}


def picture_writer(path: str | Path) -> Callable[[Chart], Path]:
    """What writes a picture to this file, whole or not at all.

    What could not be written is refused now, before there is a picture.
    """
    if not isinstance(path, str | Path):
        raise InputError("picture: give the name of a file that ends in .svg or .png")
    file = Path(path)
    if file.suffix not in KINDS:
        raise InputError(f"{file}: a picture is a file that ends in {' or '.join(KINDS)}")
    opened()

    def write(described: Chart) -> Path:
        image = KINDS[file.suffix](described)
        with atomically(file) as unfinished:
            unfinished.write(image)
        return file

    return write


def opened() -> None:
    """Refuse what nobody can draw here."""
    if vl_convert is None:
        raise InputError(MISSING)
    _addresses()


@cache  # once there was room the engine has its own
def _addresses() -> None:
    """Refuse a limit on addresses that the engine would break at, by reserving as many."""
    if resource is None or resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap.mmap(-1, RESERVED, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close()
    except OSError:
        raise InputError(
            f"pictures and the report: what draws them reserves {RESERVED // 2**30} GB of addresses"
            " (of memory it needs little), and this process may not have as many; run it under "
            "`ulimit -v unlimited`"
        ) from None
