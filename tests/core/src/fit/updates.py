"""Evaluations that three rules for the damping need on NIST's regressions: what the choice in src/fit.rs rests on.

Marquardt's rule divides or multiplies the damping by 10, Nielsen's follows the ratio of found and predicted reduction
(H. B. Nielsen, Damping parameter in Marquardt's method, 1999), and More's finds it from a trust region (MINPACK's lmder, by
SciPy's leastsq). All have the same scaling, the largest column norms so far, and the same test of convergence.

    python tests/core/src/fit/updates.py        (numpy 2.5.5, scipy 1.18.1)
"""

import pathlib
import re
import warnings

import numpy as np
from scipy.optimize import leastsq

warnings.simplefilter("ignore")
np.seterr(all="ignore")
SOURCES = pathlib.Path(__file__).parents[2] / "src/problems/nist"
exp, tau = np.exp, 2 * np.pi


def rows(name):
    """The constant ROWS of a source."""
    text = (SOURCES / f"{name}.rs").read_text().split("const ROWS")[1].split("= [")[1]
    return np.array([[float(x) for x in pair] for pair in re.findall(r"\[(\S+), (\S+)\]", text.replace("_", ""))]).T


def rational(b, t):
    return (b[0] + b[1] * t + b[2] * t**2 + b[3] * t**3) / (1 + b[4] * t + b[5] * t**2 + b[6] * t**3)


def bell(b, t):
    return b[0] * exp(-(((t - b[1]) / b[2]) ** 2))


def wave(period, cosine, sine, t):
    return cosine * np.cos(tau * t / period) + sine * np.sin(tau * t / period)


def enso(b, t):
    return b[0] + wave(12, b[1], b[2], t) + wave(b[3], b[4], b[5], t) + wave(b[6], b[7], b[8], t)


# Name, data, model, both starts, certified sum of squares.
PROBLEMS = [
    ("BoxBOD", ([1, 2, 3, 5, 7, 10], [109, 149, 149, 191, 213, 224]), lambda b, t: b[0] * (1 - exp(-b[1] * t)),
     ([1, 1], [100, 0.75]), 1.1680088766e3),
    ("MGH10", (range(50, 126, 5), [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427,
                                   3820, 3307, 2872]), lambda b, t: b[0] * exp(b[1] / (t + b[2])),
     ([2, 400000, 25000], [0.02, 4000, 250]), 8.7945855171e1),
    ("MGH09", rows("mgh09"), lambda b, t: b[0] * (t * t + b[1] * t) / (t * t + b[2] * t + b[3]),
     ([25, 39, 41.5, 39], [0.25, 0.39, 0.415, 0.39]), 3.0750560385e-4),
    ("Thurber", rows("thurber"), rational,
     ([1000, 1000, 400, 40, 0.7, 0.3, 0.03], [1300, 1500, 500, 75, 1, 0.4, 0.05]), 5642.7082397),
    ("Hahn1", rows("hahn1"), rational,
     ([10, -1, 0.05, -1e-5, -0.05, 0.001, -1e-6], [1, -0.1, 0.005, -1e-6, -0.005, 1e-4, -1e-7]), 1.5324382854),
    ("Gauss2", rows("gauss2"), lambda b, t: b[0] * exp(-b[1] * t) + bell(b[2:5], t) + bell(b[5:8], t),
     ([96, 0.009, 103, 106, 18, 72, 151, 18], [98, 0.0105, 103, 105, 20, 73, 150, 20]), 1247.5282092),
    ("Lanczos3", rows("lanczos3"), lambda b, t: b[0] * exp(-b[1] * t) + b[2] * exp(-b[3] * t) + b[4] * exp(-b[5] * t),
     ([1.2, 0.3, 5.6, 5.5, 6.5, 7.6], [0.5, 0.7, 3.6, 4.2, 4, 6.3]), 1.6117193594e-8),
    ("ENSO", rows("enso"), enso,
     ([11, 3, 0.5, 40, -0.7, -1.3, 25, -0.3, 1.4], [10, 3, 0.5, 44, -1.5, 0.5, 26, -0.1, 1.5]), 788.53978668),
]


def functions(data, model):
    """Residuals and Jacobian, whose derivatives are those of a complex step: exact."""
    t, y = (np.asarray(column, float) for column in data)

    def jacobian(b):
        steps = np.diag(1e-30 * np.maximum(1, abs(b)))
        return np.array([model(b + 1j * step, t).imag / step.sum() for step in steps]).T

    return lambda b: model(b, t) - y, jacobian


def damped(rule, residuals, jacobian, b, limit=1000):
    """Levenberg and Marquardt's method with a rule for the damping: evaluations and the sum of squares."""
    r, J = residuals(b), jacobian(b)
    cost, scale, damping, growth = r @ r, np.zeros(len(b)), 1e-3, 2
    for evaluations in range(2, limit):
        norms = (J * J).sum(0)
        scale = np.maximum(scale, norms)
        square = np.vstack([J, np.diag(np.sqrt(damping * np.where(scale > 0, scale, 1)))])
        step = np.linalg.lstsq(square, np.concatenate([-r, np.zeros(len(b))]), rcond=None)[0]
        predicted = -(2 * (J.T @ r) @ step + ((J @ step) ** 2).sum())
        new, derivatives = residuals(b + step), jacobian(b + step)
        reduction = cost - new @ new if np.isfinite(derivatives).all() and np.isfinite(new).all() else -np.inf
        ratio = reduction / predicted if predicted > 0 else 0
        good = ratio >= 1e-4
        if rule == "Marquardt":
            damping *= 0.1 if good else 10
        else:
            damping *= max(1 / 3, 1 - (2 * ratio - 1) ** 3) if good else growth
            growth = 2 if good else 2 * growth
        done = abs(reduction) <= 1e-8 * cost and predicted <= 1e-8 * cost and ratio <= 2
        if good:
            b, r, J, cost = b + step, new, derivatives, new @ new
        if done or np.sqrt(scale @ step**2) <= 1e-8 * np.sqrt(scale @ b**2):
            break
    return evaluations, cost


def more(factor, residuals, jacobian, b):
    """MINPACK's method: evaluations and the sum of squares."""
    found = leastsq(residuals, b, Dfun=jacobian, full_output=True, ftol=1e-8, xtol=1e-8, gtol=0, factor=factor, maxfev=1000)
    return found[2]["nfev"], found[2]["fvec"] @ found[2]["fvec"]


if __name__ == "__main__":
    rules = {
        "Marquardt": lambda *problem: damped("Marquardt", *problem),
        "Nielsen": lambda *problem: damped("Nielsen", *problem),
        "Moré, 100": lambda *problem: more(100, *problem),
        "Moré, 1": lambda *problem: more(1, *problem),
    }
    print(" " * 11, *(f"{name:>10}" for name, *_ in PROBLEMS))
    for rule, solve in rules.items():
        cells = []
        for _, data, model, starts, certified in PROBLEMS:
            residuals, jacobian = functions(data, model)
            results = [solve(residuals, jacobian, np.array(start, float)) for start in starts]
            cells.append("/".join(str(n) if cost < certified * (1 + 1e-6) else "-" for n, cost in results))
        print(f"{rule:11}", *(f"{cell:>10}" for cell in cells))
