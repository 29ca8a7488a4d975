"""Constant arrays among symbolic ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .expression import Graph, as_condition
from .forms import Form, Listed, Regular, objects
from .tables import elements_of


def constant(graph: Graph, array: NDArray[Any]) -> Form:
    """The form of a constant array: one number for all elements, or a table."""
    shape, of_truth = array.shape, array.dtype.kind == "b"
    numbers = np.asarray(array, dtype=np.float64)
    if array.size == 0:
        return Regular(shape, graph.number(0.0))
    first = float(numbers.flat[0])
    if np.all((numbers == first) & (np.signbit(numbers) == np.signbit(first))):
        return Regular(shape, graph.truth(first != 0) if of_truth else graph.number(first))
    if not np.all(np.isfinite(numbers)):
        return Listed(objects(shape, map(graph.number, numbers.reshape(-1).tolist())))
    node = elements_of(graph, array)
    return Regular(shape, as_condition(node) if of_truth else node)
