"""Makes the tables of constants in crates/core/src/math: python3 constants.py zeros|bessel (mpmath 1.3.0)."""

import sys

from mpmath import *

mp.prec = 400


def two(value):
    """A number as the sum of two doubles."""
    high = float(value)
    return [high, float(value - high)]


def row(numbers):
    return "    [" + ", ".join(repr(number) for number in numbers) + "],"


def zeros():
    """The zeros of ln|gamma| below -2 and the series around each; see math/gamma/zeros.rs."""
    print("pub(super) static ZEROS: [[f64; 13]; 32] = [")
    for n in range(2, 18):
        for positive in (False, True):
            if n == 2 and positive:
                print(row([0.0] * 13))
                continue

            def logarithm(d):
                return loggamma(1 + d) - sum(log(k - d) for k in range(1, n + 1)) - log(abs(d))

            if n < 4:
                d = findroot(logarithm, mpf({2: "-0.457", 3: "0.2525" if positive else "-0.1435"}[n]))
            else:
                d = 1 / factorial(n) * (1 if positive else -1)
                for _ in range(200):
                    d = sign(d) * exp(loggamma(1 + d) - sum(log(k - d) for k in range(1, n + 1)))
                d = findroot(logarithm, d)
            assert abs(logarithm(d)) < mpf(10) ** -100
            q = [
                psi(j - 1, 1 + d) / factorial(j) + sum(1 / (j * (k - d) ** j) for k in range(1, n + 1))
                for j in range(1, 11)
            ]
            print(row(two(d - n) + two(q[0]) + [float(value) for value in q[1:]]))
    print("];")


def interpolated(f, low, high, degree):
    """The polynomial through Chebyshev's points, nearly the best."""
    low, high = mpf(low), mpf(high)
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    matrix_ = matrix(degree + 1, degree + 1)
    values = matrix(degree + 1, 1)
    for i, x in enumerate(points):
        values[i] = f(x)
        for j in range(degree + 1):
            matrix_[i, j] = x**j
    return list(lu_solve(matrix_, values))


KINDS = {"J0": (besselj, 0), "J1": (besselj, 1), "Y0": (bessely, 0), "Y1": (bessely, 1)}
CELLS = 26


def series(kind, z, count):
    """Taylor coefficients at z, by Bessel's equation."""
    f, nu = KINDS[kind]
    slope = -f(1, z) if nu == 0 else f(0, z) - f(1, z) / z
    a = [f(nu, z), slope]
    for k in range(count - 2):
        s = (2 * z * (k + 1) * k + z * (k + 1)) * a[k + 1] + (k * k + z * z - nu * nu) * a[k]
        s += 2 * z * a[k - 1] if k >= 1 else 0
        s += a[k - 2] if k >= 2 else 0
        a.append(-s / (z * z * (k + 2) * (k + 1)))
    return a


def cell(kind, low, high, degree=22):
    f, nu = KINDS[kind]
    ends = [f(nu, low), f(nu, high)]
    if ends[0] * ends[1] < 0:
        centre, is_zero = findroot(lambda x: f(nu, x), (low, high), solver="anderson", tol=1e-200), True
        assert abs(f(nu, centre)) < mpf(10) ** -100
    else:
        centre, is_zero = mpf(float((low + high) / 2)), False
    a = series(kind, centre, 150)
    rest = a[2:]
    p = interpolated(lambda d: polyval(rest[::-1], d), low - centre, high - centre, degree)
    return row(two(centre) + (two(mpf(0)) if is_zero else two(a[0])) + two(a[1]) + [float(c) for c in p])


def bessel():
    """The cells of a quarter turn, and what is used below and above them; see math/bessel/tables.rs."""
    for kind in KINDS:
        print(f"pub(super) static {kind}: [[f64; 29]; {CELLS - 1}] = [")
        for i in range(1, CELLS):
            print(cell(kind, i * pi / 2, (i + 1) * pi / 2))
        print("];")
    print("pub(super) static Y0_ZERO: [f64; 29] =")
    print(cell("Y0", mpf("0.7"), mpf("1.125")).rstrip(",") + ";")

    def constants(name, values):
        print(f"pub(super) const {name}: [f64; {len(values)}] = {row(values).strip().rstrip(',')};")

    def of_powers(function, degree):
        top = (pi / 2) ** 2
        return [float(c) for c in interpolated(function, 0, top, degree)]

    root = lambda u: sqrt(u)
    constants("J0_SMALL", of_powers(lambda u: (besselj(0, root(u)) - 1 + u / 4) / u**2, 8))
    constants("J1_SMALL", of_powers(lambda u: (besselj(1, root(u)) / root(u) - mpf(1) / 2 + u / 16) / u**2, 8))
    v0 = lambda u: bessely(0, root(u)) - 2 / pi * log(root(u)) * besselj(0, root(u))
    constant = 2 / pi * (euler - log(2))
    slope = (1 - euler + log(2)) / (2 * pi)
    constants("Y0_SMALL", two(constant) + two(slope) + of_powers(lambda u: ((v0(u) - constant) / u - slope) / u, 8))
    v1 = lambda u: (bessely(1, root(u)) - 2 / pi * (log(root(u)) * besselj(1, root(u)) - 1 / root(u))) / root(u)
    constants("Y1_SMALL", of_powers(v1, 10))

    start = CELLS * pi / 2
    for nu in (0, 1):

        def turned(x):
            return (besselj(nu, x) + 1j * bessely(nu, x)) * expj(-(x - (mpf(nu) / 2 + mpf(1) / 4) * pi))

        phase = interpolated(lambda u: arg(turned(1 / sqrt(u))) / sqrt(u), mpf(10) ** -9, 1 / start**2, 12)
        print(f"pub(super) const PHASE_{nu}: [[f64; 2]; 6] = [")
        for c in phase[:6]:
            print(row(two(c)))
        print("];")
        constants(f"PHASE_{nu}_REST", [float(c) for c in phase[6:]])

        def modulus(u):
            x = 1 / sqrt(u)
            return (abs(turned(x)) * sqrt(pi * x / 2) - 1) / u

        constants(f"MODULUS_{nu}", [float(c) for c in interpolated(modulus, mpf(10) ** -9, 1 / start**2, 6)])
    print(f"pub(super) const TWO_OVER_PI: [f64; 2] = {two(2 / pi)};")
    print(f"pub(super) const ROOT_TWO_OVER_PI: [f64; 2] = {two(sqrt(2 / pi))};")
    print(f"pub(super) const QUARTER_PI: [f64; 2] = {two(pi / 4)};")


{"zeros": zeros, "bessel": bessel}[sys.argv[1]]()
