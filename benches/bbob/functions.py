"""BBOB's functions with COCO's instances, over NumPy, JAX and PyTorch, in float64.

`Problem` has the numbers of a function's instance in D dimensions; `functions` gives the 24 functions of points `[n, D]` and those
numbers. `gpu_peers.py --check` compares them with COCO's own.
"""

import functools
import math

import numpy as np

HALF_WIDTH = 5.0
PEAKS = {21: 101, 22: 21}


# The numbers of an instance, as COCO makes them (RR-6829; where the report and COCO differ, COCO).


def uniform(count, seed):
    """The generator of Park and Miller, shuffled by a table of 32."""
    modulus, state = 2**31 - 1, max(seed, 1)

    def following():
        nonlocal state
        state = 16_807 * state % modulus
        return state

    for _ in range(8):
        following()
    table = [following() for _ in range(32)][::-1]
    shown, found = table[0], []
    for _ in range(count):
        place = shown // 67_108_865
        shown, table[place] = table[place], following()
        found.append(shown / modulus or 1e-99)
    return found


def normal(count, seed):
    numbers = uniform(2 * count, seed)
    pairs = zip(numbers[:count], numbers[count:])
    return [math.sqrt(-2 * math.log(r)) * math.cos(2 * math.pi * a) or 1e-99 for r, a in pairs]


def rotation(dimensions, seed):
    """Columns of normal numbers, made orthonormal one after the other, with sums in COCO's order."""
    columns = np.reshape(normal(dimensions**2, seed), (dimensions, dimensions))
    dot = lambda a, b: functools.reduce(lambda x, y: x + y, (a * b).tolist(), 0.0)
    for i, column in enumerate(columns):
        for earlier in columns[:i]:
            column -= dot(column, earlier) * earlier
        column /= math.sqrt(dot(column, column))
    return columns.T


def permutation(count, seed):
    return np.argsort(uniform(count, seed), kind="stable")


def scales(dimensions, base):
    return np.array([base ** (i / (dimensions - 1)) for i in range(dimensions)])


class Problem:
    """A function, its instance, and the tables that its evaluation needs; all functions of D dimensions have tables of the same shapes."""

    def __init__(self, function, instance, dimensions):
        self.function, self.instance, self.dimensions = function, instance, dimensions
        self.seed = {4: 3, 18: 17}.get(function, function) + 10_000 * instance
        a, b = (normal(1, self.seed + i)[0] for i in range(2))
        self.f_opt = min(max(math.floor(100 * 100 * a / b + 0.5) / 100, -1000.0), 1000.0)
        second, first = (rotation(dimensions, self.seed + i) for i in (0, 1_000_000))
        self.x_opt = self.optimum(second)
        r, q = self.matrices(first, second)
        height, place, scale = self.peaks(second)
        self.tables = {"f_opt": np.array(self.f_opt), "x_opt": self.x_opt, "r": r, "q": q}
        self.tables |= {"height": height, "place": place, "scale": scale}

    def optimum(self, second):
        function, d, seed = self.function, self.dimensions, self.seed
        if function in (9, 19):
            return second.sum(0) / (2 * self.stretch())
        if function == 20:
            return np.where(np.array(uniform(d, seed)) < 0.5, -0.5, 0.5) * 4.2096874633
        if function in PEAKS:
            return 0.8 * self.in_area(np.array(uniform(d, seed)))
        if function == 24:
            return np.where(np.array(normal(d, seed)) < 0, -1.25, 1.25)
        x = np.array(uniform(d, seed + 1_000_000 if function == 12 else seed))
        x = 8 * np.floor(1e4 * x) / 1e4 - 4
        x[x == 0] = -1e-5
        if function == 4:
            x[::2] = np.abs(x[::2])
        if function == 5:
            x = np.where(x < 0, -5.0, 5.0)
        return 0.75 * x if function == 8 else x

    def stretch(self):
        return max(1.0, math.sqrt(self.dimensions) / 8)

    def in_area(self, x):
        """Numbers from 0 to 1 moved to the cube in which Gallagher's peaks are."""
        return 10 * x - 5 if self.function == 21 else 9.8 * x - 4.9

    def matrices(self, first, second):
        """The rotation that is applied first, and the matrix of scales and rotations that follows it."""
        d, none = self.dimensions, np.eye(self.dimensions)
        product = lambda base: (first * scales(d, math.sqrt(base))) @ second
        rows = lambda base: second * scales(d, math.sqrt(base))[:, None]
        match self.function:
            case 6 | 13:
                return none, product(10)
            case 7 | 17:
                return first, rows(10)
            case 9 | 19:
                return second * self.stretch(), none
            case 10 | 11 | 12 | 14:
                return first, none
            case 15:
                return first, product(10)
            case 16:
                return first, product(0.01)
            case 18:
                return first, rows(1000)
            case 21 | 22:
                return second, none
            case 23 | 24:
                return none, product(100)
        return none, none

    def peaks(self, second):
        """Height, rotated place and scales of Gallagher's peaks."""
        d, most = self.dimensions, max(PEAKS.values())
        height, place, scale = np.zeros(most), np.zeros((most, d)), np.zeros((most, d))
        if self.function in PEAKS:
            count = PEAKS[self.function]
            of_others = np.arange(count - 1) / (count - 2)
            height[:count] = [10, *(of_others * (9.1 - 1.1) + 1.1)]
            order = permutation(count - 1, self.seed)
            first = math.sqrt(1000.0) if self.function == 21 else 1000.0
            for k, condition in enumerate([first, *(1000.0 ** of_others[order])]):
                scale[k] = condition ** (permutation(d, self.seed + 1000 * k) / (d - 1) - 0.5)
            numbers = np.reshape(uniform(count * d, self.seed), (count, d))
            place[:count] = self.in_area(numbers) @ second.T
            place[0] *= 0.8
        return height, place, scale


