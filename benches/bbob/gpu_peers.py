#!/usr/bin/env python3
"""Measures which BBOB functions the optimisers of other libraries solve in a fixed time: evosax (JAX) and EvoX
(PyTorch) on one GPU, pycma and pagmo on all cores.

    pip install evosax evox coco-experiment cma pygmo          # and JAX and PyTorch for the GPU
    python gpu_peers.py --list
    python gpu_peers.py --check --dims 5,10,40
    python gpu_peers.py --searches evosax-cma:1000x10,evox-jade,pycma --dims 10,20 --instances 1-3 --seconds 1

A search is written NAME or NAME:RUNSxPOPULATION. RUNS independent runs with POPULATION individuals each advance in
parallel, and the best of all runs counts. The output has a line for each problem:

    search D function instance seconds best-f_opt evaluations

`seconds` is the wall-clock time until the search was within 1e-8 of f_opt, or until it was stopped. Lines with a
leading # state how long a search took to compile, and how many problems it solved.

The clock starts when everything is compiled, the problem's parameters are on the device, and the same function has been
evaluated once. It includes the generation of the initial points. The best value is read after every few generations,
about every 30 ms; the last read may exceed the limit by that time. Everything is float64, and points are clipped to
[-5, 5] before their evaluation.

Use of the libraries:

* evosax: ask, evaluate and tell in `jit` and `lax.scan`, with `vmap` over the runs. A `lax.switch` selects the
  function, so that one compiled program serves all 24. This costs one report from the device to the host per
  generation. With --per-function, a program is compiled for each function.
* EvoX: the compiled `StdWorkflow.step`, with `vmap(use_state(step), randomness="different")` for several runs. Ten
  steps are then recorded in a CUDA graph. EvoX's documentation does not do this, but it makes small populations many
  times faster. A search that cannot be recorded (CMA-ES) calls the compiled step. Functions are evaluated by PyTorch's
  own kernels, which are part of the graph; with --compile-functions, each function is also compiled (some seconds
  each). CMA-ES works with one run only, because `torch.cond`, which it uses, is not compiled under `vmap`. Compiled
  EvoX draws random numbers in float32, except for CMA-ES. Its CSO is omitted: in 1.4.0 it never changes the velocities,
  and so does not converge.
* pycma (BIPOP) and pygmo (CMA-ES with doubled population at each restart): one process per core, each with another
  seed, all on the same problem. The problem is solved when one of them has solved it.

Instances are COCO's, so D is 2, 3, 5, 10, 20 or 40 for --check and for pycma and pygmo. Parameters are the library's
defaults. The variants of CMA-ES start with a mean in [-4, 4] and a step size of 2, the others with points in [-5, 5]. A
run on the GPU restarts with the same population size when its values or points have converged (a difference below
1e-12), or when it has NaN; the CMA-ES of evosax also restarts without improvement for as many generations as pycma
allows, at least 300. This is tested after each chunk of generations.
"""

import argparse
import functools
import gc
import math
import os
import subprocess
import sys
import time

# JAX and PyTorch share the GPU. With one process per core, processes must not start threads.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np
from functions import HALF_WIDTH, Problem, functions

PRECISION = 1e-8
COLLAPSED = 1e-12
# The interval between two reads of the best value, in seconds.
READ_EVERY = 0.03


# The check against COCO.


def coco_problem(function, instance, dimensions):
    """COCO's problem, and the suite that owns it."""
    import cocoex

    options = f"function_indices: {function} dimensions: {dimensions}"
    suite = cocoex.Suite("bbob", f"instances: {instance}", options)
    return suite.get_problem(suite.ids()[0]), suite


