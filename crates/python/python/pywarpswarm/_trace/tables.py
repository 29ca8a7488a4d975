"""Elements of constant arrays: arithmetic progressions of integers, or elements of a table.

A table keeps the name of the array in the user's code. A part of a named array is written with this name, `t[1:]` as
`t[i + 1]`. So is the negated array, `-t` as `-t[i]`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .expression import Affine, Graph, Node, affine, moved, negative


def elements_of(graph: Graph, array: NDArray[Any]) -> Node:
    """The elements of an array, with an index for each dimension that has more than one element."""
    long = [axis for axis, length in enumerate(array.shape) if length > 1]
    values = array.reshape([array.shape[axis] for axis in long])
    if values.ndim == 1:
        even = progression(values.astype(np.float64)) if array.dtype.kind != "b" else None
        if even is not None:
            return graph.index(moved(long[0], *even))
        part = _part_of_known(graph, values, long[0])
        if part is not None:
            return part
    if values.ndim > 2:
        return graph.element(graph.table(values.reshape(-1)), in_rows(array.shape))
    return _whole_known(graph, array, long) or graph.element(graph.table(values), *map(moved, long))


def _whole_known(graph: Graph, array: NDArray[Any], long: list[int]) -> Node | None:
    """All elements of a named array, perhaps negated or transposed; None if no named array fits."""
    known = graph.known_arrays.get(id(array))
    if known is not None:
        return _element_of(graph, *known, long)
    if array.dtype.kind != "f":
        return None
    numbers = np.asarray(array, dtype=np.float64).tobytes()
    for name, other in graph.known_arrays.values():
        if other.size != array.size or other.dtype.kind not in "iuf":
            continue
        values = other.astype(np.float64)
        if other.shape == array.shape and values.tobytes() == numbers:
            return _element_of(graph, name, other, long)
        if other.shape == array.shape and (-values).tobytes() == numbers:
            return negative(_element_of(graph, name, other, long))
        if other.ndim == 2 and other.T.shape == array.shape and values.T.tobytes() == numbers:
            return _element_of(graph, name, other, long[::-1])
    return None


def _element_of(graph: Graph, name: str, array: NDArray[Any], axes: list[int]) -> Node:
    values = array.reshape([length for length in array.shape if length > 1])
    return graph.element(graph.table(values, name), *map(moved, axes))


def _part_of_known(graph: Graph, values: NDArray[Any], axis: int) -> Node | None:
    """A slice of a named one-dimensional array, with any step; None if no named array fits."""
    base = values
    while isinstance(base.base, np.ndarray):
        base = base.base
        known = graph.known_arrays.get(id(base))
        if known is None or base.ndim != 1 or base.dtype != values.dtype or base.strides[0] == 0:
            continue
        behind = values.ctypes.data - base.ctypes.data
        start, step = behind // base.strides[0], values.strides[0] // base.strides[0]
        if np.all(np.isfinite(base)) and np.array_equal(base[start::step][: values.size], values):
            return graph.element(graph.table(base, known[0]), moved(axis, start, step))
    return None


def in_rows(shape: tuple[int, ...]) -> Affine:
    """The position of an element in row-major order."""
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return affine(0, {axis: stride for axis, stride in enumerate(strides) if shape[axis] > 1})


def progression(numbers: NDArray[np.float64]) -> tuple[int, int] | None:
    """Start and step of an arithmetic progression of integers; None if `numbers` is none."""
    if numbers.size < 2 or np.any(numbers != np.round(numbers)) or np.max(np.abs(numbers)) > 2**52:
        return None
    if np.any((numbers == 0) & np.signbit(numbers)):
        return None
    steps = np.diff(numbers)
    if steps[0] == 0 or np.any(steps != steps[0]):
        return None
    return int(numbers[0]), int(steps[0])
