"""Lists that contain symbolic values, and NumPy's functions that accept such lists."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from .array import Array
from .expression import Graph
from .values import Symbolic, as_form, first_symbolic, of_list, wrapped

# Functions that create arrays, and whether they copy.
_MAKERS = {"array": True, "asarray": False, "asanyarray": False, "ascontiguousarray": False, "asfarray": False}
# Functions that accept a list as an array. For a list, NumPy does not call the hooks of its elements' class.
_OF_ARRAYS = "sum prod mean std var min max amin amax any all dot".split()

_lock = threading.RLock()
_traces = 0


@contextmanager
def numpy_of_lists() -> Iterator[None]:
    """Makes `np.asarray(x)` and `np.sum([x[0], x[1]])` accept symbolic values while a function is traced.

    There is no other way. NumPy calls the hooks of our classes in most functions, but not in these. There it would
    create arrays of objects, which do not know that the elements of `x` have one common expression. For all other
    values, also in other threads, these functions behave as usual.
    """
    global _traces
    with _lock:
        if _traces == 0:
            _replace()
        _traces += 1
    try:
        yield
    finally:
        with _lock:
            _traces -= 1
            if _traces == 0:
                _restore()


_originals: dict[tuple[Any, str], Any] = {}


def _replace() -> None:
    for name, copies in _MAKERS.items():
        if name in vars(np):
            _originals[np, name] = vars(np)[name]
            setattr(np, name, _maker(vars(np)[name], copies))
    for module, name in [*((np, name) for name in _OF_ARRAYS), (np.linalg, "norm")]:
        _originals[module, name] = getattr(module, name)
        setattr(module, name, _of_array(getattr(module, name)))


def _restore() -> None:
    for (module, name), original in _originals.items():
        setattr(module, name, original)
    _originals.clear()


def _maker(original: Callable[..., Any], copies: bool) -> Callable[..., Any]:
    @wraps(original)
    def make(value: Any, *args: Any, **options: Any) -> Any:
        symbolic = None if isinstance(value, np.ndarray) else first_symbolic(value)
        if symbolic is None:
            return original(value, *args, **options)
        return _array_of(symbolic._graph, value, copies, *args, **options)

    return make


def _array_of(
    graph: Graph,
    value: Any,
    copies: bool,
    dtype: Any = None,
    *,
    copy: Any = None,
    ndmin: int = 0,
    order: Any = None,
    subok: bool = False,
    like: Any = None,
) -> Any:
    array: Any = value if isinstance(value, Symbolic) else wrapped(graph, as_form(graph, value))
    if dtype is not None:
        array = array.astype(dtype) if np.dtype(dtype).kind != "O" else array
    # NumPy's own code passes an enumeration whose value is True if it copies.
    wants_copy = copies if copy is None else getattr(copy, "value", copy) is True
    if wants_copy and isinstance(array, Array):
        array = array.copy()
    return array.reshape((1,) * (ndmin - array.ndim) + array.shape) if ndmin > array.ndim else array


def _of_array(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def function(*args: Any, **options: Any) -> Any:
        return original(*map(_made_array, args), **options)

    return function


def _made_array(value: Any) -> Any:
    """Converts a list with symbolic values to a symbolic array; returns other values unchanged."""
    if not isinstance(value, (list, tuple)):
        return value
    symbolic = first_symbolic(value)
    return value if symbolic is None else wrapped(symbolic._graph, of_list(symbolic._graph, value))
