"""Problems: expressions, files, names."""

from __future__ import annotations

import numpy as np
import pytest

import pywarpswarm as ws

T = np.linspace(0, 4, 40)
Y = 5 * np.exp(-T / 2)


def decay(**options):
    return ws.Problem(
        "sum(i, (y[i] - a * exp(-t[i] / tau))^2)",
        variables={"a": (0, 10), "tau": {"lower": 0.1, "upper": 100, "scale": "log"}},
        data={"t": T, "y": Y},
        **options,
    )


def test_a_fit():
    result = ws.minimize(decay(), max_evaluations=50_000)
    np.testing.assert_allclose(result.x, [5, 2], rtol=1e-6)
    assert result.how == "compiled"


def test_named_expressions_at_a_point():
    lets = {"rate": "1 / tau", "model": "a * exp(-t[i] * rate) for i in t", "half": "tau * ln(2)"}
    problem = decay(let=lets)
    assert problem.let_values([5, 2]) == {"rate": 0.5, "half": 2 * np.log(2)}
    assert decay().let_values([5, 2]) == {}
    assert ws.Problem.named("sphere", 2).let_values([0, 0]) == {}
    own = ws.Problem(
        "(x - k[1])^2", variables={"x": (0, 9)}, data={"k": ws.each([[3.0], [7.0]])}, let={"twice": "2 * k[1]"}
    )
    assert [own.let_values([1], run)["twice"] for run in (0, 1)] == [6, 14]
    with pytest.raises(ValueError, match="less than 2"):
        own.let_values([1], 2)
    with pytest.raises(ValueError, match=r"shape \(1,\); allowed: \(2,\)"):
        problem.let_values([5])


def test_what_a_problem_says_of_itself():
    problem = decay(name="decay", constraints={"slow": "tau >= 1"})
    assert problem.name == "decay" and problem.variables == ["a", "tau"]
    assert problem.constraints == ["slow"] and not problem.maximises and problem.optimum is None
    np.testing.assert_array_equal(problem.bounds, [[0, 10], [0.1, 100]])
    assert "decay" in repr(problem)


def test_values_at_points():
    problem = decay(constraints=["tau >= 1"])
    points = np.array([[5.0, 2.0], [4.0, 0.5]])
    values, violations, constraints = problem.evaluate(points)
    expected = [np.sum((Y - a * np.exp(-T / tau)) ** 2) for a, tau in points]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-25)
    assert violations.tolist() == [0, 0.5] and constraints.tolist() == [[0], [0.5]] or constraints[1] == 0.5
    assert problem(points[1]) == values[1]
    assert problem.evaluate(points.astype(np.float32))[0].dtype == np.float32
    assert problem.evaluate(points[::-1])[0].tolist() == values[::-1].tolist()
    for wrong in (np.zeros(3), np.zeros((2, 3)), np.zeros((1, 2, 2))):
        with pytest.raises(ValueError, match="points have the shape"):
            problem.evaluate(wrong)


def test_matrices():
    matrix = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    problem = ws.Problem(
        "sum(j, A[1, j] * x[j]) + A[2, 3]",
        variables={"x": {"count": 3, "lower": -1, "upper": 1}},
        data={"A": matrix},
    )
    assert problem([1, 1, 1]) == 12


def test_named_problems():
    rastrigin = ws.Problem.named("rastrigin", 4)
    assert rastrigin(np.zeros(4)) == 0 and rastrigin.optimum == 0
    shifted = ws.Problem.named("rastrigin", 4, shift=1.0)
    assert shifted(np.ones(4)) == 0
    f8 = ws.Problem.named("bbob-f8", 5, instance=2)
    assert len(f8.variables) == 5
    with pytest.raises(ValueError, match="unknown problem `rastrign`; did you mean rastrigin"):
        ws.Problem.named("rastrign", 4)


@pytest.mark.parametrize("name", list(ws.problems()))
def test_every_problem_by_name(name):
    dimensions = ws.problems()[name]["dimensions"]
    assert isinstance(dimensions, str) and ws.problems()[name]["formula"]


def test_choices_and_values():
    problem = ws.Problem(
        "if(metal == 'steel', 1, 2) + bolt",
        variables={"metal": {"choices": ["tin", "steel"]}, "bolt": {"values": [2, 5]}},
    )
    result = ws.minimize(problem, max_evaluations=1000)
    assert problem.chosen(result.x) == {"metal": "steel", "bolt": 2.0}


