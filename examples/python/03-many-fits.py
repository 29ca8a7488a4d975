# %% [markdown]
# # Many fits at once
#
# This notebook is for readers who have one model and many data sets: pixels, wells of a plate, days. At the end you
# have fitted all of them in one call, and seen from the fits how accurate the parameters are.
#
# For least squares `ws.curve_fit` is shorter: it takes an array with one data set a row, and gives standard errors. See
# the tutorial *Fit measured data*. This notebook shows what works for any other misfit.
#
# Here are 60 decay curves of 25 points each. Ten thousand, or a million on a GPU, are the same call.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures

draws = np.random.default_rng(3)
curves = 60
truth = draws.uniform([1, 0.5, 0], [9, 5, 1], (curves, 3))  # height, lifetime, background
t = np.linspace(0, 10, 25)
clean = truth[:, :1] * np.exp(-t / truth[:, 1:2]) + truth[:, 2:]
noise = 0.1
measured = clean + draws.normal(0, noise, clean.shape)

# %% [markdown]
# ## One call
#
# The misfit is that of one curve. `ws.each(measured)` gives each run one row of the data, so there are as many runs as
# rows. All runs are one batch, on all cores or on a GPU. The result of a run does not depend on the others.


# %%
def misfit(p, y):
    height, lifetime, background = p
    return np.sum((y - height * np.exp(-t / lifetime) - background) ** 2)


bounds = [(0, 20), (0.1, 20), (-2, 3)]
fits = ws.minimize(misfit, bounds, args=(ws.each(measured),), algorithm="de", population=24, max_iterations=200)
print(fits.how, fits.runs.xs.shape, fits.nfev)

# %% [markdown]
# ## The results
#
# The sum of squares of a good fit is about the variance of the noise times the number of points minus the number of
# parameters. If it is much larger, the fit has not found the minimum, or the model is wrong for these data.

# %%
expected = noise**2 * (len(t) - len(bounds))
print(f"sums of squares: median {np.median(fits.runs.funs):.3f}, largest {fits.runs.funs.max():.3f}, expected {expected:.3f}")
for name, found, true in zip(["height", "lifetime", "background"], fits.runs.xs.T, truth.T):
    print(f"{name:>10}: median error {np.median(np.abs(found - true)):.3f}")

# %%
if plt is not None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
    for k, color in zip([0, 1, 2], ["C0", "C1", "C2"]):
        height, lifetime, background = fits.runs.xs[k]
        left.plot(t, measured[k], ".", color=color)
        left.plot(t, height * np.exp(-t / lifetime) + background, color=color)
    left.set_xlabel("t")
    left.set_title("Three of the fits, and lifetimes of all")
    right.plot(truth[:, 1], fits.runs.xs[:, 1], ".")
    right.plot([0, 5], [0, 5], color="gray")
    right.set_xlabel("lifetime in truth")
    right.set_ylabel("found")

# %% [markdown]
# ## Bounds and initial points of each fit
#
# Use what is known about each data set: `bounds` may have the shape `(runs, n, 2)`, and `x0` the shape `(runs, k, n)`.
# Here each fit starts at the height and the background estimated from its own data, and needs only half of the
# iterations. With a list of targets, one for each run, each run stops when it is good enough.

# %%
guess = np.stack([measured[:, 0] - measured[:, -1], np.full(curves, 2.0), measured[:, -1]], axis=1)
inside = np.clip(guess, *np.transpose(bounds))
begun = ws.minimize(
    misfit,
    bounds,
    args=(ws.each(measured),),
    x0=inside[:, np.newaxis, :],
    algorithm="de",
    population=24,
    max_iterations=100,
)
print("the same lifetimes:", np.allclose(begun.runs.xs[:, 1], fits.runs.xs[:, 1], rtol=1e-6))

# %% [markdown]
# `fits.to_dataframe()` is a table of all fits, with pandas or polars.
