"""Checkpoints: files that `minimize` writes and `resume` continues."""

from __future__ import annotations

import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pywarpswarm as ws

T = np.linspace(0, 3, 12)
BOX = [(-2.0, 2.0)] * 3


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def assert_same(one, other):
    assert one.x.tobytes() == other.x.tobytes() and one.fun == other.fun
    assert (one.nit, one.nfev, one.maxcv) == (other.nit, other.nfev, other.maxcv)
    assert one.stop_reason == other.stop_reason and one.how == other.how
    assert one.population.tobytes() == other.population.tobytes()
    assert (one.runs.restarts == other.runs.restarts).all()
    for name in ("nit", "nfev", "funs", "maxcv"):
        assert getattr(one.trace, name).tobytes() == getattr(other.trace, name).tobytes(), name


def by_python(x):
    return float(np.sum((x - 0.5) ** 4))


def many(points):
    return np.sum((points - 0.5) ** 4, axis=1)


def stop_at_30(result):
    if result.nit >= 30:
        raise StopIteration


UNIT_CIRCLE = {"type": "eq", "fun": lambda x: x[0] * x[0] + x[1] * x[1] - 1}


WAYS = {
    "compiled": (rosenbrock, {}),
    "single": (rosenbrock, {"precision": "float32", "runs": 3, "integrality": [True, False, False]}),
    "called": (by_python, {"compile": False, "x0": [1.0, 1.0, 1.0]}),
    "vectorized": (many, {"vectorized": True, "restart": True}),
    "constrained": (by_python, {"compile": False, "constraints": UNIT_CIRCLE}),
}


@pytest.mark.parametrize(
    "way, algorithm",
    [("compiled", name) for name in ("auto", "de", "cma-es", "pso", "sa")]
    + [("single", "auto"), ("called", "cma-es"), ("vectorized", "de"), ("constrained", "auto"), ("constrained", "de")],
)
def test_a_run_in_two_parts_is_the_same(tmp_path, way, algorithm):
    fun, options = WAYS[way]
    options = {"algorithm": algorithm, "rng": 5, "history": True, "max_iterations": 60, "population": 24, **options}
    path = tmp_path / "run"
    first = ws.minimize(fun, BOX, checkpoint=path, callback=stop_at_30, callback_every=30, **options)
    assert first.nit == 30
    again = {} if fun is rosenbrock else {"fun": fun, "constraints": options.get("constraints", ())}
    both = ws.resume(path, **again)
    assert_same(both, ws.minimize(fun, BOX, **options))
    # `resume` wrote the finished run to the same file, so there is nothing left to do.
    assert_same(ws.resume(path, **again), both)


def test_data_and_variables_are_in_the_file(tmp_path):
    problem = ws.Problem(
        "sum(i, (y[i] - a * exp(-t[i] / tau))^2) + k",
        variables={"a": (0, 10), "tau": {"lower": 0.1, "upper": 100, "scale": "log"}, "k": {"values": [1, 2]}},
        data={"t": T, "y": 5 * np.exp(-T / 2)},
    )
    ws.minimize(problem, max_iterations=10, history=True, checkpoint=tmp_path / "run")
    both = ws.resume(tmp_path / "run", max_iterations=40)
    assert_same(both, ws.minimize(problem, max_iterations=40, history=True))


@pytest.mark.parametrize("name, shift", [("spring", 0.0), ("rastrigin", 0.5), ("bbob-f21", 0.0)])
def test_problems_of_the_package(tmp_path, name, shift):
    problem = ws.Problem.named(name, 3, shift=shift)
    ws.minimize(problem, max_iterations=10, history=3, checkpoint=tmp_path / "run")
    both = ws.resume(tmp_path / "run", max_iterations=40, threads=1, device="cpu")
    assert_same(both, ws.minimize(problem, max_iterations=40, history=3))


def test_problems_can_be_pickled():
    for problem in (
        ws.Problem("sum(i, (x - t[i])^2)", variables={"x": (0, 1 / 3)}, data={"t": T / 7}),
        ws.Problem.named("ackley", 2, shift=0.1),
    ):
        again = pickle.loads(pickle.dumps(problem))
        x = problem.bounds.mean(axis=1) + 0.1
        assert again(x) == problem(x) and again.variables == problem.variables


@pytest.mark.parametrize("compile", [True, False])
def test_what_is_maximised(tmp_path, compile):
    def hill(x):
        return -np.sum((x - 1) ** 2)

    options = {"compile": compile, "history": True}
    ws.maximize(hill, BOX, max_iterations=10, checkpoint=tmp_path / "run", **options)
    both = ws.resume(tmp_path / "run", hill, max_iterations=30)
    assert_same(both, ws.maximize(hill, BOX, max_iterations=30, **options))


