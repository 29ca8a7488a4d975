"""`compare`, `tune` and `report`: the commands of the program, on objects of Python."""

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
from ._objective import wanted
from ._problem import Problem
from ._settings import Algorithm, Seed

# A problem, its name (`rastrigin:dim=10`), the path of a file, or a function with its bounds and perhaps constraints.
Compared = Union[Problem, str, "tuple[Any, ...]"]
Problems = Union[Compared, Sequence[Compared], Mapping[str, Compared]]
Algorithms = Union[Algorithm, Sequence[Algorithm], Mapping[str, Algorithm]]

# The options of the program, in the words of Python.
_ARGUMENTS = {
    "evaluations": "max_evaluations",
    "individuals": "population",
    "seed": "rng",
    "dim": "dimensions",
    "backend": "device",
    "set": "fixed",
}
# What separates words of the program.
_RESERVED = re.compile(r"[:,=\s]")


class Comparison(dict[str, Any]):
    """What `compare` has found: `problems` with `results` and `pairs`, and `overall`; printed, it is a table.

    The keys are those of the program's `compare --json`; `warpswarm compare --help` has them all.
    """

    table: str = ""
    """The table, as Markdown."""

    def __repr__(self) -> str:
        return html.unescape(self.table)

    def _repr_markdown_(self) -> str:
        return self.table


class Tuned(dict[str, Any]):
    """What `tune` has found: `parameters` with the usual value and what was found, `search_quality`, and `test`."""

    @property
    def algorithm(self) -> dict[str, Any]:
        """The algorithm with what was found, as `minimize` takes it."""
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
    """Runs algorithms on problems, and says which is better, and how sure that is.

        >>> found = compare("sphere", ["de", "pso"], dimensions=5, runs=5, max_evaluations=5000)
        >>> [of["entrant"] for of in found["overall"]]
        ['de', 'pso']

    Parameters
    ----------
    problems : one, a list, or a dict by name
        A `Problem`, the name of a problem, perhaps with settings (`"rastrigin:dim=10:shift=1"`), the path of a problem file,
        or a tuple (function, bounds) or (function, bounds, constraints); the function is compiled, as with `compile=True`.
    algorithms : one, a list, or a dict by name
        As `minimize` takes them. A dict may have a `population`.
    runs, max_evaluations : int
        Runs of each algorithm on each problem, and how many evaluations each has.
    population : int
        Individuals of algorithms that do not say; by default as many as they usually have.
    targets : number, or several
        Distances from the best known value that count as reached; at the least a run stops. The default is 1e-8.
    goals : dict
        The best values of problems by their names, from which targets count, where none is known.
    dimensions : int
        Of problems that have as many as one likes.
    rng, precision, threads : as of `minimize`
    device : 'auto', 'cpu', 'cuda'
        Where to run. The numbers do not depend on it.
    report : path
        Where to write a page for a browser, with charts; what is there is overwritten.

    Runs are told apart by Wilcoxon's rank sum test with Holm's correction.
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
    """Searches the parameters of an algorithm with which it solves problems in the fewest evaluations.

        >>> found = tune("de", "sphere", dimensions=3, runs=3, budget=16, max_evaluations=2000)
        >>> sorted(found.algorithm)[:2]
        ['crossover_rate', 'name']

    `parameters` are those that are searched, by default all that are numbers and matter; `fixed` sets others. `budget`
    configurations are tried, with `runs` runs on each problem; what was found is then run anew, `test_runs` times (four
    times `runs`), beside the usual parameters. The other arguments are those of `compare`. `result.algorithm` is what
    `minimize` takes.
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
    """Writes a page for a browser, with charts, of runs that `warpswarm solve --out DIR` has kept; gives its path.

    `force` overwrites what is there.
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
    """Problems as words of the program, and those that it is given as objects."""

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
    objective = wanted(
        fun,
        _settings.variables(bounds),
        args=(),
        constraints=_constraints(rest[0] if rest else ()),
        vectorized=False,
        workers=1,
        compile=True,
        maximise=False,
        dtype=_settings.precision("float64"),
    )
    assert isinstance(objective.native, _native.Problem)
    return Problem._of(objective.native)


def _named(given: Any) -> tuple[list[str | None], list[Any]]:
    """Names and things, of a dict by name, of a list, or of one thing."""
    if isinstance(given, Mapping) and "name" not in given:
        return list(given), list(given.values())
    is_many = isinstance(given, Sequence) and not isinstance(given, (str, tuple))
    things = list(given) if is_many else [given]
    return [None] * len(things), things


def _entrant(name: str | None, algorithm: Algorithm) -> str:
    """An algorithm as a word of the program."""
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
    """A parameter's value as a word."""
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
    """A message of the program in the words of Python."""
    message = message.removeprefix("error: ").partition("\n")[0]
    for word, problem in problems:
        # With the name that it has here, and without its goal.
        message = re.sub(
            rf"{word}(:name=(?P<name>[^`:]*))?(:goal=[^`:]*)?", lambda at: at["name"] or problem.name, message
        )
    if "best value" in message:
        message = message.partition("; allowed")[0] + "; allowed: its best value in goals, from which targets count"
    # What the program itself is asked stands in backticks.
    parts = message.split("`")
    parts[::2] = [re.sub(r"--([a-z][a-z-]*)", _argument, part) for part in parts[::2]]
    return "`".join(parts)


def _argument(option: re.Match[str]) -> str:
    name = option.group(1)
    return _ARGUMENTS.get(name, name.replace("-", "_"))
