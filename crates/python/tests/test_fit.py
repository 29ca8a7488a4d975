"""Fits of models to data, compared with SciPy's."""

from __future__ import annotations

import functools
import math
import warnings

import numpy as np
import pytest
import pywarpswarm as ws

optimize = pytest.importorskip("scipy.optimize")

T = np.linspace(0, 4, 40)
DRAWS = np.random.default_rng(5)
NOISE = DRAWS.normal(size=(6, 40))
TRUE = np.array([[5.0, 2.0], [3.0, 1.0], [7.0, 4.0], [4.0, 0.5], [9.0, 3.0], [2.0, 2.5]])


def decay(t, height, lifetime):
    return height * np.exp(-t / lifetime)


def peak(x, height, middle, width, base):
    return base + height * np.exp(-(((x - middle) / width) ** 2) / 2)


def same_covariance(one, other, rtol=1e-4):
    """Compares each element relative to the errors of its two parameters, because an element may be close to 0."""
    size = np.sqrt(np.diag(other))
    np.testing.assert_allclose(one / np.outer(size, size), other / np.outer(size, size), atol=rtol)


Y = decay(T, TRUE[:, :1], TRUE[:, 1:]) + 0.1 * NOISE
PEAK = peak(T, 4.0, 1.7, 0.4, 1.0) + 0.05 * NOISE[0]
SIGMA = 0.05 + 0.02 * T


@pytest.mark.parametrize("absolute_sigma", [False, True])
@pytest.mark.parametrize("sigma", [None, SIGMA])
@pytest.mark.parametrize(
    ("f", "y", "p0", "bounds"),
    [
        (decay, Y[0], [4.0, 1.0], ([0, 0.01], [100, 100])),
        (peak, PEAK, [3.0, 2.0, 0.5, 0.0], ([0, 0, 0.05, -5], [20, 4, 3, 5])),
    ],
)
def test_parameters_and_covariances_are_those_of_scipy(f, y, p0, bounds, sigma, absolute_sigma):
    options = {"sigma": sigma, "absolute_sigma": absolute_sigma}
    popt, pcov = optimize.curve_fit(f, T, y, p0, ftol=1e-14, xtol=1e-14, **options)
    for more in ({"p0": p0}, {"bounds": bounds}, {"p0": p0, "bounds": bounds}):
        mine, covariance = ws.curve_fit(f, T, y, **options, **more)
        np.testing.assert_allclose(mine, popt, rtol=1e-6)
        same_covariance(covariance, pcov)


def test_where_the_best_is_at_a_bound():
    bounds = ([0, 2.2], [100, 9])
    popt, _ = optimize.curve_fit(decay, T, Y[0], bounds=bounds, ftol=1e-14, xtol=1e-14, gtol=1e-14)
    mine, _, result = ws.curve_fit(decay, T, Y[0], bounds=bounds, full_output=True)
    np.testing.assert_allclose(mine, popt, rtol=1e-6)
    assert mine[1] == 2.2 and result.status == "at a bound" and result.at_bounds == ("lifetime",) and result.converged


@pytest.mark.parametrize(
    ("bounds", "start"),
    [
        (None, [1.0, 1.0]),
        (([0.5, -np.inf], [np.inf, 5.0]), [1.5, 4.0]),
        ((0, [6.0, np.inf]), [3.0, 1.0]),
    ],
)
def test_without_starting_values_it_starts_where_scipy_does(bounds, start):
    with pytest.warns(ws.FitWarning, match="no minimum"):
        mine, _ = ws.curve_fit(decay, T, Y[0], bounds=bounds, max_nfev=1)
    assert mine.tolist() == start


