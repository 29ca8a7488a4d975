"""Writes the graph of a trace as text in the language of problem files: named expressions and formulas.

An expression that is used more than once, and is not short, gets a name in `[let]`. The compiler of problem files
computes equal parts once in any case, so names cost nothing there. Without them the length of the text could be
proportional to the number of paths through the graph. An expression with an index is named with `for i in ...`
(`lets.rs`); the compiler inserts it where it is used. Products of matrices inside products are named for another
reason: the compiler evaluates an unrolled sum term by term, but a name only once for each of its elements.

Parts are written before the whole, each as late as possible, because the compiler keeps at most 256 results at a time.
The code does not use recursion, because the user's loops create graphs that are thousands of operations deep. Indices
are characters of Unicode's private use area until an expression is complete. Then they get their letters, `i` for the
outermost index.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._each import Each
from .errors import NotTraceable
from .expression import BOUND, COMPARISONS, Affine, Graph, Node, X, ordered
from .names import INDICES, Names

# Precedence of operators, as in the language's grammar (`syntax.pest`).
OR, AND, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(8)

# A text of at most this many characters is repeated instead of named.
SHORT = 30
# An expression that is longer than LONG characters, or has brackets nested deeper than DEEP, is split into named ones.
# The language allows 65,536 characters and 64 levels.
LONG, DEEP = 4000, 20
LONGEST, DEEPEST = 1 << 16, 64

# The first placeholder of an index, and the mark before the placeholder of a reduction's index.
_PRIVATE, _BINDER = 0xE000, "\uf8ff"


@dataclass(frozen=True)
class Reference:
    """An element with an index: the length of its axis, and its constant offset from the index, or None."""

    index: int
    length: int
    ahead: int | None


@dataclass(frozen=True)
class Written:
    text: str
    binds: int
    # The nesting depth of brackets.
    depth: int
    # Elements with a free index.
    references: frozenset[Reference] = frozenset()
    # The value, if this is a number; `2 * pi` may be written for it.
    number: float | None = None


class Writer:
    """Writes expressions of a graph, and collects the names that they need."""

    def __init__(self, graph: Graph, roots: Sequence[Node], names: Names) -> None:
        self.names = names
        self.graph = graph
        self.lets: list[tuple[str, str]] = []
        self.tables: dict[int, str] = {X: "x"}
        order = _in_order_of_use(roots)
        # A root counts as one more use, so a root that is also a part of another expression can get a name.
        self._uses = Counter(part.number for node in order for part in node.parts)
        self._uses.update(root.number for root in roots)
        self._extents = _extents(order)
        self._products = _products_within_products(order)
        self._written: dict[int, Written] = {}
        self._roots = {root.number for root in roots}
        for node in order:
            self._written[node.number] = self._perhaps_named(node, self._write(node))

    def formula(self, root: Node, index: int | None = None) -> str:
        """The text of a root, or of a part of a root in which `index` gets the letter `i`."""
        return _lettered(self._written[root.number].text, index)

    def data(self) -> dict[str, NDArray[np.float64] | Each]:
        """The constant arrays that occur in the text, by name; arrays with a part for each run are `Each`."""
        tables = {name: self.graph.tables[key] for key, name in self.tables.items() if key != X}
        return {name: of.values if of.of_runs is None else Each(of.of_runs) for name, of in tables.items()}

    # Names

    def _perhaps_named(self, node: Node, written: Written) -> Written:
        is_long = len(written.text) > LONG or written.depth > DEEP
        is_repeated = self._uses[node.number] > 1 and len(written.text) > SHORT
        is_repeated |= node.number in self._products
        if node.kind in ("number", "truth", "element", "index") or not (is_long or is_repeated):
            return written
        if len(node.free) > 1:
            if len(written.text) > LONGEST // 2 or written.depth > DEEPEST - DEEP:
                raise NotTraceable(
                    "an expression of two indices is too long; allowed: shorter ones, or fewer dimensions"
                )
            return written
        if node.number in self._roots and self._uses[node.number] == 1:
            return written
        text = f"if({written.text}, 1, 0)" if node.is_condition else written.text
        if not node.free:
            name = self.names.new("s")
            self.lets.append((name, _lettered(text, None)))
            named = Written(name, ATOM, 0)
        else:
            (index,) = node.free
            name = self.names.new("v")
            extent = self._extents[node.number][index]
            over = f"for i in {self._range(node, index, extent, written)}"
            self.lets.append((name, f"{_lettered(text, index)} {over}"))
            references = frozenset({Reference(index, extent, 0)})
            named = Written(f"{name}[{_letter(index)}]", ATOM, 1, references)
        if not node.is_condition:
            return named
        return Written(f"{named.text} != 0", COMPARE, named.depth, named.references)

    def _range(self, node: Node, index: int, extent: int, written: Written) -> str:
        """The range of an index: the name of an array of that length in the expression, or `1 to ...`."""
        for part in ordered([node]):
            if part.kind == "element" and part.value[1] == (Affine(0, ((index, 1),)),):
                if self.graph.length(part.value[0], 0) == extent:
                    return self._table(part.value[0])
        return f"1 to {extent}"

    def _table(self, key: int) -> str:
        if key not in self.tables:
            self.tables[key] = self.names.of_data(self.graph.tables[key].name)
        return self.tables[key]

    # Text

    def _write(self, node: Node) -> Written:
        kind, parts = node.kind, [self._written[part.number] for part in node.parts]
        if kind == "number":
            return _number(node.value)
        if kind == "truth":
            return Written("true" if node.value else "false", ATOM, 0)
        if kind == "index":
            return _affine(node.value, 0)
        if kind == "element":
            return self._element(node)
        if kind == "negate":
            return _joined("-{}", [(parts[0], POWER)], SIGN)
        if kind == "not":
            return _joined("({}) == 0", [(parts[0], OR)], COMPARE, 1)
        if kind in COMPARISONS:
            return _joined(f"{{}} {kind} {{}}", [(parts[0], SUM), (parts[1], SUM)], COMPARE)
        if kind in ("and", "or"):
            binds = AND if kind == "and" else OR
            return _joined(f"{{}} {kind} {{}}", [(parts[0], binds), (parts[1], binds + 1)], binds)
        if kind == "if":
            return _joined("if({}, {}, {})", [(part, OR) for part in parts], ATOM, 1)
        if kind == "call":
            return self._call(node, parts)
        if kind == "fold":
            return self._fold(node, parts[0])
        return _operation(kind, parts[0], parts[1])

    def _element(self, node: Node) -> Written:
        key, places = node.value
        indices = [_affine(at, 1) for at in places]
        references = set()
        for axis, at in enumerate(places):
            length = self.graph.length(key, axis)
            is_plain = len(at.terms) == 1 and at.terms[0][1] == 1
            references |= {Reference(index, length, at.constant if is_plain else None) for index, _ in at.terms}
        text = f"{self._table(key)}[{', '.join(index.text for index in indices)}]"
        return Written(text, ATOM, 1, frozenset(references))

    def _call(self, node: Node, parts: list[Written]) -> Written:
        name, first = node.value, node.parts[0]
        # min(min(a, b), c) equals min(a, b, c), because the compiler evaluates from left to right.
        if name in ("min", "max") and first.kind == "call" and first.value == name and parts[0].text.endswith(")"):
            rest = _joined(f"{parts[0].text[:-1]}, {{}})", [(parts[1], OR)], ATOM, 1)
            return _with(rest, parts[0])
        places = ", ".join("{}" for _ in parts)
        return _joined(f"{name}({places})", [(part, OR) for part in parts], ATOM, 1)

    def _fold(self, node: Node, body: Written) -> Written:
        reduction, index, terms = node.value
        of_body = [one for one in body.references if one.index == index]
        others = frozenset(one for one in body.references if one.index != index)
        letter = _letter(index)
        all_of = re.fullmatch(rf"(\w+)\[{letter}\]", body.text)
        is_all = _is_whole_range(of_body, terms)
        if all_of and is_all and not node.is_condition:
            return Written(f"{reduction}({all_of[1]})", ATOM, 1)
        over = "" if is_all else f"1, {terms}, "
        return Written(f"{reduction}({_BINDER}{letter}, {over}{body.text})", ATOM, body.depth + 1, others)


def _is_whole_range(references: Sequence[Reference], terms: int) -> bool:
    """Whether `sum(i, ...)` without a range has exactly these terms."""
    lengths = {one.length for one in references}
    ahead = [one.ahead for one in references if one.ahead is not None]
    if len(lengths) != 1 or len(ahead) < len(references) or min(ahead) < 0:
        return False
    return max(lengths) - max(ahead) == terms


def _in_order_of_use(roots: Sequence[Node]) -> list[Node]:
    """The given nodes and all their parts in depth-first order: each node directly after its last missing part."""
    order: dict[int, Node] = {}
    open_nodes = list(reversed(roots))
    while open_nodes:
        node = open_nodes[-1]
        missing = [part for part in node.parts if part.number not in order]
        if missing:
            open_nodes.extend(reversed(missing))
        else:
            order[node.number] = open_nodes.pop()
    return list(order.values())


def _extents(order: Sequence[Node]) -> dict[int, dict[int, int]]:
    """The number of values of each index on which a node depends."""
    extents: dict[int, dict[int, int]] = {}
    for node in reversed(order):
        here = extents.setdefault(node.number, {})
        given = {**here, node.value.over: node.value.terms} if node.kind == "fold" else here
        for part in node.parts:
            of_part = extents.setdefault(part.number, {})
            for index in part.free:
                of_part[index] = max(of_part.get(index, 0), given.get(index, 0))
    return extents


def _products_within_products(order: Sequence[Node]) -> set[int]:
    """Every second one of nested reductions that depend on an outer index, without the outermost."""
    levels: dict[int, int] = {}
    within: set[int] = set()
    for node in order:
        is_open_fold = node.kind == "fold" and bool(node.free)
        of_parts = [levels[part.number] for part in node.parts if part.free]
        levels[node.number] = max(of_parts, default=0) + is_open_fold
        if is_open_fold and levels[node.number] > 2:
            folds = (one for one in ordered(node.parts) if one.kind == "fold" and one.free)
            within |= {one.number for one in folds if levels[one.number] % 2 == 0}
    return within


def _number(value: float) -> Written:
    if math.isnan(value):
        return Written("(0 / 0)", ATOM, 1)
    text = _digits(abs(value))
    if math.copysign(1.0, value) < 0:
        return Written(f"-{text}", SIGN, 0, number=value)
    return Written(text, ATOM, 0, number=value)


def _digits(value: float) -> str:
    for name, known in (("inf", math.inf), ("pi", math.pi), ("tau", math.tau)):
        if value == known:
            return name
    return str(int(value)) if value < 1e16 and value.is_integer() else repr(value)


def _in_front(part: Written) -> Written:
    """The first factor of a product. Numbers that equal a multiple of pi exactly are written as such."""
    if part.number is not None and math.isfinite(part.number):
        times = round(abs(part.number) / math.pi, 6)
        if 2 <= times <= 100 and times.is_integer() and times * math.pi == abs(part.number):
            sign = "-" if part.number < 0 else ""
            return Written(f"{sign}{int(times)} * pi", PRODUCT, 0)
    return part


def _operation(operator: str, a: Written, b: Written) -> Written:
    if operator == "^":
        exponent = b if b.number is not None else None
        if exponent is not None and exponent.binds == SIGN:
            return _joined("{}^" + exponent.text, [(a, ATOM)], POWER)
        return _joined("{}^{}", [(a, ATOM), (b, ATOM)], POWER)
    if operator in ("*", "/"):
        return _joined(f"{{}} {operator} {{}}", [(_in_front(a), PRODUCT), (b, SIGN)], PRODUCT)
    # a + (-2) and a - 2 have the same bits.
    if b.number is not None and b.binds == SIGN:
        operator, b = "-" if operator == "+" else "+", _number(-b.number)
    return _joined(f"{{}} {operator} {{}}", [(a, SUM), (b, PRODUCT)], SUM)


def _joined(template: str, parts: Sequence[tuple[Written, int]], binds: int, deeper: int = 0) -> Written:
    """Inserts parts into a template, in brackets if their precedence is too low."""
    texts, depth = [], 0
    references = frozenset[Reference]()
    for part, needed in parts:
        in_brackets = part.binds < needed
        texts.append(f"({part.text})" if in_brackets else part.text)
        depth = max(depth, part.depth + in_brackets)
        references |= part.references
    return Written(template.format(*texts), binds, depth + deeper, references)


def _with(written: Written, other: Written) -> Written:
    """Adds the depth and the references of a part that the text already contains."""
    depth = max(written.depth, other.depth)
    return Written(written.text, written.binds, depth, written.references | other.references)


def _letter(index: int) -> str:
    return chr(_PRIVATE + index - BOUND)


def _affine(at: Affine, first: int) -> Written:
    """Writes an affine function of indices that start at 0 in terms of indices that start at 1. `first` is added."""
    rest = at.constant + first - sum(times for _, times in at.terms)
    # Outer indices have higher numbers.
    terms = at.terms[::-1]
    above = [_times(index, times) for index, times in terms if times > 0]
    below = [_times(index, -times) for index, times in terms if times < 0]
    if rest > 0:
        above.append(str(rest))
    elif rest < 0:
        below.append(str(-rest))
    text = " - ".join([" + ".join(above), *below]) if above else "-" + " - ".join(below)
    if not at.terms:
        return Written(str(at.constant + first), ATOM if at.constant + first >= 0 else SIGN, 0)
    if len(above) + len(below) > 1:
        return Written(text, SUM, 0)
    if below:
        return Written(text, SIGN if "*" not in text else PRODUCT, 0)
    return Written(text, PRODUCT if "*" in text else ATOM, 0)


def _times(index: int, times: int) -> str:
    return _letter(index) if times == 1 else f"{times} * {_letter(index)}"


def _lettered(text: str, own: int | None) -> str:
    """Replaces placeholders by letters: `i` for the index `own` of a named expression, or for the outermost index."""
    names = {} if own is None else {_letter(own): INDICES[0]}
    first = len(names)
    pieces: list[str] = []
    # The enclosing reductions: the level of the opening bracket, the index, and its previous letter.
    around: list[tuple[int, str, str | None]] = []
    brackets = position = 0
    for match in re.finditer(rf"{_BINDER}[\uE000-\uF8FE]|[()]|[\uE000-\uF8FE]", text):
        pieces.append(text[position : match.start()])
        position, found = match.end(), match[0]
        if found == "(":
            brackets += 1
        elif found == ")":
            if around and around[-1][0] == brackets:
                _, letter, before = around.pop()
                names.pop(letter)
                names.update({letter: before} if before else {})
            brackets -= 1
        elif found[0] == _BINDER:
            letter = found[1]
            around.append((brackets, letter, names.get(letter)))
            found = names[letter] = INDICES[len(around) - 1 + first]
        else:
            found = names[found]
        pieces.append(found)
    pieces.append(text[position:])
    return "".join(pieces)
