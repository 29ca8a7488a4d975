"""`curve_fit`: fits of models to data, with the errors of the parameters."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _fit_data, _native, _settings
from ._each import shared_and_own
from ._fit_data import Numbers, Rows
from ._fit_parameters import Parameters, parameters
from ._fit_result import FitResult, fit_result
from ._problem import arrays, document
from ._settings import Seed, _short, whole

if TYPE_CHECKING:
    from ._trace import TracedRows


class FitWarning(UserWarning):
    """A fit has not converged, or the data do not determine all parameters."""


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: bool = True,
    bounds: Any = None,
    *,
    loss: str = "linear",
    loss_scale: SupportsFloat = 1.0,
    ftol: SupportsFloat | None = None,
    xtol: SupportsFloat | None = None,
    gtol: SupportsFloat | None = None,
    max_nfev: SupportsIndex | None = None,
    scale: str | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    starts: SupportsIndex | None = None,
    samples: SupportsIndex | None = None,
    compile: bool | None = None,
    seed: Seed = 0,
    precision: str = "float64",
    device: str = "auto",
    threads: SupportsIndex | None = None,
    nan_policy: str | None = "raise",
    full_output: bool = False,
) -> Any:
    """Fits a model to one or many data sets by least squares, and estimates the errors of its parameters.

        >>> t = np.linspace(0, 4, 20)
        >>> y = 5 * np.exp(-t / 2) + 0.01 * np.cos(40 * t)
        >>> def decay(t, height, lifetime):
        ...     return height * np.exp(-t / lifetime)
        >>> popt, pcov = curve_fit(decay, t, y, bounds=([0, 0.1], [100, 100]))
        >>> np.round(popt, 2).tolist()
        [5.0, 2.0]

    Arguments and results have the names of `scipy.optimize.curve_fit`. With finite bounds no starting values are
    needed: the whole box is searched. The function is compiled, with exact derivatives. A function that cannot be
    compiled is called instead.

    Parameters
    ----------
    f : function
        `f(x, a, b, ...)` predicts a number for each row of `x`, `(rows,)`. Its arguments name the parameters. `f` is
        called once, with symbolic values, and its computation is compiled; see `trace`. A function that cannot be
        compiled is called in each evaluation, on the CPU. Its derivatives are then central differences, with two calls
        per parameter.
    xdata : array
        The independent variable, `(rows,)`. For k variables `(k, rows)`, or a tuple of k arrays; `f` receives one
        array. If each fit has its own, `(fits, rows)` or `(fits, k, rows)`. If `xdata` has two dimensions and as many
        rows as there are fits, each row belongs to one fit.
    ydata : array
        The measured values, `(rows,)`, or `(fits, rows)` for many fits, in any unit.
    p0 : array, optional
        Starting values, `(n,)` or `(fits, n)`; then there is no search. Without `p0`, and with an infinite bound, a fit
        starts where SciPy's does: at 1 without bounds, at distance 1 from a single bound, or midway between two bounds.
    sigma : number or array, optional
        Standard deviations of `ydata`, in the same unit: a number, `(rows,)` or `(fits, rows)`.
    absolute_sigma : bool
        Whether `sigma` has absolute values. Otherwise only the ratios of its values matter, and `pcov` is scaled so
        that reduced chi-squared is 1.
    check_finite : bool
        Ignored; for compatibility with SciPy. Data are always checked, and `nan_policy` says how to treat NaN.
    bounds : (lower, upper), or a list of pairs, or scipy.optimize.Bounds
        A tuple of lower and upper bounds, each a number or one number per parameter, perhaps infinite; or a list of
        tuples (lower, upper), one per parameter. A parameter with equal bounds is fixed.
    loss : 'linear', 'huber', 'soft-l1', 'cauchy' or 'poisson'
        'linear' is least squares. The next three grow more slowly for large residuals, which makes the fit robust
        against outliers. 'poisson' is the likelihood of counts, without `sigma`.
    loss_scale : number
        The residual, divided by `sigma`, beyond which a robust loss grows more slowly (`f_scale` of SciPy).
    ftol, xtol, gtol : number, optional
        The fit stops when the relative change of chi-squared or of the parameters is at most `ftol` or `xtol` (default
        1.8e-15, in single precision 1e-6), or when no component of the gradient exceeds `gtol` (default 0).
    max_nfev : int, optional
        Largest number of evaluations in a fit; default 100 (n + 1).
    scale : 'linear', 'log', or a list of these, optional
        How starting values are distributed between the bounds: 'log' for a positive parameter of unknown magnitude.
    names : list of texts, optional
        Other names for the parameters, in `result` and in messages.
    starts, samples : int, optional
        Largest number of local searches for starting values (default 64 n, up to 512), and the number of random points
        of which each search takes the best (default 8). The search ends earlier if all end in the same minimum.
    compile : bool, optional
        True: it is an error if `f` cannot be compiled. False: `f` is called without an attempt to compile it.
    seed : int
        Seed of the random starting points. The same seed gives the same result.
    precision : 'float64' or 'float32'
    device : 'auto', 'cpu' or 'cuda'
    threads : int, optional
        Number of CPU threads; default all.
    nan_policy : 'raise' or 'omit'
        Whether NaN or infinity in the data is an error, or the row is omitted, for each fit separately.
    full_output : bool
        Whether to return `result` as well.

    Returns
    -------
    popt : array
        The parameters, `(n,)` or `(fits, n)`. If `ydata` or `xdata` is an array of PyTorch, CuPy or JAX, so are `popt`
        and `pcov`, on the same device; otherwise they are NumPy arrays.
    pcov : array
        Their covariance, `(n, n)` or `(fits, n, n)`. Standard errors are the square roots of the diagonal. Rows and
        columns of parameters that the data do not determine are infinite, and a FitWarning names them.
    result : FitResult
        With `full_output`: errors, chi-squared, the status of each fit, and more, as NumPy arrays.

    Raises
    ------
    ValueError
        If shapes, numbers, bounds or options are wrong, or if `f` cannot be compiled with `compile=True` or on a GPU.
    """
    if not callable(f):
        raise TypeError(f"f is of type {type(f).__name__}; allowed: a function f(x, a, b, ...)")
    if not isinstance(loss, str):
        raise TypeError(
            f"loss is of type {type(loss).__name__}; allowed: 'linear', 'huber', 'soft-l1', 'cauchy', 'poisson'"
        )
    dtype = _settings.precision(precision)
    origin = _fit_data.given_by(ydata, *(xdata if isinstance(xdata, tuple) else (xdata,)))
    data = _fit_data.rows(xdata, ydata, sigma, nan_policy, loss == "poisson")
    wanted = parameters(f, data.fits if data.is_batch else None, p0, bounds, scale, names)
    _check_counts(data, wanted)
    name = getattr(f, "__name__", type(f).__name__)
    options: dict[str, Any] = {"loss": loss, "loss_scale": float(loss_scale)}
    traced, reason = (None, None) if compile is False else _traced(f, data, wanted)
    if traced is None and (compile or device.startswith("cuda")):
        by = "compile is True" if compile else f"device is {device!r}, where functions are compiled"
        raise ValueError(f"{name} cannot be compiled, and {by}: {reason or 'compile is False'}")
    settings = {
        "absolute_sigma": bool(absolute_sigma),
        "ftol": None if ftol is None else float(ftol),
        "xtol": None if xtol is None else float(xtol),
        "gtol": None if gtol is None else float(gtol),
        "evaluations": _count("max_nfev", max_nfev),
        "starts": _count("starts", starts),
        "samples": _count("samples", samples),
        "seed": str(_settings.seed(seed)),
        "backend": _backend(device),
        "threads": whole("threads", threads),
    }
    start = np.zeros(0) if wanted.start is None else wanted.start.reshape(-1)
    counts = np.zeros(0, dtype=np.uint32) if data.counts is None else data.counts
    limits = np.stack([wanted.lower, wanted.upper], axis=1).tolist()
    how = (json.dumps(settings), start, limits, counts, dtype is np.float32)
    if traced is None:
        report = _native.fit_called(_calls(f, name, data), *_seen(data, wanted, options), how)
    else:
        problem = _problem(traced, name, data, wanted, options)
        if loss == "linear":
            _compare(f, name, problem, data, wanted)
        report = _native.fit(problem, how)
    is_absolute = bool(absolute_sigma) or loss == "poisson"
    result = fit_result(report, name, wanted.names, wanted.free, is_absolute, data.is_batch)
    _warn(result)
    popt: Any = result.parameters
    pcov: Any = result.covariance
    if origin is not None:
        popt, pcov = origin.back(popt), origin.back(pcov)
    return (popt, pcov, result) if full_output else (popt, pcov)


def _backend(device: str) -> str:
    found = _settings.backend(device)
    if "devices" in found:
        raise ValueError(f"device is {device!r}; allowed for fits: 'auto', 'cpu', 'cuda'")
    return found["backend"]


def _count(name: str, value: SupportsIndex | None) -> int | None:
    number = whole(name, value)
    if number is not None and not 1 <= number < 2**32:
        raise ValueError(f"{name} is {_short(value)}; allowed: a whole number from 1 on")
    return number


def _check_counts(data: Rows, wanted: Parameters) -> None:
    """Checks that there are enough rows."""
    counts = np.array([data.length]) if data.counts is None else data.counts
    n = int(np.sum(wanted.free))
    few = np.flatnonzero(counts < n)
    if few.size:
        of = f" of fit {few[0]}" if data.is_batch and data.counts is not None else ""
        raise ValueError(
            f"there are {n} parameters to be found, and {counts[few[0]]} rows{of}; allowed: as many rows as parameters, or "
            "more, since fewer do not determine them"
        )


def _traced(f: Callable[..., Any], data: Rows, wanted: Parameters) -> tuple[TracedRows | None, str | None]:
    """The traced function, or None and the reason why it cannot be compiled."""
    # Imported here, because the import takes a while.
    from ._trace import NotTraceable, trace_rows

    n = len(wanted.names)
    try:
        return trace_rows(f, n, data.x, alone=data.counts is not None), None
    except NotTraceable as reason:
        if isinstance(data.x, np.ndarray):
            # Retry with the numbers of `xdata`: computations without parameters may then be of any kind.
            try:
                return trace_rows(f, n, data.x, known=True), None
            except NotTraceable:
                pass
        more = ""
        if data.counts is not None:
            more = (
                ". nan_policy='omit' leaves different rows out of each fit: f may use x alone there, one row at a time"
            )
        return None, f"{reason}{more}"


def _calls(f: Callable[..., Any], name: str, data: Rows) -> Callable[[int, Numbers], Numbers]:
    """Wraps a function that is called: from the index of a fit and its parameters to a number for each row."""

    def call(fit: int, x: Numbers) -> Numbers:
        rows = data.length if data.counts is None else int(data.counts[fit])
        with np.errstate(all="ignore"):
            found = f(data.x_of(fit)[..., :rows], *x)
        y = np.asarray(found)
        if y.dtype.kind not in "biuf":
            raise ValueError(f"{name} returned {_short(found)}; allowed: a number for each row")
        if y.shape not in ((), (rows,)):
            raise ValueError(
                f"{name} returned an array of shape {y.shape}; allowed: ({rows},), one number for each row, or one for all"
            )
        # Omitted rows are at the end.
        predicted = np.zeros(data.length)
        predicted[:rows] = y
        return predicted

    return call


def _seen(data: Rows, wanted: Parameters, options: dict[str, Any]) -> tuple[Any, Any]:
    """The parameters and the data of a function that is called, for the compiled part."""
    lower, upper = wanted.box
    parameters = list(zip(wanted.names, lower.tolist(), upper.tolist(), wanted.scales, strict=True))
    sigma = data.sigma
    if sigma is not None:
        sigma = np.ascontiguousarray(np.broadcast_to(sigma, sigma.shape if sigma.ndim else (data.length,))).reshape(-1)
    scale = None if options["loss_scale"] == 1.0 else options["loss_scale"]
    y = np.ascontiguousarray(data.y).reshape(-1)
    return parameters, (y, data.fits, sigma, options["loss"], scale)


def _problem(traced: TracedRows, name: str, data: Rows, wanted: Parameters, options: dict[str, Any]) -> _native.Problem:
    """The problem that contains the model and its data."""
    shared, own = shared_and_own(traced.data)
    lets = dict(traced.lets)

    def put(called: str, numbers: NDArray[np.float64]) -> str:
        name = traced.names.of_data(called)
        (own if numbers.ndim == 2 else shared)[name] = np.ascontiguousarray(numbers)
        return name

    fits, sigmas, first = [], [], 0
    for part in traced.parts:
        these = slice(first, first + part.rows)
        formula, first = part.formula, these.stop
        if part.has_row:
            model = traced.names.of_data("model")
            lets[model] = f"{formula} for i in 1 to {part.rows}"
            formula = model
        fits.append(f"{put('observed', data.y[..., these])} ~ {formula}")
        if data.sigma is not None and data.sigma.ndim > 0:
            sigmas.append(put("sigma", data.sigma[..., these]))
    x = {"count": len(wanted.names), "lower": wanted.box[0], "upper": wanted.box[1], "scale": wanted.scales}
    table: dict[str, Any] = {"fits": fits, "variables": {"x": x}}
    if lets:
        table["let"] = lets
    if data.sigma is not None:
        table["sigma"] = sigmas or float(data.sigma)
    if options["loss"] != "linear":
        table["loss"] = options["loss"]
    if options["loss_scale"] != 1.0:
        table["loss_scale"] = options["loss_scale"]
    return _native.Problem.parse(document(table), name, arrays(shared), own)


def _compare(f: Callable[..., Any], name: str, problem: _native.Problem, data: Rows, wanted: Parameters) -> None:
    """Warns if the function and its compiled form differ, for example because the function draws random numbers."""
    point = np.random.default_rng(0).uniform(*wanted.box)
    if wanted.start is not None:
        point = wanted.start.reshape(-1, len(point))[0]
    y = data.y[0] if data.is_batch else data.y
    sigma = 1.0 if data.sigma is None else data.sigma[0] if data.sigma.ndim == 2 else data.sigma
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_python = float(np.sum(((np.asarray(f(data.x_of(0), *point)) - y) / sigma) ** 2))
        size = float(np.sum((y / sigma) ** 2))
    by_problem = float(problem.evaluate(point[np.newaxis], 0)[0][0])
    if not np.isclose(by_python, by_problem, rtol=1e-6, atol=1e-12 * size + 1e-300, equal_nan=True):
        warnings.warn(
            f"at {point} the sum of squares is {by_python!r} by {name}, and {by_problem!r} by what it was compiled to; random "
            "numbers, the time and counters are constants there",
            FitWarning,
            stacklevel=3,
        )


def _warn(result: FitResult) -> None:
    """Warns about fits that have not converged and about undetermined parameters."""
    words = []
    converged = np.atleast_1d(result.converged)
    if not converged.all():
        first = int(np.flatnonzero(~converged)[0])
        status = result.status[first] if result.is_batch else result.status
        which = f"{np.sum(~converged)} of {len(result)} fits, fit {first} first," if result.is_batch else result.name
        words.append(f"{which} came to no minimum: {status}; try other starting values, or more evaluations (max_nfev)")
    undetermined = result.undetermined if result.is_batch else [result.undetermined]
    wrong = [at for at, names in enumerate(undetermined) if names]
    if wrong:
        names = dict.fromkeys(name for at in wrong for name in undetermined[at])
        where = f" in {len(wrong)} of {len(result)} fits, fit {wrong[0]} first" if result.is_batch else ""
        words.append(f"the data do not determine {', '.join(names)}{where}: their covariance is infinite")
    elif np.any(np.atleast_1d(result.degrees_of_freedom) == 0) and not np.all(np.isfinite(result.covariance)):
        words.append(
            "there are as many rows as parameters: their covariance is infinite, unless absolute_sigma is given"
        )
    for one in words:
        warnings.warn(one, FitWarning, stacklevel=3)