def test_a_problem_that_maximises():
    problem = ws.Problem(maximise="x * (2 - x)", variables={"x": (0, 2)})
    assert problem.maximises
    assert abs(ws.minimize(problem, max_evaluations=2000).fun - 1) < 1e-9
    with pytest.raises(ValueError, match="says minimise or maximise by itself"):
        ws.maximize(problem)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"minimise": "a + b"}, ValueError, "unknown name `b`"),
        ({"minimise": "a +"}, ValueError, "minimise"),
        ({"minimise": None}, ValueError, "one of minimise, maximise, fit and fits"),
        ({"variables": {}}, ValueError, "at least one variable"),
        ({"variables": {"a": (1, 0)}}, ValueError, "lower is 1, above upper"),
        ({"data": {"t": [1, np.nan]}}, ValueError, "number 1 of data 't' is nan"),
        ({"data": {"t": []}}, ValueError, r"data 't' have the shape \(0,\)"),
        ({"data": {"a": [1.0]}}, ValueError, "a"),
        ({"data": {"no name": [1.0]}}, ValueError, "no name"),
        ({"constraints": ["a <"]}, ValueError, "c1"),
        ({"let": {"k": "zz"}}, ValueError, "zz"),
    ],
)
def test_mistakes_are_named(options, error, message):
    options = {"minimise": "a", "variables": {"a": (0, 1)}, **options}
    with pytest.raises(error, match=message):
        ws.Problem(**options)


@pytest.mark.parametrize(
    ("condition", "is_tight"),
    [
        ("a + b == 1", True),
        ("a + b = 1", True),
        ("a >= b", False),
        ("a <= b and a != 2", False),
        ({"condition": "a * b == 1", "tolerance": 1e-3}, True),
        ("0.2 < a <= b", False),
        ("abs(a * b - 0.5) <= 1e-4", True),
        ("0.3 <= a * b <= 0.6", False),
        ("0.3 <= a * b", False),
    ],
)
def test_equations_and_narrow_bands_are_eased(condition, is_tight):
    problem = ws.Problem("a", variables={"a": (0, 1), "b": (0, 1)}, constraints={"c": condition})
    assert problem._native.is_tight == is_tight
    assert not ws.Problem.named("spring", 3)._native.is_tight


def test_differential_evolution_stays_at_the_edge():
    """An inequality has no falling level of ignored violations, so the search converges in few iterations."""
    for x0 in (None, [0.0, 0.0]):
        result = ws.minimize(
            lambda x: np.sum((x - 0.5) ** 2) + 2,
            [(-1, 1)] * 2,
            constraints={"type": "ineq", "fun": lambda x: x[0] - 0.75},
            algorithm="de",
            max_iterations=300,
            x0=x0,
        )
        assert result.maxcv == 0 and abs(result.fun - 2.0625) < 1e-9


def test_text_of_others_is_escaped():
    with pytest.raises(ValueError) as caught:
        ws.Problem("a\x1b[31m", variables={"a": (0, 1)})
    assert "\x1b" not in str(caught.value)


def test_constraints_as_scipy_has_them():
    optimize = pytest.importorskip("scipy.optimize")
    box = [(0, 5)] * 2

    def product(x):
        return x[0] * x[1]

    wanted = [
        optimize.NonlinearConstraint(product, 4, np.inf),
        {"type": "ineq", "fun": lambda x: x[0] * x[1] - 4},
    ]
    for constraint in wanted:
        for compile in (True, False):
            result = ws.minimize(
                lambda x: x[0] + x[1], box, constraints=constraint, compile=compile, max_evaluations=20_000
            )
            assert result.maxcv == 0 and abs(result.fun - 4) < 1e-4, (constraint, compile)
    line = optimize.LinearConstraint([[1, 2]], 3, 3)
    for compile in (True, False):
        result = ws.minimize(
            lambda x: x[0] ** 2 + x[1] ** 2, box, constraints=[line], compile=compile, max_evaluations=20_000
        )
        assert abs(result.fun - 9 / 5) < 1e-3
    equal = {"type": "eq", "fun": lambda x: x[0] - 2 * x[1]}
    result = ws.minimize(lambda x: (x[0] - 1) ** 2 + x[1], box, constraints=equal, max_evaluations=20_000)
    assert abs(result.x[0] - 2 * result.x[1]) <= 1.01e-6
