"""Notebooks run, with matplotlib and without, and the book's pages of them are up to date."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9]*.py"))
EACH = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
# They take a while, and are run with one Python.
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the notebooks are not here")


def test_they_are_there():
    assert len(NOTEBOOKS) >= 7 and len({notebook.name[:2] for notebook in NOTEBOOKS}) == len(NOTEBOOKS)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    runpy.run_path(str(NOTEBOOKS[0]))


@EACH
def test_pages_are_up_to_date(notebook):
    """With what is printed: the numbers are the same on every machine. `python examples/python/pages.py` writes them anew."""
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("pages", FOLDER / "pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert pages.page(notebook) == FOLDER.joinpath(f"{notebook.stem}.md").read_text()
