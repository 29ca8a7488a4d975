"""How well other libraries' DE, L-SHADE, PSO, SA and CMA-ES do, for `crates/cpu-ref/tests/all/peers.rs` to compare.

Writes `distributions.csv` beside this file. The test reads only that: no build and no test runs
Python. To make it again, in a quarter of an hour on two cores (the same versions give the same numbers):

    python3 -m venv VENV
    VENV/bin/pip install numpy==2.4.6 scipy==1.17.1 pygmo==2.20.0 pyswarms==1.3.0 \
        inspyred==1.0.3 simanneal==0.5.0 mealpy==3.0.2 cma==4.5.0 minionpy==1.9.1
    VENV/bin/python distributions.py

A line is a case at one generation, or for L-SHADE, whose generations become ever smaller, after so many evaluations: library, version, method, function, individuals, dimensions,
lower and upper bound, settings, runs, generation; then 32 order statistics of log10(best value so
far), those of rank RUNS / 32, 2 RUNS / 32, ..., RUNS. A setting has our name for what it sets. The
start is always uniform between the bounds, the optimum off the centre.

What each library does that has to be met by a setting of ours:

* scipy `differential_evolution`, `updating='deferred'`, no dither: a mutant's coordinate outside of
  the bounds is drawn anew, uniformly (our boundary `random`); a rival that is equal wins, as ours.
* pagmo `pso_gen`, variants 1 and 5, topology gbest: positions are clamped and the velocity there
  becomes 0 (our `clamp`); velocities are limited to max_vel times the range and start uniform between
  these limits (`start=limit`). In variant 5 the factor omega multiplies the whole velocity, so that
  omega * eta1 is our c1. eta1 is the pull to the personal best, as in its code; its documentation
  calls it social.
* pyswarms `GlobalBestPSO`, without bounds (`boundary=none`), velocities set by us to half the way to
  a random point (`start=half`).
* inspyred `PSO`, without bounds, ring of neighborhood_size particles, the particle among them (our
  `width` is one less). It keeps the position before in place of a velocity: so particles start at
  rest (`start=rest`).
* simanneal `Annealer`: acceptance and cooling, T = Tmax exp(-ln(Tmax / Tmin) t / steps), are its own;
  a step's proposal is always its user's, so it is written here: uniform in a box that shrinks.
  Step t = 1 has the temperature Tmax * cooling there and `temperature` with us. No bounds; as many
  chains as there are individuals, the best of which counts.
* mealpy `SA.GaussianSA`: one chain, normal steps of fixed size. It takes bounds, but its steps do not
  heed them (`boundary=none`). It starts from the better of two points, so both are the same.

* pycma: the mean starts uniform in the middle half of the bounds, as ours; the first steps are so small that the
  bounds, which it has none of, are not met (`boundary=none`). Its damping of the step size has other constants than the tutorial;
  it is set to the tutorial's. With many samples it damps steps that grow and steps that shrink differently, so
  there are few.
* minion `LSHADE`: coordinates outside of the bounds are clamped (our `clamp`); it never stops by itself. Its archive has 2.6
  times as many places as there are individuals; in ours each individual has one point, which stays as long. Its best 11 % are ours of a
  tournament of 12; its population falls after each generation.

Left out because their equations are others: pagmo's `de` (the partners r1, r2, r3 may be the
individual itself), `pso_gen` with ring and grid (a particle is not among its own neighbours), `pso`
(asynchronous) and `simulated_annealing` (Corana's); pyswarms' ring and grid (neighbours by distance);
pymoo's PSO (a coordinate outside of the bounds draws the whole particle's move again); scipy's
`dual_annealing` (Tsallis' distribution).
"""

import csv
import functools
import importlib.metadata
import math
import multiprocessing
import os
import pathlib
import random
import tempfile
import zlib

import numpy as np

RUNS = 512
POINTS = 32


def sphere(x):
    return sum(c * c for c in x)


def rosenbrock(x):
    return sum(100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2 for a, b in zip(x, x[1:]))


def rastrigin(x):
    return sum(10.0 + c * c - 10.0 * math.cos(2.0 * math.pi * c) for c in x)