def test_an_exception_of_the_function_loses_nothing(tmp_path):
    calls = 0

    def fails(x):
        nonlocal calls
        calls += 1
        if calls == 177:
            raise RuntimeError("the machine is out of order")
        return by_python(x)

    options = {"algorithm": "de", "population": 20, "history": True}
    with pytest.raises(RuntimeError, match="out of order"):
        ws.minimize(fails, BOX, compile=False, max_iterations=40, checkpoint=tmp_path / "run", **options)
    assert calls == 177
    both = ws.resume(tmp_path / "run", fails)
    assert_same(both, ws.minimize(by_python, BOX, compile=False, max_iterations=40, **options))
    # 17 values of the aborted iteration are computed again; those of the initial individuals are not.
    assert calls == 20 * 41 + 17


@pytest.mark.parametrize("compile", [True, False])
def test_interrupts_and_a_killed_process(tmp_path, compile):
    """Both leave a checkpoint; after Ctrl-C the exception has the result so far."""
    code = f"""
        import signal, sys, numpy as np, pywarpswarm as ws
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def fun(x):
            return np.sum((x - 0.5) ** 4)
        def seen(result):
            if result.nit > 50:
                print("ready", flush=True)
        try:
            ws.minimize(fun, [(-1, 2)] * 5, algorithm="de", rng=3, max_seconds=60, compile={compile}, callback=seen,
                        checkpoint={str(tmp_path / "run")!r}, checkpoint_every=0)
        except KeyboardInterrupt as interrupt:
            print("interrupted", interrupt.result.fun < 1 and interrupt.result.nit > 50)
    """

    def fun(x):
        return np.sum((x - 0.5) ** 4)

    for sent in (signal.SIGINT, signal.SIGKILL):
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(sent)
            rest, errors = process.communicate(timeout=60)
        if sent == signal.SIGINT:
            assert rest.endswith("interrupted True\n"), errors
        done = ws.resume(tmp_path / "run", None if compile else fun, max_iterations=0).nit
        assert done > 0
        again = ws.resume(tmp_path / "run", None if compile else fun, max_iterations=done + 20)
        whole = ws.minimize(fun, [(-1, 2)] * 5, algorithm="de", rng=3, max_iterations=done + 20, compile=compile)
        assert again.x.tobytes() == whole.x.tobytes() and again.nfev == whole.nfev
        assert [file.name for file in tmp_path.iterdir() if ".tmp" not in file.name] == ["run"]


def test_limits_of_the_file_hold_unless_others_are_given(tmp_path):
    path = tmp_path / "run"
    first = ws.minimize(rosenbrock, BOX, algorithm="de", max_evaluations=1000, target=1e-3, checkpoint=path)
    assert first.stop_reason == "evaluations"
    assert ws.resume(path).nit == first.nit
    by_iterations = ws.resume(path, max_iterations=first.nit + 1)
    assert by_iterations.nit == first.nit + 1
    by_target = ws.resume(path, max_evaluations=100_000)
    assert by_target.stop_reason == "target" and by_target.fun <= 1e-3
    # A run that reached its target continues to a lower target.
    assert ws.resume(path, target=1e-9).fun <= 1e-9


