"""Symbolic arrays and numbers, which the user's function receives during a trace.

As in NumPy, `x[1:]`, `x.T` and `x.reshape(2, 3)` are views: writing to them writes to `x`. So arrays that are views of
each other share one `Buffer`, and each stores the steps that lead from the whole array to its part.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import elements, forms, hints
from .errors import failure
from .expression import Graph, as_condition, as_number, choose
from .forms import Form, Listed, Regular, elementwise, is_truth, listed, single
from .ufuncs import METHODS, NUMPY, NodeFunction
from .values import BINARY, Symbolic, as_form, axes_of, first_symbolic, no_out, shape_of, wrapped

# One step from an array to a view of it: an index, another order of axes, or another shape.
Step = tuple[str, Any]

# NumPy's functions accept symbolic values here, which their type annotations do not allow.
_np: Any = np


class Scalar(Symbolic):
    """One number, or one condition."""

    # It has no `dtype` and no `__array__`, and is not a sequence, so that NumPy treats it as an ordinary object.

    def __init__(self, graph: Graph, form: Regular) -> None:
        self._graph = graph
        self._form = form

    @property
    def form(self) -> Regular:
        return self._form

    def __round__(self, digits: int | None = None) -> Any:
        return self.round(digits or 0)

    def __floor__(self) -> Any:
        return _np.floor(self)

    def __ceil__(self) -> Any:
        return _np.ceil(self)

    def __trunc__(self) -> Any:
        return _np.trunc(self)

    def item(self) -> Scalar:
        return self

    tolist = item

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        return wrapped(self._graph, forms.reshaped(self.form, shape_of(shape, 1)))

    def ravel(self, order: str = "C") -> Any:
        return self.reshape(1)

    flatten = ravel


class Buffer:
    """The contents that an array and its views share."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.version = 0

    def write(self, form: Form) -> None:
        self.form = form
        self.version += 1


