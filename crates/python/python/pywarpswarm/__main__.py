"""The program `warpswarm`."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Does what the command line says; gives the exit code."""
    return _native.program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
