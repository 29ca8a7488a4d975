"""The base class of symbolic numbers and arrays, and conversions between Python values and forms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import elements, forms, hints
from .constants import constant
from .errors import failure
from .expression import Graph, as_condition, as_number
from .forms import Form, elementwise, is_truth, single
from .ufuncs import NUMPY, NodeFunction

# NumPy's functions accept symbolic values here, which their type annotations do not allow.
_np: Any = np


class Symbolic:
    """The base class of symbolic numbers and arrays."""

    # With these, arrays of NumPy and pandas leave operators to this class.
    __array_priority__ = 1000.0
    __pandas_priority__ = 10_000

    _graph: Graph

    @property
    def form(self) -> Form:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __repr__(self) -> str:
        kind = "condition" if is_truth(self.form) else "number"
        return f"<symbolic {kind}{'s' if self.shape else ''}{f' of shape {self.shape}' if self.shape else ''}>"

    def __format__(self, spec: str) -> str:
        return repr(self)

    # Operators

    def _with(self, function: NodeFunction, *operands: Any) -> Any:
        """Applies a function of single expressions; returns NotImplemented if an operand is not numeric."""
        try:
            of_operands = [as_form(self._graph, one) for one in operands]
        except TypeError:
            return NotImplemented
        return wrapped(self._graph, elementwise(function, *of_operands))

    def __neg__(self) -> Any:
        return self._with(NUMPY["negative"], self)

    def __pos__(self) -> Any:
        return self._with(NUMPY["positive"], self)

    def __abs__(self) -> Any:
        return self._with(NUMPY["absolute"], self)

    def __invert__(self) -> Any:
        return self._with(NUMPY["invert"], self)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __matmul__(self, other: Any) -> Any:
        return _np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _np.matmul(other, self)

    # `_add_operators` sets these below.
    __add__: Callable[..., Any]
    __radd__: Callable[..., Any]
    __sub__: Callable[..., Any]
    __rsub__: Callable[..., Any]
    __mul__: Callable[..., Any]
    __rmul__: Callable[..., Any]
    __truediv__: Callable[..., Any]
    __rtruediv__: Callable[..., Any]
    __floordiv__: Callable[..., Any]
    __rfloordiv__: Callable[..., Any]
    __mod__: Callable[..., Any]
    __rmod__: Callable[..., Any]
    __rpow__: Callable[..., Any]
    __and__: Callable[..., Any]
    __or__: Callable[..., Any]
    __xor__: Callable[..., Any]
    __lt__: Callable[..., Any]
    __le__: Callable[..., Any]
    __gt__: Callable[..., Any]
    __ge__: Callable[..., Any]

    def __pow__(self, other: Any) -> Any:
        return self._with(NUMPY["power"], self, other)

    def __eq__(self, other: object) -> Any:
        return self._with(NUMPY["equal"], self, other)

    def __ne__(self, other: object) -> Any:
        return self._with(NUMPY["not_equal"], self, other)

    # Operations that need numbers

    def __bool__(self) -> bool:
        raise hints.no_truth()

    def __float__(self) -> float:
        raise hints.no_number()

    def __complex__(self) -> complex:
        raise failure("complex numbers are not supported")

    def __int__(self) -> int:
        raise hints.no_integer()

    def __index__(self) -> int:
        raise hints.no_integer()

    def __hash__(self) -> int:
        raise hints.no_key()

    # NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from .dispatch import call_ufunc

        return call_ufunc(self._graph, ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        from .dispatch import call_function

        return call_function(self._graph, function, args, options)

    # Methods of both numbers and arrays of NumPy

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("sum", axis, keepdims, out, dtype)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("prod", axis, keepdims, out, dtype)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("mean", axis, keepdims, out, dtype)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("min", axis, keepdims, out)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("max", axis, keepdims, out)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("any", axis, keepdims, out)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("all", axis, keepdims, out)

    def _reduced(self, reduction: str, axis: Any, keepdims: bool, out: Any = None, dtype: Any = None) -> Any:
        no_out(out)
        if dtype is not None and np.dtype(dtype) != np.float64:
            raise failure(f"{reduction}(dtype={np.dtype(dtype)}) is not supported; allowed: float")
        form = forms.truth_of(self.form) if reduction in ("any", "all") else self.form
        return wrapped(self._graph, forms.reduced(form, reduction, axes_of(axis, self.ndim), bool(keepdims)))

    def var(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        no_out(out)
        apart = self - self.mean(axis, keepdims=True)
        count = np.prod([self.shape[k] for k in axes_of(axis, self.ndim)])
        return (apart**2).sum(axis, keepdims=keepdims) / (count - ddof)

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        return _np.sqrt(self.var(axis, dtype, out, ddof, keepdims))

    def ptp(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self.max(axis, out, keepdims) - self.min(axis, out, keepdims)

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        no_out(out)
        result: Any = self
        if min is not None:
            result = _np.maximum(result, min)
        return result if max is None else _np.minimum(result, max)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        no_out(out)
        if decimals == 0:
            return _np.rint(self)
        scale = 10.0 ** abs(decimals)
        return _np.rint(self * scale) / scale if decimals > 0 else _np.rint(self / scale) * scale

    def dot(self, other: Any) -> Any:
        return _np.dot(self, other)

    def conj(self) -> Any:
        return self

    conjugate = conj

    @property
    def real(self) -> Any:
        return self

    @property
    def imag(self) -> Any:
        return self * 0.0

    @property
    def T(self) -> Any:
        return self.transpose()

    def transpose(self, *axes: Any) -> Any:
        return self

    def copy(self, order: str = "C") -> Any:
        return wrapped(self._graph, self.form)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """For float types the same values; for integer types the truncated ones."""
        kind = np.dtype(dtype).kind
        if kind == "f" and np.dtype(dtype).itemsize < 8:
            raise failure(
                f"{np.dtype(dtype)} within a function is not supported; choose the precision of the whole run"
            )
        whole = as_number if is_truth(self.form) else NUMPY["trunc"]
        functions: dict[str, NodeFunction] = {"f": as_number, "i": whole, "u": whole, "b": as_condition}
        if kind == "O":
            return self.copy()
        if kind not in functions:
            raise failure(f"an array of type {np.dtype(dtype)} is not supported; allowed: float, int and bool")
        return self._with(functions[kind], self)


BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}


def _add_operators(name: str, function: NodeFunction) -> None:
    def forwards(self: Symbolic, other: Any) -> Any:
        return self._with(function, self, other)

    def backwards(self: Symbolic, other: Any) -> Any:
        return self._with(function, other, self)

    if name != "pow":
        setattr(Symbolic, f"__{name}__", forwards)
    if name not in ("lt", "le", "gt", "ge"):
        setattr(Symbolic, f"__r{name}__", backwards)


for _name, _function in BINARY.items():
    _add_operators(_name, NUMPY[_function])


# Conversion from and to Python values


def wrapped(graph: Graph, form: Form) -> Any:
    """A form as a value for the user's function."""
    from .array import Array, Buffer, Scalar

    if form.shape == ():
        return Scalar(graph, single(next(forms.nodes_of(form))))
    return Array(graph, Buffer(form))