class Array(Symbolic):
    """An array of one or more dimensions."""

    def __init__(self, graph: Graph, buffer: Buffer, steps: tuple[Step, ...] = ()) -> None:
        self._graph = graph
        self._buffer = buffer
        self._steps = steps
        self._seen: tuple[int, Form] | None = None

    @property
    def form(self) -> Form:
        if self._seen is None or self._seen[0] != self._buffer.version:
            form = self._buffer.form
            for step in self._steps:
                form = _looked_at(form, step)
            self._seen = self._buffer.version, form
        return self._seen[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(bool) if is_truth(self.form) else np.dtype(np.float64)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    @property
    def flat(self) -> Iterator[Any]:
        return iter(self.ravel())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """An array of objects, for functions of NumPy that do not know this class."""
        if dtype is not None and np.dtype(dtype).kind != "O":
            raise hints.no_number()
        array = np.empty(self.shape, dtype=object)
        nodes: Any = listed(self.form).nodes
        for place in np.ndindex(*self.shape):
            array[place] = Scalar(self._graph, single(nodes[place]))
        return array

    def __pow__(self, other: Any) -> Any:
        # NumPy uses sqrt here for arrays, but not for single numbers.
        if isinstance(other, (int, float, np.number)) and other == 0.5:
            return _np.sqrt(self)
        return super().__pow__(other)

    # Elements

    def __getitem__(self, key: Any) -> Any:
        key = _known_key(key)
        form = elements.taken(self.form, key)
        if form.shape == () or not elements.is_basic(key):
            return wrapped(self._graph, form)
        return Array(self._graph, self._buffer, (*self._steps, ("index", key)))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Changes this array and the arrays that share its buffer; never the vector of the function's caller."""
        form = as_form(self._graph, value)
        if isinstance(key, Symbolic) and is_truth(key.form) and key.shape == self.shape:
            if int(np.prod(form.shape)) != 1:
                raise hints.no_index(is_condition=True)
            form = forms.reshaped(form, ())
            form = elementwise(lambda where, new, old: choose(where, new, old), key.form, form, self.form)
            key = Ellipsis
        self._write(_known_key(key), form)

    def _write(self, key: Any, value: Form) -> None:
        root = self._buffer.form
        value = elementwise(as_condition if is_truth(root) else as_number, value)
        if not self._steps and not isinstance(root, Listed) and len(root.shape) == 1:
            ends = _neighbours(key, root.shape[0])
            if ends is not None:
                start, stop = ends
                pieces = [elements.taken(root, slice(0, start)), elements.taken(root, slice(stop, None))]
                pieces.insert(1, forms.broadcast(value, (stop - start,)))
                self._buffer.write(elements.concatenated(pieces, 0))
                return
        nodes = listed(root).nodes.copy()
        view: Any = nodes
        for step in self._steps:
            view = _looked_at_nodes(view, step)
        new = listed(value).nodes
        view[key] = new.item() if new.ndim == 0 else new
        self._buffer.write(Listed(nodes))

    def _in_place(self, result: Any) -> Any:
        if result is NotImplemented:
            return result
        self[...] = result
        return self

    def fill(self, value: Any) -> None:
        self[...] = value

    def item(self, *place: Any) -> Any:
        return self.ravel()[0] if not place and self.size == 1 else self[place]

    def tolist(self) -> list[Any]:
        return [one.tolist() for one in self]

    # Shapes

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        wanted = shape_of(shape, self.size)
        if order == "F":
            return self.T.reshape(wanted[::-1]).T
        if wanted == ():
            return self.item()
        step = ("reshape", wanted)
        # As in NumPy, a view if possible, otherwise a copy.
        dummy = np.empty(self._buffer.form.shape, dtype=bool)
        before = dummy
        for one in self._steps:
            before = _looked_at_nodes(before, one)
        if np.shares_memory(dummy, _looked_at_nodes(before, step)):
            return Array(self._graph, self._buffer, (*self._steps, step))
        return wrapped(self._graph, forms.reshaped(self.form, wanted))

    def ravel(self, order: str = "C") -> Any:
        return self.reshape(-1, order=order)

    def flatten(self, order: str = "C") -> Any:
        return self.reshape(-1, order=order).copy()

    def transpose(self, *axes: Any) -> Any:
        if axes and not isinstance(axes[0], (int, np.integer)):
            axes = () if axes[0] is None else tuple(axes[0])
        order = tuple(int(axis) % self.ndim for axis in axes) or tuple(reversed(range(self.ndim)))
        return Array(self._graph, self._buffer, (*self._steps, ("transpose", order)))

    def swapaxes(self, one: int, other: int) -> Any:
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.transpose(order)

    def squeeze(self, axis: Any = None) -> Any:
        axes = axes_of(axis, self.ndim) if axis is not None else [k for k, n in enumerate(self.shape) if n == 1]
        if any(self.shape[k] != 1 for k in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self.reshape(tuple(n for k, n in enumerate(self.shape) if k not in axes))

    # Along an axis

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        no_out(out)
        return self._accumulated(NUMPY["add"], axis)

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        no_out(out)
        return self._accumulated(NUMPY["multiply"], axis)

    def _accumulated(self, function: NodeFunction, axis: int | None) -> Any:
        if axis is None:
            return self.ravel()._accumulated(function, 0)
        nodes = np.moveaxis(listed(elementwise(as_number, self.form)).nodes, axis, 0)
        rows: Any = nodes.reshape(len(nodes), -1).copy()
        for k in range(1, len(rows)):
            for column in range(rows.shape[1]):
                rows[k, column] = function(rows[k - 1, column], rows[k, column])
        return wrapped(self._graph, Listed(np.moveaxis(rows.reshape(nodes.shape), 0, axis)))

    def repeat(self, repeats: Any, axis: int | None = None) -> Any:
        return wrapped(self._graph, forms.of_results(np.repeat(listed(self.form).nodes, repeats, axis)))

    def take(self, indices: Any, axis: int | None = None) -> Any:
        if axis is None:
            return self.ravel()[np.asarray(indices)]
        return self[(slice(None),) * (axis % self.ndim) + (np.asarray(indices),)]


def _unsupported(name: str) -> Callable[..., Any]:
    def method(self: Symbolic, *args: Any, **options: Any) -> Any:
        raise failure(f"{name}() is not supported: its result depends on the order of values that are not known here")

    return method


for _name in ("sort", "argsort", "argmin", "argmax", "partition", "argpartition", "searchsorted", "nonzero"):
    setattr(Array, _name, _unsupported(_name))


def _add_in_place(name: str) -> None:
    binary = getattr(operator, f"{name}_" if name in ("and", "or") else name)

    def in_place(self: Array, other: Any) -> Any:
        return self._in_place(binary(self, other))

    setattr(Array, f"__i{name}__", in_place)


for _name in BINARY.keys() - {"lt", "le", "gt", "ge"}:
    _add_in_place(_name)


def _add_method(name: str, ufunc: np.ufunc) -> None:
    """Adds a method such as `sqrt`, because `np.sqrt` of an array of objects calls `element.sqrt()`."""

    def method(self: Scalar, *others: Any) -> Any:
        return ufunc(self, *others)

    setattr(Scalar, name, method)


for _name, _ufunc in METHODS.items():
    if not hasattr(Scalar, _name):
        _add_method(_name, _ufunc)


# Views


def _looked_at(form: Form, step: Step) -> Form:
    kind, what = step
    if kind == "index":
        return elements.taken(form, what)
    return forms.transposed(form, what) if kind == "transpose" else forms.reshaped(form, what)


def _looked_at_nodes(nodes: NDArray[Any], step: Step) -> NDArray[Any]:
    kind, what = step
    if kind == "index":
        looked_at: NDArray[Any] = nodes[what]
        return looked_at
    return nodes.transpose(what) if kind == "transpose" else nodes.reshape(what)


def _parts_of_key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _known_key(key: Any) -> Any:
    """Returns the key; an error if it has symbolic parts."""
    for one in _parts_of_key(key):
        parts = [one.start, one.stop, one.step] if isinstance(one, slice) else [one]
        symbolic = first_symbolic(parts)
        if symbolic is not None:
            raise hints.no_index(is_truth(symbolic.form))
    return key


def _neighbours(key: Any, length: int) -> tuple[int, int] | None:
    """The start and end of a key that selects contiguous elements, otherwise None."""
    if elements.is_integer(key):
        place = elements.checked(key, length, 0)
        return place, place + 1
    if key is Ellipsis:
        return 0, length
    if isinstance(key, slice):
        start, stop, step = key.indices(length)
        return (start, max(start, stop)) if step == 1 else None
    return None
