"""Arrays of expressions, in one of three forms.

* `Regular`: all elements are the same expression of their indices, as in `x[1:] - x[:-1]`. A sum over it is compiled
  once, for any length. Single numbers are also regular, with the shape ().
* `Joined`: a one-dimensional concatenation of a few regular parts, such as `np.concatenate([[0], x, [0]])`.
* `Listed`: arbitrary elements, with one expression for each.

Operations keep the first form as long as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from .expression import (
    Affine,
    Graph,
    Node,
    X,
    as_condition,
    as_number,
    divide,
    moved,
    ordered,
)
from .folds import common, folded, joined, steps_through_x, substitute
from .tables import in_rows

Shape = tuple[int, ...]
NodeFunction = Callable[..., Node]

# The largest number of parts of a joined array; an array with more parts is listed.
MOST_PARTS = 16


@dataclass(frozen=True)
class Regular:
    """Indices 0, 1, ... of the node are those of the array. A dimension of length one has no index."""

    shape: Shape
    node: Node


@dataclass(frozen=True)
class Joined:
    """Lengths and nodes of the parts."""

    parts: tuple[tuple[int, Node], ...]

    @property
    def shape(self) -> Shape:
        return (sum(length for length, _ in self.parts),)


@dataclass(frozen=True)
class Listed:
    """An array of objects, which are nodes."""

    nodes: NDArray[Any]

    @property
    def shape(self) -> Shape:
        return self.nodes.shape


Form = Union[Regular, Joined, Listed]


def single(node: Node) -> Regular:
    return Regular((), node)


def vector(graph: Graph) -> Regular:
    """The vector of variables."""
    at = moved(0) if graph.dimensions > 1 else Affine(0)
    return Regular((graph.dimensions,), graph.element(X, at))


def of_runs(graph: Graph, arrays: NDArray[np.float64], name: str | None) -> Regular:
    """A number, a vector or a matrix with a separate value for each run."""
    shape = arrays.shape[1:]
    at = [moved(axis) if length > 1 else Affine(0) for axis, length in enumerate(shape)]
    return Regular(shape, graph.element(graph.table_of_runs(arrays, name), *(at or [Affine(0)])))


def of_table(graph: Graph, array: NDArray[np.float64], name: str | None) -> Regular:
    """A vector or a matrix of constants, always as elements of a table."""
    at = [moved(axis) if length > 1 else Affine(0) for axis, length in enumerate(array.shape)]
    return Regular(array.shape, graph.element(graph.table(array, name), *at))


def nodes_of(form: Form) -> Iterator[Node]:
    """The expressions that a form is made of."""
    if isinstance(form, Regular):
        yield form.node
    elif isinstance(form, Joined):
        yield from (node for _, node in form.parts)
    else:
        yield from form.nodes.flat


def is_truth(form: Form) -> bool:
    """Whether a form is an array of conditions."""
    return all(node.is_condition for node in nodes_of(form)) and prod(form.shape) > 0


def objects(shape: Shape, nodes: Any) -> NDArray[Any]:
    array = np.empty(prod(shape), dtype=object)
    for k, node in enumerate(nodes):
        array[k] = node
    return array.reshape(shape)


def of_nodes(nodes: NDArray[Any]) -> Form:
    """An array of separate expressions; a vector of similar expressions becomes regular."""
    if nodes.ndim == 0:
        return single(nodes.item())
    if not all(node.is_condition for node in nodes.flat):
        nodes = objects(nodes.shape, map(as_number, nodes.flat))
    if nodes.ndim == 1 and nodes.size > 1:
        elements = all(node.kind == "element" and node.value[0] == X for node in nodes)
        body = common(list(nodes), 0) if elements or nodes.size > 3 else None
        if body is not None:
            return Regular(nodes.shape, body)
    return Listed(nodes)


def listed(form: Form) -> Listed:
    """The form as a list of its elements."""
    if isinstance(form, Listed):
        return form
    if isinstance(form, Joined):
        nodes = [node for part in form.parts for node in listed(Regular((part[0],), part[1])).nodes]
        return Listed(objects(form.shape, nodes))
    places = np.ndindex(*form.shape)
    return Listed(objects(form.shape, (at(form, place) for place in places)))


def at(form: Regular, place: Sequence[int]) -> Node:
    """One element of a regular array."""
    return substitute(form.node, {axis: Affine(k) for axis, k in enumerate(place)})


# Element by element


def elementwise(function: NodeFunction, *forms: Form) -> Form:
    """Applies a function of single expressions to arrays, with NumPy's broadcasting."""
    shape = np.broadcast_shapes(*(form.shape for form in forms))
    has_joined = any(isinstance(form, Joined) for form in forms)
    if any(isinstance(form, Listed) for form in forms) or (has_joined and len(shape) != 1):
        arrays = np.broadcast_arrays(*(listed(form).nodes for form in forms))
        made = (function(*nodes) for nodes in zip(*(array.flat for array in arrays)))
        return Listed(objects(shape, made))
    if has_joined:
        return _elementwise_joined(function, forms, shape[0])
    regular = [form for form in forms if isinstance(form, Regular)]
    return Regular(shape, function(*(_spread(form, shape).node for form in regular)))


