"""Objectives, and the ways to evaluate them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _native
from ._arrays import Place
from ._constraints import Constraint
from ._each import Each, of_run, shared_and_own
from ._problem import Problem, arrays, document
from ._settings import Variables, variables
from ._workers import Workers, mapped

if TYPE_CHECKING:
    from ._trace import Traced

Objective = Union[Problem, str, Callable[..., Any]]


class CompileWarning(UserWarning):
    """A Python function could not be compiled, and is called at each point instead."""


@dataclass
class Wanted:
    """An objective in the form that the compiled part accepts."""

    native: _native.Problem | Callable[..., Any]
    how: str
    # None if the problem contains them.
    variables: Variables | None
    dimensions: int
    # Whether violations up to a falling level are ignored at first. Equations and narrow bands need this.
    eased: bool
    close: Callable[[], None] = lambda: None
    # Whether it is a function of `DevicePoints`.
    on_device: bool = False

    @property
    def is_compiled(self) -> bool:
        return isinstance(self.native, _native.Problem)


def trace(fun: Callable[..., Any], n: int, args: Sequence[Any] = ()) -> Traced:
    """Returns what a Python function of a vector of n numbers is compiled to. Printed, it is an expression.

        >>> print(trace(lambda x: np.sum(x**2), 3))
        sum(i, x[i]^2)

    The expression is in the language of problem files. A function that cannot be traced, for example because of
    `if x[0] > 1`, raises an error that names the line.
    """
    from ._trace import trace

    return trace(fun, n, tuple(args))


def check(fun: Callable[..., Any], bounds: Any, *, args: Sequence[Any] = (), points: int = 1000, rng: int = 0) -> float:
    """Compares a Python function with its compiled form at random points; returns the largest relative difference.

    Both are evaluated in double precision. The compiled form adds sums in another order than NumPy, so a difference of
    about 1e-15 is normal, and a larger one if large numbers cancel.
    """
    box = variables(bounds)
    problem = compiled(trace(fun, box.dimensions, args), box)
    x = np.random.default_rng(rng).uniform(box.lower, box.upper, (points, box.dimensions))
    by_python = np.array([_number(fun(row.copy(), *args), row) for row in x])
    by_problem, _, _ = problem.evaluate(x)
    is_same = (by_python == by_problem) | (np.isnan(by_python) & np.isnan(by_problem))
    with np.errstate(all="ignore"):
        difference = np.abs(by_python - by_problem) / np.abs(by_python)
    return float(np.max(np.where(is_same, 0.0, np.nan_to_num(difference, nan=np.inf)), initial=0.0))


def compiled(traced: Traced, box: Variables, name: str = "objective", maximise: bool = False) -> _native.Problem:
    """A traced function as a problem with these variables."""
    x: dict[str, Any] = {"count": box.dimensions, "lower": box.lower, "upper": box.upper}
    if box.integer.any():
        x["scale"] = box.scales
    sense = "maximise" if maximise else "minimise"
    table: dict[str, Any] = {sense: traced.formula, "variables": {"x": x}}
    if traced.lets:
        table["let"] = dict(traced.lets)
    if traced.constraints:
        table["constraints"] = dict(traced.constraints)
    shared, own = shared_and_own(traced.data)
    return _native.Problem.parse(document(table), name, arrays(shared), own)


def wanted(
    fun: Objective,
    box: Variables | None,
    *,
    args: tuple[Any, ...],
    constraints: list[Constraint],
    vectorized: bool,
    workers: Workers,
    compile: bool | None,
    maximise: bool,
    dtype: type[np.floating[Any]],
    place: Place | None = None,
) -> Wanted:
    """Chooses how to evaluate `fun`: as a problem, an expression, a traced function, or a function that is called."""
    if isinstance(fun, Problem) and maximise:
        raise ValueError("a Problem says minimise or maximise by itself; allowed: minimize, which does what it says")
    if isinstance(fun, str):
        fun = _by_text(fun, box, maximise)
    if isinstance(fun, Problem):
        if constraints:
            raise ValueError("constraints of a Problem belong to it: Problem(..., constraints=[...])")
        return Wanted(
            fun._native,
            "compiled",
            None,
            len(fun.variables),
            eased=fun._native.is_tight,
        )
    if not callable(fun):
        raise TypeError(
            f"fun is of type {type(fun).__name__}; allowed: a function, a Problem, or a text: an expression, or the path of a "
            "problem file"
        )
    if box is None:
        raise TypeError("bounds are missing: a pair (lower, upper) for each variable")
    if place is not None:
        if constraints:
            raise ValueError(
                f"a function of {place.library.name} arrays says itself by how much points violate constraints: it returns "
                "values and violations; allowed: no constraints"
            )
        native = _arrays.objective(fun, args, place, dtype)
        return Wanted(native, place.how, box, box.dimensions, eased=False, on_device=place.is_shared)
    name = getattr(fun, "__name__", type(fun).__name__)
    is_worth_tracing = not vectorized and workers == 1
    if compile or (compile is None and is_worth_tracing):
        # Imported here, because the import takes a while.
        from ._trace import NotTraceable

        try:
            problem = _by_tracing(fun, box, args, constraints, name, maximise)
            if compile is None:
                _compare(fun, args, problem, box)
            return Wanted(problem, "traced and compiled", None, box.dimensions, eased=problem.is_tight)
        except (NotTraceable, ValueError) as reason:
            if compile:
                raise
            warnings.warn(
                f"{name} is called at each point, since it cannot be compiled: {reason}",
                CompileWarning,
                stacklevel=4,
            )
    if vectorized:
        native, how, close = _of_population(fun, args, constraints, dtype), "vectorized function", (lambda: None)
    else:
        native, how, close = _of_point(fun, args, constraints, dtype, workers)
    is_tight = any(constraint.is_tight for constraint in constraints)
    return Wanted(native, how, box, box.dimensions, eased=is_tight, close=close)


def _by_tracing(
    fun: Callable[..., Any],
    box: Variables,
    args: tuple[Any, ...],
    constraints: list[Constraint],
    name: str,
    maximise: bool,
) -> _native.Problem:
    """Compiles a function in Python's order of operations; if that is too long, with loops rewritten as sums."""
    try:
        return compiled(_traced(fun, box.dimensions, args, constraints), box, name, maximise)
    except ValueError as too_long:
        in_another_order = _traced(fun, box.dimensions, args, constraints, reorder_sums=True)
        try:
            return compiled(in_another_order, box, name, maximise)
        except ValueError:
            raise too_long from None