def evaluators(dimensions):
    """A function (problem, points) -> values per installed module; JAX uses `lax.switch` and jit as in the searches."""
    found = {"numpy": functions(np, np.asarray, dimensions)}
    by = {"numpy": lambda p, x: found["numpy"][p.function - 1](x, p.tables)}
    try:
        jax = import_jax()
        branches = functions(jax.numpy, jax.numpy.asarray, dimensions)
        switch = jax.jit(lambda index, x, t: jax.lax.switch(index, branches, x, t))
        by["jax"] = lambda p, x: np.asarray(switch(p.function - 1, x, p.tables))
    except ImportError:
        pass
    try:
        torch = import_torch()
        found["torch"] = functions(torch, torch.as_tensor, dimensions)
        tensors = lambda tables: {k: torch.as_tensor(v) for k, v in tables.items()}
        by["torch"] = lambda p, x: (
            found["torch"][p.function - 1](torch.as_tensor(x), tensors(p.tables)).cpu().numpy()
        )
    except ImportError:
        pass
    return by


def check(arguments):
    """The largest relative errors at random points, and of COCO's value at our optimum compared with f_opt."""
    worst = {}
    for dimensions in arguments.dims:
        by = evaluators(dimensions)
        for function in arguments.functions:
            for instance in arguments.instances:
                problem = Problem(function, instance, dimensions)
                coco, suite = coco_problem(function, instance, dimensions)
                random = np.random.default_rng([function, instance, dimensions])
                x = random.uniform(-HALF_WIDTH, HALF_WIDTH, (200, dimensions))
                theirs = np.array([coco(point) for point in x])
                found = {"f_opt": abs(coco(problem.x_opt) - problem.f_opt)}
                del suite
                with np.errstate(all="ignore"):
                    for name, evaluate in by.items():
                        found[name] = np.max(np.abs(evaluate(problem, x) - theirs) / np.abs(theirs))
                for name, error in found.items():
                    place = f"f{function} instance {instance} D {dimensions}"
                    # With `not`, NaN counts as a larger error.
                    if not error <= worst.get(name, (-1.0, ""))[0]:
                        worst[name] = (error, place)
        print(f"# D {dimensions}: " + ", ".join(f"{k} {e:.1e} ({p})" for k, (e, p) in worst.items()), flush=True)
    is_good = all(error <= 1e-9 for error, _ in worst.values())
    print("all within 1e-9" if is_good else "NOT within 1e-9")
    return is_good


def import_jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


def import_torch():
    import torch

    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    return torch


# Searches on the GPU. Each has `compile`, `load` (a problem), `start`, `advance` (an asynchronous chunk of generations)
# and `best`.