def _spread(form: Regular, shape: Shape) -> Regular:
    """Broadcasts a regular array to a shape."""
    more = len(shape) - len(form.shape)
    if more == 0:
        return Regular(shape, form.node)
    return Regular(shape, substitute(form.node, {axis: moved(axis + more) for axis in range(len(form.shape))}))


def broadcast(form: Form, shape: Shape) -> Form:
    if np.broadcast_shapes(form.shape, shape) != shape:
        raise ValueError(f"operands could not be broadcast together with shapes {form.shape} {shape}")
    if isinstance(form, Regular):
        return _spread(form, shape)
    return form if form.shape == shape else Listed(np.broadcast_to(listed(form).nodes, shape))


def _elementwise_joined(function: NodeFunction, forms: Sequence[Form], length: int) -> Form:
    ends = sorted({end for form in forms if isinstance(form, Joined) for end in ends_of(form)})
    parts, start = [], 0
    for end in ends:
        nodes = [piece(form, start, end) for form in forms]
        parts.append((end - start, function(*nodes)))
        start = end
    return of_parts(parts)


def ends_of(form: Joined) -> list[int]:
    return [int(end) for end in np.cumsum([length for length, _ in form.parts])]


def piece(form: Form, start: int, end: int) -> Node:
    """The expression of contiguous elements of a one-dimensional array that belong to one part."""
    if isinstance(form, Regular):
        return substitute(form.node, {0: _from(start, end)})
    assert isinstance(form, Joined)
    begin = 0
    for length, node in form.parts:
        if begin <= start < begin + length:
            return substitute(node, {0: _from(start - begin, end - begin)})
        begin += length
    raise IndexError(f"there is no element {start} among {begin}")


def _from(start: int, end: int) -> Affine:
    return moved(0, start) if end - start > 1 else Affine(start)


def of_parts(parts: Sequence[tuple[int, Node]]) -> Form:
    """Concatenates parts to a one-dimensional array."""
    parts = [part for part in parts if part[0] > 0] or list(parts[:1])
    if not all(node.is_condition for _, node in parts):
        parts = [(length, as_number(node)) for length, node in parts]
    if len(parts) == 1:
        return Regular((parts[0][0],), parts[0][1])
    whole = Joined(tuple(parts))
    if len(parts) > MOST_PARTS or 2 * len(parts) > whole.shape[0]:
        return of_nodes(listed(whole).nodes)
    return whole


def alike(forms: Sequence[Form]) -> list[Form]:
    """Prepares arrays for joining: all contain conditions, or all are converted to numbers."""
    if all(map(is_truth, forms)):
        return list(forms)
    return [elementwise(as_number, form) for form in forms]


def parts_of(form: Form) -> list[tuple[int, Node]]:
    """The parts of a one-dimensional array."""
    if isinstance(form, Joined):
        return list(form.parts)
    if isinstance(form, Regular):
        return [(form.shape[0], form.node)]
    return [(1, node) for node in form.nodes]


# Reductions


def reduced(form: Form, reduction: str, axes: tuple[int, ...], keepdims: bool = False) -> Form:
    """`sum`, `prod`, `min`, `max`, `mean`, `any` or `all` over some of the axes."""
    axes = tuple(axis % len(form.shape) for axis in axes)
    if isinstance(form, Joined):
        whole = single(_reduced_joined(form, reduction))
        return Regular((1,), whole.node) if keepdims else whole
    if isinstance(form, Listed):
        return _reduced_listed(form, reduction, axes, keepdims)
    node = _reduced_regular(form, reduction, axes)
    shape = tuple(1 if axis in axes else length for axis, length in enumerate(form.shape))
    kept = Regular(shape, node)
    return kept if keepdims else squeezed(kept, axes)


