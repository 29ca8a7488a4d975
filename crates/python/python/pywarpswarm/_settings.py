"""Converts arguments of `minimize` and `Optimizer` for the compiled part."""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, SupportsFloat, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

Seed = Union[int, np.integer, np.random.Generator, np.random.SeedSequence, np.random.RandomState, None]
Algorithm = Union[str, Mapping[str, Any]]

PRECISIONS: dict[str, type[np.floating[Any]]] = {"float64": np.float64, "float32": np.float32}


@dataclass(frozen=True)
class Variables:
    """Bounds and kinds of the coordinates."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    # The bounds of each run, (runs, n, 2), if they differ; `lower` and `upper` then enclose all of them.
    of_runs: NDArray[np.float64] | None = None

    @property
    def dimensions(self) -> int:
        return len(self.lower)

    @property
    def scales(self) -> list[str]:
        return ["integer" if whole else "linear" for whole in self.integer]

    def native(self) -> tuple[list[float], list[float], list[str]]:
        return self.lower.tolist(), self.upper.tolist(), self.scales


def variables(bounds: Any, integrality: ArrayLike | None = None) -> Variables:
    """Reads bounds in SciPy's forms: pairs (lower, upper), or an object with `lb` and `ub`."""
    if bounds is None:
        raise TypeError("bounds are missing: a pair (lower, upper) for each variable")
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
    else:
        try:
            pairs = np.asarray(bounds, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"bounds are {_short(bounds)}; allowed: a pair of numbers (lower, upper) for each variable"
            ) from error
        if pairs.ndim not in (2, 3) or pairs.shape[-1] != 2:
            raise ValueError(
                f"bounds have the shape {pairs.shape}; allowed: (n, 2), a pair (lower, upper) for each variable, or "
                "(runs, n, 2)"
            )
        if pairs.ndim == 3:
            return _of_runs(pairs, integrality)
        lower, upper = pairs[:, 0], pairs[:, 1]
    if lower.ndim != 1 or lower.size == 0:
        raise ValueError(f"bounds of {lower.size} variables; allowed: one or more")
    lower, upper = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    for side, values in (("lower", lower), ("upper", upper)):
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            raise ValueError(f"the {side} bound of variable {wrong[0]} is {values[wrong[0]]}; allowed: finite numbers")
    wrong = np.flatnonzero(lower > upper)
    if wrong.size:
        at = wrong[0]
        raise ValueError(
            f"the lower bound of variable {at} is {lower[at]}, above its upper bound {upper[at]}; "
            "allowed: lower <= upper"
        )
    integer = np.zeros(lower.size, dtype=np.bool_)
    if integrality is not None:
        given = np.asarray(integrality)
        if given.dtype.kind not in "bui" and not np.isin(given, (0, 1)).all():
            raise ValueError(f"integrality is {_short(integrality)}; allowed: True or False for each variable")
        if given.shape not in ((), lower.shape):
            raise ValueError(
                f"integrality has the shape {given.shape}; allowed: one, or one for each of {lower.size} variables"
            )
        integer[:] = given.astype(np.bool_)
    return Variables(lower, upper, integer)


def _of_runs(pairs: NDArray[np.float64], integrality: ArrayLike | None) -> Variables:
    """Reads bounds of each run, and computes bounds that enclose all of them."""
    if pairs.size == 0:
        raise ValueError(f"bounds have the shape {pairs.shape}; allowed: one run and one variable or more")
    for run, of in enumerate(pairs):
        try:
            variables(of)
        except ValueError as error:
            raise ValueError(f"run {run}: {error}") from None
    around = np.stack([pairs[:, :, 0].min(axis=0), pairs[:, :, 1].max(axis=0)], axis=1)
    return dataclasses.replace(variables(around, integrality), of_runs=pairs)


# Lower and upper bounds of one run, or None if shared, and its initial points.
OwnRun = tuple[Union[list[float], None], Union[list[float], None], list[list[float]]]


def own_runs(box: Variables | None, x0: ArrayLike | None, dimensions: int) -> list[OwnRun] | None:
    """Bounds and initial points of each run; None if all runs share them."""
    bounds = None if box is None else box.of_runs
    points = None if x0 is None or np.ndim(x0) != 3 else np.asarray(x0, dtype=np.float64)
    if bounds is None and points is None:
        return None
    runs = len(bounds) if bounds is not None else len(points if points is not None else ())
    shared = [] if points is not None else starts(x0, dimensions)
    return [
        (
            None if bounds is None else bounds[run, :, 0].tolist(),
            None if bounds is None else bounds[run, :, 1].tolist(),
            shared if points is None else starts(points[run], dimensions),
        )
        for run in range(runs)
    ]


def as_runs(read: list[Any] | None) -> list[OwnRun] | None:
    """Converts per-run settings that were read from a file, which has lists instead of tuples."""
    return None if read is None else [(lower, upper, begin) for lower, upper, begin in read]


def sizes(own: list[OwnRun] | None, target: Any) -> list[tuple[str, int | None]]:
    """The number of runs that bounds, points and targets imply; None if all runs share them."""
    targets = targets_of(target)
    return [
        ("bounds, or x0,", None if own is None else len(own)),
        ("target", None if targets is None else len(targets)),
    ]


def starts(x0: ArrayLike | None, dimensions: int) -> list[list[float]]:
    """Initial points of a run: one point, or one per row."""
    if x0 is None:
        return []
    points = np.asarray(x0, dtype=np.float64)
    if points.ndim == 1:
        points = points[np.newaxis]
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise ValueError(
            f"x0 has the shape {np.shape(x0)}; allowed: ({dimensions},), (k, {dimensions}) for k points, or "
            f"(runs, k, {dimensions})"
        )
    return [list(map(float, point)) for point in points]