def test_another_file_may_be_written(tmp_path):
    ws.minimize(rosenbrock, BOX, max_iterations=5, checkpoint=tmp_path / "one")
    before = (tmp_path / "one").read_bytes()
    result = ws.resume(tmp_path / "one", max_iterations=9, checkpoint=tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == before
    assert ws.resume(tmp_path / "two").x.tobytes() == result.x.tobytes()


def test_files_are_written_in_between(tmp_path):
    path, sizes = tmp_path / "run", []

    def seen(result):
        sizes.append(ws.resume(path, checkpoint=tmp_path / "copy", max_iterations=0).nit)
        if len(sizes) == 4:
            raise StopIteration

    ws.minimize(rosenbrock, BOX, max_seconds=20, callback=seen, checkpoint=path, checkpoint_every=0)
    assert sizes == sorted(sizes) and sizes[-1] > 0


def test_a_file_of_an_optimizer(tmp_path):
    opt = ws.Optimizer(BOX, algorithm="de", rng=4, max_iterations=5)
    opt.tell(many(opt.ask()))
    opt.save(tmp_path / "opt")
    again = ws.resume(tmp_path / "opt", max_iterations=8)
    assert isinstance(again, ws.Optimizer)
    while (points := again.ask()) is not None:
        again.tell(many(points))
    assert_same_as = ws.minimize(many, BOX, algorithm="de", rng=4, max_iterations=8, vectorized=True)
    assert again.result.x.tobytes() == assert_same_as.x.tobytes() and again.result.nit == 8
    with pytest.raises(TypeError, match="written by Optimizer.save"):
        ws.resume(tmp_path / "opt", by_python)
    ws.minimize(rosenbrock, BOX, max_iterations=2, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match="written by minimize; allowed: resume"):
        ws.Optimizer.load(tmp_path / "run")


def test_what_has_to_be_given_again(tmp_path):
    path = tmp_path / "run"
    options = {"max_iterations": 3, "checkpoint": path}
    ws.minimize(by_python, BOX, compile=False, constraints=UNIT_CIRCLE, **options)
    with pytest.raises(TypeError, match="by_python was called at points"):
        ws.resume(path)
    with pytest.raises(ValueError, match="0 constraints; allowed: 1"):
        ws.resume(path, by_python)
    with pytest.raises(TypeError, match="fun is of type str"):
        ws.resume(path, "x[1]")
    ws.minimize(rosenbrock, BOX, **options)
    ws.resume(path, rosenbrock, max_iterations=5)
    with pytest.raises(ValueError, match="fun is not the function of .*run: it gives"):
        ws.resume(path, by_python)


def test_paths_that_cannot_be(tmp_path):
    calls = []

    def counted(x):
        calls.append(x)
        return 0.0

    letter = tmp_path / "letter"
    letter.write_text("Dear all,")
    for path, error, message in [
        (tmp_path / "no" / "folder", FileNotFoundError, "there is no folder"),
        (letter, FileExistsError, "a file of another kind"),
        (tmp_path, OSError, "directory"),
    ]:
        with pytest.raises(error, match=message):
            ws.minimize(counted, BOX, compile=False, checkpoint=path)
    assert not calls and letter.read_text() == "Dear all,"
    with pytest.raises(OSError, match="it is not a checkpoint"):
        ws.resume(letter)
    with pytest.raises(OSError, match="cannot be read"):
        ws.resume(tmp_path / "nothing")
    with pytest.raises(ValueError, match="checkpoint_every is -1.0; allowed"):
        ws.minimize(rosenbrock, BOX, checkpoint=tmp_path / "run", checkpoint_every=-1)


def test_a_folder_that_is_gone_meanwhile_is_one_warning(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    def seen(result):
        shutil.rmtree(folder, ignore_errors=True)

    with pytest.warns(RuntimeWarning, match="the checkpoint .* cannot be written") as caught:
        result = ws.minimize(
            rosenbrock, BOX, max_seconds=0.3, callback=seen, checkpoint=folder / "run", checkpoint_every=0
        )
    assert len(caught) == 1 and caught[0].filename == __file__ and result.success


def test_time_that_is_up_before_there_is_a_state(tmp_path):
    def slow(x):
        time.sleep(0.02)
        return 0.0

    # The objective is called for one point at a time, and the time limit passes during the initial individuals.
    with pytest.warns(RuntimeWarning, match="no checkpoint was written"):
        ws.minimize(slow, BOX, compile=False, max_seconds=0.01, population=8, checkpoint=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_threads_write_files_of_their_own(tmp_path):
    def work(number):
        ws.minimize(
            rosenbrock, BOX, rng=number, max_iterations=20, checkpoint=tmp_path / f"{number}", checkpoint_every=0
        )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        whole = ws.minimize(rosenbrock, BOX, rng=number, max_iterations=20)
        assert ws.resume(tmp_path / f"{number}").x.tobytes() == whole.x.tobytes()


def test_a_file_has_one_writer_at_a_time(tmp_path):
    refused = []

    def seen(result):
        for again in (
            lambda: ws.minimize(rosenbrock, BOX, max_iterations=2, checkpoint=tmp_path / "run"),
            lambda: ws.resume(tmp_path / "run", max_iterations=2),
        ):
            with pytest.raises(BlockingIOError, match="where another run is writing"):
                again()
            refused.append(result.nit)
        raise StopIteration

    ws.minimize(rosenbrock, BOX, max_seconds=20, callback=seen, checkpoint=tmp_path / "run")
    assert len(refused) == 2
    ws.minimize(rosenbrock, BOX, max_iterations=2, checkpoint=tmp_path / "run")
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
