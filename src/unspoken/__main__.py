"""The command `unspoken`, also as `python -m unspoken`: Ctrl-C is answered while it still loads."""

import gc
import sys

gc.disable()  # of all that is loaded nothing can go: looking for it takes a sixth of the time
try:
    from unspoken.interfaces.command_line.cli import main
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    sys.exit(130)
gc.enable()

__all__ = ["main"]

if __name__ == "__main__":
    main()
