"""Names for constant arrays and for parts of formulas, if possible those of the user's variables."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import Any

import numpy as np

# Functions and words of the language of problem files.
_FUNCTIONS = """
abs sqrt cbrt hypot exp expm1 ln log log1p log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh
sign floor ceil trunc round mod erf erfc gamma lgamma j0 j1 y0 y1 pow min max sum prod mean dot norm any all if len
""".split()
_WORDS = "x pi tau inf true false and or not for in to".split()
# Names of the indices of reductions, the outermost first.
INDICES = [f"{letter}{number}" for number in ("", *range(2, 10)) for letter in "ijk"]
RESERVED = frozenset([*_FUNCTIONS, *_WORDS, *INDICES])


class Names:
    """Generates unique names."""

    def __init__(self) -> None:
        self._taken = set(RESERVED)

    def new(self, prefix: str) -> str:
        number = 1
        while f"{prefix}{number}" in self._taken:
            number += 1
        self._taken.add(f"{prefix}{number}")
        return f"{prefix}{number}"

    def of_data(self, wanted: str | None) -> str:
        """Returns the wanted name if it is valid and unused, otherwise a similar or a new one."""
        if wanted is None or wanted in RESERVED or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", wanted):
            return self.new("c")
        if wanted in self._taken:
            return self.new(f"{wanted}_")
        self._taken.add(wanted)
        return wanted


def arrays_in_scope(function: Callable[..., Any], args: tuple[Any, ...]) -> dict[int, tuple[str, Any]]:
    """Names of the arrays that are visible to a function, by `id`. The arrays are included, which keeps them alive."""
    found: dict[int, tuple[str, Any]] = {}
    for name, value in _scope(function, args):
        if isinstance(value, np.ndarray):
            found.setdefault(id(value), (name, value))
    return found


def arguments_of(function: Callable[..., Any]) -> list[str | None]:
    """The names of a function's arguments after the vector."""
    if isinstance(function, partial):
        known: list[str | None] = list(_parameters(function.func)[len(function.args) :])
    else:
        called = function if inspect.isfunction(function) or inspect.ismethod(function) else type(function).__call__
        known = [name for name in _parameters(called) if name != "self"]
    return known[1:]


def _scope(function: Callable[..., Any], args: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(function, partial):
        yield from function.keywords.items()
        yield from zip(_parameters(function.func), function.args)
        yield from _scope(function.func, ())
        return
    owner = function.__self__ if isinstance(function, MethodType) else None
    if owner is None and not inspect.isfunction(function):
        # A callable object.
        owner, function = function, getattr(type(function), "__call__", function)  # noqa: B004
    yield from getattr(owner, "__dict__", {}).items()
    yield from zip([name for name in _parameters(function) if name != "self"][1:], args)
    inner = inspect.unwrap(getattr(function, "__func__", function))
    yield from zip(reversed(_parameters(inner)), reversed(getattr(inner, "__defaults__", None) or ()))
    code = getattr(inner, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(inner, "__closure__", None) or ()):
        try:
            yield name, cell.cell_contents
        except ValueError:
            # The variable has not been assigned yet.
            pass
    yield from getattr(inner, "__globals__", {}).items()


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
