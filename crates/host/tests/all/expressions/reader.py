"""Another reading of the language of problem files: Python's parser says what binds how, and this what it means."""

import ast
import functools
import math
import re

import bounded
from bounded import CONSTANT, TERM, VARIABLE, Missing, Number, Unsure

# The violation of a < b where a = b are no whole numbers.
JUST = 2.0**-126
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
REDUCTIONS = ("sum", "prod", "mean", "min", "max", "any", "all")


def parse(text):
    """Python's tree of an expression."""
    for pattern, instead in [
        (r"\*\*|\^", "**"), (r"&&", " and "), (r"\|\|", " or "), (r"!(?!=)", "~"), (r"(?<![<>=!])=(?!=)", "=="),
        (r"\bif\s*\(", "IF("),
    ]:
        text = re.sub(pattern, instead, text)
    return ast.parse("(" + text + ")", mode="eval").body


class Array:
    """Many numbers, the first of which has the number 1."""

    def __init__(self, size, at):
        self.size, self.at = size, at

    @staticmethod
    def of(numbers, whole=False, known=VARIABLE):
        """Those of a variable, or of data, where each is constant if its index is."""
        whole = [whole or (known == CONSTANT and number == int(number)) for number in numbers]

        def at(index):
            number = numbers[int(index.value) - 1]
            if known == VARIABLE:
                return Number(number, 0.0, whole[0], VARIABLE)
            is_whole = True if all(whole) else None if any(whole) else False
            return Number(number, 0.0, is_whole, index.known)

        return Array(len(numbers), at)

    def element(self, index):
        if not 1 <= index.value <= self.size:
            raise Missing
        return self.at(index)


class Condition:
    """What a condition is: `holds(True)` says whether it holds, `holds(False)` whether its opposite does; likewise
    `violation`."""

    known = VARIABLE

    def number(self):
        return Number(float(self.holds(True)), 0.0, True, self.known)


class Comparison(Condition):
    def __init__(self, left, relation, right, tolerance):
        self.left, self.relation, self.right, self.tolerance = left, relation, right, tolerance
        self.known = min(left.known, right.known)

    def holds(self, positive):
        a, b = self.left, self.right
        relation = self.relation if positive else OPPOSITE[self.relation]
        if math.isfinite(a.value) and math.isfinite(b.value) and abs(a.value - b.value) <= a.error + b.error:
            if a.error + b.error > 0.0:
                raise Unsure
        return {
            "<": a.value < b.value, "<=": a.value <= b.value, ">": a.value > b.value, ">=": a.value >= b.value,
            "==": a.value == b.value, "!=": a.value != b.value,
        }[relation]

    def violation(self, positive):
        relation = self.relation if positive else OPPOSITE[self.relation]
        a, b = self.left, self.right
        if relation in (">", ">="):
            a, b, relation = b, a, {">": "<", ">=": "<="}[relation]
        if math.isnan(a.value) or math.isnan(b.value):
            return math.nan, 0.0
        distance = abs(a.value - b.value)
        error = a.error + b.error + bounded.ROUNDING * distance if math.isfinite(distance) else 0.0
        if relation == "!=":
            holds = Comparison(a, "!=", b, 0.0).holds(True)
            return (0.0, 0.0) if holds else (1.0, 0.0)
        whole = bounded.all_whole([a, b])
        if relation == "<=":
            return (max(0.0, a.value - b.value) if a.value > b.value else 0.0), error
        if whole is None:
            raise Unsure
        if relation == "<":
            if whole:
                return (max(0.0, a.value + 1.0 - b.value) if a.value >= b.value else 0.0), error
            return (a.value - b.value + JUST if a.value >= b.value else 0.0), error
        # Between infinite numbers there is no distance.
        distance -= 0.0 if whole else self.tolerance
        return (distance if math.isnan(distance) else max(0.0, distance)), error


class Join(Condition):
    """All of some conditions, or one of them; `of_none` is the violation where none is a number that may be chosen."""

    def __init__(self, parts, both, of_none=math.nan):
        self.parts, self.both, self.of_none = parts, both, of_none
        self.known = min((part.known for part in parts), default=CONSTANT)

    def holds(self, positive):
        # Each is asked: the language has no lazy `and`, but neither do results depend on that.
        all_hold = [part.holds(positive) for part in self.parts]
        return all(all_hold) if self.both == positive else any(all_hold)

    def violation(self, positive):
        parts = [part.violation(positive) for part in self.parts]
        if self.both == positive:
            return sum(value for value, _ in parts), sum(error for _, error in parts)
        numbers = [part for part in parts if not math.isnan(part[0])]
        if not numbers:
            return self.of_none, 0.0
        return min(value for value, _ in numbers), max(error for _, error in numbers)


