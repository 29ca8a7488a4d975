"""Functions of NumPy that change the order of elements or the shape of symbolic arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import elements, forms, hints
from .dispatch import array_of, of, vector_of
from .errors import failure
from .expression import Graph, as_number
from .forms import elementwise
from .values import Symbolic, as_form, axes_of, first_symbolic, of_list, wrapped

# NumPy's functions accept symbolic values here, which their type annotations do not allow.
_np: Any = np


@of("reshape")
def _reshape(graph: Graph, a: Any, shape: Any = None, order: str = "C", newshape: Any = None) -> Any:
    return array_of(graph, a).reshape(newshape if shape is None else shape, order=order)


@of("ravel")
def _ravel(graph: Graph, a: Any, order: str = "C") -> Any:
    return array_of(graph, a).ravel(order)


@of("transpose", "permute_dims")
def _transpose(graph: Graph, a: Any, axes: Any = None) -> Any:
    a = array_of(graph, a)
    return a.transpose() if axes is None else a.transpose(axes)


@of("matrix_transpose", "linalg.matrix_transpose")
def _matrix_transpose(graph: Graph, x: Any) -> Any:
    return array_of(graph, x).swapaxes(-1, -2)


@of("swapaxes")
def _swapaxes(graph: Graph, a: Any, axis1: int, axis2: int) -> Any:
    return array_of(graph, a).swapaxes(axis1, axis2)


@of("moveaxis")
def _moveaxis(graph: Graph, a: Any, source: Any, destination: Any) -> Any:
    a = array_of(graph, a)
    order = np.moveaxis(np.empty(range(1, a.ndim + 1)), source, destination).shape
    return a.transpose([length - 1 for length in order])


@of("squeeze")
def _squeeze(graph: Graph, a: Any, axis: Any = None) -> Any:
    a = array_of(graph, a)
    return a.squeeze(axis) if a.ndim else a


@of("expand_dims")
def _expand_dims(graph: Graph, a: Any, axis: Any) -> Any:
    a = array_of(graph, a)
    return a.reshape(np.expand_dims(np.empty(a.shape, dtype=bool), axis).shape)


def _at_least(dimensions: int) -> None:
    numpy_function: Any = getattr(np, f"atleast_{dimensions}d")

    def function(graph: Graph, *arys: Any) -> Any:
        made = []
        for one in arys:
            array = array_of(graph, one)
            made.append(array.reshape(numpy_function(np.empty(array.shape, dtype=bool)).shape))
        return made[0] if len(made) == 1 else made

    of(f"atleast_{dimensions}d")(function)


for _dimensions in (1, 2, 3):
    _at_least(_dimensions)


@of("broadcast_to")
def _broadcast_to(graph: Graph, array: Any, shape: Any) -> Any:
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    return wrapped(graph, forms.broadcast(as_form(graph, array), shape))


@of("concatenate", "concat")
def _concatenate(graph: Graph, arrays: Sequence[Any], axis: int | None = 0) -> Any:
    parts = [as_form(graph, one) for one in arrays]
    if axis is None:
        parts, axis = [wrapped(graph, part).ravel().form for part in parts], 0
    if any(part.shape == () for part in parts):
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return wrapped(graph, elements.concatenated(parts, axis))


@of("append")
def _append(graph: Graph, arr: Any, values: Any, axis: int | None = None) -> Any:
    if axis is None:
        return _concatenate(graph, [vector_of(graph, arr).ravel(), vector_of(graph, values).ravel()])
    return _concatenate(graph, [arr, values], axis)


@of("stack")
def _stack(graph: Graph, arrays: Sequence[Any], axis: int = 0) -> Any:
    made = wrapped(graph, of_list(graph, list(arrays)))
    return made if axis == 0 else _moveaxis(graph, made, 0, axis)


@of("hstack")
def _hstack(graph: Graph, tup: Sequence[Any]) -> Any:
    parts = [vector_of(graph, one) for one in tup]
    return _concatenate(graph, parts, 0 if parts[0].ndim == 1 else 1)


@of("vstack", "row_stack")
def _vstack(graph: Graph, tup: Sequence[Any]) -> Any:
    parts = [vector_of(graph, one) for one in tup]
    return _concatenate(graph, [part[None, :] if part.ndim == 1 else part for part in parts], 0)


@of("column_stack")
def _column_stack(graph: Graph, tup: Sequence[Any]) -> Any:
    parts = [vector_of(graph, one) for one in tup]
    return _concatenate(graph, [part[:, None] if part.ndim == 1 else part for part in parts], 1)


@of("tile")
def _tile(graph: Graph, A: Any, reps: Any) -> Any:
    if isinstance(reps, (int, np.integer)) and np.ndim(A) == 1:
        return _concatenate(graph, [A] * int(reps))
    return wrapped(graph, forms.of_results(np.tile(forms.listed(as_form(graph, A)).nodes, reps)))


@of("repeat")
def _repeat(graph: Graph, a: Any, repeats: Any, axis: int | None = None) -> Any:
    return vector_of(graph, a).repeat(repeats, axis)


@of("take")
def _take(graph: Graph, a: Any, indices: Any, axis: int | None = None) -> Any:
    if first_symbolic(indices) is not None:
        raise hints.no_index(is_condition=False)
    return array_of(graph, a).take(indices, axis)


@of("diag")
def _diag(graph: Graph, v: Any, k: int = 0) -> Any:
    v = array_of(graph, v)
    if v.ndim == 2:
        # The indices of the diagonal.
        rows, columns = np.nonzero(np.eye(v.shape[0], v.shape[1], k=k))
        return v[rows, columns]
    raise failure("np.diag of a vector is not supported; allowed: of a matrix")


@of("trace")
def _trace(graph: Graph, a: Any, offset: int = 0) -> Any:
    return _diag(graph, a, offset).sum()


@of("copy")
def _copy(graph: Graph, a: Any, order: str = "C") -> Any:
    return array_of(graph, a).copy()


@of("astype")
def _astype(graph: Graph, x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


@of("shape")
def _shape(graph: Graph, a: Any) -> tuple[int, ...]:
    return as_form(graph, a).shape


@of("ndim")
def _ndim(graph: Graph, a: Any) -> int:
    return len(as_form(graph, a).shape)


@of("size")
def _size(graph: Graph, a: Any, axis: int | None = None) -> int:
    shape = as_form(graph, a).shape
    return int(np.prod(shape)) if axis is None else shape[axis]


@of("real", "real_if_close")
def _real(graph: Graph, val: Any) -> Any:
    return array_of(graph, val)


@of("zeros_like", "empty_like")
def _zeros_like(graph: Graph, a: Any, dtype: Any = None, shape: Any = None) -> Any:
    return _full_like(graph, a, 0.0, dtype, shape)


@of("ones_like")
def _ones_like(graph: Graph, a: Any, dtype: Any = None, shape: Any = None) -> Any:
    return _full_like(graph, a, 1.0, dtype, shape)


@of("full_like")
def _full_like(graph: Graph, a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    kind = "f" if dtype is None else np.dtype(dtype).kind
    if kind not in "fb":
        raise failure(
            f"an array of type {np.dtype(dtype)} that may hold values of x is not supported; allowed: float, bool"
        )
    shape = (
        as_form(graph, a).shape if shape is None else (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    )
    form = forms.broadcast(elementwise(as_number, as_form(graph, fill_value)), shape)
    return wrapped(graph, form).astype(bool if kind == "b" else float)


@of("split")
def _split(graph: Graph, ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _parts(array_of(graph, ary), np.split(np.arange(np.shape(ary)[axis]), indices_or_sections), axis)


@of("array_split")
def _array_split(graph: Graph, ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _parts(array_of(graph, ary), np.array_split(np.arange(np.shape(ary)[axis]), indices_or_sections), axis)


def _parts(array: Any, places: Sequence[Any], axis: int) -> list[Any]:
    """Contiguous parts of an array along an axis, from the indices of each part."""
    before = (slice(None),) * (axis % array.ndim)
    starts = [int(part[0]) if part.size else 0 for part in places]
    return [array[before + (slice(start, start + part.size),)] for start, part in zip(starts, places)]


@of("roll")
def _roll(graph: Graph, a: Any, shift: int, axis: int | None = None) -> Any:
    a = array_of(graph, a)
    if axis is None:
        flat = a.ravel()
        turned = _rolled(graph, flat, operator.index(shift), 0)
        return turned.reshape(a.shape)
    return _rolled(graph, a, operator.index(shift), axis)


def _rolled(graph: Graph, a: Any, shift: int, axis: int) -> Any:
    length = a.shape[axis]
    start = -shift % length if length else 0
    if start == 0:
        return a.copy()
    before = (slice(None),) * (axis % a.ndim)
    parts = [a[before + (part,)] for part in (slice(start, None), slice(0, start))]
    return _concatenate(graph, parts, axis)


@of("flip")
def _flip(graph: Graph, m: Any, axis: Any = None) -> Any:
    m = array_of(graph, m)
    axes = axes_of(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


# Types


@of("result_type")
def _result_type(graph: Graph, *arrays_and_dtypes: Any) -> np.dtype[Any]:
    known = (_kind_of(one) if isinstance(one, Symbolic) else one for one in arrays_and_dtypes)
    return np.result_type(*known)


def _kind_of(value: Symbolic) -> np.dtype[Any]:
    return np.dtype(bool) if forms.is_truth(value.form) else np.dtype(np.float64)


@of("iscomplexobj")
def _iscomplexobj(graph: Graph, x: Any) -> bool:
    return False


@of("isrealobj")
def _isrealobj(graph: Graph, x: Any) -> bool:
    return True
