# %% [markdown]
# # Whole numbers and choices
#
# This notebook is for readers who design with standard sizes and materials. At the end you have chosen the teeth of
# four gears, and a beam from a catalogue.

# %%
import itertools

import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures

# %% [markdown]
# ## Whole numbers
#
# Two pairs of gears with 12 to 60 teeth each should approximate a ratio of 1 to 6.931 as closely as possible (Sandgren
# 1990). `integrality=True` makes all variables integers; a list sets this for each variable.


# %%
def off(x):
    return (1 / 6.931 - x[0] * x[1] / (x[2] * x[3])) ** 2


gears = ws.minimize(off, [(12, 60)] * 4, integrality=True, max_evaluations=20_000)
print(f"one run: off by {np.sqrt(gears.fun):.1e}")

# %% [markdown]
# There are 5.8 million combinations, and the neighbours of a good combination are not better than any others. Such a
# problem is hard, and a single run is not reliable. Twenty runs:

# %%
many = ws.minimize(off, [(12, 60)] * 4, integrality=True, max_evaluations=20_000, runs=20)
best_of_all, worst_of_all = np.sqrt([many.fun, many.runs.funs.max()])
print(f"twenty runs: off by {best_of_all:.1e}, the worst of them by {worst_of_all:.1e}")
teeth = [int(n) for n in many.x]
print(f"{sorted(teeth[:2])} to {sorted(teeth[2:])} teeth: 1 to {teeth[2] * teeth[3] / (teeth[0] * teeth[1]):.4f}")

# %% [markdown]
# There are few enough combinations to evaluate all of them as a check:

# %%
products = np.array([a * b for a, b in itertools.combinations_with_replacement(range(12, 61), 2)])
best = np.min(np.abs(1 / 6.931 - products[:, np.newaxis] / products))
print(f"the best there is: off by {best:.1e}")

# %% [markdown]
# ## Sizes and materials from a catalogue
#
# A `Problem` has further kinds of variables. `values` lists the allowed numbers, and `choices` lists names; expressions
# test a choice with `if`, or use it as the index of a table. A cantilever beam of 1 m carries 500 N at its end. It
# should be cheap, bend by at most 5 mm, and not break.

# %%
beam = ws.Problem(
    "density[metal] * price[metal] * area",
    variables={
        "metal": {"choices": ["steel", "aluminium", "titanium"]},
        "wall": {"values": [1, 1.5, 2, 3, 4, 5, 6, 8], "unit": "mm"},
        "side": {"lower": 20, "upper": 120, "scale": "integer", "unit": "mm"},
    },
    constants={
        "density": {"steel": 7850, "aluminium": 2700, "titanium": 4430},
        "price": {"steel": 1.5, "aluminium": 5.0, "titanium": 30.0},
        "modulus": {"steel": 210e9, "aluminium": 70e9, "titanium": 114e9},
        "strength": {"steel": 235e6, "aluminium": 160e6, "titanium": 830e6},
        "load": 500,
    },
    let={
        "a": "side / 1000",
        "b": "(side - 2 * wall) / 1000",
        "area": "a^2 - b^2",
        "inertia": "(a^4 - b^4) / 12",
    },
    constraints={
        "bending": "load / (3 * modulus[metal] * inertia) <= 0.005",
        "stress": "load * a / 2 / inertia <= strength[metal] / 1.5",
        "buckling": "side <= 40 * wall",
    },
    name="beam",
)
result = ws.minimize(beam, max_evaluations=20_000, runs=4)
print(beam.chosen(result.x))
print(f"costs {result.fun:.2f}, violation {result.maxcv}")

# %% [markdown]
# `result.x` contains numbers. For choices and values these are positions in the lists, from 1 on; `chosen` converts
# them.
#
# How much would beams of the other metals cost? `evaluate` returns the value, the violation and each constraint at
# given points. Here these are all possible points.

# %%
every = [np.arange(lower, upper + 1) for lower, upper in beam.bounds]
points = np.stack(np.meshgrid(*every, indexing="ij"), axis=-1).reshape(-1, 3)
costs, violations, _ = beam.evaluate(points)
metals = {place: beam.chosen([place, 1, 20])["metal"] for place in every[0]}
for place, metal in metals.items():
    allowed = (points[:, 0] == place) & (violations == 0)
    print(f"{metal:>9}: {costs[allowed].min():.2f}")

# %%
if plt is not None:
    figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for place, metal in metals.items():
        allowed = (points[:, 0] == place) & (violations == 0)
        cheapest = [costs[allowed & (points[:, 2] == side)].min(initial=np.inf) for side in every[2]]
        ax.plot(every[2], cheapest, ".", label=metal)
    ax.plot(result.x[2], result.fun, "^", color="black", label="found")
    ax.set_yscale("log")
    ax.set_xlabel("side (mm)")
    ax.set_ylabel("cost")
    ax.set_title("The cheapest beam of each side that holds")
    ax.legend()
