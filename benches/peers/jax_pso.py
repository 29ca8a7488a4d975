"""PSO in JAX, written by hand as an experienced user would.

jax_scan: jit and a fori_loop with a static number of iterations, the default generator (threefry), donated state.
jax_tuned: the same with the generator rbg, one draw for r1 and r2, and a scan unrolled eight times for small swarms.
"""

import os

from gpu import OPTIONS, cases, measure, say

if OPTIONS.cpu:
    os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.6")
import jax
import jax.numpy as jnp
from jax import lax

INERTIA, COGNITIVE, SOCIAL = 0.7298, 1.49618, 1.49618


def objective(name):
    if name == "sphere":
        return lambda x: jnp.sum(x * x, axis=-1)
    return lambda x: 10.0 * x.shape[-1] + jnp.sum(x * x - 10.0 * jnp.cos(2 * jnp.pi * x), axis=-1)


def build(case, tuned):
    f = objective(case.objective)
    lower, upper = case.bounds
    shape = (case.individuals, case.dimensions)

    def init(key):
        key, a, b = jax.random.split(key, 3)
        x = jax.random.uniform(a, shape, minval=lower, maxval=upper)
        v = jax.random.uniform(b, shape, minval=lower, maxval=upper)
        fitness = f(x)
        i = jnp.argmin(fitness)
        return (key, x, v, x, fitness, x[i], fitness[i])

    def step(state):
        key, x, v, p, fitness, g, best = state
        if tuned:
            key, k = jax.random.split(key)
            r = jax.random.uniform(k, (2, *shape))
            r1, r2 = r[0], r[1]
        else:
            key, a, b = jax.random.split(key, 3)
            r1 = jax.random.uniform(a, shape)
            r2 = jax.random.uniform(b, shape)
        v = jnp.clip(INERTIA * v + COGNITIVE * r1 * (p - x) + SOCIAL * r2 * (g - x), lower, upper)
        x = jnp.clip(x + v, lower, upper)
        y = f(x)
        improved = y < fitness
        p = jnp.where(improved[:, None], x, p)
        fitness = jnp.where(improved, y, fitness)
        i = jnp.argmin(fitness)
        better = fitness[i] < best
        g = jnp.where(better, p[i], g)
        return (key, x, v, p, fitness, g, jnp.where(better, fitness[i], best))

    def many(state):
        if tuned and case.coordinates <= 65536 * 2:
            one = lambda state, _: (step(state), None)
            return lax.scan(one, state, None, length=case.block, unroll=8)[0]
        return lax.fori_loop(0, case.block, lambda _, state: step(state), state)

    if case.runs > 1:
        init, many = jax.vmap(init), jax.vmap(many)
    return jax.jit(init), jax.jit(many, donate_argnums=0)


def make(case, tuned):
    init, many = build(case, tuned)
    box = {}

    def reset():
        key = jax.random.key(1, impl="rbg" if tuned else "threefry2x32")
        box["state"] = init(jax.random.split(key, case.runs) if case.runs > 1 else key)

    def run():
        box["state"] = many(box["state"])

    def wait():
        jax.block_until_ready(box["state"])

    return reset, run, wait, lambda: jnp.min(box["state"][6])


say(f"# jax {jax.__version__} {jax.devices()[0].device_kind}")
for tuned in (False, True):
    for case in cases():
        measure("jax_tuned" if tuned else "jax_scan", case, lambda: make(case, tuned))
