"""Compares traced and compiled functions with the functions themselves."""

from __future__ import annotations

import math
from functools import partial
from math import fsum
from pathlib import Path

import numpy as np
import pytest

from pywarpswarm._objective import compiled
from pywarpswarm._settings import variables
from pywarpswarm._trace import NotTraceable, Traced, trace, trace_many

optimize = pytest.importorskip("scipy.optimize")
special = pytest.importorskip("scipy.special")

# Tolerances: the compiled code adds sums in another order than NumPy.
RELATIVE, ABSOLUTE = 1e-12, 1e-13


# Values of traced functions


def evaluate(traced, points):
    """The values that the compiled part computes at points, one per row."""
    problem = compiled(traced, variables([(-1e3, 1e3)] * points.shape[1]))
    return problem.evaluate(np.ascontiguousarray(points))[0]


def assert_same(actual, expected, traced, relative=RELATIVE):
    is_near = np.isclose(actual, expected, rtol=relative, atol=ABSOLUTE, equal_nan=True)
    assert np.all(is_near), f"{actual} is not {expected}:\n{traced}"


def points_of(n, low, high, count=5, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (count, n))


def check(fun, n=5, low=-2.0, high=2.0, args=(), points=None, relative=RELATIVE):
    """Traces a function, and compares the result with the function at random points."""
    traced = trace(fun, n, args)
    points = points_of(n, low, high) if points is None else np.asarray(points, dtype=float)
    with np.errstate(all="ignore"):
        expected = np.array([float(np.asarray(fun(x.copy(), *args)).reshape(())) for x in points])
    assert_same(evaluate(traced, points), expected, traced, relative)
    return traced


# Functions that can be traced

rng = np.random.default_rng(7)
t = np.linspace(0.0, 3.0, 12)
y = 2.5 * np.exp(-t / 1.3) + 0.3 * np.sin(5 * t)
w = rng.uniform(0.5, 2.0, 5)
A = rng.normal(size=(5, 5))
B = rng.normal(size=(3, 5))
C = rng.normal(size=(5, 2))
table = np.array([3, 1, 2, 0, 4])
mask = np.array([True, False, True, True, False])
kernel = np.array([0.25, 0.5, 0.25])


def rosenbrock_loop(x):
    total = 0.0
    for k in range(len(x) - 1):
        total += 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
    return total


def unpacked(x):
    a, b, *rest = x
    return (a - 1) ** 2 + b * rest[0] - rest[-1]


def assigned(x):
    u = x.copy()
    u[0] = 3
    u[-1] *= x[1]
    u[1:3] = x[2] * 2
    u[3:] += 1
    return np.sum(u**2) + np.sum(x)


def assigned_by_condition(x):
    u = np.abs(x)
    u[x < 0] = 7
    u[u > 1] = x[0]
    return np.sum(u * w)


def views(x):
    u = x.copy()
    inner = u[1:-1]
    inner *= 2
    square = u[:4].reshape(2, 2)
    square[0, 1] = 9.0
    square.T[1] += x[4]
    return np.sum(u * np.arange(1.0, 6))


def filled(x):
    u = np.zeros_like(x)
    u[0] = x[0]
    for k in range(1, len(x)):
        u[k] = 0.5 * u[k - 1] + np.sin(x[k])
    return u @ w


def with_out(x):
    u = np.empty_like(x)
    np.multiply(x, 2.0, out=u)
    np.add(u, x[0], out=u)
    return u.sum()


def conditions_in_place(x):
    where = x > 0
    where |= x < -1
    where[0] = False
    u = np.zeros_like(x, dtype=bool)
    u[1:] = where[1:] & (x[1:] < 1)
    return np.sum(where) + 2 * np.sum(u)


def products_of_products(x):
    for _ in range(12):
        x = np.tanh(A @ x + 0.1)
    return np.sum(x**2)


def helper(a, b):
    return np.hypot(a, b) + a / (1 + b**2)


def ackley(x):
    return -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2))) - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e


def griewank(x):
    return np.sum(x**2) / 4000 - np.prod(np.cos(x / np.sqrt(np.arange(1, len(x) + 1)))) + 1


def levy(x):
    z = 1 + (x - 1) / 4
    middle = np.sum((z[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * z[:-1] + 1) ** 2))
    return np.sin(np.pi * z[0]) ** 2 + middle + (z[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * z[-1]) ** 2)


def lennard_jones(x):
    p = x.reshape(-1, 3)
    i, j = np.triu_indices(len(p), 1)
    r2 = np.sum((p[i] - p[j]) ** 2, axis=1)
    return np.sum(1 / r2**6 - 2 / r2**3)


