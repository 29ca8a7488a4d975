"""Built-in problems as Python functions.

The compiled function has the bits of a problem file with the same objective, on the CPU and on a GPU. Up to rounding it
has the values of the built-in problem, whose kernels add in another order.
"""

import numpy as np
import pytest
import pywarpswarm as ws
from pywarpswarm import _objective, _settings

PI = np.pi


def counted(x):
    return np.arange(1, len(x) + 1)


def levy(x):
    w = 1 + (x - 1) / 4
    first, last = np.sin(PI * w[0]) ** 2, (w[-1] - 1) ** 2 * (1 + np.sin(2 * PI * w[-1]) ** 2)
    return first + np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(PI * w[:-1] + 1) ** 2)) + last


def zakharov(x):
    s = np.sum(0.5 * counted(x) * x)
    return np.sum(x**2) + s**2 + s**4


def salomon(x):
    r = np.sqrt(np.sum(x**2))
    return 1 - np.cos(2 * PI * r) + 0.1 * r


def prefixes(x):
    total = 0
    for i in range(len(x)):
        total = total + np.sum(x[: i + 1]) ** 2
    return total


def speed_reducer(x):
    gears = 0.7854 * x[0] * x[1] ** 2 * (3.3333 * x[2] ** 2 + 14.9334 * x[2] - 43.0934)
    shafts = 0.7854 * (x[3] * x[5] ** 2 + x[4] * x[6] ** 2)
    return gears - 1.508 * x[0] * (x[5] ** 2 + x[6] ** 2) + 7.4777 * (x[5] ** 3 + x[6] ** 3) + shafts


def vessel(x):
    return vessel_of(x[0], x[1], x[2], x[3])


def mixed_vessel(x):
    return vessel_of(np.floor(16 * x[0] + 0.5) / 16, np.floor(16 * x[1] + 0.5) / 16, x[2], x[3])


def vessel_of(shell, head, radius, length):
    shells = 0.6224 * shell * radius * length + 1.7781 * head * radius**2
    return shells + 3.1661 * shell**2 * length + 19.84 * shell**2 * radius


def lennard_jones(x):
    atoms, energy = x.reshape(-1, 3), 0
    for i in range(len(atoms)):
        for j in range(i + 1, len(atoms)):
            r = np.sum((atoms[i] - atoms[j]) ** 2)
            energy = energy + (r**-6 - r**-3)
    return 4 * energy


