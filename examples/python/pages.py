"""Writes the book's pages of these notebooks: prose, code, printed output, and pictures.

    python examples/python/pages.py

It needs pywarpswarm and matplotlib, and writes to docs/notebooks. The tests of the package check that the pages are
up to date.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("[0-9]*.py"))
PAGES = HERE.parent.parent / "docs" / "notebooks"


def cells(text: str) -> list[tuple[bool, str]]:
    """The cells of a notebook: whether it is prose, and its text."""
    found: list[tuple[bool, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("# %%"):
            found.append(("[markdown]" in line, []))
        else:
            is_prose, lines = found[-1]
            lines.append(line.removeprefix("#").removeprefix(" ") if is_prose else line)
    return [(is_prose, "\n".join(lines).strip("\n")) for is_prose, lines in found]


def page(notebook: Path, pictures: Path | None = None) -> str:
    """Runs a notebook and returns its page. Pictures are written to the folder `pictures`, if it is given."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update({"svg.hashsalt": notebook.stem, "svg.fonttype": "none", "font.family": "sans-serif"})
    from matplotlib import pyplot

    names: dict[str, Any] = {"__name__": "__main__"}
    parts: list[str] = []
    count = 0
    for is_prose, text in cells(notebook.read_text(encoding="utf-8")):
        if is_prose:
            parts.append(text)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, str(notebook), "exec"), names)
        parts.append(f"```python\n{text}\n```")
        if printed.getvalue():
            parts.append(f"```text\n{printed.getvalue().rstrip()}\n```")
        for number in pyplot.get_fignums():
            figure, count = pyplot.figure(number), count + 1
            file = f"{notebook.stem}-{count}.svg"
            titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
            parts.append(f"![{titles[0] if titles else 'The picture of this cell'}]({file})")
            if pictures is not None:
                figure.savefig(pictures / file, metadata={"Date": None})
        pyplot.close("all")
    title, rest = parts[0].split("\n", 1)
    source = f"A notebook: [{notebook.name}](../../examples/python/{notebook.name}); `jupytext --to ipynb` makes one for Jupyter."
    return "\n\n".join([title, source, rest.strip(), *parts[1:]]) + "\n"


def main() -> None:
    PAGES.mkdir(exist_ok=True)
    for notebook in NOTEBOOKS:
        if len(sys.argv) > 1 and not any(name in notebook.name for name in sys.argv[1:]):
            continue
        PAGES.joinpath(f"{notebook.stem}.md").write_text(page(notebook, PAGES), encoding="utf-8")
        print(notebook.stem)


if __name__ == "__main__":
    main()
