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
//! volume = "1 - g * a"                                   # at most 0 where it is met
//! order = "x[1] <= x[2]"                                 # or a comparison
//! ```
//!
//! Expressions have numbers, `+ - * / ^`, comparisons (1 where they hold, otherwise 0), `pi`, `tau` (unless it is
//! something of the file's own), `inf`, and
//!
//! | function | |
//! |---|---|
//! | `abs sqrt exp ln log10 sin cos tan tanh floor` | of one number |
//! | `pow(a, b)` | `a^b` |
//! | `min(a, b, ...)`, `max(a, b, ...)` | NaN where one is |
//! | `if(c, a, b)` | `a` where `c` is not 0, otherwise `b`; both are computed |
//! | `len(x)` | how many numbers `x` has |
//! | `sum(i, ...)`, `prod`, `min`, `max` | over all `i` from 1 to `len(x)` for which everything with the index is there |
//! | `sum(i, 2, len(x), ...)` | over a range |
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