def as_form(graph: Graph, value: Any) -> Form:
    """The form of a symbolic value or of numbers. Raises TypeError for other objects."""
    if isinstance(value, Symbolic):
        if value._graph is not graph:
            raise failure("a value of an earlier call is used, which a function must not keep between its calls")
        return value.form
    if isinstance(value, (bool, np.bool_)):
        return single(graph.truth(bool(value)))
    if isinstance(value, (complex, np.complexfloating)):
        raise failure("complex numbers are not supported")
    if isinstance(value, (Real, np.number)):
        return single(graph.number(float(value)))
    if isinstance(value, (list, tuple)):
        if first_symbolic(value) is not None:
            return of_list(graph, value)
        return _of_array(graph, np.asarray(value))
    if isinstance(value, np.ndarray):
        return _of_array(graph, value)
    if hasattr(value, "__array__"):
        # For example a pandas column.
        return _of_array(graph, np.asarray(value))
    raise TypeError(f"{type(value).__name__} is no number")


def _of_array(graph: Graph, array: NDArray[Any]) -> Form:
    kind = array.dtype.kind
    if kind == "c":
        raise failure("complex numbers are not supported")
    if kind == "O":
        nodes = np.empty(array.shape, dtype=object)
        for place in np.ndindex(*array.shape):
            nodes[place] = next(forms.nodes_of(as_form(graph, array[place])))
        return forms.of_nodes(nodes)
    if kind not in "biuf":
        raise TypeError(f"an array of type {array.dtype} is not of numbers")
    return constant(graph, array)


def of_list(graph: Graph, values: Sequence[Any]) -> Form:
    """The array that `np.array` would create from a list with symbolic values."""
    parts = [as_form(graph, value) for value in values]
    shapes = {part.shape for part in parts}
    if len(shapes) > 1:
        raise ValueError(f"an array of parts with different shapes: {', '.join(map(str, sorted(shapes)))}")
    return elements.stacked(parts)


def first_symbolic(value: Any) -> Symbolic | None:
    """The first symbolic value in nested lists, tuples and arrays of objects; None if there is none."""
    if isinstance(value, Symbolic):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.reshape(-1).tolist()
    if isinstance(value, (list, tuple)):
        return next((found for found in map(first_symbolic, value) if found is not None), None)
    return None


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that an argument `axis` selects."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(map(operator.index, axis)) if isinstance(axis, (tuple, list)) else (operator.index(axis),)
    for one in axes:
        if not -ndim <= one < ndim:
            raise ValueError(f"axis {one} is out of bounds for array of dimension {ndim}")
    return tuple(one % ndim for one in axes)


def shape_of(shape: tuple[Any, ...], size: int) -> tuple[int, ...]:
    """The shape from the arguments of `reshape`, with -1 replaced by the length that it stands for."""
    if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)):
        shape = tuple(shape[0])
    # NumPy checks the arguments.
    dummy: NDArray[Any] = np.broadcast_to(np.empty((), dtype=bool), (size,))
    return dummy.reshape(tuple(map(operator.index, shape))).shape


def no_out(out: Any) -> None:
    if out is not None:
        raise failure("out= is not supported; write the result to a name, as in y = np.sum(x)")
