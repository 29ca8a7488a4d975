"""evosax 0.3: PSO and DifferentialEvolution, ask-eval-tell within jit and scan, the fast path of its documentation.

Its PSO draws one r1 and one r2 per particle, not per dimension, and has neither bounds nor a velocity limit. The way in
which its DE draws indices needs time and memory quadratic in the number of individuals, so it runs on small cases only.
"""

import os

from gpu import OPTIONS, cases, measure, say

if OPTIONS.cpu:
    os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.8")
from importlib.metadata import version

import jax
import jax.numpy as jnp
from evosax.algorithms import PSO, DifferentialEvolution
from jax import lax


def objective(name):
    if name == "sphere":
        return lambda x: jnp.sum(x * x, axis=-1)
    return lambda x: 10.0 * x.shape[-1] + jnp.sum(x * x - 10.0 * jnp.cos(2 * jnp.pi * x), axis=-1)


def no_metrics(key, population, fitness, state, params):
    return {}


def make(algorithm, case):
    f = objective(case.objective)
    lower, upper = case.bounds
    shape = (case.individuals, case.dimensions)
    solution = jnp.zeros(case.dimensions)
    es = algorithm(population_size=case.individuals, solution=solution, metrics_fn=no_metrics)
    params = es.default_params

    def init(key):
        key, a, b = jax.random.split(key, 3)
        x = jax.random.uniform(a, shape, minval=lower, maxval=upper)
        return key, es.init(b, x, f(x), params)

    def step(carry, _):
        key, state = carry
        key, ask, tell = jax.random.split(key, 3)
        population, state = es.ask(ask, state, params)
        state, _ = es.tell(tell, population, f(population), state, params)
        return (key, state), None

    def many(carry):
        return lax.scan(step, carry, None, length=case.block)[0]

    if case.runs > 1:
        init, many = jax.vmap(init), jax.vmap(many)
    init, many = jax.jit(init), jax.jit(many, donate_argnums=0)
    box = {}

    def reset():
        key = jax.random.key(1)
        keys = jax.random.split(key, case.runs) if case.runs > 1 else key
        box["carry"] = jax.block_until_ready(init(keys))

    def run():
        box["carry"] = many(box["carry"])

    def wait():
        jax.block_until_ready(box["carry"])

    return reset, run, wait, lambda: jnp.min(box["carry"][1].best_fitness)


say(f"# evosax {version('evosax')} jax {jax.__version__} {jax.devices()[0].device_kind}")
for case in cases():
    measure("evosax_pso", case, lambda: make(PSO, case))
for case in cases():
    if case.name in ("n768_d30", "batch1000"):
        measure("evosax_de", case, lambda: make(DifferentialEvolution, case))
