# %% [markdown]
# # Constraints
#
# For those whose best point must also hold, fit, or add up. At the end you have designed a spring, seen which of its constraints hold it back, and
# spread money over four funds.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # pictures are left out

# %% [markdown]
# ## A spring
#
# The lightest spring (Belegundu 1982): wire of diameter d, coils of diameter D, N of them; in inches. Constraints are SciPy's: of `"type": "ineq"` the
# function must be at least 0. One function may return several.


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
# Nothing had to be weighed against the mass: a point that violates nothing is better than each that does. `maxcv` is by how much the best
# point violates the constraints, 0 if it is feasible; `success` says so, too.
#
# ## Constraints that cut the plane into pieces
#
# The function has its minimum in the middle, which is forbidden; two regions are left.


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
# Shares of four funds: they add up to 1, bring at least 6 % a year, and vary as little as can be. An equation leaves a search no room, so that its
# violations count as none at first, up to a level that falls to 0. Several runs, and more evaluations, make up for what that costs.

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
# Where an equation can be solved for a variable, do that: one variable and one equation fewer, and the search is an easy one. Here the first share is
# what the others leave.


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
