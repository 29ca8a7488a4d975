"""The parameters of `curve_fit`: their names, bounds and starting values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._fit_data import Numbers, numbers
from ._settings import _short

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass
class Parameters:
    """The parameters of a model."""

    names: list[str]
    # Bounds, perhaps infinite.
    lower: Numbers
    upper: Numbers
    # Finite bounds of the search for starting values, and its scales.
    box: tuple[Numbers, Numbers]
    scales: list[str]
    # (n,), or (fits, n); None if starting values are searched for.
    start: Numbers | None

    @property
    def free(self) -> NDArray[np.bool_]:
        """Marks the parameters that are not fixed."""
        return self.lower < self.upper


def parameters(
    f: Callable[..., Any],
    fits: int | None,
    p0: Any,
    bounds: Any,
    scale: str | Sequence[str] | None,
    names: Sequence[str] | None,
) -> Parameters:
    """Checks the arguments about parameters. `fits` is the number of fits, or None for a single fit."""
    start = None if p0 is None else np.atleast_1d(numbers("p0", p0))
    named = _names(f, names, start, bounds)
    n = len(named)
    lower, upper = _bounds(bounds, named)
    if start is not None:
        allowed = [(n,)] if fits is None else [(n,), (fits, n)]
        if start.shape not in allowed:
            of_each = "" if fits is None else f", or {(fits, n)} for each fit its own"
            raise ValueError(
                f"p0 has the shape {start.shape}; allowed: ({n},), one for each of {', '.join(named)}{of_each}"
            )
        _check_start(start, lower, upper, named)
    is_searched = start is None and bool(np.all(np.isfinite(lower) & np.isfinite(upper)))
    if scale is not None and not is_searched:
        why = "p0 is given" if start is not None else "some bounds are not finite"
        raise ValueError(
            f"scale says how starting values are searched for between finite bounds, and {why}; allowed: None"
        )
    if start is None and not is_searched:
        start = _usual_start(lower, upper)
    if start is None:
        return Parameters(named, lower, upper, (lower, upper), _scales(scale, lower, named), None)
    around = start.reshape(-1, n)
    room = np.maximum(1.0, np.abs(around).max(axis=0))
    box = around.min(axis=0) - room, around.max(axis=0) + room
    return Parameters(named, lower, upper, box, ["linear"] * n, start)


def _names(f: Callable[..., Any], names: Sequence[str] | None, start: Numbers | None, bounds: Any) -> list[str]:
    found, is_open = _of_signature(f)
    called = getattr(f, "__name__", type(f).__name__)
    if is_open:
        known = [None if names is None else len(names), None if start is None else start.shape[-1], _count(bounds)]
        n = next((one for one in known if one is not None), None)
        if n is None:
            raise ValueError(
                f"the signature of {called} does not say how many parameters it has; allowed: p0, bounds or names that say it"
            )
        found = found[:n] + [f"p{i}" for i in range(len(found), n)]
    if not found:
        raise ValueError(
            f"{called} has no parameters; allowed: f(x, a, ...), with one or more behind the first argument"
        )
    if names is None:
        return found
    if isinstance(names, str) or len(names) != len(found) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names is {_short(names)}; allowed: {len(found)} texts, one for each of {', '.join(found)}")
    return list(names)


def _of_signature(f: Callable[..., Any]) -> tuple[list[str], bool]:
    """The names of the arguments after the first one, and whether there can be more (`*args`)."""
    try:
        all_of = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [], True
    by_place = [one.name for one in all_of if one.kind in _BY_PLACE]
    return by_place[1:], any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in all_of)


def _is_of_scipy(bounds: Any) -> bool:
    return hasattr(bounds, "lb") and hasattr(bounds, "ub")


def _is_both_sides(bounds: Any) -> bool:
    """Whether `bounds` is a tuple (lower, upper) instead of a list of pairs."""
    return isinstance(bounds, tuple) and len(bounds) == 2


def _count(bounds: Any) -> int | None:
    """The number of parameters that `bounds` implies, or None."""
    if bounds is None:
        return None
    if _is_of_scipy(bounds):
        bounds = bounds.lb, bounds.ub
    if _is_both_sides(bounds):
        return max((np.size(side) for side in bounds if np.ndim(side) > 0), default=None)
    return len(bounds) if isinstance(bounds, Sequence) or np.ndim(bounds) > 0 else None


def _bounds(bounds: Any, names: list[str]) -> tuple[Numbers, Numbers]:
    n = len(names)
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if _is_of_scipy(bounds):
        bounds = bounds.lb, bounds.ub
    if _is_both_sides(bounds):
        sides = [numbers("bounds", side) for side in bounds]
    else:
        pairs = numbers("bounds", bounds)
        if pairs.shape != (n, 2) and pairs.shape != (2, n):
            raise ValueError(
                f"bounds have the shape {pairs.shape}; allowed: (lower, upper), each a number or one for each of {n} "
                f"parameters, or a list of {n} pairs (lower, upper)"
            )
        is_of_pairs = isinstance(bounds, Sequence) and all(isinstance(pair, tuple) for pair in bounds)
        if n == 2 and not is_of_pairs:
            raise ValueError(
                "bounds of two parameters may be (lower, upper) or pairs; allowed: a tuple (lower, upper), or a list of "
                "tuples [(lower, upper), (lower, upper)]"
            )
        sides = list(pairs.T) if pairs.shape == (n, 2) else list(pairs)
    for side, values in zip(("lower", "upper"), sides):
        if values.shape not in ((), (n,)):
            raise ValueError(
                f"the {side} bounds have the shape {values.shape}; allowed: a number, or ({n},), one for each of "
                f"{', '.join(names)}"
            )
    lower, upper = (np.array(np.broadcast_to(side, (n,))) for side in sides)
    # The negation also finds NaN.
    wrong = np.flatnonzero(~((lower <= upper) & (lower < np.inf) & (upper > -np.inf)))
    if wrong.size:
        at = wrong[0]
        raise ValueError(f"the bounds of {names[at]} are {lower[at]} and {upper[at]}; allowed: lower <= upper, no NaN")
    return lower, upper


def _check_start(start: Numbers, lower: Numbers, upper: Numbers, names: list[str]) -> None:
    inside = np.isfinite(start) & (start >= lower) & (start <= upper)
    place = np.argwhere(~inside)
    if place.size:
        at = tuple(place[0].tolist())
        of = f" of fit {at[0]}" if start.ndim == 2 else ""
        low, high = lower[at[-1]], upper[at[-1]]
        raise ValueError(
            f"p0 of {names[at[-1]]}{of} is {start[at]}; allowed: a finite number between its bounds, {low} and {high}"
        )


def _usual_start(lower: Numbers, upper: Numbers) -> Numbers:
    """SciPy's default starting values."""
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    start = np.ones_like(lower)
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (lower + upper)
    start = np.where(has_lower & has_upper, middle, start)
    start = np.where(has_lower & ~has_upper, lower + 1, start)
    return np.where(has_upper & ~has_lower, upper - 1, start)


def _scales(scale: str | Sequence[str] | None, lower: Numbers, names: list[str]) -> list[str]:
    n = len(names)
    scales = [scale or "linear"] * n if scale is None or isinstance(scale, str) else list(scale)
    if len(scales) != n or any(one not in ("linear", "log") for one in scales):
        raise ValueError(
            f"scale is {_short(scale)}; allowed: 'linear' or 'log', or {n} of these, one for each parameter"
        )
    for name, one, low in zip(names, scales, lower.tolist()):
        if one == "log" and low <= 0:
            raise ValueError(f"scale of {name} is 'log', and its lower bound {low}; allowed: a lower bound above 0")
    return scales
