"""Comparison with SciPy: its test problems, its constraints, and its `minimize`.

The constrained problems are G1 and G4 to G11 of Z. Michalewicz and M. Schoenauer, Evolutionary algorithms for
constrained parameter optimization problems, Evolutionary Computation 4, 1996. SciPy's tests of differential evolution
use them, too.
"""

from __future__ import annotations

import numpy as np
import pytest

import pywarpswarm as ws

optimize = pytest.importorskip("scipy.optimize")
INF = np.inf


def g1(x):
    return 5 * np.sum(x[:4]) - 5 * np.sum(x[:4] ** 2) - np.sum(x[4:])


def g1_sides(x):
    return np.array(
        [
            2 * x[0] + 2 * x[1] + x[9] + x[10] - 10,
            2 * x[0] + 2 * x[2] + x[9] + x[11] - 10,
            2 * x[1] + 2 * x[2] + x[10] + x[11] - 10,
            -8 * x[0] + x[9],
            -8 * x[1] + x[10],
            -8 * x[2] + x[11],
            -2 * x[3] - x[4] + x[9],
            -2 * x[5] - x[6] + x[10],
            -2 * x[7] - x[8] + x[11],
        ]
    )


def g4(x):
    return 5.3578547 * x[2] ** 2 + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141


def g4_sides(x):
    return np.array(
        [
            85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4],
            80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] ** 2,
            9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3],
        ]
    )


def g5(x):
    return 3 * x[0] + 1e-6 * x[0] ** 3 + 2 * x[1] + 2e-6 / 3 * x[1] ** 3


def g5_sides(x):
    return np.array(
        [
            x[3] - x[2] + 0.55,
            x[2] - x[3] + 0.55,
            1000 * np.sin(-x[2] - 0.25) + 1000 * np.sin(-x[3] - 0.25) + 894.8 - x[0],
            1000 * np.sin(x[2] - 0.25) + 1000 * np.sin(x[2] - x[3] - 0.25) + 894.8 - x[1],
            1000 * np.sin(x[3] - 0.25) + 1000 * np.sin(x[3] - x[2] - 0.25) + 1294.8,
        ]
    )


def g6(x):
    return (x[0] - 10) ** 3 + (x[1] - 20) ** 3


def g6_sides(x):
    return np.array([(x[0] - 5) ** 2 + (x[1] - 5) ** 2 - 100, -((x[0] - 6) ** 2) - (x[1] - 5) ** 2 + 82.81])


def g7(x):
    return (
        x[0] ** 2
        + x[1] ** 2
        + x[0] * x[1]
        - 14 * x[0]
        - 16 * x[1]
        + (x[2] - 10) ** 2
        + 4 * (x[3] - 5) ** 2
        + (x[4] - 3) ** 2
        + 2 * (x[5] - 1) ** 2
        + 5 * x[6] ** 2
        + 7 * (x[7] - 11) ** 2
        + 2 * (x[8] - 10) ** 2
        + (x[9] - 7) ** 2
        + 45
    )


def g7_sides(x):
    return np.array(
        [
            105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7],
            -10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7],
            8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12,
            -3 * (x[0] - 2) ** 2 - 4 * (x[1] - 3) ** 2 - 2 * x[2] ** 2 + 7 * x[3] + 120,
            -5 * x[0] ** 2 - 8 * x[1] - (x[2] - 6) ** 2 + 2 * x[3] + 40,
            -(x[0] ** 2) - 2 * (x[1] - 2) ** 2 + 2 * x[0] * x[1] - 14 * x[4] + 6 * x[5],
            -0.5 * (x[0] - 8) ** 2 - 2 * (x[1] - 4) ** 2 - 3 * x[4] ** 2 + x[5] + 30,
            3 * x[0] - 6 * x[1] - 12 * (x[8] - 8) ** 2 + 7 * x[9],
        ]
    )


def g8(x):
    return -(np.sin(2 * np.pi * x[0]) ** 3) * np.sin(2 * np.pi * x[1]) / (x[0] ** 3 * (x[0] + x[1]))


def g8_sides(x):
    return np.array([x[1] - 1 - x[0] ** 2, x[0] - 1 - (x[1] - 4) ** 2])


def g9(x):
    return (
        (x[0] - 10) ** 2
        + 5 * (x[1] - 12) ** 2
        + x[2] ** 4
        + 3 * (x[3] - 11) ** 2
        + 10 * x[4] ** 6
        + 7 * x[5] ** 2
        + x[6] ** 4
        - 4 * x[5] * x[6]
        - 10 * x[5]
        - 8 * x[6]
    )


def g9_sides(x):
    return np.array(
        [
            127 - 2 * x[0] ** 2 - 3 * x[1] ** 4 - x[2] - 4 * x[3] ** 2 - 5 * x[4],
            282 - 7 * x[0] - 3 * x[1] - 10 * x[2] ** 2 - x[3] + x[4],
            196 - 23 * x[0] - x[1] ** 2 - 6 * x[5] ** 2 + 8 * x[6],
            -4 * x[0] ** 2 - x[1] ** 2 + 3 * x[0] * x[1] - 2 * x[2] ** 2 - 5 * x[5] + 11 * x[6],
        ]
    )


