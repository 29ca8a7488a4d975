"""Objectives of arrays of PyTorch, CuPy and JAX.

Tests of a library that is not installed, or that finds no GPU, are skipped. The tests on a GPU machine have all three.
"""

import importlib
import pickle
import sys

import numpy as np
import pytest
import pywarpswarm as ws
from pywarpswarm import _arrays

BOUNDS = [(-5, 5)] * 4
LIBRARIES = ["torch", "cupy", "jax"]
# Algorithms with kernels for ask and tell, and `auto`, which moves its individuals on the CPU. Scatter search and
# GPU-FWA do not evaluate all individuals in each iteration.
ALGORITHMS = ["pso", "de", "shade", "scatter-search", "gpu-fwa", "auto"]


def distance(x):
    """Uses only operations that all libraries round in the same way and do not fuse."""
    return abs(x[:, 0] - 0.5) + abs(x[:, 1] * 2)


def of_library(name):
    library = pytest.importorskip(name)
    if name == "jax":
        library.config.update("jax_enable_x64", True)
    return library


def on_gpu(name):
    library = of_library(name)
    if ws.devices().reason or not _arrays._LIBRARIES[name](np.float64).has_gpu():
        pytest.skip(f"no GPU that {name} can use")
    return library


def same(one, other):
    assert one.fun == other.fun
    assert one.nfev == other.nfev and one.nit == other.nit
    np.testing.assert_array_equal(one.x, other.x)
    np.testing.assert_array_equal(one.runs.funs, other.runs.funs)
    np.testing.assert_array_equal(one.population, other.population)


@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_on_the_cpu_a_function_of_arrays_is_a_vectorized_one(name, precision):
    of_library(name)
    options = {"algorithm": "de", "max_iterations": 30, "runs": 3, "precision": precision, "device": "cpu"}
    by_numpy = ws.minimize(distance, BOUNDS, vectorized=True, **options)
    by_library = ws.minimize(distance, BOUNDS, vectorized=name, **options)
    same(by_numpy, by_library)
    assert by_library.how.endswith("arrays on the CPU")


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_on_the_gpu_it_gives_the_same_bits(name, algorithm, precision):
    on_gpu(name)
    options = {"algorithm": algorithm, "max_iterations": 40, "runs": 3, "precision": precision}
    by_numpy = ws.minimize(distance, BOUNDS, vectorized=True, device="cpu", **options)
    shapes = set()

    def seen(x):
        assert "cuda" in str(x.device).lower() or "gpu" in str(x.device).lower()
        shapes.add(tuple(x.shape))
        return distance(x)

    by_library = ws.minimize(seen, BOUNDS, vectorized=name, device="cuda", **options)
    same(by_numpy, by_library)
    assert all(columns == 4 for _, columns in shapes)
    assert ("individuals on the CPU" in by_library.how) == (algorithm == "auto")


@pytest.mark.parametrize("name", LIBRARIES)
def test_on_the_gpu_points_are_as_they_are_meant(name):
    on_gpu(name)
    bounds = [(0, 9), (-3, 3), (-5, 5)]
    options = {"algorithm": "de", "max_iterations": 40, "integrality": [True, False, False], "target": 4.5}

    def quality(x):
        return 5.0 - abs(x[:, 0] - 3) - abs(x[:, 1])

    by_numpy = ws.maximize(quality, bounds, vectorized=True, device="cpu", **options)
    by_library = ws.maximize(quality, bounds, vectorized=name, device="cuda", **options)
    same(by_numpy, by_library)
    assert by_library.x[0] == 3 and by_library.fun >= 4.5


@pytest.mark.parametrize("name", LIBRARIES)
def test_on_the_gpu_a_function_may_say_violations(name):
    on_gpu(name)

    def both(x):
        return x[:, 0] * 2, abs(x[:, 0] - 1) * (x[:, 0] < 1)

    found = ws.minimize(both, BOUNDS, algorithm="de", vectorized=name, device="cuda", max_iterations=200)
    assert found.maxcv == 0 and abs(found.fun - 2) < 1e-6
    apart = ws.minimize(both, BOUNDS, vectorized=name, device="cuda", max_evaluations=5000)
    assert apart.maxcv == 0 and abs(apart.fun - 2) < 1e-6


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("algorithm", ["de", "auto"])
def test_on_the_gpu_each_run_has_its_own_numbers(name, algorithm):
    on_gpu(name)
    places = np.linspace(-4, 4, 5)

    def far(x, place, factor):
        return abs(x[:, 0] - place) * factor

    options = {"algorithm": algorithm, "args": (ws.each(places), 2.0), "max_iterations": 150}
    found = ws.minimize(far, [(-5, 5)], vectorized=name, device="cuda", **options)
    np.testing.assert_allclose(found.runs.xs[:, 0], places, atol=1e-5)


@pytest.mark.parametrize("name", LIBRARIES)
def test_on_the_gpu_mistakes_are_named(name):
    on_gpu(name)

    def run(fun):
        return ws.minimize(fun, BOUNDS, algorithm="de", vectorized=name, device="cuda", max_iterations=5)

    with pytest.raises(ValueError, match=r"returned the shape \(\d+, 4\)"):
        run(lambda x: x)
    with pytest.raises(ValueError, match="returned .*ndarray"):
        run(lambda x: np.zeros(x.shape[0]))
    with pytest.raises(ZeroDivisionError):
        run(lambda x: 1 / 0)
    with pytest.raises(ValueError, match="complex"):
        run(lambda x: distance(x) * 1j)
    # Conditions, a column, and a strided view: all have one number per point.
    for of in (lambda x: x[:, 0] > 1, lambda x: abs(x[:, :1]), lambda x: abs(x)[:, 1]):
        assert np.isfinite(run(of).fun)
    with pytest.raises(ValueError, match="allowed: no constraints"):
        one = {"type": "ineq", "fun": lambda x: x[0]}
        ws.minimize(distance, BOUNDS, algorithm="de", vectorized=name, device="cuda", constraints=one)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("algorithm", ["de", "auto"])
