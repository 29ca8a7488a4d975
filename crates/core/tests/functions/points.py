"""Makes points.txt, exact values of the elementary and special functions: python3 points.py (mpmath 1.3.0, a minute).

A line is the function's name, one or two arguments, and the value as the sum of two doubles; all by their bits. The arguments
are those of hard.txt, where a search of a million a function against MPFR 4.2.0 found the largest errors, and places
where formulas change, zeros with their neighbours, powers of two, and random ones.
"""

import random
import struct
from math import inf, nextafter
from pathlib import Path

from mpmath import *

mp.prec = 2400
HERE = Path(__file__).parent


def of_bits(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def bits(number):
    return struct.pack(">d", number).hex()


def log_gamma(x):
    with workprec(700):
        return log(abs(gamma(x)))


def at(precision, function):
    """The function with so many bits; as many more as its argument needs come on top where it is reduced."""

    def value(*arguments):
        with workprec(precision):
            return function(*arguments)

    return value


WIDE, NARROW = 2400, 400
FUNCTIONS = {
    # name: function, domain
    "sin": (at(WIDE, sin), -1e308, 1e308),
    "cos": (at(WIDE, cos), -1e308, 1e308),
    "tan": (at(WIDE, tan), -1e308, 1e308),
    "exp": (at(NARROW, exp), -744, 709.7),
    "ln": (at(NARROW, log), 5e-324, 1.7e308),
    "tanh": (at(WIDE, tanh), -400, 400),
    "sinh": (at(WIDE, sinh), -710, 710),
    "cosh": (at(NARROW, cosh), -710, 710),
    "expm1": (at(WIDE, expm1), -800, 709.7),
    "log1p": (at(WIDE, log1p), nextafter(-1, 0), 1.7e308),
    "log2": (at(NARROW, lambda x: log(x) / log(2)), 5e-324, 1.7e308),
    "log10": (at(NARROW, lambda x: log(x) / log(10)), 5e-324, 1.7e308),
    "asin": (at(NARROW, asin), -1, 1),
    "acos": (at(NARROW, acos), -1, 1),
    "atan": (at(NARROW, atan), -1e308, 1e308),
    "asinh": (at(WIDE, asinh), -1e308, 1e308),
    "acosh": (at(WIDE, acosh), 1, 1.7e308),
    "atanh": (at(WIDE, atanh), nextafter(-1, 0), nextafter(1, 0)),
    "cbrt": (at(NARROW, lambda x: sign(x) * cbrt(abs(x))), -1e308, 1e308),
    "erf": (at(NARROW, erf), -7, 7),
    "erfc": (at(NARROW, erfc), -7, 27.2),
    "gamma": (at(NARROW, gamma), -183, 171.6),
    "lgamma": (log_gamma, -183, 1e10),
    "j0": (at(NARROW, j0), -1e6, 1e6),
    "j1": (at(NARROW, j1), -1e6, 1e6),
    "y0": (at(NARROW, lambda x: bessely(0, x)), 1e-300, 1e6),
    "y1": (at(NARROW, lambda x: bessely(1, x)), 1e-300, 1e6),
    "atan2": (at(NARROW, atan2), -1e308, 1e308),
    "hypot": (at(NARROW, hypot), -1e308, 1e308),
    "pow": (at(NARROW, power), 0, 1e308),
}
TWO = ["atan2", "hypot", "pow"]


def zeros(name):
    """Zeros other than 0, as they are rounded."""
    if name in ("j0", "j1", "y0", "y1"):
        zero = besseljzero if name[0] == "j" else besselyzero
        with workprec(200):
            return [float(zero(int(name[1]), k)) for k in [*range(1, 20), 50, 300, 2000]]
    if name == "lgamma":
        lines = (HERE / "../../src/math/gamma/zeros.rs").read_text().splitlines()
        return [1.0, 2.0] + [float(line.strip()[1:].split(",")[0]) for line in lines if line.startswith("    [-")]
    return {
        "sin": [3.141592653589793, 6381956970095103.0 * 2.0**797],
        "cos": [1.5707963267948966, 6381956970095103.0 * 2.0**797],
        "tan": [1.5707963267948966, 3.141592653589793, 6381956970095103.0 * 2.0**797],
        "ln": [1.0],
        "log2": [1.0],
        "log10": [1.0, 1e22],
        "acosh": [1.0],
    }.get(name, [])


def arguments(name, low, high):
    draw = random.Random(name)
    changes = [0.25, 0.35, 0.4, 0.5, 0.7, 0.75, 0.8, 1, 1.125, 1.25, 1.75, 2.25, 2.85, 10, 18, 22, 40, 40.84, 172]
    around = changes + zeros(name) + [2.0**k for k in (-1074, -1022, -1000, -500, -60, -54, -30, -10, 28, 60, 500, 1000)]
    around += [0.34657359027997264, 0.41421356237309503, 0.7071067811865476, 1.4142135623730951, 1.5707963267948966]
    points = [y for x in around for y in (x, nextafter(x, -inf), nextafter(x, inf), -x, nextafter(-x, -inf))]
    points += [draw.uniform(max(low, -5), min(high, 5)) for _ in range(25)]
    points += [draw.choice([-1, 1]) * 2.0 ** draw.uniform(-40, 10) for _ in range(25)]
    return [x for x in points if low <= x <= high and x != 0]


def pairs(name):
    draw = random.Random(name)
    size = lambda: 2.0 ** draw.choice([draw.uniform(-4, 4), draw.uniform(-1000, 1000)])
    either = (lambda x: x) if name == "pow" else (lambda x: draw.choice([-1, 1]) * x)
    points = [(either(size()), either(size())) for _ in range(120)]
    if name == "pow":
        points = [(x, draw.uniform(-1070, 1020) / log(mpf(x), 2)) for x, _ in points]
        points = [(x, float(y)) for x, y in points]
    else:
        points += [(x, x * draw.uniform(0.2, 4)) for x, _ in points[:60] if abs(x) < 1e300]
    return points


def main():
    lines = []
    hard = [line.split() for line in (HERE / "hard.txt").read_text().splitlines()]
    for name, (function, low, high) in FUNCTIONS.items():
        points = pairs(name) if name in TWO else [(x,) for x in arguments(name, low, high)]
        points += [tuple(map(of_bits, words)) for known, *words in hard if known == name]
        for point in sorted(set(points)):
            if name in ("gamma", "lgamma") and point[0] <= 0 and point[0] == round(point[0]):
                continue
            if name in ("j0", "j1", "y0", "y1") and abs(point[0]) > 1e7:
                continue
            value = function(*map(mpf, point))
            high_part = float(value)
            low_part = float(value - high_part) if abs(high_part) < 1.7e308 else 0.0
            if abs(value) > mpf(2) ** 1024:
                continue
            lines.append(" ".join([name, *map(bits, point), bits(high_part), bits(low_part)]))
    (HERE / "points.txt").write_text("\n".join(lines) + "\n")


main()
