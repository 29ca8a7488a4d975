"""The data of `curve_fit`: shapes, and omitted rows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from ._each import Each
from ._settings import _short

Numbers = NDArray[np.float64]


@dataclass
class Rows:
    """The observations of one fit or of many."""

    # (rows,) or (k, rows), or an `Each` if each fit has its own.
    x: Numbers | Each
    # (rows,), or (fits, rows).
    y: Numbers
    # A number, (rows,), (fits, rows), or None.
    sigma: Numbers | None
    # The number of rows of each fit, if some rows are omitted. Omitted rows are at the end.
    counts: NDArray[np.uint32] | None = None

    @property
    def is_batch(self) -> bool:
        return self.y.ndim == 2

    @property
    def fits(self) -> int:
        return len(self.y) if self.is_batch else 1

    @property
    def length(self) -> int:
        return int(self.y.shape[-1])

    def x_of(self, fit: int) -> Numbers:
        """The `x` that the function receives in this fit."""
        return self.x.array[fit] if isinstance(self.x, Each) else self.x


@dataclass
class Given:
    """The library and the device of an array."""

    library: _arrays.Library
    device: str

    def back(self, numbers: NDArray[Any]) -> Any:
        return self.library.copied(numbers, self.device)


def given_by(*arrays: object) -> Given | None:
    """The library and device of the first array of PyTorch, CuPy or JAX; None if all are NumPy arrays."""
    for name in ("torch", "cupy", "jax"):
        # There can be arrays of a library only if it has been imported.
        if name not in sys.modules:
            continue
        # float32, because JAX allows float64 only with an option; `library` only copies arrays here.
        library = _arrays.library("xdata", name, np.float32)
        for array in arrays:
            if library.is_array(array):
                return Given(library, _device(name, array))
    return None


def _device(name: str, array: Any) -> str:
    if name == "torch":
        return str(array.device)
    if name == "cupy":
        return f"cuda:{array.device.id}"
    device = next(iter(array.devices()))
    return "cpu" if device.platform == "cpu" else f"cuda:{device.id}"


def numbers(name: str, given: Any) -> Numbers:
    """An array of NumPy, PyTorch, CuPy or JAX as a NumPy array in double precision."""
    found = given_by(given)
    if found is not None:
        given = found.library.host(given)
    try:
        array = np.asarray(given)
        if array.dtype.kind == "c":
            raise ValueError("complex numbers")
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is {_short(given)}; allowed: real numbers") from error


def rows(xdata: Any, ydata: Any, sigma: Any, nan_policy: str | None, are_counts: bool) -> Rows:
    """Checks the data of all fits."""
    if nan_policy not in (None, "raise", "omit"):
        raise ValueError(f"nan_policy is {nan_policy!r}; allowed: 'raise', 'omit'")
    y = numbers("ydata", ydata)
    if y.ndim not in (1, 2) or y.size == 0:
        raise ValueError(f"ydata has the shape {y.shape}; allowed: (rows,), or (fits, rows) for many fits")
    data = Rows(_x(xdata, y), y, _sigma(sigma, y))
    wrong = _wrong(data, must_be_finite=nan_policy != "omit")
    data = data if wrong is None else _without(data, wrong)
    if are_counts:
        below = np.argwhere(data.y < 0)
        if len(below):
            at: tuple[int, ...] = tuple(below[0].tolist())
            raise ValueError(f"ydata is {data.y[at]}{_place(at, y.ndim)}; allowed: counts from 0 on, as loss is 'poisson'")
    return _twice(data) if data.length == 1 else data


def _twice(data: Rows) -> Rows:
    """Repeats a single row and omits the copy, because a data column of a problem has at least two numbers."""

    def both(array: Numbers) -> Numbers:
        return np.repeat(array, 2, axis=-1) if array.ndim else array

    x = _each(both(data.x.array)) if isinstance(data.x, Each) else both(data.x)
    sigma = None if data.sigma is None else both(data.sigma)
    return Rows(x, both(data.y), sigma, np.ones(data.fits, dtype=np.uint32))


def _x(xdata: Any, y: Numbers) -> Numbers | Each:
    """The independent variables: shared by all fits, or an `Each` with one part per fit."""
    length = y.shape[-1]
    # A tuple has several variables, some of which may have a row for each fit.
    parts = [numbers("xdata", part) for part in xdata] if isinstance(xdata, tuple) else []
    if parts and all(part.ndim >= 1 for part in parts):
        shape: tuple[int, ...] = (
            (len(y), length) if y.ndim == 2 and any(part.ndim == 2 for part in parts) else (length,)
        )
        for place, part in enumerate(parts):
            if part.shape not in (shape, (length,)):
                raise ValueError(
                    f"xdata[{place}] has the shape {part.shape}; allowed: {_or((length,), shape)}, as ydata"
                )
        x = np.stack([np.broadcast_to(part, shape) for part in parts], axis=-2)
        return _each(x) if len(shape) == 2 else x
    x = numbers("xdata", xdata)
    if x.ndim == 0 or x.size == 0 or x.shape[-1] != length:
        raise ValueError(
            f"xdata has the shape {x.shape} and ydata {y.shape}; allowed: ({length},), one for each row of ydata, "
            f"{'or one row for each fit, ' if y.ndim == 2 else ''}or (k, {length}) for k variables"
        )
    if x.ndim == y.ndim == 2 and len(x) == len(y):
        return _each(x)
    if x.ndim == 3 and y.ndim == 2 and len(x) == len(y):
        return _each(x)
    if x.ndim > 2:
        raise ValueError(f"xdata has the shape {x.shape} and ydata {y.shape}; allowed: (fits, k, rows), as ydata says")
    return x


def _each(x: Numbers) -> Each:
    """An `Each` without the check for finite numbers, which follows later."""
    each = Each.__new__(Each)
    each.array = x
    return each


def _or(*shapes: tuple[int, ...]) -> str:
    return " or ".join(dict.fromkeys(map(str, shapes)))


def _sigma(sigma: Any, y: Numbers) -> Numbers | None:
    if sigma is None:
        return None
    s = numbers("sigma", sigma)
    if y.ndim == 1 and s.shape == (y.size, y.size) and y.size > 1:
        raise ValueError(
            f"sigma is a matrix of covariances, {s.shape}, which curve_fit does not take; allowed: standard deviations, "
            "(rows,). To fit correlated data, multiply ydata and the model by the inverse of the matrix's Cholesky factor"
        )
    if s.shape not in ((), (y.shape[-1],), y.shape):
        raise ValueError(
            f"sigma has the shape {s.shape}; allowed: a number, or {_or((y.shape[-1],), y.shape)}, as ydata"
        )
    # `_wrong` looks for NaN later.
    place = np.argwhere(s <= 0)
    if len(place):
        at = tuple(place[0].tolist())
        raise ValueError(f"sigma is {s[at]}{_place(at, s.ndim)}; allowed: numbers above 0")
    return s


def _place(at: tuple[int, ...], dimensions: int) -> str:
    if dimensions == 0:
        return ""
    row = f" in row {at[-1]}"
    return row if dimensions == 1 else f"{row} of fit {at[0]}"


def _wrong(data: Rows, must_be_finite: bool) -> NDArray[np.bool_] | None:
    """Marks the rows with a number that is not finite, (fits, rows); None if there are no such rows."""
    wrong = np.zeros((data.fits, data.length), dtype=np.bool_)
    x = data.x.array if isinstance(data.x, Each) else data.x
    # The axis of several variables is before the axis of the rows.
    is_several = x.ndim == (3 if isinstance(data.x, Each) else 2)
    of_x = ~np.isfinite(x)
    parts = [("ydata", data.y, ~np.isfinite(data.y)), ("xdata", x, of_x.any(axis=-2) if is_several else of_x)]
    if data.sigma is not None:
        parts.append(("sigma", data.sigma, ~np.isfinite(data.sigma)))
    for name, values, here in parts:
        place = np.argwhere(here)
        if len(place) and (must_be_finite or here.ndim == 0):
            at = tuple(place[0].tolist())
            found = values[(*at[:-1], slice(None), at[-1])] if name == "xdata" and is_several else values[at]
            found = found[~np.isfinite(found)][0] if np.ndim(found) else found
            omit = ", or nan_policy='omit', which leaves such rows out" if here.ndim else ""
            raise ValueError(f"{name} is {found}{_place(at, here.ndim)}; allowed: finite numbers{omit}")
        wrong |= here
    return wrong if wrong.any() else None


def _without(data: Rows, wrong: NDArray[np.bool_]) -> Rows:
    """The data without the marked rows."""
    empty = np.flatnonzero(wrong.all(axis=1))
    if empty.size:
        of = f" of fit {empty[0]}" if data.is_batch else ""
        raise ValueError(f"no row{of} has finite numbers alone; allowed: as many rows as parameters, or more")
    if np.all(wrong == wrong[0]):
        kept = ~wrong[0]

        def part(array: Numbers) -> Numbers:
            return np.ascontiguousarray(array[..., kept]) if array.ndim else array

        x = _each(part(data.x.array)) if isinstance(data.x, Each) else part(data.x)
        return Rows(x, part(data.y), None if data.sigma is None else part(data.sigma))
    # The kept rows come first, in their order. The last of them is repeated in the remaining places.
    order = np.argsort(wrong, axis=1, kind="stable")
    counts = np.sum(~wrong, axis=1)
    places = np.minimum(np.arange(data.length), counts[:, np.newaxis] - 1)
    order = np.take_along_axis(order, places, axis=1)
    fits = np.arange(data.fits)[:, np.newaxis]

    def moved(array: Numbers) -> Numbers:
        return array[order] if array.ndim == 1 else array[fits, order]

    if not isinstance(data.x, Each):
        x = np.moveaxis(data.x[..., order], -2, 0)
    elif data.x.array.ndim == 3:
        x = np.take_along_axis(data.x.array, order[:, np.newaxis], axis=2)
    else:
        x = moved(data.x.array)
    sigma = data.sigma if data.sigma is None or data.sigma.ndim == 0 else moved(data.sigma)
    return Rows(_each(np.ascontiguousarray(x)), moved(data.y), sigma, counts.astype(np.uint32))