def precision(name: str) -> type[np.floating[Any]]:
    if name not in PRECISIONS:
        raise ValueError(f"precision is {name!r}; allowed: 'float64' or 'float32'")
    return PRECISIONS[name]


def seed(rng: Seed) -> int:
    """The seed: an integer, or one drawn from a generator; 0 for None."""
    if rng is None:
        return 0
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**63 - 1))
    if isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0])
    if isinstance(rng, np.random.RandomState):
        return int(rng.randint(0, 2**63 - 1, dtype=np.int64))
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and 0 <= rng < 2**64:
        return int(rng)
    raise ValueError(f"rng is {_short(rng)}; allowed: a whole number from 0 to 2**64 - 1, a generator, or None")


def algorithm(given: Algorithm) -> str:
    """An algorithm as JSON, from its name or from a mapping with `name`, optionally `preset`, and parameters."""
    if isinstance(given, str):
        return json.dumps({"id": given})
    if not isinstance(given, Mapping) or "name" not in given:
        raise TypeError(
            f"algorithm is {_short(given)}; allowed: a name such as 'de', or a dict such as "
            "{'name': 'de', 'scale_factor': 0.7}"
        )
    return json.dumps({"id" if key == "name" else key: _json(value) for key, value in given.items()})


def settings(
    *,
    population: SupportsIndex | None,
    runs: SupportsIndex,
    first_run: SupportsIndex,
    rng: Seed,
    max_iterations: SupportsIndex | None,
    max_evaluations: SupportsIndex | None,
    max_seconds: SupportsFloat | None,
    target: SupportsFloat | ArrayLike | None,
    stagnation: SupportsIndex | None,
    maximise: bool,
    eased: bool,
    restart: bool,
    polish: bool | None,
    device: str,
    threads: SupportsIndex | None,
    history: bool | int,
) -> str:
    """Settings as JSON."""
    targets = targets_of(target)
    out: dict[str, Any] = {
        "individuals": whole("population", population) or 0,
        "runs": whole("runs", runs),
        "first_run": whole("first_run", first_run),
        "seed": str(seed(rng)),
        "stop": stop(
            max_iterations=max_iterations,
            max_evaluations=max_evaluations,
            max_seconds=max_seconds,
            target=None if targets is not None else target,  # type: ignore[arg-type]
            stagnation=stagnation,
        ),
        "maximise": maximise,
        "constraints": "epsilon" if eased else "feasible-first",
        "restart": "converged" if restart else "never",
        "polish": None if polish is None else bool(polish),
        **backend(device),
    }
    if targets is not None:
        out["of_runs"] = [{"target": _number("target", one)} for one in targets]
    if threads is not None:
        out["threads"] = whole("threads", threads)
    if history is not False and history is not None:
        # True records every iteration. If there were more than 1,000 records, the interval doubles.
        out["record_every"] = 1 if history is True else whole("history", history)
        out["records_at_most"] = 1000
    return json.dumps(out)


def targets_of(target: SupportsFloat | ArrayLike | None) -> list[float] | None:
    """The targets of the runs, if each has its own; otherwise None."""
    if target is None or np.ndim(target) == 0:  # type: ignore[arg-type]
        return None
    if np.ndim(target) != 1:  # type: ignore[arg-type]
        raise ValueError(f"target has the shape {np.shape(target)}; allowed: a number, or one for each run")  # type: ignore[arg-type]
    return [float(one) for one in np.asarray(target, dtype=np.float64)]


def stop(
    *,
    max_iterations: SupportsIndex | None,
    max_evaluations: SupportsIndex | None,
    max_seconds: SupportsFloat | None,
    target: SupportsFloat | None,
    stagnation: SupportsIndex | None,
) -> dict[str, Any]:
    """The stop conditions of a run, in the form of the settings."""
    out = {
        "iterations": whole("max_iterations", max_iterations),
        "evaluations": whole("max_evaluations", max_evaluations),
        "seconds": _number("max_seconds", max_seconds),
        "target": _number("target", target),
        "stagnation": whole("stagnation", stagnation),
    }
    return {key: value for key, value in out.items() if value is not None}


def backend(device: str) -> dict[str, str]:
    """The device, in the form of the settings."""
    kind, _, number = str(device).partition(":")
    backends = {"auto": "auto", "cpu": "cpu", "cuda": "gpu", "gpu": "gpu"}
    is_numbered = kind in ("cuda", "gpu") and (number == "all" or number.replace(",", "").isdigit())
    if kind not in backends or (number and not is_numbered):
        raise ValueError(
            f"device is {device!r}; allowed: 'auto', 'cpu', 'cuda', a GPU's number as in 'cuda:1', or 'cuda:all'"
        )
    return {"backend": backends[kind], **({"devices": number} if number else {})}


def whole(name: str, value: SupportsIndex | None) -> int | None:
    if value is None:
        return None
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        is_whole = isinstance(value, numbers.Real) and float(value).is_integer()
        if not is_whole:
            raise TypeError(f"{name} is {_short(value)}; allowed: a whole number") from None
        number = int(value)
    if isinstance(value, (bool, np.bool_)) or number < 0:
        raise ValueError(f"{name} is {_short(value)}; allowed: a whole number from 0 on")
    return number


def _number(name: str, value: SupportsFloat | None) -> float | str | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {_short(value)}; allowed: a number") from None
    return number if math.isfinite(number) else _infinite(number)


def _infinite(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _json(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if value is None:
        return "none"
    return value.item() if isinstance(value, np.generic) else value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