def powell(x):
    a, b, c, d = x[0::4], x[1::4], x[2::4], x[3::4]
    return np.sum((a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4)


def catenary(x):
    h = np.concatenate([[1.0], x, [2.0]])
    return np.sum(0.5 * (h[1:] + h[:-1]) * np.sqrt(1 + (np.diff(h) / 0.1) ** 2)) * 0.1


def spring_network(x):
    return 0.5 * np.sum((np.roll(x, -1) - x) ** 2) + np.sum(np.cos(x))


def deep_scalars(x):
    value = x[0]
    for _ in range(150):
        value = np.sin(value + x[1]) * 0.9
    return value


def deep_vectors(x):
    value = x
    for _ in range(80):
        value = np.cos(value * 0.7 + x[0])
    return np.sum(value)


def doubling(x):
    value = x[0] + x[1]
    for _ in range(60):
        value = 0.5 * value + 0.25 * value
    return value


def shared(x):
    a = np.exp(x[0] * x[1]) + np.sqrt(np.abs(x[2]))
    return a**2 + np.sin(a) / a - a


def shared_vectors(x):
    z = np.tanh(w * x - 0.5) + x**2
    return np.sum(z**2) + np.max(z) - np.prod(z) + z[2]


class Model:
    def __init__(self):
        self.times, self.values = t, y

    def loss(self, x):
        return np.sum((self.values - x[0] * np.exp(-self.times * x[1]) - x[2]) ** 2)

    def __call__(self, x):
        return self.loss(x)


# Each case is (function, further arguments of `check`).
CASES = {
    "classics": [
        (lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), {}),
        (lambda x: 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)), {}),
        (ackley, {}),
        (griewank, {"n": 9}),
        (levy, {}),
        (lambda x: -np.sum(x * np.sin(np.sqrt(np.abs(x)))) + 418.9829 * x.size, {"low": -500, "high": 500}),
        (lambda x: np.sum(np.cumsum(x) ** 2), {"n": 8}),
        (lambda x: np.sum(np.arange(1, 6) * x**4), {}),
        (lambda x: -np.sum(np.sin(x) * np.sin(np.arange(1, 6) * x**2 / np.pi) ** 20), {"low": 0, "high": 3}),
        (lambda x: np.sum(np.abs(x)) + np.prod(np.abs(x)), {}),
        (lambda x: np.max(np.abs(x)), {}),
        (lambda x: np.sum(np.floor(x + 0.5) ** 2), {}),
        (powell, {"n": 8}),
        (powell, {"n": 64}),
        (rosenbrock_loop, {}),
        (lambda x: sum(100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:])), {}),
        (lennard_jones, {"n": 12}),
        (catenary, {"n": 20}),
        (spring_network, {"n": 20}),
        (lambda x: (x[0] + 2 * x[1] - 7) ** 2 + (2 * x[0] + x[1] - 5) ** 2, {"n": 2}),
        (
            lambda x: 0.5 + (np.sin(x[0] ** 2 - x[1] ** 2) ** 2 - 0.5) / (1 + 0.001 * (x[0] ** 2 + x[1] ** 2)) ** 2,
            {"n": 2},
        ),
        (lambda x: np.sum((y - x[0] * np.exp(-t / x[1]) - x[2]) ** 2), {"n": 3, "low": 0.5}),
        (lambda x: np.mean(np.abs(y[1:] - x[0] * np.diff(t) - x[1])), {"n": 2}),
    ],
    "operators": [
        (lambda x: x[0] + x[1] - x[2] * x[3] / x[4], {}),
        (lambda x: x[0] - (x[1] - (x[2] - x[3])), {}),
        (lambda x: x[0] / (x[1] / (x[2] / x[3])), {}),
        (lambda x: x[0] * (x[1] + x[2]) * (x[3] - 1), {}),
        (lambda x: -(x[0] ** 2) + (-x[0]) ** 2 + -(x[1] * x[2]), {}),
        (lambda x: (-x[0]) * x[1] - -x[2] + +x[3], {}),
        (lambda x: x[0] ** 3 + x[1] ** -2 + x[2] ** 0 + x[3] ** 1, {}),
        (lambda x: (x[0] ** 2) ** x[1] + x[0] ** (2 ** x[1]), {"low": 0.1}),
        (lambda x: 2 ** x[0] + x[1] ** x[2], {"low": 0.1}),
        (lambda x: np.sum(x**0.5) + x[0] ** 0.5, {"low": 0.1}),
        (lambda x: np.sum(np.abs(x) ** 1.5), {}),
        (lambda x: x[0] // 0.3 + x[1] // -0.7 + 3.7 // x[2], {}),
        (lambda x: x[0] // 0.1, {"n": 1, "points": [[1.0], [0.3], [-0.3], [0.7], [2.0]]}),
        (lambda x: x[0] % 0.3 + x[1] % -0.7 + 3.7 % x[2], {}),
        (lambda x: sum(divmod(x[0], 0.4)) + divmod(5.5, x[1])[1], {}),
        (lambda x: abs(x[0]) + abs(x[1:]).sum(), {}),
        (lambda x: round(x[0]) + math.floor(x[1]) + math.ceil(x[2]) + math.trunc(x[3]), {}),
        (lambda x: round(x[0], 2) + np.round(x, 1).sum() + x.round(3).sum(), {}),
        (lambda x: 1e-300 * x[0] + 1e300 * x[1] - 123456789012345678 * x[2] + 0.1 * x[3], {}),
        (lambda x: x[0] + -2 - (-3) + x[1] * -4 + x[2] / -5, {}),
        (lambda x: x[0] * 2 * np.pi + np.pi * x[1] + 4 * np.pi * x[2] - np.pi / x[3] + x[4] / np.pi, {}),
        (lambda x: np.cos(-2 * np.pi * x[0]) + np.sin(x[1] * np.pi) + np.cos(x[2] / (2 * np.pi)), {}),
        (lambda x: np.float64(2.5) * x[0] + x[1] * np.float32(0.5) + np.int64(3) - x[2] + np.array(2.0) * x[3], {}),
        (lambda x: True * x[0] + x[1] * np.True_, {}),
        (lambda x: x[0] + x.sum() * 0 + 3, {}),
        (lambda x: 3, {}),
        (lambda x: np.float32(0.1), {}),
        (lambda x: x[:1], {}),
        (lambda x: np.sum(x + np.inf), {}),
        (lambda x: np.nan * x[0], {}),
        (lambda x: np.where(x[0] > 0, np.nan, -np.inf), {}),
    ],
    "conditions": [
        (lambda x: x[0] > x[1], {}),
        (lambda x: np.where(x > 0, x, -2 * x).sum(), {}),
        (lambda x: np.where((x[0] > 0) & (x[1] < 1) | ~(x[2] <= 0.5), x[3], x[4]), {}),
        (lambda x: np.where(np.logical_and(x[0] >= 0, np.logical_not(x[1] != 0.3)), 1.0, x[1]), {}),
        (lambda x: np.where(np.logical_or(x > 1, x < -1), 5, x).sum(), {}),
        (lambda x: np.where(np.logical_xor(x > 0.5, x > -0.5), 1, 0).sum(), {}),
        (lambda x: np.where((x > 0) ^ (x > 1), x, 0).sum(), {}),
        (lambda x: np.sum(x > 0) + np.sum(x[x.size // 2 :] <= 0) * 2.5, {}),
        (lambda x: (x > 0).mean() + (x[0] == x[0]) + (x[0] != x[1]), {}),
        (lambda x: (x[0] > 0) * 2 - (x[1] > 0) + 1, {}),
        (lambda x: ((x > 0) + (x > 1)).sum() + ((x > 0) * (x < 1)).sum(), {}),
        (lambda x: (x[0] > 0) == (x[1] > 0), {}),
        (lambda x: np.any(x > 1.5) + 2 * np.all(x > -1.5) + 0, {}),
        (lambda x: (x > 0).any() * x[0] + (x > -1).all() * x[1], {}),
        (lambda x: np.count_nonzero(x > 0.2) * 1.0, {}),
        (lambda x: np.where(np.isnan(np.sqrt(x)), 0, np.sqrt(x)).sum(), {}),
        (lambda x: np.where(~(np.sqrt(x[0]) < 1), 3, 4), {}),
        (lambda x: np.where(~(np.sqrt(x) >= 1), 3, x).sum(), {}),
        (lambda x: np.where(np.isfinite(1 / np.floor(x)), x, 9).sum() + np.isinf(1 / np.floor(x)).sum(), {}),
        (lambda x: np.clip(x, -1, 0.5).sum() + np.clip(x[0], None, 0.1) + x.clip(0).sum() + x[1].clip(0, 1), {}),
        (lambda x: np.minimum(x, 0.3).sum() + np.maximum(x[0], x[1]) + np.minimum(x[2], np.maximum(x[3], x[4])), {}),
        (lambda x: np.fmin(np.sqrt(x), 0.5).sum() + np.fmax(np.sqrt(x), 0.5).sum(), {}),
        (lambda x: np.minimum(np.sqrt(x), 0.5).sum(), {}),
        (lambda x: np.select([x > 1, x > 0], [x**2, x], default=-1).sum(), {}),
        (lambda x: np.where(mask, x, 2 * x).sum() + np.sum(x * mask) + np.sum(mask & (x > 0)), {}),
        (lambda x: np.where(True, x, 0).sum() + np.where(False, x[0], 1), {}),
        (lambda x: np.minimum.reduce(x) + np.maximum.reduce(x) + np.logical_and.reduce(x > -1), {}),
        (lambda x: np.max(x > 1) * 1.0 + np.min(x > -1), {}),
        (lambda x: np.where(x, 1.0, 2.0).sum(), {"points": [[0, 1, 0, -1, 0.5]]}),
        (lambda x: np.heaviside(x, 0.5).sum() + np.sign(x).sum(), {"points": [[0, 1, 0, -1, 0.5]]}),
        (lambda x: np.copysign(2.0, x).sum() + np.copysign(x[0], -1), {"points": [[0.0, 1, -0.0, -1, 0.5]]}),
        (lambda x: np.where(x[0] > 0, x[1] > 0, x[2] > 0) * 3.0, {}),
        (lambda x: np.where(np.where(x > 0, x < 1, x > -1), x, 10).sum(), {}),
        (lambda x: abs(x[0] > 0) + np.sqrt(x[1] > 0), {}),
        (lambda x: np.sum(x[0] > 0) + np.sum(x[1] > 0) + np.prod(x[2:3] > 0) + np.sum(x[3] > 0), {}),
        (lambda x: (np.stack([x > 0, x])[0] + np.stack([x > 0, x])[0]).sum() + np.cumsum(x > 0)[3], {}),
        (lambda x: np.concatenate([x > 0, x > 1]).sum() + (np.append(x > 0, 2.0)[:2] * 2).sum() + np.dot(x > 0, w), {}),
        (lambda x: np.sum((x > 0) | (x < -1)) + np.array([x[0] > 0, x[1] > 0, 0.5]).sum(), {}),
    ],
    "functions": [
        (lambda x: np.sum(np.sin(x) + np.cos(x) + np.tan(x / 2)), {}),
        (lambda x: np.sum(np.arcsin(x) + np.arccos(x) + np.arctan(x)), {"low": -1, "high": 1}),
        (lambda x: np.sum(np.sinh(x) - np.cosh(x) + np.tanh(x)), {}),
        (lambda x: np.sum(np.arcsinh(x) + np.arctanh(x / 3)) + np.sum(np.arccosh(1 + x**2)), {}),
        (lambda x: np.sum(np.exp(x) + np.exp2(x) + np.expm1(x)), {}),
        (lambda x: np.sum(np.log(x) + np.log2(x) + np.log10(x) + np.log1p(x)), {"low": 0.1}),
        (lambda x: np.sum(np.sqrt(x) + np.cbrt(x) + np.square(x) + np.reciprocal(x)), {"low": 0.1}),
        (lambda x: np.sum(np.abs(x) + np.fabs(x) + np.absolute(x) + np.positive(x) + np.negative(x)), {}),
        (lambda x: np.sum(np.floor(x) + np.ceil(x) + np.trunc(x) + np.rint(x)), {}),
        (lambda x: np.arctan2(x[0], x[1]) + np.hypot(x[2], x[3]) + np.hypot(x, 1).sum(), {}),
        (lambda x: np.mod(x, 0.7).sum() + np.remainder(x, -0.7).sum() + np.fmod(x, 0.7).sum(), {}),
        (lambda x: np.fmod(5.5, x).sum() + np.floor_divide(x, 0.3).sum(), {}),
        (lambda x: np.power(x, 3).sum() + np.float_power(np.abs(x), 1.5).sum() + np.power(2, x).sum(), {}),
        (lambda x: np.add(x, 1).sum() - np.subtract(x, 2).sum() * np.multiply(x, 3).sum() + np.divide(x, 4).sum(), {}),
        (lambda x: np.true_divide(1, x).sum(), {}),
        (lambda x: np.deg2rad(x).sum() + np.rad2deg(x).sum() + np.radians(x[0]) + np.degrees(x[1]), {}),
        (lambda x: np.logaddexp(x[0], x[1]) + np.logaddexp(x, 0).sum() + np.logaddexp2(x, 1).sum(), {}),
        (lambda x: np.logaddexp.reduce(np.array([1.0, 2.0])) + np.logaddexp(x[0], x[0]), {}),
        (lambda x: np.sinc(x).sum(), {}),
        (lambda x: sum(part.sum() for part in np.modf(x)), {}),
        (lambda x: special.erf(x).sum() + special.erfc(x).sum() + special.expit(x).sum() + special.ndtr(x[0]), {}),
        (lambda x: special.gamma(x).sum() + special.gammaln(x).sum(), {"low": 0.1}),
        (lambda x: special.j0(x).sum() + special.j1(x).sum() + special.y0(x).sum() + special.y1(x).sum(), {"low": 0.1}),
        (lambda x: special.xlogy(x, x).sum() + special.xlogy(0.0, x).sum() + special.xlog1py(x, x).sum(), {"low": 0.1}),
        (lambda x: np.real(x).sum() + x.real.sum() + x.conj().sum() + x.imag.sum(), {}),
    ],
    "reductions": [
        (lambda x: x.sum() + np.sum(x) + sum(x) + np.add.reduce(x), {}),
        (lambda x: x.prod() * np.prod(x) + np.multiply.reduce(x), {}),
        (lambda x: x.min() + np.min(x) + np.amin(x) + x.max() + np.max(x) + np.amax(x), {}),
        (lambda x: x.mean() + np.mean(x**2) + np.average(x) + np.average(x, weights=w), {}),
        (lambda x: np.var(x) + x.var() + np.std(x) + x.std() + np.var(x, ddof=1), {}),
        (lambda x: np.ptp(x) + np.ptp(x**2), {}),
        (lambda x: np.dot(x, w) + x.dot(x) + np.vdot(x, w) + np.inner(w, x), {}),
        (lambda x: np.linalg.norm(x) + np.linalg.norm(x, 1) + np.linalg.norm(x, np.inf) + np.linalg.norm(x, 2), {}),
        (lambda x: np.linalg.norm(x, 3) + np.linalg.norm(x, -np.inf) + np.linalg.norm(x, 0), {}),
        (lambda x: np.linalg.norm(A * x, "fro") + np.linalg.norm(A * x) + np.linalg.norm(A * x, 1), {}),
        (
            lambda x: (
                np.linalg.norm(A * x, np.inf) + np.linalg.norm(A * x, axis=1).sum() + np.linalg.norm(A - x, axis=0)[2]
            ),
            {},
        ),
        (
            lambda x: (
                np.sum(A * x) + np.sum(A * x, axis=0)[1] + np.sum(A * x, axis=1)[2] + np.sum(A * x, axis=-1).max()
            ),
            {},
        ),
        (
            lambda x: (
                (A * x).mean(axis=0).max() + (A + x).min(axis=1).sum() + (A - x).max() - (A * x).prod(axis=1).sum()
            ),
            {},
        ),
        (lambda x: np.sum(x, keepdims=True)[0] + np.sum(A * x, axis=1, keepdims=True)[1, 0], {}),
        (lambda x: (x - x.mean(keepdims=True)).prod() + np.std(A * x, axis=0).sum(), {}),
        (lambda x: np.cumsum(x)[-1] + np.cumprod(x)[2] + x.cumsum().max() + np.add.accumulate(x)[1], {}),
        (lambda x: np.cumsum(A * x, axis=1)[1].sum() + np.cumprod(np.outer(x, w), axis=0).max(), {}),
        (lambda x: np.trapezoid(x) + np.trapezoid(x, dx=0.1) + np.trapezoid(x, w) + np.trapezoid(x**2, x), {}),
        (
            lambda x: (
                np.sum(x[3:3]) + np.prod(x[5:]) + x[np.array([], dtype=int)].sum() + x[np.zeros(5, dtype=bool)].prod()
            ),
            {},
        ),
        (
            lambda x: (
                np.concatenate([x[:2], x[4:]])[3:].sum() + x[[2, 0]][:0].sum() + np.any(x[:0] > 1) + np.all(x[:0] > 1)
            ),
            {},
        ),
        (
            lambda x: (
                np.sum([x[0], x[1] * 2, 3.0]) + np.mean([x[2], x[3]]) + np.max([x[0], 0.1, x[4]]) + np.min((x[1], x[2]))
            ),
            {},
        ),
        (lambda x: np.linalg.norm([x[0], x[1] - 1]) + np.dot([x[0], 2, x[1]], [1, x[2], 3]) + np.prod([x[1], 2]), {}),
        (
            lambda x: (
                max(len(x), 3) + min(x.size, 2) + x.ndim + x.shape[0] + np.size(x) + np.shape(x)[0] + np.ndim(x) + x[0]
            ),
            {},
        ),
        (lambda x: np.sum(np.ones(5)) + x[0], {}),
        (lambda x: np.sum(x * 0 + 1) + np.max(0 * x[1:] + x[0]), {}),
        (lambda x: np.mean(np.broadcast_to(x[0], (7,))) + np.sum(np.broadcast_to(x, (3, 5))), {}),
        (lambda x: np.sum(x**2, axis=0) + np.sum(x, axis=(0,)), {}),
    ],
    "matrices": [
        (lambda x: np.sum((A @ x - w) ** 2), {}),
        (lambda x: x @ A @ x + w @ x + x @ w, {}),
        (lambda x: np.sum((B @ x) ** 2) + (x @ C).sum() + np.sum(x @ C @ B[:2]), {}),
        (lambda x: np.sum(np.cos(A @ x)) + np.max(A @ x) + (A @ x)[3], {}),
        (lambda x: np.sum(np.tanh(B @ np.tanh(A @ x)) ** 2), {}),
        (lambda x: np.sum(A @ (A @ (A @ x))), {}),
        (lambda x: np.sum(np.dot(A, x)) + np.dot(x, A)[0] + np.dot(2.0, x)[1] + np.matmul(A, x)[2], {}),
        (lambda x: np.sum(A.dot(x) * x) + x.dot(A).dot(w), {}),
        (lambda x: np.sum((A @ np.outer(x, x)) @ A.T), {}),
        (lambda x: np.trace(np.outer(x, w) @ A) + np.diag(np.outer(x, x), 1).sum(), {}),
        (lambda x: np.sum(x.reshape(2, 3) @ x.reshape(3, 2)), {"n": 6}),
        (lambda x: np.linalg.norm(x.reshape(2, 3) - np.arange(6).reshape(2, 3)), {"n": 6}),
        (lambda x: np.inner(A, x).sum() + np.inner(x, x) + np.inner(np.outer(x, x), A).sum(), {}),
        (lambda x: np.cross(x[:3], x[2:5]) @ np.array([1.0, 2, 3]), {}),
        (lambda x: np.sum((x[:, None] - x[None, :]) ** 2) + np.sum(np.abs(np.subtract.outer(x, w))), {}),
        (lambda x: np.sum(np.exp(-np.sum((x[:, None] - C[None, :, 0]) ** 2, axis=1))), {}),
        (lambda x: np.sum(np.exp(-((t[:, None] - x[None, :]) ** 2)) @ w), {}),
        (lambda x: np.sum((A @ np.concatenate([[1.0], x, [2.0]])[1:6]) ** 2), {}),
        (
            lambda x: (
                np.sum(rng0 @ np.concatenate([[0.0], x, [x[0]]])) + np.concatenate([x, [1.0, 2.0]]) @ rng0.T @ w[:3]
            ),
            {},
        ),
        (lambda x: np.sum(x * (A.T @ (A @ x))), {}),
        (
            lambda x: (
                np.einsum("i,ij,j->", x, A, x) + np.einsum("ij,j->i", B, x)[1] + np.einsum("ij,kj", A, B * x).sum()
            ),
            {},
        ),
        (lambda x: np.einsum("i,j->ji", x, w)[2, 1] + np.einsum("ij->j", A * x).max() + np.einsum("i,i", x, x), {}),
        (lambda x: np.sum(np.sum(np.ones((2, 3, 5)) * x * np.arange(3)[:, None], axis=(0, 2))), {}),
        (
            lambda x: np.sum((A @ x[table]) ** 2) + np.sum(B @ np.cumsum(x)) + np.cumsum(x) @ C @ np.array([x[1], 2.0]),
            {},
        ),
        (products_of_products, {"relative": 1e-9}),
        (lambda x: np.sum(rng3 * x) + (rng3 * x).max(axis=0).sum(), {}),
    ],
    "shapes": [
        (lambda x: x[-1] + x[-2] * x[1:][0] + x[::2].sum() + x[1::2].prod() + x[::-1][0] + x[3:0:-1].sum(), {}),
        (lambda x: np.sum(x * x[::-1]) + np.sum(x[::-1] ** 2) + np.flip(x)[1], {}),
        (lambda x: np.sum(x[::-1] * w), {"n": 5}),
        (lambda x: np.sum(x[table] * w) + x[[0, 2]].sum() + x[mask].sum() + x[np.array([1, 3])].prod(), {}),
        (lambda x: np.sum(x[np.arange(0, 5, 2)]) + np.take(x, [4, 0]).sum() + x.take(table)[1], {}),
        (lambda x: np.sum(x[:, None] * w) + x[None, :].shape[1] + x[np.newaxis].sum() + x[...].sum() + x[..., 0], {}),
        (lambda x: np.sum(np.roll(x, 2) * w) + np.sum(x * np.roll(x, -1)) + np.roll(x, 7)[0] + np.roll(x, 0)[1], {}),
        (lambda x: np.sum(np.roll(np.outer(x, w), 1, axis=1) * A) + np.roll(np.outer(x, w), 3)[0, 1], {}),
        (
            lambda x: (
                np.sum(np.diff(x) ** 2) + np.diff(x, 2).prod() + np.diff(x, n=3)[0] + np.diff(A * x, axis=0).sum()
            ),
            {},
        ),
        (lambda x: np.concatenate([x, w]) @ np.arange(10.0) + np.concatenate((x[:2], x[3:])).sum(), {}),
        (lambda x: np.concatenate([[x[0]], [2.0], x[1:]]).max() + np.hstack([x, 1.0, x[0]]).sum(), {}),
        (
            lambda x: (
                np.sum(np.vstack([x, w]) ** 2) + np.stack([x, w], axis=1)[2].sum() + np.column_stack([x, w])[1].prod()
            ),
            {},
        ),
        (lambda x: np.stack([x[0], x[3], 1.0]).sum() + np.append(x, 3.0)[-1] + np.append(x, x[:2]).prod(), {}),
        (
            lambda x: (
                np.sum(np.array([x[0] * x[1], x[2], 4.0]) ** 2)
                + np.array([x, w])[1].sum()
                + np.array([[x[0], 1], [2, x[1]]]).sum()
            ),
            {},
        ),
        (
            lambda x: (
                np.sum(np.asarray(x) ** 2)
                + np.array(x)[0]
                + np.asarray([x[0], x[1]]).prod()
                + np.asarray(x, dtype=float)[2]
            ),
            {},
        ),
        (
            lambda x: (
                np.atleast_1d(x[0])[0] + np.atleast_2d(x).sum() + np.asanyarray(x).max() + np.array(x, ndmin=2)[0, 1]
            ),
            {},
        ),
        (
            lambda x: (
                x.reshape(2, 3).sum(axis=0).prod() + np.reshape(x, (3, -1))[:, 0].sum() + x.reshape(3, 2).T[1].sum()
            ),
            {"n": 6},
        ),
        (
            lambda x: (x.reshape(2, 3) * np.arange(6.0).reshape(2, 3)).ravel()[3:].sum() + x.reshape(6, 1).flatten()[2],
            {"n": 6},
        ),
        (lambda x: x.reshape(3, 2, order="F")[0].sum() + np.ravel(np.outer(x, x), order="F")[7], {"n": 6}),
        (lambda x: np.transpose(np.outer(x, w))[1].sum() + np.swapaxes(np.outer(x, w), 0, 1)[2, 0] + x.T.sum(), {}),
        (lambda x: np.moveaxis(np.ones((2, 3, 5)) * x, 2, 0)[1].sum(), {}),
        (
            lambda x: (
                np.expand_dims(x, 0).sum(axis=0).prod() + np.squeeze(x[None, :, None])[2] + x[:, None].squeeze()[1]
            ),
            {},
        ),
        (lambda x: np.linspace(x[0], x[1], 7) @ np.arange(7.0) + np.linspace(0, x[2], 4, endpoint=False).max(), {}),
        (lambda x: x[0] * np.result_type(x, 1.0).itemsize + x[1] * np.iscomplexobj(x) + x[2] * np.isrealobj(x), {}),
        (
            lambda x: (
                sum(k * part.prod() for k, part in enumerate(np.split(x, [2, 3]))) + np.array_split(x, 2)[1].sum()
            ),
            {},
        ),
        (
            lambda x: np.sum([a * b - a for a, b in x.reshape(-1, 2)]) + np.split(x.reshape(2, 3), 3, axis=1)[1].sum(),
            {"n": 6},
        ),
        (lambda x: np.tile(x, 2) @ np.arange(10.0) + np.repeat(x, 2).sum() + np.tile(x, (2, 1))[1].sum(), {}),
        (
            lambda x: (
                (np.zeros_like(x) + np.ones_like(x) + np.full_like(x, 2.5) + x).sum() + np.full_like(x, x[0]).sum()
            ),
            {},
        ),
        (
            lambda x: (
                np.convolve(x, kernel).max()
                + np.convolve(x, kernel, "valid").sum()
                + np.convolve(x, kernel, mode="same")[0]
            ),
            {},
        ),
        (lambda x: np.sum(np.convolve(kernel, x, "same") ** 2) + np.convolve(x, [1, x[0]], "same").prod(), {}),
        (lambda x: np.sum(np.convolve(x, kernel, "valid") ** 2), {"n": 40}),
        (
            lambda x: (
                np.polyval([1.0, -2, 3], x).sum() + np.polyval(x, 0.7) + np.polyval(x, x[0]) + np.polyval([4], x).sum()
            ),
            {},
        ),
        (lambda x: np.polynomial.polynomial.polyval(0.3, x) + np.polynomial.polynomial.polyval(x, [1, 2, 3]).sum(), {}),
        (lambda x: np.interp(x, [-1.0, 0.0, 0.5, 1.5], [0.3, 1.0, -2.0, 4.0]).sum() + np.interp(x[0], t, y), {}),
        (lambda x: np.interp(x, [-1.0, 0.0, 1.0], [0.3, 1.0, -2.0], left=9, right=-9).sum(), {}),
        (
            lambda x: np.interp(x, [-1, 0, 1], [0.3, 1.0, -2.0]).sum(),
            {"points": [[-1, 0, 1, 0.5, -0.5], [np.nan, 1, 2, -2, 3]]},
        ),
        (lambda x: np.interp(t, [0.0, 1.0, 1.5, 2.0, 2.9], x) @ y, {}),
        (
            lambda x: (
                x.copy()[0] + x.astype(float)[1] + np.copy(x)[2] + x.astype(int)[3] + x.flatten()[4] + x.ravel()[0]
            ),
            {},
        ),
        (lambda x: sum(a * k for k, a in enumerate(x)) + sum(a * b for a, b in zip(x, w)) + [*x][2] + list(x)[1], {}),
        (lambda x: np.sum([a**2 for a in x]) + np.sum(np.array([f(x[1]) for f in (np.sin, np.cos)])), {}),
        (
            lambda x: (
                np.sum(np.array([x[k] * x[k + 1] for k in range(4)])) + np.array([w[k] * x[k] for k in range(5)]).max()
            ),
            {},
        ),
        (lambda x: x.tolist()[1] + x.item(2) + x[0].item() + sum(row.sum() for row in np.outer(x, w)), {}),
        (
            lambda x: (
                np.sum(np.array([x[0], x[1]], dtype=object)) + (np.array([x[0], x[1]], dtype=object) * x[2]).sum()
            ),
            {},
        ),
    ],
    "code": [
        (unpacked, {}),
        (assigned, {}),
        (assigned_by_condition, {}),
        (views, {}),
        (filled, {}),
        (with_out, {}),
        (lambda x: helper(x[0], x[1]) + helper(x[2:], x[0]).sum(), {}),
        (lambda x, a, b: np.sum((x - a) ** 2) * b, {"args": (np.array([1.0, 2, 4, 8, 9]), 3)}),
        (partial(lambda a, x: np.sum((x - a) ** 2), w), {}),
        (Model().loss, {"n": 3}),
        (Model(), {"n": 3}),
        (deep_scalars, {"n": 2}),
        (deep_vectors, {}),
        (doubling, {"n": 2}),
        (shared, {}),
        (shared_vectors, {}),
        (lambda x: np.prod(np.tanh(x[:3] * w[:3] - 0.25) ** 2 + 1) + np.sum(np.tanh(x * w - 0.25) ** 2 + 1), {}),
        (conditions_in_place, {}),
        (lambda x: np.sum((x - np.mean(x)) ** 2 / (1 + np.var(x))), {}),
        (lambda x: np.sum((x[:, None] - np.mean(x)) * (w - np.max(x))), {}),
        (lambda x: np.sum(x), {"n": 1}),
        (lambda x: np.sum(x**2) + x[-1] + np.sum(x[:1]) + x.mean() + np.prod(x[0:1] * 2), {"n": 1}),
        (lambda x: np.sum(np.diff(x) ** 2), {"n": 2}),
        (np.linalg.norm, {}),
        (optimize.rosen, {}),
        (lambda x: optimize.rosen(x[1:] * 2), {}),
        (lambda x: float(np.exp(1.0)) * x[0] + math.sqrt(2) * x[1] + int(2.7) * x[2], {}),
        (lambda x: (x[0] if len(x) == 5 else x[1]) + (0 if x is None else 1) + (x[0] is x), {}),
        (lambda x: np.sum(np.sqrt(np.maximum(x, 0)) * np.log(np.abs(x) + 1e-9)), {}),
        (lambda x: f"{x}" and f"{x[0]:.3f}" and x[0] * 1.0, {}),
    ],
    "long": [
        (lambda x: np.sum((x[1::2] - x[::2] ** 2) ** 2), {"n": 30}),
        (lambda x: np.sum(np.sqrt(np.sum(x.reshape(-1, 2) ** 2, axis=1))), {"n": 30}),
        (lambda x: np.max(x[::3] * np.arange(10.0)) - np.prod(1 + 0.1 * x[2::3] * every), {"n": 30}),
        (lambda x: np.mean(x[::2] > 0.3) + np.any(x[1::2] > 1.9) + np.all(x[::2] > -1.9), {"n": 40}),
        (lambda x: np.sum(np.sum((x.reshape(10, 3) - np.array([1.0, 2, 3])) ** 2, axis=1) ** 2), {"n": 30}),
        (lambda x: np.sum(x.reshape(10, 3) @ np.arange(3.0) * np.arange(10)), {"n": 30}),
        (lambda x: np.sum(x[::-2] * x[::-2] + 1), {"n": 41}),
        (lambda x: np.sum(x[::2] * x[-1::-2][:20]), {"n": 40}),
        (lambda x: np.sum(wide @ x) + np.sum((wide @ x) ** 2), {"n": 600}),
        (lambda x: sum(x[k] * x[k + 1] for k in range(699)), {"n": 700}),
        (lambda x: np.sum(np.cumsum(x) ** 2), {"n": 150}),
        (lambda x: np.sum(np.array([np.sin(x[k]) * k + x[k + 1] for k in range(299)])), {"n": 300}),
        (lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2), {"n": 2000}),
        (catenary, {"n": 500}),
        (lambda x: np.sum(np.convolve(np.convolve(x, kernel), kernel)[3:-3] ** 2), {"n": 60}),
    ],
}
rng0 = rng.normal(size=(3, 7))
rng3 = rng.normal(size=(2, 3, 5))
every = rng.uniform(0.5, 1.0, 10)
wide = rng.normal(size=(3, 600))
if not hasattr(np, "trapezoid"):
    np.trapezoid = np.trapz

ALL = [pytest.param(fun, how, id=f"{name}-{k}") for name, rows in CASES.items() for k, (fun, how) in enumerate(rows)]


@pytest.mark.parametrize(("fun", "how"), ALL)
def test_values_are_those_of_the_function(fun, how):
    check(fun, **how)


def test_there_are_many_functions():
    assert len(ALL) >= 150


# Random functions

UNARY = [np.sin, np.cos, np.tanh, np.exp, np.abs, np.square, np.negative, np.floor, np.sign, np.arctan, np.expm1]
BINARY = [np.add, np.subtract, np.multiply, np.minimum, np.maximum, np.divide, np.hypot, np.arctan2]
VIEWS = [
    lambda v: v[::-1],
    lambda v: np.roll(v, 1),
    lambda v: v.copy(),
    lambda v: np.concatenate([v[2:], v[:2]]),
    lambda v: v[:, None].T[0],
    lambda v: v.reshape(2, -1).T.ravel() if len(v) % 2 == 0 else v,
    lambda v: np.cumsum(v),
    lambda v: np.concatenate([[v[0]], np.diff(v)]),
    lambda v: np.where(v > 0.25, v, 0.5 * v),
    lambda v: np.clip(v, -1, 1),
    lambda v: v - np.mean(v),
]
REDUCERS = [np.sum, np.mean, np.max, np.min, np.prod, np.var, np.linalg.norm, lambda v: v[1], lambda v: v @ v[::-1]]


def composed(seed, n):
    """A random function of vectors."""

    def vector(draw, x, depth):
        kind = draw.integers(8 if depth else 2)
        if kind == 0:
            return x
        if kind == 1:
            return draw.uniform(-1.5, 1.5, n) if draw.integers(2) else x * round(draw.uniform(-2, 2), 2)
        if kind in (2, 3):
            return UNARY[draw.integers(len(UNARY))](vector(draw, x, depth - 1))
        if kind == 4:
            return VIEWS[draw.integers(len(VIEWS))](vector(draw, x, depth - 1))
        if kind == 5:
            return number(draw, x, depth - 1) * vector(draw, x, depth - 1)
        return BINARY[draw.integers(len(BINARY))](vector(draw, x, depth - 1), vector(draw, x, depth - 1))

    def number(draw, x, depth):
        return REDUCERS[draw.integers(len(REDUCERS))](vector(draw, x, depth))

    def function(x):
        draw = np.random.default_rng(seed)
        return number(draw, x, 4) + 0.5 * number(draw, x, 3)

    return function


@pytest.mark.parametrize("seed", range(200))
def test_functions_by_chance(seed):
    n = 4 + seed % 5
    fun, points = composed(seed, n), points_of(n, -1.5, 1.5, seed=seed)
    with np.errstate(all="ignore"):
        expected = np.array([fun(x) for x in points])
        near = np.array([fun(x * (1 + 4e-16)) for x in points])
    try:
        traced = trace(fun, n)
    except NotTraceable as error:
        pytest.fail(str(error))
    # Skip points at which the function itself is sensitive to rounding.
    steady = np.isclose(near, expected, rtol=1e-11, atol=1e-13, equal_nan=True)
    assert_same(evaluate(traced, points)[steady], expected[steady], traced, 1e-9)


def writing(seed, n):
    """A function that changes arrays through random views."""

    def key(draw, length):
        start, stop = sorted(draw.integers(0, length + 1, 2).tolist())
        return [int(draw.integers(length)), slice(start, stop), slice(None, None, 2), slice(None, None, -1), ...][
            draw.integers(5)
        ]

    def function(x):
        draw = np.random.default_rng(seed)
        u = x.reshape(2, -1).copy() if seed % 2 else x.copy()
        arrays = [u]
        for _ in range(8):
            v = arrays[draw.integers(len(arrays))]
            if v.size == 0:
                continue
            at, number = key(draw, len(v)), draw.uniform(-2, 2)
            kind = draw.integers(5)
            if kind == 0:
                v[at] = number * x[0]
            elif kind == 1:
                v[at] = v[at] * number + 1
            elif kind == 2:
                v *= number
            elif kind == 3 and v.ndim == 2:
                arrays.append([v.T, v.reshape(-1), v.ravel(), v[:, 0], v[0]][draw.integers(5)])
            elif v[at].ndim > 0:
                arrays.append([v[at], v[at].copy()][int(draw.integers(4) == 0)])
        return sum(np.sum(v * (k + 1.5)) for k, v in enumerate(arrays)) + np.sum(x)

    return function


@pytest.mark.parametrize("seed", range(60))
def test_writing_through_views_by_chance(seed):
    check(writing(seed, 8), 8, relative=1e-10)


# The text of expressions


def texts(fun, n=5, args=()):
    traced = trace(fun, n, args)
    return [*(f"{name} = {text}" for name, text in traced.lets), traced.formula]


@pytest.mark.parametrize(
    ("fun", "expected"),
    [
        (lambda x: np.sum(x**2), ["sum(i, x[i]^2)"]),
        (CASES["classics"][0][0], ["sum(i, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)"]),
        (CASES["classics"][1][0], ["50 + sum(i, x[i]^2 - 10 * cos(2 * pi * x[i]))"]),
        (lambda x: np.sum(x[1:3]), ["sum(i, 1, 2, x[i + 1])"]),
        (lambda x: np.mean(x) + np.sum(x[1:] - x[:-1]), ["mean(x) + sum(i, x[i + 1] - x[i])"]),
        (lambda x: np.sum((A @ x - w) ** 2), ["sum(i, (sum(j, A[i, j] * x[j]) - w[i])^2)"]),
        (lambda x: x @ A.T @ x, ["sum(i, sum(j, x[j] * A[i, j]) * x[i])"]),
        (lambda x: np.sum(np.exp(-w * x)) - w[1:] @ x[:-1], ["sum(i, exp(-w[i] * x[i])) - sum(i, w[i + 1] * x[i])"]),
        (lambda x: np.sum(np.where(x > 0, x, -x)), ["sum(i, if(x[i] > 0, x[i], -x[i]))"]),
        (lambda x: -(x[0] ** 2) - (-x[0]) ** 2 * -2, ["-x[1]^2 - (-x[1])^2 * -2"]),
        (lambda x: (x[0] - 1) - (x[1] - 2) + (x[2] + -3), ["x[1] - 1 - (x[2] - 2) + (x[3] - 3)"]),
        (lambda x: np.minimum(np.minimum(x[0], x[1]), x[2]), ["min(x[1], x[2], x[3])"]),
        (lambda x: np.cos(2 * np.pi * x[0]) + np.sin(np.pi * x[1]), ["cos(2 * pi * x[1]) + sin(pi * x[2])"]),
        (lambda x: x[0] > 1, ["if(x[1] > 1, 1, 0)"]),
        (lambda x: np.where((x[0] > 0) | ~(x[1] < 2), 1, 2), ["if(x[1] > 0 or (x[2] < 2) == 0, 1, 2)"]),
        (shared, ["s1 = exp(x[1] * x[2]) + sqrt(abs(x[3]))", "s1^2 + sin(s1) / s1 - s1"]),
        (lambda x: np.sum([a * b for a, b in zip(x, x[1:])]), ["sum(i, x[i] * x[i + 1])"]),
        (lambda x: np.sum(np.array([k * np.sin(x[k]) for k in range(1, 5)])), ["sum(i, i * sin(x[i + 1]))"]),
        (lambda x: np.sum(np.asarray(x) ** 3), ["sum(i, x[i]^3)"]),
        (lambda x: np.sum(np.zeros(5)) + x[0] + 1e-5 + 1e22, ["0 + x[1] + 1e-05 + 1e+22"]),
        (lambda x: np.sum((x - x.mean()) ** 2), ["sum(i, (x[i] - mean(x))^2)"]),
        (lambda x: np.sum((x**2 - np.sum(x**3)) ** 2), ["sum(i, (x[i]^2 - sum(j, x[j]^3))^2)"]),
    ],
)
def test_texts_by_hand(fun, expected):
    assert texts(fun) == expected


def test_what_is_alike_stays_one_expression():
    # The length of the text does not depend on the length of the vector.
    for fun in (CASES["classics"][0][0], catenary, spring_network, ackley, griewank):
        assert len(trace(fun, 100_000).formula) < 300
    text = trace(lambda x: np.sum((x[1::2] - x[::2] ** 2) ** 2), 1000).formula
    assert text == "sum(i, 1, 999, if(every2[i] > 0, (x[i + 1] - x[i]^2)^2, 0))"


def test_names_of_data():
    x_ = np.array([1.0, 5, 2, 7, 3])
    i = x_ + 1
    s1 = x_ + 2

    def fun(x):
        return np.sum(x * x_) + np.sum(x * i) + np.sum(x * (x_ * 2)) + np.sum(s1 * x) + shared(x)

    traced = trace(fun, 5)
    assert list(traced.data) == ["x_", "c1", "c2", "s1"]
    assert [name for name, _ in traced.lets] == ["s2"]
    np.testing.assert_array_equal(traced.data["c1"], i)
    check(fun)
    # Later changes of an array do not affect the trace.
    x_[0] = 100.0
    assert traced.data["x_"][0] == 1.0
    assert all(
        array.dtype == np.float64 and array.ndim in (1, 2) for array in trace(CASES["matrices"][21][0], 5).data.values()
    )


def test_an_array_that_is_changed_meanwhile_is_what_it_was():
    def fun(x):
        factors = np.array([1.0, 5.0, 2.0, 2.5, 7.0])
        first = np.sum(x * factors)
        factors[0] = 3.0
        return first + np.prod(x + factors)

    check(fun)


def test_lists_of_problem_files_are_kept_within_limits():
    for fun, n in ((deep_scalars, 2), (deep_vectors, 5), (doubling, 2), (CASES["long"][9][0], 700)):
        traced = trace(fun, n)
        for text in (traced.formula, *(text for _, text in traced.lets)):
            assert len(text) < 10_000


def test_shown():
    assert str(trace(lambda x: np.sum(x**2), 3)) == "sum(i, x[i]^2)"
    assert str(trace(shared, 3)).splitlines() == texts(shared, 3)


def residuals_by_loop(x):
    total = 0
    for at, value in zip(t, y):
        total += (value - x[0] * np.exp(-at * x[1])) ** 2
    return total


def griewank_by_loop(x):
    total, product = 0.0, 1.0
    for k, a in enumerate(x):
        total += a**2 / 4000
        product *= np.cos(a / np.sqrt(k + 1))
    return total - product + 1


def two_terms_a_round(x):
    total = x[0] ** 4
    for k in range(len(x) - 1):
        total += 100 * (x[k + 1] - x[k] ** 2) ** 2
        total += (1 - x[k]) ** 2
    return total * 2


@pytest.mark.parametrize(
    ("fun", "n", "expected"),
    [
        (rosenbrock_loop, 30, "sum(i, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)"),
        (residuals_by_loop, 2, "sum(i, (y[i] - x[1] * exp(-t[i] * x[2]))^2)"),
        (griewank_by_loop, 8, "sum(i, x[i]^2 / 4000) - prod(i, cos(x[i] / c1[i])) + 1"),
        (two_terms_a_round, 9, "(x[1]^4 + sum(i, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)) * 2"),
        (lambda x: sum(np.sin(a) for a in x[::2]), 30, "sum(i, 1, 29, if(every2[i] > 0, sin(x[i]), 0))"),
        (lambda x: x[0] + x[1] + x[2] * x[3], 5, "x[1] + x[2] + x[3] * x[4]"),
        (shared, 3, "s1^2 + sin(s1) / s1 - s1"),
    ],
)
def test_loops_as_sums(fun, n, expected):
    traced = trace(fun, n, reorder_sums=True)
    assert traced.formula == expected
    points = points_of(n, -1.5, 1.5)
    assert_same(evaluate(traced, points), [fun(x) for x in points], traced)
    assert trace_many([fun, np.sum], n, reorder_sums=True).formulas == ((expected,), ("sum(x)",))
    # By default, the order of the loop is kept.
    assert trace(fun, n).formula.count("sum(") <= 1


# Several functions


def test_several_functions_share_names_and_data():
    def objective(x):
        return np.sum((w * x - 1) ** 2) + np.exp(x[0] * x[1] + x[2] ** 2) ** 2

    def two(x):
        return np.array([np.exp(x[0] * x[1] + x[2] ** 2) - 3, w @ x])

    def vector(x):
        return x[1:] - x[:-1]

    def listed(x):
        return [x[0], 2.0, x[1] > 0]

    many = trace_many([objective, two, vector, listed], 5)
    assert many.shapes == ((), (2,), (4,), (3,))
    assert [len(of_one) for of_one in many.formulas] == [1, 2, 4, 3]
    assert many.lets == (("s1", "exp(x[1] * x[2] + x[3]^2)"),) or many.lets == ()
    assert list(many.data) == ["w"]
    assert many.formulas[2] == tuple(f"x[{k + 1}] - x[{k}]" for k in range(1, 5))
    assert many.formulas[3] == ("x[1]", "2", "if(x[2] > 0, 1, 0)")
    for fun, formulas in zip((objective, two, vector, listed), many.formulas):
        for k, formula in enumerate(formulas):
            one = Traced(formula, many.lets, many.data)
            points = points_of(5, -1, 1)
            expected = [np.ravel(np.asarray(fun(x), dtype=float))[k] for x in points]
            assert_same(evaluate(one, points), expected, one)
    assert str(many).splitlines()[-1] == "x[1], 2, if(x[2] > 0, 1, 0)"


def test_several_functions_with_arguments_of_their_own():
    def scaled(x, by, to=0):
        return np.sum(x * by) + to

    many = trace_many([scaled, scaled], 3, (2.0,))
    assert many.formulas == (("sum(i, x[i] * 2) + 0",),) * 2
    many = trace_many([scaled, scaled, np.sum], 3, [(2.0,), (3.0, 1), ()])
    assert many.formulas == (("sum(i, x[i] * 2) + 0",), ("sum(i, x[i] * 3) + 1",), ("sum(x)",))
    assert trace_many([], 3).formulas == ()


# Functions that cannot be traced


def not_traceable(fun, n=5, args=()):
    with pytest.raises(NotTraceable) as caught:
        trace(fun, n, args)
    return caught.value


def asks_if(x):
    if x[0] > 1:  # here
        return x[1]
    return x[2]


def asks_by_choice(x):
    return x[1] if x[0] > 1 else x[2]  # here


def asks_while(x):
    total = x[0]
    while total < 10:  # here
        total = total * 2
    return total


def asks_and(x):
    return np.where(x[0] > 0 and x[1] > 0, 1, 2)  # here


def asks_chain(x):
    return np.where(0 < x[0] < 1, 1, 2)  # here


def asks_max(x):
    return max(x[0], x[1])  # here


def asks_sorted(x):
    return sorted(x)[0]  # here


def asks_in(x):
    return 1.0 * (0.5 in x)  # here


def takes_math(x):
    return x[1] + math.sin(x[0])  # here


def takes_math_of_two(x):
    return math.atan2(x[0], x[1])  # here


def takes_imported_math(x):
    return np.exp(x[0]) * fsum([1.0, x[1]])  # here


def fills_zeros_with_a_function_of_numpy(x):
    u, exp = np.zeros(3), np.exp
    u[0] = exp(x[0])  # here
    return u.sum()


def takes_float(x):
    return float(x[0])  # here


def takes_int(x):
    return x[0] * int(x[1])  # here


def fills_zeros(x):
    u = np.zeros(len(x))
    for k in range(len(x)):
        u[k] = x[k] ** 2  # here
    return u.sum()


def fills_zeros_by_slice(x):
    u = np.zeros(3)
    u[1:] = x[1:3]  # here
    return u.sum()


def adds_in_place(x):
    u = np.ones(5)
    u += x  # here
    return u.sum()


def writes_out(x):
    u = np.ones(5)
    np.multiply(x, 2, out=u)  # here
    return u.sum()


def is_index(x):
    return table[np.floor(x[0])]  # here


def is_index_by_int(x):
    return table[int(x[0]) % 3]  # here


def looks_up(x):
    return table[np.searchsorted(table, x[0])]  # here


def looks_up_by_method(x):
    return table[table.searchsorted(x[0])]  # here


def looks_up_a_bin(x):
    return table[np.digitize(x[0], table)]  # here


def takes_index(x):
    return np.take(x, x[:2])  # here


def is_count(x):
    return sum(range(np.trunc(x[0])))  # here


def selects(x):
    return x[x > 0].sum()  # here


def has_key(x):
    return {0: 1.0}.get(x[0], 2.0)  # here


def sorts(x):
    return np.sort(x)[0]  # here


def sorts_by_method(x):
    return x.argmin()  # here


def solves(x):
    return np.linalg.det(np.outer(x, x))  # here


def takes_unknown_ufunc(x):
    return np.spacing(x).sum()  # here


def takes_unknown_special(x):
    return special.zeta(x[0] + 3, 2)  # here


def takes_unknown_keyword(x):
    return np.sum(x, where=x > 0)  # here


def takes_complex(x):
    return np.abs(x[0] + 1j)  # here


def makes_floats(x):
    return np.asarray([x[0], x[1]], dtype=np.float32).sum()  # here


# As with `from numpy import array`; during a trace `np.array` is replaced.
plain_array = np.array


def makes_floats_of_objects(x):
    return plain_array(x.tolist()).astype(float).sum()  # here


spline = pytest.importorskip("scipy.interpolate").CubicSpline([0.0, 1.0, 2.0], [1.0, 3.0, 2.0])
surface = pytest.importorskip("scipy.interpolate").RegularGridInterpolator(
    ([0.0, 1.0], [0.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
)


def calls_a_spline(x):
    return spline(x[0])  # here


def calls_a_surface(x):
    return surface([x[0], x[1]])[0]  # here


def descends(x):
    return np.interp(x[0], [2.0, 1.0], [1.0, 2.0])  # here


def raises(x):
    raise KeyError("missing")  # here


def raises_within(x):
    return inner_error(x)


def inner_error(x):
    return x.nothing  # here


def loops_long(x):
    total = 0.0
    for k in range(30_000):
        total = total + k * x[k % 5]  # here
    return total


def swallows(x):
    try:
        return math.log(x[0])  # here
    except Exception:
        return 1e10


def changes_error(x):
    try:
        return math.log(x[0])  # here
    except NotTraceable:
        raise ValueError("another") from None


def indexes_too_far(x):
    return x[7]  # here


def shapes_that_differ(x):
    return np.sum(x[1:] * x[:-2])  # here


def takes_bits(x):
    return x[0] & 1  # here


def multiplies_conditions(x):
    return (x > 0) @ (x > 1)  # here


def sorts_columns(x):
    return np.where(x > 0)[0].size  # here


def subtracts_conditions(x):
    return np.sum((x > 0) - (x > 1))  # here


@pytest.mark.parametrize(
    ("fun", "parts"),
    [
        (asks_if, ["`if`", "np.where(condition, a, b)"]),
        (asks_by_choice, ["np.where"]),
        (asks_while, ["`while`"]),
        (asks_and, ["np.logical_and", "&"]),
        (asks_chain, ["(a < b) & (b < c)"]),
        (asks_max, ["np.maximum"]),
        (asks_sorted, ["sorting"]),
        (asks_in, ["condition"]),
        (takes_math, ["np.sin", "math.sin"]),
        (takes_math_of_two, ["np.arctan2", "math.atan2"]),
        (takes_imported_math, ["np.sum", "math.fsum"]),
        (fills_zeros_with_a_function_of_numpy, ["np.zeros_like(x)"]),
        (takes_float, ["float(...)", "leave it out"]),
        (takes_int, ["np.trunc"]),
        (fills_zeros, ["np.zeros_like(x)", "np.array([...])"]),
        (fills_zeros_by_slice, ["np.zeros_like(x)"]),
        (adds_in_place, ["a = a + b"]),
        (writes_out, ["np.multiply"]),
        (is_index, ["index", "for a table, write np.interp"]),
        (is_index_by_int, ["np.trunc", "np.interp if it is an index of a table"]),
        (looks_up, ["np.searchsorted", "for a table, write np.interp"]),
        (looks_up_by_method, ["searchsorted", "for a table, write np.interp"]),
        (looks_up_a_bin, ["np.digitize", "for a table, write np.interp"]),
        (takes_index, ["an index cannot depend on x", "for a table, write np.interp"]),
        (calls_a_spline, ["`spline` is an interpolator of SciPy", "write np.interp", "vectorized=True"]),
        (calls_a_surface, ["`surface` is an interpolator of SciPy", "write np.interp", "vectorized=True"]),
        (descends, ["np.interp needs two or more finite places xp that ascend", "NumPy's result is wrong"]),
        (is_count, ["whole number"]),
        (selects, ["np.where(condition, x, 0)"]),
        (has_key, ["key of a dict"]),
        (sorts, ["np.sort"]),
        (sorts_by_method, ["argmin"]),
        (solves, ["np.linalg.det"]),
        (takes_unknown_ufunc, ["np.spacing"]),
        (takes_unknown_special, ["zeta"]),
        (takes_unknown_keyword, ["np.sum", "where="]),
        (takes_complex, ["complex"]),
        (makes_floats, ["float32"]),
        (makes_floats_of_objects, ["number"]),
        (raises, ["KeyError", "missing"]),
        (raises_within, ["AttributeError", "nothing"]),
        (loops_long, ["20,000", "whole arrays"]),
        (swallows, ["np.log"]),
        (changes_error, ["np.log"]),
        (indexes_too_far, ["IndexError", "out of bounds"]),
        (shapes_that_differ, ["ValueError", "shape"]),
        (takes_bits, ["&"]),
        (sorts_columns, ["np.where(condition, a, b)"]),
        (multiplies_conditions, ["conditions"]),
        (subtracts_conditions, ["TypeError", "boolean subtract"]),
    ],
    ids=lambda of: getattr(of, "__name__", ""),
)
def test_reasons_and_lines(fun, parts):
    error = not_traceable(fun)
    for part in parts:
        assert part in error.reason, error.reason
    lines = Path(__file__).read_text().splitlines()
    code = (inner_error if fun is raises_within else fun).__code__
    expected = next(k for k in range(code.co_firstlineno, len(lines) + 1) if lines[k - 1].endswith("# here"))
    assert (error.filename, error.lineno) == (__file__, expected), error
    assert error.line == lines[expected - 1].strip()
    assert "\n" not in str(error) and f"line {expected}" in str(error) and parts[0] in str(error)


def test_own_errors_have_their_cause():
    error = not_traceable(raises)
    assert isinstance(error.__cause__, KeyError)
    for stops in (KeyboardInterrupt, SystemExit):
        with pytest.raises(stops):
            trace(lambda x, stops=stops: (_ for _ in ()).throw(stops()), 3)


def test_results_that_are_no_number():
    def returns_nothing(x):
        np.sum(x)

    for fun, parts in (
        (returns_nothing, ["returned None", "`return` missing"]),
        (lambda x: x, ["shape (5,)"]),
        (lambda x: np.outer(x, x), ["shape (5, 5)"]),
        (lambda x: "text", ["returned str"]),
        (lambda x: [x[0], x[1]], ["shape (2,)"]),
        (lambda x: 1j, ["complex"]),
        (lambda x: {}, ["returned dict"]),
        (lambda x: x[3:3], ["shape (0,)"]),
    ):
        error = not_traceable(fun)
        assert all(part in error.reason for part in parts), error
        assert error.filename == __file__ and error.lineno == fun.__code__.co_firstlineno
    with pytest.raises(NotTraceable, match=r"shape \(5, 5\)"):
        trace_many([np.sum, lambda x: np.outer(x, x)], 5)


def test_what_is_too_deep_of_two_indices():
    def fun(x):
        value = np.outer(x, x)
        for _ in range(80):
            value = np.cos(value + x)
        return value.sum()

    error = not_traceable(fun)
    assert "two indices" in error.reason and error.lineno == fun.__code__.co_firstlineno


def test_values_of_an_earlier_call_are_refused():
    kept = []

    def keeps(x):
        kept.append(x[0])
        return kept[0] + x[1]

    trace(keeps, 3)
    assert "earlier call" in not_traceable(keeps, 3).reason


def test_places_that_are_not_known():
    error = NotTraceable("a reason")
    assert str(error) == "a reason" and (error.filename, error.lineno, error.line) == (None, None, None)
    error = not_traceable(eval("lambda x: math.sin(x[0])"), 2)
    assert error.filename == "<string>" and error.line is None and error.lineno == 1
    assert not_traceable(np.linalg.det, 4).filename is None


def test_numpy_is_as_before():
    before = {name: getattr(np, name) for name in ("array", "asarray", "sum", "max")}
    seen = []

    def fun(x):
        seen.append(np.asarray([1.0, 2.0]))
        seen.append(np.array((1, 2), dtype=np.int8))
        with np.errstate(all="ignore"):
            seen.append(np.sum([1, 2]))
        return trace(lambda y: y[0], 2).formula and x[0]

    trace(fun, 2)
    not_traceable(raises)
    assert all(getattr(np, name) is function for name, function in before.items())
    assert seen[0].dtype == np.float64 and seen[1].dtype == np.int8 and seen[2] == 3


def test_the_callers_vector_is_not_changed():
    def fun(x):
        x[0] = 4.0
        x *= 2
        return np.sum(x)

    check(lambda x: fun(x.copy()))
    assert trace(fun, 3).formula == "4 * 2 + x[2] * 2 + x[3] * 2"
    assert trace(fun, 30).formula == "4 * 2 + sum(i, x[i + 1] * 2)"


def test_arrays_of_objects():
    def fun(x):
        a = plain_array([x[0], x[1] * 2, x[4]])
        b = np.exp(a) + np.sqrt(abs(a)) * 2 - a**2 + np.hypot(a, 1.0)
        return b.sum() + np.sum(a * x[2]) + b.mean() + (a @ plain_array([1.0, 2.0, x[3]])) + np.prod(a) + a.dot(b)

    check(fun)
    check(lambda x: np.sum(plain_array([x, 2 * x]) ** 2) + plain_array(x)[1] + plain_array([x[0]])[0])
    check(lambda x: np.std(plain_array(list(x))) + np.max(np.stack([x[0], x[1]])) + plain_array([x[0], 2.0]).sum())


def test_pandas_like_columns():
    class Column:
        def __init__(self, values):
            self.values = np.asarray(values)

        def __array__(self, dtype=None, copy=None):
            return self.values

    column = Column([1.0, 3.0, 2.0])
    check(lambda x: np.sum((x - column) ** 2), 3)
