"""Pictures of results, with matplotlib and without."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import pywarpswarm as ws


def hills(x):
    return np.sum(x**2 - np.cos(6 * x))


def found(dimensions=2, **options):
    options = {"algorithm": "de", "population": 30, "max_iterations": 40, "history": True, **options}
    return ws.minimize(hills, [(-3, 3)] * dimensions, **options)


RESULTS = {
    "one run": found(),
    "single precision, three runs": found(runs=3, precision="float32"),
    "many runs": found(runs=12),
    "one variable": found(1),
    "no trace": found(history=False),
    "maximised": ws.maximize(lambda x: -x[0] * x[0], [(-1, 2)] * 2, max_iterations=10, history=True),
    "infeasible": found(constraints={"type": "ineq", "fun": lambda x: -1 - x[0] * x[0]}),
    "in the last digits": ws.minimize(
        lambda x: 1e9 + np.sum((x - 1000) ** 2), [(0, 2000)] * 2, history=True, max_evaluations=9000
    ),
    "infinite": ws.minimize(lambda x: np.log(x[0]), [(0, 1)] * 2, x0=[0, 0], history=True, max_iterations=3),
    "nowhere finite": ws.minimize(lambda x: x[0] * np.nan, [(0, 1)] * 2, compile=False, history=True, max_iterations=3),
}
ALL = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())


@pytest.fixture
def without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    yield pytest.importorskip("matplotlib.pyplot")
    sys.modules["matplotlib.pyplot"].close("all")


@ALL
def test_pictures_of_our_own(result, without_matplotlib, tmp_path):
    picture = result.plot()
    assert isinstance(picture, ws.Picture)
    assert picture.svg == result.picture().svg == picture._repr_svg_()
    texts = [
        element.text.strip() for element in xml.fromstring(picture.svg).iter() if element.text and element.text.strip()
    ]
    assert f"{result.nfev:,} evaluations" in texts[0]
    has_trace = len(result.trace) > 0
    assert any(text.startswith(("best value", "constraint violation")) for text in texts) == has_trace
    assert any(text.startswith(("x[1]", "value")) for text in texts)
    for name in ("picture.svg", "picture.PNG"):
        picture.save(tmp_path / name)
    assert (tmp_path / "picture.svg").read_text() == picture.svg
    assert (tmp_path / "picture.PNG").read_bytes().startswith(b"\x89PNG")


@ALL
def test_pictures_of_matplotlib(result, pyplot):
    axes = np.atleast_1d(result.plot())
    assert len(axes) == 1 + (len(result.trace) > 0)
    axes[0].figure.canvas.draw()
    _, ax = pyplot.subplots()
    assert result.plot(ax) is ax and (ax.lines or ax.collections)
    ax.figure.canvas.draw()


def test_scales_of_matplotlib(pyplot):
    assert RESULTS["in the last digits"].plot()[0].get_yscale() == "linear"
    falling = ws.minimize(lambda x: np.sum(x**2), [(-1, 1)] * 2, history=True, max_iterations=50)
    assert falling.plot()[0].get_yscale() == "log"


@ALL
def test_notebooks_show_a_table(result):
    shown = result._repr_html_()
    assert shown.startswith("<table>") and shown.count("<tr>") == shown.count("</tr>")
    assert ("<svg" in shown) == (len(result.trace) > 0)
    assert f"{result.nfev:,}" in shown
    xml.fromstring(f"<div>{shown}</div>")


def test_tables_are_short_and_escaped():
    result = found(30)
    result["message"] = "<b> & more"
    shown = re.sub("<svg.*", "", result._repr_html_(), flags=re.DOTALL)
    assert "and 20 more]" in shown and "&lt;b&gt; &amp; more" in shown


def test_what_cannot_be_drawn(tmp_path):
    nothing = ws.Optimizer([(0, 1)] * 2).result
    assert "<table>" in nothing._repr_html_()
    with pytest.raises(ValueError, match="nothing to draw"):
        nothing.picture()
    with pytest.raises(ValueError, match="nothing to draw"):
        nothing.plot()
    with pytest.raises(ValueError, match="allowed: a name that ends in .svg or .png"):
        RESULTS["one run"].picture().save(tmp_path / "picture.gif")
