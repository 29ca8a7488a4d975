"""Rewrites sums that a Python loop accumulates as sums over an index.

    total = 0.0
    for k in range(len(x) - 1):
        total += (x[k + 1] - x[k]) ** 2

is traced as `0 + (x[2] - x[1])^2 + (x[3] - x[2])^2 + ...`, in Python's order of operations. In another order it is
`sum(i, (x[i + 1] - x[i])^2)`, which is compiled once, for a loop of any length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .expression import Node, ordered
from .folds import common, folded, joined

# The reduction for each kind of chain, and its identity element.
_REDUCTIONS = {"+": ("sum", 0.0), "*": ("prod", 1.0)}
# The smallest number of iterations of a loop, and the largest number of terms that it may add in one iteration.
FEWEST_ROUNDS, MOST_IN_ROUND = 6, 4


def reordered(roots: Sequence[Node]) -> list[Node]:
    """Replaces long chains of + and of * by reductions."""
    order = ordered(roots)
    uses = Counter(part.number for node in order for part in node.parts)
    uses.update(root.number for root in roots)
    # Inner nodes of a chain: nodes that are used once, as the first part of a node of the same kind.
    inner = {
        node.parts[0].number
        for node in order
        if node.kind in _REDUCTIONS and node.parts[0].kind == node.kind and uses[node.parts[0].number] == 1
    }
    new: dict[int, Node] = {}
    for node in order:
        if node.number in inner:
            continue
        if node.kind in _REDUCTIONS:
            terms = [new[term.number] for term in _terms(node, inner)]
            new[node.number] = _reduced(node.kind, terms)
        else:
            parts = tuple(new[part.number] for part in node.parts)
            new[node.number] = node.graph.make(node.kind, parts, node.value)
    return [new[root.number] for root in roots]


def _terms(node: Node, inner: set[int]) -> list[Node]:
    """The terms of a chain, from left to right."""
    terms = [node.parts[1]]
    while node.parts[0].number in inner:
        node = node.parts[0]
        terms.append(node.parts[1])
    return [node.parts[0], *terms[::-1]]


def _reduced(kind: str, terms: list[Node]) -> Node:
    reduction, neutral = _REDUCTIONS[kind]
    for first in range(min(MOST_IN_ROUND, len(terms))):
        for in_round in range(1, MOST_IN_ROUND + 1):
            rounds, rest = divmod(len(terms) - first, in_round)
            if rounds < FEWEST_ROUNDS or rest:
                continue
            bodies = [common(terms[first + k :: in_round], 0) for k in range(in_round)]
            found = [body for body in bodies if body is not None and 0 in body.free]
            if len(found) < in_round:
                continue
            # Omit the identity element with which loops start.
            before = [term for term in terms[:first] if term.kind != "number" or term.value != neutral]
            return joined(reduction, [*before, folded(reduction, joined(reduction, found), 0, rounds)])
    return joined(reduction, terms)
