"""`compare`, `tune` and `report`: commands of the program, for Python objects."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, Union

from . import _native, _settings
from ._constraints import constraints as _constraints
from ._objective import first_difference, wanted
from ._problem import Problem
from ._settings import Algorithm, Seed

# A `Problem`, a name (`rastrigin:dim=10`), the path of a file, or a function with its bounds and perhaps constraints.
Compared = Union[Problem, str, "tuple[Any, ...]"]
Problems = Union[Compared, Sequence[Compared], Mapping[str, Compared]]
Algorithms = Union[Algorithm, Sequence[Algorithm], Mapping[str, Algorithm]]

# Options of the program whose Python arguments have other names.
_ARGUMENTS = {
    "evaluations": "max_evaluations",
    "individuals": "population",
    "seed": "rng",
    "dim": "dimensions",
    "backend": "device",
    "set": "fixed",
}
# Characters that separate words of the command line.
_RESERVED = re.compile(r"[:,=\s]")


class Comparison(dict[str, Any]):
    """The result of `compare`: `problems` with `results` and `pairs`, and `overall`. Printed, it is a table.

    The keys are those of the program's `compare --json`; `warpswarm compare --help` lists them.
    """

    table: str = ""
    """The table, as Markdown."""

    def __repr__(self) -> str:
        return html.unescape(self.table)

    def _repr_markdown_(self) -> str:
        return self.table


class Tuned(dict[str, Any]):
    """The result of `tune`: `parameters` (name, default value, tuned value), `search_quality`, and `test`."""

    @property
    def algorithm(self) -> dict[str, Any]:
        """The algorithm with the tuned parameters, as `minimize` accepts it."""
        found = {name: value for name, _, value in self["parameters"]}
        return {"name": self["algorithm"], **self.get("fixed", {}), **found}

    def __repr__(self) -> str:
        lines = [f"{name}: {found} (usually {usual})" for name, usual, found in self["parameters"]]
        quality = f"its costs are {self['search_quality']:.3g} times the usual ones in the search"
        test = self.get("test")
        if test is not None:
            quality += f", {test['quality']:.3g} times in runs of their own"
        return "\n".join([f"{self['algorithm']} in {self['configurations']} configurations", *lines, quality])


def compare(
    problems: Problems,
    algorithms: Algorithms,
    *,
    runs: SupportsIndex = 25,
    max_evaluations: SupportsIndex = 100_000,
    population: SupportsIndex | None = None,
    targets: SupportsFloat | Iterable[SupportsFloat] = (),
    goals: Mapping[str, SupportsFloat] | None = None,
    dimensions: SupportsIndex | None = None,
    rng: Seed = None,
    device: str = "auto",
    precision: str = "float64",
    threads: SupportsIndex | None = None,
    report: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Runs algorithms on problems, ranks them, and tests whether the differences are significant.

        >>> found = compare("sphere", ["de", "pso"], dimensions=5, runs=5, max_evaluations=5000)
        >>> [of["entrant"] for of in found["overall"]]
        ['de', 'pso']

    Parameters
    ----------
    problems : one, a list, or a dict by name
        A `Problem`, the name of a problem, perhaps with settings (`"rastrigin:dim=10:shift=1"`), the path of a problem
        file, or a tuple (function, bounds) or (function, bounds, constraints). The function is compiled; one
        that then differs, because it draws random numbers, is an error.
    algorithms : one, a list, or a dict by name
        As for `minimize`. A dict may have a `population`.
    runs, max_evaluations : int
        Number of runs of each algorithm on each problem, and of evaluations in each run.
    population : int
        Population size of algorithms that do not set it; by default the algorithm's usual size.
    targets : number, or several
        Distances from the best known value that count as solved. A run stops at the smallest one. The default is 1e-8.
    goals : dict
        Best values by the name of the problem, for problems whose best value is not known. Targets are distances from
        these values.
    dimensions : int
        Number of variables, for problems that can have any number.
    rng, precision, threads : as for `minimize`
    device : 'auto', 'cpu', 'cuda'
        Where to run. The results do not depend on it.
    report : path
        Path of an HTML page with charts; an existing file is overwritten.

    The significance test is Wilcoxon's rank sum test with Holm's correction.
    """
    words = ["compare", *_common(runs, max_evaluations, population, dimensions, rng, device, precision, threads)]
    given = _Given(problems, goals)
    words += ["--problems", ",".join(given.words), "--algorithms", ",".join(map(_entrant, *_named(algorithms)))]
    aims = [targets] if isinstance(targets, (int, float)) or not isinstance(targets, Iterable) else list(targets)
    if aims:
        words += ["--target", ",".join(repr(float(target)) for target in aims)]
    if report is not None:
        words += ["--report", os.fspath(report), "--force"]
    with tempfile.TemporaryDirectory() as folder:
        out, table = Path(folder, "out.json"), Path(folder, "table.md")
        _run([*words, "--json", str(out), "--markdown", str(table), "--quiet"], given.problems)
        comparison = Comparison(json.loads(out.read_text(encoding="utf-8")))
        comparison.table = table.read_text(encoding="utf-8")
    return comparison


