"""From a Python function of a vector to an expression in the language of problem files.

    >>> import numpy as np
    >>> print(trace(lambda x: np.sum(100 * (x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2), 30))
    sum(i, 100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2)

A function is called once, with a symbolic vector instead of numbers, and what it computes is written down:

* `expression`: the graph of operations; `folds`: reductions over an index; `tables`: constant arrays
* `forms`, `elements`, `constants`: arrays of expressions
* `values`, `array`: the classes that the user's function works with; `lists`: lists of such values
* `ufuncs`, `dispatch`, `functions`, `shapes`: what NumPy's functions are
* `loops`: sums that loops add up; `writing`, `names`: the text
* `tracing`: `trace`, `trace_many` and `trace_rows`; `errors`, `hints`: what cannot be traced, and what to write instead
"""

from __future__ import annotations

from .errors import NotTraceable
from .tracing import Traced, TracedMany, TracedRows, trace, trace_many, trace_rows

__all__ = ["NotTraceable", "Traced", "TracedMany", "TracedRows", "trace", "trace_many", "trace_rows"]
