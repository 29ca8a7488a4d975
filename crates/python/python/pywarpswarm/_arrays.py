"""Objectives that work on arrays of PyTorch, CuPy or JAX, on the GPU of the search or on the CPU."""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._each import Each, of_run
from ._native import DevicePoints
from ._settings import precision

# What the compiled part accepts: the addresses of the values and of the violations, their number, the CUDA stream that
# writes them, and the object that keeps them alive.
Found = tuple[int, "int | None", int, "int | None", object]

# Algorithms whose populations move on the CPU: they have no kernels for ask and tell.
_ON_THE_CPU = ("auto", "cma-es")


class Library(Protocol):
    """An array library, for numbers in one precision."""

    name: str

    def has_gpu(self) -> bool:
        """Whether the library can use a GPU."""

    def device(self, number: int) -> contextlib.AbstractContextManager[object]:
        """A context in which the library allocates arrays on this GPU."""

    def shared(self, points: DevicePoints) -> Any:
        """Points on the GPU as an array; the library's stream waits until they are written."""

    def found(self, points: DevicePoints, array: Any) -> tuple[int, int | None, object]:
        """For an array of one number per point: its address, the stream that writes it, and what keeps it alive."""

    def copied(self, numbers: NDArray[Any], device: str) -> Any:
        """A NumPy array as an array of the library, on 'cpu' or on a GPU."""

    def is_array(self, array: object) -> bool:
        """Whether an object is an array of the library."""

    def host(self, array: Any) -> NDArray[Any]:
        """An array of the library as a NumPy array."""


class _Torch:
    name = "PyTorch"

    def __init__(self, dtype: type[np.floating[Any]]) -> None:
        torch = self._torch = _imported("torch", self.name)
        self._dtype = torch.float32 if dtype is np.float32 else torch.float64
        self._key: tuple[int, tuple[int, int]] | None = None
        self._points: Any = None
        # The function that PyTorch's own code generator calls takes a tenth of the time of `current_stream`.
        raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
        self._stream: Callable[[int], int] = raw or (lambda device: torch.cuda.current_stream(device).cuda_stream)

    def has_gpu(self) -> bool:
        return bool(self._torch.cuda.is_available())

    def device(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._torch.cuda.device(number)  # type: ignore[no-any-return]

    def shared(self, points: DevicePoints) -> Any:
        key = points.address, points.shape
        if key != self._key:
            self._key, self._points = key, self._torch.from_dlpack(points)
        else:
            points.ready_for(self._stream(points.device))
        # A new tensor for each call, so that changes of its shape or its gradient do not reach the next call.
        return self._points.detach()

    def found(self, points: DevicePoints, array: Any) -> tuple[int, int | None, object]:
        device = points.device
        if not self.is_array(array) or array.get_device() != device:
            where = f"on {array.device}" if self.is_array(array) else f"of type {type(array).__name__}"
            raise ValueError(
                f"the objective returned values {where}; allowed: a tensor on cuda:{device}, as the points"
            )
        if array.dtype != self._dtype:
            _check_kind(array.dtype, array.is_complex())
            array = array.to(self._dtype)
        array = one_each(array, points.shape)
        if not array.is_contiguous():
            array = array.contiguous()
        return array.data_ptr(), self._stream(device), array

    def copied(self, numbers: NDArray[Any], device: str) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(numbers)).to(device)

    def is_array(self, array: object) -> bool:
        return isinstance(array, self._torch.Tensor)

    def host(self, array: Any) -> NDArray[Any]:
        return np.asarray(array.detach().cpu().numpy())


