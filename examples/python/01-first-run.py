# %% [markdown]
# # A first run in Python
#
# This notebook is for readers who have never used the package. At the end you have minimised a function, plotted the
# convergence, and know what a result contains.
#
# Rastrigin's function has its minimum, 0, at the point whose coordinates are all 0. In two dimensions there are about a
# hundred local minima around it. A local search ends in one of those.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures


def rastrigin(x):
    return 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))


result = ws.minimize(rastrigin, [(-5.12, 5.12)] * 2, max_evaluations=5000, history=True)
print(f"best value {result.fun:.1e} at {np.round(result.x, 6) + 0.0}")
print(result.message)

# %% [markdown]
# The bounds are a pair for each variable. `max_evaluations` is one of the limits; without a limit, a run takes a
# million evaluations. `history=True` records the best value during the run.
#
# `result` is a dict whose entries are also attributes, with SciPy's names: `x`, `fun`, `nfev`, `success`, `message`. If
# it is the last line of a cell, the notebook shows it as a table.

# %%
result

# %% [markdown]
# The plot shows the convergence: on the left the best value over the evaluations, on the right the individuals of the
# last iteration.

# %%
if plt is not None:
    result.plot()

# %% [markdown]
# ## How the function was evaluated
#
# The package called the function once, with a symbolic vector, and compiled its operations. The compiled function runs
# on all cores or on a GPU, without calling Python again.

# %%
print(result.how)
print(ws.trace(rastrigin, 2))

# %% [markdown]
# A function with `if x[0] > 0`, or one that calls a simulator, cannot be compiled. A warning names the line, and the
# function is called at each point. With `compile=False` this is intended, and there is no warning.

# %%
called = ws.minimize(rastrigin, [(-5.12, 5.12)] * 2, max_evaluations=5000, compile=False)
print(called.how)
print(f"best value {called.fun:.1e}")

# %% [markdown]
# ## More variables
#
# In ten dimensions there are more than a thousand million minima. The default, `algorithm="auto"`, restarts after each
# convergence and keeps the best point.

# %%
start = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=3_000)
ten = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=200_000, target=1e-8)
print(f"after {start.nfev:,} evaluations: {start.fun:.2f}")
print(f"in the end: {ten.message}")

# %% [markdown]
# If a run stops early, it depends on the random numbers in which minimum it ends. Several runs show how reliable a
# result is: `runs=20` makes twenty runs in parallel, each with different random numbers.

# %%
many = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=20_000, runs=20)
print("values:", np.sort(np.round(many.runs.funs, 1) + 0.0))
