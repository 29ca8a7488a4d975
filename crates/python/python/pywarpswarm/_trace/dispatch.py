"""The table from functions of NumPy to our functions.

`@of("sum", ...)` names the functions of NumPy that a function replaces. It is called with the user's arguments. An
argument that it does not have is an error, unless its value is NumPy's default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import hints
from .array import Array
from .errors import failure
from .expression import Graph
from .forms import elementwise
from .ufuncs import NUMPY, function_of
from .values import Symbolic, as_form, wrapped

_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


def of(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the replacement of functions of NumPy, by name. Names that this version of NumPy lacks are ignored."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            found: Any = np
            for part in name.split("."):
                found = getattr(found, part, None)
            if found is not None:
                _FUNCTIONS[found] = function
        return function

    return register


def call_function(graph: Graph, function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Handles a call of a function of NumPy with symbolic values."""
    known = _FUNCTIONS.get(function)
    name = f"{getattr(function, '__module__', 'numpy')}.{function.__name__}".replace("numpy", "np", 1)
    if known is None:
        raise hints.not_supported(name)
    parameters = inspect.signature(known).parameters
    options = {key: value for key, value in options.items() if key in parameters or not _is_usual(key, value)}
    try:
        inspect.signature(known).bind(graph, *args, **options)
    except TypeError:
        given = " and ".join(f"{key}=" for key in options if key not in parameters) or f"{len(args)} arguments"
        allowed = ", ".join(list(parameters)[1:])
        raise failure(f"{name} with {given} is not supported; allowed: {allowed}") from None
    return known(graph, *args, **options)


def _is_usual(key: str, value: Any) -> bool:
    """Whether an argument has NumPy's default value."""
    if key == "dtype" and value is not None:
        return bool(np.dtype(value) == np.float64)
    return value is None or value is getattr(np, "_NoValue", None)


# Ufuncs


def call_ufunc(graph: Graph, ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """Handles a call of a ufunc, or of one of its methods, with symbolic values."""
    out = options.pop("out", (None,))
    for key in ("casting", "order", "subok", "dtype"):
        options.pop(key, None)
    if options.get("where", True) is True:
        options.pop("where", None)
    result = _ufunc_result(graph, ufunc, method, inputs, options)
    target = out[0] if isinstance(out, tuple) else out
    if target is None:
        return result
    if not isinstance(target, Array):
        raise failure(
            f"the result of np.{ufunc.__name__} depends on x, which an array of NumPy cannot hold; "
            "write a = a + b instead of a += b"
        )
    target[...] = result
    return target


def _ufunc_result(graph: Graph, ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    name = ufunc.__name__
    if method == "__call__" and not options:
        if name == "matmul":
            return _FUNCTIONS[np.matmul](graph, *inputs)
        if name == "vecdot":
            return _called(graph, np.multiply, *inputs).sum(-1)
        if name == "divmod":
            return inputs[0] // inputs[1], inputs[0] % inputs[1]
        if name == "modf":
            return _called(graph, np.fmod, inputs[0], 1.0), _called(graph, np.trunc, inputs[0])
        return _called(graph, ufunc, *inputs)
    if method == "reduce" and set(options) <= {"axis", "keepdims"}:
        reductions = {
            "add": "sum",
            "multiply": "prod",
            "minimum": "min",
            "maximum": "max",
            "logical_and": "all",
            "logical_or": "any",
        }
        if name in reductions:
            array = array_of(graph, inputs[0])
            return array._reduced(reductions[name], options.get("axis", 0), options.get("keepdims", False))
    if method == "accumulate" and name in ("add", "multiply") and set(options) <= {"axis"}:
        array = array_of(graph, inputs[0])
        return array._accumulated(NUMPY[name], options.get("axis", 0))
    if method == "outer" and not options:
        a, b = (array_of(graph, one) for one in inputs)
        return ufunc(a.reshape(*a.shape, *(1,) * b.ndim), b)
    what = name if method == "__call__" else f"{name}.{method}"
    given = "".join(f" with {key}=" for key in options)
    raise failure(f"np.{what}{given} is not supported for values that depend on x")


def _called(graph: Graph, ufunc: np.ufunc, *inputs: Any) -> Any:
    return wrapped(graph, elementwise(function_of(ufunc), *(as_form(graph, one) for one in inputs)))


def array_of(graph: Graph, value: Any) -> Any:
    """Converts a value, also a constant, to a symbolic value."""
    return value if isinstance(value, Symbolic) else wrapped(graph, as_form(graph, value))


def vector_of(graph: Graph, value: Any) -> Any:
    """Converts a value to a symbolic array of at least one dimension."""
    array = array_of(graph, value)
    return array.reshape(1) if array.ndim == 0 else array
