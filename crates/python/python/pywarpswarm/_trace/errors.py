"""The error for functions that cannot be traced, with the line of the user's code."""

from __future__ import annotations

import linecache
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

import numpy as np

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep

# The function of tracing.py that calls the user's function. Frames outside it do not belong to the user's objective.
BOUNDARY = "_call_function"


class NotTraceable(Exception):
    """A function cannot be translated into an expression.

    `filename`, `lineno` and `line` are the place in the user's code, or None if it is not known.
    """

    def __init__(
        self,
        reason: str,
        filename: str | None = None,
        lineno: int | None = None,
        line: str | None = None,
    ) -> None:
        super().__init__(reason, filename, lineno, line)
        self.reason = reason
        self.filename = filename
        self.lineno = lineno
        self.line = line

    def __str__(self) -> str:
        reason = " ".join(self.reason.split())
        if self.filename is None:
            return reason
        shown = f"{self.filename}, line {self.lineno}: {reason}"
        return f"{shown}, in `{self.line}`" if self.line else shown


@dataclass
class Watch:
    """Remembers the first failure of a trace, in case the user's code swallows it."""

    first: NotTraceable | None = None


class _Watches(threading.local):
    """The current trace of each thread."""

    current: Watch | None = None


_watches = _Watches()


@contextmanager
def watching() -> Iterator[Watch]:
    before, _watches.current = _watches.current, Watch()
    try:
        yield _watches.current
    finally:
        _watches.current = before


def failure(reason: str) -> NotTraceable:
    """The error to raise in the middle of a trace."""
    error = NotTraceable(reason, *_place_of(_innermost_frame()))
    watch = _watches.current
    if watch is not None and watch.first is None:
        watch.first = error
    return error


def of_exception(raised: BaseException) -> NotTraceable:
    """The error for an exception of another type that the user's function raised during a trace."""
    place, known = _innermost_of(raised.__traceback__)
    filename, lineno, line = _place_of(place)
    reason = f"the function raised {type(raised).__name__} when called with a symbolic vector: {raised}"
    return NotTraceable(of_interpolator(line or "", known) or reason, filename, lineno, line)


def of_interpolator(line: str, known: dict[str, Any]) -> str | None:
    """The reason why a line that calls an interpolator of SciPy cannot be traced."""
    for name in re.findall(r"(?<![\w.])(\w+)\s*\(", line):
        if type(known.get(name)).__module__.startswith("scipy.interpolate"):
            return (
                f"`{name}` is an interpolator of SciPy, which cannot be compiled; write np.interp, or a function of "
                "many points with vectorized=True"
            )
    return None


def running() -> tuple[str, dict[str, Any]]:
    """The current line of the user's code, and the values of the names that are visible there."""
    frame = _innermost_frame()
    if frame is None:
        return "", {}
    return _place_of(frame)[2] or "", {**frame.f_globals, **frame.f_locals}


def is_users(filename: str) -> bool:
    """Whether a file belongs neither to this package nor to NumPy or SciPy, nor to a module that Cython compiled."""
    is_of_cython = filename == "<stringsource>" or filename.endswith(".pyx")
    if is_of_cython or filename.startswith("<__array_function__"):
        return False
    path = os.path.abspath(filename) if not filename.startswith("<") else filename
    scipy = getattr(sys.modules.get("scipy"), "__file__", None)
    libraries = (_OWN, _NUMPY) if scipy is None else (_OWN, _NUMPY, os.path.dirname(scipy) + os.sep)
    return not path.startswith(libraries)


def _innermost_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if frame.f_code.co_name == BOUNDARY and filename.startswith(_OWN):
            return None
        if is_users(filename):
            return frame
        frame = frame.f_back
    return None


def _innermost_of(traceback: TracebackType | None) -> tuple[tuple[str, int] | None, dict[str, Any]]:
    """The place of an error in the user's code, and the values of the names that are visible there."""
    place, known = None, dict[str, Any]()
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if is_users(filename):
            place = filename, traceback.tb_lineno
            known = {**traceback.tb_frame.f_globals, **traceback.tb_frame.f_locals}
        traceback = traceback.tb_next
    return place, known


def _place_of(place: tuple[str, int] | FrameType | None) -> tuple[str | None, int | None, str | None]:
    if place is None:
        return None, None, None
    filename, lineno = place if isinstance(place, tuple) else (place.f_code.co_filename, place.f_lineno)
    # The source of evaluated text is not stored; Python 3.13 stores the source of `python -c` under the same name.
    line = "" if filename == "<string>" else linecache.getline(filename, lineno).strip()
    return filename, lineno, line or None


def at_definition(reason: str, function: object) -> NotTraceable:
    """An error about the value that a function returned. Its place is the first line of the function."""
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    if code is None:
        return NotTraceable(reason)
    return NotTraceable(reason, *_place_of((code.co_filename, code.co_firstlineno)))
