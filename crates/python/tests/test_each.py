"""Batches in which each run has its own data, bounds, initial points or target."""

import warnings

import numpy as np
import pytest
import pywarpswarm as ws

T = np.linspace(0, 4, 20)
TRUE = np.array([[5.0, 2.0], [3.0, 1.0], [7.0, 4.0]])
Y = TRUE[:, :1] * np.exp(-T / TRUE[:, 1:])
BOUNDS = [(0, 10), (0.1, 10)]


def misfit(p, t, y):
    return np.sum((y - p[0] * np.exp(-t / p[1])) ** 2)


def many(p, t, y):
    return np.sum((y - p[:, :1] * np.exp(-t / p[:, 1:])) ** 2, axis=1)


def test_each_run_fits_its_own_data():
    fits = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), max_evaluations=5000)
    assert fits.how == "traced and compiled" and len(fits.runs) == 3
    np.testing.assert_allclose(fits.runs.xs, TRUE, rtol=1e-6)


def test_a_run_is_as_it_is_alone():
    options = {"algorithm": "de", "max_iterations": 30, "population": 16}
    fits = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), **options)
    alone = ws.minimize(misfit, BOUNDS, args=(T, Y[0]), **options)
    assert fits.runs.xs[0].tolist() == alone.x.tolist() and fits.runs.funs[0] == alone.fun
    repeated = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y[[0, 0, 0]])), **options)
    same = ws.minimize(misfit, BOUNDS, args=(T, Y[0]), runs=3, **options)
    assert repeated.runs.xs.tolist() == same.runs.xs.tolist()


@pytest.mark.parametrize(("fun", "options"), [(misfit, {"compile": False}), (many, {"vectorized": True})])
def test_functions_that_are_called_see_their_part(fun, options):
    fits = ws.minimize(fun, BOUNDS, args=(T, ws.each(Y)), max_evaluations=3000, **options)
    np.testing.assert_allclose(fits.runs.xs, TRUE, rtol=1e-3)


def test_workers_see_their_part():
    fits = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), max_evaluations=800, workers=2)
    expected = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), max_evaluations=800, compile=False)
    assert fits.runs.xs.tolist() == expected.runs.xs.tolist()


