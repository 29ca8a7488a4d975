"""Calls a function with a symbolic vector, and writes its computation as an expression."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._each import Each
from . import forms, functions, shapes  # noqa: F401 (they register what NumPy's functions are)
from .errors import NotTraceable, at_definition, of_exception, watching
from .expression import BOUND, Fold, Graph, Node, as_number, moved, ordered
from .folds import substitute
from .lists import numpy_of_lists
from .loops import reordered
from .names import Names, arguments_of, arrays_in_scope
from .values import as_form, wrapped
from .writing import Writer


@dataclass(frozen=True)
class Traced:
    """A function of a vector of variables `x`, in the language of problem files.

    `formula` is the objective. It may use the named expressions in `lets`, each of which may use those before it, and
    the arrays in `data`.
    """

    formula: str
    lets: tuple[tuple[str, str], ...]
    data: dict[str, NDArray[np.float64] | Each] = field(default_factory=dict)
    constraints: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        rows = [f"{name} = {text}" for name, text in self.lets]
        rows.append(self.formula)
        rows += [f"{name}: {text}" for name, text in self.constraints]
        return "\n".join(rows)


@dataclass(frozen=True)
class TracedMany:
    """Several functions that share names and data.

    `formulas` has the expressions of each function, one for each number that it returns. `shapes` has the shapes of the
    results: () for a number, or (3,) for a vector of three numbers.
    """

    formulas: tuple[tuple[str, ...], ...]
    shapes: tuple[tuple[int, ...], ...]
    lets: tuple[tuple[str, str], ...]
    data: dict[str, NDArray[np.float64] | Each] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = [f"{name} = {text}" for name, text in self.lets]
        rows += [", ".join(texts) for texts in self.formulas]
        return "\n".join(rows)


def trace(
    fun: Callable[..., Any], dimensions: int, args: tuple[Any, ...] = (), *, reorder_sums: bool = False
) -> Traced:
    """Traces `fun(x, *args)` for a vector of `dimensions` numbers.

    The function is called once. Values that do not depend on `x` are constants of the trace, also random numbers, the
    time and counters. The function may change its vector, as in `x[0] = 1`; this does not affect the caller. The vector
    is not an `np.ndarray`, and its elements are not of type `float`, so a function should not check for these types.

    With `reorder_sums`, sums and products that a Python loop computes term by term become reductions over an index,
    which are compiled once. Their terms are then added in another order, as `np.sum` may also do.

    Raises NotTraceable if the function needs to know whether a condition on `x` holds, uses an index that depends on
    `x`, or calls a function that the language does not have.
    """
    graph = Graph(dimensions, arrays_in_scope(fun, args))
    node = _single_number(graph, fun, _result_of(graph, fun, args))
    (node,) = reordered([node]) if reorder_sums else [node]
    writer = _written(graph, [node], fun)
    return Traced(writer.formula(node), tuple(writer.lets), writer.data())


def trace_many(
    funs: Sequence[Callable[..., Any]],
    dimensions: int,
    args: tuple[Any, ...] | list[tuple[Any, ...]] = (),
    *,
    reorder_sums: bool = False,
) -> TracedMany:
    """Traces several functions of the same vector, such as an objective and constraints: each a number or a vector.

    `args` are the further arguments of all functions, or a list with a tuple for each function. See also `trace`.
    """
    each = args if isinstance(args, list) else [args] * len(funs)
    known = {key: value for fun, of in zip(funs, each) for key, value in arrays_in_scope(fun, of).items()}
    graph = Graph(dimensions, known)
    results = [_numbers(graph, fun, _result_of(graph, fun, of)) for fun, of in zip(funs, each)]
    nodes = [node for _, of_one in results for node in of_one]
    if reorder_sums:
        nodes = reordered(nodes)
    writer = _written(graph, nodes, funs[0] if funs else trace)
    formulas = iter([writer.formula(node) for node in nodes])
    return TracedMany(
        tuple(tuple(next(formulas) for _ in of_one) for _, of_one in results),
        tuple(shape for shape, _ in results),
        tuple(writer.lets),
        writer.data(),
    )


@dataclass(frozen=True)
class Part:
    """The prediction for consecutive rows: `formula` for row `i`, from 1 on; without `i` if it is the same for all."""

    formula: str
    rows: int
    has_row: bool


@dataclass(frozen=True)
class TracedRows:
    """A model of rows of data, with a vector of parameters `x`.

    The parts follow each other; the rows of one part have the same formula. `names` generates unused names.
    """

    parts: tuple[Part, ...]
    lets: tuple[tuple[str, str], ...]
    data: dict[str, NDArray[np.float64] | Each]
    names: Names


def trace_rows(
    fun: Callable[..., Any], parameters: int, x: NDArray[np.float64] | Each, *, known: bool = False, alone: bool = False
) -> TracedRows:
    """Traces `fun(x, a, b, ...)` for each row of `x`, which is (rows,) or (k, rows), or an `Each` of one for each run.

    With `known`, the function receives the numbers of `x`, and may use them in any computation. Otherwise they are
    symbolic, so that the text does not depend on them. With `alone`, the prediction for a row may depend only on that
    row of `x`. See also `trace`.
    """
    graph = Graph(parameters, arrays_in_scope(fun, ()))
    array = x.array[0] if isinstance(x, Each) else x
    rows = array.shape[-1]
    name = (_first_argument(fun) or "t").strip("_")
    of_x = forms.of_runs(graph, x.array, name) if isinstance(x, Each) else forms.of_table(graph, x, name)
    table = of_x.node.value[0]
    seen = x if known else wrapped(graph, of_x)
    form = _form_of_result(graph, fun, _result_of(graph, lambda vector: fun(seen, *vector), ()))
    if form.shape not in ((), (1,), (rows,)):
        reason = f"{_name_of(fun)} returned an array of shape {form.shape}; allowed: ({rows},), one number for each row"
        raise at_definition(reason, fun)
    if form.shape == (1,):
        form = forms.single(forms.listed(form).nodes.item())
    parts = [(rows, form.node)] if isinstance(form, forms.Regular) else []
    # A data column of a problem file has at least two rows.
    if isinstance(form, forms.Joined) and not alone and min(length for length, _ in form.parts) > 1:
        parts = list(form.parts)
    if not parts:
        reason = f"{_name_of(fun)} computes rows each in its own way; allowed: the same for each row, as with np.where"
        raise at_definition(reason, fun)
    if alone and not _is_of_row_alone(parts[0][1], table):
        reason = f"{_name_of(fun)} computes rows of more than that row of the first argument"
        raise at_definition(reason, fun)
    # Write the formula as the body of a sum over all rows of a part, from which the writer knows the number of rows.
    nodes = [(length, BOUND + node.height, substitute(node, {0: moved(BOUND + node.height)})) for length, node in parts]
    sums = [graph.make("fold", (node,), Fold("sum", index, length)) for length, index, node in nodes]
    writer = _written(graph, sums, fun)
    written = tuple(Part(writer.formula(node, index), length, index in node.free) for length, index, node in nodes)
    return TracedRows(written, tuple(writer.lets), writer.data(), writer.names)


def _is_of_row_alone(node: Node, table: int) -> bool:
    for one in ordered([node]):
        if one.kind == "element" and one.value[0] == table:
            *others, last = one.value[1]
            if last != moved(0) or any(at.coefficient(0) for at in others):
                return False
        elif one.kind in ("element", "index") and 0 in one.free:
            return False
    return True


def _first_argument(fun: Callable[..., Any]) -> str | None:
    try:
        return next(iter(inspect.signature(fun).parameters), None)
    except (TypeError, ValueError):
        return None


def _name_of(fun: Callable[..., Any]) -> str:
    return str(getattr(fun, "__name__", type(fun).__name__))


def _result_of(graph: Graph, fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    with watching() as watch:
        try:
            with numpy_of_lists(), np.errstate(all="ignore"):
                result = _call_function(fun, wrapped(graph, forms.vector(graph)), _symbolic(graph, fun, args))
        except Exception as raised:
            # Report the first failure, if the function has replaced it by another exception.
            if watch.first is not None:
                raise watch.first from (None if raised is watch.first else raised)
            if isinstance(raised, NotTraceable):
                raise
            raise of_exception(raised) from raised
        if watch.first is not None:
            raise watch.first
        return result


def _symbolic(graph: Graph, fun: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, with symbolic arrays instead of those of `each`."""
    if not any(isinstance(one, Each) for one in args):
        return args
    names = [*arguments_of(fun), *[None] * len(args)]
    return tuple(
        wrapped(graph, forms.of_runs(graph, one.array, name)) if isinstance(one, Each) else one
        for one, name in zip(args, names)
    )


