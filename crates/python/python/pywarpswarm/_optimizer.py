"""Points to evaluate, for callers who evaluate themselves."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checkpoint, _settings
from ._each import count
from ._result import Result, result
from ._settings import Algorithm, Seed


class Optimizer:
    """Proposes points and is told their values: for objectives that are no function here, such as experiments.

        >>> opt = Optimizer([(-4, 4)] * 3, rng=7, max_iterations=200)
        >>> while (points := opt.ask()) is not None:
        ...     opt.tell(np.sum(points**2, axis=1))
        >>> bool(opt.result.fun < 1e-6)
        True

    The options are those of `minimize`; `equations` says that violations come of equations, which leave little room. It can be pickled, and saved with `save`: what comes after is the same to the bit.
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
    ) -> None:
        box = _settings.variables(bounds, integrality)
        _settings.precision(precision)
        own = _settings.own_runs(box, x0, box.dimensions)
        self._about: dict[str, Any] = {
            "bounds": box.native(),
            "begin": _settings.starts(x0, box.dimensions) if own is None else [],
            "runs": own,
            "algorithm": _settings.algorithm(algorithm),
            "precision": precision,
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
                device=device,
                threads=threads,
                history=False,
            ),
        }
        self._start()

    def _start(self) -> None:
        self._search = _checkpoint.started(None, self._about)
        self._told = False

    def ask(self) -> NDArray[Any] | None:
        """The points to be evaluated next, `(k, n)`, the same until they have been told; None where all runs have ended."""
        return self._search.ask()

    def tell(self, values: ArrayLike, violations: ArrayLike | None = None) -> None:
        """Takes a value for each of the points last asked for, in their order, and perhaps by how much each violates
        constraints (0 where it is feasible)."""
        self._search.tell(self._numbers(values), None if violations is None else self._numbers(violations))
        self._told = True

    def _numbers(self, given: ArrayLike) -> NDArray[Any]:
        numbers = np.asarray(given, dtype=_settings.precision(self._about["precision"]))
        if numbers.ndim == 2 and numbers.shape[1] == 1:
            numbers = numbers[:, 0]
        if numbers.ndim != 1:
            raise ValueError(f"values have the shape {numbers.shape}; allowed: (k,), one a point")
        return np.ascontiguousarray(numbers)

    @property
    def result(self) -> Result:
        """The best of all points that have been told."""
        return result(self._search.report(), "asked and told", self._search)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file from which `Optimizer.load` or `resume` goes on, whole or not at all."""
        self._search.save(os.fspath(path), _checkpoint.text("Optimizer", self._about))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Optimizer:
        """Goes on from a file of `save`."""
        kind, about = _checkpoint.about(path)
        if kind != "Optimizer":
            raise ValueError(f"{os.fspath(path)} was written by {kind}; allowed: resume")
        return cls._of(path, about)

    @classmethod
    def _of(cls, path: str | os.PathLike[str], about: dict[str, Any]) -> Optimizer:
        optimizer = cls.__new__(cls)
        optimizer._about = about
        optimizer._start()
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
        self._start()
        if state["file"] is not None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "state")
                path.write_bytes(state["file"])
                self._search.resume(os.fspath(path))
            self._told = True

    def __repr__(self) -> str:
        return f"Optimizer({len(self._about['bounds'][0])} variables, {self._about['algorithm']})"