def g10(x):
    return x[0] + x[1] + x[2]


def g10_sides(x):
    return np.array(
        [
            1 - 0.0025 * (x[3] + x[5]),
            1 - 0.0025 * (x[4] + x[6] - x[3]),
            1 - 0.01 * (x[7] - x[4]),
            x[0] * x[5] - 833.33252 * x[3] - 100 * x[0] + 83333.333,
            x[1] * x[6] - 1250 * x[4] - x[1] * x[3] + 1250 * x[3],
            x[2] * x[7] - 1250000 - x[2] * x[4] + 2500 * x[4],
        ]
    )


def g11(x):
    return x[0] ** 2 + (x[1] - 1) ** 2


def g11_side(x):
    return x[1] - x[0] ** 2


G = {
    "g1": (g1, [(0, 1)] * 9 + [(0, 100)] * 3 + [(0, 1)], g1_sides, -INF, 0, -15, 1e-5),
    "g4": (
        g4,
        [(78, 102), (33, 45)] + [(27, 45)] * 3,
        g4_sides,
        [0, 90, 20],
        [92, 110, 25],
        -30665.539,
        1e-5,
    ),
    "g5": (g5, [(0, 1200)] * 2 + [(-0.55, 0.55)] * 2, g5_sides, 0, [INF, INF, 0, 0, 0], 5126.4981, 1e-4),
    "g6": (g6, [(13, 100), (0, 100)], g6_sides, 0, INF, -6961.81388, 1e-5),
    "g7": (g7, [(-10, 10)] * 10, g7_sides, 0, INF, 24.3062091, 1e-4),
    "g8": (g8, [(0, 10)] * 2, g8_sides, 0, INF, -0.095825, 1e-4),
    "g9": (g9, [(-10, 10)] * 7, g9_sides, 0, INF, 680.6300573, 1e-4),
    "g10": (
        g10,
        [(100, 10000)] + [(1000, 10000)] * 2 + [(10, 1000)] * 5,
        g10_sides,
        0,
        INF,
        7049.248,
        1e-4,
    ),
    "g11": (g11, [(-1, 1)] * 2, g11_side, 0, 0, 0.75, 1e-5),
}


@pytest.mark.parametrize("name", G)
def test_constrained_problems(name):
    fun, bounds, sides, lower, upper, optimum, tolerance = G[name]
    constraint = optimize.NonlinearConstraint(sides, lower, upper)
    # The feasible region of equations is small, so not every run finds the optimum.
    limits = {"max_evaluations": 100_000, "runs": 8} if name in ("g5", "g11") else {"max_evaluations": 60_000}
    result = ws.minimize(fun, bounds, constraints=constraint, compile=True, **limits)
    assert result.maxcv == 0, result
    np.testing.assert_allclose(result.fun, optimum, rtol=tolerance)


def test_whole_numbers_beside_a_line():
    """The integer point closest to (1.2, 2.7) whose coordinates have a sum of at most 3."""
    line = optimize.LinearConstraint([[1, 1]], -INF, 3)
    result = ws.minimize(
        lambda x: (x[0] - 1.2) ** 2 + (x[1] - 2.7) ** 2,
        [(-5, 5)] * 2,
        constraints=line,
        integrality=True,
        max_evaluations=5000,
    )
    assert result.x.tolist() == [0, 3] or result.x.tolist() == [1, 2]
    assert abs(result.fun - min(1.2**2 + 0.3**2, 0.2**2 + 0.7**2)) < 1e-12


@pytest.mark.parametrize(
    ("fun", "bounds", "optimum"),
    [
        (optimize.rosen, [(-3, 3)] * 4, 0),
        (lambda x: np.sum(x**4 - 16 * x**2 + 5 * x) / 2, [(-5, 5)] * 3, -117.4984971113142),
        (lambda x: np.sin(x[0]) + np.sin(10 * x[0] / 3), [(2.7, 7.5)], -1.8995993491521),
    ],
)
def test_as_a_method_of_scipy(fun, bounds, optimum):
    x0 = [np.mean(pair) for pair in bounds]
    method = ws.scipy_method(max_evaluations=20_000)
    result = optimize.minimize(fun, x0, bounds=bounds, method=method)
    assert isinstance(result, optimize.OptimizeResult) and result.success
    assert abs(result.fun - optimum) < 1e-8


def test_arguments_pass_through_scipy():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.fun)

    result = optimize.minimize(
        lambda x, a, b: np.sum((x - a) ** 2) + b,
        [0.0, 0.0],
        args=(0.5, 2.0),
        bounds=optimize.Bounds([-1, -1], [1, 1]),
        constraints={"type": "ineq", "fun": lambda x, a, b: x[0] - 0.75, "args": (0, 0)},
        callback=callback,
        method=ws.scipy_method(algorithm="de"),
        options={"max_iterations": 300},
    )
    assert abs(result.fun - 2.0625) < 1e-6 and seen
