"""Measures the seconds until the best value reaches a target: SciPy, pycma, evosax and EvoX.

    python3 targets.py [--system scipy] [--seeds 20 | --quick] [--only PROBLEM,PROBLEM] [--budget SECONDS] [--cpu]
    python3 targets.py --check

Prints a row for each method and problem,
`system,method,problem,dimensions,device,polish,seconds,succeeded,tried,compile_seconds`; lines that begin with `# ` are
remarks. `tried` is the number of seeds, `succeeded` the number of successful ones, and `seconds` their median time.
`cargo xtask bench gpu --targets` runs each system separately and adds the rows to `targets.csv`.

Functions, bounds, shifts and targets are those of `benches/src/bin/gpu/targets.rs`, in float64; a run may take 10 s.
The clock stops at the evaluation that reaches the target, or at the end of the generations that are computed in one
call. For a system that is not installed, one remark is printed.

* SciPy: `differential_evolution` with polish and `vectorized`, constraints as a `NonlinearConstraint`;
  `dual_annealing`, which has no constraints. Other options are defaults. If they stop by themselves, the run has
  failed.
* pycma: BIPOP with nine restarts, and 0.3 of each range as the initial step size. It starts from random points; with
  constraints (`fmin_con2`) from one point. SciPy and pycma run several seeds in parallel, in half as many processes as
  there are cores, with one thread each.
* evosax: CMA_ES (4 + 3 ln D samples) and DifferentialEvolution (100 individuals), ask, evaluate and tell in `jit` and
  `lax.scan`, with 20 generations in one call. Points are clipped to the bounds, and a converged run restarts. An
  infeasible point is worse than every feasible one. It is compiled in advance, eight programs in parallel:
  `compile_seconds`.
* EvoX: its JaDE (100 individuals), with a compiled `StdWorkflow.step`, on the functions without constraints. The
  function is a custom operator, so that each number of dimensions is compiled only once: `compile_seconds`.

A point counts only if it violates no constraint, as in our measurements. A row may take an equal share of the remaining
budget, or an eighth if that is more, and has at least one seed.
"""

import argparse
import math
import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# Packages that are copied with this folder, because the machine may have no network. Installed packages take
# precedence.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "site"))

SEEDS = 20
FEW_SEEDS = 5
LIMIT = 10.0
# The number of seeds after which a row stops if all have failed.
LEAST_SEEDS = 3
INFEASIBLE = 1e30


def main():
    parser = argparse.ArgumentParser(description="Seconds to a target, of other libraries.")
    parser.add_argument("--system", choices=SYSTEMS, help="this one alone")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many runs each")
    parser.add_argument("--quick", action="store_true", help=f"{FEW_SEEDS} seeds")
    parser.add_argument("--only", default="", help="problems, with commas between them")
    parser.add_argument("--budget", type=float, default=3600.0, help="seconds for a system")
    parser.add_argument("--cpu", action="store_true", help="evosax and EvoX on the CPU")
    parser.add_argument("--check", action="store_true", help="compare the functions with known values")
    options = parser.parse_args()
    if options.check:
        return check()
    if options.quick:
        options.seeds = FEW_SEEDS
    if options.cpu:
        os.environ.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
    only = set(filter(None, options.only.split(",")))
    problems = [problem for problem in PROBLEMS if not only or problem.name in only]
    for name in [options.system] if options.system else SYSTEMS:
        try:
            SYSTEMS[name](problems, options, time.perf_counter() + options.budget)
        except ImportError as error:
            say(f"# skip {name}: {error}")
        except Exception as error:
            say(f"# skip {name}: the rest: {one_line(error)}")


def say(line):
    print(line, flush=True)


