#!/usr/bin/env python3
"""Runs an optimiser from PyPI on COCO's functions, in the package coco-experiment.

    python peers.py SEARCH [--jobs N] < problems

SEARCH is one of those in SEARCHES, below. Each line of the input is a run: function, instance, dimensions, and the
function's minimum, f_opt. A run has the bounds [-5, 5] and 10,000 evaluations per dimension, and stops when f is at
most f_opt + 1e-8. The output has a line for each run, in the order in which they end: function, instance, dimensions,
evaluations, and the number of the evaluation at which each of COCO's 51 targets was reached, from 100 to 1e-8 above
f_opt. Targets that were not reached are omitted.

Every search gets the same seed, 1. A search that ends before its evaluations are used up restarts with the next seed
and the remaining evaluations.
"""

import argparse
import itertools
import os
import sys
from multiprocessing import Pool

# Each run is one process. Libraries must not use more cores, because these belong to other runs.
for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[name] = "1"

import cocoex
import numpy as np

HALF_WIDTH = 5.0
EVALUATIONS = 10_000
TARGETS = [10.0 ** (2.0 - 0.2 * i) for i in range(51)]


class Over(Exception):
    """The last target is reached, or all evaluations are used up."""


class Counted:
    """A function that records which evaluation reaches which target, and ends the search by an exception."""

    def __init__(self, function, instance, dimensions, f_opt):
        options = f"function_indices: {function} dimensions: {dimensions}"
        # The suite owns the problem, so keep it.
        self.suite = cocoex.Suite("bbob", f"instances: {instance}", options)
        (name,) = self.suite.ids()
        self.problem = self.suite.get_problem(name)
        self.dimensions = dimensions
        self.targets = [f_opt + target for target in TARGETS]
        self.next = self.targets[0]
        self.hits = []
        self.count = 0
        self.most = EVALUATIONS * dimensions

    def __call__(self, x):
        if self.is_over():
            raise Over
        value = self.problem(x)
        self.count += 1
        if value <= self.next:
            self.reach(value)
        return value

    def reach(self, value):
        while len(self.hits) < len(self.targets) and value <= self.targets[len(self.hits)]:
            self.hits.append(self.count)
        if len(self.hits) < len(self.targets):
            self.next = self.targets[len(self.hits)]

    def left(self):
        return self.most - self.count

    def is_over(self):
        return self.count >= self.most or len(self.hits) == len(self.targets)


def bounds(f):
    return [(-HALF_WIDTH, HALF_WIDTH)] * f.dimensions


def pycma(f, seed):
    """BIPOP-CMA-ES, from points in [-4, 4] with a step size of 2, as its authors run it on BBOB."""
    import cma

    random = np.random.default_rng(seed)
    options = {
        "bounds": [-HALF_WIDTH, HALF_WIDTH],
        "maxfevals": f.left(),
        "seed": seed,
        "verbose": -9,
        "verb_log": 0,
    }
    first = lambda: random.uniform(-4.0, 4.0, f.dimensions)
    cma.fmin2(f, first, 2.0, options, restarts=9, bipop=True)


def pygmo(f, seed):
    """CMA-ES; each restart has twice as many individuals."""
    import pygmo as pg

    class Problem:
        def fitness(self, x):
            return [f(x)]

        def get_bounds(self):
            return [-HALF_WIDTH] * f.dimensions, [HALF_WIDTH] * f.dimensions

    first = max(5, 4 + int(3.0 * np.log(f.dimensions)))
    size = first * 2 ** (seed - 1)
    settings = {"ftol": 1e-12, "xtol": 1e-12, "force_bounds": True, "seed": seed}
    generations = f.left() // size + 1
    population = pg.population(pg.problem(Problem()), size=size, seed=seed)
    pg.algorithm(pg.cmaes(gen=generations, **settings)).evolve(population)


def minion(f, seed, algorithm):
    """An exception would end the process, so the search stops after the generation; its rest is not evaluated."""
    import minionpy

    evaluate = lambda points: [np.inf if f.is_over() else f(np.asarray(x)) for x in points]
    settings = {"algo": algorithm, "maxevals": f.left(), "seed": seed}
    stop = lambda _: f.is_over()
    minionpy.Minimizer(evaluate, bounds(f), callback=stop, **settings).optimize()


def bite(f, seed):
    from fcmaes import bitecpp
    from scipy.optimize import Bounds

    box = Bounds([-HALF_WIDTH] * f.dimensions, [HALF_WIDTH] * f.dimensions)
    random = np.random.Generator(np.random.PCG64DXSM(seed))
    bitecpp.minimize(f, box, max_evaluations=f.left(), rg=random)


def scipy(f, seed):
    """Without the final gradient search. With `tol=0` it does not stop when the population has converged to 1 %."""
    from scipy.optimize import differential_evolution

    settings = {"maxiter": f.left(), "tol": 0.0, "atol": 0.0, "polish": False}
    differential_evolution(f, bounds(f), rng=np.random.default_rng(seed), **settings)


SEARCHES = {
    "pycma": pycma,
    "pygmo": pygmo,
    "lshade": lambda f, seed: minion(f, seed, "LSHADE"),
    "jso": lambda f, seed: minion(f, seed, "jSO"),
    "arrde": lambda f, seed: minion(f, seed, "ARRDE"),
    "bite": bite,
    "scipy": scipy,
}


def run(line, search):
    """The output line for an input line."""
    *problem, f_opt = line.split()
    f = Counted(*map(int, problem), float(f_opt))
    for seed in itertools.count(1):
        before = f.count
        try:
            SEARCHES[search](f, seed)
        except Over:
            pass
        # Some libraries swallow exceptions.
        if f.is_over():
            break
        if f.count == before:
            raise RuntimeError(f"{search} evaluates nothing: {line}")
    return " ".join(map(str, [*problem, f.count, *f.hits]))


class Run:
    """The function that a process of the pool calls."""

    def __init__(self, search):
        self.search = search

    def __call__(self, line):
        return run(line, self.search)


def main():
    as_text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_text)
    parser.add_argument("search", choices=SEARCHES)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    lines = [line for line in sys.stdin.read().splitlines() if line]
    with Pool(arguments.jobs) as pool:
        for line in pool.imap_unordered(Run(arguments.search), lines):
            print(line, flush=True)


if __name__ == "__main__":
    main()