# The same on `[dimension][point]`.
COLUMNS = {
    sphere: lambda x: (x * x).sum(axis=0),
    rosenbrock: lambda x: (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum(axis=0),
    rastrigin: lambda x: (10.0 + x * x - 10.0 * np.cos(2.0 * np.pi * x)).sum(axis=0),
}
BOUNDS = {sphere: (-3.0, 7.0), rosenbrock: (-2.0, 3.0), rastrigin: (-4.0, 6.0)}


class Case:
    """What is run: `trace(case, seed)` gives the best value after each of the generations."""

    def __init__(self, trace, package, method, function, size, generations, **settings):
        self.trace, self.package, self.method, self.function = trace, package, method, function
        self.individuals, self.dimensions = size
        self.generations, self.settings = generations, settings
        self.lower, self.upper = BOUNDS[function]

    def __getattr__(self, name):
        try:
            return self.__dict__["settings"][name]
        except KeyError:
            raise AttributeError(name) from None

    def last(self):
        return self.generations[-1]

    def head(self):
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        version = importlib.metadata.version(self.package)
        place = [self.individuals, self.dimensions, self.lower, self.upper]
        return [self.package, version, self.method, self.function.__name__, *place, settings]

    def seed(self, run):
        """A seed of 31 bits that follows from all of the case and the run."""
        return zlib.crc32(",".join(map(str, [*self.head(), run])).encode()) >> 1


def scipy_de(case, seed):
    from scipy.optimize import differential_evolution

    best = []
    base = {"best": "best1", "rand": "rand1", "target-to-best": "currenttobest1"}[case.base]
    differential_evolution(
        COLUMNS[case.function],
        [(case.lower, case.upper)] * case.dimensions,
        strategy=base + case.crossover[:3],
        maxiter=case.last(),
        popsize=case.individuals // case.dimensions,
        init="random",
        mutation=case.scale_factor,
        recombination=case.crossover_rate,
        updating="deferred",
        vectorized=True,
        polish=False,
        tol=0.0,
        atol=0.0,
        callback=lambda intermediate_result: best.append(intermediate_result.fun),
        rng=seed,
    )
    return [best[generation - 1] for generation in case.generations]


class PagmoProblem:
    def __init__(self, case):
        self.case = case

    def fitness(self, x):
        return [self.case.function(x.tolist())]

    def get_bounds(self):
        return [self.case.lower] * self.case.dimensions, [self.case.upper] * self.case.dimensions


def pagmo_pso(case, seed, constricts):
    import pygmo

    omega = case.inertia if constricts else 1.0
    population = pygmo.population(pygmo.problem(PagmoProblem(case)), case.individuals, seed=seed)
    best, done = [], 0
    swarm = pygmo.pso_gen(
        gen=case.generations[0],
        omega=case.inertia,
        eta1=case.cognitive / omega,
        eta2=case.social / omega,
        max_vel=case.velocity_limit,
        variant=5 if constricts else 1,
        neighb_type=1,
        memory=True,
        seed=seed ^ 1,
    )
    swarm = pygmo.algorithm(swarm)
    while done < case.last():
        population = swarm.evolve(population)
        done += case.generations[0]
        if done in case.generations:
            best.append(population.get_f().min())
    return best


def pyswarms_pso(case, seed):
    from pyswarms.single import GlobalBestPSO

    np.random.seed(seed)
    shape = (case.individuals, case.dimensions)
    start, towards = np.random.uniform(case.lower, case.upper, (2, *shape))
    options = {"w": case.inertia, "c1": case.cognitive, "c2": case.social}
    swarm = GlobalBestPSO(*shape, options, init_pos=start)
    swarm.swarm.velocity = 0.5 * (towards - start)
    # Its first iteration evaluates the start.
    objective = COLUMNS[case.function]
    swarm.optimize(lambda x: objective(x.T), case.last() + 1, verbose=False)
    return [swarm.cost_history[generation] for generation in case.generations]


def inspyred_pso(case, seed):
    import inspyred

    best = [math.inf]

    def observe(population, num_generations, **_):
        del best[num_generations + 1 :]
        best.append(min(best[-1], min(particle.fitness for particle in population)))

    draws = random.Random(seed)
    swarm = inspyred.swarm.PSO(draws)
    swarm.topology = inspyred.swarm.topologies.ring_topology
    swarm.observer = [observe]
    swarm.terminator = inspyred.ec.terminators.generation_termination
    swarm.evolve(
        lambda random, args: [random.uniform(case.lower, case.upper) for _ in range(case.dimensions)],
        lambda candidates, args: [case.function(x) for x in candidates],
        case.individuals,
        maximize=False,
        max_generations=case.last(),
        inertia=case.inertia,
        cognitive_rate=case.cognitive,
        social_rate=case.social,
        neighborhood_size=case.width + 1,
    )
    return [best[generation + 1] for generation in case.generations]


@functools.cache
def chain_class():
    import simanneal

    class Chain(simanneal.Annealer):
        copy_strategy = "slice"
        updates = 0

        def __init__(self, case):
            self.function = case.function
            self.half = case.step * (case.upper - case.lower)
            self.step_cooling = case.step_cooling
            self.Tmax = case.temperature / case.cooling
            self.Tmin = self.Tmax * case.cooling ** case.last()
            self.steps = case.last()
            self.best = [math.inf]
            draw = random.uniform
            super().__init__([draw(case.lower, case.upper) for _ in range(case.dimensions)])

        def move(self):
            draw, half = random.random, self.half
            self.state = [x + half * (2.0 * draw() - 1.0) for x in self.state]
            self.half *= self.step_cooling

        def energy(self):
            value = self.function(self.state)
            self.best.append(min(self.best[-1], value))
            return value

    return Chain


def simanneal_sa(case, seed):
    random.seed(seed)
    chains = [chain_class()(case) for _ in range(case.individuals)]
    for chain in chains:
        chain.anneal()
    return [min(chain.best[generation + 1] for chain in chains) for generation in case.generations]


def mealpy_sa(case, seed):
    import mealpy

    box = [[bound] * case.dimensions for bound in (case.lower, case.upper)]
    start = np.random.default_rng(seed).uniform(*box)
    chain = mealpy.SA.GaussianSA(
        epoch=case.last(),
        pop_size=2,
        temp_init=case.temperature,
        cooling_rate=case.cooling,
        scale=case.step * (case.upper - case.lower),
    )
    objective = COLUMNS[case.function]
    variables = mealpy.FloatVar(*box)
    problem = {"bounds": variables, "minmax": "min", "obj_func": objective, "log_to": None}
    chain.solve(problem, starting_solutions=[start, start], seed=seed ^ 1)
    best = chain.history.list_global_best_fit
    return [best[generation - 1] for generation in case.generations]


def pycma(case, seed):
    import cma

    random = np.random.default_rng(seed)
    range_ = case.upper - case.lower
    start = random.uniform(case.lower + range_ / 4, case.upper - range_ / 4, case.dimensions)
    options = {"popsize": case.individuals, "seed": seed % 2**31 + 1, "verbose": -9}
    options["CMA_active"] = case.active == "on"
    search = cma.CMAEvolutionStrategy(start, case.step * range_, options)
    selected, n = search.sp.weights.mueff, case.dimensions
    step = search.adapt_sigma
    step.cs = (selected + 2) / (n + selected + 3)
    step.damps = 1 + 2 * max(0, math.sqrt((selected - 1) / (n + 1)) - 1) + step.cs
    best = []
    for _ in range(case.last() + 1):
        points = search.ask()
        values = [case.function(point) for point in points]
        search.tell(points, values)
        best.append(min(values + best[-1:]))
    return [best[generation] for generation in case.generations]


def minion_lshade(case, seed):
    import minionpy

    spent, best = [], []

    def evaluate(points):
        values = [case.function(np.asarray(point)) for point in points]
        spent.append(len(values) + (spent[-1] if spent else 0))
        best.append(min(values + best[-1:]))
        return values

    options = {
        "population_size": case.individuals,
        "memory_size": case.memory,
        "minimum_population_size": case.final_individuals,
        "bound_strategy": "clip",
        "x_tol": 0.0,
        "f_tol": -1.0,
    }
    bounds = [(case.lower, case.upper)] * case.dimensions
    minionpy.LSHADE(evaluate, bounds, None, case.budget, None, seed % 2**31, options).optimize()
    last = [max(k for k, all in enumerate(spent) if all <= most) for most in case.generations]
    return [best[k] for k in last]


def cases():
    generations = (10, 30)
    # F and CR; CR low where single coordinates matter.
    weights = {sphere: (0.5, 0.9), rosenbrock: (0.7, 0.9), rastrigin: (0.5, 0.3)}
    for function, (factor, rate) in weights.items():
        for base in ("rand", "best", "target-to-best"):
            for crossover in ("binomial", "exponential"):
                yield Case(
                    scipy_de, "scipy", "de", function, (20, 10), generations,
                    base=base, crossover=crossover, scale_factor=factor, crossover_rate=rate,
                    boundary="random",
                )  # fmt: skip
    pagmo = [
        (False, {"inertia": 0.6, "cognitive": 1.2, "social": 1.9, "velocity_limit": 0.2}),
        (True, {"inertia": 0.7298, "cognitive": 1.4962, "social": 1.4962, "velocity_limit": 0.5}),
    ]
    for function in BOUNDS:
        for constricts, settings in pagmo:
            yield Case(
                functools.partial(pagmo_pso, constricts=constricts), "pygmo", "pso", function,
                (20, 10), generations, topology="star", start="limit", boundary="clamp", **settings,
            )  # fmt: skip
        yield Case(
            pyswarms_pso, "pyswarms", "pso", function, (20, 10), generations, topology="star",
            start="half", boundary="none", inertia=0.7, cognitive=1.7, social=1.3,
        )  # fmt: skip
        for width in (2, 4):
            yield Case(
                inspyred_pso, "inspyred", "pso", function, (20, 10), generations, topology="ring",
                width=width, start="rest", boundary="none",
                inertia=0.7298, cognitive=1.4962, social=1.4962,
            )  # fmt: skip
    generations = (40, 120)
    for function, temperature, cooling in [
        (sphere, 10.0, 0.97),
        (rosenbrock, 500.0, 0.96),
        (rastrigin, 50.0, 0.98),
    ]:
        yield Case(
            simanneal_sa, "simanneal", "sa", function, (5, 5), generations, neighbour="uniform",
            temperature=temperature, cooling=cooling, step=0.1, step_cooling=0.99, boundary="none",
        )  # fmt: skip
        yield Case(
            mealpy_sa, "mealpy", "sa", function, (1, 5), generations, neighbour="gaussian",
            temperature=temperature, cooling=cooling, step=0.05, step_cooling=1.0, boundary="none",
        )  # fmt: skip
    for function in BOUNDS:
        for active in ("on", "off"):
            yield Case(
                pycma, "cma", "cma-es", function, (10, 10), (40, 120), step=0.02, active=active, boundary="none",
            )  # fmt: skip
    for function in BOUNDS:
        yield Case(
            minion_lshade, "minionpy", "lshade", function, (90, 10), (2_500, 5_000, 8_000), memory=6, final_individuals=4,
            budget=8_000, boundary="clamp",
        )  # fmt: skip


def measure(number, run):
    case = list(cases())[number]
    return case.trace(case, case.seed(run))


def main():
    path = pathlib.Path(__file__).with_name("distributions.csv").resolve()
    # pyswarms writes a log wherever it is run.
    with tempfile.TemporaryDirectory() as folder, open(path, "w", newline="") as file:
        os.chdir(folder)
        lines = csv.writer(file, lineterminator="\n")
        head = "library,version,method,function,individuals,dimensions,lower,upper,settings,runs"
        lines.writerow([*head.split(","), "generation", *(f"{k}/{POINTS}" for k in range(1, POINTS + 1))])
        with multiprocessing.Pool() as pool:
            for number, case in enumerate(cases()):
                jobs = [(number, run) for run in range(RUNS)]
                values = np.sort(np.log10(pool.starmap(measure, jobs, chunksize=16)), axis=0)
                ranks = values[RUNS // POINTS - 1 :: RUNS // POINTS]
                for column, generation in enumerate(case.generations):
                    points = [f"{value:.4f}" for value in ranks[:, column]]
                    lines.writerow([*case.head(), RUNS, generation, *points])
                file.flush()


if __name__ == "__main__":
    main()