def _traced(
    fun: Callable[..., Any],
    dimensions: int,
    args: tuple[Any, ...],
    constraints: list[Constraint],
    reorder_sums: bool = False,
) -> Traced:
    """Traces an objective together with its constraints, which become conditions."""
    from ._trace import NotTraceable, Traced, trace, trace_many

    if not constraints:
        return trace(fun, dimensions, args, reorder_sums=reorder_sums)
    every = [args, *(constraint.args for constraint in constraints)]
    functions = [fun, *(constraint.fun for constraint in constraints)]
    both = trace_many(functions, dimensions, every, reorder_sums=reorder_sums)
    if len(both.formulas[0]) != 1:
        raise NotTraceable(f"the objective has the shape {both.shapes[0]}; allowed: one number")
    conditions = []
    for number, (constraint, formulas) in enumerate(zip(constraints, both.formulas[1:]), 1):
        sides = constraint.limits((len(formulas),))
        for at, (formula, lower, upper) in enumerate(zip(formulas, *(side.tolist() for side in sides)), 1):
            name = f"c{number}" if len(formulas) == 1 else f"c{number}[{at}]"
            conditions.append((name, _condition(formula, lower, upper)))
    shown = tuple((name, text) for name, text in conditions if text)
    return Traced(both.formulas[0][0], both.lets, both.data, shown)


def _condition(formula: str, lower: float, upper: float) -> str:
    if lower == upper:
        return f"{formula} == {lower!r}"
    below = f"{lower!r} <= " if lower > -np.inf else ""
    above = f" <= {upper!r}" if upper < np.inf else ""
    return f"{below}{formula}{above}" if below or above else ""


def _compare(fun: Callable[..., Any], args: tuple[Any, ...], problem: _native.Problem, box: Variables) -> None:
    """Raises an error if a function and its compiled form differ at some points.

    They differ, for example, if the function draws random numbers or counts its calls.
    """
    from ._trace import NotTraceable

    difference = first_difference(fun, args, problem, box)
    if difference is not None:
        raise NotTraceable(
            f"{difference}; random numbers, the time and counters are constants once it is compiled (compile=True compiles "
            "it all the same)"
        )