@pytest.mark.parametrize("loss", ["huber", "soft_l1", "cauchy"])
def test_losses_are_those_of_scipy(loss):
    y = Y[0].copy()
    y[::9] += 3.0
    expected = optimize.least_squares(
        lambda p: (decay(T, *p) - y) / SIGMA, [4, 1], loss=loss, f_scale=1.5, ftol=1e-14, xtol=1e-14, gtol=1e-14
    )
    mine, _, result = ws.curve_fit(decay, T, y, [4, 1], SIGMA, loss=loss, loss_scale=1.5, full_output=True)
    np.testing.assert_allclose(mine, expected.x, rtol=1e-5)
    np.testing.assert_allclose(result.chi_squared, 2 * expected.cost, rtol=1e-9)


def test_counts_have_the_greatest_likelihood():
    counts = np.random.default_rng(3).poisson(decay(T, 20.0, 1.5)).astype(float)

    def unlikely(p):
        mean = decay(T, *p)
        return 2 * np.sum(mean - counts * np.log(mean))

    best = optimize.minimize(unlikely, [15, 1], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    mine, covariance = ws.curve_fit(decay, T, counts, bounds=(0.1, 100), loss="poisson")
    np.testing.assert_allclose(mine, best.x, rtol=1e-5)
    # The observed information in the Gauss-Newton approximation: the curvature of each row is counts / mean^2.
    slopes = np.stack([np.exp(-T / mine[1]), decay(T, *mine) * T / mine[1] ** 2])
    information = (slopes * counts / decay(T, *mine) ** 2) @ slopes.T
    np.testing.assert_allclose(covariance, np.linalg.inv(information), rtol=1e-6)


def test_measures_of_a_fit():
    mine, covariance, result = ws.curve_fit(decay, T, Y[0], [4, 1], SIGMA, full_output=True)
    residuals = (Y[0] - decay(T, *mine)) / SIGMA
    assert result.names == ("height", "lifetime") and result.degrees_of_freedom == 38
    np.testing.assert_allclose(result.chi_squared, residuals @ residuals, rtol=1e-12)
    np.testing.assert_allclose(result.reduced_chi_squared, residuals @ residuals / 38, rtol=1e-12)
    np.testing.assert_allclose(result.errors, np.sqrt(np.diag(covariance)), rtol=1e-14)
    together = covariance[0, 1] / (result.errors[0] * result.errors[1])
    np.testing.assert_allclose(result.correlation, [[1, together], [together, 1]], rtol=1e-12)
    assert result.converged is True and result.status == "converged" and result.undetermined == ()
    assert np.isnan(result.other_minimum) and result.evaluations >= 1
    text = repr(result)
    assert text.startswith("decay: converged") and "lifetime = 1.985" in text and "degrees of freedom 38" in text


def test_many_fits_are_as_each_is_alone():
    p0 = TRUE * 0.8
    many, covariances, result = ws.curve_fit(decay, T, Y, p0, SIGMA, full_output=True)
    assert many.shape == (6, 2) and covariances.shape == (6, 2, 2) and len(result) == 6
    for fit in range(6):
        alone, covariance = ws.curve_fit(decay, T, Y[fit], p0[fit], SIGMA)
        assert alone.tolist() == many[fit].tolist() and covariance.tolist() == covariances[fit].tolist()
    same, _ = ws.curve_fit(decay, np.tile(T, (6, 1)), Y, p0, np.tile(SIGMA, (6, 1)))
    assert same.tolist() == many.tolist()
    threads, _ = ws.curve_fit(decay, T, Y, p0, SIGMA, threads=1)
    assert threads.tolist() == many.tolist()
    searched, _ = ws.curve_fit(decay, T, Y, sigma=SIGMA, bounds=(0.01, 100), scale="log")
    np.testing.assert_allclose(searched, many, rtol=1e-6)
    assert result.status == ["converged"] * 6 and result.converged.tolist() == [True] * 6
    assert repr(result).startswith("decay: 6 fits of 2 parameters: 6 converged")


def test_parts_of_rows_have_parameters_in_common():
    """Two concatenated measurements with a common lifetime, in the form of a single fit with SciPy."""

    def both(t, one, other, lifetime):
        return np.concatenate([decay(t[:40], one, lifetime), decay(t[40:], other, lifetime)])

    t, y = np.concatenate([T, T]), np.concatenate([Y[0], 2 * decay(T, 3.0, 2.0) + 0.1 * NOISE[1]])
    sigma = np.concatenate([SIGMA, 2 * SIGMA])
    mine, covariance = ws.curve_fit(both, t, y, [4, 4, 1], sigma)
    expected, of_scipy = optimize.curve_fit(both, t, y, [4, 4, 1], sigma, ftol=1e-14, xtol=1e-14)
    np.testing.assert_allclose(mine, expected, rtol=1e-6)
    same_covariance(covariance, of_scipy)
    many, _ = ws.curve_fit(both, t, np.stack([y, y[::-1], y]), [4, 4, 1], sigma)
    assert many[0].tolist() == many[2].tolist() == mine.tolist()
    by_number, _ = ws.curve_fit(both, t, y, [4, 4, 1], 0.1)
    np.testing.assert_allclose(by_number, optimize.curve_fit(both, t, y, [4, 4, 1])[0], rtol=1e-6)


def test_single_precision():
    popt, pcov = ws.curve_fit(decay, T, Y[0], [4, 1], precision="float32")
    assert popt.dtype == pcov.dtype == np.float32
    np.testing.assert_allclose(popt, ws.curve_fit(decay, T, Y[0], [4, 1])[0], rtol=1e-4)


def test_several_variables():
    u, v = DRAWS.normal(size=(2, 30))

    def surface(x, a, b, c):
        first, second = x
        return a + b * first + c * first * second

    z = surface((u, v), 1.0, 2.0, 3.0)
    for x in ((u, v), [u, v], np.array([u, v])):
        np.testing.assert_allclose(ws.curve_fit(surface, x, z)[0], [1, 2, 3], rtol=1e-9)
    many = np.stack([z, 2 * z, z + 1])
    expected = [[1, 2, 3], [2, 4, 6], [2, 2, 3]]
    for x in ((u, v), np.array([u, v]), np.array([[u, v]] * 3), (u, np.array([v] * 3))):
        np.testing.assert_allclose(ws.curve_fit(surface, x, many)[0], expected, rtol=1e-9)


MODELS = {
    "where": (lambda x, a, b: np.where(x < 2, a * x, b + x), 2),
    "constant": (lambda x, a: a, 1),
    "one for all": (lambda x, a: np.array([a]), 1),
    "mean and neighbours": (lambda x, a, b: a * (x - x.mean()) + b * x[::-1] ** 2, 2),
    "one behind the other": (lambda x, a, b: np.concatenate([a * x[:15], b * x[15:] ** 2 + a]), 2),
    "own array": (lambda x, a, b: a * T * x + b * SIGMA, 2),
    "sum of terms": (lambda x, *c: sum(c[k] * x**k for k in range(3)), 3),
    "polynomial": (lambda x, *c: np.polyval(c, x), 3),
    "any function of x": (lambda x, a, b: a * np.interp(x, [0, 2, 4], [0, 1, 0]) + b * np.sort(-x), 2),
    "asks x": (lambda x, a, b: a * x + b if x[0] < 1 else b * x, 2),
    "names of the language": (lambda x, gamma, tau, e: gamma + tau * x + e * x**2, 3),
    "partial": (functools.partial(peak, width=0.4, base=1.0), 2),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    f, n = MODELS[name]
    popt, pcov = ws.curve_fit(f, T, PEAK, np.ones(n))
    expected, covariance = optimize.curve_fit(lambda x, *p: np.broadcast_to(f(x, *p), x.shape), T, PEAK, np.ones(n))
    np.testing.assert_allclose(popt, expected, rtol=1e-6)
    same_covariance(pcov, covariance)


def test_rows_are_left_out():
    y = Y[0].copy()
    y[[3, 39]] = np.nan
    kept = np.isfinite(y)
    mine, covariance = ws.curve_fit(decay, T, y, [4, 1], SIGMA, nan_policy="omit")
    expected, of_scipy = ws.curve_fit(decay, T[kept], y[kept], [4, 1], SIGMA[kept])
    assert mine.tolist() == expected.tolist() and covariance.tolist() == of_scipy.tolist()
    # Each fit omits other rows.
    many = Y.copy()
    many[1, [0, 17]], many[4, 39] = np.nan, np.inf
    for x in (T, np.tile(T, (6, 1))):
        found, covariances, result = ws.curve_fit(decay, x, many, TRUE, SIGMA, nan_policy="omit", full_output=True)
        assert result.degrees_of_freedom.tolist() == [38, 36, 38, 38, 37, 38]
        for fit in range(6):
            kept = np.isfinite(many[fit])
            expected, of_scipy = optimize.curve_fit(decay, T[kept], many[fit][kept], TRUE[fit], SIGMA[kept])
            np.testing.assert_allclose(found[fit], expected, rtol=1e-6)
            same_covariance(covariances[fit], of_scipy)


def test_what_data_do_not_determine_is_said():
    with pytest.warns(ws.FitWarning, match="do not determine a, b: their covariance is infinite"):
        _, pcov, result = ws.curve_fit(lambda x, a, b, c: a * b * x + c, T, Y[0], full_output=True)
    assert result.undetermined == ("a", "b") and result.status == "undetermined"
    assert np.isinf(pcov[:2]).all() and np.isinf(pcov[:, :2]).all() and np.isfinite(pcov[2, 2])
    with pytest.warns(ws.FitWarning, match="as many rows as parameters"):
        popt, pcov = ws.curve_fit(decay, T[:2], Y[0, :2], [4, 1])
    assert np.isinf(pcov).all()
    np.testing.assert_allclose(decay(T[:2], *popt), Y[0, :2], rtol=1e-6)
    with pytest.warns(ws.FitWarning, match="as many rows"):
        assert ws.curve_fit(lambda x, a: a * x, [2.0], [3.0])[0].tolist() == [1.5]
    # The error of a fixed parameter is 0.
    popt, pcov = ws.curve_fit(decay, T, Y[0], bounds=[(5, 5), (0.1, 9)])
    assert popt[0] == 5.0 and pcov[0].tolist() == [0, 0] and pcov[1, 1] > 0


def test_what_has_not_converged_is_said():
    with pytest.warns(ws.FitWarning, match="decay came to no minimum: not converged"):
        assert ws.curve_fit(decay, T, Y[0], [1, 1], max_nfev=2, full_output=True)[2].converged is False
    with pytest.warns(ws.FitWarning, match="6 of 6 fits, fit 0 first, came to no minimum"):
        ws.curve_fit(decay, T, Y, [1, 1], max_nfev=2)
    with pytest.warns(ws.FitWarning, match="not finite"):
        assert np.isinf(ws.curve_fit(lambda x, a: np.log(a) * x, T, Y[0], [-1])[1]).all()


def test_random_numbers_are_found():
    draws = np.random.default_rng(1)
    with pytest.warns(ws.FitWarning, match="random numbers, the time and counters are constants"):
        ws.curve_fit(lambda x, a: a * x + draws.normal(size=40), T, Y[0])


def branches(x, a, b):
    if a > b:
        return a * x
    return b * x


def with_nan(array, *place):
    out = np.array(array, dtype=float)
    out[place] = np.nan
    return out


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (
            (decay, T, with_nan(Y[0], 7), [1, 1]),
            {},
            r"ydata is nan in row 7; allowed: finite numbers, or nan_policy='omit'",
        ),
        ((decay, T, with_nan(Y, 2, 7), [1, 1]), {}, r"ydata is nan in row 7 of fit 2; allowed"),
        ((decay, with_nan(T, 3), Y[0], [1, 1]), {}, r"xdata is nan in row 3; allowed"),
        ((decay, T, Y[0], [1, 1], with_nan(SIGMA, 3)), {}, r"sigma is nan in row 3; allowed"),
        ((decay, T, Y[0], [1, 1], np.inf), {"nan_policy": "omit"}, r"sigma is inf; allowed: finite numbers$"),
        ((decay, T, Y[0], [1, 1], np.where(T > 3, 0, 1)), {}, r"sigma is 0.0 in row 30; allowed: numbers above 0"),
        ((decay, T, Y[0], [1, 1], -1), {}, r"sigma is -1.0; allowed: numbers above 0"),
        ((decay, T, Y[0], [1, 1], np.eye(40)), {}, r"sigma is a matrix of covariances.*Cholesky"),
        ((decay, T, Y[0], [1, 1], [1, 2]), {}, r"sigma has the shape \(2,\); allowed: a number, or \(40,\)"),
        ((decay, T, Y[0] * 1j, [1, 1]), {}, r"ydata is .* allowed: real numbers"),
        ((decay, T, 3.0), {}, r"ydata has the shape \(\); allowed: \(rows,\), or \(fits, rows\)"),
        ((decay, T[1:], Y[0]), {}, r"xdata has the shape \(39,\) and ydata \(40,\); allowed: \(40,\)"),
        ((decay, (T, T[1:]), Y[0]), {}, r"xdata\[1\] has the shape \(39,\); allowed: \(40,\)"),
        ((decay, T, Y[0], [1, 1]), {"nan_policy": "skip"}, r"nan_policy is 'skip'; allowed: 'raise', 'omit'"),
        ((decay, T[:1], Y[0, :1], [1, 1]), {}, r"2 parameters to be found, and 1 rows; allowed: as many rows"),
        (
            (decay, T, np.where((T > 0) & (TRUE[:, :1] == 3), np.nan, Y), [1, 1]),
            {"nan_policy": "omit"},
            r"2 parameters to be found, and 1 rows of fit 1",
        ),
        (
            (decay, T, np.where(TRUE[:, :1] == 3, np.nan, Y), [1, 1]),
            {"nan_policy": "omit"},
            r"no row of fit 1 has finite numbers alone",
        ),
        (
            (lambda x, a: a * x.mean() * x, T, with_nan(Y, 2, 7)),
            {"nan_policy": "omit", "compile": True},
            r"computes rows of more than that row .* f may use x alone there",
        ),
        (
            (lambda x, a: a * T * x, T, with_nan(Y, 2, 7)),
            {"nan_policy": "omit", "compile": True},
            r"computes rows of more than that row",
        ),
        (
            (decay, T, Y[0], [1, 1, 1]),
            {},
            r"p0 has the shape \(3,\); allowed: \(2,\), one for each of height, lifetime$",
        ),
        ((decay, T, Y, np.ones((5, 2))), {}, r"p0 has the shape \(5, 2\); allowed: \(2,\).*, or \(6, 2\) for each fit"),
        (
            (decay, T, Y[0], [1, 5]),
            {"bounds": (0, 4)},
            r"p0 of lifetime is 5.0; allowed: .* between its bounds, 0.0 and 4.0",
        ),
        ((decay, T, Y, TRUE), {"bounds": (0, 6)}, r"p0 of height of fit 2 is 7.0; allowed"),
        ((decay, T, Y[0], [1, np.nan]), {}, r"p0 of lifetime is nan; allowed: a finite number"),
        ((decay, T, Y[0], ["a", 1]), {}, r"p0 is \['a', 1\]; allowed: real numbers"),
        ((decay, T, Y[0]), {"bounds": [[0, 9], [0, 9]]}, r"may be \(lower, upper\) or pairs; allowed: a tuple"),
        ((decay, T, Y[0]), {"bounds": [(0, 9)]}, r"bounds have the shape \(1, 2\); allowed"),
        (
            (decay, T, Y[0]),
            {"bounds": ([0, 0, 0], 9)},
            r"the lower bounds have the shape \(3,\); allowed: a number, or \(2,\)",
        ),
        (
            (decay, T, Y[0]),
            {"bounds": ([0, 5], [9, 4])},
            r"the bounds of lifetime are 5.0 and 4.0; allowed: lower <= upper",
        ),
        ((decay, T, Y[0]), {"bounds": (0, 9), "scale": "log"}, r"scale of height is 'log', and its lower bound 0.0"),
        (
            (decay, T, Y[0]),
            {"bounds": (1, 9), "scale": ["log"]},
            r"scale is \['log'\]; allowed: 'linear' or 'log', or 2",
        ),
        ((decay, T, Y[0], [1, 1]), {"scale": "log"}, r"scale says how starting values are searched for.*p0 is given"),
        ((decay, T, Y[0], [1, 1]), {"loss": "arctan"}, r'loss is "arctan"; allowed: linear, huber'),
        ((decay, T, Y[0], [1, 1]), {"loss_scale": 2}, r"loss_scale is 2; allowed: with huber"),
        ((decay, T, Y[0] - 3, [1, 1]), {"loss": "poisson"}, r"ydata is -.* in row \d+; allowed: counts from 0 on"),
        ((decay, T, Y[0], [1, 1]), {"ftol": 2}, r"ftol is 2; allowed: from 0 to below 1"),
        ((decay, T, Y[0], [1, 1]), {"max_nfev": 0}, r"max_nfev is 0; allowed: a whole number from 1 on"),
        ((decay, T, Y[0], [1, 1]), {"precision": "half"}, r"precision is 'half'; allowed: 'float64' or 'float32'"),
        ((decay, T, Y[0], [1, 1]), {"device": "tpu"}, r"device is 'tpu'; allowed: 'auto', 'cpu'"),
        (
            (decay, T, Y[0], [1, 1]),
            {"device": "cuda:1"},
            r"device is 'cuda:1'; allowed for fits: 'auto', 'cpu', 'cuda'",
        ),
        ((decay, T, Y[0], [1, 1]), {"names": ["a"]}, r"names is \['a'\]; allowed: 2 texts, one for each of height"),
        (
            (lambda x, *p: p[0] * x, T, Y[0]),
            {},
            r"does not say how many parameters it has; allowed: p0, bounds or names",
        ),
        ((lambda x: x, T, Y[0]), {}, r"has no parameters; allowed: f\(x, a, ...\)"),
        ((branches, T, Y[0]), {"compile": True}, r"branches cannot be compiled.*write np.where\(condition, a, b\), in `if a > b:`"),
        (
            (lambda x, a: [math.exp(a * one) for one in x], T, Y[0]),
            {"compile": True},
            r"math.exp needs a number.*write np.exp instead",
        ),
        ((lambda x, a: None, T, Y[0]), {}, r"returned None; allowed: a number"),
        ((branches, T, Y[0]), {"device": "cuda"}, r"branches cannot be compiled, and device is 'cuda'.*write np.where"),
        ((decay, T, Y[0]), {"device": "cuda", "compile": False}, r"decay cannot be compiled.*compile is False"),
        (
            (lambda x, a: a * x[1:], T, Y[0]),
            {},
            r"returned an array of shape \(39,\); allowed: \(40,\), one number for each",
        ),
        ((lambda x, a: np.concatenate([a * x[:1], x[1:]]), T, Y[0]), {"compile": True}, r"computes rows each in its own way; allowed"),
    ],
)
def test_what_is_wrong_is_said(arguments, options, said):
    with pytest.raises(ValueError, match=said), warnings.catch_warnings():
        warnings.simplefilter("error")
        ws.curve_fit(*arguments, **options)