def tune(
    algorithm: str,
    problems: Problems,
    *,
    parameters: Sequence[str] = (),
    fixed: Mapping[str, Any] | None = None,
    budget: SupportsIndex = 200,
    runs: SupportsIndex = 25,
    test_runs: SupportsIndex | None = None,
    max_evaluations: SupportsIndex = 100_000,
    population: SupportsIndex | None = None,
    target: SupportsFloat = 1e-8,
    goals: Mapping[str, SupportsFloat] | None = None,
    dimensions: SupportsIndex | None = None,
    rng: Seed = None,
    device: str = "auto",
    precision: str = "float64",
    threads: SupportsIndex | None = None,
) -> Tuned:
    """Searches for the parameters with which an algorithm solves problems in the fewest evaluations.

        >>> found = tune("de", "sphere", dimensions=3, runs=3, budget=16, max_evaluations=2000)
        >>> sorted(found.algorithm)[:2]
        ['crossover_rate', 'name']

    `parameters` names the parameters to tune, by default all numeric ones that have an effect; `fixed` sets others.
    `tune` tries `budget` configurations, each with `runs` runs on each problem. It then tests the best configuration
    against the default one, with `test_runs` new runs of each (by default four times `runs`). The other arguments are
    those of `compare`. `result.algorithm` can be passed to `minimize`.
    """
    words = ["tune", str(algorithm)]
    words += _common(runs, max_evaluations, population, dimensions, rng, device, precision, threads)
    given = _Given(problems, goals)
    words += ["--problems", ",".join(given.words), "--target", repr(float(target))]
    words += ["--budget", str(_settings.whole("budget", budget))]
    if parameters:
        words += ["--parameters", ",".join(parameters)]
    for key, value in (fixed or {}).items():
        words += ["--set", f"{key}={_text(value)}"]
    if test_runs is not None:
        words += ["--test-runs", str(_settings.whole("test_runs", test_runs))]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        _run([*words, "--json", str(out), "--quiet"], given.problems)
        return Tuned(json.loads(out.read_text(encoding="utf-8")), fixed=dict(fixed or {}))


def report(*folders: str | os.PathLike[str], out: str | os.PathLike[str] = "report.html", force: bool = False) -> Path:
    """Writes an HTML page with charts about runs that `warpswarm solve --out DIR` has saved; returns its path.

    With `force` an existing file is overwritten.
    """
    words = ["report", *(os.fspath(folder) for folder in folders), "--out", os.fspath(out)]
    _run([*words, "--force"] if force else words, [])
    return Path(out)


def _common(
    runs: SupportsIndex,
    max_evaluations: SupportsIndex,
    population: SupportsIndex | None,
    dimensions: SupportsIndex | None,
    rng: Seed,
    device: str,
    precision: str,
    threads: SupportsIndex | None,
) -> list[str]:
    backends = {"auto": "auto", "cpu": "cpu", "cuda": "gpu", "gpu": "gpu"}
    if device not in backends:
        raise ValueError(f"device is {device!r}; allowed: 'auto', 'cpu' or 'cuda'")
    _settings.precision(precision)
    numbers = {
        "--runs": ("runs", runs),
        "--evaluations": ("max_evaluations", max_evaluations),
        "--individuals": ("population", population),
        "--dim": ("dimensions", dimensions),
        "--threads": ("threads", threads),
    }
    words = ["--seed", str(_settings.seed(rng)), "--backend", backends[device]]
    words += ["--precision", {"float64": "f64", "float32": "f32"}[precision]]
    for option, (name, value) in numbers.items():
        if value is not None:
            words += [option, str(_settings.whole(name, value))]
    return words


