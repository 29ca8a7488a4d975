"""The graph of operations on numbers and conditions that a function computes.

Equal expressions share one node, even if the user's function computes them twice. An expression may depend on
*indices*: the node `x[i + 1] - x[i]` stands for all elements of `np.diff(x)`. An index is identified by an integer:

* 0, 1, ...: the dimensions of the array to which the node belongs.
* from `BOUND` on: the index of an enclosing reduction (`sum` and similar). An inner reduction has the lower number, so
  that an index never hides another one with the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import failure

# The first index of reductions.
BOUND = 1000
# The largest number of nodes in a trace. Python loops are unrolled; longer expressions compile slowly, or not at all.
MOST_NODES = 20_000
# The key of the vector of variables among the tables of a graph.
X = 0

COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")


class Affine(NamedTuple):
    """An integer that is an affine function of indices: a constant, and a pair (index, coefficient) per index."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()

    def coefficient(self, index: int) -> int:
        return dict(self.terms).get(index, 0)

    def replaced(self, mapping: Mapping[int, Affine]) -> Affine:
        """Replaces indices by other affine functions."""
        constant, terms = self.constant, dict[int, int]()
        for index, times in self.terms:
            other = mapping.get(index, Affine(0, ((index, 1),)))
            constant += times * other.constant
            for inner, more in other.terms:
                terms[inner] = terms.get(inner, 0) + times * more
        return affine(constant, terms)


def affine(constant: int, terms: Mapping[int, int]) -> Affine:
    return Affine(int(constant), tuple(sorted((index, int(times)) for index, times in terms.items() if times)))


def moved(index: int, start: int = 0, step: int = 1) -> Affine:
    """`start + step * index`."""
    return affine(start, {index: step})


class Fold(NamedTuple):
    """The parameters of a reduction: its name, its index, and the number of terms; the index starts at 0."""

    reduction: str
    over: int
    terms: int


class Table(NamedTuple):
    """A constant array whose elements occur in expressions."""

    values: NDArray[np.float64]
    name: str | None
    # Whether it contains truth values, 1 and 0.
    is_truth: bool
    # The arrays of all runs, if each run has its own; `values` is then the array of the first run.
    of_runs: NDArray[np.float64] | None = None


class Node:
    """An operation or a leaf. `kind` is an operator as it is written, or one of

    * `number` and `truth`: the constant `value`
    * `element`: an element of a table; `value` is its key and an `Affine` per dimension, which counts from 0
    * `index`: the integer of the `Affine` in `value`
    * `negate`, `not`, `if`
    * `call`: the function with the name `value`
    * `fold`: the reduction that the `Fold` in `value` describes
    """

    __slots__ = ("graph", "kind", "parts", "value", "number", "free", "height", "is_condition")

    def __init__(self, graph: Graph, kind: str, parts: tuple[Node, ...], value: Any, number: int) -> None:
        self.graph = graph
        self.kind = kind
        self.parts = parts
        self.value = value
        # Nodes are numbered in the order of creation, so parts have lower numbers.
        self.number = number
        self.free = _free_of(kind, parts, value)
        self.height: int = max((part.height for part in parts), default=0) + (kind == "fold")
        self.is_condition = _is_condition(kind, parts, value)

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.parts))
        return f"{self.kind}({self.value}{': ' if inner else ''}{inner})"


def _free_of(kind: str, parts: tuple[Node, ...], value: Any) -> frozenset[int]:
    if kind == "element":
        return frozenset(index for at in value[1] for index, _ in at.terms)
    if kind == "index":
        return frozenset(index for index, _ in value.terms)
    free = frozenset[int]().union(*(part.free for part in parts))
    return free - {value.over} if kind == "fold" else free


def _is_condition(kind: str, parts: tuple[Node, ...], value: Any) -> bool:
    if kind == "if":
        return parts[1].is_condition and parts[2].is_condition
    if kind == "fold":
        return value.reduction in ("any", "all")
    return kind in COMPARISONS or kind in ("truth", "and", "or", "not")


class Graph:
    """All nodes of a trace, and their constant arrays."""

    def __init__(self, dimensions: int, known_arrays: Mapping[int, tuple[str, Any]] | None = None) -> None:
        self.dimensions = dimensions
        # Arrays with a name in the user's code, by their `id`.
        self.known_arrays = known_arrays or {}
        self.tables: dict[int, Table] = {}
        self._nodes: dict[tuple[Any, ...], Node] = {}
        self._known_tables: dict[tuple[Any, ...], int] = {}

    def make(self, kind: str, parts: tuple[Node, ...] = (), value: Any = None) -> Node:
        """Returns the node with these parts; equal arguments return the same node."""
        # Numbers are compared by their hexadecimal text: -0.0 differs from 0.0, and NaN equals NaN.
        key = (kind, value.hex() if kind == "number" else value, *(part.number for part in parts))
        node = self._nodes.get(key)
        if node is None:
            if len(self._nodes) >= MOST_NODES:
                raise failure(
                    f"more than {MOST_NODES:,} operations on single numbers; loops of Python are written out: "
                    "write them with whole arrays, as in np.sum(x[1:] * x[:-1])"
                )
            node = Node(self, kind, parts, value, len(self._nodes))
            self._nodes[key] = node
        return node

    def number(self, value: float) -> Node:
        return self.make("number", value=float(value))

    def truth(self, value: bool) -> Node:
        return self.make("truth", value=bool(value))

    def element(self, table: int, *at: Affine) -> Node:
        return self.make("element", value=(table, at))

    def index(self, value: Affine) -> Node:
        return self.make("index", value=value) if value.terms else self.number(value.constant)

    def table(self, values: NDArray[Any], name: str | None = None) -> int:
        """The key of a constant array of one or two dimensions. Equal arrays have the same key."""
        copy = np.array(values, dtype=np.float64, order="C")
        key = (copy.shape, values.dtype.kind == "b", copy.tobytes())
        if key not in self._known_tables:
            self._known_tables[key] = number = len(self.tables) + 1
            self.tables[number] = Table(copy, name, is_truth=values.dtype.kind == "b")
        number = self._known_tables[key]
        if name is not None and self.tables[number].name is None:
            self.tables[number] = self.tables[number]._replace(name=name)
        return number

    def table_of_runs(self, arrays: NDArray[np.float64], name: str | None) -> int:
        """The key of an array with a part for each run. Different objects have different keys."""
        key = ("of runs", id(arrays))
        if key not in self._known_tables:
            self._known_tables[key] = number = len(self.tables) + 1
            first = np.array(arrays[0], dtype=np.float64, ndmin=1)
            self.tables[number] = Table(first, name, is_truth=False, of_runs=arrays)
        return self._known_tables[key]

    def length(self, table: int, axis: int) -> int:
        """The length of a table along an axis."""
        return self.dimensions if table == X else self.tables[table].values.shape[axis]


