"""`compare`, `tune`, `report`, and the program."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import pywarpswarm as ws

BOWL = ws.Problem("(a - 1)^2 + b^2", variables={"a": (-3, 3), "b": (-3, 3)}, name="bowl")


def test_functions_problems_and_names_are_compared(tmp_path):
    page = tmp_path / "page.html"
    found = ws.compare(
        {
            "mine": (lambda x: np.sum((x - 1) ** 2), [(-2, 3)] * 3),
            "bowl": BOWL,
            "hills": ws.Problem.named("rastrigin", 4),
        },
        {"de": "de", "large": {"name": "pso", "population": 128, "inertia": 0.6}},
        runs=4,
        max_evaluations=4000,
        goals={"mine": 0, "bowl": 0},
        report=page,
    )
    assert [of["name"] for of in found["problems"]] == ["mine", "bowl", "hills"]
    assert [of["dimensions"] for of in found["problems"]] == [3, 2, 4]
    large = found["entrants"][1]
    assert (large["name"], large["individuals"], large["parameters"]["inertia"]) == ("large", 128, 0.6)
    assert found["problems"][1]["results"][0]["median"]["value"] < 1e-6
    assert "## hills, 4 dimensions" in repr(found) and found._repr_markdown_().count("| large |") >= 3
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_numbers_are_those_of_minimize():
    found = ws.compare([BOWL], ["de"], runs=3, max_evaluations=1280, population=32, goals={"bowl": 0}, targets=1e-30)
    result = ws.minimize(BOWL, algorithm="de", runs=3, max_evaluations=1280, population=32, polish=False)
    of_runs = [run["value"] for run in found["problems"][0]["results"][0]["runs"]]
    assert sorted(of_runs) == sorted(result.runs.funs.tolist())


def test_constraints_belong_to_a_function():
    edge = {"type": "ineq", "fun": lambda x: x[0] - 0.5}
    found = ws.compare({"edge": (lambda x: np.sum(x**2), [(-1, 1)] * 2, edge)}, "de", runs=2, max_evaluations=4000)
    assert abs(found["problems"][0]["results"][0]["best"]["value"] - 0.25) < 1e-6


def test_parameters_are_tuned():
    found = ws.tune("de", "sphere", dimensions=3, runs=3, budget=16, max_evaluations=2000, fixed={"boundary": "clamp"})
    assert found.algorithm["name"] == "de" and found.algorithm["boundary"] == "clamp"
    assert 0 < found["search_quality"] <= 1 and "scale_factor" in repr(found)
    result = ws.minimize(BOWL, algorithm=found.algorithm, max_iterations=100)
    assert result.fun < 1e-6


def noisy(x):
    return np.sum(x**2) + np.random.default_rng().normal()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ws.compare("nope", "de"), "unknown problem `nope`"),
        (lambda: ws.compare(BOWL, "de:x=1"), "allowed: a name, or a dict"),
        (lambda: ws.compare(BOWL, {"name": "de", "x": 1}), "x"),
        (lambda: ws.compare(BOWL, {"a b": "de"}), "an algorithm is called 'a b'; allowed: no space"),
        (lambda: ws.compare([BOWL, BOWL], "de"), "problems has `bowl` twice"),
        (
            lambda: ws.compare(BOWL, "de", targets=1e-3),
            "`bowl` has no known best value .*; allowed: its best value in goals",
        ),
        (lambda: ws.compare(BOWL, "de", goals={"other": 1}), "goals has 'other'"),
        (lambda: ws.tune("de", BOWL), "allowed: its best value in goals"),
        (lambda: ws.compare((noisy, [(-1, 1)] * 2), "de"), "noisy is compiled and differs: .* random numbers, the time"),
        (lambda: ws.tune("de", {"n": (noisy, [(-1, 1)] * 2)}, goals={"n": 0}), "n is compiled and differs"),
        (lambda: ws.tune("de", "sphere", parameters=["foo"]), "parameters has `foo`, which de does not have"),
        (lambda: ws.compare("sphere", "de", runs=0), "invalid value '0' for 'runs <R>': allowed: a whole number"),
        (lambda: ws.compare("sphere", "de", device="cuda:1"), "allowed: 'auto', 'cpu' or 'cuda'"),
        (lambda: ws.report("/nope"), "does not exist; allowed: a folder as `warpswarm solve --out DIR` writes it"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_python(call, said):
    with pytest.raises(ValueError, match=said) as error:
        call()
    assert "given-" not in str(error.value) and "For more" not in str(error.value)


def test_types_that_do_not_fit_are_said():
    for problem in (3, (1, 2), (lambda x: x[0],)):
        with pytest.raises(TypeError, match="allowed"):
            ws.compare([problem], "de")
    with pytest.raises(TypeError, match="allowed: a name such as 'de'"):
        ws.compare(BOWL, [3])


def test_ctrl_c_ends_a_comparison():
    # A shell starts background programs with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ws.compare("rastrigin", "de", dimensions=30, runs=1000, max_evaluations=10_000_000)
    assert time.monotonic() - start < 30


def program(*words, **options):
    command = [sys.executable, "-m", "pywarpswarm", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def test_the_program_comes_with_the_package(tmp_path):
    solved = program(
        "solve", "sphere", "--dim", "3", "--evaluations", "5000", "--json", "-", "--out", "kept", cwd=tmp_path
    )
    assert solved.returncode == 0, solved.stderr
    by_program = json.loads(solved.stdout)["runs"][0]["best"]
    result = ws.minimize(ws.Problem.named("sphere", 3), max_evaluations=5000)
    assert by_program["value"] == result.fun and by_program["position"] == result.x.tolist()
    page = ws.report(tmp_path / "kept", out=tmp_path / "page.html")
    assert "sphere" in page.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="allowed"):
        ws.report(tmp_path / "kept", out=tmp_path / "page.html")
    ws.report(tmp_path / "kept", out=tmp_path / "page.html", force=True)


def test_the_program_has_its_exit_codes():
    assert program("--version").stdout.startswith("warpswarm ")
    wrong = program("solve", "nope")
    assert wrong.returncode == 2 and "unknown problem" in wrong.stderr
    assert "Usage" in program("--help").stdout
