# %% [markdown]
# # A differential equation
#
# This notebook is for readers whose model is a differential equation. At the end you have fitted two coupled equations
# to data, and estimated the uncertainty of the parameters.
#
# The data are the pelts that the Hudson's Bay Company bought from 1900 to 1920, in thousands. They indicate the numbers
# of hares and lynxes.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures

year = np.arange(1900.0, 1921.0)
hare = np.array(
    [
        30,
        47.2,
        70.2,
        77.4,
        36.3,
        20.6,
        18.1,
        21.4,
        22,
        25.4,
        27.1,
        40.3,
        57,
        76.6,
        52.3,
        19.5,
        11.2,
        7.6,
        14.6,
        16.2,
        24.7,
    ]
)
lynx = np.array(
    [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
)

# %% [markdown]
# Hares are born and are hunted; lynxes grow in number with their prey, and die (Lotka 1925, Volterra 1926). `ode`
# contains the states with their initial values and derivatives; `hares[i]` is then the state at `year[i]`. The misfit
# compares logarithms, so that a factor of 2 and a factor of 1/2 are equally wrong.


# %%
def pelts(hare, lynx):
    return ws.Problem(
        "sum(i, ln(hare[i] / hares[i])^2 + ln(lynx[i] / lynxes[i])^2)",
        variables={
            "birth": (0.1, 2),
            "hunt": {"lower": 0.001, "upper": 0.2, "scale": "log"},
            "feed": {"lower": 0.001, "upper": 0.2, "scale": "log"},
            "death": (0.1, 2),
            "hares0": (5, 100),
            "lynxes0": (1, 30),
        },
        data={"year": year, "hare": hare, "lynx": lynx},
        ode={
            "times": "year",
            "states": {
                "hares": {"initial": "hares0", "derivative": "(birth - hunt * lynxes) * hares"},
                "lynxes": {"initial": "lynxes0", "derivative": "(feed * hares - death) * lynxes"},
            },
        },
    )


problem = pelts(hare, lynx)
fit = ws.minimize(problem, max_evaluations=6_000)
print(f"misfit {fit.fun:.4f}")
for name, value in zip(problem.variables, fit.x):
    print(f"{name:>8} = {value:.4g}")

# %% [markdown]
# Each evaluation solves the equation with an adaptive step size, in compiled code. To plot the states, we solve it
# again here with the classical Runge-Kutta method.


# %%
def states(p, times, steps=20):
    birth, hunt, feed, death, hares, lynxes = p

    def derivative(z):
        return np.array([(birth - hunt * z[1]) * z[0], (feed * z[0] - death) * z[1]])

    z, out = np.array([hares, lynxes]), []
    for begin, end in zip(times, np.append(times[1:], times[-1])):
        out.append(z)
        h = (end - begin) / steps
        for _ in range(steps):
            k1 = derivative(z)
            k2 = derivative(z + h / 2 * k1)
            k3 = derivative(z + h / 2 * k2)
            k4 = derivative(z + h * k3)
            z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(out)


by_hand = np.sum(np.log(np.stack([hare, lynx], axis=1) / states(fit.x, year)) ** 2)
print(f"misfit by hand {by_hand:.4f}")

# %%
if plt is not None:
    fine = np.linspace(1900, 1920, 201)
    figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for name, data, curve in zip(["hares", "lynxes"], [hare, lynx], states(fit.x, fine, steps=5).T):
        (line,) = ax.plot(fine, curve, label=name)
        ax.plot(year, data, "o", markersize=4, color=line.get_color())
    ax.set_xlabel("year")
    ax.set_ylabel("pelts (thousands)")
    ax.set_title("The fitted model, and the data")
    ax.legend()

# %% [markdown]
# ## How well are the parameters known?
#
# A bootstrap estimates the uncertainty: resample the residuals, add them to the fitted states, and fit again. The
# spread of many such fits is the uncertainty of the parameters. Each fit is a problem with its own data. A search that
# starts at the first fit, with small steps, needs few evaluations.

# %%
fitted = states(fit.x, year)
residuals = np.log(np.stack([hare, lynx], axis=1) / fitted)
draws = np.random.default_rng(1)
cma_es = {"name": "cma-es", "step": 0.02}
fits = []
for _ in range(10):
    drawn = fitted * np.exp(draws.choice(residuals.ravel(), residuals.shape))
    again = ws.minimize(pelts(drawn[:, 0], drawn[:, 1]), algorithm=cma_es, x0=fit.x, max_evaluations=800)
    fits.append(again.x)
for name, value, spread in zip(problem.variables, fit.x, np.std(fits, axis=0, ddof=1)):
    print(f"{name:>8} = {value:.3g} ± {spread:.1g}")
