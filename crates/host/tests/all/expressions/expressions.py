"""Random problem files with the values of their expressions, by another reading of the language.

`python3 expressions.py SEED COUNT` writes so many lines of JSON, each a file, a point, and there the value and the violation,
each with a bound of rounding errors, or null where rounding decides about it.
"""

import json
import math
import random
import re
import sys

from bounded import CONSTANT, VARIABLE, Number, Unsure
from reader import Array, Matrix, Reader

TOLERANCE = 1e-6
DATA = {
    "t": [1.0, 2.0, 4.0, 8.0], "y": [0.3, -1.7, 2.9, 0.45], "place": [4.0, 1.0, 3.0, 2.0],
    "w": {"steel": 7.8, "brass": 8.5, "tin": 7.3},
    "A": [[1.0, 2.0, -3.0, 4.0], [5.0, 1.0, 0.0, 2.0], [-2.0, 3.0, 6.0, 1.0]],
}
METALS, BOLTS, PERIOD = ["steel", "brass", "tin"], [2.0, 5.0, 10.0], (-180.0, 180.0)
SMALL_NUMBERS = {"g": 9.81, "lag": 1.0, "half": 0.5}
GIVEN = f"""
tolerance = {TOLERANCE}
[variables]
a = {{ lower = -9, upper = 9 }}
b = {{ lower = -9, upper = 9 }}
c = {{ lower = 0.001, upper = 1000, scale = "log" }}
n = {{ lower = 1, upper = 4, scale = "integer" }}
k = {{ count = 3, lower = 1, upper = 2, scale = "integer" }}
x = {{ count = 4, lower = -4, upper = 4 }}
metal = {{ choices = {json.dumps(METALS)} }}
bolt = {{ values = {BOLTS} }}
angle = {{ lower = {PERIOD[0]}, upper = {PERIOD[1]}, periodic = true }}
[constants]
g = {SMALL_NUMBERS["g"]}
lag = 1
half = "1 / 2"
t = {DATA["t"]}
place = "if(i == 1, 4, if(i == 2, 1, if(i == 3, 3, 2))) for i in t"
w = {{ {", ".join(f"{name} = {number}" for name, number in DATA["w"].items())} }}
A = {DATA["A"]}
[data]
y = {DATA["y"]}
"""

