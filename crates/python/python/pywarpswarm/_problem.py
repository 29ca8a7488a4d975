"""Problems: objectives as expressions, from files, or by name."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._each import Each, shared_and_own


class Problem:
    """An objective with its variables, given as an expression in the language of problem files.

        >>> t = np.array([0.0, 1.0, 2.0, 3.0])
        >>> y = 5 * np.exp(-t / 2)
        >>> decay = Problem(
        ...     "sum(i, (y[i] - a * exp(-t[i] / tau))^2)",
        ...     variables={"a": (0, 10), "tau": {"lower": 0.1, "upper": 100, "scale": "log"}},
        ...     data={"t": t, "y": y},
        ... )
        >>> bool(decay([5.0, 2.0]) < 1e-20)
        True

    Parameters
    ----------
    minimise, maximise : text
        The expression. Give one of the two.
    variables : dict
        For each name a pair (lower, upper), or a dict with the keys of problem files: `lower`, `upper`, `count`,
        `scale`, `values`, `choices`, `start`, `fixed`, `periodic`, `unit`.
    data : dict
        Arrays of one or two dimensions by name; see `each` for data of each run.
    constants : dict
        Numbers and expressions by name.
    let : dict
        Named expressions.
    constraints : dict, or a list
        Conditions, by name or in a list.
    ode : dict
        A differential equation, with the keys of `[ode]` in problem files.
    tolerance : number
        The largest allowed difference between the two sides of an equation among the constraints; default 1e-6.
    name : text
        The name of the problem.
    """

    def __init__(
        self,
        minimise: str | None = None,
        *,
        maximise: str | None = None,
        variables: Mapping[str, Any],
        data: Mapping[str, ArrayLike | Each] | None = None,
        constants: Mapping[str, Any] | None = None,
        let: Mapping[str, str] | None = None,
        constraints: Mapping[str, Any] | Sequence[str] = (),
        ode: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
        name: str = "problem",
    ) -> None:
        table: dict[str, Any] = {}
        if minimise is not None:
            table["minimise"] = minimise
        if maximise is not None:
            table["maximise"] = maximise
        if tolerance is not None:
            table["tolerance"] = tolerance
        table["variables"] = {name: _variable(of) for name, of in variables.items()}
        if constants:
            table["constants"] = dict(constants)
        if let:
            table["let"] = dict(let)
        if ode:
            table["ode"] = dict(ode)
        if isinstance(constraints, Mapping):
            table["constraints"] = dict(constraints)
        else:
            table["constraints"] = {f"c{i}": condition for i, condition in enumerate(constraints, 1)}
        shared, own = shared_and_own(data or {})
        self._native = _native.Problem.parse(document(table), name, arrays(shared), own)
        self._words: str | None = None

    @classmethod
    def _of(cls, native: _native.Problem, words: str | None = None) -> Problem:
        problem = cls.__new__(cls)
        problem._native = native
        # The problem as a word of the program's command line, if it has one.
        problem._words = words
        return problem

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Problem:
        """Reads a problem file. The paths of its data files are relative to its folder."""
        return cls._of(_native.Problem.load(os.fspath(path)))

    @classmethod
    def from_text(cls, text: str, data: Mapping[str, ArrayLike | Each] | None = None, name: str = "problem") -> Problem:
        """Reads the text of a problem file, with data arrays by name."""
        shared, own = shared_and_own(data or {})
        return cls._of(_native.Problem.parse(text, name, arrays(shared), own))

    @classmethod
    def named(cls, name: str, dimensions: int, *, shift: float = 0.0, instance: int = 1) -> Problem:
        """A built-in problem; `problems` lists them.

        The functions of the BBOB suite are `bbob-f1` to `bbob-f24`, with an `instance` instead of a `shift`.
        """
        function = name.removeprefix("bbob-f")
        if function != name and function.isdigit():
            words = f"{name}:dim={dimensions}:instance={instance}"
            return cls._of(_native.Problem.bbob(int(function), dimensions, instance), words)
        words = f"{name}:dim={dimensions}:shift={float(shift)!r}"
        return cls._of(_native.Problem.built_in(name, dimensions, shift), words)

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self._native.name

    @property
    def formula(self) -> str:
        """The expression that is minimised or maximised."""
        return self._native.formula

    @property
    def maximises(self) -> bool:
        """Whether the expression is maximised."""
        return self._native.maximises

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Bounds of the coordinates, `(n, 2)`."""
        return np.stack([self._native.lower, self._native.upper], axis=1)

    @property
    def variables(self) -> list[str]:
        """Names of the coordinates."""
        return self._native.variables

    @property
    def constraints(self) -> list[str]:
        """Names of the constraints."""
        return self._native.constraints

    @property
    def runs(self) -> int | None:
        """The number of runs, if each run has its own data; otherwise None."""
        return self._native.runs

    @property
    def optimum(self) -> float | None:
        """The best known value of a built-in problem."""
        return self._native.optimum

    def __call__(self, x: ArrayLike) -> Any:
        """The value at a point, or the values at many points, `(k, n)`."""
        return self.evaluate(x)[0]

    def let_values(self, x: ArrayLike, run: int = 0) -> dict[str, float]:
        """The values of the named expressions (`let`) at a point, without those that are arrays.

        `run` selects the data, if each run has its own.
        """
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (len(self.variables),):
            raise ValueError(f"a point has the shape {point.shape}; allowed: ({len(self.variables)},)")
        return dict(self._native.let_values(point.tolist(), run))

    def evaluate(self, x: ArrayLike, run: int = 0) -> tuple[Any, Any, Any]:
        """Evaluates a point, or many points, `(k, n)`.

        Returns the value, the total violation, and each constraint (positive if violated). `run` selects the data, if
        each run has its own.
        """
        points = np.asarray(x)
        is_single = points.dtype == np.float32
        points = np.asarray(points, dtype=np.float32 if is_single else np.float64, order="C")
        rows = points[np.newaxis] if points.ndim == 1 else points
        if rows.ndim != 2 or rows.shape[1] != len(self.variables):
            raise ValueError(
                f"points have the shape {points.shape}; allowed: ({len(self.variables)},), or (k, {len(self.variables)})"
            )
        values: Any
        violations: Any
        constraints: Any
        if is_single:
            values, violations, constraints = self._native.evaluate_single(rows, run)
        else:
            values, violations, constraints = self._native.evaluate(rows, run)
        if points.ndim == 1:
            return values[0], violations[0], constraints[0]
        return values, violations, constraints

    def chosen(self, x: ArrayLike) -> dict[str, Any]:
        """The values that a point's coordinates stand for, by name: for `values` and `choices`, the selected one."""
        point = [float(number) for number in np.asarray(x, dtype=np.float64)]
        return dict(zip(self.variables, self._native.chosen(point)))

    def __getstate__(self) -> dict[str, Any]:
        return {"json": self._native.json()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._native = _native.Problem.of_json(state["json"])

    def __repr__(self) -> str:
        return f"Problem({self.name!r}, variables={self.variables!r})"


def arrays(data: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Data as arrays in double precision; checks that they have one or two dimensions."""
    out = {}
    for name, given in data.items():
        array = np.asarray(given, dtype=np.float64)
        if array.ndim not in (1, 2) or array.size == 0:
            raise ValueError(f"data {name!r} have the shape {array.shape}; allowed: (n,) or (rows, columns)")
        wrong = np.flatnonzero(~np.isfinite(array))
        if wrong.size:
            raise ValueError(f"number {wrong[0]} of data {name!r} is {array.flat[wrong[0]]}; allowed: finite numbers")
        out[name] = array
    return out


def _variable(of: Any) -> Any:
    if isinstance(of, Mapping):
        return dict(of)
    lower, upper = of
    return {"lower": lower, "upper": upper}


def document(table: Mapping[str, Any]) -> str:
    """A table as TOML."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(of)}" for key, of in value.items()) + " }"
    if isinstance(value, (int, np.integer)):
        return str(int(value)) if -(2**63) <= value < 2**63 else repr(float(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return _value(value.tolist())
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"{value!r} is of type {type(value).__name__}; allowed: numbers, texts, lists and dicts")


def _key(key: str) -> str:
    return json.dumps(key, ensure_ascii=False)
