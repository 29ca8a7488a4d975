"""Translates a Python function of a vector into an expression in the language of problem files.

    >>> import numpy as np
    >>> print(trace(lambda x: np.sum(100 * (x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2), 30))
    sum(i, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)

The function is called once, with a symbolic vector instead of numbers. The trace records its operations. The modules:

* `expression`: the graph of operations; `folds`: reductions over an index; `tables`: constant arrays
* `forms`, `elements`, `constants`: arrays of expressions
* `values`, `array`: the classes that the user's function receives; `lists`: lists of such values
* `ufuncs`, `dispatch`, `functions`, `shapes`: translations of NumPy's functions
* `loops`: sums that a loop accumulates; `writing`, `names`: the text of the expression
* `tracing`: `trace`, `trace_many` and `trace_rows`; `errors`, `hints`: messages about code that cannot be traced
"""

from __future__ import annotations

from .errors import NotTraceable
from .tracing import Traced, TracedMany, TracedRows, trace, trace_many, trace_rows

__all__ = ["NotTraceable", "Traced", "TracedMany", "TracedRows", "trace", "trace_many", "trace_rows"]
