# %% [markdown]
# # An objective of PyTorch on the GPU
#
# For those whose objective is made of tensors: linear systems, neural networks, simulations of many cases side by side. At the end you have found the
# lightest truss that holds a load, with an objective that solves a linear system for every candidate at once, on the GPU where there is one.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import torch
except ImportError:
    torch = None  # NumPy takes its place

# %% [markdown]
# ## The truss
#
# Ten bars of aluminium hold two loads of 100,000 pounds. It is a classic of structural optimisation, in inches and pounds: the areas of the bars are to be
# found, from 0.1 to 35 square inches, so that no stress is above 25,000 psi, no joint moves by more than 2 inches, and the weight is least.

# %%
joints = np.array([[720, 360], [720, 0], [360, 360], [360, 0], [0, 360], [0, 0]], dtype=float)
bars = np.array([[4, 2], [2, 0], [5, 3], [3, 1], [2, 3], [0, 1], [4, 3], [5, 2], [2, 1], [3, 0]])
load = np.array([0, 0, 0, -1e5, 0, 0, 0, -1e5])  # of the four joints that can move, in x and y
elasticity, density = 1e7, 0.1

along = joints[bars[:, 1]] - joints[bars[:, 0]]
lengths = np.hypot(along[:, 0], along[:, 1])
stretch = np.zeros((10, 12))  # how much longer a bar becomes where joints move
for bar, (one, other) in enumerate(bars):
    stretch[bar, 2 * other : 2 * other + 2] = along[bar] / lengths[bar]
    stretch[bar, 2 * one : 2 * one + 2] = -along[bar] / lengths[bar]
stretch = stretch[:, :8]

# %% [markdown]
# ## The objective
#
# It gets all candidates of an iteration, a matrix with one a row, and gives as many weights, and by how much each candidate violates its constraints. Whether
# that is PyTorch or NumPy makes no difference here: both have `einsum` and solve many systems at once.

# %%
xp, arrays = (np, True) if torch is None else (torch, "torch")


def beside(numbers, points):
    return numbers if torch is None else torch.as_tensor(numbers, device=points.device)


def truss(areas):
    k, b, f = (beside(numbers, areas) for numbers in (lengths, stretch, load))
    forces = xp.einsum("nm,mi,mj->nij", areas * (elasticity / k), b, b)
    moves = xp.linalg.solve(forces, f.reshape(1, 8, 1) + 0 * forces[:, :, :1])[:, :, 0]
    stress = elasticity * (moves @ b.T) / k
    too_far = (abs(moves) / 2.0 - 1.0).clip(0).sum(1)
    too_much = (abs(stress) / 25_000.0 - 1.0).clip(0).sum(1)
    return density * (areas * k).sum(1), too_far + too_much


# %% [markdown]
# ## The search
#
# With `vectorized="torch"` the points are a tensor. Where there is a GPU it lies there, and so do the individuals: points and weights never leave it. Without
# one the same call runs on the CPU.

# %%
result = ws.minimize(truss, [(0.1, 35)] * 10, algorithm="shade", vectorized=arrays, max_iterations=700)
print(f"{result.fun:.1f} pounds, violated by {result.maxcv}")
for bar, area in enumerate(result.x, 1):
    print(f"bar {bar:2}: {area:5.1f} square inches")

# %% [markdown]
# The best weight that is known is 5060.9 pounds.
#
# ## What is different
#
# - The tensor belongs to the search: the next iteration writes over it. Copy what you keep.
# - Only one-number-a-point comes back, in the precision of the search: `precision="float32"` where tensors are of single precision.
# - The individuals of `auto` and `cma-es` move on the CPU. Their points are copied to the GPU and back, which costs some ten microseconds an iteration;
#   the other algorithms, such as `shade`, `de` and `pso`, stay on the GPU.
# - The numbers of your library are its own: a sum may differ in the last bit between CPU and GPU. What is compiled, as in the other notebooks, does not.
#
# ## Ask and tell
#
# Where the loop is yours, an `Optimizer` proposes points in the same arrays:

# %%
where = {} if torch is None or not torch.cuda.is_available() else {"device": "cuda"}
opt = ws.Optimizer(
    [(0.1, 35)] * 10, algorithm="shade", max_iterations=700, arrays="numpy" if torch is None else "torch", **where
)
while (points := opt.ask()) is not None:
    opt.tell(*truss(points))
print(f"{opt.result.fun:.1f} pounds")