def test_on_the_gpu_callers_ask_and_tell(name, algorithm, tmp_path):
    on_gpu(name)
    options = {"algorithm": algorithm, "max_iterations": 30, "rng": 3}
    by_numpy = ws.Optimizer(BOUNDS, **options)
    by_library = ws.Optimizer(BOUNDS, arrays=name, device="cuda", **options)
    steps = 0
    while (points := by_library.ask()) is not None:
        again = by_library.ask()
        told = distance(points if steps % 2 else again)
        # Values may also be NumPy arrays.
        by_library.tell(told if steps % 3 else by_library._place.library.host(told))
        by_numpy.tell(distance(by_numpy.ask()))
        steps += 1
        if steps == 10:
            by_library.save(tmp_path / "state")
            by_library = pickle.loads(pickle.dumps(ws.resume(tmp_path / "state")))
    assert by_numpy.ask() is None
    same(by_numpy.result, by_library.result)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("algorithm", ["de", "auto"])
def test_on_the_gpu_it_resumes(name, algorithm, tmp_path):
    on_gpu(name)
    path = tmp_path / "state"
    options = {"algorithm": algorithm, "vectorized": name, "device": "cuda"}
    whole = ws.minimize(distance, BOUNDS, max_iterations=40, **options)
    ws.minimize(distance, BOUNDS, max_iterations=15, checkpoint=path, **options)
    same(whole, ws.resume(path, distance, max_iterations=40))


@pytest.mark.parametrize("name", LIBRARIES)
def test_on_the_gpu_arrays_outlive_the_search(name):
    on_gpu(name)
    kept = []

    def keeping(x):
        kept.append(x)
        return distance(x)

    ws.minimize(keeping, BOUNDS, algorithm="de", vectorized=name, device="cuda", max_iterations=3)
    host = _arrays._LIBRARIES[name](np.float64).host
    assert np.isfinite(host(kept[0])).all() and np.isfinite(host(kept[-1])).all()


def test_on_the_gpu_the_array_interface_is_there():
    cupy = on_gpu("cupy")
    search = ws.Optimizer(BOUNDS, algorithm="de", arrays="cupy", device="cuda", rng=1)
    points = search.ask()
    by_interface = cupy.asarray(search._points)
    assert by_interface.data.ptr == points.data.ptr and by_interface.shape == points.shape
    assert search._points.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError):
        search._points.__dlpack__(copy=True)
    with pytest.raises(BufferError):
        search._points.__dlpack__(dl_device=(1, 0))
    # Capsules that are not consumed are freed.
    for version in (None, (1, 0)):
        for _ in range(1000):
            search._points.__dlpack__(max_version=version)


def test_what_is_no_library_is_named():
    with pytest.raises(ValueError, match="vectorized is 'numba'; allowed: True, False, 'torch', 'cupy', 'jax'"):
        ws.minimize(distance, BOUNDS, vectorized="numba")
    with pytest.raises(ValueError, match="arrays is 'numba'; allowed: 'numpy', 'torch', 'cupy', 'jax'"):
        ws.Optimizer(BOUNDS, arrays="numba")


def test_what_is_not_installed_is_named(monkeypatch):
    # With None in `sys.modules` the import fails.
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="PyTorch is not installed"):
        ws.minimize(distance, BOUNDS, vectorized="torch")


class Stand:
    """A minimal PyTorch for the CPU, built on NumPy, to test copies through the host without an installed library."""

    class Tensor:
        def __init__(self, array):
            self.array = array

        shape = property(lambda self: self.array.shape)

        def to(self, device):
            assert device == "cpu"
            return self

        def detach(self):
            return self

        cpu = detach

        def numpy(self):
            return self.array

        def __getitem__(self, key):
            return Stand.Tensor(self.array[key])

    float32, float64 = "float32", "float64"
    from_numpy = staticmethod(lambda array: Stand.Tensor(array))

    class cuda:
        is_available = staticmethod(lambda: False)


def test_a_stand_in_is_called_with_its_own_arrays(monkeypatch):
    real = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", lambda name: Stand if name == "torch" else real(name))

    def of_tensors(x, place=0.5):
        assert isinstance(x, Stand.Tensor)
        return Stand.Tensor(abs(x.array[:, 0] - getattr(place, "array", place)))

    found = ws.minimize(of_tensors, BOUNDS, vectorized="torch", max_evaluations=2000)
    assert abs(found.x[0] - 0.5) < 1e-6 and found.how == "vectorized function of PyTorch arrays on the CPU"
    own = ws.minimize(of_tensors, BOUNDS, vectorized="torch", args=(ws.each([1.0, -2.0]),), max_evaluations=2000)
    np.testing.assert_allclose(own.runs.xs[:, 0], [1, -2], atol=1e-6)
    with pytest.raises(ValueError, match="PyTorch finds no GPU"):
        ws.minimize(of_tensors, BOUNDS, vectorized="torch", device="cuda")
    with pytest.raises(ValueError, match=r"returned the shape \(\d+, 4\)"):
        ws.minimize(lambda x: x, BOUNDS, vectorized="torch")
    search = ws.Optimizer(BOUNDS, arrays="torch", max_iterations=5, device="cpu")
    while (points := search.ask()) is not None:
        search.tell(of_tensors(points))
    assert search.result.fun < 1
    assert pickle.loads(pickle.dumps(search)).result.fun == search.result.fun
