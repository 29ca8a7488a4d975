"""Reductions, products and other functions of NumPy on symbolic arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import forms
from .dispatch import array_of, of, vector_of
from .errors import failure
from .expression import Graph, choose
from .forms import Regular, elementwise
from .ufuncs import clip
from .values import Symbolic, as_form, axes_of, first_symbolic, of_list, wrapped

# A matrix with more columns than this, and with fewer rows than columns, is multiplied row by row. Otherwise all
# columns would be unrolled in one expression.
MANY_COLUMNS = 512

# NumPy's functions accept symbolic values here, which their type annotations do not allow.
_np: Any = np


# Reductions


def _reduction(*names: str) -> None:
    method = names[0]

    def function(graph: Graph, a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return getattr(array_of(graph, a), method)(axis, keepdims=keepdims)

    of(*names)(function)


for _names in ("sum",), ("prod",), ("mean",), ("min", "amin"), ("max", "amax"), ("any",), ("all",), ("ptp",):
    _reduction(*_names)


@of("var")
def _var(graph: Graph, a: Any, axis: Any = None, ddof: float = 0, keepdims: bool = False, correction: float = 0) -> Any:
    return array_of(graph, a).var(axis, ddof=ddof or correction, keepdims=keepdims)


@of("std")
def _std(graph: Graph, a: Any, axis: Any = None, ddof: float = 0, keepdims: bool = False, correction: float = 0) -> Any:
    return array_of(graph, a).std(axis, ddof=ddof or correction, keepdims=keepdims)


@of("average")
def _average(graph: Graph, a: Any, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Any:
    a = array_of(graph, a)
    if weights is None:
        return a.mean(axis, keepdims=keepdims)
    if np.shape(weights) != a.shape:
        raise failure("np.average with weights of another shape is not supported")
    total = weights.sum(axis) if isinstance(weights, Symbolic) else np.sum(weights, axis)
    return (a * weights).sum(axis, keepdims=keepdims) / total


@of("count_nonzero")
def _count_nonzero(graph: Graph, a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    truth = wrapped(graph, forms.truth_of(as_form(graph, a)))
    return truth.sum(axis, keepdims=keepdims)


@of("cumsum")
def _cumsum(graph: Graph, a: Any, axis: int | None = None) -> Any:
    return vector_of(graph, a).cumsum(axis)


@of("cumprod")
def _cumprod(graph: Graph, a: Any, axis: int | None = None) -> Any:
    return vector_of(graph, a).cumprod(axis)


@of("trapezoid", "trapz")
def _trapezoid(graph: Graph, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = array_of(graph, y)
    first, second = _but_last(y.ndim, axis), _but_first(y.ndim, axis)
    if x is not None:
        x = array_of(graph, x)
        dx = _diff(graph, x, axis=axis if x.ndim > 1 else 0)
        if x.ndim == 1:
            dx = dx.reshape([-1 if k == axis % y.ndim else 1 for k in range(y.ndim)])
    return (dx * (y[second] + y[first]) / 2.0).sum(axis)


@of("linalg.norm")
def _norm(graph: Graph, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = array_of(graph, x)
    if axis is None and ord is None:
        return _np.sqrt((x**2).sum(keepdims=keepdims))
    axes = axes_of(axis, x.ndim)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if ord in (None, "fro"):
        return _np.sqrt((x**2).sum(axes, keepdims=keepdims))
    if len(axes) == 2 and ord in (1, -1, np.inf, -np.inf) and not keepdims:
        within, across = axes if abs(ord) == 1 else axes[::-1]
        sums = _np.abs(x).sum(within)
        # The other axis, in the numbering after the first reduction.
        rest = across - (across > within)
        return sums.max(rest) if ord > 0 else sums.min(rest)
    raise failure(f"np.linalg.norm with ord={ord!r} of an array with {x.ndim} dimensions is not supported")


def _vector_norm(x: Any, ord: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    if ord == 2:
        return _np.sqrt((x**2).sum(axis, keepdims=keepdims))
    if ord == 1:
        return _np.abs(x).sum(axis, keepdims=keepdims)
    if ord == np.inf:
        return _np.abs(x).max(axis, keepdims=keepdims)
    if ord == -np.inf:
        return _np.abs(x).min(axis, keepdims=keepdims)
    if ord == 0:
        return (x != 0).sum(axis, keepdims=keepdims)
    if not isinstance(ord, (int, float, np.number)):
        raise failure(f"np.linalg.norm with ord={ord!r} of a vector is not supported")
    return (_np.abs(x) ** ord).sum(axis, keepdims=keepdims) ** (1.0 / ord)


# Products


@of("matmul")
def matmul(graph: Graph, a: Any, b: Any) -> Any:
    """The product of two matrices or vectors."""
    a, b = array_of(graph, a), array_of(graph, b)
    if a.ndim == 0 or b.ndim == 0 or a.ndim > 2 or b.ndim > 2:
        raise failure(f"a @ b of arrays with {a.ndim} and {b.ndim} dimensions is not supported; allowed: 1 or 2 each")
    if forms.is_truth(a.form) and forms.is_truth(b.form):
        raise failure("a product of two arrays of conditions is not supported; write np.sum(a & b), or np.any of it")
    inner = b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit: {a.shape[-1]} and {inner} differ")
    if a.ndim == 2 and b.ndim == 1 and not isinstance(b.form, Regular):
        return _by_columns(graph, a, b)
    if a.ndim == 1 and b.ndim == 2 and not isinstance(a.form, Regular):
        return _by_columns(graph, b.T, a)
    if a.ndim == 1 and b.ndim == 1:
        return (a * b).sum()
    if a.ndim == 2 and b.ndim == 1:
        return _rows_with(graph, a, b)
    if a.ndim == 1:
        return _rows_with(graph, b.T, a, vector_first=True)
    return (a[:, :, None] * b[None, :, :]).sum(1)


def _rows_with(graph: Graph, matrix: Any, vector: Any, vector_first: bool = False) -> Any:
    """The products of the rows of a matrix with a vector."""

    def product(row: Any) -> Any:
        return vector * row if vector_first else row * vector

    rows, columns = matrix.shape
    if columns > MANY_COLUMNS and rows < columns:
        return wrapped(graph, of_list(graph, [product(matrix[k]).sum() for k in range(rows)]))
    return product(matrix).sum(1)


def _by_columns(graph: Graph, matrix: Any, vector: Any) -> Any:
    """The product with a vector of several parts: the sum of the products with each part."""
    products, start = [], 0
    for length, node in forms.parts_of(vector.form):
        columns = matrix[:, start : start + length]
        part = wrapped(graph, Regular((length,), node))
        products.append(columns[:, 0] * part[0] if length == 1 else matmul(graph, columns, part))
        start += length
    return sum(products[1:], products[0])


@of("dot")
def _dot(graph: Graph, a: Any, b: Any) -> Any:
    a, b = array_of(graph, a), array_of(graph, b)
    return a * b if a.ndim == 0 or b.ndim == 0 else matmul(graph, a, b)


@of("vdot")
def _vdot(graph: Graph, a: Any, b: Any) -> Any:
    return matmul(graph, vector_of(graph, a).ravel(), vector_of(graph, b).ravel())


@of("inner")
def _inner(graph: Graph, a: Any, b: Any) -> Any:
    a, b = array_of(graph, a), array_of(graph, b)
    return a * b if a.ndim == 0 or b.ndim == 0 else matmul(graph, a, b.T)


@of("outer")
def _outer(graph: Graph, a: Any, b: Any) -> Any:
    return vector_of(graph, a).ravel()[:, None] * vector_of(graph, b).ravel()[None, :]


@of("cross")
def _cross(graph: Graph, a: Any, b: Any) -> Any:
    a, b = array_of(graph, a), array_of(graph, b)
    if a.shape[-1:] != (3,) or b.shape[-1:] != (3,):
        raise failure(
            f"np.cross of shapes {a.shape} and {b.shape} is not supported; allowed: three numbers in the last axis"
        )
    (a0, a1, a2), (b0, b1, b2) = ([v[..., k] for k in range(3)] for v in (a, b))
    return _np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


# Neighbours


def _but_first(ndim: int, axis: int) -> tuple[Any, ...]:
    return tuple(slice(1, None) if k == axis % ndim else slice(None) for k in range(ndim))


def _but_last(ndim: int, axis: int) -> tuple[Any, ...]:
    return tuple(slice(None, -1) if k == axis % ndim else slice(None) for k in range(ndim))


@of("diff")
def _diff(graph: Graph, a: Any, n: int = 1, axis: int = -1) -> Any:
    a = array_of(graph, a)
    for _ in range(n):
        a = a[_but_first(a.ndim, axis)] - a[_but_last(a.ndim, axis)]
    return a


@of("einsum")
def _einsum(graph: Graph, subscripts: str, *operands: Any) -> Any:
    """The sum of products over all letters that are not in the result."""
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    letters = given.split(",")
    if not arrow:
        result = "".join(sorted(letter for letter in set(given) - {","} if given.count(letter) == 1))
    arrays = [array_of(graph, one) for one in operands]
    if not all(part.isalpha() and len(set(part)) == len(part) == array.ndim for part, array in zip(letters, arrays)):
        raise failure(
            f"np.einsum({subscripts!r}) is not supported; allowed: each letter once in an operand, without `...`"
        )
    order = [*result, *sorted(set(given) - {","} - set(result))]
    product: Any = 1.0
    for number, (part, array) in enumerate(zip(letters, arrays)):
        spread = array.transpose([part.index(letter) for letter in order if letter in part])
        spread = spread[tuple(slice(None) if letter in part else None for letter in order)]
        product = product * spread if number else spread
    return product.sum(tuple(range(len(result), len(order)))) if len(order) > len(result) else product


@of("convolve")
def _convolve(graph: Graph, a: Any, v: Any, mode: str = "full") -> Any:
    a, v = vector_of(graph, a), vector_of(graph, v)
    if len(a) < len(v):
        a, v = v, a
    n, m = len(a), len(v)
    # The requested part of the full convolution: its start and its length.
    parts = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}
    if mode not in parts:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    start, length = parts[mode]
    wide = _np.concatenate([np.zeros(m - 1), a, np.zeros(m - 1)])
    places = [start + m - 1 - k for k in range(m)]
    terms = [wide[place : place + length] * v[k] for k, place in enumerate(places)]
    return sum(terms[1:], terms[0])


@of("polyval")
def _polyval(graph: Graph, p: Any, x: Any) -> Any:
    p, x = vector_of(graph, p), array_of(graph, x)
    result = _np.broadcast_to(p[0], x.shape) if x.ndim else p[0]
    for coefficient in p[1:]:
        result = result * x + coefficient
    return result


@of("linspace")
def _linspace(graph: Graph, start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    start, stop = array_of(graph, start), array_of(graph, stop)
    if start.ndim or stop.ndim:
        raise failure("np.linspace between arrays is not supported; allowed: between two numbers")
    steps = num - 1 if endpoint else num
    made = np.arange(num) * ((stop - start) / steps) + start if steps > 0 else start.reshape(1)[:num]
    return _np.concatenate([made[:-1], [stop]]) if endpoint and num > 1 else made


@of("interp")
def _interp(graph: Graph, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    if first_symbolic(xp) is not None:
        raise failure("np.interp between places that depend on x is not supported; allowed: constant xp")
    places = np.asarray(xp, dtype=np.float64)
    if places.ndim != 1 or places.size < 2 or not np.all(np.diff(places) > 0) or not np.all(np.isfinite(places)):
        raise failure("np.interp needs two or more finite places xp that ascend; NumPy's result is wrong for others")
    if np.shape(fp) != places.shape:
        raise ValueError("fp and xp are not of the same length.")
    values = np.asarray(fp, dtype=np.float64) if first_symbolic(fp) is None else array_of(graph, fp)
    below = values[0] if left is None else left
    above = values[-1] if right is None else right
    slopes = (values[1:] - values[:-1]) / np.diff(places)
    if first_symbolic(x) is None:
        return _interp_at(np.asarray(x, dtype=np.float64), places, values, slopes, below, above)
    # Sum over all intervals; the terms of intervals that do not contain x are 0.
    at = array_of(graph, x)
    spread = at[..., None] if at.ndim else at
    is_there = (places[:-1] <= spread) & (spread < places[1:])
    within = slopes * (spread - places[:-1]) + values[:-1]
    inside = _np.where(is_there, within, 0.0).sum(-1)
    not_above = _np.where(at < places[-1], inside, _np.where(at >= places[-1], above, at))
    return _np.where(at < places[0], below, not_above)


def _interp_at(at: Any, places: Any, values: Any, slopes: Any, below: Any, above: Any) -> Any:
    """Interpolates symbolic values at constant places."""
    k = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    inside = slopes[k] * (at - places[k]) + values[k]
    result = _np.where(at < places[0], below, _np.where(at == places[-1], values[-1], inside))
    return _np.where(at > places[-1], above, result)


# Choices


@of("where")
def _where(graph: Graph, condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise failure("np.where(condition) gives indices, which cannot depend on x; allowed: np.where(condition, a, b)")
    known = condition if isinstance(condition, Symbolic) else np.asarray(condition)
    if not isinstance(known, Symbolic) and known.ndim == 0 and known.dtype.kind != "O":
        # The condition is a constant, so only the chosen value is broadcast, to the common shape.
        shape = np.broadcast_shapes(*(np.shape(choice) for choice in choices))
        return wrapped(graph, forms.broadcast(as_form(graph, choices[0] if known else choices[1]), shape))
    of_all = (as_form(graph, one) for one in (condition, *choices))
    return wrapped(graph, elementwise(choose, *of_all))


@of("select")
def _select(graph: Graph, condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = _where(graph, condition, choice, result)
    return result


@of("clip")
def _clip(graph: Graph, a: Any, a_min: Any = None, a_max: Any = None, min: Any = None, max: Any = None) -> Any:
    lower, upper = (a_min if min is None else min), (a_max if max is None else max)
    if lower is None or upper is None:
        return array_of(graph, a).clip(lower, upper)
    return wrapped(graph, elementwise(clip, *(as_form(graph, one) for one in (a, lower, upper))))


@of("round", "around", "round_")
def _round(graph: Graph, a: Any, decimals: int = 0) -> Any:
    return array_of(graph, a).round(decimals)


@of("fix")
def _fix(graph: Graph, x: Any) -> Any:
    return _np.trunc(x)


@of("sinc")
def _sinc(graph: Graph, x: Any) -> Any:
    y = np.pi * _np.where(x == 0, 1.0e-20, x)
    return _np.sin(y) / y
