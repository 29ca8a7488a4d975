"""A local search at the end of each run."""

import numpy as np
import pytest
import pywarpswarm as ws


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_a_compiled_function_goes_by_exact_derivatives():
    result = ws.minimize(rosenbrock, [(0, 2)] * 20, algorithm="de", max_iterations=50, rng=1, runs=4)
    polish = result.runs.polish
    assert isinstance(polish, ws.Polish)
    assert (polish.funs > 1e-3).all() and (result.runs.funs < 1e-20).all()
    assert polish.nit.shape == polish.nfev.shape == polish.njev.shape == (4,) and (polish.njev > 0).all()
    plain = ws.minimize(rosenbrock, [(0, 2)] * 20, algorithm="de", max_iterations=50, rng=1, runs=4, polish=False)
    assert plain.runs.polish is None
    assert (plain.runs.funs == polish.funs).all() and (plain.runs.nfev == result.runs.nfev).all()


def test_a_run_at_its_target_is_left_as_it_is():
    options = {"algorithm": "de", "max_iterations": 50, "rng": 1, "runs": 2}
    runs = ws.minimize(rosenbrock, [(0, 2)] * 5, target=[1e9, 0], **options).runs
    assert list(runs.polish.nfev > 0) == [False, True]
    assert runs.polish.funs[0] == runs.funs[0] > 1e-3 and runs.polish.nit[0] == 0
    assert ws.minimize(rosenbrock, [(0, 2)] * 5, target=1e9, **options).runs.polish is None


@pytest.mark.parametrize("vectorized", [False, True])
def test_another_function_goes_by_differences(vectorized):
    def shifted(x):
        return np.sum((x - np.array([0.25, -0.5])) ** 4 + (x - np.array([0.25, -0.5])) ** 2, axis=-1)

    options = {"vectorized": True} if vectorized else {"compile": False}
    result = ws.minimize(shifted, [(-1, 1)] * 2, algorithm="de", max_iterations=5, rng=1, polish=True, **options)
    assert result.runs.polish.funs[0] > 1e-6
    assert result.fun < 1e-14
    assert np.allclose(result.x, [0.25, -0.5], atol=1e-6)


def test_constraints_are_met_one_by_one():
    # The nearest point to the origin where x + 2 y >= 5 is (1, 2).
    result = ws.minimize(
        lambda x: x[0] ** 2 + x[1] ** 2,
        [(-10, 10)] * 2,
        constraints={"type": "ineq", "fun": lambda x: x[0] + 2 * x[1] - 5},
        algorithm="de",
        max_iterations=20,
        rng=1,
    )
    assert result.maxcv == 0
    assert abs(result.fun - 5) < 1e-12


def test_it_never_makes_a_result_worse():
    def rough(x):
        return np.sum(np.abs(x - 0.3) ** 0.5 + np.sin(40 * x))

    for rng in range(5):
        options = {"algorithm": "pso", "max_iterations": 10, "rng": rng}
        plain = ws.minimize(rough, [(-1, 1)] * 3, **options)
        assert ws.minimize(rough, [(-1, 1)] * 3, polish=True, **options).fun <= plain.fun