class _Cupy:
    name = "CuPy"

    def __init__(self, dtype: type[np.floating[Any]]) -> None:
        self._cupy = _imported("cupy", self.name)
        self._dtype = np.dtype(dtype)
        self._key: tuple[int, tuple[int, int]] | None = None
        self._points: Any = None

    def has_gpu(self) -> bool:
        return bool(self._cupy.cuda.is_available())

    def device(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._cupy.cuda.Device(number)  # type: ignore[no-any-return]

    def shared(self, points: DevicePoints) -> Any:
        key = points.address, points.shape
        if key != self._key:
            self._key, self._points = key, self._cupy.from_dlpack(points)
        else:
            points.ready_for(self._cupy.cuda.get_current_stream().ptr)
        return self._points.view()

    def found(self, points: DevicePoints, array: Any) -> tuple[int, int | None, object]:
        if not self.is_array(array) or array.device.id != points.device:
            raise ValueError(
                f"the objective returned values of type {type(array).__name__}; allowed: an array of CuPy on GPU "
                f"{points.device}, as the points"
            )
        if array.dtype != self._dtype:
            _check_kind(array.dtype, array.dtype.kind == "c")
            array = array.astype(self._dtype)
        array = self._cupy.ascontiguousarray(one_each(array, points.shape))
        return array.data.ptr, self._cupy.cuda.get_current_stream().ptr, array

    def copied(self, numbers: NDArray[Any], device: str) -> Any:
        return self._cupy.asarray(numbers)

    def is_array(self, array: object) -> bool:
        return isinstance(array, self._cupy.ndarray)

    def host(self, array: Any) -> NDArray[Any]:
        return np.asarray(self._cupy.asnumpy(array))


class _Jax:
    name = "JAX"

    def __init__(self, dtype: type[np.floating[Any]]) -> None:
        self._jax = _imported("jax", self.name)
        self._dtype = np.dtype(dtype)
        if dtype is np.float64 and not self._jax.config.jax_enable_x64:
            raise ValueError(
                "vectorized is 'jax', and JAX computes in single precision; allowed: precision='float32', or "
                "jax.config.update('jax_enable_x64', True) before"
            )

    def has_gpu(self) -> bool:
        return self._jax.default_backend() == "gpu"  # type: ignore[no-any-return]

    def device(self, number: int) -> contextlib.AbstractContextManager[object]:
        return self._jax.default_device(self._on(f"cuda:{number}"))  # type: ignore[no-any-return]

    def shared(self, points: DevicePoints) -> Any:
        # JAX arrays are immutable, so each iteration needs a new one.
        return self._jax.dlpack.from_dlpack(points)

    def found(self, points: DevicePoints, array: Any) -> tuple[int, int | None, object]:
        if not self.is_array(array):
            raise ValueError(f"the objective returned {type(array).__name__}; allowed: an array of JAX")
        if array.dtype != self._dtype:
            _check_kind(array.dtype, array.dtype.kind == "c")
            array = array.astype(self._dtype)
        address, _, _, device, kept = points.adopt(one_each(array, points.shape))
        if device != points.device:
            raise ValueError(
                f"the objective returned values on GPU {device}; allowed: GPU {points.device}, as the points"
            )
        # `adopt` has already made the search's stream wait for the values.
        return address, None, kept

    def copied(self, numbers: NDArray[Any], device: str) -> Any:
        return self._jax.device_put(numbers, self._on(device))

    def _on(self, device: str) -> Any:
        kind, _, number = device.partition(":")
        return self._jax.devices("gpu" if kind == "cuda" else "cpu")[int(number or 0)]

    def is_array(self, array: object) -> bool:
        return isinstance(array, self._jax.Array)

    def host(self, array: Any) -> NDArray[Any]:
        return np.asarray(array)


_LIBRARIES: dict[str, Callable[[type[np.floating[Any]]], Library]] = {"torch": _Torch, "cupy": _Cupy, "jax": _Jax}


def library(argument: str, name: object, dtype: type[np.floating[Any]]) -> Library:
    """The library with this name, for numbers in this precision."""
    if not isinstance(name, str) or name not in _LIBRARIES:
        allowed = ", ".join(repr(one) for one in _LIBRARIES)
        others = "True, False" if argument == "vectorized" else "'numpy'"
        raise ValueError(f"{argument} is {name!r}; allowed: {others}, {allowed}")
    return _LIBRARIES[name](dtype)


@dataclass
class Place:
    """Where the arrays of a library are, and where the individuals are moved."""

    library: Library
    # Device of the arrays: 'cpu', or a GPU such as 'cuda:0'.
    arrays: str
    # Device of the individuals, as in the argument `device`.
    individuals: str

    @property
    def is_shared(self) -> bool:
        """Whether both are on one GPU, so that the points need not be copied."""
        return self.individuals != "cpu"

    @property
    def how(self) -> str:
        where = "the CPU" if self.arrays == "cpu" else "the GPU"
        apart = ", individuals on the CPU" if self.arrays != "cpu" and not self.is_shared else ""
        return f"vectorized function of {self.library.name} arrays on {where}{apart}"


def placed(library: Library, device: str, algorithm: str, restart: bool) -> Place:
    """Chooses where arrays and individuals are. `algorithm` is JSON."""
    kind, _, number = str(device).partition(":")
    if kind == "auto":
        kind = "cuda" if library.has_gpu() and _native.system()["gpu"] is None else "cpu"
    if kind == "cpu":
        if isinstance(library, _Cupy):
            raise ValueError("CuPy has arrays on GPUs alone; allowed: device='cuda'")
        return Place(library, "cpu", "cpu")
    if not (number or "0").isdigit():
        raise ValueError(f"device is {device!r}; allowed with arrays of {library.name}: one GPU, as in 'cuda:1'")
    if not library.has_gpu():
        raise ValueError(f"device is {device!r}, and {library.name} finds no GPU; allowed: 'cpu', or 'auto'")
    stays = restart or json.loads(algorithm)["id"] in _ON_THE_CPU
    return Place(library, f"cuda:{number or 0}", "cpu" if stays else device if kind == "cuda" else "cuda")


def again(about: dict[str, Any], device: str | None) -> Place | None:
    """The place for a search from a checkpoint, perhaps on another device; None if it uses no array library."""
    name = about.get("arrays") or about.get("vectorized")
    if not isinstance(name, str):
        return None
    if device is not None:
        about["device"] = device
    argument = "arrays" if about.get("arrays") else "vectorized"
    restart = json.loads(about["settings"])["restart"] != "never"
    of_library = library(argument, name, precision(about["precision"]))
    return placed(of_library, about["device"], about["algorithm"], restart)


def objective(
    fun: Callable[..., Any], args: tuple[Any, ...], place: Place, dtype: type[np.floating[Any]]
) -> Callable[..., Any]:
    """Wraps a function of a library's arrays for the compiled part."""
    return _shared(fun, args, place) if place.is_shared else _copied(fun, args, place, dtype)


def _shared(fun: Callable[..., Any], args: tuple[Any, ...], place: Place) -> Callable[[DevicePoints], Found]:
    library = place.library
    own = _Own(args, place)

    def native(points: DevicePoints) -> Found:
        given = fun(library.shared(points), *own.of(points.runs))
        return answer(library, points, given)

    if place.arrays == "cuda:0":
        return native

    def elsewhere(points: DevicePoints) -> Found:
        with library.device(points.device):
            return native(points)

    return elsewhere


def answer(library: Library, points: DevicePoints, given: Any) -> Found:
    """Converts the values, or values and violations, of points on the GPU for the compiled part."""
    values, violations = both(given)
    address, stream, kept = library.found(points, values)
    if violations is None:
        return address, None, points.shape[0], stream, kept
    of_violations, stream, kept_too = library.found(points, violations)
    return address, of_violations, points.shape[0], stream, (kept, kept_too)


def _copied(
    fun: Callable[..., Any], args: tuple[Any, ...], place: Place, dtype: type[np.floating[Any]]
) -> Callable[[NDArray[Any], NDArray[Any]], Any]:
    library = place.library
    own = _Own(args, place)

    def native(points: NDArray[Any], runs: NDArray[Any]) -> Any:
        given = fun(library.copied(points, place.arrays), *own.of(lambda: runs))
        values, violations = both(given)
        found = on_host(library, values, points.shape, dtype)
        return found if violations is None else (found, on_host(library, violations, points.shape, dtype))

    return native


def on_host(library: Library, array: Any, shape: tuple[int, ...], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """An array of the library or of NumPy as a NumPy array with one number per point."""
    numbers = library.host(array) if library.is_array(array) else np.asarray(array)
    return np.ascontiguousarray(one_each(numbers, shape), dtype=dtype)


class _Own:
    """Arguments of the function. Those of `each` become arrays of the library, with the part of each point's run."""

    def __init__(self, args: tuple[Any, ...], place: Place) -> None:
        self._some = any(isinstance(one, Each) for one in args)
        self._args, self._place = args, place
        self._runs: NDArray[Any] | None = None
        self._parts: tuple[Any, ...] = args

    def of(self, runs: Callable[[], NDArray[Any]]) -> tuple[Any, ...]:
        if not self._some:
            return self._args
        now = runs()
        if self._runs is None or not np.array_equal(self._runs, now):
            parts = zip(self._args, of_run(self._args, now))
            copied = self._place.library.copied
            self._parts = tuple(
                copied(part, self._place.arrays) if isinstance(one, Each) else one for one, part in parts
            )
            self._runs = now.copy()
        return self._parts


def both(given: Any) -> tuple[Any, Any]:
    """The values and the violations, or None, that a function has returned."""
    return given if isinstance(given, tuple) and len(given) == 2 else (given, None)


def one_each(array: Any, points: tuple[int, ...]) -> Any:
    """Returns `array` with the shape (k,), for points of shape `points` = (k, n)."""
    shape = array.shape
    if len(shape) == 1 and shape[0] == points[0]:
        return array
    shape = tuple(shape)
    if shape == (points[0], 1):
        return array.reshape(points[0])
    raise ValueError(
        f"the objective returned the shape {shape} for points of shape {points}; allowed: ({points[0]},), one value a "
        "point (a row)"
    )


def _check_kind(dtype: Any, is_complex: bool) -> None:
    if is_complex:
        raise ValueError(f"the objective returned numbers of type {dtype}; allowed: real ones")


def _imported(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: {error}") from error
