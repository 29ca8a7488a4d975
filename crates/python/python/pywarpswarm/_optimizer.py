"""Ask and tell: for callers who evaluate the points themselves."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _checkpoint, _settings
from ._each import count
from ._native import DevicePoints
from ._result import Result, result
from ._settings import Algorithm, Seed


class Optimizer:
    """Proposes points that you evaluate yourself, for objectives that are not Python functions, such as experiments.

        >>> opt = Optimizer([(-4, 4)] * 3, rng=7, max_iterations=200)
        >>> while (points := opt.ask()) is not None:
        ...     opt.tell(np.sum(points**2, axis=1))
        >>> bool(opt.result.fun < 1e-6)
        True

    The options are those of `minimize`, and three more. `maximise` searches for the maximum. `equations` says that
    violations come from equations; small violations are then ignored at first. `arrays` is the array library of `ask`
    and `tell`: 'numpy', 'torch', 'cupy' or 'jax'; with `device='cuda'` the arrays stay on the GPU.

    An `Optimizer` can be pickled, or saved with `save`. It then continues with the same bits.
    """

    def __init__(
        self,
        bounds: Any,
        *,
        algorithm: Algorithm = "auto",
        population: SupportsIndex | None = None,
        max_iterations: SupportsIndex | None = None,
        max_evaluations: SupportsIndex | None = None,
        max_seconds: SupportsFloat | None = None,
        target: SupportsFloat | ArrayLike | None = None,
        stagnation: SupportsIndex | None = None,
        rng: Seed = None,
        x0: ArrayLike | None = None,
        integrality: ArrayLike | None = None,
        equations: bool = False,
        maximise: bool = False,
        runs: SupportsIndex | None = None,
        device: str = "cpu",
        precision: str = "float64",
        threads: SupportsIndex | None = None,
        arrays: str = "numpy",
    ) -> None:
        box = _settings.variables(bounds, integrality)
        dtype = _settings.precision(precision)
        searched_by = _settings.algorithm(algorithm)
        place = None
        if arrays != "numpy":
            place = _arrays.placed(_arrays.library("arrays", arrays, dtype), device, searched_by, False)
        own = _settings.own_runs(box, x0, box.dimensions)
        self._about: dict[str, Any] = {
            "bounds": box.native(),
            "begin": _settings.starts(x0, box.dimensions) if own is None else [],
            "runs": own,
            "algorithm": searched_by,
            "precision": precision,
            "arrays": None if place is None else arrays,
            "device": device,
            "settings": _settings.settings(
                population=population,
                runs=count(runs, _settings.sizes(own, target)),
                first_run=0,
                rng=rng,
                max_iterations=max_iterations,
                max_evaluations=max_evaluations,
                max_seconds=max_seconds,
                target=target,
                stagnation=stagnation,
                maximise=maximise,
                eased=equations,
                restart=False,
                polish=False,
                device=device if place is None else place.individuals,
                threads=threads,
                history=False,
            ),
        }
        self._start(place)

    def _start(self, place: _arrays.Place | None) -> None:
        self._search = _checkpoint.started(None, self._about)
        self._told = False
        self._place = place
        # The latest points on a GPU, and the values of the points before them. These values must be kept alive until
        # the next points have been requested.
        self._points: DevicePoints | None = None
        self._kept: object = None

    def ask(self) -> Any:
        """Returns the next points to evaluate, `(k, n)`, or None if all runs have ended.

        Until `tell` is called, `ask` returns the same points. They are an array of NumPy, or of the library named by
        `arrays`. On a GPU, the next points overwrite them.
        """
        if self._place is None:
            return self._search.ask()
        if self._place.is_shared:
            self._points = self._search.ask_on_device()
            return None if self._points is None else self._place.library.shared(self._points)
        points = self._search.ask()
        return None if points is None else self._place.library.copied(points, self._place.arrays)

    def tell(self, values: Any, violations: Any = None) -> None:
        """Passes the values of the points of the last `ask`, in their order.

        `violations`, if given, are the constraint violations of the points, 0 for a feasible point.
        """
        if self._points is not None:
            assert self._place is not None
            given = [None if one is None else self._on_device(one) for one in (values, violations)]
            found = _arrays.answer(self._place.library, self._points, tuple(given))
            self._search.tell_on_device(found)
            self._kept, self._points = found, None
        else:
            self._search.tell(self._numbers(values), None if violations is None else self._numbers(violations))
        self._told = True

    def _on_device(self, given: Any) -> Any:
        assert self._place is not None
        if self._place.library.is_array(given):
            return given
        return self._place.library.copied(self._numbers(given), self._place.arrays)

    def _numbers(self, given: Any) -> NDArray[Any]:
        if self._place is not None and self._place.library.is_array(given):
            given = self._place.library.host(given)
        numbers = np.asarray(given, dtype=_settings.precision(self._about["precision"]))
        if numbers.ndim == 2 and numbers.shape[1] == 1:
            numbers = numbers[:, 0]
        if numbers.ndim != 1:
            raise ValueError(f"values have the shape {numbers.shape}; allowed: (k,), one a point")
        return np.ascontiguousarray(numbers)

    @property
    def result(self) -> Result:
        """The best of all points that have been evaluated so far."""
        return result(self._search.report(), "asked and told", self._search)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file from which `Optimizer.load` or `resume` continues; it is replaced as a whole or not at all."""
        self._search.save(os.fspath(path), _checkpoint.text("Optimizer", self._about))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Optimizer:
        """Creates an `Optimizer` that continues from a file of `save`."""
        kind, about = _checkpoint.about(path)
        if kind != "Optimizer":
            raise ValueError(f"{os.fspath(path)} was written by {kind}; allowed: resume")
        return cls._of(path, about)

    @classmethod
    def _of(cls, path: str | os.PathLike[str], about: dict[str, Any]) -> Optimizer:
        optimizer = cls.__new__(cls)
        optimizer._about = about
        optimizer._start(_arrays.again(about, None))
        optimizer._search.resume(os.fspath(path))
        optimizer._told = True
        return optimizer

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"about": self._about, "file": None}
        if self._told:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "state")
                self.save(path)
                state["file"] = path.read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._about = state["about"]
        self._start(_arrays.again(self._about, None))
        if state["file"] is not None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "state")
                path.write_bytes(state["file"])
                self._search.resume(os.fspath(path))
            self._told = True

    def __repr__(self) -> str:
        return f"Optimizer({len(self._about['bounds'][0])} variables, {self._about['algorithm']})"