FUNCTIONS = {
    "number": lambda x, k, w, m: (x[0] - k) ** 2 + k * x[1] ** 2,
    "fixed": lambda x, k, w, m: w[0] * x[0] ** 2 + w[-1] * x[1] + m[1, 0],
    "slices": lambda x, k, w, m: np.sum(w[1:] * w[:-1]) * x[0] + np.sum(w[::2] - x[1]),
    "strides": lambda x, k, w, m: np.sum(np.tile(x, 2)[:3] * w[::-1][:3]) + w[::3].sum() * x[0],
    "matrix": lambda x, k, w, m: np.sum((m @ x - k) ** 2) + np.sum(m.T @ np.array([x[0], x[1], 1.0])) ** 2,
    "rows": lambda x, k, w, m: np.sum(m[1] * x) + np.sum(m[:, 0]) * x[1] + np.max(m, axis=0) @ x,
    "choice": lambda x, k, w, m: np.sum(np.where(w > 0.5, w * x[0], x[1] ** 2)) + np.mean(w) * np.std(w),
    "places": lambda x, k, w, m: np.sum(w[[3, 1, 0]] * x[0]) + np.dot(w, w) * x[1] + np.cumsum(w)[-1],
    "loop": lambda x, k, w, m: sum(w[i] * x[i % 2] ** i for i in range(len(w))),
    "same as shared": lambda x, k, w, m: np.sum(w * x[0]) + np.sum(np.array([0.25, 0.5, 0.75, 1.0]) * x[1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_that_is_done_with_arrays_sees_each_run(name):
    """The compiled objective does not depend on the numbers of the first run."""
    fun = FUNCTIONS[name]
    draws = np.random.default_rng(7)
    k, m = draws.normal(size=4), draws.normal(size=(4, 3, 2))
    w = draws.uniform(size=(4, 4))
    w[0] = [0.25, 0.5, 0.75, 1.0]
    seen = ws.minimize(
        fun,
        [(-2, 2)] * 2,
        args=(ws.each(k), ws.each(w), ws.each(m)),
        compile=True,
        algorithm="de",
        population=8,
        max_iterations=3,
    )
    for run in range(4):
        expected = fun(seen.runs.xs[run], k[run], w[run], m[run])
        np.testing.assert_allclose(seen.runs.funs[run], expected, rtol=1e-12, atol=1e-12)


def test_what_needs_the_numbers_is_called():
    def asks(x, w):
        return x[0] ** 2 + (1.0 if w[0] > 0 else 2.0)

    with pytest.warns(ws.CompileWarning):
        found = ws.minimize(asks, [(-1, 1)], args=(ws.each([[1.0], [-1.0]]),), max_evaluations=500)
    np.testing.assert_allclose(found.runs.funs, [1, 2], atol=1e-3)


def test_a_problem_has_data_of_each_run():
    problem = ws.Problem(
        "sum(i, (y[i] - a * exp(-t[i] / tau))^2) + k",
        variables={"a": (0, 10), "tau": (0.1, 10)},
        data={"t": T, "y": ws.each(Y), "k": ws.each([1.0, 2.0, 3.0])},
    )
    assert problem.runs == 3
    assert [problem.evaluate(TRUE[run], run)[0] for run in range(3)] == [1.0, 2.0, 3.0]
    fits = ws.minimize(problem, max_evaluations=6000)
    np.testing.assert_allclose(fits.runs.xs, TRUE, rtol=1e-4)
    with pytest.raises(ValueError, match="run .* less than 3"):
        problem.evaluate(TRUE[0], 3)


def test_constraints_see_each_run():
    limits = ws.each([0.5, 0.75])
    edge = {"type": "ineq", "fun": lambda x, low: x[0] - low, "args": (limits,)}
    for compile in (None, False):
        found = ws.minimize(
            lambda x, low: np.sum(x**2) + 0 * low,
            [(-1, 1)] * 2,
            args=(limits,),
            constraints=edge,
            compile=compile,
            max_evaluations=2000,
        )
        np.testing.assert_allclose(found.runs.funs, [0.25, 0.5625], atol=1e-3)
        assert found.runs.maxcv.tolist() == [0, 0]


def test_bounds_points_and_targets_of_each_run():
    def bowl(x):
        return np.sum((x - 1) ** 2)

    boxes = np.array([[[0, 1], [0, 2]], [[2, 3], [2, 4]]], dtype=float)
    found = ws.minimize(bowl, boxes, max_evaluations=2000, target=[1e-3, 2.0001])
    assert found.runs.stop_reasons == ["target", "target"] and found.runs.xs[1].tolist() == [2.0, 2.0]
    for compile in (None, False):
        begun = ws.minimize(
            bowl, [(0, 5)] * 2, x0=[[[1.0, 1.0]], [[1.0, 1.5]]], max_iterations=0, algorithm="de", compile=compile
        )
        assert begun.runs.funs[0] == 0 and begun.runs.funs[1] <= 0.25
    opt = ws.Optimizer(boxes, algorithm="de", population=8)
    points = opt.ask()
    assert np.all(points[:8] <= [1, 2]) and np.all(points[8:] >= 2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), runs=4),
            "runs is 4, and argument 2 of fun is of 3 runs; allowed: 3",
        ),
        (
            lambda: ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), target=[1, 2]),
            "target is of 2 runs, and argument 2 of fun of 3",
        ),
        (
            lambda: ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), x0=[[[1, 1]]]),
            "x0, is of 1 runs, and argument 2 of fun of 3",
        ),
        (
            lambda: ws.minimize(misfit, BOUNDS, args=(ws.each(T[:, None]), ws.each(Y))),
            "argument 2 of fun is of 3 runs, and argument 1 of fun of 20",
        ),
        (lambda: ws.each(np.zeros((1, 1, 1, 1))), r"allowed: \(runs,\)"),
        (lambda: ws.each([]), "allowed"),
        (lambda: ws.each([np.nan]), "number 0 of each is nan; allowed: finite numbers"),
        (lambda: ws.minimize(misfit, [[[1, 0]]]), "run 0: the lower bound of variable 0 is 1.0"),
        (lambda: ws.minimize(misfit, BOUNDS, target=[[1]]), "allowed: a number, or one for each run"),
    ],
)
def test_what_does_not_fit_is_said(call, said):
    with pytest.raises(ValueError, match=said), warnings.catch_warnings():
        warnings.simplefilter("ignore", ws.CompileWarning)
        call()


def test_a_batch_goes_on_from_its_checkpoint(tmp_path):
    options = {"algorithm": "de", "population": 16}
    path = tmp_path / "fits"
    whole = ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), max_iterations=40, **options)
    ws.minimize(misfit, BOUNDS, args=(T, ws.each(Y)), max_iterations=15, checkpoint=path, **options)
    assert ws.resume(path, max_iterations=40).runs.xs.tolist() == whole.runs.xs.tolist()
    boxes = np.array([BOUNDS, BOUNDS, [(2, 8), (1, 5)]])
    whole = ws.minimize(misfit, boxes, args=(T, ws.each(Y)), max_iterations=40, compile=False, **options)
    again = {"args": (T, ws.each(Y)), "compile": False, "checkpoint": path}
    ws.minimize(misfit, boxes, max_iterations=15, **again, **options)
    gone_on = ws.resume(path, misfit, args=(T, ws.each(Y)), max_iterations=40)
    assert gone_on.runs.xs.tolist() == whole.runs.xs.tolist()