class Constant(Condition):
    known = CONSTANT

    def __init__(self, is_true):
        self.is_true = is_true

    def holds(self, positive):
        return self.is_true == positive

    def violation(self, positive):
        return (0.0 if self.is_true == positive else 1.0), 0.0


class Opposite(Condition):
    def __init__(self, inner):
        self.inner, self.known = inner, inner.known

    def holds(self, positive):
        return self.inner.holds(not positive)

    def violation(self, positive):
        return self.inner.violation(not positive)


class Choice(Condition):
    def __init__(self, condition, then, otherwise):
        self.condition, self.then, self.otherwise = condition, then, otherwise
        self.known = min(condition.known, then.known, otherwise.known)

    def branch(self):
        return self.then if self.condition.holds(True) else self.otherwise

    def holds(self, positive):
        return self.branch().holds(positive)

    def violation(self, positive):
        return self.branch().violation(positive)


class Reader:
    """Evaluates expressions at a point; `names` are numbers and arrays."""

    def __init__(self, names, tolerance):
        self.names, self.tolerance = dict(names), tolerance

    def define(self, name, text):
        """A named expression: it is a number, or an array of those."""
        body, _, over = text.partition(" for ")
        tree, values = parse(body), {}
        if not over:
            self.names[name] = functools.cache(lambda: self.number(tree, {}))
            return
        index, _, over = over.partition(" in ")
        size = self.names[over].size if over in self.names else int(over.partition(" to ")[2])

        def at(place):
            key = (place.value, place.known)
            if key not in values:
                number = self.number(tree, {index: place})
                if place.known == VARIABLE:
                    # It is one of some whose index is constant, and which may be whole numbers for that.
                    number = Number(number.value, number.error, number.whole or None, number.known)
                values[key] = number
            return values[key]

        self.names[name] = Array(size, at)

    def number(self, tree, scope):
        result = self.read(tree, scope)
        return result.number() if isinstance(result, Condition) else result

    def read(self, tree, scope):
        """A number or a condition."""
        match tree:
            case ast.Constant(value=str(text)):
                return self.names["'" + text + "'"]
            case ast.Constant(value=number):
                return Number(float(number))
            case ast.Name(id="true" | "false" as name):
                return Constant(name == "true")
            case ast.Name(id=name):
                of = scope.get(name) or self.names[name]
                return of() if callable(of) else of
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return bounded.negative(self.number(inner, scope))
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.number(inner, scope)
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=inner):
                return Opposite(self.condition(inner, scope))
            case ast.BinOp(left=a, op=ast.Pow(), right=b):
                return bounded.powered(self.number(a, scope), self.number(b, scope))
            case ast.BinOp(left=a, op=sign, right=b):
                return bounded.operator(OPERATORS[type(sign)], self.number(a, scope), self.number(b, scope))
            case ast.BoolOp(op=joint, values=parts):
                return Join([self.condition(part, scope) for part in parts], isinstance(joint, ast.And))
            case ast.Compare(left=first, ops=signs, comparators=rest):
                numbers = [self.number(part, scope) for part in [first, *rest]]
                pairs = zip(numbers, signs, numbers[1:])
                all_pairs = [Comparison(a, SIGNS[type(sign)], b, self.tolerance) for a, sign, b in pairs]
                return all_pairs[0] if len(all_pairs) == 1 else Join(all_pairs, True)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=indices)):
                return self.names[name].element(*(self.number(index, scope) for index in indices))
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                return self.names[name].element(self.number(index, scope))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments, scope)
        raise SyntaxError(ast.dump(tree))

    def condition(self, tree, scope):
        result = self.read(tree, scope)
        assert isinstance(result, Condition), ast.dump(tree)
        return result

    def call(self, name, arguments, scope):
        if name in REDUCTIONS and isinstance(arguments[0], ast.Name):
            first = arguments[0].id
            if not is_condition(arguments[0]) and first not in scope and first not in self.names:
                return self.over_index(name, first, arguments[1:], scope)
            if len(arguments) == 1:
                return bounded.reduce(name, self.all_of(first), bool(scope))
        match name:
            case "IF":
                condition = self.condition(arguments[0], scope)
                then, otherwise = (self.read(part, scope) for part in arguments[1:])
                if isinstance(then, Condition) and isinstance(otherwise, Condition):
                    return Choice(condition, then, otherwise)
                return bounded.choose(condition.holds(True), then, otherwise, condition.known)
            case "len":
                return Number(float(self.names[arguments[0].id].size))
            case "dot" | "norm":
                x, y = self.all_of(arguments[0].id), self.all_of(arguments[-1].id)
                result = bounded.reduce("sum", [bounded.operator("*", a, b) for a, b in zip(x, y)], bool(scope))
                return result if name == "dot" else bounded.call("sqrt", [result])
        return bounded.call(name, [self.number(part, scope) for part in arguments])

    def all_of(self, name):
        """All numbers of an array, as in a reduction over them."""
        of = self.names[name]
        if isinstance(of, Matrix):
            return of.all()
        return [of.element(Number(float(k), 0.0, True, TERM)) for k in range(1, of.size + 1)]

    def over_index(self, name, index, arguments, scope):
        """A reduction over the range that it has, or over all numbers for which everything with the index is there."""
        read = self.condition if name in ("any", "all") else self.number
        terms = []
        *ends, body = arguments
        if ends:
            start, end = (int(self.number(part, scope).value) for part in ends)
        else:
            start, end = 1, self.size(index, body)
        for k in range(start, end + 1):
            try:
                terms.append(read(body, {**scope, index: Number(float(k), 0.0, True, TERM)}))
            except Missing:
                if ends:
                    raise
        if not terms:
            raise Missing
        if name in ("any", "all"):
            return Join(terms, name == "all", math.inf)
        return bounded.reduce(name, terms, bool(scope))

    def size(self, index, tree):
        """How many numbers that has which has an index."""
        found = 0
        for part in ast.walk(tree):
            match part:
                case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[row, column])):
                    rows = self.names[name].rows
                    sizes = [(row, len(rows)), (column, len(rows[0]))]
                case ast.Subscript(value=ast.Name(id=name), slice=place):
                    sizes = [(place, self.names[name].size)]
                case _:
                    continue
            found = max([found, *(size for place, size in sizes if mentions(place, index))])
        return found

    def value(self, text):
        """A number with its bound."""
        result = self.number(parse(text), {})
        return result.value, result.error

    def violation(self, text):
        """The violation of a constraint with its bound."""
        tree = parse(text)
        factors = self.factors(tree)
        if factors:
            return Join(factors, True).violation(True)
        result = self.read(tree, {})
        if isinstance(result, Condition):
            return result.violation(True)
        value = result.value
        return (value if math.isnan(value) else max(0.0, value)), result.error

    def factors(self, tree):
        """The factors of a product of conditions; none where it is something else."""
        match tree:
            case ast.BinOp(left=a, op=ast.Mult(), right=b):
                a, b = self.factors(a), self.factors(b)
                return a and b and a + b
        return [self.condition(tree, {})] if is_condition(tree) else None


def mentions(tree, index):
    """Whether an index is written in a tree, but for the elements in it."""
    if isinstance(tree, ast.Subscript):
        return False
    is_it = isinstance(tree, ast.Name) and tree.id == index
    return is_it or any(mentions(part, index) for part in ast.iter_child_nodes(tree))


def is_condition(tree):
    match tree:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not() | ast.Invert()):
            return True
        case ast.Name(id="true" | "false") | ast.Call(func=ast.Name(id="any" | "all")):
            return True
        case ast.Call(func=ast.Name(id="IF"), args=[_, then, _]):
            return is_condition(then)
    return False


class Matrix:
    """A table of data."""

    def __init__(self, rows):
        self.rows, self.size = rows, len(rows)
        self.whole = all(number == int(number) for row in rows for number in row)

    def element(self, row, column):
        if not (1 <= row.value <= len(self.rows) and 1 <= column.value <= len(self.rows[0])):
            raise Missing
        number = self.rows[int(row.value) - 1][int(column.value) - 1]
        return Number(number, 0.0, self.whole, min(row.known, column.known))

    def all(self):
        return [Number(number, 0.0, self.whole, TERM) for row in self.rows for number in row]