class Evosax:
    def __init__(self, name, dimensions, runs, population, options):
        import evosax.algorithms

        self.jax = import_jax()
        self.device = self.jax.devices()[0].device_kind
        self.dimensions, self.runs, self.population = dimensions, runs, population
        self.is_cma = name in ("CMA_ES", "Sep_CMA_ES", "MA_ES")
        self.per_function = options.per_function
        jnp = self.jax.numpy
        kind = getattr(evosax.algorithms, name)
        no_metrics = lambda key, population, fitness, state, params: {}
        self.algorithm = kind(population, solution=jnp.zeros(dimensions), metrics_fn=no_metrics)
        self.params = self.algorithm.default_params
        if self.is_cma:
            self.params = self.params.replace(std_init=jnp.asarray(2.0))
        self.branches = functions(jnp, jnp.asarray, dimensions)
        self.patience = max(300, 100 + 100 * dimensions**1.5 / population) if self.is_cma else math.inf

    def values(self, x, index, tables):
        x = self.jax.numpy.clip(x, -HALF_WIDTH, HALF_WIDTH)
        if self.per_function:
            return self.branches[index](x, tables)
        return self.jax.lax.switch(index, self.branches, x, tables)

    def begin(self, key, index, tables):
        """The state of a new run: evosax's own state, and the data that decide about its restart."""
        jax, jnp, d = self.jax, self.jax.numpy, self.dimensions
        key, for_points, for_state = jax.random.split(key, 3)
        if self.is_cma:
            mean = jax.random.uniform(for_points, (d,), minval=-4.0, maxval=4.0)
            state = self.algorithm.init(for_state, mean, self.params)
        else:
            x = jax.random.uniform(for_points, (self.population, d), minval=-HALF_WIDTH, maxval=HALF_WIDTH)
            state = self.algorithm.init(for_state, x, self.values(x, index, tables), self.params)
        run = {"key": key, "state": state, "best": jnp.inf, "unimproved": 0, "is_over": False}
        return self.strong(run)

    def strong(self, tree):
        """Removes JAX's weak types: if `begin` and `chunk` returned different types, `chunk` would compile twice."""
        is_key = lambda x: self.jax.dtypes.issubdtype(x.dtype, self.jax.dtypes.prng_key)
        one = lambda x: x if is_key(x) else self.jax.lax.convert_element_type(x, x.dtype)
        return self.jax.tree.map(lambda x: one(self.jax.numpy.asarray(x)), tree)

    def generation(self, run, index, tables):
        jax, jnp = self.jax, self.jax.numpy
        key, for_ask, for_tell = jax.random.split(run["key"], 3)
        x, state = self.algorithm.ask(for_ask, run["state"], self.params)
        values = self.values(x, index, tables)
        state, _ = self.algorithm.tell(for_tell, x, values, state, self.params)
        least = jnp.nanmin(values)
        has_improved = least < run["best"] - COLLAPSED
        unimproved = jnp.where(has_improved, 0, run["unimproved"] + 1)
        best = jnp.fmin(least, run["best"])
        width = jnp.max(jnp.max(x, 0) - jnp.min(x, 0))
        height = jnp.max(values) - jnp.min(values)
        # A whole generation of CMA-ES may be on a plateau and leave it later, so equal values alone do not end a run.
        is_over = (width < COLLAPSED) | ~jnp.isfinite(width) | ~jnp.isfinite(height)
        is_over |= (height < COLLAPSED) & ((unimproved > 10) | (width < 1e-8))
        is_over |= unimproved > self.patience
        run = {"key": key, "state": state, "best": best, "unimproved": unimproved, "is_over": is_over}
        return self.strong(run)

    def chunk(self, run, index, tables, generations):
        """Executes some generations of a run; restarts it if it has ended."""
        jax, jnp = self.jax, self.jax.numpy
        best_before = run["best"]
        step = lambda run, _: (self.generation(run, index, tables), None)
        run, _ = jax.lax.scan(step, run, None, length=generations)
        best = jnp.fmin(run["best"], best_before)
        fresh = self.begin(run["key"], index, tables)
        run = jax.tree.map(lambda new, old: jnp.where(run["is_over"], new, old), fresh, run)
        return run, best

    def compile(self):
        """Compiles chunks of 10 generations, or of 100 if 10 take less than 3 ms."""
        jax, jnp = self.jax, self.jax.numpy
        for self.generations in (10, 100):

            def begin(keys, index, tables):
                one = lambda key: self.begin(key, index, tables)
                return jax.vmap(one)(keys) if self.runs > 1 else one(keys[0])

            def chunk(run, best, index, tables):
                one = lambda run: self.chunk(run, index, tables, self.generations)
                run, found = jax.vmap(one)(run) if self.runs > 1 else one(run)
                return run, jnp.fmin(best, jnp.nanmin(found))

            static = dict(static_argnames="index") if self.per_function else {}
            self.begin_all, self.chunk_all = jax.jit(begin, **static), jax.jit(chunk, donate_argnums=0, **static)
            self.load(Problem(1, 1, self.dimensions))
            for _ in range(3):
                self.start(0)
                self.advance()
                self.best()
                before = time.perf_counter()
                self.advance()
                self.best()
                seconds = time.perf_counter() - before
            if seconds > 0.003:
                break

    def load(self, problem):
        index = problem.function - 1
        self.index = index if self.per_function else self.jax.device_put(np.int32(index))
        self.tables = self.jax.device_put(problem.tables)

    def start(self, seed):
        keys = self.jax.random.split(self.jax.random.key(seed), self.runs)
        self.run = self.begin_all(keys, index=self.index, tables=self.tables)
        self.found = self.jax.device_put(np.float64(np.inf))
        self.evaluations = 0

    def advance(self):
        self.run, self.found = self.chunk_all(self.run, self.found, index=self.index, tables=self.tables)
        self.evaluations += self.generations * self.runs * self.population

    def best(self):
        return float(self.found)

    def close(self):
        self.jax.clear_caches()


