"""Population-based optimisation on NVIDIA GPUs and on the CPU, with the same bits on both.

    >>> import numpy as np
    >>> import pywarpswarm as ws
    >>> result = ws.minimize(lambda x: np.sum((x - 0.5) ** 2), [(-1, 1)] * 3)
    >>> bool(result.fun < 1e-12)
    True

* `minimize` and `maximize` search for the least or the greatest value of a function.
* `curve_fit` fits a model to data, or to many sets of data at once, and says how certain its parameters are.
* `resume` goes on from a file that they have written.
* `Optimizer` proposes points and is told their values.
* `Problem` is an objective as an expression, from a file, or one of those that come with the package.
* `trace` shows what a Python function is compiled to, `check` compares the two.
* `each` gives each run of a batch data of its own.
* `compare` and `tune` algorithms; `report` is a page about runs of the program `warpswarm`, which comes with the package.
* `algorithms`, `problems` and `devices` list what there is.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os

from . import _native
from ._commands import Comparison, Tuned, compare, report, tune
from ._each import Each, each
from ._fit import FitWarning, curve_fit
from ._fit_result import FitResult
from ._listing import Algorithms, Devices, Problems, algorithms, devices, problems
from ._minimize import maximize, minimize
from ._native import DeviceError, __version__
from ._objective import CompileWarning, check, trace
from ._optimizer import Optimizer
from ._picture import Picture
from ._problem import Problem
from ._result import Polish, Result, Runs, Trace
from ._resume import resume
from ._scipy import scipy_method

__all__ = [
    "Algorithms",
    "Comparison",
    "CompileWarning",
    "DeviceError",
    "Devices",
    "Each",
    "FitResult",
    "FitWarning",
    "Optimizer",
    "Picture",
    "Problem",
    "Problems",
    "Result",
    "Polish",
    "Runs",
    "Trace",
    "Tuned",
    "__version__",
    "algorithms",
    "check",
    "compare",
    "curve_fit",
    "devices",
    "each",
    "maximize",
    "minimize",
    "problems",
    "report",
    "resume",
    "scipy_method",
    "trace",
    "tune",
]

# Searches of other threads end before Python does: a thread that came back later would crash.
_atexit.register(_native.leave, 10.0)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)
