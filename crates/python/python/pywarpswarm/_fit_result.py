"""Results of fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._result import table

# The largest number of parameters that are printed.
_SHOWN = 20


@dataclass(frozen=True, repr=False)
class FitResult:
    """The result of one fit, or of many fits; entries of many fits have the fits as an additional first dimension.

    `n` is the number of parameters. Errors and covariances are in the units of the parameters. Without
    `absolute_sigma` they are scaled so that `reduced_chi_squared` would be 1.
    """

    name: str
    """The name of the function."""
    names: tuple[str, ...]
    """The names of the parameters, `(n,)`."""
    parameters: NDArray[Any]
    """The values of the parameters, `(n,)`."""
    errors: NDArray[Any]
    """Standard errors, `(n,)`: 0 for a fixed parameter, infinite for one that the data do not determine."""
    covariance: NDArray[Any]
    """`(n, n)`; infinite in rows and columns of undetermined parameters."""
    correlation: NDArray[Any]
    """Correlation coefficients, from -1 to 1, `(n, n)`."""
    chi_squared: Any
    """The sum of squared residuals, divided by `sigma`; with a robust `loss` its sum; for counts the deviance."""
    reduced_chi_squared: Any
    """`chi_squared` over the degrees of freedom: about 1 if the model is right and `sigma` has absolute values."""
    degrees_of_freedom: Any
    """The number of rows minus the number of free parameters."""
    r_squared: Any
    """The fraction of the variance of `ydata` that the model explains, at most 1; NaN for counts."""
    aic: Any
    """Akaike's information criterion; smaller is better."""
    bic: Any
    """The Bayesian information criterion; smaller is better."""
    status: Any
    """How it ended: "converged", "several minima", "at a bound", "undetermined", "not converged" or "not finite"."""
    converged: Any
    """Whether the fit has reached a minimum."""
    at_bounds: Any
    """The names of the parameters at a bound beyond which the model would fit better."""
    undetermined: Any
    """The names of the parameters that the data do not determine."""
    other_minimum: Any
    """The smallest chi-squared of another minimum that the search has found; NaN if it has found none."""
    evaluations: Any
    """Evaluations of the model in the fit, not counting those of the search for starting values."""
    device: str
    """The device that computed the fit."""
    seconds: float
    """The time it took, in seconds."""

    @property
    def is_batch(self) -> bool:
        """Whether this is the result of many fits."""
        return self.parameters.ndim == 2

    def __len__(self) -> int:
        """The number of fits."""
        return len(self.parameters) if self.is_batch else 1

    def __repr__(self) -> str:
        return _of_many(self) if self.is_batch else _of_one(self)

    def to_dataframe(self) -> Any:
        """Converts to a DataFrame of pandas, or of polars if pandas is not installed.

        It has one row per fit, with a column for each parameter and one for its error, `NAME_error`.
        """
        rows, n = len(self), len(self.names)
        columns: dict[str, Any] = {}
        for i, name in enumerate(self.names):
            columns[name] = self.parameters.reshape(rows, n)[:, i]
            columns[f"{name}_error"] = self.errors.reshape(rows, n)[:, i]
        for entry in ("chi_squared", "reduced_chi_squared", "r_squared", "aic", "bic", "evaluations"):
            columns[entry] = np.reshape(getattr(self, entry), rows)
        columns["status"] = list(self.status) if self.is_batch else [self.status]
        return table(columns)


def _of_one(result: FitResult) -> str:
    width = max(map(len, result.names))
    lines = [f"{result.name}: {result.status}"]
    for name, value, error in zip(result.names, result.parameters.tolist(), result.errors.tolist()):
        part = f"   ({abs(error / value):.2%})" if value and np.isfinite(error) else ""
        lines.append(f"  {name:<{width}} = {value:.8g} +- {error:.3g}{part}")
    lines.append(
        f"chi-squared {result.chi_squared:.6g}, degrees of freedom {result.degrees_of_freedom}, "
        f"reduced {result.reduced_chi_squared:.6g}"
    )
    measures = [] if np.isnan(result.r_squared) else [f"R-squared {result.r_squared:.6f}"]
    lines.append(", ".join([*measures, f"AIC {result.aic:.6g}", f"BIC {result.bic:.6g}"]))
    strong = [
        f"{result.names[i]}, {result.names[j]}: {result.correlation[i, j]:+.3f}"
        for i in range(min(_SHOWN, len(result.names)))
        for j in range(i)
        if abs(result.correlation[i, j]) >= 0.1
    ]
    if strong:
        lines.append("correlations of 0.1 and more: " + "; ".join(strong))
    if result.at_bounds:
        lines.append(f"at a bound: {', '.join(result.at_bounds)}")
    if result.undetermined:
        lines.append(f"undetermined: {', '.join(result.undetermined)}")
    if np.isfinite(result.other_minimum):
        lines.append(f"another minimum has chi-squared {result.other_minimum:.6g}")
    lines.append(f"{result.evaluations} evaluations, {result.device}, {result.seconds:.3g} s")
    return "\n".join(lines)


def _of_many(result: FitResult) -> str:
    counted = Counter(result.status)
    ended = ", ".join(f"{count} {status}" for status, count in counted.most_common())
    width = max(map(len, result.names))
    lines = [f"{result.name}: {len(result)} fits of {len(result.names)} parameters: {ended}"]
    for i, name in enumerate(result.names[:_SHOWN]):
        values, errors = result.parameters[:, i], result.errors[:, i]
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        lines.append(
            f"  {name:<{width}}: median {middle:.6g}, half from {low:.6g} to {high:.6g}; error {np.median(errors):.3g}"
        )
    lines.append(f"reduced chi-squared: median {np.median(result.reduced_chi_squared):.6g}")
    lines.append(f"{result.device}, {result.seconds:.3g} s")
    return "\n".join(lines)


def fit_result(
    report: Mapping[str, Any], name: str, names: list[str], free: NDArray[np.bool_], absolute: bool, is_batch: bool
) -> FitResult:
    """Converts a report of the compiled part."""
    out = dict(report)
    undetermined = out.pop("undetermined")
    # The variance of a parameter is unknown if the data do not determine it, if there are as many rows as parameters,
    # or if the fit is not finite.
    nothing = (out["degrees_of_freedom"] == 0) & (not absolute)
    statuses, ended = out.pop("statuses"), out.pop("ended")
    nothing |= ended == statuses.index("not finite")
    unknown = (undetermined | nothing[:, np.newaxis]) & free
    if unknown.any():
        out["covariance"] = np.where(unknown[:, :, np.newaxis] | unknown[:, np.newaxis], np.inf, out["covariance"])
        out["errors"] = np.where(unknown, np.inf, out["errors"])
    out["status"] = [statuses[at] for at in ended.tolist()]
    by_name = {"at_bounds": out["at_bounds"], "undetermined": undetermined}
    for entry, there in by_name.items():
        found: list[tuple[str, ...]] = [()] * len(there)
        for at in np.flatnonzero(there.any(axis=1)):
            found[at] = tuple(names[i] for i in np.flatnonzero(there[at]))
        out[entry] = found
    if not is_batch:
        for entry, of_fits in out.items():
            if entry not in ("device", "seconds"):
                one = of_fits[0]
                out[entry] = one.item() if isinstance(one, np.generic) else one
    return FitResult(name=name, names=tuple(names), **out)