def pairs(n):
    """The same sum as an expression."""
    terms = []
    for i in range(n // 3):
        for j in range(i + 1, n // 3):
            r = "(" + " + ".join(f"(x[{3 * i + k}] - x[{3 * j + k}])^2" for k in (1, 2, 3)) + ")"
            terms.append(f"({r}^-6 - {r}^-3)")
    return "4 * (" + " + ".join(terms) + ")"


def prefix_sums(n):
    return " + ".join(f"sum(j, 1, {i}, x[j])^2" if i > 1 else "x[1]^2" for i in range(1, n + 1))


SPRING = ("(x[3] + 2) * x[2] * x[1]^2", lambda x: (x[2] + 2) * x[1] * x[0] ** 2)
BEAM = (
    "1.10471 * x[1]^2 * x[2] + 0.04811 * x[3] * x[4] * (14 + x[2])",
    lambda x: 1.10471 * x[0] ** 2 * x[1] + 0.04811 * x[2] * x[3] * (14 + x[1]),
)
REDUCER = (
    "0.7854 * x[1] * x[2]^2 * (3.3333 * x[3]^2 + 14.9334 * x[3] - 43.0934) - 1.508 * x[1] * (x[6]^2 + x[7]^2) "
    "+ 7.4777 * (x[6]^3 + x[7]^3) + 0.7854 * (x[4] * x[6]^2 + x[5] * x[7]^2)",
    speed_reducer,
)
VESSEL = "0.6224 * {0} * x[3] * x[4] + 1.7781 * {1} * x[3]^2 + 3.1661 * {0}^2 * x[4] + 19.84 * {0}^2 * x[3]"

# For each problem: dimensions, expression in a problem file, and Python function.
PROBLEMS = {
    "sphere": (6, "sum(i, x[i]^2)", lambda x: np.sum(x**2)),
    "hyper-ellipsoid": (6, "sum(i, i * x[i]^2)", lambda x: np.sum(counted(x) * x**2)),
    "schwefel-1.2": (6, prefix_sums(6), prefixes),
    "rosenbrock": (
        6,
        "sum(i, 1, 5, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)",
        lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2),
    ),
    "rastrigin": (
        6,
        "60 + sum(i, x[i]^2 - 10 * cos(2 * pi * x[i]))",
        lambda x: 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * PI * x)),
    ),
    "schwefel-2.26": (6, "sum(i, -x[i] * sin(sqrt(abs(x[i]))))", lambda x: np.sum(-x * np.sin(np.sqrt(np.abs(x))))),
    "griewank": (
        6,
        "sum(i, x[i]^2) / 4000 - prod(i, cos(x[i] / sqrt(i))) + 1",
        lambda x: np.sum(x**2) / 4000 - np.prod(np.cos(x / np.sqrt(counted(x)))) + 1,
    ),
    "ackley": (
        6,
        "-20 * exp(-0.2 * sqrt(sum(i, x[i]^2) / 6)) - exp(sum(i, cos(2 * pi * x[i])) / 6) + 20 + 2.718281828459045",
        lambda x: (
            -20 * np.exp(-0.2 * np.sqrt(np.sum(x**2) / len(x)))
            - np.exp(np.sum(np.cos(2 * PI * x)) / len(x))
            + 20
            + np.e
        ),
    ),
    "euclidean": (6, "sqrt(sum(i, x[i]^2))", lambda x: np.sqrt(np.sum(x**2))),
    "levy": (
        6,
        "sin(pi * (1 + (x[1] - 1) / 4))^2 "
        "+ sum(i, 1, 5, (1 + (x[i] - 1) / 4 - 1)^2 * (1 + 10 * sin(pi * (1 + (x[i] - 1) / 4) + 1)^2)) "
        "+ (1 + (x[6] - 1) / 4 - 1)^2 * (1 + sin(2 * pi * (1 + (x[6] - 1) / 4))^2)",
        levy,
    ),
    "zakharov": (6, "sum(i, x[i]^2) + sum(i, 0.5 * i * x[i])^2 + sum(i, 0.5 * i * x[i])^4", zakharov),
    "styblinski-tang": (
        6,
        "0.5 * sum(i, x[i]^4 - 16 * x[i]^2 + 5 * x[i])",
        lambda x: 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x),
    ),
    "dixon-price": (
        6,
        "(x[1] - 1)^2 + sum(i, 1, 5, (i + 1) * (2 * x[i + 1]^2 - x[i])^2)",
        lambda x: (x[0] - 1) ** 2 + np.sum(counted(x)[1:] * (2 * x[1:] ** 2 - x[:-1]) ** 2),
    ),
    "michalewicz": (
        6,
        "-sum(i, sin(x[i]) * sin(i * x[i]^2 / pi)^20)",
        lambda x: -np.sum(np.sin(x) * np.sin(counted(x) * x**2 / PI) ** 20),
    ),
    "salomon": (6, "1 - cos(2 * pi * sqrt(sum(i, x[i]^2))) + 0.1 * sqrt(sum(i, x[i]^2))", salomon),
    "alpine-1": (6, "sum(i, abs(x[i] * sin(x[i]) + 0.1 * x[i]))", lambda x: np.sum(np.abs(x * np.sin(x) + 0.1 * x))),
    "bent-cigar": (6, "x[1]^2 + 1e6 * sum(i, 1, 5, x[i + 1]^2)", lambda x: x[0] ** 2 + 1e6 * np.sum(x[1:] ** 2)),
    "spring": (3, *SPRING),
    "spring-cmepso": (3, *SPRING),
    "welded-beam": (4, *BEAM),
    "welded-beam-cmepso": (4, *BEAM),
    "speed-reducer": (7, *REDUCER),
    "speed-reducer-mezura": (7, *REDUCER),
    "speed-reducer-cmepso": (7, *REDUCER),
    "pressure-vessel": (4, VESSEL.format("x[1]", "x[2]"), vessel),
    "pressure-vessel-mixed": (
        4,
        VESSEL.format("(floor(16 * x[1] + 0.5) / 16)", "(floor(16 * x[2] + 0.5) / 16)"),
        mixed_vessel,
    ),
    "three-bar-truss": (
        2,
        "100 * (2 * sqrt(2) * x[1] + x[2])",
        lambda x: 100 * (2 * np.sqrt(2) * x[0] + x[1]),
    ),
    "lennard-jones": (9, pairs(9), lennard_jones),
}

