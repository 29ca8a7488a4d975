"""Runs the samples in pages and docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import pywarpswarm

HERE = Path(__file__).parent
PAGES = sorted(HERE.glob("*.md"))
MODULES = ["pywarpswarm"] + [
    module.name
    for module in pkgutil.walk_packages(pywarpswarm.__path__, "pywarpswarm.")
    if not module.name.endswith(("_native", "__main__"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_samples_of_pages(page):
    samples = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert samples
    names: dict[str, object] = {}
    for sample in samples:
        exec(compile(sample, page.name, "exec"), names)


def test_pages_are_there():
    assert {page.name for page in PAGES} >= {"README.md", "first-page.md", "python.md", "coming-from.md"}


@pytest.mark.parametrize("name", MODULES)
def test_samples_of_docstrings(name):
    module = importlib.import_module(name)
    names = {"np": np, **vars(pywarpswarm)}
    assert doctest.testmod(module, extraglobs=names).failed == 0
