"""Elements of arrays, and concatenation of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .expression import Affine, moved
from .folds import substitute
from .forms import (
    Form,
    Joined,
    Listed,
    Regular,
    alike,
    at,
    ends_of,
    listed,
    nodes_of,
    objects,
    of_nodes,
    of_parts,
    of_results,
    parts_of,
    piece,
    single,
)
from .tables import progression


def taken(form: Form, key: Any) -> Form:
    """`form[key]`, for a key without symbolic parts."""
    whole = key if isinstance(key, tuple) else (key,)
    return _taken_basic(form, whole) if is_basic(key) else _taken_fancy(form, whole)


def is_basic(key: Any) -> bool:
    """Whether a key has only integers and slices (also None and `...`): NumPy's basic indexing."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(one is None or one is Ellipsis or isinstance(one, slice) or is_integer(one) for one in parts)


def is_integer(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))


def _taken_basic(form: Form, key: tuple[Any, ...]) -> Form:
    if isinstance(form, Joined):
        found = _taken_joined(form, key)
        if found is not None:
            return found
    if not isinstance(form, Regular):
        return _of_taken(form, listed(form).nodes[key])
    mapping, shape, axis = dict[int, Affine](), list[int](), 0
    for one in _complete(key, len(form.shape)):
        if one is None:
            shape.append(1)
            continue
        length = form.shape[axis]
        if isinstance(one, slice):
            start, stop, step = one.indices(length)
            count = len(range(start, stop, step))
            mapping[axis] = moved(len(shape), start, step) if count > 1 else Affine(start)
            shape.append(count)
        else:
            mapping[axis] = Affine(checked(one, length, axis))
        axis += 1
    return Regular(tuple(shape), substitute(form.node, mapping))


def checked(place: Any, length: int, axis: int) -> int:
    """Checks an index, and converts one that counts from the end."""
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
    return int(place) % length


def _complete(key: tuple[Any, ...], ndim: int) -> list[Any]:
    """A key with an entry for each dimension."""
    used = sum(1 for one in key if one is not None and one is not Ellipsis)
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    where = next((k for k, one in enumerate(key) if one is Ellipsis), len(key))
    rest = [slice(None)] * (ndim - used)
    return [*key[:where], *rest, *key[where + 1 :]]


def _taken_joined(form: Joined, key: tuple[Any, ...]) -> Form | None:
    """One element, or contiguous elements; None for other keys."""
    (only,) = _complete(key, 1) if None not in key else (None,)
    length = form.shape[0]
    if is_integer(only):
        place = checked(only, length, 0)
        return single(piece(form, place, place + 1))
    if not isinstance(only, slice):
        return None
    start, stop, step = only.indices(length)
    if step != 1:
        return None
    ends = [start, *(end for end in ends_of(form) if start < end < stop), max(stop, start)]
    pieces = [(b - a, piece(form, a, b)) for a, b in zip(ends, ends[1:]) if b > a]
    return of_parts(pieces or [(0, form.parts[0][1])])


def _taken_fancy(form: Form, key: tuple[Any, ...]) -> Form:
    """Indexing by arrays of indices or of truth values. Only the selected elements are created."""
    places = np.arange(prod(form.shape)).reshape(form.shape)[key]
    if isinstance(form, Regular):
        if len(form.shape) == 1 and places.ndim == 1 and (even := progression(places.astype(float))) is not None:
            return Regular(places.shape, substitute(form.node, {0: moved(0, *even)}))
        where = np.unravel_index(places.reshape(-1), form.shape)
        made = [at(form, place) for place in zip(*(axis.tolist() for axis in where))]
        return _of_taken(form, objects(places.shape, made))
    return _of_taken(form, listed(form).nodes.reshape(-1)[places])


def _of_taken(form: Form, nodes: Any) -> Form:
    """The form of one selected node, or of an array of nodes, which may be empty."""
    if not isinstance(nodes, np.ndarray):
        return single(nodes)
    return of_results(nodes) if nodes.size else Regular(nodes.shape, next(nodes_of(form)))


def stacked(forms: Sequence[Form]) -> Form:
    """Stacks forms of the same shape along a new first axis."""
    if all(form.shape == () for form in forms):
        return of_nodes(objects((len(forms),), [next(nodes_of(form)) for form in forms]))
    return Listed(np.stack([listed(form).nodes for form in alike(forms)]))


def concatenated(forms: Sequence[Form], axis: int) -> Form:
    """Concatenates forms along an axis."""
    if all(len(form.shape) == 1 for form in forms):
        return of_parts([part for form in forms for part in parts_of(form)])
    return Listed(np.concatenate([listed(form).nodes for form in alike(forms)], axis=axis))