# What elements an index has that goes over all of four or of three numbers, over a range within both, over all of a named
# vector, and beside the index of another reduction.
OF_FOUR = ["x[i]", "t[i]", "y[i]", "x[i+1]", "t[i - 1]", "y[i + lag]", "t[place[i]]", "x[place[i]]", "A[2, i]", "A[k[1], i]"]
OF_THREE = ["k[i]", "A[i, 2]", "x[k[i]]", "t[k[i] + 1]", "A[i, n]"]
OF_RANGE = [
    "x[i]", "t[i]", "y[i]", "k[i]", "t[i + 1]", "x[i+1]", "t[5 - i]", "x[4-i]", "A[i, i]", "A[i, i + 1]", "x[k[i]]",
    "k[max(1, i - 1)]", "t[min(4, 2 * i)]",
]
OF_VECTOR = ["t[i]", "x[i]", "y[i]", "t[5 - i]", "A[2, i]", "t[place[i]]", "i"]
BOTH = ["A[j, i]", "x[i] * k[j]", "(x[i] + k[j])", "t[i] ^ k[j]"]
LEAVES = [
    "a", "b", "c", "n", "bolt", "angle", "x[1]", "x[n]", "x[len(x)]", "x[-1 + 4]", "k[2]", "t[n]", "t[k[1] + 1]",
    "x[1 + (a > b)]", "t[if(b > 0, 2, n)]", "A[k[1], n]", "A[2, 3]", "t[place[2]]", "w[metal]", "w['tin']", "g", "lag", "half",
    "pi", "2", "3", "0.5", "1e-3", ".25", "7.", "2.5e1", "1", "0", "10", "x[max(1, n - k[1])]", "y[floor(2.5)]",
]
TAME = ["sin({})", "cos({})", "tanh({})", "atan({})", "erf({})", "({}) / (1 + abs({}))"]
FUNCTIONS = [
    "abs({})", "sqrt(abs({}))", "sqrt({}^2+1)", "cbrt({})", "sign({})", "exp({tame})", "expm1({tame} / 4)", "ln(1 + abs({}))",
    "log(c + {}^2)", "log1p(abs({}))", "log2(c)", "log10(0.1 + abs({}))", "sin({})", "cos({})", "tan({tame})",
    "sin(2*pi*{})", "cos(tau * {})", "asin({tame} * 0.9)", "acos({tame}*0.9)", "atan({})", "atan2({}, {})",
    "sinh({tame})", "cosh({tame} * 3)", "tanh({})", "asinh({})", "acosh(1 + abs({}))", "atanh(0.9*{tame})",
    "floor({})", "ceil({})", "trunc({})", "round({})", "round(n / 2)", "mod({}, {})", "mod({}, -3)", "mod({}, 2.5)",
    "mod(-n, k[2])", "pow(abs({}), {tame})", "pow(n, k[1])", "hypot({}, {})", "erf({})", "erfc({tame})", "gamma(3 + {tame})",
    "lgamma(2.5 + {tame})", "gamma(n)", "min({}, {})", "max({}, {}, {})", "min({}, {}, 1)", "sum(x)", "mean(y)", "prod(k)",
    "max(t)", "min(x)", "sum(A)", "dot(x, y)", "dot(k, k)", "norm(x)", "norm(A)", "len(k)", "mean(x)", "sqrt({})", "ln({})",
    "asin({})", "acosh({})", "atanh({})", "log1p({})", "exp({})", "-{}", "+{}", "- -{}",
]
EXPONENTS = ["2", "3", "2", "0.5", "-1", "-2", "0", "n", "-k[1]", "-half", "2^2", "-lag^2", "+3", "k[2]^2 / n", "9"]
EXACT = [
    "n", "k[1]", "k[2]", "k[3]", "bolt", "t[n]", "sum(k)", "n + k[1]", "2 * n - 1", "mod(n, 2)", "n^2", "len(x)", "3", "4", "half",
    "2.5",
]
EXACT_OF_INDEX = ["i", "i + 1", "i * n", "2*i - 1"]


