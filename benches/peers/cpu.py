"""Runs a CPU library from PyPI once, and prints seconds, evaluations and the best value.

    python3 cpu.py LIBRARY ALGORITHM INDIVIDUALS DIMENSIONS ITERATIONS

LIBRARY is pygmo, pyswarms, scipy or numpy, and ALGORITHM is pso, de or sa. All minimise Rastrigin's function in f64:
pygmo its own in C++, the others a NumPy function of the whole population. Parameters are the library's defaults.
"""

import sys
import time

import numpy as np

RANGE = 5.12


def rastrigin(x):
    """The values of the points in the rows."""
    return 10.0 * x.shape[1] + np.sum(x * x - 10.0 * np.cos(2.0 * np.pi * x), axis=1)


def pygmo(algorithm, individuals, dimensions, iterations):
    import pygmo as pg

    known = {
        "pso": lambda: pg.pso(gen=iterations, seed=1),
        "de": lambda: pg.de(gen=iterations, ftol=0.0, xtol=0.0, seed=1),
        # One point moves: this many steps of each coordinate at each temperature, with three temperatures.
        "sa": lambda: pg.simulated_annealing(
            n_T_adj=max(1, individuals * iterations // (20 * dimensions)),
            n_range_adj=20,
            bin_size=1,
            seed=1,
        ),
    }
    size = 1 if algorithm == "sa" else individuals
    population = pg.population(pg.problem(pg.rastrigin(dim=dimensions)), size=size, seed=1)
    evaluated = population.problem.get_fevals()
    solver = pg.algorithm(known[algorithm]())
    start = time.perf_counter()
    population = solver.evolve(population)
    seconds = time.perf_counter() - start
    return seconds, population.problem.get_fevals() - evaluated, population.champion_f[0]


def pyswarms(_, individuals, dimensions, iterations):
    from pyswarms.single import GlobalBestPSO

    bounds = (np.full(dimensions, -RANGE), np.full(dimensions, RANGE))
    options = {"c1": 1.4962, "c2": 1.4962, "w": 0.7298}
    swarm = GlobalBestPSO(individuals, dimensions, options, bounds=bounds)
    start = time.perf_counter()
    best, _ = swarm.optimize(rastrigin, iters=iterations, verbose=False)
    return time.perf_counter() - start, individuals * iterations, best


def scipy(_, individuals, dimensions, iterations):
    from scipy.optimize import differential_evolution

    generator = np.random.default_rng(1)
    first = generator.uniform(-RANGE, RANGE, (individuals, dimensions))
    start = time.perf_counter()
    result = differential_evolution(
        lambda x: rastrigin(x.T),
        [(-RANGE, RANGE)] * dimensions,
        init=first,
        maxiter=iterations,
        tol=0.0,
        atol=0.0,
        polish=False,
        updating="deferred",
        vectorized=True,
        rng=generator,
    )
    return time.perf_counter() - start, individuals * iterations, result.fun


def by_hand(_, individuals, dimensions, iterations):
    """PSO written by hand in NumPy."""
    generator = np.random.default_rng(1)
    shape = (individuals, dimensions)
    x = generator.uniform(-RANGE, RANGE, shape)
    v = (generator.uniform(-RANGE, RANGE, shape) - x) / 2.0
    p, found = x.copy(), rastrigin(x)
    start = time.perf_counter()
    for _ in range(iterations):
        g = p[np.argmin(found)]
        pulls = generator.random(shape) * (p - x) + generator.random(shape) * (g - x)
        v = np.clip(0.7298 * v + 1.4962 * pulls, -2.0 * RANGE, 2.0 * RANGE)
        x = np.clip(x + v, -RANGE, RANGE)
        values = rastrigin(x)
        better = values < found
        p[better], found[better] = x[better], values[better]
    return time.perf_counter() - start, individuals * iterations, found.min()


LIBRARIES = {"pygmo": pygmo, "pyswarms": pyswarms, "scipy": scipy, "numpy": by_hand}

if __name__ == "__main__":
    library, algorithm, *sizes = sys.argv[1:]
    seconds, evaluations, best = LIBRARIES[library](algorithm, *map(int, sizes))
    print(f"{seconds:.9f} {evaluations} {best:.9g}")
