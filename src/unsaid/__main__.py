"""The command `unsaid`, also as `python -m unsaid`: Ctrl-C is answered while it still loads."""

import sys

try:
    from unsaid.doors.cli import main
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    sys.exit(130)

__all__ = ["main"]

if __name__ == "__main__":
    main()