class Writer:
    """Writes expressions: of which ones is left to chance, and what they mean to others."""

    def __init__(self, chance):
        self.chance = chance
        self.leaves, self.numbers, self.arrays = list(LEAVES), [], []
        # What elements there are of the indices around, the innermost first.
        self.elements = []

    def is_one_in(self, n):
        return self.chance.random() * n < 1.0

    def pick(self, of):
        return of[int(self.chance.random() * len(of))]

    def spaced(self, operator):
        return self.pick([" " + operator + " ", operator])

    def sum(self, depth):
        parts = [self.product(depth) for _ in range(self.pick([1, 1, 1, 1, 2, 2, 3]))]
        text = parts[0]
        for part in parts[1:]:
            text += self.spaced(self.pick("+-")) + part
        return text

    def number(self, depth):
        """What is no condition even if all of its parts are."""
        return self.leaf() + self.spaced(self.pick("+-*/")) + self.sum(depth)

    def product(self, depth):
        text = self.signed(depth)
        for _ in range(self.pick([0, 0, 0, 0, 1, 1, 2])):
            text += self.spaced(self.pick("**/")) + self.signed(depth)
        return text

    def signed(self, depth):
        return (self.pick("--+") if self.is_one_in(5) else "") + self.power(depth)

    def power(self, depth):
        base = self.atom(depth)
        if not self.is_one_in(7):
            return base
        exponent = self.pick(EXPONENTS) if depth == 0 or not self.is_one_in(6) else f"({self.sum(0)})"
        return base + self.pick(["^", "^", " ^ ", "**"]) + exponent

    def atom(self, depth):
        if depth == 0:
            return self.leaf()
        kind = self.chance.random()
        if kind < 0.3:
            return self.leaf()
        if kind < 0.45:
            return f"({self.sum(depth - 1)})"
        if kind < 0.52:
            return f"({self.condition(depth - 1)})"
        if kind < 0.58:
            condition, then, otherwise = self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1)
            return f"if({condition}, {then}, {otherwise})"
        if kind < 0.7 and len(self.elements) < 2:
            return self.reduction(self.pick(["sum", "prod", "mean", "min", "max"]), depth - 1, self.sum)
        return self.function(depth - 1)

    def function(self, depth):
        text = self.pick(FUNCTIONS)
        while "{tame}" in text:
            text = text.replace("{tame}", self.pick(TAME).replace("{}", self.sum(max(0, depth - 1))), 1)
        while "{}" in text:
            # Beside an operator of its own an argument is in brackets.
            is_alone = any(before + "{}" + after in text for before in "( " for after in ",)")
            part = self.sum(depth) if is_alone and self.is_one_in(2) else f"({self.sum(depth)})"
            text = text.replace("{}", part, 1)
        return f"({text})" if text[0] in "+-" else text

    def leaf(self):
        if self.elements and self.is_one_in(2):
            return self.pick(self.pick(self.elements))
        return self.pick(self.leaves)

    def reduction(self, name, depth, write):
        """A reduction over an index whose elements its terms may have."""
        index = "ij"[len(self.elements)]
        family, start = self.pick([(OF_FOUR, ""), (OF_THREE, ""), (OF_RANGE, "1, 3, "), (OF_RANGE, "lag, len(k), ")])
        elements = [re.sub(r"\bi\b", index, element) for element in family]
        if family is OF_FOUR:
            elements += [f"{name}[{index}]" for name in self.arrays]
        if index == "j" and family is OF_THREE and "y[i]" in self.elements[-1]:
            elements += BOTH
        if index == "j" and family is OF_FOUR and "k[i]" in self.elements[-1]:
            elements += ["A[i, j]", "x[j] * k[i]"]
        first = self.pick(elements)
        self.elements.insert(0, elements + [index])
        body = write(depth)
        self.elements.pop(0)
        if not start:
            # So that the range is known.
            is_number = write == self.sum
            joint = self.pick([" + ", " * ", " - "]) if is_number else f" {self.relation()} 1 or "
            body = first + joint + body
        return f"{name}({index}, {start}{body})"

    def relation(self):
        return self.pick(["<", "<=", ">", ">=", "==", "!=", "<", ">", "="])

    def condition(self, depth):
        text = self.all(depth)
        for _ in range(self.pick([0, 0, 0, 0, 1, 2])):
            text += self.pick([" or ", " || "]) + self.all(depth)
        return text

    def all(self, depth):
        text = self.opposite(depth)
        for _ in range(self.pick([0, 0, 0, 1])):
            text += self.pick([" and ", " && "]) + self.opposite(depth)
        return text

    def opposite(self, depth):
        if self.is_one_in(6):
            return self.pick(["not ", "not not ", "not "]) + self.opposite(depth)
        kind = self.chance.random()
        if depth > 0 and kind < 0.1:
            return f"({self.condition(depth - 1)})"
        if depth > 0 and kind < 0.18:
            return f"!({self.condition(depth - 1)})"
        if depth > 0 and kind < 0.26:
            parts = [self.condition(depth - 1) for _ in range(3)]
            return f"if({', '.join(parts)})"
        if depth > 0 and kind < 0.4 and len(self.elements) < 2:
            return self.reduction(self.pick(["any", "all"]), depth - 1, self.condition)
        if kind < 0.44:
            return self.pick(["true", "false", "!true", "metal == 'tin'", "metal != 'brass'", "'steel' = metal"])
        return self.comparison(depth)

    def comparison(self, depth):
        """Of numbers, and half of the time of exact ones, where edges are met."""
        exact = EXACT + (EXACT_OF_INDEX if self.elements and self.elements[0][-1] == "i" else [])
        operand = (lambda: self.pick(exact)) if self.is_one_in(2) else (lambda: self.sum(max(0, depth - 1)))
        text = operand()
        for _ in range(self.pick([1, 1, 1, 2, 3])):
            text += f" {self.relation()} {operand()}"
        return text

    def constraint(self, depth):
        if self.is_one_in(6):
            return f"({self.condition(depth)}) * ({self.condition(depth)})"
        if self.is_one_in(6):
            return self.pick(["a", "n - 3", "a * b + n", "sum(i, x[i])"]) + " - " + self.pick(self.leaves[:10])
        return self.condition(depth)

    def lets(self):
        all_lets = {}
        for number in range(self.pick([0, 0, 0, 0, 1, 2])):
            name = f"u{number}"
            if self.is_one_in(2):
                all_lets[name] = self.number(1)
                self.leaves += [name] * 3
                continue
            self.elements.insert(0, OF_VECTOR)
            all_lets[name] = self.number(0) + self.pick([" for i in t", " for i in x", " for i in 1 to 4"])
            self.elements.pop(0)
            self.arrays.append(name)
            self.leaves += [f"{name}[2]", f"{name}[n]", f"sum({name})", f"max({name})", f"dot({name}, x)", f"len({name})"]
        return all_lets