def ordered(roots: Iterable[Node]) -> list[Node]:
    """The given nodes and all their direct and indirect parts, each after its own parts."""
    found: dict[int, Node] = {}
    open_nodes = list(roots)
    while open_nodes:
        node = open_nodes.pop()
        if node.number not in found:
            found[node.number] = node
            open_nodes.extend(node.parts)
    return [found[number] for number in sorted(found)]


def number_of(node: Node) -> float | None:
    """The value of a constant number, otherwise None."""
    return node.value if node.kind == "number" else None


# Numbers and conditions


def as_condition(node: Node) -> Node:
    """A number as a condition, as in NumPy: true unless it is 0."""
    return node if node.is_condition else compare("!=", node, node.graph.number(0.0))


def as_number(node: Node) -> Node:
    """A condition as a number, 1 or 0; a number unchanged."""
    if not node.is_condition:
        return node
    if _is_truth_of_table(node):
        return node.parts[0]
    graph = node.graph
    if node.kind == "truth":
        return graph.number(float(node.value))
    return graph.make("if", (node, graph.number(1.0), graph.number(0.0)))


def operand(node: Node) -> Node:
    """An operand of arithmetic: conditions remain, except constants and elements of tables of truth values."""
    return as_number(node) if node.kind == "truth" or _is_truth_of_table(node) else node


def _is_truth_of_table(node: Node) -> bool:
    if node.kind != "!=" or node.parts[0].kind != "element" or number_of(node.parts[1]) != 0.0:
        return False
    table = node.parts[0].value[0]
    return table != X and node.graph.tables[table].is_truth


def known_truth(node: Node) -> Node:
    """Replaces a node by true or false if it is an element of a table of truth values at a constant index."""
    if node.free or not _is_truth_of_table(node):
        return node
    table, at = node.parts[0].value
    place = tuple(one.constant for one in at)
    return node.graph.truth(bool(node.graph.tables[table].values[place]))


# Operations


def negative(a: Node) -> Node:
    number = number_of(a)
    return a.graph.number(-number) if number is not None else a.graph.make("negate", (operand(a),))


def arithmetic(operator: str, a: Node, b: Node) -> Node:
    return a.graph.make(operator, (operand(a), operand(b)))


def add(a: Node, b: Node) -> Node:
    return arithmetic("+", a, b)


def subtract(a: Node, b: Node) -> Node:
    return arithmetic("-", a, b)


def multiply(a: Node, b: Node) -> Node:
    return arithmetic("*", a, b)


def divide(a: Node, b: Node) -> Node:
    return arithmetic("/", a, b)


def power(a: Node, b: Node) -> Node:
    return arithmetic("^", a, b)


def call(name: str, *parts: Node) -> Node:
    return parts[0].graph.make("call", tuple(map(operand, parts)), name)


def compare(relation: str, a: Node, b: Node) -> Node:
    return a.graph.make(relation, (operand(a), operand(b)))


def both(a: Node, b: Node) -> Node:
    return a.graph.make("and", (as_condition(a), as_condition(b)))


def either(a: Node, b: Node) -> Node:
    return a.graph.make("or", (as_condition(a), as_condition(b)))


def opposite(a: Node) -> Node:
    """The negation of a condition.

    In the language, `not a < b` means `a >= b`, which is false for NaN, unlike NumPy's `~(a < b)`. So only `==` and
    `!=` are inverted here; other conditions become the node `not`, written as `(...) == 0`.
    """
    a = as_condition(a)
    if a.kind == "truth":
        return a.graph.truth(not a.value)
    if a.kind in ("==", "!="):
        return a.graph.make("!=" if a.kind == "==" else "==", a.parts)
    return a.graph.make("not", (a,))


def choose(condition: Node, a: Node, b: Node) -> Node:
    """`np.where` for single numbers."""
    condition = as_condition(condition)
    if not (a.is_condition and b.is_condition):
        a, b = as_number(a), as_number(b)
    if condition.kind == "truth":
        return a if condition.value else b
    return a if a is b else a.graph.make("if", (condition, a, b))
