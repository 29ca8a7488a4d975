"""`minimize` and `maximize`: results and messages."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pywarpswarm as ws


def sphere(x):
    return np.sum((x - 0.25) ** 2)


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


BOX = [(-2.0, 2.0)] * 5


def test_a_traced_function_is_compiled():
    result = ws.minimize(rosenbrock, BOX, max_evaluations=100_000)
    assert result.how == "traced and compiled"
    assert result.success and result.fun < 1e-12
    np.testing.assert_allclose(result.x, 1, atol=1e-6)


def test_the_same_call_gives_the_same_numbers_and_another_seed_gives_others():
    limits = {"max_evaluations": 2000, "polish": False}
    first, second = (ws.minimize(sphere, BOX, **limits) for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes()
    other = ws.minimize(sphere, BOX, **limits, rng=1)
    assert first.x.tobytes() != other.x.tobytes()
    assert other.x.tobytes() == ws.minimize(sphere, BOX, **limits, seed=1).x.tobytes()


def test_generators_are_seeds():
    def of(make):
        return ws.minimize(sphere, BOX, max_evaluations=1000, rng=make()).x.tobytes()

    for make in (
        lambda: np.random.default_rng(3),
        lambda: np.random.SeedSequence(3),
        lambda: np.random.RandomState(3),
    ):
        assert of(make) == of(make)


@pytest.mark.parametrize("algorithm", list(ws.algorithms()))
def test_every_algorithm_by_name(algorithm):
    result = ws.minimize(sphere, BOX, algorithm=algorithm, max_evaluations=5000)
    assert result.fun < 2
    assert result.nfev <= 5000


def test_parameters_and_presets_of_algorithms():
    plain = ws.minimize(sphere, BOX, algorithm={"name": "de"}, max_iterations=50, polish=False)
    other = ws.minimize(sphere, BOX, algorithm={"name": "de", "scale_factor": 0.7}, max_iterations=50, polish=False)
    preset = ws.minimize(sphere, BOX, algorithm={"name": "shade", "preset": "lshade"}, max_evaluations=5000)
    assert plain.fun != other.fun
    assert preset.fun < 1e-3


def test_one_function_four_ways():
    """A function has the same result traced, called at points, called with many points, and in other processes."""

    def exact(x):  # All ways compute the same bits.
        return x[0] * x[0] + x[1] * x[1]

    def at(**options):
        return ws.minimize(exact, BOX[:2], algorithm="de", max_iterations=30, polish=False, **options)

    traced = at()
    called = at(compile=False)
    workers = at(workers=2)
    many = ws.minimize(
        lambda x: x[:, 0] * x[:, 0] + x[:, 1] * x[:, 1],
        BOX[:2],
        algorithm="de",
        max_iterations=30,
        vectorized=True,
    )
    assert [called.how, workers.how, many.how] == [
        "function",
        "function, in worker processes",
        "vectorized function",
    ]
    for result in (called, workers, many):
        assert result.x.tobytes() == traced.x.tobytes() and result.fun == traced.fun


def test_workers_may_be_a_map():
    calls = []

    def mapping(function, points):
        points = list(points)
        calls.append(len(points))
        return map(function, points)

    ws.minimize(sphere, BOX, algorithm="de", population=20, max_iterations=3, workers=mapping)
    assert calls == [20] * 4


def test_what_cannot_be_compiled_is_called_with_one_warning():
    def branches(x):
        if x[0] > 0:
            return x[0]
        return -x[0]

    with pytest.warns(ws.CompileWarning, match="branches is called at each point.*np.where") as caught:
        result = ws.minimize(branches, BOX, max_evaluations=2000)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert result.how == "function" and result.fun < 1e-3
    with pytest.raises(Exception, match="np.where"):
        ws.minimize(branches, BOX, compile=True)


def test_long_loops_become_sums():
    t = np.linspace(0, 4, 1500)
    y = 5 * np.exp(-t / 2)

    def misfit(p):
        total = 0.0
        for a, b in zip(t, y):
            total += (b - p[0] * np.exp(-a * p[1])) ** 2
        return total

    result = ws.minimize(misfit, [(0, 10), (0.1, 2)], compile=True, max_evaluations=5000)
    np.testing.assert_allclose(result.x, [5, 0.5], rtol=1e-4)


def test_random_numbers_and_counters_are_not_compiled_silently():
    draws = np.random.default_rng(1)
    calls = []

    def counted(x):
        calls.append(1)
        return x[0] ** 2 + len(calls)

    for fun in (lambda x: x[0] ** 2 + draws.normal(), lambda x: x[0] ** 2 + np.random.rand(), counted):
        with pytest.warns(ws.CompileWarning, match="random numbers, the time and counters are constants"):
            result = ws.minimize(fun, [(-1, 1)], algorithm="de", max_iterations=3)
        assert result.how == "function"


def test_single_precision():
    result = ws.minimize(sphere, BOX, precision="float32", max_evaluations=5000)
    assert result.x.dtype == np.float32
    called = ws.minimize(lambda x: x[0] * x[0], [(-1, 1)], precision="float32", compile=False, max_evaluations=500)
    assert called.x.dtype == np.float32 and called.population.dtype == np.float32


def test_runs_and_trace():
    options = {"algorithm": "de", "population": 20, "max_iterations": 40, "runs": 3, "history": 10}
    result = ws.minimize(rosenbrock, BOX, **options, polish=False)
    assert result.runs.xs.shape == (3, 5) and len(result.runs) == 3
    assert result.fun == result.runs.funs.min()
    assert result.trace.nit.tolist() == [0, 10, 20, 30, 40]
    assert result.trace.funs.shape == (5, 3)
    assert (np.diff(result.trace.funs, axis=0) <= 0).all()
    assert result.population.shape == (20, 5) and result.population_energies.shape == (20,)
    assert result.population_energies.min() == result.fun
    assert result.nfev == 3 * 20 * 41
    # A local search starts from the best point; it does not change the population or `nfev`.
    polished = ws.minimize(rosenbrock, BOX, **options)
    assert (polished.population_energies == result.population_energies).all()
    assert polished.nfev == result.nfev and polished.fun < 1e-20 < polished.runs.polish.funs.min()


def test_limits():
    def ended(**limits):
        return ws.minimize(sphere, BOX, algorithm="de", **limits).stop_reason

    assert ended(max_iterations=3) == "iterations"
    assert ended(max_evaluations=500) == "evaluations"
    assert ended(max_seconds=0.05) == "seconds"
    assert ended(target=0.1) == "target"
    assert ended(stagnation=20) == "stagnation"
    assert ws.minimize(sphere, BOX, algorithm="de").nit == 1000


def test_time_may_be_up_before_all_first_individuals_are_evaluated():
    def slow(x):
        time.sleep(0.01)
        return x[0] ** 2

    result = ws.minimize(slow, BOX, compile=False, algorithm="de", max_seconds=0.1)
    assert result.stop_reason == "seconds" and 0 < result.nfev <= 64 and result.nit == 0
    assert result.fun == slow(result.x) and "population" not in result


def test_maximize():
    result = ws.maximize(lambda x: x[0] * (2 - x[0]), [(0, 2)], max_evaluations=3000)
    assert abs(result.fun - 1) < 1e-9 and abs(result.x[0] - 1) < 1e-4
    called = ws.maximize(lambda x: x[0] * (2 - x[0]), [(0, 2)], max_evaluations=3000, compile=False)
    assert called.fun == result.fun
    text = ws.maximize("x[1] * (2 - x[1])", [(0, 2)], max_evaluations=3000)
    assert text.fun == result.fun
    least = ws.Problem("x * (2 - x)", variables={"x": (0, 2)})
    with pytest.raises(ValueError, match="says minimise or maximise by itself"):
        ws.maximize(least)
    with pytest.raises(TypeError, match="unexpected keyword argument 'populaton'"):
        ws.maximize(sphere, BOX, populaton=3)


def test_whole_numbers():
    def away(x):
        return (x[0] - 2.6) ** 2 + (x[1] - 0.3) ** 2

    for compile in (True, False):
        result = ws.minimize(away, [(0, 5), (0, 1)], integrality=[True, False], compile=compile, max_evaluations=3000)
        assert result.x[0] == 3 and abs(result.x[1] - 0.3) < 1e-6


def test_beginning_at_points():
    at_optimum = ws.minimize(sphere, BOX, x0=[0.25] * 5, algorithm="de", max_iterations=0)
    assert at_optimum.fun == 0
    two = ws.minimize(sphere, BOX, x0=[[1] * 5, [0.25] * 5], algorithm="de", max_iterations=0)
    assert two.fun == 0
    with pytest.raises(ValueError, match=r"x0 has the shape \(4,\); allowed: \(5,\)"):
        ws.minimize(sphere, BOX, x0=[0.0] * 4)


def test_callback_sees_the_best_and_may_stop():
    seen = []

    def callback(result):
        seen.append((result.nit, result.fun))
        if result.nit == 30:
            raise StopIteration

    result = ws.minimize(sphere, BOX, algorithm="de", callback=callback, callback_every=10)
    assert [nit for nit, _ in seen] == [0, 10, 20, 30]
    assert result.nit == 30 and result.success and "StopIteration" in result.message
    assert result.fun == seen[-1][1]


def test_an_error_of_a_callback_comes_out():
    def callback(_):
        raise LookupError("seen enough")

    with pytest.raises(LookupError, match="seen enough"):
        ws.minimize(sphere, BOX, callback=callback)


def test_an_error_of_the_function_comes_out_with_its_traceback():
    def wrong(x):
        return [1, 2, 3][7] + x[0]

    for options in ({"compile": False}, {"vectorized": True}, {"workers": 2}):
        with pytest.raises(IndexError) as caught:
            ws.minimize(wrong, BOX, **options)
        if "workers" not in options:
            assert caught.traceback[-1].name == "wrong"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "returned None.*is `return` missing"),
        ("three", "returned str"),
        ([1.0, 2.0], r"returned list of shape \(2,\)"),
        (1j, "returned complex"),
    ],
)
def test_what_is_no_number_is_named(value, message):
    with pytest.raises(TypeError, match=message):
        ws.minimize(lambda x: value, BOX, compile=False)


def test_vectorized_functions_of_a_wrong_shape_are_named():
    with pytest.raises(ValueError, match=r"returned the shape \(\) for points of shape \(\d+, 5\)"):
        ws.minimize(lambda x: np.sum(x), BOX, vectorized=True)


def test_nan_and_infinity_rank_last():
    result = ws.minimize(
        lambda x: np.nan if x[0] < 0 else x[0], [(-1, 1)], compile=False, algorithm="de", max_iterations=50
    )
    assert 0 <= result.fun < 0.01
    nowhere = ws.minimize(lambda x: np.inf, [(-1, 1)], compile=False, algorithm="de", max_iterations=5)
    assert not nowhere.success and nowhere.stop_reason == "nothing-finite"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"bounds": None}, TypeError, "bounds are missing"),
        ({"bounds": [(0, 1, 2)]}, ValueError, r"shape \(1, 3\)"),
        ({"bounds": [(1, 0)]}, ValueError, "lower bound of variable 0 is 1.0, above"),
        ({"bounds": [(0, np.inf)]}, ValueError, "upper bound of variable 0 is inf"),
        ({"bounds": "abc"}, ValueError, "bounds are 'abc'"),
        ({"bounds": []}, ValueError, "bounds"),
        ({"algorithm": "dee"}, ValueError, "unknown algorithm `dee`; did you mean de"),
        ({"algorithm": {"name": "de", "scale_factr": 1}}, ValueError, "no parameter `scale_factr`"),
        ({"algorithm": 3}, TypeError, "algorithm is 3"),
        ({"population": 2.5}, TypeError, "population is 2.5"),
        ({"population": -3}, ValueError, "population is -3"),
        ({"runs": 0}, ValueError, "runs is 0"),
        ({"max_seconds": "long"}, TypeError, "max_seconds is 'long'"),
        ({"device": "tpu"}, ValueError, "device is 'tpu'; allowed: 'auto'"),
        ({"precision": "float16"}, ValueError, "precision is 'float16'"),
        ({"rng": -1}, ValueError, "rng is -1"),
        ({"rng": 1, "seed": 2}, TypeError, "two names of one argument"),
        ({"integrality": [True]}, ValueError, "integrality has the shape"),
        ({"constraints": [3]}, TypeError, "a constraint is of type int"),
        ({"workers": 0, "compile": False}, ValueError, "workers is 0"),
    ],
)
def test_mistakes_are_named(options, error, message):
    options = {"bounds": BOX, **options}
    with pytest.raises(error, match=message):
        ws.minimize(sphere, **options)


def test_bounds_may_be_an_object():
    class Bounds:
        lb, ub = np.array([-1.0, -2.0]), 3.0

    result = ws.minimize(sphere, Bounds(), max_evaluations=2000)
    assert result.x.shape == (2,)


def test_expressions_files_and_names(tmp_path):
    by_text = ws.minimize("sum(i, (x[i] - i)^2)", [(-5, 5)] * 3, max_evaluations=5000)
    np.testing.assert_allclose(by_text.x, [1, 2, 3], atol=1e-6)
    with pytest.raises(TypeError, match=r"Problem.named\('sphere', n\)"):
        ws.minimize("sphere", [(-1, 2)] * 3)
    path = tmp_path / "valley.toml"
    path.write_text(
        'minimise = "(a - 2)^2 + b"\n[variables]\na = { lower = 0, upper = 9 }\nb = { lower = 1, upper = 3 }\n'
    )
    by_file = ws.minimize(str(path), max_evaluations=5000)
    np.testing.assert_allclose(by_file.x, [2, 1], atol=1e-3)
    with pytest.raises(ValueError, match="unknown name `y`"):
        ws.minimize("x[1] + y", BOX)


def test_results_are_dicts_and_attributes():
    result = ws.minimize(sphere, BOX, max_evaluations=1000)
    assert result["fun"] == result.fun and "x" in result
    assert "fun: " in repr(result) and "population" not in repr(result)
    assert "fun" in dir(result)
    with pytest.raises(AttributeError, match="has no 'fnu'"):
        result.fnu


def test_threads_at_the_same_time():
    results = {}

    def work(name):
        results[name] = ws.minimize(sphere, BOX, max_evaluations=20_000, compile=name % 2 == 0).fun

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6 and max(results.values()) < 1e-9


def run_python(code, **options):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )


@pytest.mark.parametrize("compile", [True, False])
def test_interrupts_have_the_result(compile):
    code = f"""
        import os, signal, threading, numpy as np, pywarpswarm as ws
        # Programs in the background are started with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        timers = []
        def begin(so_far):
            # Not before the search runs.
            if not timers:
                timers.append(threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)))
                timers[0].start()
        try:
            ws.minimize(lambda x: np.sum(x**2), [(-1, 2)] * 5, max_seconds=30, compile={compile}, callback=begin)
        except KeyboardInterrupt as interrupt:
            print("interrupted", {compile} is False or interrupt.result.fun < 1)
    """
    done = run_python(code)
    assert done.stdout == "interrupted True\n", done.stderr


def test_a_fork_after_use_works_in_the_child():
    code = """
        import os, pywarpswarm as ws
        f = lambda x: (x[0] - 1) ** 2
        ws.minimize(f, [(0, 3)], max_evaluations=2000)
        child = os.fork()
        fun = ws.minimize(f, [(0, 3)], max_evaluations=2000).fun
        if child == 0:
            os._exit(0 if fun < 1e-6 else 1)
        print(os.waitpid(child, 0)[1])
    """
    done = run_python(code)
    assert done.stdout == "0\n", done.stderr


def test_leaving_while_another_thread_searches():
    code = """
        import threading, time, numpy as np, pywarpswarm as ws
        work = lambda: ws.minimize(lambda x: float(np.sum(x**2)), [(-1, 2)] * 5, max_seconds=20, compile=False)
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        print("leaving")
    """
    done = run_python(code)
    assert done.stdout == "leaving\n" and done.returncode == 0, done.stderr
