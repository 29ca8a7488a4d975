"""Reductions over an index: `sum(i, ...)`, which is compiled once, for any number of terms.

Properties of the compiler of problem files that matter here (`compile/elements.rs`, `compile/ranges.rs`):

* `x[i + 3]` is read directly. For `x[2 * i]`, each term selects one of all coordinates between the first and the last
  one by comparisons. So `x[::2]` is written as a loop over all elements with a mask (`_masked`).
* The compiler unrolls a reduction whose body has the index of another one, so that `x[j]` is a fixed coordinate: the
  product of a matrix with n columns and `x` becomes n multiplications in the body of the enclosing sum. So the outer
  one of two reductions should be the longer one that reads `x` in steps of one (`reduced` in forms.py).
* Constant arrays can be read in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import inf

import numpy as np

from .expression import (
    BOUND,
    Affine,
    Fold,
    Graph,
    Node,
    X,
    add,
    affine,
    as_number,
    both,
    call,
    choose,
    compare,
    divide,
    either,
    known_truth,
    moved,
    multiply,
    ordered,
)
from .tables import elements_of

# A reduction with at most this many terms is unrolled if it does not read `x` in steps of one.
FEW_TERMS = 8

# The operation that joins two terms.
_JOINTS: dict[str, Callable[[Node, Node], Node]] = {
    "sum": add,
    "prod": multiply,
    "min": lambda a, b: call("min", a, b),
    "max": lambda a, b: call("max", a, b),
    "any": either,
    "all": both,
}
_NEUTRAL: dict[str, float | bool] = {"sum": 0.0, "prod": 1.0, "min": inf, "max": -inf, "any": False, "all": True}


def joined(reduction: str, nodes: Sequence[Node]) -> Node:
    """A reduction of separate expressions, from left to right."""
    if reduction == "mean" and len(nodes) > 1:
        return divide(joined("sum", nodes), nodes[0].graph.number(len(nodes)))
    if reduction in ("min", "max") and all(node.is_condition for node in nodes):
        reduction = "all" if reduction == "min" else "any"
    result = reduce(_JOINTS[reduction], nodes) if len(nodes) > 1 else nodes[0]
    return result if reduction in ("any", "all") else as_number(result)


def neutral(graph: Graph, reduction: str) -> Node:
    """The identity element of a reduction."""
    value = _NEUTRAL[reduction]
    return graph.truth(value) if isinstance(value, bool) else graph.number(value)


def folded(reduction: str, body: Node, index: int, terms: int) -> Node:
    """A reduction of a body over an index that starts at 0."""
    graph = body.graph
    if terms == 0 and reduction in ("min", "max"):
        raise ValueError(f"zero-size array to reduction operation {reduction}imum which has no identity")
    if terms == 0:
        return graph.number(np.nan) if reduction == "mean" else neutral(graph, reduction)
    if reduction in ("min", "max") and body.is_condition:
        reduction = "all" if reduction == "min" else "any"
    has_index = index in body.free
    if terms == 1 or (reduction in ("min", "max", "any", "all") and not has_index):
        return joined(reduction, [substitute(body, {index: Affine(0)})])
    bound = BOUND + body.height
    body = substitute(body, {index: moved(bound)})
    return _fast(graph.make("fold", (body,), Fold(reduction, bound, terms)))


def substitute(node: Node, mapping: Mapping[int, Affine]) -> Node:
    """Replaces indices in an expression by affine functions."""
    indices = frozenset(mapping)
    if not node.free & indices:
        return node
    order, open_nodes = dict[int, Node](), [node]
    while open_nodes:
        one = open_nodes.pop()
        if one.number not in order and one.free & indices:
            order[one.number] = one
            open_nodes.extend(one.parts)
    known = dict[int, Node]()
    for number in sorted(order):
        one = order[number]
        parts = tuple(known.get(part.number, part) for part in one.parts)
        known[number] = _with(one, parts, mapping)
    return known[node.number]


def _with(node: Node, parts: tuple[Node, ...], mapping: Mapping[int, Affine]) -> Node:
    graph = node.graph
    if node.kind == "element":
        table, at = node.value
        return graph.element(table, *(one.replaced(mapping) for one in at))
    if node.kind == "index":
        return graph.index(node.value.replaced(mapping))
    if node.kind == "if" and parts[0].kind == "truth":
        return parts[1] if parts[0].value else parts[2]
    made = graph.make(node.kind, parts, node.value)
    return _fast(made) if node.kind == "fold" else known_truth(made)


def steps_through_x(body: Node, index: int) -> set[int]:
    """The steps, except 0, in which a body reads elements of `x` as an index grows by one."""
    elements = (node for node in ordered([body]) if node.kind == "element" and node.value[0] == X)
    return {at.coefficient(index) for node in elements for at in node.value[1]} - {0}


def _fast(node: Node) -> Node:
    """Rewrites a reduction so that it compiles to fast code. The compiler unrolls inner reductions in any case."""
    if node.free:
        return node
    fold, body = node.value, node.parts[0]
    steps = steps_through_x(body, fold.over)
    if steps <= {1}:
        return node
    if steps == {-1}:
        backwards = substitute(body, {fold.over: moved(fold.over, fold.terms - 1, -1)})
        return node.graph.make("fold", (backwards,), fold)
    if len(steps) == 1 and fold.terms > FEW_TERMS:
        (step,) = steps
        if step < 0:
            body = substitute(body, {fold.over: moved(fold.over, fold.terms - 1, -1)})
        masked = _masked(body, fold, abs(step))
        if masked is not None:
            return masked
    terms = [substitute(body, {fold.over: Affine(k)}) for k in range(fold.terms)]
    return joined(fold.reduction, terms)


def _masked(body: Node, fold: Fold, step: int) -> Node | None:
    """A reduction over every element of `x`, with a mask that selects every second, third, ... one.

    None if a constant array would have to be read by two indices at once.
    """
    graph, index = body.graph, fold.over
    count = step * (fold.terms - 1) + 1
    known = dict[int, Node]()
    for node in ordered([body]):
        parts = tuple(known[part.number] for part in node.parts)
        if node.kind not in ("element", "index") or index not in node.free:
            known[node.number] = graph.make(node.kind, parts, node.value)
            continue
        wide = _widened(node, index, step, count)
        if wide is None:
            return None
        known[node.number] = wide
    every = graph.table((np.arange(count) % step == 0).astype(float), f"every{step}")
    is_taken = compare(">", graph.element(every, moved(index)), graph.number(0.0))
    reduction = "sum" if fold.reduction == "mean" else fold.reduction
    term = choose(is_taken, known[body.number], neutral(graph, reduction))
    made = graph.make("fold", (term,), Fold(reduction, index, count))
    return divide(made, graph.number(fold.terms)) if fold.reduction == "mean" else made


def _widened(leaf: Node, index: int, step: int, count: int) -> Node | None:
    """Rewrites a leaf whose old index is the new index `// step`; None if that is not possible."""
    graph = leaf.graph
    slow = np.arange(count) // step
    if leaf.kind == "index":
        if leaf.free != {index}:
            return None
        numbers = leaf.value.constant + leaf.value.coefficient(index) * slow
        return graph.element(graph.table(numbers.astype(float)), moved(index))
    table, at = leaf.value
    if table == X:
        terms = {other: times // step if other == index else times for other, times in at[0].terms}
        return graph.element(X, affine(at[0].constant, terms))
    axes = [axis for axis, one in enumerate(at) if one.coefficient(index)]
    if len(axes) > 1 or len(at[axes[0]].terms) > 1:
        return None
    axis = axes[0]
    rows = at[axis].constant + at[axis].coefficient(index) * slow
    known = graph.tables[table]
    if known.of_runs is not None:
        return None
    values = np.take(known.values, rows, axis=axis)
    new = graph.table(values.astype(bool) if known.is_truth else values)
    return graph.element(new, *(moved(index) if k == axis else one for k, one in enumerate(at)))


# Similar expressions


def common(nodes: Sequence[Node], index: int) -> Node | None:
    """One expression of an index that gives all nodes: `x[i]^2` for `x[1]^2`, `x[2]^2`, ...; None if there is none."""
    return _Alike(index).common(tuple(nodes), 100)


class _Alike:
    """Compares expressions part by part; shared parts are compared only once."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.known: dict[tuple[Node, ...], Node | None] = {}

    def common(self, nodes: tuple[Node, ...], depth: int) -> Node | None:
        first = nodes[0]
        if all(node is first for node in nodes):
            return first
        if depth == 0 or any(node.kind != first.kind or len(node.parts) != len(first.parts) for node in nodes):
            return None
        if nodes not in self.known:
            self.known[nodes] = self._made(nodes, depth)
        return self.known[nodes]

    def _made(self, nodes: tuple[Node, ...], depth: int) -> Node | None:
        first = nodes[0]
        graph = first.graph
        if first.kind == "number":
            return _common_number(graph, [node.value for node in nodes], self.index)
        if first.kind == "element":
            return self._element(nodes)
        if first.kind == "index":
            progress = _progress([node.value for node in nodes], self.index)
            return None if progress is None else graph.index(progress)
        if any(node.value != first.value for node in nodes):
            return None
        parts = []
        for alike in zip(*(node.parts for node in nodes)):
            part = self.common(alike, depth - 1)
            if part is None:
                return None
            parts.append(part)
        return graph.make(first.kind, tuple(parts), first.value)

    def _element(self, nodes: tuple[Node, ...]) -> Node | None:
        table, axes = nodes[0].value[0], range(len(nodes[0].value[1]))
        if any(node.value[0] != table for node in nodes):
            return None
        at = [_progress([node.value[1][axis] for node in nodes], self.index) for axis in axes]
        found = [one for one in at if one is not None]
        return nodes[0].graph.element(table, *found) if len(found) == len(at) else None


def _common_number(graph: Graph, values: list[float], index: int) -> Node | None:
    numbers = np.array(values)
    if not np.all(np.isfinite(numbers)):
        return None
    return substitute(elements_of(graph, numbers), {0: moved(index)})


def _progress(all_at: list[Affine], index: int) -> Affine | None:
    """The affine function of `index` that gives these values in order, if they grow by a constant step."""
    first = all_at[0]
    step = all_at[1].constant - first.constant
    for k, at in enumerate(all_at):
        if at.terms != first.terms or at.constant != first.constant + k * step:
            return None
    return affine(first.constant, {**dict(first.terms), index: step})
