# %% [markdown]
# # An objective of PyTorch on the GPU
#
# This notebook is for readers whose objective uses tensors: linear systems, neural networks, many simulations in
# parallel. At the end you have found the lightest truss for a load. The objective solves the linear systems of all
# candidates at once, on the GPU if there is one.

# %%
import numpy as np
import pywarpswarm as ws

try:
    import torch
except ImportError:
    torch = None  # use NumPy instead

# %% [markdown]
# ## The truss
#
# Ten aluminium bars hold two loads of 100,000 pounds. This is a classic problem of structural optimisation, in inches
# and pounds. The variables are the cross sections of the bars, from 0.1 to 35 square inches. No stress may exceed
# 25,000 psi, no joint may move by more than 2 inches, and the weight should be minimal.

# %%
joints = np.array([[720, 360], [720, 0], [360, 360], [360, 0], [0, 360], [0, 0]], dtype=float)
bars = np.array([[4, 2], [2, 0], [5, 3], [3, 1], [2, 3], [0, 1], [4, 3], [5, 2], [2, 1], [3, 0]])
load = np.array([0, 0, 0, -1e5, 0, 0, 0, -1e5])  # on the four movable joints, in x and y
elasticity, density = 1e7, 0.1

along = joints[bars[:, 1]] - joints[bars[:, 0]]
lengths = np.hypot(along[:, 0], along[:, 1])
stretch = np.zeros((10, 12))  # elongation of each bar for a unit displacement of each joint
for bar, (one, other) in enumerate(bars):
    stretch[bar, 2 * other : 2 * other + 2] = along[bar] / lengths[bar]
    stretch[bar, 2 * one : 2 * one + 2] = -along[bar] / lengths[bar]
stretch = stretch[:, :8]

# %% [markdown]
# ## The objective
#
# The objective receives all candidates of an iteration as a matrix with one candidate per row. It returns the weight
# and the constraint violation of each candidate. The same code works with PyTorch and NumPy: both have `einsum`, and
# both solve many systems at once.

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
# With `vectorized="torch"` the points are a tensor. If there is a GPU, the tensor and the individuals are in its
# memory, and neither points nor weights leave it. Without a GPU, the same call runs on the CPU.

# %%
result = ws.minimize(truss, [(0.1, 35)] * 10, algorithm="shade", vectorized=arrays, max_iterations=700)
print(f"{result.fun:.1f} pounds, violated by {result.maxcv}")
for bar, area in enumerate(result.x, 1):
    print(f"bar {bar:2}: {area:5.1f} square inches")

# %% [markdown]
# The best known weight is 5060.9 pounds.
#
# ## What is different
#
# - The tensor belongs to the search: the next iteration overwrites it. Copy what you want to keep.
# - The function returns one number per point, in the precision of the search. Use `precision="float32"` for tensors in
#   single precision.
# - The individuals of `auto` and `cma-es` are moved on the CPU. Their points are copied to the GPU, and the values
#   back, which takes about ten microseconds per iteration. The other algorithms, such as `shade`, `de` and `pso`, stay on
#   the GPU.
# - The array library determines the last bits: a sum may differ between CPU and GPU. Compiled functions, as in the
#   other notebooks, have the same bits on both.
#
# ## Ask and tell
#
# If you want to write the loop yourself, an `Optimizer` proposes points in the same kind of arrays:

# %%
where = {} if torch is None or not torch.cuda.is_available() else {"device": "cuda"}
opt = ws.Optimizer(
    [(0.1, 35)] * 10, algorithm="shade", max_iterations=700, arrays="numpy" if torch is None else "torch", **where
)
while (points := opt.ask()) is not None:
    opt.tell(*truss(points))
print(f"{opt.result.fun:.1f} pounds")