def stepwise(t, height, lifetime):
    """`decay` for plain numbers only, which cannot be compiled."""
    return np.array([height * math.exp(-float(one) / float(lifetime)) for one in t])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"p0": [1, 1], "bounds": None},
        {"sigma": 0.05, "absolute_sigma": True},
        {"sigma": np.linspace(0.05, 0.1, len(T))},
        {"loss": "huber", "loss_scale": 2.0},
        {"loss": "poisson"},
        {"bounds": [(0, 50), (2, 2)]},
    ],
)
@pytest.mark.parametrize("fits", [None, 4])
def test_a_function_that_is_called_fits_as_a_compiled_one(options, fits):
    options = {"bounds": [(0, 50), (0.1, 50)], **options}
    y = np.abs(Y[0] if fits is None else Y[:fits])
    right, right_cov, compiled = ws.curve_fit(decay, T, y, full_output=True, **options)
    popt, pcov, called = ws.curve_fit(stepwise, T, y, full_output=True, **options)
    assert np.allclose(popt, right, rtol=1e-6)
    assert np.allclose(pcov, right_cov, rtol=1e-4, atol=1e-12)
    assert np.allclose(called.chi_squared, compiled.chi_squared, rtol=1e-9)
    assert (called.status == compiled.status) if fits is None else (list(called.status) == list(compiled.status))