def _reduced_regular(form: Regular, reduction: str, axes: tuple[int, ...]) -> Node:
    if reduction == "mean" and len(axes) > 1:
        count = prod(form.shape[axis] for axis in axes)
        return divide(_reduced_regular(form, "sum", axes), form.node.graph.number(count))
    node = form.node
    for axis in reversed(_outermost_first(form, axes)):
        node = folded(reduction, node, axis, form.shape[axis])
    return as_number(node) if reduction in ("sum", "prod", "mean") else node


def _outermost_first(form: Regular, axes: tuple[int, ...]) -> Sequence[int]:
    """The order of reductions. The first, outermost one is compiled to a loop; the others are unrolled in its body."""
    if len(axes) < 2:
        return axes

    def cost(order: Sequence[int]) -> tuple[bool, int]:
        outer = order[0]
        return not steps_through_x(form.node, outer) <= {1}, -form.shape[outer]

    return min(permutations(axes), key=cost)


def _reduced_joined(form: Joined, reduction: str) -> Node:
    if reduction == "mean":
        total = _reduced_joined(form, "sum")
        return divide(total, total.graph.number(form.shape[0]))
    return joined(reduction, [folded(reduction, node, 0, length) for length, node in form.parts])


def _reduced_listed(form: Listed, reduction: str, axes: tuple[int, ...], keepdims: bool) -> Form:
    last = np.moveaxis(form.nodes, axes, range(-len(axes), 0)) if axes else form.nodes[..., None]
    left = last.shape[: last.ndim - max(len(axes), 1)]
    rows = last.reshape(*left, -1)
    results = np.empty(left, dtype=object)
    for place in np.ndindex(*left):
        results[place] = _reduced_row(list(rows[place]), reduction)
    if keepdims:
        results = np.expand_dims(results, axes)
    return of_results(results)


def of_results(results: NDArray[Any]) -> Form:
    return single(results.item()) if results.ndim == 0 else Listed(results)


def _reduced_row(nodes: list[Node], reduction: str) -> Node:
    body = common(nodes, 0) if len(nodes) > 3 else None
    if body is not None and 0 in body.free:
        return folded(reduction, body, 0, len(nodes))
    return joined(reduction, nodes)


# Shapes


def transposed(form: Form, axes: Sequence[int]) -> Form:
    if len(form.shape) < 2:
        return form
    if isinstance(form, Regular):
        shape = tuple(form.shape[axis] for axis in axes)
        return Regular(shape, substitute(form.node, {axis: moved(k) for k, axis in enumerate(axes)}))
    return Listed(listed(form).nodes.transpose(axes))


def reshaped(form: Form, shape: Shape) -> Form:
    """Reshapes in row-major order."""
    if form.shape == shape:
        return form
    if isinstance(form, Regular):
        flat = _flattened(form)
        if flat is not None:
            return Regular(shape, substitute(flat, {0: in_rows(shape)}))
    return of_results(listed(form).nodes.reshape(shape))


def _flattened(form: Regular) -> Node | None:
    """The elements in row-major order as an expression of one index, or None if that is not possible."""
    long = [axis for axis, length in enumerate(form.shape) if length > 1]
    if len(long) < 2:
        return substitute(form.node, {axis: moved(0) for axis in long})
    flat = dict(in_rows(form.shape).terms)
    last = long[-1]
    for node in ordered([form.node]):
        for one in node.value[1] if node.kind == "element" else [node.value] if node.kind == "index" else []:
            step = one.coefficient(last)
            if any(one.coefficient(axis) != step * flat[axis] for axis in long):
                return None
    # All are step * position + ...: the last axis becomes the position, and the other axes 0.
    return substitute(form.node, {axis: moved(0) if axis == last else Affine(0) for axis in long})


def squeezed(form: Form, axes: Sequence[int]) -> Form:
    """Removes some dimensions of length one."""
    if isinstance(form, Regular):
        left = [axis for axis in range(len(form.shape)) if axis not in axes]
        node = substitute(form.node, {axis: moved(k) for k, axis in enumerate(left)})
        return Regular(tuple(form.shape[axis] for axis in left), node)
    return of_results(np.squeeze(listed(form).nodes, tuple(axes)))


def truth_of(form: Form) -> Form:
    """Converts numbers to conditions."""
    return form if is_truth(form) else elementwise(as_condition, form)
