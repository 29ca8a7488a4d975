"""Population-based optimisation on NVIDIA GPUs and on the CPU, with the same bits on both.

    >>> import numpy as np
    >>> import pywarpswarm as ws
    >>> result = ws.minimize(lambda x: np.sum((x - 0.5) ** 2), [(-1, 1)] * 3)
    >>> bool(result.fun < 1e-12)
    True

* `minimize` and `maximize` search for the minimum or the maximum of a function.
* `curve_fit` fits a model to one or many data sets, and estimates the errors of its parameters.
* `resume` continues from a checkpoint of `minimize`, `maximize` or `Optimizer`.
* `Optimizer` proposes points that you evaluate yourself.
* `Problem` is an objective given as an expression, as a file, or by the name of a built-in problem.
* `trace` shows the expression to which a Python function is compiled; `check` compares the two.
* `each` gives each run of a batch its own data.
* `compare` compares algorithms, and `tune` tunes the parameters of one.
* `report` writes a page about runs of the program `warpswarm`, which is part of the package.
* `algorithms`, `problems` and `devices` list what is available.
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

# Searches in other threads must end before the interpreter does: a thread that returned to Python later would crash.
_atexit.register(_native.leave, 10.0)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)
