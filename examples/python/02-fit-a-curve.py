# %% [markdown]
# # Fit a curve
#
# This notebook is for readers who have measurements and a formula for them. At the end you have the parameters, their
# standard errors, and a fit that is robust against outliers.
#
# `ws.curve_fit` gives the parameters with their standard errors in one call: see the tutorial *Fit measured data*. This
# notebook shows how such a fit works. The same steps fit by other measures than least squares, since any function of
# the residuals can be minimised.
#
# The signal is a damped oscillation. Because of its frequency, the fit is hard for local methods that start from a
# guess.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures


def model(p, t):
    height, decay, frequency, phase = p
    return height * np.exp(-t / decay) * np.cos(2 * np.pi * frequency * t + phase)


draws = np.random.default_rng(1)
truth = [3.0, 4.0, 1.7, 0.5]
t = np.linspace(0, 10, 200)
y = model(truth, t) + draws.normal(0, 0.2, t.size)


# %% [markdown]
# ## Least squares
#
# The misfit is a function of the parameters. The arrays `t` and `y` become data of the compiled function.


# %%
def misfit(p):
    return np.sum((y - model(p, t)) ** 2)


bounds = {"height": (0, 10), "decay": (0.1, 20), "frequency": (0, 5), "phase": (-np.pi, np.pi)}
fit = ws.minimize(misfit, list(bounds.values()), max_evaluations=20_000)
for name, value, true in zip(bounds, fit.x, truth):
    print(f"{name:>9} = {value:6.3f}, in truth {true}")

# %% [markdown]
# As a function of the frequency, the misfit is nearly flat, with shallow minima, except for one narrow valley. A local
# method finds the valley only if its starting point is already inside.

# %%
if plt is not None:
    frequencies = np.linspace(0, 5, 500)
    along = [misfit([fit.x[0], fit.x[1], frequency, fit.x[3]]) for frequency in frequencies]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
    left.plot(t, y, ".", color="gray", label="data")
    left.plot(t, model(fit.x, t), label="fit")
    left.set_xlabel("t")
    left.legend()
    right.plot(frequencies, along)
    right.set_xlabel("frequency")
    right.set_ylabel("misfit")
    left.set_title("The fit, and the misfit along the frequency")

# %% [markdown]
# ## Uncertainties
#
# Near the best point the model is nearly linear in its parameters. The covariance is then the variance of the noise
# times the inverse of JᵀJ, where J contains the derivatives of the model with respect to each parameter. Finite
# differences are accurate enough for this.


# %%
def standard_errors(x):
    steps = 1e-6 * np.maximum(np.abs(x), 1e-3)
    jacobian = np.stack([(model(x + h, t) - model(x - h, t)) / (2 * h.sum()) for h in np.diag(steps)], axis=1)
    variance = misfit(x) / (len(t) - len(x))
    return np.sqrt(np.diag(variance * np.linalg.inv(jacobian.T @ jacobian)))


for name, value, error in zip(bounds, fit.x, standard_errors(fit.x)):
    print(f"{name:>9} = {value:6.3f} ± {error:.3f}")

# %% [markdown]
# ## Outliers
#
# Now some values are completely wrong. They have a large weight in a sum of squares, and a small one in a sum of
# absolute differences. The absolute value has no derivative at zero, but this search does not need one.

# %%
y[::11] = 4.0


def absolute(p):
    return np.sum(np.abs(y - model(p, t)))


for name, objective in [("squares", misfit), ("absolute", absolute)]:
    x = ws.minimize(objective, list(bounds.values()), max_evaluations=20_000).x
    print(f"{name:>9}: " + ", ".join(f"{name} {value:.2f}" for name, value in zip(bounds, x)))
