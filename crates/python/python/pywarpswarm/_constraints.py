"""Constraints in SciPy's forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._each import of_run

# The largest allowed difference between the two sides of an equation.
TOLERANCE = 1e-6
# The largest relative width of a narrow band: its width, over the larger absolute value of its limits, or over 1.
NARROW = 1e-3


@dataclass(frozen=True)
class Constraint:
    """`lower <= fun(x) <= upper`, for one value or for several."""

    fun: Callable[..., Any]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    args: tuple[Any, ...] = ()

    @property
    def is_tight(self) -> bool:
        """Whether it is an equation or a narrow band, by the same criterion as in problem files."""
        lower, upper = np.broadcast_arrays(self.lower, self.upper)
        is_band = np.isfinite(lower) & np.isfinite(upper)
        lower, upper = lower[is_band], upper[is_band]
        around = np.maximum(np.maximum(np.abs(lower), np.abs(upper)), 1.0)
        return bool(np.any(upper - lower <= NARROW * around))

    def violation(self, x: NDArray[Any], run: int = 0) -> float:
        """The violation at a point of a run, 0 if the constraint is satisfied."""
        values = np.atleast_1d(np.asarray(self.fun(x, *of_run(self.args, run)), dtype=np.float64))
        lower, upper = self.sides(values.shape)
        below, above = lower - values, values - upper
        # NaN counts as a violation.
        return float(np.sum(np.where(below <= 0, 0, below) + np.where(above <= 0, 0, above)))

    def sides(self, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest and the largest allowed values; for equations with the tolerance."""
        lower, upper = self.limits(shape)
        tolerance = np.where(lower == upper, TOLERANCE, 0.0)
        return lower - tolerance, upper + tolerance

    def limits(self, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The limits of each value."""
        try:
            return np.broadcast_to(self.lower, shape), np.broadcast_to(self.upper, shape)
        except ValueError:
            raise ValueError(
                f"a constraint has {np.size(self.lower)} lower and {np.size(self.upper)} upper limits "
                f"for {int(np.prod(shape))} values; allowed: one, or one for each value"
            ) from None


def constraints(given: Any) -> list[Constraint]:
    """Reads one constraint or a list: `NonlinearConstraint`, `LinearConstraint`, or dicts with `type` and `fun`."""
    if given is None:
        return []
    if isinstance(given, Mapping) or not isinstance(given, Sequence):
        given = [given]
    return [_constraint(one) for one in given]


def _constraint(one: Any) -> Constraint:
    if isinstance(one, Mapping):
        kind, fun = one.get("type"), one.get("fun")
        if kind not in ("eq", "ineq") or not callable(fun):
            raise ValueError(
                f"a constraint has the type {kind!r}; allowed: a dict with 'type' 'eq' or 'ineq' and a function 'fun'"
            )
        upper = 0.0 if kind == "eq" else np.inf
        return Constraint(fun, np.float64(0.0), np.float64(upper), tuple(one.get("args", ())))  # type: ignore[arg-type]
    if all(hasattr(one, name) for name in ("fun", "lb", "ub")):
        return Constraint(one.fun, np.asarray(one.lb, np.float64), np.asarray(one.ub, np.float64))
    if all(hasattr(one, name) for name in ("A", "lb", "ub")):
        dense = one.A.toarray() if hasattr(one.A, "toarray") else one.A
        matrix = np.atleast_2d(np.asarray(dense, np.float64))
        return Constraint(lambda x: matrix @ x, np.asarray(one.lb, np.float64), np.asarray(one.ub, np.float64))
    raise TypeError(
        f"a constraint is of type {type(one).__name__}; allowed: scipy.optimize.NonlinearConstraint or LinearConstraint, "
        "or a dict with 'type' and 'fun'"
    )
