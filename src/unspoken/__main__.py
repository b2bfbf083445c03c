"""The command `unspoken`, also as `python -m unspoken`: Ctrl-C is answered while it still loads."""

import sys

try:
    from unspoken.doors.cli import main
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    sys.exit(130)

__all__ = ["main"]

if __name__ == "__main__":
    main()