def functions(xp, array, dimensions):
    """The 24 functions over an array module (numpy, jax.numpy or torch): each maps points [..., D] and tables to values [...]."""
    d, ramp = dimensions, np.arange(dimensions) / (dimensions - 1)
    power = lambda base: array(base**ramp)
    condition6, condition2, root10, root100 = power(1e6), power(100.0), power(10**0.5), power(10.0)
    slope, next_ones = array(ramp), array(np.arange(1.0, d + 1))
    odd = array(np.where(np.arange(d) % 2 == 0, 10.0, 1.0))
    steps = np.arange(12)
    half, three, two = array(0.5**steps), array(3.0**steps), array(2.0 ** np.arange(1, 33))
    rest = array(np.arange(d) > 0)
    stretch = max(1.0, math.sqrt(d) / 8)
    s24 = 1 - 0.5 / (math.sqrt(d + 20) - 4.1)
    second24 = -math.sqrt((2.5**2 - 1) / s24)
    positive = lambda x: xp.clip(x, 0.0, None)
    penalty = lambda x: (positive(xp.abs(x) - HALF_WIDTH) ** 2).sum(-1)
    rotate = lambda x, matrix: x @ matrix.T
    is_rest = lambda x: xp.where(rest, x, 0.0)

    def osz(x):
        logs, above = xp.log(xp.abs(x)), x > 0
        waves = xp.sin(xp.where(above, 10.0, 5.5) * logs) + xp.sin(xp.where(above, 7.9, 3.1) * logs)
        return xp.where(x == 0, 0.0, xp.sign(x) * xp.exp(logs + 0.049 * waves))

    def asy(x, beta):
        above = positive(x)
        return xp.where(x > 0, above ** (1 + beta * slope * xp.sqrt(above)), x)

    def ellipsoid(z):
        return (condition6 * z**2).sum(-1)

    def rastrigin(z):
        return 10 * (d - xp.cos(2 * math.pi * z).sum(-1)) + (z**2).sum(-1)

    def f4(x, t):
        y = osz(x - t["x_opt"])
        return rastrigin(root10 * xp.where(y > 0, odd, 1.0) * y) + 100 * penalty(x)

    def f5(x, t):
        z = xp.where(x * t["x_opt"] < 25, x, t["x_opt"])
        return (5 * root100 - xp.sign(t["x_opt"]) * root100 * z).sum(-1)

    def f6(x, t):
        z = rotate(x - t["x_opt"], t["q"])
        return osz((xp.where(t["x_opt"] * z > 0, 1e4, 1.0) * z**2).sum(-1)) ** 0.9

    def f7(x, t):
        a = rotate(x - t["x_opt"], t["q"])
        stepped = xp.where(xp.abs(a) > 0.5, xp.floor(a + 0.5), xp.floor(10 * a + 0.5) / 10)
        total = (condition2 * rotate(stepped, t["r"]) ** 2).sum(-1)
        return 0.1 * xp.maximum(xp.abs(a[..., 0]) / 1e4, total) + penalty(x)

    def rosenbrock(z):
        return (100 * (z[..., :-1] ** 2 - z[..., 1:]) ** 2 + (z[..., :-1] - 1) ** 2).sum(-1)

    def f12(x, t):
        z = rotate(asy(shifted(x, t), 0.5), t["r"])
        return z[..., 0] ** 2 + 1e6 * is_rest(z**2).sum(-1)

    def f13(x, t):
        z = rotate(x - t["x_opt"], t["q"])
        return 100 * xp.sqrt(is_rest(z**2).sum(-1)) + z[..., 0] ** 2

    def shifted(x, t):
        return rotate(x - t["x_opt"], t["r"])

    def f11(x, t):
        z = osz(shifted(x, t))
        return 1e6 * z[..., 0] ** 2 + is_rest(z**2).sum(-1)

    def f16(x, t):
        z = rotate(osz(shifted(x, t)), t["q"])[..., None]
        series = (half * xp.cos(2 * math.pi * (z + 0.5) * three)).sum(-1).sum(-1)
        return 10 * (series / d + (2 - 0.5**11)) ** 3 + 10 / d * penalty(x)

    def schaffers(x, t):
        z = rotate(asy(shifted(x, t), 0.5), t["q"])
        s = xp.sqrt(z[..., :-1] ** 2 + z[..., 1:] ** 2)
        total = (xp.sqrt(s) * (1 + xp.sin(50 * s**0.2) ** 2)).sum(-1)
        return (total / (d - 1)) ** 2 + 10 * penalty(x)

    def f19(x, t):
        z = rotate(x, t["r"]) + 0.5
        s = 100 * (z[..., :-1] ** 2 - z[..., 1:]) ** 2 + (1 - z[..., :-1]) ** 2
        return 10 + 10 * (s / 4000 - xp.cos(s)).sum(-1) / (d - 1)

    def f20(x, t):
        middle = 4.2096874637
        y = 2 * xp.sign(t["x_opt"]) * x
        before = xp.concatenate([y[..., :1] * 0 + middle, y[..., :-1]], -1)
        z = 100 * (root10 * (y + 0.25 * (before - middle) - middle) + middle)
        outside = (positive(xp.abs(z) - 500) ** 2).sum(-1)
        total = (z * xp.sin(xp.sqrt(xp.abs(z)))).sum(-1)
        return 0.01 * (outside + 418.9828872724339 - total / d)

    def gallagher(x, t, count):
        a = rotate(x, t["r"])[..., None, :] - t["place"][:count]
        near = (t["scale"][:count] * a**2).sum(-1)
        return osz(positive(10 - xp.amax(t["height"][:count] * xp.exp(-0.5 / d * near), -1))) ** 2 + penalty(x)

    def f23(x, t):
        z = rotate(x - t["x_opt"], t["q"])[..., None] * two
        series = (xp.abs(z - xp.floor(z + 0.5)) / two).sum(-1)
        return 10 / d**2 * (xp.prod(1 + next_ones * series, -1) ** (10 / d**1.2) - 1) + penalty(x)

    def f24(x, t):
        y = 2 * xp.sign(t["x_opt"]) * x
        funnels = xp.minimum(((y - 2.5) ** 2).sum(-1), d + s24 * ((y - second24) ** 2).sum(-1))
        waves = 10 * (d - xp.cos(2 * math.pi * rotate(y - 2.5, t["q"])).sum(-1))
        return funnels + waves + 1e4 * penalty(x)

    all_of_them = [
        lambda x, t: ((x - t["x_opt"]) ** 2).sum(-1),
        lambda x, t: ellipsoid(osz(x - t["x_opt"])),
        lambda x, t: rastrigin(root10 * asy(osz(x - t["x_opt"]), 0.2)),
        f4,
        f5,
        f6,
        f7,
        lambda x, t: rosenbrock(stretch * (x - t["x_opt"]) + 1),
        lambda x, t: rosenbrock(rotate(x, t["r"]) + 0.5),
        lambda x, t: ellipsoid(osz(shifted(x, t))),
        f11,
        f12,
        f13,
        lambda x, t: xp.sqrt((xp.abs(shifted(x, t)) ** (2 + 4 * slope)).sum(-1)),
        lambda x, t: rastrigin(rotate(asy(osz(shifted(x, t)), 0.2), t["q"])),
        f16,
        schaffers,
        schaffers,
        f19,
        f20,
        lambda x, t: gallagher(x, t, 101),
        lambda x, t: gallagher(x, t, 21),
        f23,
        f24,
    ]
    return [lambda x, t, f=f: f(x, t) + t["f_opt"] for f in all_of_them]
