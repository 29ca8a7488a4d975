"""Arrays that have a separate part for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._settings import whole


class Each:
    """An array that has a separate part for each run of a batch; see `each`."""

    def __init__(self, array: ArrayLike) -> None:
        numbers = np.asarray(array, dtype=np.float64)
        if numbers.ndim not in (1, 2, 3) or numbers.size == 0:
            raise ValueError(
                f"each is of an array of shape {numbers.shape}; allowed: (runs,), (runs, n) or (runs, rows, columns)"
            )
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if wrong.size:
            raise ValueError(f"number {wrong[0]} of each is {numbers.flat[wrong[0]]}; allowed: finite numbers")
        self.array: NDArray[np.float64] = numbers

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        return f"each(array of shape {self.array.shape})"


def each(array: ArrayLike) -> Each:
    """Gives each run of a batch its own part of an array `(runs, ...)`.

    Use it in the `args` of a function, or in the `data` of a `Problem`:

        >>> t = np.linspace(0, 4, 20)
        >>> y = np.outer([5.0, 3.0], np.exp(-t / 2))
        >>> def misfit(p, t, y):
        ...     return np.sum((y - p[0] * np.exp(-t / p[1])) ** 2)
        >>> fits = minimize(misfit, [(0, 10), (0.1, 10)], args=(t, each(y)), max_evaluations=5000)
        >>> np.round(fits.runs.xs, 3).tolist()
        [[5.0, 2.0], [3.0, 2.0]]

    The number of runs is the length of the array. In run k, the function receives `array[k]`: a number, a vector or a
    matrix. With `vectorized`, the function receives one part for each of its points, `(k, ...)`.
    """
    return Each(array)


def of_run(args: tuple[Any, ...], run: Any) -> tuple[Any, ...]:
    """The arguments for one run, or for an array of runs, one for each point."""
    if not any(isinstance(one, Each) for one in args):
        return args
    return tuple(one.array[run] if isinstance(one, Each) else one for one in args)


def shared_and_own(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Splits data into arrays that all runs share and arrays with a part for each run."""
    shared = {name: of for name, of in data.items() if not isinstance(of, Each)}
    return shared, {name: of.array for name, of in data.items() if isinstance(of, Each)}


def count(runs: SupportsIndex | None, sizes: Iterable[tuple[str, int | None]]) -> int:
    """The number of runs, from `runs` and from the arguments that imply it: pairs of a name and a number or None."""
    given = whole("runs", runs)
    known = [(name, size) for name, size in sizes if size is not None]
    for name, size in known:
        if size != known[0][1]:
            raise ValueError(f"{name} is of {size} runs, and {known[0][0]} of {known[0][1]}; allowed: of as many")
    if not known:
        return 1 if given is None else given
    name, size = known[0]
    if given not in (None, 1, size):
        raise ValueError(f"runs is {given}, and {name} is of {size} runs; allowed: {size}, or to leave it out")
    return size
