"""Pictures of results, drawn by matplotlib if it is installed, or by the compiled part."""

from __future__ import annotations

import html
import importlib
import importlib.util
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native

if TYPE_CHECKING:
    from ._result import Result, Trace

# The largest number of coordinates of a point that a table shows.
_SHOWN = 10
# From this number of runs on, quartiles are drawn instead of a line for each run.
_MANY = 10


class Picture:
    """A picture as SVG and PNG. Notebooks display it."""

    def __init__(self, **drawn: Any) -> None:
        self._drawn = drawn

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return _native.picture(**self._drawn, png=False).decode()

    @property
    def png(self) -> bytes:
        """The picture as PNG, with twice the width and height of the SVG in pixels."""
        return _native.picture(**self._drawn, png=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file whose name ends in `.svg` or `.png`."""
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in (".svg", ".png"):
            raise ValueError(f"the picture's file is {os.fspath(path)!r}; allowed: a name that ends in .svg or .png")
        data = self.png if ending == ".png" else self.svg.encode()
        with open(path, "wb") as file:
            file.write(data)

    def _repr_svg_(self) -> str:
        return self.svg


def picture(result: Result, size: tuple[int, int] = (560, 400), has_population: bool = True) -> Picture:
    """Draws the trace and the population of a result, if it has them."""
    trace: Trace = result["trace"]
    of_trace = None
    if len(trace) > 0:
        of_trace = (
            np.ascontiguousarray(trace.nit),
            np.ascontiguousarray(trace.nfev),
            *(np.ascontiguousarray(numbers, dtype=np.float64) for numbers in (trace.funs, trace.maxcv)),
        )
    of_population = None
    if has_population and (found := _population(result)) is not None:
        points, names, best = found
        of_population = np.ascontiguousarray(points), best, names
    if of_trace is None and of_population is None:
        raise ValueError("there is nothing to draw: no trace (history=True records one) and no population")
    return Picture(
        title=f"{result['fun']:.6g} after {result['nfev']:,} evaluations",
        trace=of_trace,
        population=of_population,
        maximised=trace.maximised,
        size=size,
    )


def plot(result: Result, ax: Any = None) -> Any:
    """Draws a result with matplotlib, into `ax` or new axes; without matplotlib, returns a `Picture`."""
    if ax is None and importlib.util.find_spec("matplotlib") is None:
        return picture(result)
    trace: Trace = result["trace"]
    found = _population(result)
    if len(trace) == 0 and found is None:
        raise ValueError("there is nothing to draw: no trace (history=True records one) and no population")
    if ax is not None:
        if len(trace) > 0:
            _plot_trace(ax, trace)
        else:
            _plot_population(ax, result)
        return ax
    pyplot = importlib.import_module("matplotlib.pyplot")
    count = (len(trace) > 0) + (found is not None)
    _, axes = pyplot.subplots(1, count, figsize=(5.0 * count, 3.8), layout="constrained", squeeze=False)
    if len(trace) > 0:
        _plot_trace(axes[0, 0], trace)
    if found is not None:
        _plot_population(axes[0, -1], result)
    return axes[0, 0] if count == 1 else axes[0]


def _plot_trace(ax: Any, trace: Trace) -> None:
    """Plots the best value of each run over its evaluations, or violations if no run has found a feasible point."""
    is_feasible = (trace.maxcv == 0) & np.isfinite(trace.funs)
    has_values = bool(is_feasible.any())
    numbers = np.where(is_feasible, trace.funs, np.nan) if has_values else np.asarray(trace.maxcv)
    runs = numbers.shape[1]
    if runs < _MANY:
        ax.plot(trace.nfev, numbers, color="C0", alpha=1.0 if runs == 1 else 0.6)
    else:
        # A run without a feasible point so far ranks last.
        worst = -np.inf if trace.maximised else np.inf
        ranked = np.where(np.isnan(numbers), worst, numbers)
        along = np.median(trace.nfev, axis=1)
        low, middle, high = np.quantile(ranked, [0.25, 0.5, 0.75], axis=1, method="nearest")
        ax.fill_between(along, low, high, alpha=0.25, linewidth=0, label="quartiles")
        ax.plot(along, middle, label=f"median of {runs} runs")
        ax.legend()
    finite = numbers[np.isfinite(numbers)]
    if not trace.maximised and finite.size and finite.min() >= 0 and finite.max() > 4 * finite.min():
        ax.set_yscale("log")
    ax.set_xlabel("evaluations" if runs == 1 else "evaluations per run")
    ax.set_ylabel("best value" if has_values else "constraint violation")


def _plot_population(ax: Any, result: Result) -> None:
    found = _population(result)
    assert found is not None
    points, names, best = found
    ax.scatter(points[:, 0], points[:, 1], s=12, alpha=0.6, label="individuals")
    ax.plot(*best, marker="^", color="C3", linestyle="none", label="best point")
    ax.locator_params(nbins=5)
    ax.ticklabel_format(scilimits=(-3, 5))
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    ax.legend()


def _population(result: Result) -> tuple[NDArray[np.float64], tuple[str, str], tuple[float, float]] | None:
    """The first two coordinates of the individuals, or the only coordinate and the value."""
    if result.get("population") is None:
        return None
    points = np.asarray(result["population"], dtype=np.float64)
    best = np.asarray(result["x"], dtype=np.float64)
    if points.shape[1] == 1:
        values = np.asarray(result["population_energies"], dtype=np.float64)
        return np.column_stack([points[:, 0], values]), ("x[0]", "value"), (float(best[0]), float(result["fun"]))
    return points[:, :2], ("x[0]", "x[1]"), (float(best[0]), float(best[1]))


def as_html(result: Result) -> str:
    """A table of the main entries, with a convergence plot if a trace was recorded."""
    rows: dict[str, Any] = {"fun": f"{result['fun']:.10g}", "x": _point(np.asarray(result["x"]))}
    if result["maxcv"] > 0:
        rows["maxcv"] = f"{result['maxcv']:.3g}"
    rows["success"] = f"{result['success']}: {result['message']}"
    rows["evaluations"] = f"{result['nfev']:,}"
    rows["iterations"] = f"{result['nit']:,}"
    if len(result["runs"]) > 1:
        rows["runs"] = f"{len(result['runs'])}"
    rows["how"] = f"{result['how']}, on {result['device']}"
    rows["seconds"] = f"{result['seconds']:.3g}"
    cells = "".join(
        f'<tr><th style="text-align: right">{html.escape(name)}</th>'
        f'<td style="text-align: left">{html.escape(str(value))}</td></tr>'
        for name, value in rows.items()
    )
    table = f"<table>{cells}</table>"
    if len(result["trace"]) == 0:
        return table
    return table + picture(result, size=(560, 260), has_population=False).svg


def _point(x: NDArray[Any]) -> str:
    shown = ", ".join(f"{number:.6g}" for number in x[:_SHOWN])
    more = len(x) - _SHOWN
    return f"[{shown}]" if more <= 0 else f"[{shown}, and {more} more]"
