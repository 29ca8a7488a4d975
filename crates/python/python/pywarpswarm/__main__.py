"""The program `warpswarm`."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of the command line; returns the exit code."""
    return _native.program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
