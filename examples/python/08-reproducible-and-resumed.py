# %% [markdown]
# # The same numbers again, and going on later
#
# This notebook is for readers whose results have to be reproducible, or whose runs take hours. At the end you have
# reproduced the bits of a run, and continued an interrupted one.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pywarpswarm as ws

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # no pictures


def chain(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


box = [(-2, 2)] * 8

# %% [markdown]
# ## The same bits
#
# The default seed is 0, so the same call gives the same result, with the same bits on any machine, with any number of
# threads, and on any GPU.

# %%
first = ws.minimize(chain, box, max_evaluations=4000)
again = ws.minimize(chain, box, max_evaluations=4000, threads=1)
other = ws.minimize(chain, box, max_evaluations=4000, rng=1)
print(f"again: {first.x.tobytes() == again.x.tobytes()}, with another seed: {first.x.tobytes() == other.x.tobytes()}")

# %% [markdown]
# This is true for compiled functions. A function that is called receives the same points as long as it returns the same
# values, but NumPy's own `exp` or `sum` may differ in the last bit from one processor to another.
#
# A time limit is an exception, because the number of iterations in a second varies. Limits of iterations and
# evaluations are reproducible.
#
# ## Other seeds
#
# One seed is one random sample. Look at several before you conclude that a method is better, or that a minimum is the
# global one. Each run of a call has its own random numbers, and they do not depend on the other runs.

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
# ## Continue later
#
# With `checkpoint` the run writes its state to a file, every 60 seconds and at the end. Here a callback interrupts the
# run. It could also be Ctrl-C, an exception of the function, or the time limit of a batch job.

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
# The file contains the compiled function, so the path is sufficient to continue, also in another program:

# %%
rest = ws.resume(path)
whole = ws.minimize(chain, box, algorithm="de", max_iterations=300)
print(f"after {rest.nit} iterations: {rest.fun:.3g}; as if never interrupted: {rest.x.tobytes() == whole.x.tobytes()}")

# %% [markdown]
# If this is not enough, set new limits. They count from the start of the run.

# %%
more = ws.resume(path, max_iterations=1500)
print(f"after {more.nit} iterations: {more.fun:.3g}")

# %% [markdown]
# A script that can be started repeatedly begins like this:
#
#     if path.exists():
#         result = ws.resume(path)
#     else:
#         result = ws.minimize(chain, box, max_iterations=1_000_000, checkpoint=path)
#
# A function that is called at points is not in the file; then call `ws.resume(path, chain)`.
#
# ## Ask and tell
#
# An experiment or a queue of jobs may take days, and the program that proposes points need not run in the meantime. Ask
# an `Optimizer` for points, save it, load it later, and tell it the values.

# %%
lab = Path(folder.name, "lab.state")
opt = ws.Optimizer(box, algorithm="de", population=16, rng=3)
opt.tell([chain(x) for x in opt.ask()])
opt.save(lab)

tomorrow = ws.resume(lab)
points = tomorrow.ask()
print(f"{len(points)} points to measure; the same as before: {(points == opt.ask()).all()}")
folder.cleanup()
