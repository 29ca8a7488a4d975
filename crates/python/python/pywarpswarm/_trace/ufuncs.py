"""Translations of NumPy's and SciPy's elementwise functions into the language of problem files, by name."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import failure
from .expression import (
    Node,
    add,
    as_condition,
    as_number,
    both,
    call,
    choose,
    compare,
    divide,
    either,
    multiply,
    negative,
    opposite,
    power,
    subtract,
)

NodeFunction = Callable[..., Node]


def _number(node: Node, value: float) -> Node:
    return node.graph.number(value)


# Arithmetic. For truth values, NumPy's + means `or`, and * means `and`.


def _add(a: Node, b: Node) -> Node:
    return either(a, b) if a.is_condition and b.is_condition else add(a, b)


def _multiply(a: Node, b: Node) -> Node:
    return both(a, b) if a.is_condition and b.is_condition else multiply(a, b)


def _subtract(a: Node, b: Node) -> Node:
    if a.is_condition and b.is_condition:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported; use the `^` operator instead")
    return subtract(a, b)


def _negative(a: Node) -> Node:
    if a.is_condition:
        raise TypeError("The numpy boolean negative, the `-` operator, is not supported; use the `~` operator instead")
    return negative(a)


def _floor_divide(a: Node, b: Node) -> Node:
    # As in NumPy: a / b could round up to the next integer, but a minus (a mod b) is a multiple of b.
    whole = call("round", divide(subtract(a, call("mod", a, b)), b))
    if b.kind == "number" and b.value != 0:
        return whole
    return choose(compare("==", b, _number(b, 0)), divide(a, b), whole)


def _fmod(a: Node, b: Node) -> Node:
    """The remainder with the sign of `a`."""
    return multiply(call("sign", a), call("mod", call("abs", a), call("abs", b)))


def _minimum(a: Node, b: Node) -> Node:
    return both(a, b) if a.is_condition and b.is_condition else call("min", a, b)


def _maximum(a: Node, b: Node) -> Node:
    return either(a, b) if a.is_condition and b.is_condition else call("max", a, b)


def _other_if_nan(relation: str) -> NodeFunction:
    """`fmin` and `fmax`, which return the other number if one is NaN."""

    def function(a: Node, b: Node) -> Node:
        is_taken = compare(relation, a, b)
        if b.kind != "number" or math.isnan(b.value):
            is_taken = either(is_taken, compare("!=", b, b))
        return choose(is_taken, a, b)

    return function


# Functions


def _logaddexp(a: Node, b: Node) -> Node:
    apart = add(call("max", a, b), call("log1p", call("exp", negative(call("abs", subtract(a, b))))))
    return choose(compare("==", a, b), add(a, _number(a, math.log(2))), apart)


def _logaddexp2(a: Node, b: Node) -> Node:
    small = call("log1p", power(_number(a, 2), negative(call("abs", subtract(a, b)))))
    apart = add(call("max", a, b), multiply(_number(a, 1 / math.log(2)), small))
    return choose(compare("==", a, b), add(a, _number(a, 1)), apart)


def _heaviside(a: Node, at_zero: Node) -> Node:
    beside = divide(add(call("sign", a), _number(a, 1)), _number(a, 2))
    return choose(compare("==", a, _number(a, 0)), at_zero, beside)


def _copysign(a: Node, b: Node) -> Node:
    # 1/b distinguishes -0 from 0.
    zero = _number(b, 0)
    is_negative = either(compare("<", b, zero), compare("<", divide(_number(b, 1), b), zero))
    return choose(is_negative, negative(call("abs", a)), call("abs", a))


def _bitwise(function: NodeFunction) -> NodeFunction:
    def of_conditions(*nodes: Node) -> Node:
        if not all(node.is_condition for node in nodes):
            raise failure("&, |, ^ and ~ of numbers are not supported; allowed: of conditions, as in (x > 0) & (x < 1)")
        return function(*nodes)

    return of_conditions


def _either_but_not_both(a: Node, b: Node) -> Node:
    return compare("!=", as_condition(a), as_condition(b))


def clip(a: Node, lower: Node, upper: Node) -> Node:
    return call("min", call("max", a, lower), upper)


def _plain(name: str) -> NodeFunction:
    return lambda *nodes: call(name, *nodes)


def _comparison(relation: str) -> NodeFunction:
    return lambda a, b: compare(relation, a, b)


# Functions that the language has under the same or another name.
_PLAIN = {
    **{name: name for name in "sqrt cbrt exp expm1 log log1p log2 log10 sin cos tan sinh cosh tanh hypot".split()},
    **{name: name for name in "sign floor ceil trunc".split()},
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "absolute": "abs",
    "fabs": "abs",
    "rint": "round",
    "remainder": "mod",
}

NUMPY: dict[str, NodeFunction] = {
    **{name: _plain(of) for name, of in _PLAIN.items()},
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": divide,
    "true_divide": divide,
    "floor_divide": _floor_divide,
    "power": power,
    "float_power": power,
    "fmod": _fmod,
    "negative": _negative,
    "positive": as_number,
    "conjugate": lambda a: a,
    "square": lambda a: power(a, _number(a, 2)),
    "reciprocal": lambda a: divide(_number(a, 1), a),
    "exp2": lambda a: power(_number(a, 2), a),
    "deg2rad": lambda a: multiply(a, _number(a, math.pi / 180)),
    "radians": lambda a: multiply(a, _number(a, math.pi / 180)),
    "rad2deg": lambda a: multiply(a, _number(a, 180 / math.pi)),
    "degrees": lambda a: multiply(a, _number(a, 180 / math.pi)),
    "logaddexp": _logaddexp,
    "logaddexp2": _logaddexp2,
    "heaviside": _heaviside,
    "copysign": _copysign,
    "minimum": _minimum,
    "maximum": _maximum,
    "fmin": _other_if_nan("<="),
    "fmax": _other_if_nan(">="),
    "clip": clip,
    "less": _comparison("<"),
    "less_equal": _comparison("<="),
    "greater": _comparison(">"),
    "greater_equal": _comparison(">="),
    "equal": _comparison("=="),
    "not_equal": _comparison("!="),
    "logical_and": both,
    "logical_or": either,
    "logical_not": opposite,
    "logical_xor": _either_but_not_both,
    "bitwise_and": _bitwise(both),
    "bitwise_or": _bitwise(either),
    "bitwise_xor": _bitwise(_either_but_not_both),
    "invert": _bitwise(opposite),
    "isnan": lambda a: compare("!=", a, a),
    "isfinite": lambda a: compare("<", call("abs", a), _number(a, math.inf)),
    "isinf": lambda a: compare("==", call("abs", a), _number(a, math.inf)),
}


def _xlogy(a: Node, b: Node) -> Node:
    is_zero = both(compare("==", a, _number(a, 0)), compare("==", b, b))
    return choose(is_zero, _number(a, 0), multiply(a, call("log", b)))


def _xlog1py(a: Node, b: Node) -> Node:
    is_zero = both(compare("==", a, _number(a, 0)), compare("==", b, b))
    return choose(is_zero, _number(a, 0), multiply(a, call("log1p", b)))


def _expit(a: Node) -> Node:
    one = _number(a, 1)
    return divide(one, add(one, call("exp", negative(a))))


def _ndtr(a: Node) -> Node:
    return multiply(_number(a, 0.5), call("erfc", multiply(negative(a), _number(a, math.sqrt(0.5)))))


SCIPY: dict[str, NodeFunction] = {
    **{name: _plain(name) for name in "erf erfc gamma j0 j1 y0 y1 cbrt expm1 log1p".split()},
    "gammaln": _plain("lgamma"),
    "exp2": NUMPY["exp2"],
    "expit": _expit,
    "ndtr": _ndtr,
    "xlogy": _xlogy,
    "xlog1py": _xlog1py,
}


def function_of(ufunc: np.ufunc) -> NodeFunction:
    """The function of single expressions that corresponds to a ufunc."""
    name = ufunc.__name__
    special = sys.modules.get("scipy.special")
    for module, functions, prefix in ((np, NUMPY, "np."), (special, SCIPY, "scipy.special.")):
        if ufunc is getattr(module, name, None):
            if name in functions:
                return functions[name]
            raise failure(f"{prefix}{name} has no counterpart in the language of problem files")
    if name == "clip":
        # The ufunc of `np.clip` is not an attribute of `np`.
        return clip
    raise failure(f"{name} has no counterpart in the language of problem files")


# Methods that NumPy calls for the elements of arrays of objects.
METHODS: dict[str, Any] = {name: getattr(np, name) for name in NUMPY if hasattr(np, name)}
