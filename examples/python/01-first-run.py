# %% [markdown]
# # A first run in Python
#
# For those who have never used the package. At the end you have minimised a function, seen how the search went, and know what a result says.
#
# Rastrigin's function has its least value, 0, where all coordinates are 0, and in two dimensions some hundred other minima around it. A method
# that only goes downhill ends in one of those.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # pictures are left out


def rastrigin(x):
    return 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))


result = ws.minimize(rastrigin, [(-5.12, 5.12)] * 2, max_evaluations=5000, history=True)
print(f"best value {result.fun:.1e} at {np.round(result.x, 6) + 0.0}")
print(result.message)

# %% [markdown]
# The bounds are a pair for each variable. `max_evaluations` is one of the limits; without any, a run has a million evaluations. `history=True` records how
# the best value went.
#
# `result` is a dict whose entries are attributes, with SciPy's names: `x`, `fun`, `nfev`, `success`, `message`. As the last line of a cell a
# notebook shows it as a table.

# %%
result

# %% [markdown]
# How it went: on the left is the best value over the evaluations, on the right the individuals of the last iteration.

# %%
if plt is not None:
    result.plot()

# %% [markdown]
# ## What ran
#
# The function was called once, with a symbolic vector, and what it did with that was compiled. So it runs on all cores, or on a GPU, and Python
# is not called again.

# %%
print(result.how)
print(ws.trace(rastrigin, 2))

# %% [markdown]
# A function with `if x[0] > 0`, or one that calls a simulator, cannot be compiled. There is a warning, which names the line, and the function is called
# at each point. `compile=False` says that this is meant.

# %%
called = ws.minimize(rastrigin, [(-5.12, 5.12)] * 2, max_evaluations=5000, compile=False)
print(called.how)
print(f"best value {called.fun:.1e}")

# %% [markdown]
# ## More variables
#
# In ten dimensions there are more than a thousand million minima. The default, `algorithm="auto"`, searches, restarts where it has
# converged, and keeps the best.

# %%
start = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=3_000)
ten = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=200_000, target=1e-8)
print(f"after {start.nfev:,} evaluations: {start.fun:.2f}")
print(f"in the end: {ten.message}")

# %% [markdown]
# Which minimum an early end leaves a run in is chance. Several runs say how reliable a result is: `runs=20` makes twenty, side by side, with other
# random numbers each.

# %%
many = ws.minimize(rastrigin, [(-5.12, 5.12)] * 10, max_evaluations=20_000, runs=20)
print("values:", np.sort(np.round(many.runs.funs, 1) + 0.0))
