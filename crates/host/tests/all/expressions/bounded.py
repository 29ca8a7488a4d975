"""Numbers with a bound of their rounding errors, and the functions of problem files on them."""

import itertools
import math
from fractions import Fraction

# How far two implementations of a function may differ, relative to the result.
ROUNDING = 2.0**-49
# The same where the result is close to zero: results below the normal numbers are rounded twice.
SMALL = 1e-300
LARGE = 1e300
# A value whose bound is larger says nothing of the right one.
WIDEST = 1e-6

# On what a number depends: on variables, on an index at most, or on nothing.
VARIABLE, TERM, CONSTANT = 0, 1, 2


class Unsure(Exception):
    """Rounding decides: the expression cannot be compared."""


class Missing(Exception):
    """An index is out of range."""


class Number:
    """A value, how wrong it may be, whether it is known to be a whole number (None: unsure), and on what it depends."""

    __slots__ = ("value", "error", "whole", "known")

    def __init__(self, value, error=0.0, whole=False, known=CONSTANT):
        if not math.isfinite(value):
            error = 0.0
        elif abs(value) > LARGE or error > WIDEST * max(1.0, abs(value)):
            raise Unsure
        is_near = math.isfinite(value) and abs(value - round(value)) <= error
        if known == CONSTANT:
            whole = is_near if error == 0.0 or not is_near else None
        elif known == TERM and not whole and is_near:
            whole = None
        self.value, self.error, self.whole, self.known = value, error, whole, known

    def ends(self):
        """The value and the ends of its bound, which are other numbers."""
        if not self.error:
            return (self.value,)
        error = max(self.error, math.ulp(self.value))
        return (self.value - error, self.value, self.value + error)


def all_whole(numbers):
    flags = [number.whole for number in numbers]
    return False if False in flags else None if None in flags else True


def apply(function, arguments, whole=False, exact=None):
    """A function's result. It is taken at the ends of the arguments' bounds, too; `exact` gives it without rounding."""
    value = function(*(number.value for number in arguments))
    known = min(number.known for number in arguments)
    ends = [number.ends() for number in arguments]
    spread = 0.0
    for end in itertools.product(*ends):
        other = function(*end)
        if math.isfinite(other) != math.isfinite(value) or math.isnan(other) != math.isnan(value):
            raise Unsure
        if math.isfinite(value):
            spread = max(spread, abs(other - value))
        elif other != value and not math.isnan(value):
            raise Unsure
    is_exact = exact is not None and spread == 0.0 and math.isfinite(value)
    if is_exact and all(math.isfinite(number.value) for number in arguments):
        is_exact = exact(*(Fraction(number.value) for number in arguments)) == Fraction(value)
    rounding = 0.0 if is_exact else ROUNDING * abs(value) + SMALL
    return Number(value, spread + rounding, whole, known)


def or_nan(function):
    """The function, which is NaN where Python's has no value, and infinite where that is too large."""

    def result(*arguments):
        if any(math.isnan(number) for number in arguments) and function != math.hypot:
            return math.nan
        try:
            return float(function(*arguments))
        except ValueError:
            return math.nan
        except OverflowError:
            raise Unsure from None

    return result


def divide(a, b):
    if b != 0.0 or math.isnan(a):
        return a / b if b != 0.0 else math.nan
    return math.nan if a == 0.0 else math.copysign(math.inf, a) * math.copysign(1.0, b)


def power(a, b):
    if a == 0.0 and b < 0.0:
        is_odd = math.isfinite(b) and math.fmod(b, 2.0) == -1.0
        return math.copysign(math.inf, a) if is_odd else math.inf
    try:
        return math.pow(a, b)
    except ValueError:
        return math.nan
    except OverflowError:
        raise Unsure from None


def modulo(a, b):
    if not (math.isfinite(a) and math.isfinite(b)):
        raise Unsure
    if b == 0.0:
        return math.nan
    exact_a, exact_b = Fraction(a), Fraction(b)
    return math.copysign(float(exact_a - exact_b * math.floor(exact_a / exact_b)), b)


def with_sign(function):
    """A function whose results are whole numbers, and which keeps the sign of what becomes 0."""
    return lambda a: math.copysign(float(function(a)), a) if math.isfinite(a) else a


def smaller(a, b):
    # Of zeros that of plus sign.
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b) + 0.0


def larger(a, b):
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b) + 0.0


def sign(a):
    return a if a == 0.0 or math.isnan(a) else math.copysign(1.0, a)


def cbrt(a):
    root = math.copysign(abs(a) ** (1.0 / 3.0), a)
    # Python's power is a rounded third: one step of Newton's method removes the error.
    return root - (root * root * root - a) / (3.0 * root * root) if math.isfinite(root) and root != 0.0 else root



def logarithm(function):
    return lambda a: function(a) if a != 0.0 else -math.inf


PLAIN = {
    name: or_nan(function)
    for name, function in {
        "sqrt": math.sqrt, "cbrt": cbrt, "exp": math.exp, "expm1": math.expm1, "ln": logarithm(math.log),
        "log": logarithm(math.log), "log1p": lambda a: math.log1p(a) if a != -1.0 else -math.inf,
        "log2": logarithm(math.log2), "log10": logarithm(math.log10), "sin": math.sin, "cos": math.cos, "tan": math.tan,
        "asin": math.asin, "acos": math.acos, "atan": math.atan, "atan2": math.atan2, "sinh": math.sinh,
        "cosh": math.cosh, "tanh": math.tanh, "asinh": math.asinh, "acosh": math.acosh,
        "atanh": lambda a: math.atanh(a) if abs(a) != 1.0 else math.copysign(math.inf, a), "hypot": math.hypot,
        "erf": math.erf, "erfc": math.erfc, "gamma": math.gamma, "lgamma": math.lgamma,
    }.items()
}