class _Given:
    """Problems as words of the command line, and those problems that are passed to the program as objects."""

    def __init__(self, problems: Problems, goals: Mapping[str, SupportsFloat] | None) -> None:
        self.words: list[str] = []
        self.problems: list[tuple[str, _native.Problem]] = []
        goals = dict(goals or {})
        for name, problem in zip(*_named(problems)):
            self._add(name, problem, goals)
        if goals:
            raise ValueError(f"goals has {', '.join(map(repr, goals))}, which is no problem's name here")

    def _add(self, name: str | None, problem: Any, goals: dict[str, SupportsFloat]) -> None:
        if isinstance(problem, tuple):
            problem = _by_function(problem, name)
        shown = name
        if isinstance(problem, Problem) and problem._words is None:
            shown = _plain("a problem is called", name or problem.name)
            word = f"given-{len(self.problems) + 1}"
            self.problems.append((word, problem._native))
        elif isinstance(problem, Problem):
            word = str(problem._words)
        elif isinstance(problem, (str, os.PathLike)):
            word = os.fspath(problem)
            if "," in word:
                raise ValueError(f"a problem is {word!r}; allowed: no comma in it")
        else:
            raise TypeError(
                f"a problem is of type {type(problem).__name__}; allowed: a Problem, a name, the path of a file, or a tuple "
                "(function, bounds)"
            )
        goal = goals.pop(shown if shown is not None else word, None)
        if shown is not None:
            word += f":name={_plain('a problem is called', shown)}"
        if goal is not None:
            word += f":goal={float(goal)!r}"
        self.words.append(word)


def _by_function(given: tuple[Any, ...], name: str | None) -> Problem:
    if len(given) not in (2, 3) or not callable(given[0]):
        raise TypeError("a problem is a tuple; allowed: (function, bounds) or (function, bounds, constraints)")
    fun, bounds, *rest = given
    box = _settings.variables(bounds)
    objective = wanted(
        fun,
        box,
        args=(),
        constraints=_constraints(rest[0] if rest else ()),
        vectorized=False,
        workers=1,
        compile=True,
        maximise=False,
        dtype=_settings.precision("float64"),
    )
    assert isinstance(objective.native, _native.Problem)
    difference = first_difference(fun, (), objective.native, box)
    if difference is not None:
        raise ValueError(
            f"{name or getattr(fun, '__name__', 'a function')} is compiled and differs: {difference}; random numbers, the "
            "time and counters would be constants; allowed: a function that depends only on x, or minimize(..., "
            "compile=False) in place of compare and tune"
        )
    return Problem._of(objective.native)


def _named(given: Any) -> tuple[list[str | None], list[Any]]:
    """Names and values of a dict by name, of a list, or of a single value; the names are None without a dict."""
    if isinstance(given, Mapping) and "name" not in given:
        return list(given), list(given.values())
    is_many = isinstance(given, Sequence) and not isinstance(given, (str, tuple))
    things = list(given) if is_many else [given]
    return [None] * len(things), things


def _entrant(name: str | None, algorithm: Algorithm) -> str:
    """An algorithm as a word of the command line."""
    if isinstance(algorithm, str):
        word = algorithm
    elif isinstance(algorithm, Mapping) and "name" in algorithm:
        word = str(algorithm["name"])
        for key, value in algorithm.items():
            if key != "name":
                word += f":{'individuals' if key == 'population' else key}={_text(value)}"
    else:
        raise TypeError(f"an algorithm is {algorithm!r}; allowed: a name such as 'de', or a dict with its name")
    if "," in word or (isinstance(algorithm, str) and ":" in word):
        raise ValueError(f"an algorithm is {word!r}; allowed: a name, or a dict with parameters")
    return word if name is None else f"{word}:name={_plain('an algorithm is called', name)}"


def _text(value: Any) -> str:
    """A parameter's value as text."""
    value = _settings._json(value)
    return value if isinstance(value, str) else repr(value)


def _plain(what: str, name: str) -> str:
    if not name or _RESERVED.search(name):
        raise ValueError(f"{what} {name!r}; allowed: no space, comma, colon or equals sign in it")
    return name


def _run(words: list[str], problems: list[tuple[str, _native.Problem]]) -> None:
    try:
        _native.command(words, problems)
    except ValueError as error:
        raise ValueError(_in_python(str(error), problems)) from None


def _in_python(message: str, problems: list[tuple[str, _native.Problem]]) -> str:
    """An error message of the program, with the names of the Python arguments."""
    message = message.removeprefix("error: ").partition("\n")[0]
    for word, problem in problems:
        # Show the name that the caller gave, without the goal.
        message = re.sub(
            rf"{word}(:name=(?P<name>[^`:]*))?(:goal=[^`:]*)?", lambda at: at["name"] or problem.name, message
        )
    if "best value" in message:
        message = message.partition("; allowed")[0] + "; allowed: its best value in goals, from which targets count"
    # Text in backticks is a command line of the program, and stays as it is.
    parts = message.split("`")
    parts[::2] = [re.sub(r"--([a-z][a-z-]*)", _argument, part) for part in parts[::2]]
    return "`".join(parts)


def _argument(option: re.Match[str]) -> str:
    name = option.group(1)
    return _ARGUMENTS.get(name, name.replace("-", "_"))
