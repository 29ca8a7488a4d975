"""The notebooks run with and without matplotlib, and their pages in the book are up to date."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9]*.py"))
EACH = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
# The notebooks take a while, so they run with one version of Python only.
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the notebooks are not here")


def test_they_are_there():
    assert len(NOTEBOOKS) >= 7 and len({notebook.name[:2] for notebook in NOTEBOOKS}) == len(NOTEBOOKS)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    runpy.run_path(str(NOTEBOOKS[0]))


@EACH
def test_pages_are_up_to_date(notebook):
    """The pages contain the printed output, which is the same on every machine.

    `python examples/python/pages.py` writes the pages.
    """
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("pages", FOLDER / "pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    assert pages.page(notebook) == FOLDER.joinpath(f"{notebook.stem}.md").read_text()