def call(name, arguments):
    """A function of so many numbers."""
    one = arguments[0]
    match name:
        case "abs":
            return apply(abs, arguments, one.whole, abs)
        case "floor" | "ceil" | "trunc" | "round":
            function = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": round}[name]
            return apply(with_sign(function), arguments, True, function)
        case "sign":
            return apply(sign, arguments, True, sign)
        case "mod":
            if one.error > abs(arguments[1].value) / 4.0:
                # Numbers within the bound have any remainder, and those at its ends perhaps the same.
                raise Unsure
            return apply(modulo, arguments, all_whole(arguments), lambda a, b: a - b * math.floor(a / b) if b else 0)
        case "pow":
            return powered(*arguments)
        case "min" | "max":
            function = smaller if name == "min" else larger
            result = one
            for other in arguments[1:]:
                pair = [result, other]
                result = apply(function, pair, all_whole(pair), min if name == "min" else max)
            return result
        case "sqrt":
            result = apply(PLAIN[name], arguments)
            is_root = math.isfinite(result.value) and Fraction(result.value) ** 2 == Fraction(one.value)
            error = 0.0 if is_root and one.error == 0.0 else result.error
            return Number(result.value, error, False, result.known)
        case "atan2":
            not_around_zero(one)
    result = apply(PLAIN[name], arguments)
    if name in ("gamma", "lgamma") and math.isfinite(result.value):
        # Python's own are not as good as the others.
        error = result.error + 1e-13 * (1.0 + abs(result.value))
        return Number(result.value, error, False, result.known)
    return result


def not_around_zero(number):
    """Of a number that is to be divided by: rounding may decide about the sign of one that is 0, too."""
    if number.error >= abs(number.value) and (number.error > 0.0 or number.known != CONSTANT):
        raise Unsure


def operator(sign, a, b):
    both = [a, b]
    match sign:
        case "+":
            return apply(lambda a, b: a + b, both, all_whole(both), lambda a, b: a + b)
        case "-":
            return apply(lambda a, b: a - b, both, all_whole(both), lambda a, b: a - b)
        case "*":
            return apply(lambda a, b: a * b, both, all_whole(both), lambda a, b: a * b)
        case "/":
            not_around_zero(b)
            return apply(divide, both, False, lambda a, b: a / b if b else None)


def powered(a, b):
    """A power: of a whole number with a whole constant from 0 on it is a whole number."""
    if b.value < 0.0:
        not_around_zero(a)
    if a.value < 0.0 and 0.0 < b.error and abs(b.value - round(b.value)) <= b.error:
        # Whether there is a power depends on whether the exponent is a whole number.
        raise Unsure
    is_small = b.error == 0.0 and b.value in (-1.0, *range(9))
    is_natural = b.known == CONSTANT and b.whole and b.value >= 0.0
    whole = a.whole if is_natural else None if b.known == TERM and a.whole is not False else False
    return apply(power, [a, b], whole, lambda a, b: a ** int(b) if is_small and (a or b >= 0) else None)


def negative(a):
    return Number(-a.value, a.error, a.whole, a.known)


def choose(holds, a, b, known):
    """One of two numbers by a condition that is known as well as `known`."""
    chosen = a if holds else b
    return Number(chosen.value, chosen.error, all_whole([a, b]), min(a.known, b.known, known))


def reduce(name, terms, is_inner):
    """What becomes of terms, in whatever order they are taken."""
    values = [term.value for term in terms]
    known = min(term.known for term in terms)
    if known >= TERM:
        known = TERM if is_inner else CONSTANT
    whole = all_whole(terms)
    errors = sum(term.error for term in terms)
    if name in ("min", "max"):
        result = Number(*extreme(name, terms), whole, known)
    elif name == "prod":
        value, product, relative = 1.0, Fraction(1), 0.0
        for term in terms:
            value *= term.value
            if not math.isfinite(term.value):
                product = None
            elif product is not None:
                product *= Fraction(term.value)
            relative += term.error
        if relative == 0.0 and product is not None and product != 0 and math.isfinite(value) and Fraction(value) == product:
            return Number(value, 0.0, whole, known)
        # What the product is with each factor at the end of its bound.
        most = math.prod(abs(term.value) + term.error for term in terms)
        least = math.prod(abs(term.value) for term in terms)
        if most > LARGE and math.isfinite(most):
            raise Unsure
        error = most - least + len(terms) * ROUNDING * most + SMALL if math.isfinite(most) else 0.0
        result = Number(value, error, whole, known)
    else:
        total = sum(abs(value) for value in values)
        is_exact = errors == 0.0 and total < 2.0**30 and all(value * 2.0**20 % 1.0 == 0.0 for value in values)
        if LARGE < total < math.inf:
            raise Unsure
        error = 0.0 if is_exact or not math.isfinite(total) else errors + len(terms) * ROUNDING * total + SMALL
        result = Number(sum(values), error, whole, known)
        if name == "mean":
            result = operator("/", result, Number(float(len(terms))))
    return result


def extreme(name, terms):
    function = smaller if name == "min" else larger
    value = terms[0].value + 0.0
    for term in terms[1:]:
        value = function(value, term.value)
    return value, max(term.error for term in terms)
