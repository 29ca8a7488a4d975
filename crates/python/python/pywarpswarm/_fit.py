"""`curve_fit`: models of data, with the errors of their parameters."""

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
    """A fit has come to no minimum, or data do not determine its parameters."""


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
    """Fits a model to data by least squares, or to many sets of data at once, and says how certain its parameters are.

        >>> t = np.linspace(0, 4, 20)
        >>> y = 5 * np.exp(-t / 2) + 0.01 * np.cos(40 * t)
        >>> def decay(t, height, lifetime):
        ...     return height * np.exp(-t / lifetime)
        >>> popt, pcov = curve_fit(decay, t, y, bounds=([0, 0.1], [100, 100]))
        >>> np.round(popt, 2).tolist()
        [5.0, 2.0]

    Names and results are those of `scipy.optimize.curve_fit`. Between finite bounds no starting values are needed: the whole
    box is searched. The function is compiled, and its derivatives are exact; one that cannot be compiled is called.

    Parameters
    ----------
    f : function
        `f(x, a, b, ...)` predicts a number for each row of `x`, `(rows,)`. Its parameters have the names that it gives them.
        It is called once, with symbolic values, and what it computes is compiled; see `trace` for what that may be. What cannot
        be compiled is called for each evaluation, on the CPU, with numbers: derivatives are central differences then, of two
        calls a parameter.
    xdata : array
        What is known of the rows: `(rows,)`; `(k, rows)`, or a tuple of k arrays, for k variables, which `f` sees as
        such an array; of each fit its own as `(fits, rows)` or `(fits, k, rows)`. Where `ydata` are of many fits, and there are as
        many fits as `xdata` has rows, each row is of a fit.
    ydata : array
        What was measured, `(rows,)`, or `(fits, rows)` for many fits. Numbers of any unit; errors are in the same.
    p0 : array, optional
        Starting values, `(n,)`, or `(fits, n)`: then nothing is searched. Without them, and with a bound that is not finite,
        a fit starts where SciPy's does: at 1 without bounds, 1 from a single bound, in the middle between two.
    sigma : number or array, optional
        Standard deviations of `ydata`, in its unit: one, `(rows,)` or `(fits, rows)`.
    absolute_sigma : bool
        Whether `sigma` has the true sizes. Otherwise it says how rows compare, and `pcov` is scaled so that reduced
        chi-squared is 1.
    check_finite : bool
        For those who come from SciPy: numbers that are not finite are always found, and `nan_policy` says what becomes of them.
    bounds : (lower, upper), or a list of pairs, or scipy.optimize.Bounds
        A tuple of the lower and the upper bounds, each a number or one a parameter, perhaps infinite; or a list of tuples
        (lower, upper), one a parameter. A parameter whose bounds are the same number is fixed.
    loss : 'linear', 'huber', 'soft-l1', 'cauchy' or 'poisson'
        What is summed up: squares, or less than them where residuals are large, against outliers. 'poisson' is the likelihood
        of counts, without `sigma`.
    loss_scale : number
        From which residual on, over `sigma`, it grows more slowly than squares (`f_scale` of SciPy).
    ftol, xtol, gtol : number, optional
        The fit ends when chi-squared or the parameters change by no more than this part (default 1.8e-15, in single precision
        1e-6), or no component of the gradient is larger (default 0).
    max_nfev : int, optional
        The most evaluations of a fit; default 100 (n + 1).
    scale : 'linear', 'log', or a list of these, optional
        How starting values are spread between bounds: 'log' for a positive parameter whose order of magnitude is not known.
    names : list of texts, optional
        Other names of the parameters, in `result` and in messages.
    starts, samples : int, optional
        The most local searches for starting values (default 64 n, up to 512), each from the best of so many points (default
        8). There are fewer where all of them end in the same minimum.
    compile : bool, optional
        True makes it an error where `f` cannot be compiled; False calls it without trying.
    seed : int
        Of the points' draws: the same one gives the same result.
    precision : 'float64' or 'float32'
    device : 'auto', 'cpu' or 'cuda'
    threads : int, optional
        Of the CPU; default all.
    nan_policy : 'raise' or 'omit'
        Whether NaN and infinite numbers in the data are an error, or their rows are left out, of each fit its own.
    full_output : bool
        Whether `result` is returned, too.

    Returns
    -------
    popt : array
        The parameters, `(n,)` or `(fits, n)`: of NumPy, or of PyTorch, CuPy or JAX on the same device where `ydata` or
        `xdata` is.
    pcov : array
        Their covariance, `(n, n)` or `(fits, n, n)`; standard errors are the roots of its diagonal. Infinite in rows and columns of
        parameters that the data do not determine, of which a FitWarning tells.
    result : FitResult
        With `full_output`: errors, chi-squared, how each fit ended, and more; NumPy's arrays.

    Raises
    ------
    ValueError
        Where `f` cannot be compiled and has to be, for `compile=True` or on a GPU, and where shapes, numbers, bounds or options are wrong. The message says what is allowed.
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
    """Sees that there are enough rows."""
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
    """What a function computes; why that cannot be compiled, if it cannot."""
    # Imported where it is needed: that takes a while.
    from ._trace import NotTraceable, trace_rows

    n = len(wanted.names)
    try:
        return trace_rows(f, n, data.x, alone=data.counts is not None), None
    except NotTraceable as reason:
        if isinstance(data.x, np.ndarray):
            # What is computed of the rows without parameters may be anything.
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
    """What gives a number for each row of a fit, by its parameters, from a function that is called."""

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
        # Rows that are left out come last.
        predicted = np.zeros(data.length)
        predicted[:rows] = y
        return predicted

    return call


def _seen(data: Rows, wanted: Parameters, options: dict[str, Any]) -> tuple[Any, Any]:
    """The parameters and the data of a function that is called."""
    lower, upper = wanted.box
    parameters = list(zip(wanted.names, lower.tolist(), upper.tolist(), wanted.scales, strict=True))
    sigma = data.sigma
    if sigma is not None:
        sigma = np.ascontiguousarray(np.broadcast_to(sigma, sigma.shape if sigma.ndim else (data.length,))).reshape(-1)
    scale = None if options["loss_scale"] == 1.0 else options["loss_scale"]
    y = np.ascontiguousarray(data.y).reshape(-1)
    return parameters, (y, data.fits, sigma, options["loss"], scale)


def _problem(traced: TracedRows, name: str, data: Rows, wanted: Parameters, options: dict[str, Any]) -> _native.Problem:
    """The model beside its data."""
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
    """Warns where a function gives something else than what it was compiled to, as one that draws random numbers does."""
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
    """Says which fits are none."""
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