def first_difference(
    fun: Callable[..., Any], args: tuple[Any, ...], problem: _native.Problem, box: Variables
) -> str | None:
    """Compares a function and a problem at three points; returns a description of the first difference."""
    draws = np.random.default_rng(0)
    points = draws.uniform(box.lower, box.upper, (3, box.dimensions))
    points[:, box.integer] = np.rint(points[:, box.integer])
    run = (problem.runs or 1) - 1
    by_problem = problem.evaluate(points, run)[0]
    for x, value in zip(points, by_problem.tolist()):
        by_python = _number(fun(x.copy(), *of_run(args, run)), x)
        if not np.isclose(by_python, value, rtol=1e-6, atol=1e-9, equal_nan=True):
            return f"it gives {by_python!r} at {x}, and compiled {value!r}"
    return None


def _by_text(text: str, box: Variables | None, maximise: bool) -> Problem:
    if text.endswith(".toml"):
        if maximise:
            raise ValueError(f"{text} says minimise or maximise by itself; allowed: minimize, which does what it says")
        return Problem.from_file(text)
    if text in _names():
        raise TypeError(f"{text!r} is the name of a problem; write Problem.named({text!r}, n), which has its bounds")
    if box is None:
        raise TypeError("bounds are missing: a pair (lower, upper) for each variable x[1], x[2], ...")
    x: dict[str, Any] = {"count": box.dimensions, "lower": box.lower, "upper": box.upper}
    if box.integer.any():
        x["scale"] = box.scales
    return Problem(maximise=text, variables={"x": x}) if maximise else Problem(text, variables={"x": x})


def _names() -> set[str]:
    return {str(about["name"]) for about in _native.problems()}


def _number(value: Any, x: NDArray[Any]) -> float:
    """Converts the value that a function has returned at `x`."""
    try:
        return float(value)
    except (TypeError, ValueError):
        pass
    array = np.asarray(value)
    if array.size == 1 and array.dtype.kind in "fiub":
        return float(array.reshape(()))
    if value is None:
        raise TypeError(f"the objective returned None at {x}; allowed: a number (is `return` missing?)")
    raise TypeError(f"the objective returned {type(value).__name__} of shape {array.shape} at {x}; allowed: a number")


# The types that most functions return.
_NUMBERS = frozenset({float, np.float64})


class _AtPoint:
    """Evaluates the objective and the violation at a point of a run."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], constraints: list[Constraint]) -> None:
        self.fun, self.args, self.constraints = fun, args, constraints

    def __call__(self, point: tuple[NDArray[Any], int]) -> tuple[float, float]:
        x, run = point
        violation = sum(constraint.violation(x, run) for constraint in self.constraints)
        return _number(self.fun(x, *of_run(self.args, run)), x), violation


def _of_point(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    constraints: list[Constraint],
    dtype: type[np.floating[Any]],
    workers: Workers,
) -> tuple[Callable[..., Any], str, Callable[[], None]]:
    if workers == 1 and not constraints and not any(isinstance(one, Each) for one in args):
        # As little as possible between two calls, because some functions take only a microsecond.
        def alone(points: NDArray[Any], runs: NDArray[Any]) -> Any:
            values = []
            for x in points:
                value = fun(x, *args)
                values.append(value if type(value) in _NUMBERS else _number(value, x))
            return np.asarray(values, dtype=np.float64).astype(dtype)

        return alone, "function", (lambda: None)
    values, close = mapped(workers, _AtPoint(fun, args, constraints))

    def native(points: NDArray[Any], runs: NDArray[Any]) -> Any:
        both = np.asarray(values(zip(points, runs.tolist())), dtype=np.float64).reshape(len(points), 2).astype(dtype)
        return both[:, 0].copy(), both[:, 1].copy()

    how = "function" if workers == 1 else "function, in worker processes"
    return native, how, close


def _of_population(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    constraints: list[Constraint],
    dtype: type[np.floating[Any]],
) -> Callable[..., Any]:
    def native(points: NDArray[Any], runs: NDArray[Any]) -> Any:
        values, violations = _arrays.both(fun(points, *of_run(args, runs)))
        values = _arrays.one_each(np.asarray(values), points.shape).astype(dtype)
        if violations is not None:
            violations = _arrays.one_each(np.asarray(violations), points.shape).astype(dtype)
        if constraints:
            of_constraints = [sum(one.violation(*of) for one in constraints) for of in zip(points, runs.tolist())]
            violations = np.asarray(of_constraints, dtype=dtype) + (0 if violations is None else violations)
        return values if violations is None else (values, violations.astype(dtype))

    return native
