"""The fits of the example decay-curves with SciPy's curve_fit, for comparison.

    python3 examples/decay_curves_scipy.py [CURVES]

It generates the same curves, and fits each one twice: from the true parameters, which are known only in tests, and with
the example's bounds from SciPy's own start, the middle of the bounds.
"""

import sys
import time
import warnings

import numpy as np
from scipy.optimize import curve_fit

POINTS, NOISE = 64, 0.01
MASK = (1 << 64) - 1
TIMES = 0.15 * np.arange(POINTS)


def truth(number):
    part = [((number * 5 + k + 1) * 0x9E3779B9) % 10007 / 10007.0 for k in range(5)]
    a, b, c, d, e = part
    return np.array([1.0 + a, 0.3 + 0.4 * b, 0.5 + c, 2.0 + 2.0 * d, 0.2 * e])


def model(t, a1, tau1, a2, tau2, background):
    return a1 * np.exp(-t / tau1) + a2 * np.exp(-t / tau2) + background


def uniform(draw):
    word = (draw + 1) * 0x9E3779B97F4A7C15 & MASK
    word = (word ^ (word >> 32)) * 0xD6E8FEB86659FD93 & MASK
    return ((word ^ (word >> 32)) >> 11) / 2.0**53


def counts(number):
    shake = np.array([uniform(number * POINTS + i) for i in range(POINTS)])
    return model(TIMES, *truth(number)) + NOISE * (shake - 0.5)


BOUNDS = [0.0, 0.05, 0.0, 1.0, -1.0], [10.0, 1.0, 10.0, 10.0, 1.0]


def run(name, curves, arguments):
    data = [(counts(n), arguments(n), truth(n)) for n in range(curves)]
    errors, sizes, failed, seconds = [], [], 0, 0.0
    for y, more, true in data:
        start = time.perf_counter()
        try:
            found, covariance = curve_fit(model, TIMES, y, **more)
        except RuntimeError:
            found, covariance, failed = np.full(5, np.inf), np.eye(5), failed + 1
        seconds += time.perf_counter() - start
        with np.errstate(divide="ignore"):
            errors.append(np.abs(found / true - 1))
            sizes.append(np.abs(found - true) / np.sqrt(np.diag(covariance)))
    print(f"{name}: {1e3 * seconds / curves:.2f} ms a fit, median relative error of all parameters "
          f"{100 * np.median(errors):.4f} %, one standard error holds the truth of {100 * np.mean(np.array(sizes) <= 1):.1f} %, "
          f"{failed} failed")


def main():
    curves = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    warnings.simplefilter("ignore")
    run("from the truth", curves, lambda n: {"p0": truth(n)})
    run("within bounds", curves, lambda n: {"bounds": BOUNDS})


main()
