"""Ask and tell."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import pywarpswarm as ws


def value(points):
    return np.sum((points - 0.5) ** 2, axis=1)


def test_asking_and_telling_is_what_minimize_does():
    opt = ws.Optimizer([(-2, 2)] * 3, algorithm="de", max_iterations=30, rng=4)
    while (points := opt.ask()) is not None:
        opt.tell(value(points))
    same = ws.minimize(value, [(-2, 2)] * 3, algorithm="de", max_iterations=30, rng=4, vectorized=True)
    assert opt.result.x.tobytes() == same.x.tobytes() and opt.result.nfev == same.nfev


def test_nothing_told_is_no_error():
    result = ws.Optimizer([(0, 1)] * 2).result
    assert result.nfev == 0 and not result.success and "population" not in result


def test_points_stay_the_same_until_they_are_told():
    opt = ws.Optimizer([(0, 1)] * 2, rng=1)
    first = opt.ask()
    assert (first == opt.ask()).all()
    opt.tell(value(first))
    assert (first != opt.ask()).any()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda opt: pickle.loads(pickle.dumps(opt))])
@pytest.mark.parametrize("algorithm", ["auto", "de", "cma-es", "pso"])
def test_copies_go_on_with_the_same_bits(again, algorithm):
    opt = ws.Optimizer([(-2, 2)] * 3, algorithm=algorithm, rng=4)
    new = again(opt)
    for _ in range(5):
        assert opt.ask().tobytes() == new.ask().tobytes()
        opt.tell(value(opt.ask()))
        new.tell(value(new.ask()))
        new = again(new)


def test_saved_and_loaded(tmp_path):
    opt = ws.Optimizer([(-2, 2)] * 3, algorithm="de", rng=4)
    for _ in range(4):
        opt.tell(value(opt.ask()))
    opt.save(tmp_path / "state")
    new = ws.Optimizer.load(tmp_path / "state")
    assert new.ask().tobytes() == opt.ask().tobytes()
    assert new.result.x.tobytes() == opt.result.x.tobytes()
    (tmp_path / "letter").write_text("Dear all,")
    with pytest.raises(OSError, match="it is not a checkpoint"):
        ws.Optimizer.load(tmp_path / "letter")


def test_the_result_so_far_changes_nothing():
    opt, other = (ws.Optimizer([(-2, 2)] * 3, algorithm="de", rng=4) for _ in range(2))
    for count in range(4):
        opt.tell(value(opt.ask()))
        other.tell(value(other.ask()))
        assert opt.result.nit == count and opt.result.fun == opt.result.population_energies.min()
        assert opt.ask().tobytes() == other.ask().tobytes()


def test_violations():
    opt = ws.Optimizer([(0, 2)] * 2, algorithm="de", max_iterations=200)
    while (points := opt.ask()) is not None:
        opt.tell(points.sum(axis=1), np.maximum(1 - points[:, 0] * points[:, 1], 0))
    assert opt.result.maxcv == 0 and abs(opt.result.fun - 2) < 1e-4


def test_mistakes_leave_it_where_it_was():
    opt = ws.Optimizer([(0, 1)] * 2, algorithm="de", population=8, rng=1)
    points = opt.ask()
    for wrong, message in [
        (np.zeros(7), "7 values for 8 points"),
        (np.zeros((8, 2)), r"shape \(8, 2\)"),
        (3.0, r"shape \(\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            opt.tell(wrong)
    with pytest.raises(ValueError, match="3 violations for 8 points"):
        opt.tell(np.zeros(8), np.zeros(3))
    with pytest.raises((ValueError, TypeError)):
        opt.tell(["a"] * 8)
    assert (opt.ask() == points).all()
    opt.tell(value(points).reshape(8, 1))
    assert opt.result.nfev == 8


def test_told_values_may_have_any_type_and_strides():
    def after(told):
        opt = ws.Optimizer([(0, 1)] * 2, algorithm="de", population=8, rng=1)
        opt.tell(told(np.arange(8.0)))
        return opt.ask().tobytes()

    plain = after(lambda values: values)
    assert after(list) == plain
    assert after(lambda values: values.astype(np.int32)) == plain
    assert after(lambda values: np.repeat(values, 3)[::3]) == plain
    assert after(lambda values: values[::-1].copy()[::-1]) == plain
    assert after(lambda values: values.astype(object)) == plain

    def read_only(values):
        values.flags.writeable = False
        return values

    assert after(read_only) == plain