def one_line(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"


# The problems: values and constraints of points [..., D] in NumPy, JAX or PyTorch (`np`). A constraint is satisfied if
# it is at most zero.


class Problem(NamedTuple):
    name: str
    dimensions: int
    value: callable
    bounds: list
    least: float
    shift: float = 0.0
    constraints: callable = None

    @property
    def target(self):
        return self.least + (1e-8 if self.constraints is None else 1e-6 * abs(self.least))

    def at(self, np, x):
        return self.value(np, x - self.shift)

    def violation(self, np, x):
        if self.constraints is None:
            return 0.0 * x[..., 0]
        return sum(np.where(g > 0.0, g, 0.0 * g) for g in self.constraints(np, x))


def sphere(np, x):
    return (x * x).sum(-1)


def rosenbrock(np, x):
    return (100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2).sum(-1)


def rastrigin(np, x):
    return 10.0 * x.shape[-1] + (x * x - 10.0 * np.cos(2.0 * math.pi * x)).sum(-1)


def over(np, x, f):
    """An array [D] of f(i), i from 1 on, of the same type as x."""
    return np.asarray([f(i) for i in range(1, x.shape[-1] + 1)], **({"device": x.device} if np.__name__ == "torch" else {}))


def griewank(np, x):
    waves = np.cos(x / over(np, x, math.sqrt)).prod(-1)
    return (x * x).sum(-1) / 4000.0 + (1.0 - waves)


def ackley(np, x):
    distance = np.sqrt((x * x).sum(-1) / x.shape[-1])
    waves = np.cos(2.0 * math.pi * x).sum(-1) / x.shape[-1]
    return 20.0 * (1.0 - np.exp(-0.2 * distance)) + (math.e - np.exp(waves))


def schwefel(np, x):
    return -(x * np.sin(np.sqrt(abs(x)))).sum(-1)


def levy(np, x):
    u = 0.25 * (x - 1.0)
    w = 1.0 + u
    bowls = u[..., :-1] ** 2 * (1.0 + 10.0 * np.sin(math.pi * w[..., :-1] + 1.0) ** 2)
    last = u[..., -1] ** 2 * (1.0 + np.sin(2.0 * math.pi * w[..., -1]) ** 2)
    return np.sin(math.pi * w[..., 0]) ** 2 + bowls.sum(-1) + last


def zakharov(np, x):
    s = (over(np, x, lambda i: 0.5 * i) * x).sum(-1)
    return (x * x).sum(-1) + s**2 + s**4


def columns(x):
    return [x[..., i] for i in range(x.shape[-1])]


def spring(np, x):
    d, D, P = columns(x)
    return (P + 2.0) * D * d**2


def spring_constraints(np, x):
    d, D, P = columns(x)
    return [
        1.0 - D**3 * P / (71785.0 * d**4),
        (4.0 * D**2 - d * D) / (12566.0 * (D * d**3 - d**4)) + 1.0 / (5108.0 * d**2) - 1.0,
        1.0 - 140.45 * d / (D**2 * P),
        (d + D) / 1.5 - 1.0,
    ]


def welded_beam(np, x):
    h, l, t, b = columns(x)
    return 1.10471 * h**2 * l + 0.04811 * t * b * (14.0 + l)


def welded_beam_constraints(np, x):
    h, l, t, b = columns(x)
    P, L, E, G = 6000.0, 14.0, 30e6, 12e6
    R = np.sqrt(0.25 * l**2 + ((h + t) / 2.0) ** 2)
    J = 2.0 * math.sqrt(2.0) * h * l * (l**2 / 12.0 + ((h + t) / 2.0) ** 2)
    s, u = P / (math.sqrt(2.0) * h * l), P * (L + l / 2.0) * R / J
    return [
        np.sqrt(s**2 + s * u * l / R + u**2) - 13600.0,
        6.0 * P * L / (b * t**2) - 30000.0,
        h - b,
        0.10471 * h**2 + 0.04811 * t * b * (14.0 + l) - 5.0,
        0.125 - h,
        4.0 * P * L**3 / (E * t**3 * b) - 0.25,
        P - 4.013 * E * t * b**3 / (6.0 * L**2) * (1.0 - t / (2.0 * L) * math.sqrt(E / (4.0 * G))),
    ]


def speed_reducer(np, x):
    x1, x2, x3, x4, x5, x6, x7 = columns(x)
    gears = 0.7854 * x1 * x2**2 * (3.3333 * x3**2 + 14.9334 * x3 - 43.0934)
    shafts = 7.4777 * (x6**3 + x7**3) + 0.7854 * (x4 * x6**2 + x5 * x7**2)
    return gears - 1.508 * x1 * (x6**2 + x7**2) + shafts


def speed_reducer_constraints(np, x):
    x1, x2, x3, x4, x5, x6, x7 = columns(x)
    return [
        27.0 / (x1 * x2**2 * x3) - 1.0,
        397.5 / (x1 * x2**2 * x3**2) - 1.0,
        1.93 * x4**3 / (x2 * x3 * x6**4) - 1.0,
        1.93 * x5**3 / (x2 * x3 * x7**4) - 1.0,
        np.sqrt((745.0 * x4 / (x2 * x3)) ** 2 + 16.9e6) / (110.0 * x6**3) - 1.0,
        np.sqrt((745.0 * x5 / (x2 * x3)) ** 2 + 157.5e6) / (85.0 * x7**3) - 1.0,
        x2 * x3 / 40.0 - 1.0,
        5.0 * x2 / x1 - 1.0,
        x1 / (12.0 * x2) - 1.0,
        (1.5 * x6 + 1.9) / x4 - 1.0,
        (1.1 * x7 + 1.9) / x5 - 1.0,
    ]


def pressure_vessel(np, x):
    x1, x2, x3, x4 = columns(x)
    return 0.6224 * x1 * x3 * x4 + 1.7781 * x2 * x3**2 + 3.1661 * x1**2 * x4 + 19.84 * x1**2 * x3


def pressure_vessel_constraints(np, x):
    x1, x2, x3, x4 = columns(x)
    volume = math.pi * x3**2 * x4 + 4.0 / 3.0 * math.pi * x3**3
    return [0.0193 * x3 - x1, 0.00954 * x3 - x2, 1_296_000.0 - volume, x4 - 240.0]


def three_bar_truss(np, x):
    x1, x2 = columns(x)
    return 100.0 * (2.0 * math.sqrt(2.0) * x1 + x2)


def three_bar_truss_constraints(np, x):
    x1, x2 = columns(x)
    root = math.sqrt(2.0)
    stiff = root * x1**2 + 2.0 * x1 * x2
    return [
        2.0 * (root * x1 + x2) / stiff - 2.0,
        2.0 * x2 / stiff - 2.0,
        2.0 / (x1 + root * x2) - 2.0,
    ]


def function(name, dimensions, value, lower, upper, least=0.0, shift=0.0):
    return Problem(name, dimensions, value, [(lower, upper)] * dimensions, least, shift)


def part(name, value, constraints, bounds, least):
    return Problem(name, len(bounds), value, bounds, least, 0.0, constraints)


PROBLEMS = [
    function("sphere", 10, sphere, -5.12, 5.12),
    function("rosenbrock", 10, rosenbrock, -2.048, 2.048, shift=0.5),
    function("rastrigin", 10, rastrigin, -5.12, 5.12, shift=0.5),
    function("griewank", 10, griewank, -600.0, 600.0, shift=20.0),
    function("ackley", 10, ackley, -32.768, 32.768, shift=3.0),
    function("schwefel-2.26", 10, schwefel, -500.0, 500.0, least=-4189.828872724337),
    function("levy", 10, levy, -10.0, 10.0),
    function("zakharov", 10, zakharov, -5.0, 10.0),
    function("rastrigin", 30, rastrigin, -5.12, 5.12, shift=0.5),
    part("spring", spring, spring_constraints, [(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)], 0.012665232788319417),
    part(
        "welded-beam",
        welded_beam,
        welded_beam_constraints,
        [(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
        1.724852308597365,
    ),
    part(
        "speed-reducer",
        speed_reducer,
        speed_reducer_constraints,
        [(2.6, 3.6), (0.7, 0.8), (17.0, 28.0), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5.0, 5.5)],
        2994.47106614682,
    ),
    part(
        "pressure-vessel",
        pressure_vessel,
        pressure_vessel_constraints,
        [(0.0, 99.0), (0.0, 99.0), (10.0, 200.0), (10.0, 200.0)],
        5885.332773616458,
    ),
    part(
        "three-bar-truss",
        three_bar_truss,
        three_bar_truss_constraints,
        [(0.0, 1.0), (0.0, 1.0)],
        263.8958433764684,
    ),
]

# The best points; and for each problem a point and its value, computed by hand in the library's documentation.
BEST = {
    "schwefel-2.26": [420.968746359982] * 10,
    "rosenbrock": [1.5] * 10,
    "griewank": [20.0] * 10,
    "ackley": [3.0] * 10,
    "levy": [1.0] * 10,
    "spring": [0.05168906108276346, 0.3567177397994408, 11.28896575161334],
    "welded-beam": [0.20572963978607946, 3.470488665628002, 9.036623910357634, 0.20572963978607946],
    "speed-reducer": [3.5, 0.7, 17.0, 7.3, 7.715319911478244, 3.350214666096447, 5.286654464980222],
    "pressure-vessel": [0.7781686413751053, 0.3846491626279018, 40.31961872409872, 200.0],
    "three-bar-truss": [0.7886751345948129, 0.408248290463863],
}
KNOWN = [
    (rosenbrock, [-1.2, 1.0], 24.2),
    (rastrigin, [0.5, 1.0], 21.25),
    (levy, [1.0, 1.0, 5.0], 1.0),
    (zakharov, [2.0, 1.0], 25.0),
    (griewank, [math.pi, math.sqrt(2.0) * math.pi], 3.0 * math.pi**2 / 4000.0),
    (welded_beam, [0.3, 6.0, 9.0, 0.3], 3.1944834),
    (pressure_vessel, [1.0, 1.0, 100.0, 200.0], 32846.22),
    (spring, [0.25, 0.5, 10.0], 0.375),
]


def check():
    """Compares with the optima and with values computed by hand, in NumPy, and in JAX if it is installed."""
    import numpy

    for problem in PROBLEMS:
        x = numpy.full(problem.dimensions, problem.shift)
        if BEST.get(problem.name):
            x = numpy.asarray(BEST[problem.name])
        value, violation = problem.at(numpy, x), problem.violation(numpy, x)
        assert abs(value - problem.least) <= 1e-9 * max(1.0, abs(problem.least)), (problem.name, value)
        # The tolerance is not smaller, because stresses and volumes are large numbers.
        assert violation <= 1e-8, (problem.name, violation)
        rows = numpy.stack([x, x, x])
        assert (problem.at(numpy, rows) == value).all() and problem.violation(numpy, rows).shape == (3,)
    for value, x, expected in KNOWN:
        found = value(numpy, numpy.asarray(x))
        assert abs(found - expected) < 1e-9 * max(1.0, expected), (value.__name__, found)
    say("all as known")


# The row of a method and a problem, and the number of its seeds.


class Row:
    def __init__(self, system, method, problem, device, polish=""):
        self.words = [system, method, problem.name, str(problem.dimensions), device, polish]
        self.seconds, self.tried, self.compile_seconds = [], 0, None

    def add(self, seconds, is_there):
        self.tried += 1
        if is_there and seconds <= LIMIT:
            self.seconds.append(seconds)

    def goes_on(self, seeds, is_over):
        """Whether to try another seed."""
        fails = not self.seconds and self.tried >= LEAST_SEEDS
        return self.tried < seeds and not fails and not (self.tried > 0 and is_over)

    def say(self):
        median = f"{statistics.median(self.seconds):.6f}" if self.seconds else ""
        compiled = "" if self.compile_seconds is None else f"{self.compile_seconds:.2f}"
        say(",".join([*self.words, median, str(len(self.seconds)), str(self.tried), compiled]))


class Parts:
    """Divides the remaining budget: into equal shares, or into eighths if more than eight rows are left."""

    def __init__(self, count, end):
        self.count, self.end = count, end

    def next(self, what):
        """The end time of the next row; None if the budget is used up."""
        now, self.count = time.perf_counter(), self.count - 1
        if now > self.end:
            say(f"# skip {what}: its time was over")
            return None
        return now + (self.end - now) / min(self.count + 1, 8)


# SciPy and pycma, in a pool of processes.


class Reached(Exception):
    pass


class Late(Exception):
    pass


class Watched:
    """A problem in NumPy for points [..., D]. It ends a run that reaches its target, or that takes too long."""

    def __init__(self, problem):
        import numpy

        self.np, self.problem = numpy, problem
        self.start = time.perf_counter()

    def __call__(self, x):
        np, problem = self.np, self.problem
        x = np.asarray(x)
        with np.errstate(all="ignore"):
            values = problem.at(np, x)
            there = values <= problem.target
            if there.any() and (there & (problem.violation(np, x) == 0.0)).any():
                raise Reached
        if time.perf_counter() - self.start > LIMIT:
            raise Late
        return values

    def constraints(self, x):
        with self.np.errstate(all="ignore"):
            return self.np.stack(self.problem.constraints(self.np, self.np.asarray(x)))


def scipy_de(problem, f, seed):
    from scipy.optimize import NonlinearConstraint, differential_evolution

    others = {}
    if problem.constraints:
        others["constraints"] = NonlinearConstraint(lambda x: f.constraints(x.T), -math.inf, 0.0)
    differential_evolution(
        lambda x: f(x.T), problem.bounds, rng=seed, vectorized=True, updating="deferred", **others
    )


def scipy_annealing(problem, f, seed):
    from scipy.optimize import dual_annealing

    dual_annealing(f, problem.bounds, rng=seed)


def pycma(problem, f, seed):
    import cma
    import numpy

    lower, upper = numpy.asarray(problem.bounds).T
    random = numpy.random.default_rng(seed)
    first = lambda: random.uniform(lower, upper)
    options = {
        "bounds": [lower.tolist(), upper.tolist()],
        "CMA_stds": (upper - lower).tolist(),
        "seed": seed + 1,
        "verbose": -9,
        "verb_log": 0,
    }
    if problem.constraints:
        limits = lambda x: f.constraints(x).tolist()
        cma.fmin_con2(f, first(), 0.3, constraints=limits, options=options, restarts=9, bipop=True)
    else:
        cma.fmin2(f, first, 0.3, options, restarts=9, bipop=True)


def by_watch(method, name, dimensions, seed):
    """Runs in a process of the pool; returns the seconds, and whether the target was reached."""
    import warnings

    warnings.filterwarnings("ignore")
    problem = next(p for p in PROBLEMS if (p.name, p.dimensions) == (name, dimensions))
    f = Watched(problem)
    is_there = False
    try:
        METHODS[method](problem, f, seed)
    except Reached:
        is_there = True
    except Late:
        pass
    return time.perf_counter() - f.start, is_there


METHODS = {"differential_evolution": scipy_de, "dual_annealing": scipy_annealing, "bipop": pycma}


def in_processes(system, methods, problems, options, end):
    pairs = [
        (method, problem)
        for problem in problems
        for method in methods
        if method != "dual_annealing" or not problem.constraints
    ]
    workers = max(1, (os.cpu_count() or 1) // 2)
    parts = Parts(len(pairs), end)
    with ProcessPoolExecutor(workers) as pool:
        # Warm-up: import everything, and run it once.
        warm = [pool.submit(by_watch, method, "sphere", 10, seed) for seed in range(4 * workers) for method in methods]
        for done in warm:
            done.result()
        for method, problem in pairs:
            until = parts.next(f"{system} {method} {problem.name}")
            if until is None:
                continue
            row = Row(system, method, problem, "cpu", "yes" if method == "differential_evolution" else "")
            try:
                while row.goes_on(options.seeds, time.perf_counter() > until):
                    seeds = range(row.tried, min(options.seeds, row.tried + workers))
                    begun = [pool.submit(by_watch, method, problem.name, problem.dimensions, s) for s in seeds]
                    for done in begun:
                        row.add(*done.result())
                row.say()
            except Exception as error:
                say(f"# skip {system} {method} {problem.name}: {one_line(error)}")


def run_scipy(problems, options, end):
    import scipy

    say(f"# scipy {scipy.__version__}")
    in_processes("scipy", ["differential_evolution", "dual_annealing"], problems, options, end)


def run_pycma(problems, options, end):
    import cma

    say(f"# pycma {cma.__version__}")
    in_processes("pycma", ["bipop"], problems, options, end)


# evosax, in the unit cube.


class Evosax:
    GENERATIONS = 20
    COLLAPSED = 1e-12

    def __init__(self, method, problem):
        import evosax.algorithms
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp, self.problem = jax, jnp, problem
        self.is_cma = method == "CMA_ES"
        d = problem.dimensions
        self.population = 4 + int(3.0 * math.log(d)) if self.is_cma else 100
        no_metrics = lambda key, population, fitness, state, params: {}
        kind = getattr(evosax.algorithms, method)
        self.algorithm = kind(self.population, solution=jnp.zeros(d), metrics_fn=no_metrics)
        self.params = self.algorithm.default_params
        if self.is_cma:
            self.params = self.params.replace(std_init=jnp.asarray(0.3))
        self.patience = max(300, 100 + 100 * d**1.5 / self.population) if self.is_cma else math.inf

    def values(self, y):
        """The values of points in the unit cube; infeasible points are worse than all others, ordered by violation."""
        jnp, problem = self.jnp, self.problem
        lower, upper = jnp.asarray(problem.bounds).T
        x = lower + (upper - lower) * jnp.clip(y, 0.0, 1.0)
        values, violation = problem.at(jnp, x), problem.violation(jnp, x)
        return jnp.where(violation > 0.0, INFEASIBLE * (1.0 + violation), values)

    def begin(self, key):
        jax, jnp, d = self.jax, self.jnp, self.problem.dimensions
        key, for_points, for_state = jax.random.split(key, 3)
        if self.is_cma:
            state = self.algorithm.init(for_state, jax.random.uniform(for_points, (d,)), self.params)
        else:
            y = jax.random.uniform(for_points, (self.population, d))
            state = self.algorithm.init(for_state, y, self.values(y), self.params)
        return self.strong({"key": key, "state": state, "best": jnp.inf, "unimproved": 0, "is_over": False})

    def strong(self, tree):
        """Removes JAX's weak types, so that `begin` and `chunk` return the same types."""
        is_key = lambda x: self.jax.dtypes.issubdtype(x.dtype, self.jax.dtypes.prng_key)
        one = lambda x: x if is_key(x) else self.jax.lax.convert_element_type(x, x.dtype)
        return self.jax.tree.map(lambda x: one(self.jnp.asarray(x)), tree)

    def generation(self, run):
        jax, jnp = self.jax, self.jnp
        key, for_ask, for_tell = jax.random.split(run["key"], 3)
        y, state = self.algorithm.ask(for_ask, run["state"], self.params)
        values = self.values(y)
        state, _ = self.algorithm.tell(for_tell, y, values, state, self.params)
        least = jnp.nanmin(values)
        unimproved = jnp.where(least < run["best"] - self.COLLAPSED, 0, run["unimproved"] + 1)
        width = jnp.max(jnp.max(y, 0) - jnp.min(y, 0))
        height = jnp.max(values) - jnp.min(values)
        is_over = (width < self.COLLAPSED) | ~jnp.isfinite(width) | ~jnp.isfinite(height)
        is_over |= (height < self.COLLAPSED) & ((unimproved > 10) | (width < 1e-8))
        is_over |= unimproved > self.patience
        best = jnp.fmin(least, run["best"])
        return self.strong({"key": key, "state": state, "best": best, "unimproved": unimproved, "is_over": is_over})

    def chunk(self, run):
        """Executes some generations of a run, which restarts if it has ended; returns it with its best value."""
        jax, jnp = self.jax, self.jnp
        run, _ = jax.lax.scan(lambda run, _: (self.generation(run), None), run, None, length=self.GENERATIONS)
        best, fresh = run["best"], self.begin(run["key"])
        return jax.tree.map(lambda new, old: jnp.where(run["is_over"], new, old), fresh, run), best

    def compile(self):
        """Compiles, and returns the seconds it took."""
        jax, start = self.jax, time.perf_counter()
        self.begin = jax.jit(self.begin)
        key = jax.random.key(0)
        begin = self.begin.lower(key).compile()
        chunk = jax.jit(self.chunk).lower(begin(key)).compile()
        self.begin_compiled, self.chunk_compiled = begin, chunk
        return time.perf_counter() - start

    def solve(self, seed):
        """Solves with a seed; returns the seconds, and whether the target was reached."""
        start = time.perf_counter()
        run = self.begin_compiled(self.jax.random.key(seed))
        while True:
            run, best = self.chunk_compiled(run)
            is_there = float(best) <= self.problem.target
            seconds = time.perf_counter() - start
            if is_there or seconds > LIMIT:
                return seconds, is_there


def run_evosax(problems, options, end):
    from importlib.metadata import version

    import evosax  # noqa: F401, here so that its absence is a remark
    import jax

    jax.config.update("jax_enable_x64", True)
    device = jax.devices()[0]
    say(f"# evosax {version('evosax')} jax {jax.__version__} {device.device_kind}")
    name = "cpu" if device.platform == "cpu" else "gpu"
    pairs = [(method, problem) for problem in problems for method in ("CMA_ES", "DifferentialEvolution")]

    def compiled(pair):
        try:
            search = Evosax(*pair)
            return search, search.compile()
        except Exception as error:
            return error, None

    with ThreadPoolExecutor(8) as pool:
        searches = list(pool.map(compiled, pairs))
    parts = Parts(len(pairs), end)
    for (method, problem), (search, seconds) in zip(pairs, searches, strict=True):
        what = f"evosax {method} {problem.name}"
        if seconds is None:
            say(f"# skip {what}: {one_line(search)}")
            continue
        until = parts.next(what)
        if until is None:
            continue
        row = Row("evosax", method, problem, name)
        row.compile_seconds = seconds
        # The first call of what is compiled takes longer than those after it.
        search.chunk_compiled(search.begin_compiled(jax.random.key(options.seeds)))[1].block_until_ready()
        while row.goes_on(options.seeds, time.perf_counter() > until):
            row.add(*search.solve(row.tried))
        row.say()


# EvoX.


class Evox:
    """JaDE on a problem. The function is an operator that PyTorch's compiler does not look into."""

    STEPS = 10
    current = None
    made = None

    def __init__(self, dimensions, torch):
        import evox.algorithms
        from evox.core import Mutable, Problem as EvoxProblem, compile, use_state
        from evox.workflows import StdWorkflow

        self.torch = torch
        operator = Evox.operator(torch)

        class Watching(EvoxProblem):
            """The function, which remembers its least value."""

            def __init__(self):
                super().__init__()
                self.best = Mutable(torch.tensor(torch.inf))

            def evaluate(self, x):
                values = operator(x)
                self.best = torch.fmin(self.best, values.amin())
                return values

        zeros = torch.zeros(dimensions)
        workflow = StdWorkflow(evox.algorithms.JaDE(100, zeros, zeros + 1.0), Watching())
        self.state = {k: v.detach().clone() for k, v in [*workflow.named_parameters(), *workflow.named_buffers()]}
        has_init = evox.algorithms.JaDE.init_step is not evox.core.Algorithm.init_step
        self.init_step = use_state(workflow.init_step) if has_init else lambda state: state
        self.step = compile(use_state(workflow.step), fullgraph=True)

    @classmethod
    def operator(cls, torch):
        """A custom operator, made once in a process, that evaluates the current problem."""
        if cls.made is None:

            def evaluate(y: torch.Tensor) -> torch.Tensor:
                problem, lower, width = Evox.current
                return problem.at(torch, lower + width * torch.clip(y, 0.0, 1.0)).contiguous()

            cls.made = torch.library.custom_op("targets::evaluate", evaluate, mutates_args=())
            cls.made.register_fake(lambda y: y.new_empty(y.shape[:-1]))
        return cls.made

    def load(self, problem):
        lower, upper = self.torch.as_tensor(problem.bounds).T.contiguous()
        Evox.current = problem, lower, upper - lower

    def solve(self, seed, limit):
        """Solves with a seed; returns the seconds, and whether the target was reached."""
        torch = self.torch
        torch.manual_seed(seed)
        start = time.perf_counter()
        state = {}
        for name, x in self.state.items():
            if name.removeprefix("algorithm.") == "pop":
                state[name] = torch.rand_like(x)
            else:
                state[name] = x.clone()
        state = dict(self.init_step(state))
        best = next(name for name in state if name.endswith("problem.best") or name == "best")
        while True:
            for _ in range(self.STEPS):
                state = self.step(state)
            is_there = state[best].item() <= Evox.current[0].target
            seconds = time.perf_counter() - start
            if is_there or seconds > limit:
                return seconds, is_there


def run_evox(problems, options, end):
    from importlib.metadata import version

    import evox  # noqa: F401, here so that its absence is a remark
    import torch

    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    name = "gpu" if torch.cuda.is_available() else "cpu"
    say(f"# evox {version('evox')} torch {torch.__version__} {torch.cuda.get_device_name() if name == 'gpu' else 'cpu'}")
    problems = [problem for problem in problems if not problem.constraints]
    parts, searches = Parts(len(problems), end), {}
    for problem in problems:
        until = parts.next(f"evox JaDE {problem.name}")
        if until is None:
            continue
        try:
            seconds = None
            if problem.dimensions not in searches:
                start = time.perf_counter()
                search = searches[problem.dimensions] = Evox(problem.dimensions, torch)
                search.load(problem)
                search.solve(0, 0.0)
                seconds = time.perf_counter() - start
            search = searches[problem.dimensions]
            search.load(problem)
            search.solve(options.seeds, 0.0)
            row = Row("evox", "JaDE", problem, name)
            row.compile_seconds = seconds
            while row.goes_on(options.seeds, time.perf_counter() > until):
                row.add(*search.solve(row.tried, LIMIT))
            row.say()
        except Exception as error:
            say(f"# skip evox JaDE {problem.name}: {one_line(error)}")


SYSTEMS = {"scipy": run_scipy, "pycma": run_pycma, "evosax": run_evosax, "evox": run_evox}

if __name__ == "__main__":
    main()
