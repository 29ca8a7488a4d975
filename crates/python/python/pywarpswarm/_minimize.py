"""`minimize` and `maximize`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, SupportsIndex

from numpy.typing import ArrayLike

from . import _arrays, _checkpoint, _each, _settings
from ._checkpoint import File
from ._constraints import constraints as _constraints
from ._each import Each
from ._native import Problem
from ._objective import Objective, Wanted, wanted
from ._result import Result, result
from ._settings import Algorithm, Seed
from ._workers import Workers


def minimize(
    fun: Objective,
    bounds: Any = None,
    *,
    args: Sequence[Any] = (),
    algorithm: Algorithm = "auto",
    population: SupportsIndex | None = None,
    max_iterations: SupportsIndex | None = None,
    max_evaluations: SupportsIndex | None = None,
    max_seconds: SupportsFloat | None = None,
    target: SupportsFloat | ArrayLike | None = None,
    stagnation: SupportsIndex | None = None,
    rng: Seed = None,
    seed: Seed = None,
    x0: ArrayLike | None = None,
    constraints: Any = (),
    integrality: ArrayLike | None = None,
    vectorized: bool | str = False,
    compile: bool | None = None,
    runs: SupportsIndex | None = None,
    device: str = "auto",
    precision: str = "float64",
    callback: Callable[[Result], object] | None = None,
    callback_every: SupportsIndex = 0,
    workers: Workers = 1,
    threads: SupportsIndex | None = None,
    restart: bool = False,
    polish: bool | None = None,
    history: bool | int = False,
    checkpoint: File | None = None,
    checkpoint_every: SupportsFloat = 60.0,
) -> Result:
    """Minimizes a function within bounds.

        >>> def rosenbrock(x):
        ...     return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        >>> result = minimize(rosenbrock, [(-2, 2)] * 5)
        >>> np.round(result.x, 6).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]

    Parameters
    ----------
    fun : function, Problem, or text
        A function of a vector (n,). It is called once with a symbolic vector, and its computation is compiled; see
        `trace`. If it cannot be compiled, a warning says why, and it is called at each point. With `vectorized`, a
        function from points (k, n), one per row, to k values. A text is an expression of `x[1]`, ..., `x[n]`, or the
        path of a problem file (`.toml`).
    bounds : pairs (lower, upper), or scipy.optimize.Bounds
        One pair per variable, or `(runs, n, 2)`. A `Problem` and a problem file have their own.
    args : tuple
        Further arguments of `fun`, after the vector. Each run receives its own part of `each(array)`.
    algorithm : text, or dict
        A name, or a dict with `name`, optionally `preset`, and parameters; see `algorithms`. The default, 'auto',
        chooses algorithms itself.
    population : int
        Number of individuals; by default the algorithm's usual number.
    max_iterations, max_evaluations, max_seconds, target, stagnation
        Stop conditions of a run: the number of iterations, evaluations or seconds; a value of at most `target` (a
        number, or one for each run); the number of iterations without improvement. If there is no limit, a run stops
        after 1,000,000 evaluations (`auto`, `cma-es`) or 1,000 iterations.
    rng : int, generator, or None
        The seed. None means 0, so the same call gives the same result. `seed` is another name for it.
    x0 : (n,), (k, n) or (runs, k, n)
        Initial points of a run.
    constraints : one, or a list
        `scipy.optimize.NonlinearConstraint` or `LinearConstraint`, or dicts with `type` and `fun`.
    integrality : bool, or (n,)
        Which variables are integers.
    vectorized : bool, or 'torch', 'cupy', 'jax'
        Whether `fun` evaluates many points at once: from (k, n), one point per row, to k values, or to a pair of k
        values and k constraint violations. With a name, these are arrays of that library, on the GPU of `device`.
        Nothing is copied through the host, except for `auto` and `cma-es`, whose individuals are on the CPU. The next
        call overwrites points on a GPU; copy them if you need them later. Functions in `constraints` are called with
        one point at a time; return a pair to compute violations for many points at once.
    compile : bool
        True: it is an error if `fun` cannot be compiled. False: `fun` is called without an attempt to compile it.
    runs : int
        Number of independent runs, in parallel; by default 1, or the number that `each`, `bounds`, `x0` or `target`
        imply.
    device : 'auto', 'cpu', 'cuda', 'cuda:1', 'cuda:all'
        Where to run. The results do not depend on it.
    precision : 'float64' or 'float32'
        The type of all numbers in the search.
    callback : function
        Called with the best result so far, a `Result`, about 20 times a second, or after every `callback_every`
        iterations. It may raise `StopIteration`, or return True, to stop the search.
    workers : int, or a function such as map
        Number of processes that call `fun` if it is not compiled; -1 for one per core.
    threads : int
        Number of CPU threads for compiled objectives; by default all.
    restart : bool
        Whether runs restart after convergence. `auto` and `cma-es` always do.
    polish : bool, optional
        Whether a local search improves the best point of each run at its end; `result.runs.polish` describes it. If
        `fun` is compiled, the local search uses exact derivatives and handles each constraint separately. Otherwise it
        uses finite differences, followed by a simplex search. The result is never worse. By default it is done if
        `fun` is compiled and has at most 1,000 variables, for runs that have not reached their target. It then takes at
        most about a tenth of the run's own evaluations, or 20,000 if that is more. `nfev` does not include them.
    history : bool, or int
        Whether to record the best value in `result.trace`, in each iteration or every so many; at most 1,000 records.
    checkpoint : path
        A file from which `resume` continues. It is written every `checkpoint_every` seconds and at the end, also if
        Ctrl-C or an exception of `fun` ends the search. The file is replaced as a whole or not at all.

    Returns
    -------
    Result
        `x`, `fun`, and more.

    Ctrl-C raises KeyboardInterrupt, whose `result` has the best so far. An exception of `fun` is raised unchanged.
    """
    given = {name: value for name, value in locals().items() if name not in ("fun", "bounds")}
    return _search(fun, bounds, maximise=False, **given)


def maximize(fun: Objective, bounds: Any = None, **options: Any) -> Result:
    """Maximizes a function within bounds. The options are those of `minimize`.

    >>> result = maximize(lambda x: x[0] * (2 - x[0]), [(0, 2)])
    >>> round(result.fun, 9)
    1.0
    """
    return _search(fun, bounds, maximise=True, **{**_DEFAULTS, **_known(options)})


# The default values of the options of `minimize`.
_DEFAULTS: dict[str, Any] = dict(minimize.__kwdefaults__ or {})


def _known(options: dict[str, Any]) -> dict[str, Any]:
    for name in options:
        if name not in _DEFAULTS:
            raise TypeError(f"maximize() got an unexpected keyword argument {name!r}; allowed: {', '.join(_DEFAULTS)}")
    return options


def _search(
    fun: Objective,
    bounds: Any,
    *,
    maximise: bool,
    args: Sequence[Any],
    rng: Seed,
    seed: Seed,
    x0: ArrayLike | None,
    constraints: Any,
    integrality: ArrayLike | None,
    vectorized: bool | str,
    compile: bool | None,
    algorithm: Algorithm,
    precision: str,
    device: str,
    callback: Callable[[Result], object] | None,
    callback_every: SupportsIndex,
    workers: Workers,
    restart: bool,
    polish: bool | None,
    checkpoint: File | None,
    checkpoint_every: SupportsFloat,
    **limits: Any,
) -> Result:
    if rng is not None and seed is not None:
        raise TypeError("rng and seed are two names of one argument; allowed: one of them")
    dtype = _settings.precision(precision)
    box = None if bounds is None else _settings.variables(bounds, integrality)
    sizes: list[tuple[str, int | None]] = [
        (f"argument {number} of fun", len(one)) for number, one in enumerate(args, 1) if isinstance(one, Each)
    ]
    _each.count(limits["runs"], sizes)
    place = None
    searched_by = _settings.algorithm(algorithm)
    if not isinstance(vectorized, bool):
        place = _arrays.placed(_arrays.library("vectorized", vectorized, dtype), device, searched_by, restart)
    objective = wanted(
        fun,
        box,
        args=tuple(args),
        constraints=_constraints(constraints),
        vectorized=bool(vectorized),
        workers=workers,
        compile=compile,
        maximise=maximise,
        dtype=dtype,
        place=place,
    )
    own = _settings.own_runs(box, x0, objective.dimensions)
    of_fun = objective.native.runs if isinstance(objective.native, Problem) else None
    sizes += [("fun", of_fun), *_settings.sizes(own, limits["target"])]
    limits["runs"] = _each.count(limits["runs"], sizes)
    settings = _settings.settings(
        rng=rng if seed is None else seed,
        first_run=0,
        maximise=maximise,
        eased=objective.eased,
        restart=restart,
        polish=polish,
        device=device if place is None else place.individuals,
        **limits,
    )
    is_compiled = isinstance(objective.native, Problem)
    about = {
        "problem": objective.native.json() if isinstance(objective.native, Problem) else None,
        "function": None if is_compiled else getattr(fun, "__qualname__", type(fun).__name__),
        "vectorized": vectorized,
        "device": device,
        "constraints": 0 if is_compiled else len(_constraints(constraints)),
        "how": objective.how,
        "bounds": None if objective.variables is None else objective.variables.native(),
        "begin": _settings.starts(x0, objective.dimensions) if own is None else [],
        "runs": own,
        "algorithm": searched_by,
        "settings": settings,
        "precision": precision,
    }
    return run(objective, about, callback, callback_every, checkpoint, checkpoint_every)


def run(
    objective: Wanted,
    about: dict[str, Any],
    callback: Callable[[Result], object] | None,
    callback_every: SupportsIndex,
    checkpoint: File | None,
    checkpoint_every: SupportsFloat,
    from_file: File | None = None,
) -> Result:
    """Runs the search that `about` describes, perhaps from a checkpoint."""
    try:
        saved = None
        if checkpoint is not None:
            path = _checkpoint.path_to_write(checkpoint)
            saved = path, _checkpoint.seconds(checkpoint_every), _checkpoint.text("minimize", about)
        every = _settings.whole("callback_every", callback_every) or 0
        search = _checkpoint.started(objective.native, about, from_file, objective.on_device)

        def observed(report: dict[str, Any]) -> None:
            assert callback is not None
            if callback(result(report, objective.how)) is True:
                raise StopIteration

        with contextlib.nullcontext() if saved is None else _checkpoint.alone(saved[0]):
            report = search.run(observed if callback is not None else None, every, saved)
    except KeyboardInterrupt as interrupt:
        so_far = getattr(interrupt, "_report", None)
        if so_far is not None:
            interrupt.result = result(so_far, objective.how)  # type: ignore[attr-defined]
        raise
    finally:
        objective.close()
    return result(report, objective.how, search)