def names(point):
    """What the names of the file mean at a point: coordinates in their order."""
    a, b, c, n, *rest = point
    k, x, (metal, bolt, angle) = rest[:3], rest[3:7], rest[7:]
    lower, upper = PERIOD
    inside = angle if lower <= angle <= upper else lower + (angle - lower) % (upper - lower)
    known = {
        "a": Number(a, known=VARIABLE), "b": Number(b, known=VARIABLE), "c": Number(c, known=VARIABLE),
        "n": Number(n, whole=True, known=VARIABLE), "bolt": Number(BOLTS[int(bolt) - 1], whole=True, known=VARIABLE),
        "angle": Number(inside, 0.0 if inside == angle else 1e-12, known=VARIABLE),
        "metal": Number(metal, whole=True, known=VARIABLE),
        "k": Array.of(k, whole=True), "x": Array.of(x), "A": Matrix(DATA["A"]),
        "pi": Number(math.pi, 2.0**-52), "tau": Number(math.tau, 2.0**-51), "inf": Number(math.inf),
    }
    known |= {name: Number(number) for name, number in SMALL_NUMBERS.items()}
    known |= {name: Array.of(DATA[name], known=CONSTANT) for name in ("t", "y", "place")}
    known |= {f"'{name}'": Number(float(at + 1)) for at, name in enumerate(METALS)}
    # By their order among the choices.
    known["w"] = Array.of([DATA["w"][name] for name in METALS], known=CONSTANT)
    return known


def random_point(chance):
    number = lambda most: round((2.0 * chance.random() - 1.0) * most * 8.0) / 8.0
    whole = lambda most: float(1 + int(chance.random() * most))
    start = [number(9), number(9), 2.0 ** round(chance.random() * 12.0 - 6.0), whole(4)]
    rest = [whole(2), whole(2), whole(2), *(number(4) for _ in range(4)), whole(3), whole(3)]
    return [*start, *rest, number(400)]


def case(chance):
    writer = Writer(chance)
    lets = writer.lets()
    objective, constraint = writer.number(writer.pick([0, 1, 1, 2])), writer.constraint(writer.pick([0, 1, 1, 2]))
    if writer.is_one_in(3):
        objective = f"if({writer.condition(1)}, {writer.pick(writer.leaves)}, {objective})"
    point = random_point(chance)
    reader = Reader(names(point), TOLERANCE)
    for name, text in lets.items():
        reader.define(name, text)

    def told(ask, text):
        try:
            return [repr(number) for number in ask(text)]
        except Unsure:
            return None

    named = "".join(f'{name} = "{text}"\n' for name, text in lets.items())
    file = f'minimise = "{objective}"\n{GIVEN}[let]\n{named}[constraints]\nc = "{constraint}"\n'
    return {
        "file": file, "point": point, "value": told(reader.value, objective),
        "violation": told(reader.violation, constraint),
    }


def main(seed, count):
    chance = random.Random(seed)
    for _ in range(count):
        print(json.dumps(case(chance)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
