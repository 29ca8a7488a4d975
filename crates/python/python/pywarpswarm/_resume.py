"""`resume`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np

from . import _arrays, _checkpoint, _settings
from ._checkpoint import File
from ._constraints import constraints as _constraints
from ._minimize import run
from ._native import Problem
from ._objective import Wanted, first_difference, wanted
from ._optimizer import Optimizer
from ._result import Result
from ._settings import Variables
from ._workers import Workers


def resume(
    path: File,
    fun: Callable[..., Any] | None = None,
    *,
    args: Sequence[Any] = (),
    constraints: Any = (),
    max_iterations: SupportsIndex | None = None,
    max_evaluations: SupportsIndex | None = None,
    max_seconds: SupportsFloat | None = None,
    target: SupportsFloat | None = None,
    stagnation: SupportsIndex | None = None,
    device: str | None = None,
    callback: Callable[[Result], object] | None = None,
    callback_every: SupportsIndex = 0,
    workers: Workers = 1,
    threads: SupportsIndex | None = None,
    checkpoint: File | None = None,
    checkpoint_every: SupportsFloat = 60.0,
) -> Result | Optimizer:
    """Continues from a file of `minimize(..., checkpoint=path)`, with the bits of a run that was never interrupted.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/sphere"
        >>> _ = minimize(lambda x: np.sum(x**2), [(-1, 1)] * 3, algorithm="de", max_iterations=20, checkpoint=path)
        >>> resume(path, max_iterations=50).nit
        50

    Parameters
    ----------
    path : path
        The file. The run continues to write to it, unless `checkpoint` is another path.
    fun : function
        A function that is called at points is not in the file and has to be given again, with `args` and `constraints`.
        A compiled objective is in the file, with its data. If `fun` is given nevertheless, the two are compared.
    max_iterations, max_evaluations, max_seconds
        New limits. They count from the start of the run, as `result.nit` and `result.nfev` do. Any new limit replaces
        all three limits of the file. Without a new limit, those of the file apply.
    target, stagnation
        Replace those of the file.
    device, threads, workers, callback, callback_every, checkpoint_every
        As for `minimize`. The results do not depend on them.

    Returns
    -------
    Result, or Optimizer
        For a file of `Optimizer.save`, the `Optimizer`.
    """
    kind, about = _checkpoint.about(path)
    place = _arrays.again(about, device)
    about["settings"] = _checkpoint.with_limits(
        about["settings"],
        max_iterations=max_iterations,
        max_evaluations=max_evaluations,
        max_seconds=max_seconds,
        target=target,
        stagnation=stagnation,
        device=device if place is None else place.individuals,
        threads=threads,
    )
    if kind == "Optimizer":
        if fun is not None or callback is not None or checkpoint is not None:
            raise TypeError(
                f"{os.fspath(path)} was written by Optimizer.save; allowed: limits, device and threads, but no fun, "
                "callback or checkpoint"
            )
        return Optimizer._of(path, about)
    objective = _objective(path, about, fun, tuple(args), constraints, workers, place)
    to = path if checkpoint is None else checkpoint
    return run(objective, about, callback, callback_every, to, checkpoint_every, path)


def _objective(
    path: File,
    about: dict[str, Any],
    fun: Callable[..., Any] | None,
    args: tuple[Any, ...],
    constraints: Any,
    workers: Workers,
    place: _arrays.Place | None,
) -> Wanted:
    """The objective of the file, or the one that the caller gives again."""
    if fun is not None and not callable(fun):
        raise TypeError(
            f"fun is of type {type(fun).__name__}; allowed: a function, or none where the file has the problem"
        )
    maximise = json.loads(about["settings"])["maximise"]
    if about["problem"] is not None:
        problem = Problem.of_json(about["problem"])
        integer = np.array([scale == "integer" for scale in problem.scales])
        box = Variables(problem.lower, problem.upper, integer)
        difference = None if fun is None else first_difference(fun, args, problem, box)
        if difference is not None:
            raise ValueError(
                f"fun is not the function of {os.fspath(path)}: {difference}; allowed: the same one, or none"
            )
        return Wanted(problem, about["how"], None, box.dimensions, eased=problem.is_tight)
    if fun is None:
        raise TypeError(
            f"{about['function']} was called at points, so that {os.fspath(path)} does not have it; "
            "allowed: resume(path, fun), with args and constraints as before"
        )
    given = _constraints(constraints)
    if len(given) != about["constraints"]:
        raise ValueError(f"{len(given)} constraints; allowed: {about['constraints']}, as in {os.fspath(path)}")
    lower, upper, scales = about["bounds"]
    box = Variables(np.array(lower), np.array(upper), np.array([scale == "integer" for scale in scales]))
    return wanted(
        fun,
        box,
        args=args,
        constraints=given,
        vectorized=bool(about["vectorized"]),
        workers=workers,
        compile=False,
        maximise=maximise,
        dtype=_settings.precision(about["precision"]),
        place=place,
    )