def test_a_function_that_is_called_sees_its_own_rows_alone():
    y = Y[:3].copy()
    y[1, [0, 5]] = np.nan
    seen = set()

    def counted(t, height, lifetime):
        seen.add(t.shape)
        return stepwise(t, height, lifetime)

    options = {"bounds": [(0, 50), (0.1, 50)], "nan_policy": "omit"}
    right, _ = ws.curve_fit(decay, T, y, **options)
    popt, _ = ws.curve_fit(counted, T, y, **options)
    assert np.allclose(popt, right, rtol=1e-6)
    assert {(len(T),), (len(T) - 2,)} == {shape for shape in seen if shape}


def test_an_exception_of_a_function_that_is_called_ends_the_fit():
    calls = []

    def fails(t, a, b):
        if t.dtype == object or not isinstance(a, float):
            raise TypeError("not traceable")
        calls.append(a)
        if len(calls) == 3:
            raise RuntimeError("the third call")
        return a * t + b

    with pytest.raises(RuntimeError, match="the third call"):
        ws.curve_fit(fails, T, Y[0], bounds=[(0, 1), (0, 1)], compile=False)
    assert len(calls) == 3


def test_a_call_in_single_precision_and_a_warning():
    popt, pcov = ws.curve_fit(stepwise, T, Y[0], bounds=[(0, 50), (0.1, 50)], precision="float32")
    assert popt.dtype == pcov.dtype == np.float32
    right, _ = ws.curve_fit(decay, T, Y[0], bounds=[(0, 50), (0.1, 50)])
    assert np.allclose(popt, right, rtol=1e-2)
    with pytest.warns(ws.FitWarning, match="the data do not determine b"):
        ws.curve_fit(lambda t, a, b: np.array([float(a) * float(one) for one in t]), T, Y[0], [1, 1])


