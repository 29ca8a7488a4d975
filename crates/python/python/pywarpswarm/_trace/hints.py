"""Error messages for code that needs a number that is unknown during a trace, with the code to write instead."""

from __future__ import annotations

import math
import re
from typing import Any

from .errors import NotTraceable, failure, of_interpolator, running

# Replacements of functions of `math` that have another name in NumPy, or do not exist there.
_OF_MATH = {
    "acos": "np.arccos",
    "asin": "np.arcsin",
    "atan": "np.arctan",
    "atan2": "np.arctan2",
    "acosh": "np.arccosh",
    "asinh": "np.arcsinh",
    "atanh": "np.arctanh",
    "pow": "a ** b",
    "fsum": "np.sum",
    "sumprod": "np.dot",
    "dist": "np.linalg.norm(a - b)",
    "degrees": "np.rad2deg",
    "radians": "np.deg2rad",
    "isclose": "np.abs(a - b) <= tolerance",
    "erf": "scipy.special.erf",
    "erfc": "scipy.special.erfc",
    "gamma": "scipy.special.gamma",
    "lgamma": "scipy.special.gammaln",
}


# What to write instead of an index that depends on x, and of functions that look one up.
_FOR_A_TABLE = "; for a table, write np.interp"
_INSTEAD = {"searchsorted": _FOR_A_TABLE, "digitize": _FOR_A_TABLE}


def not_supported(name: str) -> NotTraceable:
    """The error for a function of NumPy or SciPy that cannot be compiled."""
    instead = _INSTEAD.get(name.rpartition(".")[2], "")
    return failure(f"{name} is not supported for values that depend on x{instead}")


def no_number() -> NotTraceable:
    """The error for code that needs a `float`."""
    line, known = running()
    if (reason := of_interpolator(line, known)) is not None:
        return failure(reason)
    name = _of_math(line, known)
    if name is not None:
        instead = _OF_MATH.get(name, f"np.{name}")
        return failure(f"math.{name} needs a number, which is not known here; write {instead} instead")
    if re.search(r"\]\s*[-+*/]?=[^=]", line):
        return failure(
            "an array of NumPy cannot hold values that depend on x; make it with np.zeros_like(x), np.array([...]) or "
            "np.stack([...])"
        )
    if re.search(r"\bfloat\s*\(", line):
        return failure("float(...) needs a number, which is not known here; leave it out")
    return failure(
        "a number is needed, which is not known here; write np.sin instead of math.sin and the like, and leave out "
        "float(...) and dtype=float"
    )


def _of_math(line: str, known: dict[str, Any]) -> str | None:
    """The function of `math` that a line calls, as `math.sin(...)` or, if it was imported, as `sin(...)`."""
    for owner, name in re.findall(r"(?:\b(\w+)\.)?\b(\w+)\s*\(", line):
        function = getattr(known.get(owner), name, None) if owner else known.get(name)
        if function is not None and function is getattr(math, name, None):
            return str(name)
    return None


def no_truth() -> NotTraceable:
    """The error for code that needs to know whether a condition holds."""
    line, known = running()
    if (reason := of_interpolator(line, known)) is not None:
        return failure(reason)
    if re.search(r"\.searchsorted\s*\(", line):
        return not_supported("searchsorted")
    builtin = re.search(r"(?<![\w.])(max|min|sorted|any|all)\s*\(", line)
    if builtin:
        name = builtin[1]
        instead = {
            "max": "np.maximum(a, b), or np.max of an array",
            "min": "np.minimum(a, b), or np.min of an array",
            "any": "np.any",
            "all": "np.all",
        }
        if name in instead:
            return failure(f"{name}(...) compares values that are not known here; write {instead[name]} instead")
        return failure("sorting by values that depend on x is not supported")
    if re.match(r"(if|elif|while|assert)\b", line) or re.search(r"\bif\b.*\belse\b", line):
        word = "while" if line.startswith("while") else "if"
        return failure(
            f"`{word}` needs to know whether a condition holds, which it cannot here; write np.where(condition, a, b)"
        )
    if re.search(r"\b(and|or|not)\b", line):
        return failure(
            "`and`, `or` and `not` need to know whether a condition holds; write np.logical_and, np.logical_or and "
            "np.logical_not, or & | ~"
        )
    return failure(
        "whether a condition holds is not known here; write np.where(condition, a, b) for `if`, (a < b) & (b < c) for "
        "`a < b < c`, and np.maximum for max"
    )


def no_integer() -> NotTraceable:
    """The error for code that needs an `int`."""
    if re.search(r"\bint\s*\(", running()[0]):
        return failure(
            "int(...) needs a number, which is not known here; write np.trunc instead, or np.interp if it is an index "
            "of a table"
        )
    return failure(
        f"a whole number is needed, which is not known here: an index or a count cannot depend on x{_FOR_A_TABLE}"
    )


def no_key() -> NotTraceable:
    """The error for code that needs a hash, for example a dict or a cache."""
    return failure("a value that depends on x cannot be the key of a dict, a set or a cache")


def no_index(is_condition: bool) -> NotTraceable:
    if is_condition:
        return failure(
            "x[condition] has as many elements as the condition holds for, which is not known here; write "
            "np.where(condition, x, 0)"
        )
    return failure(f"an index cannot depend on x{_FOR_A_TABLE}")