# The models of NIST's problems, with our own observations; the package does not expose those of NIST.
T = np.linspace(0.1, 3.0, 21)
Y = 2 + np.cos(T)
# NumPy computes subexpressions of data alone, in double precision. In a problem file they have to be data, too.
DATA = {
    "t": T,
    "t2": T**2,
    "t3": T**3,
    "cosine": np.cos(2 * PI * T / 12),
    "sine": np.sin(2 * PI * T / 12),
    "turns": 2 * PI * T,
    "y": Y,
}


def ratio(b, t):
    return (b[0] + b[1] * t + b[2] * t**2 + b[3] * t**3) / (1 + b[4] * t + b[5] * t**2 + b[6] * t**3)


def waves(b, t):
    year = b[1] * np.cos(2 * PI * t / 12) + b[2] * np.sin(2 * PI * t / 12)
    first = b[4] * np.cos(2 * PI * t / b[3]) + b[5] * np.sin(2 * PI * t / b[3])
    return b[0] + year + first + b[7] * np.cos(2 * PI * t / b[6]) + b[8] * np.sin(2 * PI * t / b[6])


RATIO = "((b1 + b2 * t[i] + b3 * t2[i] + b4 * t3[i]) / (1 + b5 * t[i] + b6 * t2[i] + b7 * t3[i]))"
WAVES = (
    "(b1 + (b2 * cosine[i] + b3 * sine[i]) "
    "+ (b5 * cos(turns[i] / b4) + b6 * sin(turns[i] / b4)) "
    "+ b8 * cos(turns[i] / b7) + b9 * sin(turns[i] / b7))"
)
MODELS = {
    "thurber and hahn1": (7, RATIO, ratio),
    "mgh09": (
        4,
        "(b1 * (t2[i] + b2 * t[i]) / (t2[i] + b3 * t[i] + b4))",
        lambda b, t: b[0] * (t**2 + b[1] * t) / (t**2 + b[2] * t + b[3]),
    ),
    "lanczos3": (
        6,
        "(b1 * exp(-b2 * t[i]) + b3 * exp(-b4 * t[i]) + b5 * exp(-b6 * t[i]))",
        lambda b, t: b[0] * np.exp(-b[1] * t) + b[2] * np.exp(-b[3] * t) + b[4] * np.exp(-b[5] * t),
    ),
    "enso": (9, WAVES, waves),
    "gauss2": (
        8,
        "(b1 * exp(-b2 * t[i]) + b3 * exp(-((t[i] - b4) / b5)^2) + b6 * exp(-((t[i] - b7) / b8)^2))",
        lambda b, t: (
            b[0] * np.exp(-b[1] * t)
            + b[2] * np.exp(-(((t - b[3]) / b[4]) ** 2))
            + b[5] * np.exp(-(((t - b[6]) / b[7]) ** 2))
        ),
    ),
}


def test_the_entries_are_problems():
    # A new problem needs none: its value is tested in Rust.
    assert len(PROBLEMS) >= 28
    assert set(PROBLEMS) <= set(ws.problems())
    # Problems with data have separate tests.
    left = set(ws.problems()) - set(PROBLEMS)
    data = {name for name in left if name.startswith("nist-")} | {"image-registration"}
    assert len(data) == 7 and data <= left


def points(lower, upper):
    return np.random.default_rng(5).uniform(lower, upper, (200, len(lower)))


def same_bits(by_text, traced, x):
    ours = traced.evaluate(x)[0]
    assert by_text.evaluate(x)[0].tobytes() == ours.tobytes()
    single = x.astype(np.float32)
    assert by_text.evaluate_single(single)[0].tobytes() == traced.evaluate_single(single)[0].tobytes()
    return ours


def same_on_gpu(fun, bounds):
    if ws.devices().reason:
        return
    options = {"algorithm": "de", "max_iterations": 20, "population": 48, "compile": True}
    for precision in ("float64", "float32"):
        cpu, gpu = (ws.minimize(fun, bounds, precision=precision, device=where, **options) for where in ("cpu", "cuda"))
        assert cpu.population.tobytes() == gpu.population.tobytes() and cpu.fun == gpu.fun


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_function_has_the_bits_of_the_problem_file(name):
    n, text, fun = PROBLEMS[name]
    built_in = ws.Problem.named(name, n)
    bounds = list(zip(built_in._native.lower.tolist(), built_in._native.upper.tolist()))
    by_text = ws.Problem(
        text, variables={"x": {"count": n, "lower": [b[0] for b in bounds], "upper": [b[1] for b in bounds]}}
    )
    traced = _objective.compiled(ws.trace(fun, n), _settings.variables(bounds))
    x = points(*zip(*bounds))
    ours = same_bits(by_text._native, traced, x)
    np.testing.assert_allclose(ours, built_in._native.evaluate(x)[0], rtol=1e-9, atol=1e-9)
    same_on_gpu(fun, bounds)


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_has_the_bits_of_the_problem_file(name):
    n, text, model = MODELS[name]
    bounds = [(0.5, 2.0)] * n
    variables = {f"b{k}": {"lower": 0.5, "upper": 2.0} for k in range(1, n + 1)}
    used = {name: of for name, of in DATA.items() if f"{name}[i]" in f"y[i] {text}"}
    by_text = ws.Problem(f"sum(i, (y[i] - {text})^2)", variables=variables, data=used)

    def fun(b):
        return np.sum((Y - model(b, T)) ** 2)

    traced = _objective.compiled(ws.trace(fun, n), _settings.variables(bounds))
    x = points(*zip(*bounds))
    ours = same_bits(by_text._native, traced, x)
    np.testing.assert_allclose(ours, [fun(row) for row in x], rtol=1e-12)
    same_on_gpu(fun, bounds)