def test_what_is_of_another_type_is_said():
    with pytest.raises(TypeError, match="f is of type str; allowed: a function"):
        ws.curve_fit("a * x", T, Y[0])
    with pytest.raises(TypeError, match="loss is of type ufunc"):
        ws.curve_fit(decay, T, Y[0], loss=np.log)


def test_names_bounds_and_tables():
    by_scipy = optimize.Bounds([0, 0.1], [9, 9])
    popt, _, result = ws.curve_fit(decay, T, Y[0], bounds=by_scipy, names=["A", "tau"], full_output=True)
    assert result.names == ("A", "tau")
    same, _ = ws.curve_fit(decay, T, Y[0], bounds=[(0, 9), (0.1, 9)])
    assert same.tolist() == popt.tolist()
    pandas = pytest.importorskip("pandas")
    many = ws.curve_fit(decay, T, Y, [4, 1], full_output=True)[2].to_dataframe()
    assert isinstance(many, pandas.DataFrame) and many["height"].shape == (6,) and "lifetime_error" in many


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_arrays_come_back_as_they_were_given(name):
    library = pytest.importorskip(name)
    if name == "jax":
        library.config.update("jax_enable_x64", True)
    y = library.from_numpy(Y) if name == "torch" else library.numpy.asarray(Y)
    popt, pcov = ws.curve_fit(decay, T, y, [4, 1])
    assert type(popt) is type(y) is type(pcov)
    assert np.asarray(popt).tolist() == ws.curve_fit(decay, T, Y, [4, 1])[0].tolist()
