# %% [markdown]
# # The same numbers again, and going on later
#
# For those whose results others should be able to repeat, or whose runs take hours. At the end you have repeated a run to the bit, and gone on with one
# that was interrupted.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # pictures are left out


def chain(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


box = [(-2, 2)] * 8

# %% [markdown]
# ## The same bits
#
# The seed is 0 unless it is given, so the same call gives the same numbers: not nearly, but to the last bit, on any machine, number of threads, or GPU.

# %%
first = ws.minimize(chain, box, max_evaluations=4000)
again = ws.minimize(chain, box, max_evaluations=4000, threads=1)
other = ws.minimize(chain, box, max_evaluations=4000, rng=1)
print(f"again: {first.x.tobytes() == again.x.tobytes()}, with another seed: {first.x.tobytes() == other.x.tobytes()}")

# %% [markdown]
# That holds for what is compiled. A function that is called gets the same points as long as it returns the same values: NumPy's own `exp` or `sum` may
# differ in the last bit from one processor to the next.
#
# A limit of time is the exception: how far a run comes in a second is not the same twice. Iterations and evaluations are.
#
# ## What other seeds would have given
#
# One seed is one draw. Before you say that a method is better, or that a minimum is the best, look at several. The runs of one call have random numbers
# of their own, and a run has the same ones whatever stands beside it.

# %%
many = ws.minimize(chain, box, max_evaluations=4000, runs=15, history=True)
low, median, high = np.quantile(many.runs.funs, [0, 0.5, 1])
print(f"best {low:.1e}, median {median:.1e}, worst {high:.1e}")

# %%
if plt is not None:
    figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
    many.plot(ax)
    ax.set_title("Fifteen runs")

# %% [markdown]
# ## Going on later
#
# With `checkpoint` the run writes its state into a file, every 60 seconds and at the end. Here a callback interrupts the run; Ctrl-C, an exception of
# the function, or the end of a job's time would do as well.

# %%
folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "chain.checkpoint")


def interrupt(so_far):
    if so_far.nit >= 100:
        raise StopIteration


half = ws.minimize(
    chain, box, algorithm="de", max_iterations=300, checkpoint=path, callback=interrupt, callback_every=100
)
print(f"interrupted after {half.nit} iterations: {half.fun:.3g}")

# %% [markdown]
# The file has the function as it was compiled, so that nothing else is needed, in this program or in another one:

# %%
rest = ws.resume(path)
whole = ws.minimize(chain, box, algorithm="de", max_iterations=300)
print(f"after {rest.nit} iterations: {rest.fun:.3g}; as if never interrupted: {rest.x.tobytes() == whole.x.tobytes()}")

# %% [markdown]
# It was not enough? The limits can be others. They count from the beginning of the run.

# %%
more = ws.resume(path, max_iterations=1500)
print(f"after {more.nit} iterations: {more.fun:.3g}")

# %% [markdown]
# A script that may be started again and again begins like this:
#
#     if path.exists():
#         result = ws.resume(path)
#     else:
#         result = ws.minimize(chain, box, max_iterations=1_000_000, checkpoint=path)
#
# A function that is called at points is not in the file; then it is `ws.resume(path, chain)`.
#
# ## Where someone else evaluates
#
# An experiment or a queue of jobs takes days, and the program that proposes points need not run meanwhile. An `Optimizer` is asked for
# points, saved, loaded, and told.

# %%
lab = Path(folder.name, "lab.state")
opt = ws.Optimizer(box, algorithm="de", population=16, rng=3)
opt.tell([chain(x) for x in opt.ask()])
opt.save(lab)

tomorrow = ws.resume(lab)
points = tomorrow.ask()
print(f"{len(points)} points to measure; the same as before: {(points == opt.ask()).all()}")
folder.cleanup()