class Evox:
    """The function is an operator that is opaque for PyTorch's compiler, so one compilation serves all functions."""

    STEPS = 10
    current = None

    def __init__(self, name, dimensions, runs, population, options):
        self.torch = torch = import_torch()
        import evox.algorithms
        from evox.core import Mutable, Problem as EvoxProblem, compile, use_state, vmap
        from evox.workflows import StdWorkflow

        torch._dynamo.reset()
        self.device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        self.dimensions, self.runs, self.population = dimensions, runs, population
        self.is_cma, self.options = name == "CMAES", options
        operator = self.operator(torch)

        class Watched(EvoxProblem):
            """The function, with a record of its smallest value."""

            def __init__(self):
                super().__init__()
                self.best = Mutable(torch.tensor(torch.inf))

            def evaluate(self, x):
                values = operator(x)
                self.best = torch.fmin(self.best, values.amin())
                return values

        bound = torch.full((dimensions,), HALF_WIDTH)
        kind = getattr(evox.algorithms, name)
        if self.is_cma:
            algorithm = kind(mean_init=torch.zeros(dimensions), sigma=2.0, pop_size=population)
        else:
            algorithm = kind(population, -bound, bound)
        # The number of points that a generation evaluates.
        self.points = population * {"CoDE": 3, "ODE": 2}.get(name, 1)
        # The compiler's own random numbers are float32, which cannot be multiplied by a float64 matrix.
        torch._inductor.config.fallback_random = self.is_cma
        workflow = StdWorkflow(algorithm, Watched())
        has_init = kind.init_step is not evox.core.Algorithm.init_step
        self.template = {k: v.detach().clone() for k, v in [*workflow.named_parameters(), *workflow.named_buffers()]}
        over_runs = lambda f: vmap(f, randomness="different") if runs > 1 else f
        self.init_step = over_runs(use_state(workflow.init_step)) if has_init else lambda state: state
        self.step = over_runs(use_state(workflow.step))
        if options.compile:
            self.step = compile(self.step, fullgraph=True)
        self.branches = functions(torch, torch.as_tensor, dimensions)
        self.tables = {k: torch.as_tensor(v) for k, v in Problem(1, 1, dimensions).tables.items()}
        self.can_record = torch.cuda.is_available() and options.graph and not self.is_cma
        self.graph = self.recorded_function = None

    @staticmethod
    @functools.cache
    def operator(torch):
        """The custom operator, created once per process, that evaluates the current function of the current search."""

        def evaluate(x: torch.Tensor) -> torch.Tensor:
            search = Evox.current
            x = torch.clip(x, -HALF_WIDTH, HALF_WIDTH)
            values = search.function(x.reshape(-1, x.shape[-1]), search.tables)
            return values.reshape(x.shape[:-1]).contiguous()

        made = torch.library.custom_op("bbob::evaluate", evaluate, mutates_args=())
        made.register_fake(lambda x: x.new_empty(x.shape[:-1]))
        made.register_vmap(lambda info, dims, x: (made(x.movedim(dims[0], 0)), 0))
        return made

    def fresh(self):
        """The state of new runs, as created by EvoX, but with other random points in each run, always in [-5, 5]."""
        torch, runs = self.torch, self.runs
        state = {k: v.expand(runs, *v.shape).clone() for k, v in self.template.items()}
        symmetric = lambda x, width: (2 * torch.rand_like(x) - 1) * width
        for name, x in state.items():
            match name.removeprefix("algorithm."):
                case "pop":
                    state[name] = symmetric(x, HALF_WIDTH)
                case "velocity":
                    state[name] = symmetric(x, 2 * HALF_WIDTH)
                case "mean":
                    state[name] = symmetric(x, 4.0)
                case other if other == "fit" or other.endswith("_fit"):
                    state[name] = torch.full_like(x, torch.inf)
        for name, x in state.items():
            if name.endswith("_location"):
                points = state["algorithm.pop"]
                state[name] = (points if x.shape == points.shape else points[:, 0]).clone()
        if runs == 1:
            state = {k: v[0] for k, v in state.items()}
        return dict(self.init_step(state))

    def compile(self):
        self.load(Problem(1, 1, self.dimensions))
        self.start(0)
        self.advance()
        self.best()

    def load(self, problem):
        torch = self.torch
        Evox.current = self
        for name, table in problem.tables.items():
            self.tables[name].copy_(torch.as_tensor(table))
        self.function = self.branches[problem.function - 1]
        if self.options.compile_functions:
            self.function = compiled_function(torch, problem.function, self.dimensions)
        if self.can_record and problem.function != self.recorded_function:
            # Free the memory of the previous graph for this one.
            self.graph = None
            try:
                self.graph, self.recorded_function = self.recorded(), problem.function
            except Exception as error:
                torch.cuda.synchronize()
                print(f"# no CUDA graph: {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
                if self.recorded_function is not None:
                    raise
                # PyTorch's random numbers no longer work in this process, so start a new one.
                os.execv(sys.executable, [sys.executable, "-W", "ignore", *sys.argv, "--no-graph"])

    def recorded(self):
        """Records the CUDA graph of some steps with the current function."""
        torch = self.torch
        self.state = self.fresh()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.put(self.step(self.state))
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            state = self.state
            for _ in range(self.STEPS):
                state = self.step(state)
            self.put(state)
        return graph

    def put(self, state):
        for name, x in self.state.items():
            x.copy_(state[name])

    def start(self, seed):
        self.torch.manual_seed(seed)
        self.evaluations = 0
        if self.graph:
            self.put(self.fresh())
        else:
            self.state = self.fresh()

    def advance(self):
        if self.graph:
            self.graph.replay()
        else:
            for _ in range(self.STEPS):
                self.state = self.step(self.state)
        self.evaluations += self.STEPS * self.runs * self.points

    def is_over(self):
        """Which runs have converged or have NaN."""
        torch, state = self.torch, self.state
        if self.is_cma:
            spread = state["algorithm.C"].diagonal(dim1=-2, dim2=-1).amax(-1).sqrt() * state["algorithm.sigma"]
        else:
            spread = state["algorithm.fit"].amax(-1) - state["algorithm.fit"].amin(-1)
        return (spread < COLLAPSED) | spread.isnan()

    def best(self):
        torch = self.torch
        over = self.is_over()
        best, is_any = torch.stack([self.state["problem.best"].amin(), over.any().to(torch.float64)]).tolist()
        if is_any:
            fresh = self.fresh()
            kept = lambda name, x: name.startswith("problem.")
            wide = lambda x: over.reshape(over.shape + (1,) * (x.dim() - over.dim()))
            state = {k: x if kept(k, x) else torch.where(wide(x), fresh[k], x) for k, x in self.state.items()}
            if self.graph:
                self.put(state)
            else:
                self.state = state
        return best

    def close(self):
        self.state = self.graph = Evox.current = None
        self.torch._dynamo.reset()
        gc.collect()
        if self.torch.cuda.is_available():
            self.torch.cuda.empty_cache()


@functools.cache
def compiled_function(torch, function, dimensions):
    return torch.compile(functions(torch, torch.as_tensor, dimensions)[function - 1], dynamic=False)


# Searches on all cores.


def pycma(f, process, restart):
    import peers

    peers.pycma(f, 1 + process + 10_000 * restart)


def pygmo(f, process, restart):
    """The same as in peers.py, with different seeds in each process."""
    import pygmo as pg

    class Fitness:
        def fitness(self, x):
            return [f(x)]

        def get_bounds(self):
            return [-HALF_WIDTH] * f.dimensions, [HALF_WIDTH] * f.dimensions

    size = max(5, 4 + int(3.0 * np.log(f.dimensions))) * 2 ** (restart % 10)
    seed = 1 + process + 10_000 * restart
    settings = {"ftol": 1e-12, "xtol": 1e-12, "force_bounds": True, "seed": seed}
    population = pg.population(pg.problem(Fitness()), size=size, seed=seed)
    pg.algorithm(pg.cmaes(gen=f.left() // size + 1, **settings)).evolve(population)


ON_CORES = {"pycma": pycma, "pygmo": pygmo}
SHARED = {}


def prepare_process(is_solved, barrier):
    import cma
    import peers
    import pygmo

    SHARED["is_solved"] = is_solved
    barrier.wait()


def timed(problem, start, seconds):
    """The function of peers.py with a time limit instead of a count; it also ends if another process has solved it."""
    import peers

    class Timed(peers.Counted):
        best, solved_at = math.inf, math.inf

        def __call__(self, x):
            if self.is_over():
                raise peers.Over
            value = self.problem(x)
            self.count += 1
            if value < self.best:
                self.best = value
                if value - problem.f_opt <= PRECISION:
                    self.solved_at = time.perf_counter() - start
                    SHARED["is_solved"].value = 1
            return value

        def left(self):
            return 10**9

        def is_over(self):
            return SHARED["is_solved"].value or time.perf_counter() - start >= seconds

    return Timed(problem.function, problem.instance, problem.dimensions, problem.f_opt)


def on_core(task):
    """The task of one process: returns seconds until it solved the problem, its best value and its evaluations."""
    import peers

    name, process, problem, start, seconds = task
    f = timed(problem, start, seconds)
    time.sleep(max(0.0, start - time.perf_counter()))
    restart = 0
    while not f.is_over():
        try:
            ON_CORES[name](f, process, restart)
        except peers.Over:
            pass
        restart += 1
    return f.solved_at, f.best, f.count


class Cores:
    """One process per core, started before the first measurement."""

    def __init__(self, name):
        import multiprocessing

        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
            os.environ.setdefault(variable, "1")
        self.name, self.count = name, len(os.sched_getaffinity(0))
        self.device = f"{self.count} cores"
        context = multiprocessing.get_context("spawn")
        self.is_solved = context.Value("b", 0, lock=False)
        barrier = context.Barrier(self.count + 1)
        self.pool = context.Pool(self.count, prepare_process, [self.is_solved, barrier])
        barrier.wait()
        # Run once, so that a library's late imports happen now.
        self.measure(Problem(1, 1, 5), 3.0)

    def measure(self, problem, seconds):
        self.is_solved.value = 0
        # Every process takes exactly one task, because no task ends before the start time.
        start = time.perf_counter() + 0.1
        tasks = [(self.name, i, problem, start, seconds) for i in range(self.count)]
        solved, best, counts = zip(*self.pool.map(on_core, tasks, chunksize=1))
        return min(*solved, seconds), min(best) - problem.f_opt, sum(counts)

    def close(self):
        self.pool.terminate()
        self.pool.join()


# The measurement.

usual = lambda d: 4 + int(3 * math.log(d))
# Name: (class, name in the library, runs, population).
ON_GPU = {
    "evosax-cma": (Evosax, "CMA_ES", 1000, usual),
    "evosax-sep-cma": (Evosax, "Sep_CMA_ES", 1000, usual),
    "evosax-ma": (Evosax, "MA_ES", 1000, usual),
    "evosax-de": (Evosax, "DifferentialEvolution", 100, 100),
    "evosax-pso": (Evosax, "PSO", 1000, 100),
    "evox-cma": (Evox, "CMAES", 1, 1024),
    "evox-de": (Evox, "DE", 100, 100),
    "evox-jade": (Evox, "JaDE", 100, 100),
    "evox-shade": (Evox, "SHADE", 100, 32),
    "evox-code": (Evox, "CoDE", 100, 100),
    "evox-ode": (Evox, "ODE", 100, 100),
    "evox-pso": (Evox, "PSO", 1000, 100),
    "evox-clpso": (Evox, "CLPSO", 1000, 100),
    "evox-slpso": (Evox, "SLPSOUS", 1000, 100),
}


def made(text, dimensions, arguments):
    """Creates the search NAME or NAME:RUNSxPOPULATION; returns it with its full name."""
    name, _, shape = text.partition(":")
    if name in ON_CORES:
        return Cores(name), name
    kind, theirs, runs, population = ON_GPU[name]
    runs = arguments.runs or runs
    population = arguments.population or (population(dimensions) if callable(population) else population)
    if shape:
        runs, population = map(int, shape.split("x"))
    return kind(theirs, dimensions, runs, population, arguments), f"{name}:{runs}x{population}"


def measured_on_gpu(search, problem, seconds):
    """Measures seconds, best value minus f_opt, and evaluations."""
    search.load(problem)
    search.start(1)
    search.advance()
    search.best()
    begin = now = time.perf_counter()
    search.start(2)
    chunks, elapsed = 1, 0.0
    while True:
        for _ in range(chunks):
            search.advance()
        best = search.best() - problem.f_opt
        before, now = now, time.perf_counter()
        elapsed, each = now - begin, (now - before) / chunks
        if best <= PRECISION or elapsed >= seconds:
            return elapsed, best, search.evaluations
        wanted = min(READ_EVERY, seconds - elapsed) / each
        chunks = max(1, min(int(wanted), 4 * chunks))


def measure(text, dimensions, arguments, is_late):
    """Measures all problems with a search and a number of dimensions."""
    before = time.perf_counter()
    try:
        search, name = made(text, dimensions, arguments)
        if text not in ON_CORES:
            search.compile()
    except Exception as error:
        print(f"# {text} D {dimensions}: FAILED {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
        return
    compiled, solved, tried = time.perf_counter() - before, 0, 0
    try:
        for function in arguments.functions:
            for instance in arguments.instances:
                if is_late():
                    raise TimeoutError("the limit of the whole program")
                problem = Problem(function, instance, dimensions)
                if text in ON_CORES:
                    found = search.measure(problem, arguments.seconds)
                else:
                    found = measured_on_gpu(search, problem, arguments.seconds)
                seconds, best, evaluations = found
                tried += 1
                solved += best <= PRECISION
                print(name, dimensions, function, instance, f"{seconds:.3f} {best:.3e} {evaluations}", flush=True)
    except Exception as error:
        print(f"# {name} D {dimensions}: STOPPED {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
    search.close()
    print(f"# {name} D {dimensions}: compile {compiled:.1f} s, solved {solved} of {tried}, {search.device}", flush=True)


def ranges(text):
    """Parses numbers such as 1-5,10."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    as_text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_text)
    parser.add_argument("--list", action="store_true", help="the searches, and the runs and population each has by itself")
    parser.add_argument("--check", action="store_true", help="compare all functions with COCO's")
    parser.add_argument("--searches", default=",".join([*ON_GPU, *ON_CORES]))
    parser.add_argument("--dims", type=ranges, default=[10, 20, 40])
    parser.add_argument("--functions", type=ranges, default=ranges("1-24"))
    parser.add_argument("--instances", type=ranges, default=ranges("1-3"))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--runs", type=int, help="for searches that are written without")
    parser.add_argument("--population", type=int, help="likewise")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds of the whole program")
    parser.add_argument("--per-function", action="store_true", help="evosax: a program for each function")
    parser.add_argument("--compile-functions", action="store_true", help="EvoX: compile each function, too")
    parser.add_argument("--no-graph", dest="graph", action="store_false", help="EvoX: no CUDA graphs")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="EvoX: for tests on a CPU")
    arguments = parser.parse_args()
    if arguments.list:
        for name, (_, theirs, runs, population) in ON_GPU.items():
            print(name, theirs, runs, "4 + 3 ln D" if callable(population) else population)
        print(*ON_CORES, sep="\n")
        return
    if arguments.check:
        sys.exit(0 if check(arguments) else 1)
    unknown = [s for s in arguments.searches.split(",") if s.partition(":")[0] not in ON_GPU | ON_CORES]
    if unknown:
        parser.error(f"no such search: {', '.join(unknown)}")
    end = time.perf_counter() + arguments.limit
    is_late = lambda: time.perf_counter() + arguments.seconds > end
    searches = arguments.searches.split(",")
    if len(searches) * len(arguments.dims) == 1:
        measure(searches[0], arguments.dims[0], arguments, is_late)
        return
    print("# search D function instance seconds best-f_opt evaluations", flush=True)
    for dimensions in arguments.dims:
        for text in searches:
            if not is_late():
                # Run each in its own process, so that memory left on the device does not affect others.
                only = ["--searches", text, "--dims", str(dimensions), "--limit", str(end - time.perf_counter())]
                subprocess.run([sys.executable, "-W", "ignore", *sys.argv, *only])


if __name__ == "__main__":
    main()