# The built-in image registration: centres of 8 x 8 squares, control points of the deformation, and cells of the image
# as height and centre.
ACROSS, DOWN = np.tile(0.25 * np.arange(8) - 0.875, 8), np.repeat(0.25 * np.arange(8) - 0.875, 8)
CONTROL = [(-0.625, -0.5), (0, -0.5), (0.625, -0.5), (-0.625, 0.5), (0, 0.5), (0.625, 0.5)]
CELLS = [
    (1.125, 0.125, -1),
    (1, 0.625, -0.5),
    (0.75, 1, -0.125),
    (0.875, -0.375, -0.5),
    (1.125, 0, -0.125),
    (0.75, 0.5, 0.375),
    (1.125, -1, 0.25),
    (0.875, -0.625, 0.75),
]
WEIGHTS = [np.maximum(1 - 2 * ((ACROSS - a) ** 2 + (DOWN - b) ** 2), 0) ** 2 for a, b in CONTROL]
PLACEMENT = np.array([-19, 13, 23, 57, 9, -7, -13, 5, 6, 11, -5, -12, 14, -6, -10, 8]) / 64


def seen(x):
    a, b = ACROSS, DOWN
    for j, weights in enumerate(WEIGHTS):
        a, b = a + weights * x[4 + 2 * j], b + weights * x[5 + 2 * j]
    c, s = x[3] * np.cos(x[2]), x[3] * np.sin(x[2])
    u, v = x[0] + (c * a - s * b), x[1] + (s * a + c * b)
    r, t = 8 * (u + v), 4 * (u - v)
    return sum(h / (1 + ((r - 8 * (a + b)) ** 2 + (t - 4 * (a - b)) ** 2)) for h, a, b in CELLS)


GREY = seen(PLACEMENT)


def test_image_registration_has_the_bits_of_the_problem_file():
    def fun(x):
        return np.sum((seen(x) - GREY) ** 2)

    built_in = ws.Problem.named("image-registration", 16)
    lower, upper = built_in._native.lower.tolist(), built_in._native.upper.tolist()

    def bent(table, first):
        return " + ".join([f"{table}[i]"] + [f"w{j}[i] * x[{first + 2 * j}]" for j in range(6)]) + " for i in p"

    cells = " + ".join(f"{h} / (1 + ((r[i] - {8 * (a + b)})^2 + (t[i] - {4 * (a - b)})^2))" for h, a, b in CELLS)
    by_text = ws.Problem(
        f"sum(i, ({cells} - grey[i])^2)",
        variables={"x": {"count": 16, "lower": lower, "upper": upper}},
        data={"p": ACROSS, "q": DOWN, "grey": GREY} | {f"w{j}": weights for j, weights in enumerate(WEIGHTS)},
        let={
            "c": "x[4] * cos(x[3])",
            "s": "x[4] * sin(x[3])",
            "a": bent("p", 5),
            "b": bent("q", 6),
            "u": "x[1] + (c * a[i] - s * b[i]) for i in p",
            "v": "x[2] + (s * a[i] + c * b[i]) for i in p",
            "r": "8 * (u[i] + v[i]) for i in p",
            "t": "4 * (u[i] - v[i]) for i in p",
        },
    )
    bounds = list(zip(lower, upper))
    traced = _objective.compiled(ws.trace(fun, 16), _settings.variables(bounds))
    x = points(lower, upper)
    ours = same_bits(by_text._native, traced, x)
    np.testing.assert_allclose(ours, built_in._native.evaluate(x)[0], rtol=1e-9, atol=1e-9)
    same_on_gpu(fun, bounds)
