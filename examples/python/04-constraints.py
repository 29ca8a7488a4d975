# %% [markdown]
# # Constraints
#
# This notebook is for readers whose variables have to satisfy constraints. At the end you have designed a spring, seen
# which of its constraints are active, and distributed money over four funds.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures

# %% [markdown]
# ## A spring
#
# The lightest spring (Belegundu 1982) has a wire of diameter d, and N coils of diameter D, in inches. Constraints have
# SciPy's form: with `"type": "ineq"` the function must be at least 0. One function may return several values.


# %%
def mass(x):
    d, D, N = x
    return (N + 2) * D * d**2


def margins(x):
    d, D, N = x
    deflection = D**3 * N / (71785 * d**4) - 1
    shear = 1 - (4 * D**2 - d * D) / (12566 * (D * d**3 - d**4)) - 1 / (5108 * d**2)
    frequency = 140.45 * d / (D**2 * N) - 1
    diameter = 1 - (d + D) / 1.5
    return np.array([deflection, shear, frequency, diameter])


spring = ws.minimize(
    mass,
    [(0.05, 2), (0.25, 1.3), (2, 15)],
    constraints={"type": "ineq", "fun": margins},
    max_evaluations=50_000,
)
print(f"mass {spring.fun:.6f}, violation {spring.maxcv}")
for name, margin in zip(["deflection", "shear", "frequency", "diameter"], margins(spring.x)):
    print(f"{name:>10}: {abs(margin):.5f}" + (" holds it back" if abs(margin) < 1e-6 else ""))

# %% [markdown]
# There are no penalty weights to choose: a feasible point is better than every infeasible one. `maxcv` is the
# constraint violation of the best point, 0 if it is feasible; `success` is then true.
#
# ## Constraints with separate feasible regions
#
# The function has its minimum in the middle, which is not allowed. Two separate feasible regions remain.


# %%
def bowl(x):
    return x[0] ** 2 + 0.5 * x[1] ** 2 + 0.3 * x[0]


outside = {"type": "ineq", "fun": lambda x: x[0] ** 2 + x[1] ** 2 - 4}
strip = {"type": "ineq", "fun": lambda x: np.abs(x[0]) - 1}
pieces = ws.minimize(bowl, [(-4, 4)] * 2, constraints=[outside, strip], max_evaluations=20_000)
print(f"best value {pieces.fun:.4f} at ({pieces.x[0]:.4f}, {abs(pieces.x[1]):.4f}), or below")

# %%
if plt is not None:
    side = np.linspace(-4, 4, 200)
    X, Y = np.meshgrid(side, side)
    is_barred = (X**2 + Y**2 < 4) | (np.abs(X) < 1)
    figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
    ax.contour(X, Y, bowl(np.array([X, Y])), levels=15, colors="gray", linewidths=0.7)
    ax.contourf(X, Y, is_barred, levels=[0.5, 1], colors=["tan"], alpha=0.7)
    ax.plot(*pieces.x, "^", color="C3", label="best point")
    ax.set_aspect("equal")
    ax.set_title("What is brown is forbidden")
    ax.legend()

# %% [markdown]
# ## An equation
#
# The shares of four funds add up to 1, yield at least 6 % a year, and have the smallest possible variance. The feasible
# set of an equation has no interior. So the search ignores violations at first, up to a level that falls to 0. This
# costs reliability; use several runs, and more evaluations.

# %%
gain = np.array([0.03, 0.05, 0.07, 0.10])
covariance = np.array(
    [
        [0.0004, 0.0002, 0.0001, 0.0000],
        [0.0002, 0.0100, 0.0040, 0.0030],
        [0.0001, 0.0040, 0.0250, 0.0120],
        [0.0000, 0.0030, 0.0120, 0.0640],
    ]
)
shares = ws.minimize(
    lambda w: w @ covariance @ w,
    [(0, 1)] * 4,
    constraints=[
        {"type": "eq", "fun": lambda w: np.sum(w) - 1},
        {"type": "ineq", "fun": lambda w: gain @ w - 0.06},
    ],
    runs=4,
    max_evaluations=20_000,
)
print(f"shares {np.round(shares.x, 2)}, deviation {np.sqrt(shares.fun):.3f}, sum {shares.x.sum():.5f}")

# %% [markdown]
# If you can solve an equation for a variable, do so. The problem then has one variable and one equation less, and the
# search is easy. Here the first share is 1 minus the sum of the others.


# %%
def whole(w):
    return np.concatenate([[1 - np.sum(w)], w])


fewer = ws.minimize(
    lambda w: whole(w) @ covariance @ whole(w),
    [(0, 1)] * 3,
    constraints={"type": "ineq", "fun": lambda w: np.array([1 - np.sum(w), gain @ whole(w) - 0.06])},
    max_evaluations=20_000,
)
print(f"shares {np.round(whole(fewer.x), 2)}, deviation {np.sqrt(fewer.fun):.3f}")
