"""Calls a Python function in other processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Union

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
Workers = Union[int, Map]

# The function that a worker process calls. With `fork` it is inherited, so it need not be pickled.
_function: Callable[[Any], Any] | None = None


def _keep(function: Callable[[Any], Any]) -> None:
    global _function
    _function = function


def _call(x: Any) -> Any:
    assert _function is not None
    return _function(x)


def mapped(
    workers: Workers, function: Callable[[Any], Any]
) -> tuple[Callable[[Iterable[Any]], list[Any]], Callable[[], None]]:
    """Returns a function that evaluates many points in `workers` processes, and one that ends these processes."""
    if callable(workers):
        of_caller = workers
        return (lambda points: list(of_caller(function, points))), (lambda: None)
    count = (os.cpu_count() or 1) if workers == -1 else workers
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ValueError(f"workers is {workers!r}; allowed: 1 or more, -1 for all cores, or a function such as map")
    if count == 1:
        return (lambda points: [function(x) for x in points]), (lambda: None)
    # Imported here, because the import takes longer than all others.
    import multiprocessing

    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with warnings.catch_warnings():
        # Forking a process with threads is safe here, because workers only call the function and use no other threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        pool = multiprocessing.get_context(method).Pool(count, _keep, (function,))

    def values(points: Iterable[Any]) -> list[Any]:
        points = list(points)
        return pool.map(_call, points, chunksize=max(1, len(points) // (4 * count)))

    return values, pool.terminate
