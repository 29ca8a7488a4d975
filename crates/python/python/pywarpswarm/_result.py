"""Results of searches."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _picture
from ._picture import Picture

if TYPE_CHECKING:
    from ._native import Search

# Messages for the reasons that can end a run.
REASONS = {
    "target": "the target was reached",
    "iterations": "the limit of iterations was reached",
    "evaluations": "the limit of evaluations was reached",
    "seconds": "the time was up",
    "stagnation": "the best has not improved for the given number of iterations",
    "unbounded": "the objective has no minimum: its best value is infinite",
    "interrupted": "the search was interrupted",
    "nothing-finite": "no value was finite",
}


@dataclass(frozen=True)
class Polish:
    """The local search at the end of each run, with one entry per run."""

    funs: NDArray[Any]
    """Values at the starting points, `(runs,)`."""
    maxcv: NDArray[Any]
    """Constraint violations at the starting points."""
    nit: NDArray[np.uint64]
    """Number of steps."""
    nfev: NDArray[np.uint64]
    """Number of evaluations, which `Runs.nfev` does not include."""
    njev: NDArray[np.uint64]
    """Number of gradients."""


@dataclass(frozen=True)
class Runs:
    """All runs, with one row per run."""

    xs: NDArray[Any]
    """The best points, `(runs, n)`."""
    funs: NDArray[Any]
    """Their values, `(runs,)`."""
    maxcv: NDArray[Any]
    """Total constraint violation of the best points, 0 for a feasible point."""
    nfev: NDArray[np.uint64]
    """Number of evaluations."""
    nit: NDArray[np.uint64]
    """Number of iterations."""
    restarts: NDArray[np.uint64]
    """Number of restarts."""
    stop_reasons: list[str]
    """What ended each run: `target`, `iterations`, `evaluations`, `seconds`, `stagnation`, ..."""

    polish: Polish | None = None
    """The local searches, or None if there were none; a run without one has 0 steps."""

    def __len__(self) -> int:
        return len(self.funs)


@dataclass(frozen=True)
class Trace:
    """The best values in the recorded iterations."""

    nit: NDArray[np.uint64]
    """Iterations, `(records,)`."""
    seconds: NDArray[np.float64]
    """Seconds since the start, `(records,)`."""
    nfev: NDArray[np.uint64]
    """Evaluations of each run so far, `(records, runs)`."""
    funs: NDArray[Any]
    """The best value of each run so far, `(records, runs)`."""
    maxcv: NDArray[Any]
    """Constraint violation of the best point, `(records, runs)`."""
    maximised: bool = False
    """Whether the objective is maximised."""

    def __len__(self) -> int:
        return len(self.nit)


class Result(dict[str, Any]):
    """The result of a search: the best point of all runs, its value, and more.

    It is a dict whose entries are also attributes, with the names of `scipy.optimize.OptimizeResult`.

    | entry | |
    |---|---|
    | `x`, `fun` | the best point, and its value |
    | `maxcv` | its total constraint violation, 0 if it is feasible |
    | `success` | whether it is feasible and its value finite, and the search was neither interrupted nor unbounded |
    | `message`, `status` | what ended the search, as text; 0 for success, otherwise 1 |
    | `nfev`, `nit` | evaluations of all runs, and iterations of the best run |
    | `population`, `population_energies` | points of the best run's individuals, and their values |
    | `runs` | all runs, as arrays: see `Runs` |
    | `trace` | best values over time, if `history` was requested: see `Trace` |
    | `stop_reason` | what ended the best run |
    | `how` | how the objective was evaluated |
    | `device` | where the search ran |
    | `seconds`, `polish_seconds`, `setup_seconds` | time of the iterations, of the local searches, and of the rest |
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self)}") from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *self])

    def __repr__(self) -> str:
        shown = [name for name in self if name not in ("population", "population_energies", "runs", "trace")]
        width = max(map(len, shown), default=0)
        lines = []
        for name in shown:
            text = f"{self[name]}".replace("\n", "\n" + " " * (width + 2))
            lines.append(f"{name:>{width}}: {text}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Plots the best value over the evaluations (with `history`), and the individuals in two coordinates.

        With matplotlib, it returns the axes. Into a given `ax` it draws only one plot: the best value, or the
        individuals if no history was recorded. Without matplotlib, it returns `picture()`, which notebooks display.
        """
        return _picture.plot(self, ax)

    def picture(self) -> Picture:
        """Draws the same plots without matplotlib: a `Picture` with `svg`, `png` and `save(path)`.

        >>> result = minimize(lambda x: np.sum(x**2), [(-1, 1)] * 2, max_iterations=20, history=True)
        >>> result.picture().svg[:4]
        '<svg'
        """
        return _picture.picture(self)

    def _repr_html_(self) -> str:
        return _picture.as_html(self)

    def to_dataframe(self) -> Any:
        """The runs as a DataFrame of pandas, or of polars if pandas is not installed."""
        runs: Runs = self["runs"]
        columns: dict[str, Any] = {f"x{i}": runs.xs[:, i] for i in range(runs.xs.shape[1])}
        columns.update(
            fun=runs.funs,
            maxcv=runs.maxcv,
            nfev=runs.nfev,
            nit=runs.nit,
            restarts=runs.restarts,
            stop_reason=runs.stop_reasons,
        )
        return table(columns)


def table(columns: Mapping[str, Any]) -> Any:
    """A DataFrame of pandas, or of polars if pandas is not installed."""
    for library in ("pandas", "polars"):
        if importlib.util.find_spec(library) is not None:
            return importlib.import_module(library).DataFrame(columns)
    raise ImportError("to_dataframe needs pandas or polars; neither is installed")


def result(report: Mapping[str, Any], how: str, search: Search | None = None) -> Result:
    """Converts a report of the compiled part."""
    runs = Runs(
        xs=report["xs"],
        funs=report["funs"],
        maxcv=report["violations"],
        nfev=report["evaluations"],
        nit=report["iterations"],
        restarts=report["restarts"],
        stop_reasons=report["stop_reasons"],
        polish=Polish(**report["polish"]) if "polish" in report else None,
    )
    best = report["best"]
    reason = runs.stop_reasons[best]
    violation = float(runs.maxcv[best])
    value = runs.funs[best]
    message = REASONS[reason]
    is_interrupted = reason == "interrupted"
    if report.get("stopped_by_callback"):
        message, is_interrupted = "the callback raised StopIteration", False
    if violation > 0:
        message += "; the best point violates the constraints"
    success = bool(np.isfinite(value) and violation == 0 and not is_interrupted and reason != "unbounded")
    out = Result(
        x=runs.xs[best],
        fun=value.item(),
        success=success,
        message=message,
        status=0 if success else 1,
        nfev=int(runs.nfev.sum()),
        nit=int(runs.nit[best]),
        maxcv=violation,
        stop_reason=reason,
        how=how,
        device=f"{report['backend']}: {report['device']}",
        seconds=report["seconds"],
        polish_seconds=report["polish_seconds"],
        setup_seconds=report["setup_seconds"],
        runs=runs,
        trace=_trace(report["trace"], report["maximised"]),
    )
    # There is no population if the time was up before all initial individuals had been evaluated.
    populations = None if search is None else search.population()
    if populations is not None:
        out["population"], out["population_energies"] = populations[best]
    return out


def _trace(trace: Mapping[str, Any], maximised: bool) -> Trace:
    return Trace(
        nit=trace["iterations"],
        seconds=trace["seconds"],
        nfev=trace["evaluations"],
        funs=trace["funs"],
        maxcv=trace["violations"],
        maximised=maximised,
    )
