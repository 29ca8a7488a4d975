"""A method for `scipy.optimize.minimize`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ._minimize import minimize


def scipy_method(**options: Any) -> Callable[..., Any]:
    """Returns a method for `scipy.optimize.minimize`, with options of `pywarpswarm.minimize`:

        scipy.optimize.minimize(fun, x0, bounds=bounds, method=ws.scipy_method(max_evaluations=50_000))

    `x0` is an initial point of the search, and bounds are required. Derivatives and `tol` are not used.
    """

    def method(
        fun: Callable[..., Any],
        x0: Any,
        args: Any = (),
        *,
        bounds: Any = None,
        constraints: Any = (),
        callback: Callable[..., object] | None = None,
        **rest: Any,
    ) -> Any:
        unused = ("jac", "hess", "hessp", "tol", "maxiter", "disp")
        more = {name: value for name, value in rest.items() if name not in unused}
        if rest.get("maxiter") is not None:
            more.setdefault("max_iterations", rest["maxiter"])
        of_args = args if isinstance(args, tuple) else (args,)
        own = {"args": of_args, "x0": x0, "constraints": constraints, "callback": callback}
        # SciPy calls this function, so it is installed.
        of_scipy = importlib.import_module("scipy.optimize").OptimizeResult
        return of_scipy(minimize(fun, bounds, **{**own, **options, **more}))

    return method