def _call_function(fun: Callable[..., Any], x: Any, args: tuple[Any, ...]) -> Any:
    # `errors` searches the stack for the user's code up to this frame.
    return fun(x, *args)


def _written(graph: Graph, nodes: Sequence[Node], fun: Callable[..., Any]) -> Writer:
    try:
        return Writer(graph, nodes, Names())
    except NotTraceable as error:
        raise at_definition(error.reason, fun) from None


# Results


def _form_of_result(graph: Graph, fun: Callable[..., Any], result: Any) -> forms.Form:
    name = getattr(fun, "__name__", type(fun).__name__)
    if result is None:
        raise at_definition(f"{name} returned None; allowed: a number (is `return` missing?)", fun)
    try:
        form = as_form(graph, result)
    except TypeError:
        raise at_definition(f"{name} returned {type(result).__name__}; allowed: a number", fun) from None
    except (ValueError, NotTraceable) as error:
        raise at_definition(f"{name} returned {type(result).__name__}: {error}; allowed: a number", fun) from None
    return forms.elementwise(as_number, form)


def _single_number(graph: Graph, fun: Callable[..., Any], result: Any) -> Node:
    form = _form_of_result(graph, fun, result)
    if int(np.prod(form.shape)) != 1:
        name = getattr(fun, "__name__", type(fun).__name__)
        raise at_definition(
            f"{name} returned an array of shape {form.shape}; allowed: one number, such as np.sum of it", fun
        )
    return next(forms.nodes_of(form))


def _numbers(graph: Graph, fun: Callable[..., Any], result: Any) -> tuple[tuple[int, ...], list[Node]]:
    """The shape of a result, and its numbers as a list."""
    form = _form_of_result(graph, fun, result)
    if len(form.shape) > 1:
        name = getattr(fun, "__name__", type(fun).__name__)
        raise at_definition(f"{name} returned an array of shape {form.shape}; allowed: a number, or a vector", fun)
    try:
        return form.shape, list(forms.listed(form).nodes.flat)
    except NotTraceable as error:
        raise at_definition(error.reason, fun) from None
