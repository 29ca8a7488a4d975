//! Problems from files: an expression to be minimised, its variables, constants, data and constraints.
//!
//! A file is TOML:
//!
//! ```toml
//! name = "decay"
//! minimise = "sum(i, (y[i] - a * exp(-t[i] / tau))^2)"   # or maximise
//! [variables]
//! a = { lower = 0, upper = 10 }
//! tau = { lower = 0.1, upper = 100, scale = "log" }      # linear, log or integer
//! x = { count = 3, lower = -1, upper = 1 }               # x[1], x[2] and x[3]
//! [constants]
//! g = 9.81
//! w = "2 * pi * g"                                       # of those before it
//! [data]
//! file = "points.csv"                                    # beside this file
//! columns = ["t", "y"]                                   # t[1] is in the first row below the headings
//! [constraints]
//! order = "x[1] < x[2] <= x[3]"                          # a condition
//! either = "a <= 1 or tau >= 10"
//! whole = "x[1] + x[2] == 1"                             # within the tolerance
//! volume = "1 - g * a"                                   # a number: at most 0 where it is met
//! tight = { condition = "a * tau == 5", tolerance = 1e-9 }
//! ```
//!
//! Above the tables `tolerance = 1e-6` (unless it says otherwise) is by how much the sides of an equation may differ.
//!
//! There are numbers and conditions. Numbers have `+ - * / ^` (also `**`), `pi`, `tau` (unless it is something of the
//! file's own), `inf`, and these functions:
//!
//! | function | |
//! |---|---|
//! | `abs sqrt cbrt sign` | of one number; `sign` is -1, 0 or 1 |
//! | `exp expm1 ln log1p log2 log10` | `expm1(x)` is e^x - 1, `log1p(x)` is ln(1 + x); `log` is `ln`, the natural logarithm |
//! | `sin cos tan asin acos atan` | in radians; `atan2(y, x)` is the angle of the point (x, y), from -pi to pi |
//! | `sinh cosh tanh asinh acosh atanh` | |
//! | `floor ceil trunc round` | `round` to the nearest whole number, halves to the even one: `round(2.5)` is 2 |
//! | `mod(a, b)` | `a - b * floor(a / b)`, exactly: it has the sign of `b`, as Python's `%`: `mod(-1, 3)` is 2 |
//! | `pow(a, b)`, `hypot(a, b)` | `a^b`, and `sqrt(a^2 + b^2)` |
//! | `erf erfc` | the error function, and 1 minus it |
//! | `gamma lgamma` | the gamma function, and the logarithm of its size |
//! | `j0 j1 y0 y1` | Bessel functions of the first and second kind, orders 0 and 1 |
//! | `min(a, b, ...)`, `max(a, b, ...)` | NaN where one is |
//! | `if(condition, a, b)` | `a` where the condition holds, otherwise `b`; both are computed |
//! | `len(x)` | how many numbers `x` has |
//! | `sum(i, ...)`, `prod`, `min`, `max`, `mean` | over all `i` from 1 to `len(x)` for which everything with the index is there |
//! | `sum(i, 2, len(x), ...)` | over a range |
//! | `sum(x)`, `prod`, `min`, `max`, `mean` | over all numbers of `x` |
//! | `dot(x, y)`, `norm(x)` | the sum of products, and the root of the sum of squares |
//!
//! Conditions are comparisons (`<`, `<=`, `==` or `=`, `>=`, `>`, `!=`), which may be chained as in `0 < a <= b`, `true`,
//! `false`, and what joins conditions: `and`, `or`, `not` (also `&&`, `||`, `!`), `if(p, q, r)`, `all(i, ...)`,
//! `any(i, ...)`. Within a number a condition is 1 where it holds, otherwise 0: `sum(i, x[i] > 0) >= 2`.
//!
//! A constraint's violation is 0 where it is met:
//!
//! | constraint | violation |
//! |---|---|
//! | `a <= b` | a - b where that is above 0 |
//! | `a < b` | of whole numbers as `a + 1 <= b`; of others met where it holds in the run's arithmetic, so that the best point lies on an open edge |
//! | `a == b` | by how much the distance of a and b is above the tolerance; whole numbers must be equal |
//! | `a != b` | 1 where they are equal |
//! | `p and q`, `all(i, p)`, a product of conditions | the sum |
//! | `p or q`, `any(i, p)` | the smallest |
//! | `not p` | of the opposite: `not a < b` is `a >= b`, and of `and` comes `or` |
//! | `if(p, q, r)` | that of `q` where `p` holds, otherwise that of `r` |
//! | a number | itself where it is above 0 |
//!
//! Whole numbers are integer variables, whole constants, columns of nothing else, indices, `floor`, `ceil`, `trunc`, `round`,
//! `sign`, and sums, differences, products, `mod`, `abs`, `min`, `max` and choices of those.
//!
//! An index is a whole number, or that of a reduction plus or minus one: `sum(i, (x[i+1] - x[i])^2)` has a term less
//! than `x` has numbers. A reduction that depends on another's index is written out.
//!
//! The sines and cosines of `2*pi*x` are those of turns ([`Real::sin_turns`](warpswarm_core::Real::sin_turns)), and
//! whole powers up to 8 are products. Constants are computed in `f64`, and then rounded to the run's precision.

mod columns;
mod compile;
mod cpu;
mod file;
mod graph;
mod problem;
mod program;
mod ptx;
mod reader;
mod syntax;

#[cfg(test)]
mod tests;

pub use problem::ProblemFile;
pub(crate) use program::Program;
